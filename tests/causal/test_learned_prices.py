"""Prices that are learned from what plays cost."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.learned_prices import LearnedPrices
from steerbo.causal.tariff import Tariff
from steerbo.core import Scope
from steerbo.space import Space

SPACE = Space([
    sb.Float("heat", 0, 50), sb.Float("dose", 0, 1), sb.Float("lab", 0, 1), sb.Float("wind", 0, 10, seen=True)
])  # fmt: skip


def learned(noise: float = 0.0) -> LearnedPrices:
    """Heat costs the square of its hundredth part, less in wind; dose is known; a look costs 2."""
    tariff = Tariff.of({"heat": "learned", "lab": "learned", "dose": "3 * dose"}, 1.0, SPACE, ["heat", "dose"])
    found, random = LearnedPrices(tariff, ["heat", "dose"]), np.random.default_rng(0)
    for k in range(40):
        known = {"heat": random.uniform(0, 50), "dose": random.random(), "wind": random.uniform(0, 10)}
        look = ["lab"] if k % 2 else []
        cost = 1 + 3 * known["dose"] + (known["heat"] / 20) ** 2 - 0.1 * known["wind"] + 2 * len(look) + 2
        found.take(Scope.of({"heat": look, "dose": []}), known, cost + noise * random.normal())
    return found


def test_a_price_is_found_at_values_and_for_what_is_seen() -> None:
    found, grid = learned(), np.linspace(0.1, 0.9, 9)
    for wind in (2.0, 8.0):
        wanted = (50 * grid / 20) ** 2 - 0.1 * wind + 2
        assert found.along("heat", grid, {"wind": wind}) == pytest.approx(wanted, abs=0.25)
    assert found.along("lab", np.zeros(1), {"wind": 5.0}) == pytest.approx(2.0, abs=0.25)


def test_noise_is_averaged_out() -> None:
    found, grid = learned(noise=0.3), np.linspace(0.1, 0.9, 9)
    wanted = (50 * grid / 20) ** 2 - 0.1 * 5 + 2
    assert found.along("heat", grid, {"wind": 5.0}) == pytest.approx(wanted, abs=0.7)


def test_before_any_cost_nothing_is_known_and_no_price_is_below_0() -> None:
    tariff = Tariff.of({"heat": "learned"}, 1.0, SPACE, ["heat", "dose"])
    found = LearnedPrices(tariff, ["heat", "dose"])
    assert found.along("heat", np.array([0.2, 0.8]), {"wind": 1.0}).tolist() == [0.0, 0.0]
    found.take(Scope(["dose"]), {"dose": 0.5, "wind": 1.0}, 99.0)  # it sets nothing whose price is learned
    assert len(found) == 0
    found.take(Scope(["heat"]), {"heat": 25.0, "wind": 1.0}, 0.25)  # less than a round costs in any case
    assert found.along("heat", np.array([0.5]), {"wind": 1.0}).tolist() == [0.0]
