"""The worlds whose graphs forget a cause, and the table of the kept runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.causal import observed
from benchmarks.runs import finished, keep

RESULTS = Path(__file__).parents[3] / "docs" / "results"


@pytest.mark.parametrize("world", observed.WORLDS)
def test_the_best_policy_is_worth_what_is_said_and_a_hidden_cause_changes_observations_alone(world: str) -> None:
    for a in observed.STRENGTHS:
        environment = observed.WORLDS[world](a)
        drawn = environment.model.sample(20_000, np.random.default_rng(0))
        assert (abs(np.corrcoef(drawn["u"], drawn["y"])[0, 1]) > 0.3) == (a > 0)
        actions = {"dose": {"x": 0.35}, "pair": {"x1": 0.3, "x2": -0.25}, "figure-1": {"x1": -0.5}}[world]
        assert environment.mean(actions, {"c": 0.5}) == pytest.approx(environment.best)
        do = environment.model.sample(200_000, np.random.default_rng(1), do={**actions, "c": 0.5})
        level = 0.5 if world == "figure-1" else 0.0  # what c itself gives is left out of the regret there
        assert do["y"].mean() - level == pytest.approx(environment.best, abs=0.02)


def test_a_table_has_what_is_kept_and_says_what_came_true(tmp_path: Path) -> None:
    for seed in (9000, 9001):
        for how, regret in (("none", 0.3), ("trusted", 0.2), ("checked", 0.1 + 0.01 * (seed - 9000))):
            keep(tmp_path / "runs", {"key": f"dose/0.5/{how}/{seed}", "regret": regret, "said": how == "checked"})
    table = observed.section(tmp_path / "runs")
    assert "| dose | 0.5 | 0.3000 ± 0.0000 | 0.2000 ± 0.0000 | 0.1050 ± 0.0050 | -0.0950 ± 0.0050 (-19.0)" in table
    assert "| below −2 errors | yes | 2 of 2 |" in table


def test_the_table_on_the_page_is_of_the_kept_runs() -> None:
    """And a run, done again by a later version than the one that played, comes near."""
    table = observed.section(RESULTS / observed.KEPT)
    assert table.count("|") > 40
    assert table in (RESULTS / "causal.md").read_text(encoding="utf-8")
    job = ("dose", 0.5, "trusted", observed.FIRST)
    kept = finished(RESULTS / observed.KEPT)["/".join(map(str, job))]
    assert math.isclose(observed.run(job)["regret"], kept["regret"], rel_tol=0.3)
