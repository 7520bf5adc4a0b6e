"""Findings in words: shares, quantiles and rank correlations are those that one counts by hand, or scipy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import steerbo as sb
from steerbo.core._doubtful import rank_correlation
from steerbo.core._problem import StatedLaw
from steerbo.core.law_tests import alone_in_words, pair_in_words

HEAT = sb.Float("heat", 10, 30, law=sb.Uniform(), unit="°C")
SKY = sb.Categorical("sky", ["sun", "rain", "fog"], law=sb.space.Discrete({"sun": 0.5, "rain": 0.3, "fog": 0.2}))


def problem(*more: Any) -> sb.CostVarying:
    return sb.CostVarying([sb.Float("valve", 0, 1), HEAT, SKY, *more], [["valve"]])


def test_a_number_is_told_by_quantiles_in_its_unit() -> None:
    said = alone_in_words(problem(), StatedLaw.of(HEAT), [12.0, 13.0, 17.0])
    assert said.startswith("heat is not as its law says. Expected: half of all values above 20 °C, nine in ten from 11")
    assert (
        "nine in ten from 11 °C to 29 °C. Seen in the first 3 rounds that left it to nature: half above 13 °C" in said
    )
    assert "all from 12 °C to 17 °C." in said
    assert "If it only goes with" not in said


def test_data_is_told_by_its_own_quantiles() -> None:
    law = StatedLaw.of(sb.Float("heat", 10, 30, law=sb.space.Empirical(np.linspace(11, 21, 101).tolist())))
    said = alone_in_words(problem(), law, [29.0])
    assert said.startswith("heat is not as the data it comes from says. Expected: half of all values above 16 °C")
    assert "nine in ten from 11.5 °C to 20.5 °C" in said


def test_a_choice_is_told_by_its_shares() -> None:
    said = alone_in_words(problem(), StatedLaw.of(SKY), ["rain", "rain", "fog", "rain"])
    assert "Expected: rain in 30 % of all rounds. Seen in the first 4 rounds that left it to nature: in 75 %." in said
    data = StatedLaw.of(
        sb.Categorical("sky", ["sun", "rain", "fog"], law=sb.space.Empirical(["sun", "rain", "sun", "sun"]))
    )
    assert "Expected: rain in 25 % of all rounds." in alone_in_words(problem(), data, ["rain"])


def test_what_is_seen_before_choosing_may_be_why() -> None:
    seen = sb.Float("wind", 0, 9, seen=True)
    assert "If it only goes with wind, state rows of data for both." in alone_in_words(
        problem(seen), StatedLaw.of(HEAT), [12.0]
    )
    itself = sb.CostVarying([sb.Float("valve", 0, 1), sb.Float("wind", 0, 9, seen=True, law=sb.Uniform())], [["valve"]])
    assert "goes with" not in alone_in_words(itself, StatedLaw.of(itself.space["wind"]), [1.0])


def test_a_pair_is_told_with_its_rank_correlation_where_there_are_enough_numbers() -> None:
    of = problem(sb.Float("damp", 0, 1, law=sb.Uniform()), sb.Float("wind", 0, 9, seen=True))
    falling = [(0.1, 0.9), (0.2, 0.8), (0.3, 0.1), (0.9, 0.0)]
    said = pair_in_words(of, "heat", "damp", falling)
    assert said.startswith("heat goes with damp. Expected: heat does not depend on damp.")
    assert "in the first 4 rounds with both: it does, with a rank correlation of -1" in said
    assert "4 rounds that left heat to nature" in pair_in_words(of, "heat", "wind", falling)
    assert "rank correlation" not in pair_in_words(of, "heat", "damp", falling[:3])
    assert "rank correlation" not in pair_in_words(of, "heat", "sky", falling)


@pytest.mark.parametrize("levels", [3, 5, 1000])
def test_rank_correlations_are_those_of_scipy_with_ties_too(levels: int) -> None:
    random = np.random.default_rng(levels)
    for _ in range(20):
        pairs = random.integers(levels, size=(int(random.integers(5, 30)), 2)).astype(float)
        pairs[:, 1] += pairs[:, 0] * random.integers(-1, 2)
        if np.ptp(pairs, axis=0).all():
            assert rank_correlation(*pairs.T) == pytest.approx(spearmanr(pairs).statistic)


def test_what_never_changes_goes_with_nothing() -> None:
    assert rank_correlation(*np.array([[1.0, 0.1], [1.0, 0.2], [1.0, 0.3], [1.0, 0.4]]).T) == 0.0
