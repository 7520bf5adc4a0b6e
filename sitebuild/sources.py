"""All pages of the site: those that stand in `docs/`, and those that are written from something else."""

from __future__ import annotations

import re
from pathlib import Path

from .stories import as_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def written(docs: Path = DOCS) -> dict[str, str]:
    """Pages that are written from other files: their place on the site, and their Markdown."""
    pages = {f"stories/{file.stem}.md": as_page(file.read_text("utf-8")) for file in sorted(docs.glob("stories/*.py"))}
    pages["changelog.md"] = _at_home(ROOT / "CHANGELOG.md")
    pages["contributing/index.md"] = _at_home(ROOT / "CONTRIBUTING.md")
    return pages


def pages(docs: Path = DOCS) -> dict[str, str]:
    """Every page of the site: place, and Markdown as it was written."""
    standing = {str(file.relative_to(docs).as_posix()): file.read_text("utf-8") for file in sorted(docs.rglob("*.md"))}
    return standing | written(docs)


def _at_home(file: Path) -> str:
    """A file of the top folder; its links into `docs/` are as from the site's top."""
    return re.sub(r"\]\(docs/", "](", file.read_text("utf-8"))
