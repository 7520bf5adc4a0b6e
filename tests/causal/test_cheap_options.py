"""Options of cheap-first, and its model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.cheap_options import CheapOptions
from steerbo.errors import InvalidOption
from steerbo.gp import AnovaKernel, Constant, DriftModel
from steerbo.space import Space

SPACE = Space([sb.Float("x", 0, 1), sb.Categorical("m", ["a", "b"])])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beta": -0.1}, "beta: -0.1 .*a finite number not below 0"),
        ({"beta": float("nan")}, "beta: nan"),
        ({"patience": float("inf")}, "patience: inf"),
        ({"patience": -1}, "patience: -1"),
        ({"initial": 0}, "initial: 0 .*a whole number from 1, or none"),
    ],
)
def test_options_that_are_none_are_refused_by_name(options: dict[str, Any], said: str) -> None:
    CheapOptions(beta=0.0, patience=0.0, initial=1)
    with pytest.raises(InvalidOption, match=said):
        CheapOptions(**options)


def test_the_kernel_is_smooth_over_what_is_set_and_seen_and_constant_over_nothing() -> None:
    points = np.array([[0.2, 0.0], [0.7, 0.0], [0.7, 1.0]])
    model = CheapOptions().model(SPACE, None)
    wanted = AnovaKernel.over(SPACE.categorical)
    np.testing.assert_allclose(model.kernel(points, points), wanted(points, points))
    assert isinstance(CheapOptions().model(None, None).kernel, Constant)


@pytest.mark.parametrize("space", [SPACE, None])
def test_where_there_is_a_course_the_last_column_is_the_time(space: Space | None) -> None:
    model = CheapOptions().model(space, DriftModel.of(sb.Decay(0.5)))
    now = np.array([[0.2, 0.0, 0.0]])[:, 0 if space else 2 :]
    later = now + np.eye(now.shape[1])[-1:] * 4
    assert model.kernel(now, later)[0, 0] < 0.8 * model.kernel(now, now)[0, 0]
