"""Objectives are imported from the study file's folder: the path is as before after each test."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
