"""Answers as a notebook shows them: HTML in which every sign that a user gave is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..text import visible


def html_text(text: str) -> str:
    """A user's text in HTML: no tags, and no signs that hide or turn others.

    >>> html_text("<b>ph</b> & co")
    '&lt;b&gt;ph&lt;/b&gt; &amp; co'
    """
    return escape(visible(text))


def html_lines(text: str) -> str:
    """A text whose line breaks and indents are kept."""
    return f'<div style="white-space: pre-wrap">{html_text(text)}</div>'


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> str:
    """A table of texts, with its title above; no columns: no head.

    >>> html_table(["set"], [["ph < 7"]])
    '<table><thead><tr><th style="text-align: left">set</th></tr></thead><tbody><tr><td style="text-align: left">ph \
&lt; 7</td></tr></tbody></table>'
    """
    head = f"<thead>{_row('th', columns)}</thead>" if columns else ""
    body = "".join(_row("td", row) for row in rows)
    return f"{html_lines(title) if title else ''}<table>{head}<tbody>{body}</tbody></table>"


def _row(cell: str, texts: Sequence[str]) -> str:
    cells = (f'<{cell} style="text-align: left">{html_text(text)}</{cell}>' for text in texts)
    return f"<tr>{''.join(cells)}</tr>"
