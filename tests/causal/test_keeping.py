"""What limits leave of actions that are tried at contexts."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.arm import Arm
from steerbo.causal.keeping import Keeping, best_kept, share_short, short_of
from steerbo.causal.limits import ScopeLimits
from steerbo.core import Scope
from steerbo.optim import kronecker

GRAPH = sb.CausalGraph.from_text("c -> a; c -> y; a -> y; b -> y", target="y", intervenable=["a", "b"])
VARIABLES = [sb.Float("a", 0, 4), sb.Float("b", 0, 4), sb.Float("c", 0, 4)]


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_what_is_tried_lies_within_limits_at_each_context(weight: float) -> None:
    problem = sb.Causal(GRAPH, VARIABLES, limits=[sb.LinearConstraint({"a": 1, "b": 1, "c": weight}, at_most=5)])
    arm = Arm(Scope.of({"a": ["c"], "b": ["c"]}), GRAPH, problem.space)
    keeping = Keeping(arm, ScopeLimits(problem))
    tried = keeping.tried(kronecker(64, 2), [{"c": 0.0}, {"c": 4.0}])
    assert tried.rows.shape == (2, 64, 3)
    assert tried.margins is None
    sums = 4 * tried.rows[:, :, :2].sum(axis=2) + 4 * weight * tried.rows[:, :, 2]
    assert (sums <= 5 + 1e-9).all()
    assert (sums.max(axis=1) > 4.5).all()
    assert tried.rows[:, :, 2].tolist() == [[0.0] * 64, [1.0] * 64]
    assert np.array_equal(tried.rows[0, :, :2], tried.rows[1, :, :2]) == (weight == 0)


def test_without_limits_it_is_the_whole_box() -> None:
    arm = Arm(Scope.of({"a": ["c"]}), GRAPH, sb.Causal(GRAPH, VARIABLES).space)
    unit = kronecker(16, 1)
    assert np.array_equal(Keeping(arm).tried(unit, [{"c": 1.0}]).rows[0, :, 0], unit[:, 0])
    assert not Keeping(arm).limiting


def test_the_likeliest_is_taken_where_nothing_is_likely_enough() -> None:
    values, margins = np.array([[1.0, 3.0, 2.0], [1.0, 3.0, 2.0]]), np.array([[1.0, -1.0, 0.0], [-0.1, -1.0, -2.0]])
    assert best_kept(values, margins).tolist() == [2, 0]
    assert best_kept(values, None).tolist() == [1, 1]
    assert short_of(margins, 2).tolist() == pytest.approx([0.0, 1 + 0.1 / 1.1])
    assert short_of(None, 2).tolist() == [0.0, 0.0]


def test_of_scopes_that_all_fall_short_the_likeliest_falls_short_least() -> None:
    near, far, sure = np.array([[-0.1, -3.0]]), np.array([[-0.5, -0.6]]), np.array([[0.2, -9.0]])
    one, other = (share_short(short_of(margins, 1)) for margins in (near, far))
    assert 1.0 < one < other < 2.0
    some = share_short(np.append(short_of(far, 1), short_of(sure, 1)))
    assert some == 0.5, "a context in which something keeps to limits counts for more than all that is unlikely"
