"""Examples in docstrings as code: `>>>` at the beginning of a line is a quotation in Markdown."""

from __future__ import annotations

import re
from typing import Any

try:
    from griffe import Extension
except ImportError:  # where the site is not built
    Extension = object

_EXAMPLE = re.compile(r"(?:^>>> .*\n?)(?:^(?!\s*$).*\n?)*", re.M)


def fenced(text: str) -> str:
    r"""A docstring with its examples in fences.

    >>> fenced("Words.\n\n>" + ">> 1 + 1\n2")
    'Words.\n\n```pycon\n>>> 1 + 1\n2\n```\n'
    """
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class Doctests(Extension):  # type: ignore[misc]
    """Called by griffe, which reads the docstrings for mkdocstrings."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Every module, class and function."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
