"""Jobs have names of their own, run alone, and the page says what came of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.timevarying import experiments
from benchmarks.timevarying.page import GRID, write
from benchmarks.timevarying.rivals import refit, refit_shared
from benchmarks.timevarying.rows import ratio
from steerbo import Decay
from tests.timevarying.reference import refit as reference


def test_jobs_are_told_apart() -> None:
    jobs = list(experiments.jobs(2))
    assert len({experiments.key(job) for job in jobs}) == len(jobs)
    assert sum(job["experiment"] == "kept" for job in jobs) == 4 * experiments.KEPT_SEEDS
    grid = len(experiments.HEIGHTS) * len(experiments.LENGTHSCALES) * len(experiments.WIDTHS)
    assert sum(job["experiment"] == "grid" for job in jobs) == grid * len(experiments.RIVALS) * 2


def test_a_job_and_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "ROUNDS", 8)
    chosen = [
        j for j in experiments.jobs(2) if j["experiment"] in ("grid", "many") and j["setting"].get("tall", 5.0) == 5.0
    ]
    chosen = [
        j for j in chosen if j["setting"].get("lengthscale", 0.5) == 0.5 and j["setting"]["confidence"] == "theory"
    ]
    rows = [json.loads(json.dumps(experiments.run(job))) for job in chosen]
    place = tmp_path / "runs.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert list(experiments.read(place)) == [experiments.key(job) for job in chosen]
    write(tmp_path / "page.md", rows)
    text = (tmp_path / "page.md").read_text()
    assert "Every method on 1 settings" in text
    assert len((tmp_path / GRID).read_text().splitlines()) == 2
    assert "| 200 priors |" in text


def test_paired_ratio() -> None:
    a = np.array([1.0, 2.0, 3.0])
    assert ratio(list(a), list(2 * a)) == (0.5, 0.0)


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_rivals_are_right(rate: float) -> None:
    random = np.random.default_rng(0)
    root = random.normal(size=(2, 5, 8))
    K, means = root @ root.transpose(0, 2, 1), random.normal(size=(2, 5))
    times, sites, values = np.arange(12.0), random.integers(5, size=12), random.normal(size=12)
    mean, sd, evidence = refit(means, K, np.full(2, rate), 0.3, times, sites, values, 13.0)
    data = list(zip(times, sites, values, strict=True))
    for p in range(2):
        m, v, log = reference(means[p], K[p], Decay(1 - np.exp(-2 * rate)), 0.3, data, 13.0)
        np.testing.assert_allclose(mean[p], m, rtol=1e-9)
        np.testing.assert_allclose(sd[p] ** 2, v, rtol=1e-8)
        assert evidence[p] == pytest.approx(log, rel=1e-10)
    if rate == 0:
        same = refit(means, np.array([K[0]] * 2), np.zeros(2), 0.3, times, sites, values, 13.0)
        for one, other in zip(refit_shared(means, K[0], 0.3, sites, values), same, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9)
