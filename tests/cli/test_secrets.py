"""No command and no error shows a password, and passwords need not be in a URL: a real server that asks for them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from steerbo.errors import SteerboError
from steerbo.study import Study
from tests.cli.calls import call
from tests.core.stub import Nearest, Stub
from tests.study.files import PROBLEM, STUDY
from tests.torture.server import postgres

SECRET = "ge-heim/7&x"
QUOTED = "ge-heim%2F7%26x"
PARTS = (SECRET, QUOTED, "heim")
STAGED = """
[problem]
kind = "causal"
graph = { directed = [["age", "dose"], ["dose", "y"], ["age", "y"]], target = "y", intervenable = ["dose"] }
variables = [
  { kind = "float", name = "dose", low = 0, high = 1 },
  { kind = "float", name = "age", low = 20, high = 90 },
]
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres(SECRET, durable=False) as url:
        yield url


@pytest.fixture
def url(server: str) -> str:
    """With the password in it."""
    return server.replace("steerbo@", f"steerbo:{QUOTED}@")


def quiet(result: Result, code: int | None = 0) -> str:
    """Everything that a command said, once no secret was found in it."""
    said = result.stdout + result.stderr
    assert not [part for part in PARTS if part in said], said
    assert code is None or result.exit_code == code, said
    return said


def begun(folder: Path, url: str, problem: str = PROBLEM) -> Path:
    path = folder / "study.toml"
    path.write_text(problem + STUDY, encoding="utf-8")
    said = quiet(call("new", path, "--log", url))
    assert f"steerbo ask {shlex.quote(url.replace(':' + QUOTED, ''))}" in said
    assert "PGPASSWORD" in said
    return path


