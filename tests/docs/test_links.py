"""Links of the site lead somewhere: within a page, to other pages, and into the repository. Nothing is fetched."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from sitebuild.blocks import split
from sitebuild.sources import DOCS, ROOT, pages

PAGES = pages()
_LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.M)


def prose(page: str) -> str:
    return "".join(block.text for block in split(PAGES[page]) if not block.language)


def anchors(page: str) -> set[str]:
    words = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in _HEADING.findall(prose(page)))
    return {re.sub(r"[\s-]+", "-", name) for name in words}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in _LINK.findall(prose(page)):
        if re.match(r"(https?|mailto):", link):
            assert "github.com/steerbo" not in link, "an address of the project is set in pyproject.toml alone"
            continue
        target, _, anchor = link.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page
        assert place in PAGES or (DOCS / place).is_file(), f"{page}: {link} leads nowhere"
        if anchor:
            assert anchor in anchors(place), f"{page}: {place} has no heading {anchor!r}"


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem)
def test_the_repository_has_all_that_a_page_links_to_and_shows(page: Path) -> None:
    text = "".join(block.text for block in split(page.read_text(encoding="utf-8")) if not block.language)
    for link in _LINK.findall(text):
        target = link.partition("#")[0]
        if target and not re.match(r"(https?|mailto):", link):
            assert (page.parent / target).is_file(), f"{page}: {link} is not in the repository"


def test_nothing_is_loaded_from_elsewhere() -> None:
    for page in PAGES:
        assert not re.search(r"<(script|img|link)[^>]*(src|href)=.https?:", prose(page)), page
