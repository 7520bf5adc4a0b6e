"""What mkdocs calls: pages are filled and run, formulas set."""

from __future__ import annotations

import os
from typing import Any

from sitebuild.blocks import split
from sitebuild.mathematics import with_formulas
from sitebuild.running import run_page
from sitebuild.sources import AT_HOME, ROOT, address, for_site

UNRUN = "STEERBO_SITE_UNRUN"
"""Environment variable: where it is set, pages are built without running them, to look at words."""


def on_config(config: Any) -> Any:
    """Show where the source is, once the project has an address."""
    config.repo_url = address() or None
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the top folder."""
    from mkdocs.structure.files import File

    for file, place in AT_HOME.items():
        files.append(File.generated(config, place, content=(ROOT / file).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Run the page, and put in what it computes."""
    markdown = for_site(markdown, page.file.src_uri)
    if os.environ.get(UNRUN):
        return with_formulas("".join(block.fenced() for block in split(markdown)))
    markdown = run_page(markdown, page.file.src_uri)
    return with_formulas(markdown)
