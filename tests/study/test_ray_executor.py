"""Ray as an executor."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from steerbo.errors import MissingExtra
from steerbo.study import RayExecutor
from tests.study.clusters import play

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # what they warn of is not ours


def test_ray(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'steerbo[ray]'")
    paths = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    ray.init(num_cpus=4, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": paths}})
    try:
        with RayExecutor(num_cpus=1) as executor:
            play(executor, tmp_path / "killed")
        stopped = RayExecutor()
        future = stopped.submit(time.sleep, 600)
        stopped.shutdown(cancel_futures=True)
        assert future.exception(60) is not None
    finally:
        ray.shutdown()


def test_without_ray_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"steerbo\[ray\]"):
        RayExecutor()
