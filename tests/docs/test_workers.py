"""Ten workers, as the page has them: on a real PostgreSQL server, and with Dask."""

from __future__ import annotations

import os

import pytest

from sitebuild.running import run_page
from sitebuild.sources import pages
from steerbo.study import Study
from tests.torture.server import Server

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # what clusters warn of is not ours
STORY = "how-to/operating.md"


def test_on_postgresql_and_dask(running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'steerbo[dask]'")
    url = running.database().url
    monkeypatch.setenv("STEERBO_POSTGRES", url)
    monkeypatch.setenv("STEERBO_DASK", "1")
    told = run_page(pages()[STORY], STORY)
    assert "a database server" in told
    assert "\nwithout Dask" not in told
    assert "40 outcomes, 40 different tokens, 0 left open" in told
    assert "True - the log alone gives the same advice" in told
    with Study.open(url, name=f"cluster {os.getpid()}") as kept:
        assert kept.status.told == 40


def test_on_postgresql_with_threads(running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEERBO_POSTGRES", running.database().url)
    monkeypatch.delenv("STEERBO_DASK", raising=False)
    told = run_page(pages()[STORY], STORY)
    assert "a database server" in told
    assert "40 outcomes, 40 different tokens, 0 left open" in told
