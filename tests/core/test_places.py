"""Classes are found by their places, and what is none of these is refused in words that say what to do."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from pathlib import Path

import pytest

from steerbo.core import Method
from steerbo.core.registry import entries, import_path_of, load
from steerbo.errors import InvalidOption, SteerboError
from tests.core.stub import Nearest
from tests.outsiders import FEW, install


def test_a_class_is_found_by_its_place() -> None:
    assert load(import_path_of(Nearest), Method, "method") is Nearest


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("os:system", "expected a class derived from Method"),
        ("antigravity:fly", "expected a class derived from Method"),
        ("tests.core.stub:Stub", "expected a class derived from Method"),
        ("tests.core.stub:look", "expected a class derived from Method"),
        ("tests.core.stub:Gone", "Was Gone renamed"),
        ("no_such_package.methods:Nearest", "There is no module 'no_such_package' here: install its package"),
        ("tests.no_such_module:Nearest", "There is no module 'tests.no_such_module' here"),
        ("__main__:Nearest", "script or notebook: run that first"),
        ("tests.core.stub:f.<locals>.Nearest", "move it to the top of a module"),
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


def test_what_is_installed_while_a_program_runs_is_found_and_what_is_removed_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def declared() -> list[str]:
        """Entries of a kind that no other installed package knows."""
        return [entry.value for entry in entries("steerbo.methods") if entry.name == "shelf"]

    install(tmp_path, monkeypatch, "first_shop", FEW, methods="shelf = first_shop:Middle")
    assert declared() == ["first_shop:Middle"]
    about = tmp_path / "second_shop-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: second_shop\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[steerbo.methods]\nshelf = second_shop:Middle\n")
    os.utime(tmp_path, ns=(1, 1))  # clocks of file systems may be coarser than this test is quick
    assert declared() == ["first_shop:Middle", "second_shop:Middle"]
    (about / "entry_points.txt").unlink()
    about.rename(tmp_path.parent / "gone")
    os.utime(tmp_path, ns=(2, 2))
    assert declared() == ["first_shop:Middle"]


def test_packages_are_read_once_as_long_as_nothing_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = entries("steerbo.problems")
    monkeypatch.setattr(metadata, "entry_points", lambda **group: pytest.fail("read again"))
    again = entries("steerbo.problems")
    assert again == before
    assert again is not before, "whoever changes the list changes nobody else's"
