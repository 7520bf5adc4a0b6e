"""Packages of others, as if they were installed: a module and the entry points that it declares."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

FEW = """
from steerbo.core import Choice, Explanation, Method, Recommendation, Scope

class Middle(Method):
    '''Always the middle.'''
    name = "middle"
    def choose(self, request):
        values = {v.name: (v.low + v.high) / 2 for v in self.problem.space}
        return Choice(Scope(list(values)), values)
    def recommend_at(self, context):
        return Recommendation(Scope(), {})
    def explain(self):
        return Explanation("the middle")
"""


def install(
    site: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, *, version: str = "1.0", **groups: str
) -> None:
    """A package `name` with this content, and with `problems="kind = place"` and `methods="kind = place"`."""
    site.mkdir(exist_ok=True)
    (site / f"{name}.py").write_text(dedent(content))
    about = site / f"{name}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"[steerbo.{group}]\n{entries}\n" for group, entries in groups.items()]
    (about / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(site)
