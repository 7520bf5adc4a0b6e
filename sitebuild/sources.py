"""All pages of the site: those that stand in `docs/`, and those that are written from something else."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from . import command_line, study_file
from .stories import as_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SOURCE = "https://github.com/steerbo/steerbo/blob/main"
AT_HOME = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing/index.md"}
"""Files of the top folder that are pages, too, and where."""
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def written() -> dict[str, str]:
    """Pages that are written from other files: their place on the site, and their Markdown."""
    scripts = sorted(DOCS.glob("stories/*.py"))
    stories = {f"stories/{file.stem}.md": as_page(file.read_text("utf-8")) for file in scripts}
    at_home = {page: (ROOT / file).read_text("utf-8") for file, page in AT_HOME.items()}
    return {
        **stories,
        **at_home,
        "limits.md": _section("Limits", (ROOT / "README.md").read_text("utf-8")),
        "reference/command-line.md": command_line.page(),
        "reference/study-file.md": study_file.page(ROOT / "examples"),
    }


def _section(heading: str, text: str) -> str:
    """A section of the README as a page."""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return f"# {heading}\n{found[1] if found else ''}"


def pages() -> dict[str, str]:
    """Every page of the site: place, and Markdown with the links of the site."""
    standing = {file.relative_to(DOCS).as_posix(): file.read_text("utf-8") for file in sorted(DOCS.rglob("*.md"))}
    return {page: relinked(text, page) for page, text in (standing | written()).items()}


def relinked(text: str, page: str) -> str:
    """A page's links as they are on the site: to other pages, and to the source where what they name is no page.

    Args:
        text: Markdown with links as they are in the repository.
        page: its place on the site.

    >>> relinked("[log](../CHANGELOG.md), [home](index.md#top)", "versions.md")
    '[log](changelog.md), [home](index.md#top)'
    """
    home = {place: file for file, place in AT_HOME.items()}.get(page, f"docs/{page}")

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), found[1]))
        place = AT_HOME.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        return f"]({posixpath.relpath(place, posixpath.dirname(page) or '.')}" if place else f"]({SOURCE}/{target}"

    return _LINK.sub(link, text)
