"""Surprises of mean-field rounds, as the log has them."""

from __future__ import annotations

import math

import pytest

import steerbo as sb
from steerbo.meanfield.surprises import surprise_of
from steerbo.rounds import Round
from steerbo.testing import Case
from tests.meanfield.worlds import case, crowd


def off(world: Case, played: Round) -> float:
    assert isinstance(world.problem, sb.MeanField)
    return surprise_of(world.problem, played)


def test_a_surprise_is_in_predictive_deviations_of_the_average() -> None:
    world = case("mf-gp-ucb")
    optimizer = world.play(world.start(), 6)
    suggestion = optimizer.ask()
    assert suggestion is not None
    note = suggestion.note
    deviation = math.hypot(note["deviation"], note["noise"])
    method = optimizer._method
    before = method.widening(optimizer.history, suggestion.scope)
    optimizer.tell(suggestion, note["expected"] - 7.0 * deviation)
    assert off(world, optimizer.history[suggestion.token]) == pytest.approx(-7.0)
    wide = method.widening(optimizer.history, suggestion.scope)
    assert wide > max(3.0, before)
    assert sb.load(optimizer.to_json())._method.widening(optimizer.history, suggestion.scope) == wide
    optimizer.amend(suggestion.token, note["expected"])
    assert method.widening(optimizer.history, suggestion.scope) < before, "others stay: the log has what was expected"


def test_what_was_not_expected_is_no_surprise() -> None:
    world = case("mf-gp-ucb")
    optimizer = world.play(world.start(), 1)
    (drawn,) = optimizer.history
    assert math.isnan(off(world, drawn)), "drawn at random"
    world.play(optimizer, 6)
    suggestion = optimizer.ask()
    assert suggestion is not None
    other = {context: {"a": 0.5, "b": 0.5} for context in ("day", "night")}
    optimizer.tell(suggestion, 9.0, realised={"distribution": other})
    assert math.isnan(off(world, optimizer.history[suggestion.token])), "another one was played"
    single = case("mf-gp-ucb", crowd(feedback="representative"))
    one = single.play(single.start(), 7)
    assert all(math.isnan(off(single, played)) for played in one.history), "single agents differ"
