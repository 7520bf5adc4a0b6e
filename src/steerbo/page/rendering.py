"""The templates, for pages that are served and for files: what users wrote is text, never markup."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ..text import escape_unprintable

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
    made.globals["quote"] = lambda text: quote(str(text), safe="", errors="replace")
    return made


def rendered(template: str, **shown: Any) -> str:
    """A template, filled in; characters that cannot be written, or turn the direction of writing, are escaped."""
    shown = {"local": str, **shown}
    return escape_unprintable(_templates().get_template(template).render(**shown))
