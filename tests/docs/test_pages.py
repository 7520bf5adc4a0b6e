"""Every page of the site does what it says: `make docs` runs all of its code. Here: that no code is hidden from it."""

from __future__ import annotations

import re

from sitebuild.blocks import split
from sitebuild.sources import ROOT, pages


def test_no_code_is_hidden_from_the_site_that_runs_it() -> None:
    for page, text in pages().items():
        for block in split(text):
            if not block.language:
                fence = re.search(r"^\s*```", block.text, re.M)
                assert not fence, f"{page}: a fence that is indented, or not closed, is not run"


def test_the_greenhouse_is_told_with_the_study_file_that_readers_copy() -> None:
    (told,) = [block.text for block in split(pages()["stories/greenhouse.md"]) if block.title == "study.toml"]
    copied = (ROOT / "examples" / "greenhouse-by-hand" / "study.toml").read_text(encoding="utf-8")
    assert copied.endswith(told)
    assert "cp examples/greenhouse-by-hand/study.toml" in (ROOT / "README.md").read_text(encoding="utf-8")
