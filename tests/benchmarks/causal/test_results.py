"""The runner of the causal experiments: one run, its row, and what is still missing."""

from __future__ import annotations

import pytest

from benchmarks.causal import results
from benchmarks.causal.results import ENVIRONMENTS, EXPERIMENTS, Experiment, page, run
from steerbo.core import find_method


def test_a_run_and_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = Experiment("Rules", "figure-1", "cobo", "CoBO", rounds=5)
    monkeypatch.setattr(results, "EXPERIMENTS", (experiment,))
    assert "| figure-1 | CoBO | 5 | 0 | not run |" in page({}, 2)
    rows = {experiment.key(seed): run((experiment, seed)) for seed in range(2)}
    assert [row["clean"] for row in rows.values()] == pytest.approx([1 / 3, 1 / 3])
    assert [key == row["key"] for key, row in rows.items()] == [True, True]
    assert "| figure-1 | CoBO | 5 | 2 |" in (table := page(rows, 30))
    assert "0.3333 ± 0.0000" in table
    assert "(x1 after c x2 after c) 100 %" in table


def test_every_experiment_has_its_world_and_its_options() -> None:
    for experiment in EXPERIMENTS:
        environment = ENVIRONMENTS[experiment.environment]()
        method, options = experiment.entrant()
        assert find_method(environment.problem, method).Options(**options) is not None
    keys = [experiment.key(0) for experiment in EXPERIMENTS]
    assert len(set(keys)) < len(keys), "rows of several tables share their runs"
