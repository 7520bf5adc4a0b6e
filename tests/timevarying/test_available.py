"""What can be chosen now."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo import Categorical, Float, Integer, Optimizer, Prior, TimeVarying
from steerbo.errors import InvalidRequest
from steerbo.timevarying import Covariance
from tests.timevarying.cases import box, sites


def test_what_is_available_on_sites() -> None:
    optimizer = Optimizer(sites(), "random")
    mask = [0.3 <= x <= 0.5 for (x,) in optimizer.problem.sites]  # type: ignore[attr-defined]
    for given in (mask, np.array(mask), [0.3, 0.35, 0.4, 0.45, 0.5], [{"x": 0.4}], [[0.4]], {"x": (0.3, 0.5)}):
        suggestion = optimizer.ask(available=given)
        assert suggestion is not None
        assert 0.3 <= suggestion.values["x"] <= 0.5
    refused: list[tuple[Any, str]] = [
        ([], "at least one point"),
        ([False] * 21, "wait for the next round"),
        ([True] * 20, "21 truth values"),
        ([0.33], "multiple of"),
        ([2.0], "from 0 to 1"),
        ("0.3", "a list of points"),
        (3, "a list of points"),
        ({"x": (0, 2)}, "low <= high <= 1"),
        ({"x": (0.31, 0.34)}, "at least one point"),
        ({"y": (0, 1)}, "bounds of x"),
        ([{"y": 1}], "values for"),
        ([None], "a number"),
    ]
    for given, match in refused:
        with pytest.raises(InvalidRequest, match=match):
            optimizer.ask(available=given)


@pytest.mark.parametrize("method", ["learned-drift", "random"])
def test_what_is_listed_is_played_and_answered_to_the_last_digit(method: str) -> None:
    """Encoded and decoded again, 45.8 would be 45.79999999999999 on this scale."""
    problem = TimeVarying([Float("dose", 1, 100, scale="log"), Categorical("way", ["a", "b"]), Integer("n", 0, 999)])
    optimizer, points = Optimizer(problem, method), [(45.8, "b", 7), (17.3, "a", 8), (0.3 + 1.4, "a", 9)]
    listed = [dict(zip(problem.space.names, point, strict=True)) for point in points]
    played = []
    for t in range(8):
        some = listed[t % 3 :][:2]
        suggestion = optimizer.ask(available=some)
        assert suggestion is not None
        assert suggestion.values in some
        assert isinstance(suggestion.values["n"], int)
        played.append(suggestion.values["dose"])
        optimizer.tell(suggestion, suggestion.values["dose"])
    assert len({*played}) > 1
    if method != "random":
        assert optimizer.policy(available=listed).values in listed


def test_what_is_available_on_a_box() -> None:
    for method in ("random", "prior-elimination", "fully-bayesian"):
        optimizer = Optimizer(box(), method)
        for given in ({"x": (0.3, 0.5)}, {"x": [0.4, 0.4]}, [0.31, 0.42], [{"x": 0.35}]):
            suggestion = optimizer.ask(available=given)
            assert suggestion is not None
            assert 0.3 <= suggestion.values["x"] <= 0.5
            optimizer.tell(suggestion, 0.1)
    refused: list[tuple[Any, str]] = [
        ({}, "at least one point"),
        ({"x": (0.5, 0.3)}, "wait for the next round"),
        ({"x": (0, 2)}, "low <= high <= 1"),
        ({"x": 0.3}, "a pair"),
        ({"y": (0, 1)}, "bounds of x"),
        ([1.5], "from 0 to 1"),
    ]
    for given, match in refused:
        with pytest.raises(InvalidRequest, match=match):
            optimizer.ask(available=given)


def test_categories_that_are_truth_values_are_no_mask() -> None:
    problem = TimeVarying([Categorical("on", [True, False])], [Prior(Covariance([[1.0, 0.0], [0.0, 1.0]]))])
    suggestion = Optimizer(problem).ask(available=[False])
    assert suggestion is not None
    assert suggestion.values == {"on": False}