def test_every_command(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = f"{url}#every"
    begun(tmp_path, study)
    said = quiet(call("ask", study, "--batch", 4))
    tokens = re.findall(r"tell '(\S+)' (\S+) VALUE", said)
    assert len(tokens) == 4, said
    monkeypatch.setenv("PGPASSWORD", SECRET)
    for (place, token), words in zip(tokens, ["tell", "fail", "abandon", "tell"], strict=True):
        value = ["1.5", "--realised", "ph=6", "--realised", "temperature=20"] if words == "tell" else []
        quiet(call(words, place, token, *value, *(["--cost", 1] if words != "abandon" else [])), code=None)
    monkeypatch.delenv("PGPASSWORD")
    quiet(call("amend", study, tokens[1][1], "--void"), code=None)
    quiet(call("ask", study, "--json"))
    quiet(call("ask", study, "--csv"))
    quiet(call("export", study, "--out", "rounds.csv"))
    quiet(call("import", study, "rounds.csv"), code=None)
    for form in ([], ["--json"]):
        quiet(call("show", study, *form))
    for kind in ("csv", "jsonl"):
        quiet(call("export", study, "--format", kind))
    quiet(call("report", study))
    quiet(call("doctor", study))
    quiet(call("doctor", study, "--repair", "--json"))
    quiet(call("backup", study, "copy.db"))
    quiet(call("restore", "copy.db", study), 2)
    assert "PGPASSWORD" in quiet(call("restore", "copy.db", f"{url}#again"))
    page = (tmp_path / "study.html").read_text()
    assert not [part for part in PARTS if part in page]
    assert "every" in page
    quiet(call("run", study), 2)
    quiet(call("check", study), 2)


def test_looking_before_setting(url: str, tmp_path: Path) -> None:
    study = f"{url}#staged"
    begun(tmp_path, study, STAGED)
    said = quiet(call("ask", study))
    while (found := re.search(r"steerbo decide '(\S+)' (\S+) ", said)) is None:  # a round that looks at nothing
        said = quiet(call("ask", study))
    said = quiet(call("decide", study, found[2], "--context", "age=44"))
    assert "steerbo tell" in said


def test_the_exports_of_optuna(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    study = f"{url}#exported"
    begun(tmp_path, study)
    place = f"sqlite:///{tmp_path}/other.db?password={QUOTED}"
    quiet(call("export", study, "--format", "optuna", "--out", place), None)
    assert "optuna-dashboard" in quiet(call("export", study, "--format", "optuna"))
    wrong = url.replace("postgresql://", "postgresql+psycopg://").replace("/postgres", "/nowhere")
    assert "storage" in quiet(call("export", study, "--format", "optuna", "--out", wrong), 2)


def mistakes(url: str) -> list[str]:
    return [
        url.replace("/postgres", "/nowhere"),
        url.replace("steerbo:", "somebody:"),
        url.replace("127.0.0.1", "no-such-host.invalid"),
        url.replace(QUOTED, "wrong-" + QUOTED),
        url.replace(QUOTED, "ge@heim"),
        url.replace("127.0.0.1:", "127.0.0.1:x"),
        f"{url}?pasword={QUOTED}",
        f"{url}?sslpassword={QUOTED}&sslmode=nonsense",
        url.replace("postgresql", "mysql"),
        url.replace("postgresql", "nosql"),
        url.replace("postgresql://", "sqlite:///"),
        f"{url}#no-such-study",
        f"host=127.0.0.1 password={SECRET}",
    ]


@pytest.mark.parametrize("number", range(13))
def test_mistakes(url: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = mistakes(url)[number]
    (tmp_path / "study.toml").write_text(PROBLEM + STUDY)
    for words in (["ask"], ["show"], ["report"], ["doctor"], ["doctor", "--repair"]):
        said = quiet(call(*words, wrong), None)
        assert len([line for line in said.splitlines() if line.startswith("steerbo: ")]) == 1
    if "#" not in wrong:
        quiet(call("new", "study.toml", "--log", wrong), 2)
    for made in (Study.open, lambda place: Study.create(place, Stub(), Nearest)):
        if "#" in wrong and made is not Study.open:
            continue
        with pytest.raises(SteerboError) as caught:
            made(wrong)
        assert not [part for part in PARTS if part in repr(caught.value)]
    assert [file.name for file in tmp_path.iterdir()] == ["study.toml"], "nothing is made"


def test_what_the_parser_repeats(url: str) -> None:
    for typed in (["show", "x", url], [url], ["ask", "x", f"--{url}"], ["ask", "x", "--batch", url]):
        quiet(call(*typed), 2)


def test_a_study_and_its_traceback(url: str) -> None:
    with Study.create(f"{url}#shown", Stub(), Nearest) as study:
        assert "postgresql://steerbo:***@127.0.0.1" in repr(study)
        assert "heim" not in repr(vars(study)) + repr(vars(study.log)) + repr(vars(vars(study.log)["_database"]))
    code = "import steerbo\nsteerbo.Study.open(__import__('os').environ['PLACE'])"
    wrong = url.replace("/postgres", "/nowhere")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PLACE": wrong, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "nowhere" in done.stderr
    assert "heim" not in done.stderr


@pytest.mark.parametrize("way", ["variable", "file", "parameter", "service"])
def test_credentials_from_elsewhere(server: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = server.rpartition(":")[2].partition("/")[0]
    place: Any = f"{server}#{way}"
    if way == "variable":
        monkeypatch.setenv("PGPASSWORD", SECRET)
    elif way == "service":
        file = tmp_path / "services"
        file.write_text(f"[lab]\nhost=127.0.0.1\nport={port}\nuser=steerbo\ndbname=postgres\npassword={SECRET}\n")
        monkeypatch.setenv("PGSERVICEFILE", str(file))
        place = f"postgresql://?service=lab#{way}"
    else:
        file = tmp_path / "passwords"
        file.write_text(f"127.0.0.1:{port}:*:steerbo:{SECRET}\n")
        file.chmod(0o600)
        if way == "file":
            monkeypatch.setenv("PGPASSFILE", str(file))
        else:
            place = f"{server}?passfile={file}#{way}"
    begun_study = Study.create(place, Stub(), Nearest)
    begun_study.close()
    with Study.open(place, Stub()) as study:
        assert study.ask().round == 1
