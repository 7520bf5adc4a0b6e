"""Graphs with many arms, their random models, and the table of the kept runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.causal import arms
from steerbo.causal import policy_scopes

RESULTS = Path(__file__).parents[3] / "docs" / "results"


def test_a_graph_wants_many_first_plays_and_its_model_stays_within_bounds() -> None:
    graph = arms.graph_of(arms.FIRST)
    assert graph == arms.graph_of(arms.FIRST)
    assert sum(1 + len(s.set) + len(s.contexts) for s in policy_scopes(graph)) >= 150
    model = arms.model_of(graph, arms.FIRST)
    drawn = model.sample(500, np.random.default_rng(0))
    assert all(np.abs(drawn[name]).max() < 1 for name in graph.names)
    assert drawn[graph.target].std() > 0.05


def test_the_table_on_the_page_is_of_the_kept_runs() -> None:
    table = arms.section(RESULTS / arms.KEPT)
    assert table.strip()
    assert table in (RESULTS / "causal.md").read_text(encoding="utf-8")
