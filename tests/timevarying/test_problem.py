"""What users say: domains, priors, time, what is available; and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo import Categorical, Float, Integer, Optimizer, Prior, TimeVarying
from steerbo.core import load, methods
from steerbo.errors import InvalidInput, InvalidOption, InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.records import from_dict, to_dict
from tests.timevarying.cases import SMOOTH, box, mixed, sites


def test_domains() -> None:
    assert len(sites().sites or ()) == 21
    assert box().sites is None
    two = TimeVarying([Integer("i", 1, 3), Categorical("c", ["a", "b"])], [Prior(lambda X, Z: np.eye(len(X)) * 1.0)])
    assert two.sites == ((1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "a"), (3, "b"))
    many = TimeVarying([Float("x", 0, 1, step=0.01), Float("y", 0, 1, step=0.01)], [Prior(SMOOTH)])
    assert many.sites is None, "more points than 4096 are searched as a box"


@pytest.mark.parametrize("make", [sites, box, mixed])
def test_round_trip(make: Any) -> None:
    problem = make()
    assert from_dict(TimeVarying, to_dict(problem)) == problem
    assert hash(problem) == hash(make())


def test_time_does_not_run_backwards() -> None:
    optimizer = Optimizer(sites())
    optimizer.ask(time=5)
    optimizer.ask(time=5)
    with pytest.raises(InvalidRequest, match="at least 5"):
        optimizer.ask(time=4.9)
    with pytest.raises(InvalidRequest, match="give it in every round"):
        optimizer.ask()
    wrongs: tuple[Any, ...] = (float("nan"), "noon", True)
    for wrong in wrongs:
        with pytest.raises(InvalidRequest, match="time"):
            optimizer.ask(time=wrong)
    assert optimizer.ask(time=1e9) is not None


def test_time_is_the_round_by_default() -> None:
    optimizer = Optimizer(sites())
    for _ in range(3):
        optimizer.ask()
    assert [r.request["time"] for r in optimizer.history] == [1.0, 2.0, 3.0]


def test_no_variable_has_the_name_of_the_time() -> None:
    """Its values were taken for the times of added data."""
    with pytest.raises(InvalidProblem, match=r"variables\.time: 'time' is not allowed; expected another name"):
        TimeVarying([Float("time", 0, 1), Float("x", 0, 1)])


def test_added_data_has_a_time() -> None:
    optimizer = Optimizer(sites())
    optimizer.add(1.0, {"x": 0.5, "time": -3})
    optimizer.add(1.0, {"x": 0.52})
    with pytest.raises(InvalidOutcome, match=r"realised\.time"):
        optimizer.add(1.0, {"x": 0.5, "time": "noon"})
    assert optimizer.history.added[0].realised["time"] == -3.0
    assert load(optimizer.to_json()).recommend() == optimizer.recommend()


def test_methods_are_listed_with_their_options() -> None:
    found = {row[1]: row[3] for row in methods("time-varying").rows}
    assert len(found) == 14
    assert "on_exhausted='keep-last'" in found["prior-elimination"]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("gp-ucb", {}),
        ("gp-ucb", {"prior": "nobody"}),
        ("gp-ucb", {"prior": 3}),
        ("prior-elimination", {"confidence": -1.0}),
        ("prior-elimination", {"confidence": "guess"}),
        ("prior-elimination", {"delta": 0.0}),
        ("prior-elimination", {"on_exhausted": "weep"}),
        ("tempered-elimination", {"temper": 2.0}),
        ("switching-elimination", {"switch_every": 0.0}),
        ("switching-elimination", {"switch_every": float("inf")}),
        ("sw-gp-ucb", {"prior": 0, "window": 0}),
        ("sw-gp-ucb", {"prior": 0, "span": 0.0}),
    ],
)
def test_bad_options(method: str, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        Optimizer(sites(), method, **options)


def test_every_error_is_ours() -> None:
    assert issubclass(InvalidRequest, InvalidInput)
