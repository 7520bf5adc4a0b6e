"""Every page of the site does what it says: its code is run in an empty folder, on a thin setting."""

from __future__ import annotations

import re

import pytest

from sitebuild.blocks import split
from sitebuild.running import run_page
from sitebuild.sources import pages

PAGES = dict(pages())
RUN = [n for n, text in PAGES.items() if any(b.runs or b.language == "console" for b in split(text))]


@pytest.mark.few_draws
@pytest.mark.parametrize("page", RUN)
def test_the_code_of_a_page_runs(page: str) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'steerbo[plots]'")
    if "import pandas" in PAGES[page]:
        pytest.importorskip("pandas", reason="pandas is not installed: pip install 'steerbo[pandas]'")
    run_page(PAGES[page], page, thin=True)
    for missing in filter(None, (block.missing for block in split(PAGES[page]))):
        pytest.skip(f"all but what needs {missing}, which is not installed: pip install -r requirements/everything.txt")


def test_no_code_is_hidden_from_the_tests() -> None:
    for page, text in PAGES.items():
        for block in split(text):
            if not block.language:
                fence = re.search(r"^\s*```", block.text, re.M)
                assert not fence, f"{page}: a fence that is indented, or not closed, is not run"
