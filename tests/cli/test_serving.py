"""`steerbo serve` and `steerbo key`."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from steerbo.cli import serving
from steerbo.serve import StudyPool
from steerbo.storage.outbox_files import OutboxFiles
from steerbo.study import Study
from tests.cli.calls import call, refused
from tests.core.stub import Nearest, Stub
from tests.serve.players import bearer, oven
from tests.serve.processes import commanded, start
from tests.study.files import PROBLEM, STUDY


def test_keys_are_made_listed_and_revoked(tmp_path: Path) -> None:
    place = oven(tmp_path)
    assert call("key", "list", place).stdout == "no keys\n"
    made = call("key", "create", place, "--name", "ann", "--may", "amend")
    assert made.exit_code == 0, made.output
    text = made.stdout.strip()
    assert text.startswith("steerbo_")
    assert "shown only once" in made.stderr
    listed = json.loads(call("key", "list", place, "--json").stdout)["keys"]
    assert [(k["name"], k["may"]) for k in listed] == [("ann", "amend")]
    assert text.split("_", 2)[2] not in call("key", "list", place).output
    assert "opens nothing any more" in call("key", "revoke", place, listed[0]["id"]).stdout
    assert "revoked" in call("key", "list", place).stdout
    assert call("key", "create", place, "--name", "bob", "--days", "7").exit_code == 0
    assert "bob may play" in (listed_now := call("key", "list", place).stdout)
    assert "; until 20" in listed_now
    assert "days: 0 is not allowed" in refused(call("key", "create", place, "--name", "eve", "--days", "0"), 2)


def test_what_is_wrong_with_a_key_is_said(tmp_path: Path) -> None:
    place = oven(tmp_path)
    assert "--name" in refused(call("key", "create", place), 2)
    assert "may: 'admin'" in refused(call("key", "create", place, "--name", "ann", "--may", "admin"), 2)
    assert "ID" in refused(call("key", "revoke", place), 2)
    assert "key: 'x'" in refused(call("key", "revoke", place, "x"), 2)
    assert "a study's log" in refused(call("key", "list", tmp_path / "no.db"), 2)


def test_several_studies_and_all_of_a_log_are_served(tmp_path: Path) -> None:
    place = oven(tmp_path)
    many = tmp_path / "many.db"
    for name in ("north", "south east"):
        Study.create(many, Stub(), "tests.core.stub:Nearest", name=name).close()
    with commanded(place, many) as made, made.client() as client:
        assert client.get("/v1/studies").json()["studies"] == ["oven", "north", "south east"]
        assert client.get("/v1/studies/north/status").json()["rounds"] == 0
        assert client.get("/page/north").status_code == 200
    assert Nearest.name == "nearest"
    (tmp_path / "other.db").write_text("no database" * 1000)
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    (tmp_path / "begun.toml").write_text(PROBLEM + STUDY, encoding="utf-8")
    assert call("new", tmp_path / "begun.toml").exit_code == 0
    with commanded(folder=tmp_path) as made, made.client() as client:
        assert client.get("/v1/studies").json()["studies"] == ["begun", "north", "south east", "oven"], "of the folder"


def test_of_many_studies_in_a_log_some_are_opened_when_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, names = tmp_path / "many.db", ["east", "north", "south", "west"]
    for name in names:
        Study.create(many, Stub(), "tests.core.stub:Nearest", name=name).close()
    opened: list[str] = []
    as_it_is = serving._opened

    def noted(place: str, say: Callable[[str], None] | None) -> Study:
        opened.append(place)
        return as_it_is(place, say)

    monkeypatch.setattr(serving, "_opened", noted)
    found, left_out, logged = serving._opening([str(many)], 2, print)
    assert [each.rpartition("#")[2] for each in opened] == ["east", "north"]
    assert list(found) == [*logged] == [*logged.values()] == names
    assert not left_out
    with closing(StudyPool(found, logged=logged)) as pool:
        assert pool.studies["west"].events() == 1
        assert pool.studies["west"].logged_as() == "west"


def test_a_key_is_asked_for_where_it_is_wanted(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = call("key", "create", place, "--name", "ann").stdout.strip()
    with commanded(place, options=("--keys",)) as made, made.client() as client:
        assert client.get("/v1/studies/oven/status").status_code == 401
        assert client.get("/v1/studies/oven/status", headers=bearer(key)).status_code == 200


def test_how_many_are_prepared_is_a_number(tmp_path: Path) -> None:
    place = oven(tmp_path)
    for wrong in ("-1", "10001", "some"):
        assert "--prepare" in refused(call("serve", place, "--prepare", wrong), 2)
    with commanded(tmp_path / "oven.db", options=("--prepare", "0")) as made, made.client() as client:
        assert client.get("/v1/studies").json()["studies"] == ["oven"]


def test_proxies_are_named_by_address(tmp_path: Path) -> None:
    place = oven(tmp_path)
    assert "--forwarded-by: '*'" in refused(call("serve", place, "--forwarded-by", "*"), 2)
    for options, secure in (((), False), (("--forwarded-by", "127.0.0.1"), True)):
        with commanded(place, options=("--keys", *options)) as made, made.client() as client:
            cookie = client.get("/", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"]
            assert ("Secure" in cookie) == secure


def test_studies_of_one_name_are_served_by_their_folders(tmp_path: Path) -> None:
    places = []
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        places.append(oven(tmp_path / folder))
    wrong = tmp_path / "oven.toml"
    wrong.write_text("[study", encoding="utf-8")
    with commanded(*places, wrong) as made, made.client() as client:
        listed = client.get("/v1/studies").json()
        assert listed["studies"] == ["north-oven", "south-oven"]
        assert list(listed["left_out"]) == [f"{tmp_path.name}-oven"]
        assert client.post("/v1/studies/south-oven/ask", json={"context": {"weather": 3}}).status_code == 200
    with Study.open(places[1]) as south, Study.open(places[0]) as north:
        assert (len(south.history), len(north.history)) == (1, 0)


def test_a_study_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    place = oven(tmp_path)
    assert "Give each study once" in refused(call("serve", place, place), 2)


@pytest.mark.parametrize("name", ["no.db", "no.toml"])
def test_what_cannot_be_opened_is_said_at_once(name: str, tmp_path: Path) -> None:
    assert call("serve", tmp_path / name).exit_code == 2


def test_a_study_that_cannot_be_opened_stops_no_other(tmp_path: Path) -> None:
    place, changed, widened = oven(tmp_path), tmp_path / "changed.toml", tmp_path / "widened.toml"
    for path in (changed, widened):
        path.write_text(PROBLEM + STUDY, encoding="utf-8")
        assert call("new", path).exit_code == 0
    with Study.open(widened.with_suffix(".db")) as going:
        going.extend({"temperature": (10, 45)})
    changed.write_text(changed.read_text(encoding="utf-8").replace('"°C"', '"K"'), encoding="utf-8")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[study", encoding="utf-8")
    assert "another study" in refused(call("serve", changed), 2)
    with commanded(changed, wrong, place, widened) as made, made.client() as client:
        listed = client.get("/v1/studies").json()
        assert listed["studies"] == ["oven", "widened"]
        assert "another study" in listed["left_out"]["changed"]
        assert "wrong.toml" in listed["left_out"]["wrong"]
        assert "another study" in client.get("/page").text
        answer = client.get("/v1/studies/changed/status")
        assert (answer.status_code, "another study" in answer.json()["detail"]) == (503, True)
        assert client.post("/v1/studies/widened/ask", json={}).status_code == 200


def test_what_a_study_has_to_say_is_json_where_that_is_wanted(tmp_path: Path) -> None:
    """What had waited in a file was said in words between the documents."""
    place = oven(tmp_path)
    with Study.open(place, holder="by hand") as study:
        token = study.ask(context={"weather": 3.0}).token
    files = OutboxFiles.of(str(place), "study")
    told = {"value": 1.0, "cost": 1.0, "realised": {"oven": 150.0, "speed": 0.5}}
    assert files.store(files.entry("tell", token, told)) is not None
    made = start(place, options=("--keys",))
    made.process.terminate()
    _, said = made.process.communicate(timeout=60)
    messages = [json.loads(line)["message"] for line in said.splitlines()]
    assert any("waited in files" in message for message in messages), messages
    assert any("no key exists yet" in message for message in messages)


def test_studies_that_are_begun_while_it_runs_are_served(tmp_path: Path) -> None:
    Study.create(tmp_path / "north.db", Stub(), "tests.core.stub:Nearest").close()
    with commanded(folder=tmp_path) as made, made.client() as client:
        assert client.get("/v1/studies").json()["studies"] == ["north"]
        Study.create(tmp_path / "south.db", Stub(), "tests.core.stub:Nearest").close()
        assert client.get("/v1/studies/south/status").json()["rounds"] == 0
        oven(tmp_path)
        assert ">oven</a>" in client.get("/page").text
        assert client.get("/v1/studies").json()["studies"] == ["north", "south", "oven"]
        assert client.get("/v1/studies/west/status").status_code == 404


def test_a_study_that_was_mended_while_it_runs_is_served(tmp_path: Path) -> None:
    place, other = oven(tmp_path), tmp_path / "north.db"
    Study.create(other, Stub(), "tests.core.stub:Nearest").close()
    whole = place.read_bytes()
    place.write_bytes(b"no log")
    with commanded(place, other) as made, made.client() as client:
        assert [*client.get("/v1/studies").json()["left_out"]] == ["oven"]
        assert client.get("/v1/studies/oven/status").status_code == 503
        place.write_bytes(whole)
        assert client.get("/v1/studies/oven/status").status_code == 200
        assert client.get("/v1/studies").json() == {"studies": ["north", "oven"], "may": "amend"}


def test_a_key_opens_a_study_that_was_begun_in_a_served_log_since(tmp_path: Path) -> None:
    many = tmp_path / "many.db"
    Study.create(many, Stub(), "tests.core.stub:Nearest", name="north").close()
    with commanded(many, options=("--keys",)) as made, made.client() as client:
        Study.create(many, Stub(), "tests.core.stub:Nearest", name="south").close()
        key = call("key", "create", f"sqlite:///{many}#south", "--name", "ann").stdout.strip()
        assert client.get("/v1/studies", headers=bearer(key)).json()["studies"] == ["south"]
        assert client.get("/v1/studies", headers=bearer(f"{key}x")).status_code == 401
