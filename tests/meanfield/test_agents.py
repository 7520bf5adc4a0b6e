"""Shares, and whole agents where these are wanted."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.meanfield.agents import settings


def test_agents_are_whole_and_all_there() -> None:
    problem = sb.MeanField(("a", "b", "c"), agents=10, contexts=("day", "night"), counts=True)
    table = np.array([[0.1, 0.55, 0.35], [1 / 3, 1 / 3, 1 / 3]])
    counts = settings(problem, table)["counts"]
    assert all(sum(row.values()) == 5 for row in counts.values())


@pytest.mark.parametrize("method", ["mf-gp-ucb", "random"])
def test_a_recommendation_says_them_as_a_suggestion_does(method: str) -> None:
    """It said shares alone."""
    for counts in (True, False):
        optimizer = sb.Optimizer(sb.MeanField(("a", "b"), agents=10, counts=counts), method, seed=1)
        for _ in range(4):
            advice = optimizer.recommend()
            assert ("counts" in advice.values) == counts
            if counts:
                (row,), (shares,) = advice.values["counts"].values(), advice.values["distribution"].values()
                assert sum(row.values()) == 10
                assert all(abs(row[a] / 10 - shares[a]) <= 0.1 for a in row)
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, suggestion.values["distribution"]["everyone"]["a"])
