"""The picture of what was moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import steerbo as sb
from steerbo.plots.changing import changing
from tests.costvarying.test_money import OVEN, Scripted

pytest.importorskip("matplotlib")


def played(problem: sb.CostVarying, ovens: list[object]) -> sb.Optimizer:
    plays = tuple({**({} if oven is None else {"oven": oven}), "speed": 0.5, **({"feed": 0.5} if oven is None else {})}
                  for oven in ovens)  # fmt: skip
    optimizer = sb.Optimizer(problem, Scripted, plays=plays)
    for _ in ovens:
        optimizer.ask()
    return optimizer


def drawn(problem: sb.CostVarying, ovens: list[object], best: object) -> object:
    optimizer = played(problem, ovens)
    (picture,) = changing(optimizer, sb.Recommendation(problem.scopes[1], {"oven": best, "speed": 0.5}))
    (axes,) = picture.figure.axes
    return axes


def test_every_move_is_marked_and_what_nature_had_is_a_gap() -> None:
    axes = drawn(OVEN, [150.0, 150.0, 180.0, None, 180.0], 170.0)
    line, moves, best = axes.get_lines()  # type: ignore[attr-defined]
    assert np.isnan(line.get_ydata()).tolist() == [False, False, False, True, False]
    assert list(zip(moves.get_xdata(), moves.get_ydata(), strict=True)) == [(3, 180.0), (5, 180.0)]
    assert set(best.get_ydata()) == {170.0}


def test_choices_have_their_names() -> None:
    die = sb.Categorical("oven", ("small", "large"), law=sb.Uniform(), change=sb.Change(fixed=5))
    problem = replace(OVEN, variables=(die, *OVEN.variables[1:]))
    axes = drawn(problem, ["small", "large"], "large")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["small", "large"]  # type: ignore[attr-defined]


def test_there_is_none_of_nothing() -> None:
    free = replace(OVEN, variables=(replace(OVEN.variables[0], change=None), *OVEN.variables[1:]))
    advice = sb.Recommendation(OVEN.scopes[1], {"oven": 150.0, "speed": 0.5})
    assert list(changing(played(free, [150.0, 160.0]), advice)) == []
    assert list(changing(played(OVEN, [150.0]), advice)) == []
