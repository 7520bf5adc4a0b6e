"""Report: a study as one self-contained HTML file, by the templates of the served page.

Text written by users is escaped in templates, never taken for markup.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from .._text import escape_unprintable
from ..core import BaseStudy, Recommendation
from .learned import Learned, Tab, learned, tabs_of
from .view import advice_of, progress, view
from .wording import columns_in_step, glued, places, too_wide

HERE = Path(__file__).parent
STATIC = HERE / "static"
"""Styles and scripts."""


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "in_step": columns_in_step,
        "places": places,
        "too_wide": too_wide,
        "glued": glued,
    }
    made.globals["quote"] = lambda text: quote(str(text), safe="", errors="replace")
    return made


def rendered(template: str, **shown: Any) -> str:
    """A template, filled in; characters that cannot be written, or turn the direction of writing, are escaped."""
    shown = {"local": str, **shown}
    return escape_unprintable(_templates().get_template(template).render(**shown))


_MOST_ALIKE = 6  # drawings of one sort, along one variable each, say


def report(study: BaseStudy, title: str) -> str:
    """Text of the report: recommendation, drawings of the learned model, progress, explanation, all rounds.

    Args:
        study: whose page.
        title: its headline.
    """
    style, script = (_static(name) for name in ("steerbo.css", "tables.js"))
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}"
    advice = advice_of(study)
    shown = {
        "view": replace(view(study, None, advice), progress=progress(study, None, advice)),
        "drawings": _drawings(study, advice),
        "style": Markup(style),
        "script": Markup(script),
        "policy": policy,
        "about": "",
        "draft": {},
    }
    return rendered("report.html", name=title, **shown)


def _drawings(study: BaseStudy, advice: Recommendation) -> list[Learned]:
    """All drawings of the learned model, the first ones of each sort."""
    sorts: dict[str, list[Tab]] = {}
    for tab in tabs_of(study, advice):
        sorts.setdefault(tab.draw, []).append(tab)
    tabs = [tab for alike in sorts.values() for tab in alike[:_MOST_ALIKE]]
    found = [learned(study, advice, tab.draw, tab.along) for tab in tabs]
    return [each for each in found if each.slice or each.graphs]


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
