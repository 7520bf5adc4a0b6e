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
    return without_code(PAGES[page])


def without_code(text: str) -> str:
    return "".join(block.text for block in split(text) if not block.language)


def anchors(text: str) -> set[str]:
    words = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in _HEADING.findall(text))
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
            assert anchor in anchors(prose(place)), f"{page}: {place} has no heading {anchor!r}"


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "evidence").glob("*.md"))],
    ids=lambda page: page.stem,
)
def test_the_repository_has_all_that_a_page_links_to_and_shows(page: Path) -> None:
    for link in _LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"(https?|mailto):", link):
            continue
        target, _, anchor = link.partition("#")
        place = page.parent / target if target else page
        assert place.exists(), f"{page}: {link} is not in the repository"
        if anchor and place.suffix == ".md" and DOCS / "reference" not in place.resolve().parents:
            headings = anchors(without_code(place.read_text(encoding="utf-8")))
            assert anchor in headings, f"{page}: {target} has no heading {anchor!r}"


def test_nothing_is_loaded_from_elsewhere() -> None:
    for page in PAGES:
        assert not re.search(r"<(script|img|link)[^>]*(src|href)=.https?:", prose(page)), page
