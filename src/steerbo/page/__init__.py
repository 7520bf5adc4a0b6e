"""The page of a study: what is on it, as data, and the templates that show it, served or as a file."""

from __future__ import annotations

from .report import report
from .view import View, view

__all__ = ["View", "report", "view"]
