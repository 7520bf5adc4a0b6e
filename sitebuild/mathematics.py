"""Formulas as MathML, which browsers draw themselves: $`…`$ in a line and ```` ```math ```` blocks, as on GitHub."""

from __future__ import annotations

import re

_INLINE = re.compile(r"\$`([^`]+)`\$")
_BLOCK = re.compile(r"^```math\n(.*?)^```$", re.M | re.S)


def with_formulas(page: str) -> str:
    """The page with its formulas as MathML."""
    if not (_INLINE.search(page) or _BLOCK.search(page)):
        return page
    from latex2mathml.converter import convert

    page = _BLOCK.sub(lambda found: convert(" ".join(found[1].split()), display="block"), page)
    return _INLINE.sub(lambda found: convert(found[1]), page)
