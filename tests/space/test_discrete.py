from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Categorical, Discrete, Empirical, Float, Integer, Law


def test_a_mapping_becomes_two_lists() -> None:
    law = Discrete({1: 0.2, 2: 0.8})
    assert (law.values, law.weights) == ((1, 2), (0.2, 0.8))
    assert to_dict(law) == {"values": [1, 2], "weights": [0.2, 0.8], "kind": "discrete"}
    assert from_dict(Law, to_dict(law)) == law
    assert from_dict(Law, {"kind": "discrete", "values": {"a": 1, "b": 2}}) == Discrete(["a", "b"], [1, 2])


def test_weights_need_not_sum_to_one() -> None:
    assert Discrete({1: 3, 2: 1}).on(1, 2).weights.tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    ("values", "weights", "message"),
    [
        ([], [], "at least one value"),
        ([1, 2], [1], "2 weights"),
        ([1, 2], [], "2 weights"),
        ([1, 2], [0, 0], "not all 0"),
        ([1, 2], [2, -1], "not negative"),
        ([1, 1.0], [1, 1], "every value once"),
        ([1, True], [1, 1], "every value once"),
        ({1: 1}, [1], "nothing beside a mapping"),
        ([float("nan")], [1], "a finite number"),
    ],
)
def test_tables_that_are_no_law(values: Any, weights: Any, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        Discrete(values, weights)


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="at least one point"):
        Empirical([])


def test_a_samples_duplicates_become_weights() -> None:
    values, weights = Empirical([2, 1, 2, 2]).on(0, 3).atoms
    assert values.tolist() == [1, 2]
    assert weights.tolist() == [0.25, 0.75]


def test_an_empirical_law_has_the_samples_moments() -> None:
    sample = np.random.default_rng(0).normal(size=10_000)
    law = Float("x", -5, 5, law=Empirical(sample)).distribution  # type: ignore[arg-type]
    assert law.mean == pytest.approx(sample.mean())
    assert law.sd == pytest.approx(sample.std())


def test_texts_belong_to_categories() -> None:
    with pytest.raises(InvalidProblem, match=r"k\.law\.values: '1'.*two lists"):
        Integer("k", 1, 2, law=Discrete({"1": 1, "2": 1}))
    with pytest.raises(InvalidProblem, match=r"x\.law\.sample: True"):
        Float("x", 0, 2, law=Empirical([0.5, True]))
    assert Categorical("c", ["1", "2"], law=Discrete({"1": 1, "2": 1})).distribution.mean == 0.5
