"""Rules of axe-core, run on a page in the browser; the file comes with the package axe-playwright-python."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.serve.browser import Tab

_SPEC = find_spec("axe_playwright_python")
AXE = Path(str(_SPEC.origin)).parent / "axe.min.js" if _SPEC else None
needs_axe = pytest.mark.skipif(
    AXE is None, reason="axe-core is not installed: pip install --no-deps -r requirements/alone.txt"
)
_RULES = (
    "{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
)


def violations(tab: Tab) -> list[str]:
    """Broken rules, each with the first elements that break it."""
    assert AXE is not None
    if not tab.run("!!window.axe"):
        tab.run(AXE.read_text(encoding="utf-8") + "; true")
    found: list[str] = tab.run(
        f"axe.run(document, {_RULES}).then(done => done.violations.map(v => "
        "`${v.id}: ${v.help}: ${v.nodes.slice(0, 4).map(n => n.html.slice(0, 160)).join(' | ')}`))"
    )
    return found


SMALL = """[...document.querySelectorAll('a, button, input:not([type=hidden]), select, summary')].filter(e => {
    const box = e.getBoundingClientRect();
    return e.checkVisibility() && box.width && (box.height < 23.5 || box.width < 23.5) && !e.closest('.unseen');
}).map(e => e.outerHTML.slice(0, 80))"""
"""Targets that are hard to hit."""
