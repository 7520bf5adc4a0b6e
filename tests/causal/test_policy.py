"""The recommended policy."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.causal.problems import psa
from steerbo.core import Optimizer
from steerbo.errors import InvalidContext
from steerbo.records import to_dict
from tests.causal.worlds import FIGURE


def test_the_recommended_policy_can_be_called_and_read() -> None:
    environment = psa(2)
    optimizer = Optimizer(environment.problem, seed=1)
    environment.play(optimizer, 60, 1)
    policy: Any = optimizer.recommend()
    person = {"age": 70.0, "bmi": 26.3}
    best = (70 - 55) / 21 * abs((26.3 - 27) / 4)
    assert policy(person)["aspirin"] == pytest.approx(best, abs=0.1)
    assert policy.table.columns == ("age", "bmi", "aspirin", "statin")
    assert "act" not in to_dict(policy)
    with pytest.raises(InvalidContext, match="bmi"):
        policy({"age": 70.0})
    with pytest.raises(InvalidContext, match="weight"):
        policy({**person, "weight": 80.0})
    assert "statin" in str(policy)


def test_an_unplayed_policy_says_so() -> None:
    policy: Any = Optimizer(FIGURE).recommend()
    assert "nothing is known yet" in str(policy)
    with pytest.raises(InvalidContext, match="Play a round"):
        policy({"c": 0.0})
