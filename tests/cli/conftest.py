"""Objectives are imported from the study file's folder: the path is as before after each test. And a study by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from steerbo.cli import main
from tests.study.files import PROBLEM, STUDY


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The file of a study that has begun."""
    path = tmp_path / "study.toml"
    path.write_text(PROBLEM + STUDY, encoding="utf-8")
    assert "begun" in CliRunner().invoke(main, ["new", str(path)]).stdout
    return path
