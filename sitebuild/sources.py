"""All pages of the site: those that stand in `docs/`, and those that are written from something else."""

from __future__ import annotations

import posixpath
import re
import tomllib
from pathlib import Path

from . import command_line, study_file
from .stories import as_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
AT_HOME = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing/index.md"}
"""Files of the top folder that are pages, too, and where."""
_WORDS = r"(?<!\\)\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]"
_LINK = re.compile(_WORDS + r"\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<rest>[^)]*)\)")


def written() -> dict[str, str]:
    """Pages that are written from other files: their place on the site, and their Markdown."""
    scripts = sorted(DOCS.glob("stories/*.py"))
    stories = {f"stories/{file.stem}.md": as_page(file.read_text("utf-8")) for file in scripts}
    at_home = {page: (ROOT / file).read_text("utf-8") for file, page in AT_HOME.items()}
    return {
        **stories,
        **at_home,
        "reference/command-line.md": command_line.page(),
        "reference/study-file.md": study_file.page(ROOT / "examples"),
    }


def pages() -> dict[str, str]:
    """Every page of the site: place, and Markdown with the links of the site."""
    standing = {file.relative_to(DOCS).as_posix(): file.read_text("utf-8") for file in sorted(DOCS.rglob("*.md"))}
    source = address()
    return {page: relinked(text, page, source) for page, text in (standing | written()).items()}


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
        place = AT_HOME.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if place:
            return f"[{words}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{rest})"
        if root:
            return f"[{words}]({root}/blob/main/{target}{rest})"
        return f"`{target}`" if target in words else f"{words} (`{target}`)"

    return _LINK.sub(link, text)
