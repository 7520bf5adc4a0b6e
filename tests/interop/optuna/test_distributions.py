"""Variables as Optuna's distributions: ranges, scales and choices are kept, and what can be set lies within."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb

optuna = pytest.importorskip("optuna")
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402

from steerbo.interop.optuna.distributions import distribution  # noqa: E402


@pytest.mark.parametrize(
    ("variable", "wanted"),
    [
        (None, FloatDistribution(0.0, 1.0)),
        (sb.Float("t", -1, 4), FloatDistribution(-1.0, 4.0)),
        (sb.Float("t", 1, 100, scale="log"), FloatDistribution(1.0, 100.0, log=True)),
        (sb.Float("t", 0, 1, step=0.3), FloatDistribution(0.0, 1.0)),
        (sb.Integer("n", 1, 9), IntDistribution(1, 9)),
        (sb.Integer("n", 1, 900, scale="log"), IntDistribution(1, 900, log=True)),
        (sb.Categorical("line", ["a", "b"]), CategoricalDistribution(("a", "b"))),
    ],
    ids=str,
)
def test_each_kind(variable: Any, wanted: Any) -> None:
    assert distribution(variable) == wanted


@pytest.mark.parametrize(
    "variable",
    [
        sb.Float("t", 0.1, 0.7, step=0.2),
        sb.Float("t", 1e-3, 1e3, scale="log"),
        sb.Integer("n", -3, 3),
        sb.Categorical("line", ["a", "b", "c"]),
    ],
    ids=str,
)
def test_every_value_that_can_be_set_is_contained(variable: Any) -> None:
    """Also the last step, which rounding may put a hair beside a multiple."""
    found = distribution(variable)
    points = variable.levels if variable.levels is not None else [0.0, 0.3, 1.0]
    for value in variable.decode([float(point) for point in points]):
        assert found._contains(found.to_internal_repr(value))
