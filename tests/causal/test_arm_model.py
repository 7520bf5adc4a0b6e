"""How an arm is modelled: its kernel by column, and options that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.arm_model import LIKELY_NOISE, ModelOptions, arm_model, kernel_of, numbers_of
from steerbo.errors import InvalidOption
from steerbo.gp import Constant, DriftModel, Linear, Matern32, Matern52
from steerbo.space import Space
from tests.causal.test_methods import FIGURE

MIXED = Space([sb.Float("x", 0, 1), sb.Categorical("m", ["a", "b"]), sb.Integer("n", 1, 9)])
CHOICES = Space([sb.Categorical("m", ["a", "b"])])


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"beta": -1}, "beta"),
        ({"beta": float("inf")}, "beta"),
        ({"beta": float("nan")}, "beta"),
        ({"initial": 0}, "initial"),
        ({"kernel": "rbf"}, "kernel"),
        ({"transform": "log"}, "transform"),
        ({"observations": "checked"}, "observations"),
        ({"slanted": True}, "slanted"),
    ],
)
def test_options_that_are_none_are_refused_by_name(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidOption, match=field):
        sb.Optimizer(FIGURE, "coca-bo", **options)


def test_the_least_that_is_allowed_is_allowed() -> None:
    assert ModelOptions(beta=0.0, initial=1).initial == 1


@pytest.mark.parametrize(("name", "kind"), [("matern-5/2", Matern52), ("matern-3/2", Matern32)])
def test_the_kernel_is_the_one_named_and_a_line_along_what_is_a_number(name: Any, kind: type) -> None:
    """Against the sum worked out: categories have no slope."""
    options = ModelOptions(kernel=name)
    assert numbers_of(MIXED) == [0, 2]
    points = np.array([[0.2, 0.0, 0.5], [0.9, 1.0, 0.1], [0.2, 1.0, 0.5]])
    matern = kind.over(MIXED.categorical)  # type: ignore[attr-defined]
    line = Linear([0, 2], variance=0.1)
    np.testing.assert_allclose(kernel_of(MIXED, options)(points, points), matern(points, points) + line(points, points))


def test_of_choices_alone_there_is_no_line_and_of_nothing_a_constant() -> None:
    options = ModelOptions()
    assert isinstance(kernel_of(CHOICES, options), Matern52)
    assert numbers_of(None) == []
    assert isinstance(kernel_of(None, options), Constant)


def test_a_model_of_nothing_is_the_mean() -> None:
    model = arm_model(None, ModelOptions(transform="yeo-johnson", warp=True))
    for value in (1.0, 2.0, 6.0):
        model.add(np.zeros(0), value)
    mean, sd = model.predict(np.zeros((1, 0)))
    assert 2.0 < mean[0] < 3.5
    assert sd[0] > 0


def test_where_there_is_a_course_the_last_column_is_the_time() -> None:
    steady, moving = arm_model(MIXED, ModelOptions()), ModelOptions().model(MIXED, DriftModel.of(sb.Decay(0.5)))
    now, later = np.array([[0.2, 0.0, 0.5, 0.0]]), np.array([[0.2, 0.0, 0.5, 4.0]])
    same = moving.kernel(now, now)[0, 0]
    assert moving.kernel(now, later)[0, 0] < 0.8 * same
    assert same == pytest.approx(steady.kernel(now[:, :3], now[:, :3])[0, 0])


def test_only_numbers_are_bent_and_much_is_believed_to_be_noise() -> None:
    bent = arm_model(MIXED, ModelOptions(warp=True))
    plain = arm_model(MIXED, ModelOptions())
    assert bent.process.warp.columns == (0, 2)
    assert plain.process.warp.columns == ()
    assert plain.process.likely_noise == LIKELY_NOISE
