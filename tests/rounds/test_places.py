"""Classes are found by their places, and what is none of these is refused in words that say what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from steerbo.errors import InvalidOption, SteerboError
from steerbo.rounds import Method
from steerbo.rounds.places import load, place_of
from tests.outsiders import FEW
from tests.rounds.stub import Nearest


def test_a_class_is_found_by_its_place() -> None:
    assert load(place_of(Nearest), Method, "method") is Nearest


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("os:system", "expected a class derived from Method"),
        ("antigravity:fly", "expected a class derived from Method"),
        ("tests.rounds.stub:Stub", "expected a class derived from Method"),
        ("tests.rounds.stub:look", "expected a class derived from Method"),
        ("tests.rounds.stub:Gone", "Was Gone renamed"),
        ("no_such_package.methods:Nearest", "There is no module 'no_such_package' here: install its package"),
        ("tests.no_such_module:Nearest", "There is no module 'tests.no_such_module' here"),
        ("__main__:Nearest", "script or notebook: run that first"),
        ("tests.rounds.stub:f.<locals>.Nearest", "move it to the top of a module"),
        ("../evil:Nearest", "expected a class derived from Method"),
        ("nearest", "expected a class derived from Method"),
        (":", "expected a class derived from Method"),
    ],
)
def test_what_is_no_such_class_is_refused(place: str, said: str) -> None:
    with pytest.raises(InvalidOption, match=f"^method: '{place.replace('.', '.')}' is not allowed.*{said}"):
        load(place, Method, "method")
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("content", ["1 / 0", "raise SystemExit(3)", "import no_such_dependency", "def f(:"])
def test_a_module_that_fails_is_no_foreign_error(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_methods.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SteerboError, match=r"failing_methods:Middle.*It failed \("):
        load("failing_methods:Middle", Method, "method")


def test_what_a_module_prints_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "talking_methods.py").write_text("print('hello')\n" + FEW)
    monkeypatch.syspath_prepend(tmp_path)
    load("talking_methods:Middle", Method, "method")
    assert capsys.readouterr().out == ""
