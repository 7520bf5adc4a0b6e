"""Exit codes by the class of the error, and the words of a shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steerbo import errors
from steerbo._wording import PYTHON, SHELL
from steerbo.cli.usage import CODES, exit_code, lines
from steerbo.core import Optimizer
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidProblem, OutcomeConflict, SteerboError, combine
from tests.cli.calls import call, refused
from tests.core.stub import Nearest, Stub
from tests.study.files import write_study

OPERATING = Path(__file__).parents[2] / "docs" / "how-to" / "operating.md"
FAILURES = {
    "ModelFailure",
    "ObjectiveFailure",
    "LogConflict",
    "LogUnavailable",
    "DamagedLog",
    "LimitBroken",
    "MissingFile",
    "SteerboError",
}


def test_what_a_caller_can_mend_has_code_2() -> None:
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, SteerboError):
            error = kind.__new__(kind)
            assert exit_code(error) == (1 if name in FAILURES else 2), name


def test_site_and_help_say_what_codes_mean() -> None:
    page, help_ = (" ".join(text.split()) for text in (OPERATING.read_text("utf-8"), call("--help").stdout))
    for code, words in CODES.items():
        assert f"| {code} | {words} |" in page
        assert f"{code} {words}" in help_


def test_a_server_that_is_away_has_code_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr("steerbo.storage.connections.OPENING", 0.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    url = "postgresql://somebody@127.0.0.1:1/lab#study"
    commands = (("show",), ("export",), ("doctor",), ("backup", tmp_path / "copy.db"), ("tell", "1-x", 2))
    for command, *more in commands:
        assert "cannot be reached" in refused(call(command, url, *more), 1)
    assert [path.name for path in (tmp_path / "steerbo").iterdir() if "1-x-tell" in path.name]
    assert "cannot be reached" in refused(call("run", write_study(tmp_path), "--log", url), 1)
    monkeypatch.setattr("steerbo.storage.connections.OPENING", 1e6)  # what is said goes before it
    assert "cannot be reached" in refused(call("run", write_study(tmp_path), "--log", url, "--wait", 0), 1)
    assert "--wait: 'nan'" in refused(call("run", write_study(tmp_path), "--wait", "nan"), 2)


def test_a_line_for_each_error() -> None:
    error = combine([InvalidOption("seed", True, "a number"), InvalidProblem("law", None, "a ‹TruncatedNormal›")])
    assert lines(error) == [
        "steerbo: seed: true is not allowed; expected a number.",
        'steerbo: law: nothing is given; expected a "truncated-normal".',
    ]
    assert str(error).splitlines() == [
        "seed: True is not allowed; expected a number.",
        "law: None is not allowed; expected a TruncatedNormal.",
    ]


@pytest.mark.parametrize("wording", [PYTHON, SHELL], ids=["Python", "shell"])
def test_marks_are_never_shown(wording: object) -> None:
    optimizer = Optimizer(Stub(), Nearest, rounds=3)
    asked = optimizer.ask()
    assert asked is not None
    calls: tuple[Callable[[], object], ...] = (
        lambda: optimizer.tell(asked, 1.0),
        lambda: optimizer.amend(asked, 1.0),
        lambda: optimizer.add("high", {}),
        lambda: optimizer.add(1e200, {}),
    )
    for made in calls:
        with pytest.raises((OutcomeConflict, InvalidOutcome)) as caught:
            made()
        assert "‹" not in caught.value.worded(wording)  # type: ignore[arg-type]


def test_shells_read_of_commands(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    call("new", path)
    token = call("ask", path).stdout.partition("token ")[2].partition(":")[0]
    early = refused(call("amend", path, token, "1"), 2)
    assert "use `steerbo tell STUDY TOKEN VALUE` or `steerbo fail STUDY TOKEN" in early
    assert call("tell", path, token, "1", "--cost", "1", "--realised", "ph=6").exit_code == 0
    late = refused(call("tell", path, token, "2", "--cost", "1", "--realised", "ph=6"), 2)
    assert "use `steerbo amend STUDY TOKEN VALUE` or, to void it, `steerbo amend STUDY TOKEN --void`" in late
    assert "`steerbo amend STUDY TOKEN --void`" in refused(call("amend", path, token), 2)
    assert "void=True" not in refused(call("amend", path, token), 2)
    assert "is unknown here" in refused(call("tell", path, "9-zz", "1"), 2)
