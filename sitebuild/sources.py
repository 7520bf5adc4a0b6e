"""All pages of the site: those that stand in `docs/`, and those that are written from something else."""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from . import command_line, study_file

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
AT_HOME = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing/index.md"}
"""Files of the top folder that are pages, too, and where."""
_WORDS = r"(?<!\\)\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]"
_LINK = re.compile(_WORDS + r"\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<rest>[^)]*)\)")


FILLED: dict[str, Callable[[], str]] = {
    "reference/files-and-commands.md": lambda: (
        study_file.body(ROOT / "examples") + "\n" + command_line.body()
    ),
}
"""Pages that say in the repository where else to read what the site writes from the library."""
FROM_HERE = "<!-- the site writes from here on -->\n"


def pages() -> dict[str, str]:
    """Every page of the site: place, and Markdown with the links of the site."""
    places = {place: DOCS / place for place in _in_docs()} | {
        place: ROOT / file for file, place in AT_HOME.items()
    }
    source = address()
    return {page: for_site(file.read_text("utf-8"), page, source) for page, file in places.items()}


def _in_docs() -> list[str]:
    return [file.relative_to(DOCS).as_posix() for file in sorted(DOCS.rglob("*.md"))]


def for_site(text: str, page: str, source: str | None = None) -> str:
    """A page as it stands in the repository with the site's links, and with what is written from the library.

    Args:
        text: its Markdown in the repository.
        page: its place on the site.
        source: address of the project; None: the one in pyproject.toml.
    """
    text = relinked(text, page, source)
    if page in FILLED:
        text = text.partition(FROM_HERE)[0] + FILLED[page]()
    return text


def address() -> str:
    """Address of the project: `Source` under `[project.urls]` of pyproject.toml, the one place where it is set.

    Returns:
        The address without a slash at its end; empty as long as the project has none.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project.get("urls", {}).get("Source", "")).rstrip("/")


def relinked(text: str, page: str, source: str | None = None) -> str:
    """Markdown with the links of the site: to other pages, and to the source for files that are no pages.

    Without an address of the project such a file is named, and not linked.

    Args:
        text: Markdown with links as they are in the repository.
        page: its place on the site.
        source: address of the project; None: the one in pyproject.toml.

    >>> relinked("[log](../CHANGELOG.md), [home](index.md#top)", "versions.md")
    '[log](changelog.md), [home](index.md#top)'
    >>> relinked("[a study](../examples/study.toml)", "start.md", source="https://example.org/x")
    '[a study](https://example.org/x/blob/main/examples/study.toml)'
    >>> relinked("[a study](../examples/study.toml)", "start.md", source="")
    'a study (`examples/study.toml`)'
    """
    home = {place: file for file, place in AT_HOME.items()}.get(page, f"docs/{page}")
    root = address() if source is None else source

    def link(found: re.Match[str]) -> str:
        words, path, rest = found["words"], found["path"], found["rest"]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), path))
        place = AT_HOME.get(target) or (
            target.removeprefix("docs/") if target.startswith("docs/") else None
        )
        if place:
            return f"[{words}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{rest})"
        if root:
            return f"[{words}]({root}/blob/main/{target}{rest})"
        return f"`{target}`" if target in words else f"{words} (`{target}`)"

    return _LINK.sub(link, text)
