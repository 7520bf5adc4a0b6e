"""Every page of the site does what it says: `make docs` runs all of its code. Here: that no code is hidden from it."""

from __future__ import annotations

import re

from sitebuild.blocks import split
from sitebuild.sources import pages


def test_no_code_is_hidden_from_the_site_that_runs_it() -> None:
    for page, text in pages().items():
        for block in split(text):
            if not block.language:
                fence = re.search(r"^\s*```", block.text, re.M)
                assert not fence, f"{page}: a fence that is indented, or not closed, is not run"
