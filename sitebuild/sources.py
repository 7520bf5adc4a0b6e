"""All pages of the site: those that stand in `docs/`, and those that are written from something else."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from .stories import as_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SOURCE = "https://github.com/steerbo/steerbo/blob/main"
AT_HOME = {"changelog.md": "CHANGELOG.md", "contributing/index.md": "CONTRIBUTING.md"}
"""Files of the top folder that are pages, too."""


def written(docs: Path = DOCS) -> dict[str, str]:
    """Pages that are written from other files: their place on the site, and their Markdown."""
    pages = {f"stories/{file.stem}.md": as_page(file.read_text("utf-8")) for file in sorted(docs.glob("stories/*.py"))}
    for place, file in AT_HOME.items():
        pages[place] = _moved((ROOT / file).read_text("utf-8"), posixpath.dirname(place))
    return pages


def pages(docs: Path = DOCS) -> dict[str, str]:
    """Every page of the site: place, and Markdown as it was written."""
    standing = {str(file.relative_to(docs).as_posix()): file.read_text("utf-8") for file in sorted(docs.rglob("*.md"))}
    return standing | written(docs)


def _moved(text: str, folder: str) -> str:
    """A file of the top folder as it is in a folder of the site: links into `docs/` lead to pages, others to the source."""

    def link(found: re.Match[str]) -> str:
        target = found[1]
        if target.startswith("docs/"):
            return f"]({posixpath.relpath(target.removeprefix('docs/'), folder or '.')})"
        return f"]({SOURCE}/{target})"

    return re.sub(r"\]\((?!https?:|#|mailto:)([^)]+)\)", link, text)
