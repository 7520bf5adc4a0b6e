"""Dask and Ray, where they are installed (the extras `dask` and `ray`): workers are killed, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.study.clusters import play

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # what they warn of is not ours


def test_dask(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'steerbo[dask]'")
    settings = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        play(client.get_executor(), tmp_path / "killed")
