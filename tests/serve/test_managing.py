"""Studies are begun, ended and extended on the page, and data are added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import steerbo as sb
from steerbo.cli.serving import _openers
from steerbo.page.creation import EXAMPLES
from steerbo.serve import StudyPool, application
from steerbo.study import Study
from tests.page.examples import KILN, OTHERS
from tests.serve.players import Person, bearer, key_for, oven, served


@contextmanager
def empty(folder: Path) -> Iterator[TestClient]:
    pool = StudyPool({})
    pool.folder = folder
    with TestClient(application(pool), "http://localhost", follow_redirects=False) as client:
        yield client


def filled(client: TestClient, form: dict[str, str], then: str = "create") -> Any:
    secret = re.search(r'name="form" value="([0-9a-f]+)"', client.get("/new").text)
    assert secret is not None
    return client.post("/new", data={"form": secret[1], "name": "study", "then": then, **form})


@pytest.mark.parametrize("kind", ["cost-varying", *OTHERS])
def test_a_study_of_each_kind_is_begun_and_played_without_python(kind: str, tmp_path: Path) -> None:
    form = KILN if kind == "cost-varying" else {"kind": kind, **OTHERS[kind]}
    with empty(tmp_path) as client:
        assert "There is no study here yet." in client.get("/").text
        shown = filled(client, form, "check")
        assert "It is valid" in shown.text
        assert f"kind = &#34;{kind}&#34;" in shown.text
        assert list(tmp_path.iterdir()) == [], "nothing is begun yet"
        begun = filled(client, form)
        assert begun.headers["location"] == "/page/study", begun.text
        person = Person(client, "study")
        assert person.send("ask").status_code == 303
        assert len(person.open) == 1
        again = filled(client, form)
        assert again.status_code == 422
        assert "another name than those here" in again.text
    with Study.open(tmp_path / "study.db") as study:
        assert len(study.history) == 1
    assert (tmp_path / "study.toml").exists()


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_begun(tmp_path: Path) -> None:
    with empty(tmp_path) as client:
        wrong = filled(client, {**KILN, "v2-low": "abc"})
        assert wrong.status_code == 422
        assert re.search(r'name="v2-low" value="abc"[^>]* aria-invalid="true"', wrong.text)
        other = filled(client, {**KILN, "sets": "temperature + glaz: 1"})
        assert re.search('id="n-sets-wrong">[^<]*glaz', other.text)
        for name in ("../x", "", "a/b", "x" * 99):
            assert filled(client, {**KILN, "name": name}).status_code == 422
        assert filled(client, KILN, "rows").text.count('role="group"') == 8
        assert list(tmp_path.iterdir()) == []


def test_all_errors_are_said_at_once_by_the_labels_of_the_form(tmp_path: Path) -> None:
    with empty(tmp_path) as client:
        wrong = filled(client, {**KILN, "name": "my kiln", "v0-high": "8x", "v2-low": "", "v0-mean": "3"})
    said = re.findall(r'id="n-([a-z0-9-]+)-wrong">([^<]*)', wrong.text)
    assert [(field, unescape(text).partition(";")[0]) for field, text in said] == [
        ("name", "Name: 'my kiln' is not allowed"),
        ("v0-high", "To of temperature: '8x' is not allowed"),
        ("v0-mean", "Mean of temperature: '3' is not allowed"),
        ("v2-low", "From of glaze: missing"),
    ]
    assert "problem." not in wrong.text.replace("[problem.", "")
    assert "It is valid" not in wrong.text


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("mine")
    with empty(tmp_path) as client:
        assert "a name that is free" in filled(client, KILN).text
    assert (tmp_path / "study.toml").read_text() == "mine"


def test_with_keys_nobody_begins_a_study(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        assert client.get("/new", headers=bearer(key_for(place, "amend"))).status_code == 403
    with served(place) as client:
        assert client.get("/new").status_code == 403, "where no folder is named"


def test_a_study_is_ended_and_gone_on_with(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        person.send("ask", **{"seen:weather": "4"})
        assert "End the study…" in client.get("/page/oven/settings").text
        assert person.send("settings/end", reason="the season is over").status_code == 303
        person.read()
        assert re.search(r"After this it is finished: ended on \d{4}-\d\d-\d\d: the season is over\.", person.text)
        (token,) = person.open
        told = {"value": "3", "cost": "1", "realised:oven": "150", "realised:speed": "0.5"}
        assert person.send(f"rounds/{token}/tell", **told).status_code == 303, "what is out can still be told"
        assert "Finished" in person.text
        assert person.send("settings/limits", budget="40", rounds="").status_code == 303
        person.read()
        assert "Finished" not in person.text
        assert "of 40 spent" in person.text
        wrong = person.send("settings/limits", budget="-3", rounds="x")
        assert wrong.status_code == 422
        assert re.search(r'name="budget" value="-3"[^>]* aria-invalid="true"', wrong.text)


def test_an_end_is_undone(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        person.send("ask", **{"seen:weather": "4"})
        person.send("settings/end")
        assert "Undo: no limit of rounds again" in client.get("/page/oven/settings").text
        assert person.send("settings/again").status_code == 303
        assert "finished: ended" not in person.read()
        late = person.send("settings/again")
        assert (late.status_code, "nobody has ended it" in late.text) == (409, True)


def test_a_round_that_broke_or_was_given_up_is_said_and_can_still_have_a_value(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place) as client:
        person = Person(client)
        for action, said in (("fail", "It broke: a fuse"), ("abandon", "It was given up: a fuse")):
            person.send("ask", **{"seen:weather": "4"})
            (token,) = person.open
            assert person.send(f"rounds/{token}/{action}", reason="a fuse", cost="1").status_code == 303
            assert said in person.read()
            assert "Undo: it gave a value" in person.text
            given = {"value": "3", "cost": "1", "realised:oven": "150", "realised:speed": "0.5"}
            call = "amend" if action == "fail" else "tell"
            more = {"said": "1"} if action == "fail" else {}
            assert person.send(f"rounds/{token}/{call}", **given, **more).status_code == 303
    with Study.open(place) as study:
        assert [played.state for played in study.history] == ["told", "told"]


def test_bounds_are_widened(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place) as client:
        person = Person(client)
        assert person.send("settings/bounds", **{"low:oven": "90", "high:oven": "200"}).status_code == 303
        assert 'name="low:oven" value="90"' in client.get("/page/oven/settings").text
        wrong = person.send("settings/bounds", **{"low:oven": "120", "high:oven": "200"})
        assert wrong.status_code == 422
    with Study.open(place) as study:
        assert study.problem.space["oven"].low == 90  # type: ignore[union-attr]


_LIMIT = sb.OutcomeConstraint("pressure", at_most=5.0, probability=0.9)
_HEAT = sb.Float("heat", 0, 10)
DATED: list[sb.core.Problem] = [
    sb.CostVarying([_HEAT], [["heat"]], drift="learned", limits=[_LIMIT]),
    sb.TimeVarying([_HEAT], limits=[_LIMIT]),
    sb.Causal(
        sb.CausalGraph.from_text("heat -> y", target="y", intervenable=["heat"]),
        [_HEAT],
        drift="learned",
        limits=[_LIMIT],
    ),
]


@pytest.mark.parametrize("problem", DATED, ids=lambda problem: problem.kind)
def test_added_data_have_each_outcome_once_and_their_time(problem: sb.core.Problem, tmp_path: Path) -> None:
    """A limited outcome had two fields, of which the first was lost; the time had none."""
    Study.create(tmp_path / "oven.db", problem, rounds=5).close()
    with served(tmp_path / "oven.db") as client:
        person = Person(client)
        form = client.get("/page/oven/settings").text.partition("settings/add")[2].partition("</form>")[0]
        names = re.findall(r'name="(realised:[^"]+)"', form)
        assert sorted(names) == ["realised:heat", "realised:pressure", "realised:time"]
        given = {"realised:heat": "2", "realised:pressure": "3.5", "realised:time": "-4.5"}
        scope = {"scope": "heat"} if problem.kind == "causal" else {}
        assert person.send("settings/add", value="7", **given, **scope).status_code == 303
        (added,) = client.get("/v1/studies/oven/events?after=1").json()["events"]
        assert added["outcome"]["realised"] == {"time": -4.5, "heat": 2.0, "pressure": 3.5}
        assert 'name="realised:time"' in client.get("/page/oven/rounds/added-1").text
        assert person.send("rounds/added-1/amend", said="0", **{"realised:time": "1700000000.5"}).status_code == 303
        (*_, amended) = client.get("/v1/studies/oven/events?after=2").json()["events"]
        assert amended["outcome"]["realised"] == {"time": 1700000000.5, "heat": 2.0, "pressure": 3.5}
        assert 'value="1700000000.5"' in client.get("/page/oven/rounds/added-1").text


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_data_are_added_and_corrected(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        person = Person(client)
        given = {"value": "7", "cost": "2", "realised:oven": "150", "realised:speed": "0.5", "realised:weather": "4"}
        assert person.send("settings/add", **given, scope="oven", charge="yes").status_code == 303
        text = person.read()
        assert "added, charged" in text
        assert "2 of 20 spent" in text
        assert "Added: 7 for 2." in client.get("/page/oven/rounds/added-1").text
        assert person.send("rounds/added-1/amend", said="0", value="6").status_code == 303
        assert "Added: 6 for 2." in client.get("/page/oven/rounds/added-1").text
        doubted = person.send("settings/add", **{**given, "realised:oven": "600"})
        assert doubted.status_code == 409
        assert "Add it anyway" in doubted.text
        assert person.send("settings/add", **{**given, "value": "much"}).status_code == 422


@pytest.mark.parametrize(("typed", "value"), [({}, 7.0), ({"value": "6.5", "realised:speed": "0.25"}, 6.5)])
def test_void_data_are_brought_back(typed: dict[str, str], value: float, tmp_path: Path) -> None:
    place = oven(tmp_path)
    with Study.open(place) as study:
        study.add(7.0, {"oven": 150.0, "speed": 0.123456789, "weather": 4.0}, cost=2.0, scope=["oven"], charge=True)
        study.add(5.0, {"oven": 160.0, "speed": 0.5, "weather": 4.0}, scope=["oven"])
    with served(place) as client:
        person = Person(client)
        page, path = "/page/oven/rounds/added-1", "rounds/added-1/amend"
        assert person.send(path, said="0", void="yes", reason="another scale").status_code == 303
        assert re.search(r'<tr class="void" data-token="added-1">.*added, charged, taken out.*added-1"', person.read())
        edit = client.get(page).text
        assert "Taken out: nothing is learned from it. It was 7 for 2." in edit
        assert "Bring it back" in edit
        assert "Take it out" not in edit
        as_shown = dict(re.findall(r'name="(value|cost|realised:[^"]+)" value="([^"]*)"', edit))
        assert as_shown["value"] == "7"
        stale = person.send(path, said="0", **as_shown)
        assert (stale.status_code, "data 1: it was changed meanwhile" in stale.text) == (409, True)
        assert person.send(path, said="1", **{**as_shown, **typed}).status_code == 303
        assert 'class="void"' not in person.read()
    with Study.open(place) as study:
        outcome = study.history.data["added-1"].outcome
        assert (outcome.value, outcome.cost, study.status.spent) == (value, 2.0, 2.0)
        assert outcome.realised["speed"] == (0.25 if typed else 0.123456789), "no digit is lost"
        assert list(study.history.data) == ["added-1", "added-2"]


def test_a_void_round_is_brought_back(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with Study.open(place) as study:
        told, failed, undone = (study.ask(context={"weather": 4.0}).token for _ in range(3))
        study.tell(told, 3.0, cost=1.0, realised={"oven": 150.0, "speed": 0.123456789})
        study.fail(failed, "it leaked", cost=1.0, realised={"oven": 150.0})
        study.abandon(undone)
        for token in (told, failed):
            study.amend(token, void=True)
    with served(place) as client:
        person = Person(client)
        assert "It had given 3 for 1." in client.get(f"/page/oven/rounds/{told}").text
        for token in (told, failed):
            assert "Bring it back" in client.get(f"/page/oven/rounds/{token}").text
            assert person.send(f"rounds/{token}/amend", said="2", reason="it was right").status_code == 303
    with Study.open(place) as study:
        assert [played.state for played in study.history] == ["told", "failed", "abandoned"]
        assert study.history[told].outcome.realised["speed"] == 0.123456789  # type: ignore[union-attr]


def test_only_who_may_amend_sees_it(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        playing = bearer(key_for(place, "play"))
        assert client.get("/page/oven/settings", headers=playing).status_code == 403
        assert "End or extend" not in client.get("/page/oven", headers=playing).text


def test_a_study_that_was_ended_on_the_page_is_served_again_from_its_file(tmp_path: Path) -> None:
    with empty(tmp_path) as client:
        assert filled(client, KILN).status_code == 303
        person = Person(client, "study")
        person.send("ask")
        assert person.send("settings/end").status_code == 303
        assert person.send("settings/limits", budget="50", rounds="1").status_code == 303
    _, reopen = _openers([str(tmp_path / "study.toml")])[0]["study"]
    with reopen() as study:
        assert (study.history.budget, study.history.limit) == (50.0, 1)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_each_kind_is_loaded_changed_and_begun(example: str, tmp_path: Path) -> None:
    with empty(tmp_path) as client:
        shown = client.get("/new", params={"example": example}).text
        assert f'name="name" value="{example}"' in shown
        form = {"name": example, **EXAMPLES[example][1], "value": "Größe"}
        assert filled(client, form).headers["location"] == f"/page/{example}"
        assert f'name="name" value="{example}-2"' in client.get("/new", params={"example": example}).text
    assert "Größe" in (tmp_path / f"{example}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            {"sets": "temperature: 1\nglaze 1,5"},
            ["'glaze 1,5' is not allowed; expected NAME: PRICE, such as glaze: 1.5"],
        ),
        (
            {"sets": "glaze 1", "v0-law": ""},
            ["NAME: PRICE, such as glaze: 1", "expected what temperature does in a round that holds only glaze."],
        ),
        ({"sets": "glaz: 1\nglaze: much"}, ["did you mean 'glaze'?", "such as glaze: 1.5"]),
        ({"sets": "temperature: 1\nglaze"}, ["expected a price, as the other lines have: glaze: 1.5"]),
        ({"sets": ""}, ["Sets: missing; expected NAME: PRICE, such as temperature: 1.5"]),
        ({"v0-low": "2000"}, ["expected less than “To”, which is 1280"]),
        (
            {"v2-name": "temperature"},
            ["Name of variable 3: 'temperature' is not allowed; expected not that of variable 1"],
        ),
        ({"limits": "glaze"}, ["expected SUM <= NUMBER"]),
        ({"most-budget": "", "good": "a bit"}, ["Budget: missing", "'a bit' is not allowed; expected a number"]),
    ],
)
def test_lines_that_do_not_fit_are_said_in_the_words_of_the_form(
    typed: dict[str, str], said: list[str], tmp_path: Path
) -> None:
    with empty(tmp_path) as client:
        answer = filled(client, {**KILN, **typed}, "check")
    assert answer.status_code == 422
    at_fields = unescape("\n".join(re.findall(r'id="n-[a-z0-9-]+-wrong">([^<]*)', answer.text)))
    assert [text for text in said if text not in at_fields] == []


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        ("causal", {"arrows": "age dose"}, ["Arrows: 'age dose' is not allowed; expected CAUSE -> EFFECT"]),
        ("causal", {"prices": "dose 0,5"}, ["expected NAME: NUMBER, such as dose: 2"]),
        ("mean-field", {"capacity": "north 12"}, ["expected NAME: NUMBER, such as north: 2"]),
    ],
)
def test_an_error_is_said_once(kind: str, typed: dict[str, str], said: list[str], tmp_path: Path) -> None:
    with empty(tmp_path) as client:
        answer = filled(client, {"kind": kind, **OTHERS[kind], **typed}, "check")
    found = re.findall(r'id="n-[a-z0-9-]+-wrong">([^<]*)', answer.text)
    assert len(found) == len(said), found
    assert said[0] in unescape(found[0])


def test_names_have_letters_of_any_language(tmp_path: Path) -> None:
    form = {**KILN, "name": "größe-温室-हिन्दी", "v0-name": "Größe", "sets": "Größe: 1", "limits": ""}
    with empty(tmp_path) as client:
        assert filled(client, form).status_code == 303
        person = Person(client, quote("größe-温室-हिन्दी"))
        assert person.send("ask").status_code == 303
        assert "Größe" in person.read()


def test_rows_are_pasted_from_a_spreadsheet(tmp_path: Path) -> None:
    lines = "\n".join(f"valve {k}\t0\t{k + 1},5\tl/min" for k in range(30))
    with empty(tmp_path) as client:
        shown = filled(client, {"v1-name": "ph", "v1-low": "4", "paste": lines + "\nclay\tred\twhite"}, "paste").text
    assert shown.count('role="group"') == 32
    assert 'name="v0-name" value="valve 0"' in shown
    assert 'name="v1-name" value="ph"' in shown
    assert 'name="v30-high" value="30,5"' in shown
    assert 'name="v31-choices" value="red, white"' in shown
    assert shown.count('<details class="variable" data-folds><summary>') == 32, "each is folded into a line"
    assert "<summary>valve 29: 0 to 30,5 l/min<" in shown
    assert "<summary>clay: red, white<" in shown


def test_rows_are_folded_where_they_are_many_unless_something_is_wrong_in_them(tmp_path: Path) -> None:
    def opened(text: str) -> list[str]:
        lines = re.findall('class="variable"[^>]* open><summary>(.*)</summary>', text)
        return [unescape(re.sub("<.*?>", "", line)) for line in lines]

    with empty(tmp_path) as client:
        few = opened(filled(client, KILN, "check").text)
        more = opened(filled(client, KILN, "rows").text)
        wrong = opened(filled(client, {**KILN, "rows": "8", "v3-unit": "kg", "v2-sd": "much"}, "check").text)
    new = [f"Variable {row}" for row in (2, 5, 6, 7, 8)]
    clay = "clay: red, white, when not held: anything in range"
    assert [line for line in few if ":" in line] == [
        "temperature: 1000 to 1280 °C, when not held: anything in range",
        "glaze: 0 to 2, when not held: spread 0.3 about 1",
        clay,
    ]
    assert more == new, "what is filled in is folded"
    assert wrong == [new[0], "glaze: 0 to 2, when not held: spread much about 1", clay, *new[1:]]
