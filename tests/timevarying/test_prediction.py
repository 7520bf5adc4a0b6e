"""What is remembered of a choice."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.timevarying.method import Belief, TimeVaryingMethod, belief_behind
from tests.timevarying.cases import sites


def test_a_choice_is_logged_with_what_was_expected_of_it() -> None:
    optimizer = sb.Optimizer(sites(), "tempered-elimination", seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    told = belief_behind(suggestion)
    assert isinstance(told, Belief)
    assert told == belief_behind(optimizer.events[-1])  # type: ignore[arg-type]
    assert told.band > 0
    assert told.upper == pytest.approx(told.mean + told.band)
    method = optimizer._method
    assert isinstance(method, TimeVaryingMethod)
    (row,) = method.table_of_present_choice().rows
    assert row == (1, optimizer.problem.shown(suggestion.values), method.names[told.prior], told.mean, told.band)


def test_no_prior_is_behind_a_draw() -> None:
    optimizer = sb.Optimizer(sites(), "random", seed=0)
    method = optimizer._method
    assert isinstance(method, TimeVaryingMethod)
    assert method.table_of_present_choice().rows == ()
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert belief_behind(suggestion) is None
    assert method.table_of_present_choice().rows == ()
