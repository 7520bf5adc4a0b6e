"""The site is built without a warning, and needs nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sitebuild.sources import ROOT, pages

REASON = "mkdocs is not installed: pip install -r requirements/docs.txt"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("mkdocs", "material", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(module, reason=REASON)
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"STEERBO_SITE_UNRUN": "1"}  # the pages are run by `make docs`
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    for page in pages():
        assert (site / page).with_suffix(".html").is_file(), page


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?://(?!example)[^"]*"', text)


def test_examples_of_docstrings_are_code(site: Path) -> None:
    text = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert "&gt;&gt;&gt; " in text
    assert "<blockquote>" not in text
