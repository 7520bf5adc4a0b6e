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
from ..core import BaseStudy
from .learned import along, policy_slices, shared, shares_slice, slice_along
from .pictures import Drawn, drawn
from .view import advice_of, progress, view
from .wording import columns_in_step, places

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
    made.filters["in_step"], made.filters["places"] = columns_in_step, places
    made.globals["quote"] = lambda text: quote(str(text), safe="", errors="replace")
    return made


def rendered(template: str, **shown: Any) -> str:
    """A template, filled in; characters that cannot be written, or turn the direction of writing, are escaped."""
    shown = {"local": str, **shown}
    return escape_unprintable(_templates().get_template(template).render(**shown))


_MOST_SLICES = 6  # pictures along one variable


def report(study: BaseStudy, title: str) -> str:
    """Text of the report: recommendation, slices, progress, pictures, explanation, and all rounds.

    Args:
        study: whose page.
        title: its headline.
    """
    style, script = (_static(name) for name in ("steerbo.css", "tables.js"))
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:"
    advice = advice_of(study)
    shown = {
        "view": replace(view(study, None, advice), progress=progress(study, None, advice)),
        "slices": [
            *(slice_along(study, advice, name) for name in along(study, advice)[:_MOST_SLICES]),
            *policy_slices(study, advice, _MOST_SLICES),
            *([shares_slice(study)] if shared(study) else []),
        ],
        "pictures": drawn(study, advice),
        "style": Markup(style),
        "script": Markup(script),
        "policy": policy,
        "about": "",
        "draft": {},
    }
    return rendered("report.html", name=title, source=_inside, **shown)


def _inside(_: int, picture: Drawn) -> str:
    """A picture's address: all of it."""
    return f"data:image/png;base64,{b64encode(picture.png).decode()}"


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
