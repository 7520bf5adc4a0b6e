"""The fenced blocks of a page, and what is to be done with each."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec

_FENCE = re.compile(
    r"^(?P<ticks>```+)(?P<language>[\w-]+)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=ticks)$", re.M | re.S
)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A piece of a page: prose, where `language` is empty, else the text of a fenced block.

    Args:
        text: what stands there, without the fence.
        language: such as `python`, `console`, `toml`.
        title: name of a file that readers are to write; empty where it is none.
        words: what else stands behind the language: `fails` where an error is what is to be seen,
            `any-order` where workers answer in an order of their own,
            `needs=package` where it is run only if a package is installed that building the site
            does not need.
    """

    text: str
    language: str = ""
    title: str = ""
    words: tuple[str, ...] = field(default=())

    @property
    def runs(self) -> bool:
        """Is it Python that is run, and not written into a file?"""
        return self.language == "python" and not self.title

    @property
    def missing(self) -> str:
        """A package that it needs, and that is not installed; empty where there is none."""
        return next((package for package in self.needs if find_spec(package) is None), "")

    @property
    def needs(self) -> list[str]:
        """Packages that it needs and building the site does not."""
        return [word.removeprefix("needs=") for word in self.words if word.startswith("needs=")]

    def load(self) -> None:
        """Import what it needs, whatever that says of itself: warnings are errors only of what the page does."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for package in self.needs:
                import_module(package)

    def fenced(self, extra: str = "") -> str:
        """As it stands on the page, with more lines at its end."""
        if not self.language:
            return self.text
        title = f' title="{self.title}"' if self.title else ""
        ticks = "````" if "```" in self.text + extra else "```"
        return f"{ticks}{self.language}{title}\n{self.text}{extra}{ticks}"


def split(page: str) -> Iterator[Block]:
    r"""The pieces of a page, in order.

    >>> [(block.language, block.title) for block in split('Hi\n```toml title="a.toml"\nx = 1\n```\n')]
    [('', ''), ('toml', 'a.toml'), ('', '')]
    """
    end = 0
    for found in _FENCE.finditer(page):
        yield Block(page[end : found.start()])
        title = _TITLE.search(found["rest"])
        words = tuple(_TITLE.sub("", found["rest"]).split())
        yield Block(found["text"], found["language"], title[1] if title else "", words)
        end = found.end()
    yield Block(page[end:])
