"""The page of a study: its content as data, and its templates, for the server and for report files."""

from __future__ import annotations

from .report import report
from .view import View, view

__all__ = ["View", "report", "view"]
