"""Pictures inside pages: figures that a block ends with, and `![what is seen](….py)`, a file whose `draw()` is one."""

from __future__ import annotations

import base64
import html
import io
import re
import runpy
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<file>[^)]+\.py)\)")


def shown(value: Any, text: str = "") -> str:
    """A matplotlib figure, or that of axes, as an image that needs no file; empty for everything else.

    >>> shown(3)
    ''
    """
    value = getattr(value, "figure", value)
    if not hasattr(value, "savefig"):
        return ""
    stream = io.BytesIO()
    value.savefig(stream, format="png", dpi=max(110, value.dpi), metadata={"Software": None})
    data = base64.b64encode(stream.getvalue()).decode()
    text = text or "; ".join(title for axes in value.axes if (title := axes.get_title())) or "a picture of the study"
    return f'<img alt="{html.escape(text)}" src="data:image/png;base64,{data}">'


def with_pictures(page: str, folder: Path) -> str:
    """The page with what its pictures' files draw.

    Args:
        page: Markdown.
        folder: where the page stands, which names of files are relative to.
    """
    return _PLACE.sub(lambda found: draw(folder / found["file"], found["text"]), page)


def draw(file: Path, text: str) -> str:
    """The image that a file's `draw()` makes."""
    return shown(runpy.run_path(str(file))["draw"](), text)
