"""What was told is corrected, comes late, or was never asked for; bounds are widened."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ..core import BoundsExtended, Event, Optimizer, keyed
from ..errors import InvalidOutcome, InvalidProblem, OutcomeConflict, UnknownSuggestion
from ..records import from_dict, to_dict
from ..space import Float
from .case import Case, Contract, bits, changed, values_of


class Corrections(Contract):
    """A log that was corrected leads where the truth would have led."""

    def test_amended_to_the_truth_equals_the_truth(self, world: Case) -> None:
        straight = self.whole(world)
        wrong = Optimizer.replay(world.problem, straight.events)
        token = next(iter(wrong.history)).suggestion.token
        told = world.outcome(straight.history[token].suggestion)
        wrong.amend(token, **{**told, "value": changed(lambda v: v + 1.0, told["value"])})
        assert str(wrong.recommend())
        wrong.amend(token, **told)
        assert len(wrong.events) == len(straight.events) + 2, "the log keeps what was believed before"
        _close(to_dict(wrong.recommend()), to_dict(straight.recommend()))

    def test_void_takes_the_value_back_and_keeps_the_cost(self, world: Case, paid: Optimizer) -> None:
        optimizer = paid
        spent = optimizer.status.spent
        token = next(iter(optimizer.history)).suggestion.token
        optimizer.amend(token, void=True, reason="wrong sample")
        assert optimizer.status.told == world.rounds - 1
        assert optimizer.status.spent == spent
        world.play(optimizer, 1)

    def test_amend_needs_something_to_amend(self, world: Case) -> None:
        optimizer = world.play(world.start(), 1)
        token = next(iter(optimizer.history)).suggestion.token
        with pytest.raises(InvalidOutcome, match="void=True"):
            optimizer.amend(token)
        suggestion = world.ask(optimizer)
        with pytest.raises(OutcomeConflict, match="no outcome yet"):
            optimizer.amend(suggestion, **world.outcome(suggestion))

    def test_a_look_that_is_taken_back_leads_where_the_right_one_would(self, world: Case) -> None:
        straight, other = (world.play(world.start(), 3) for _ in range(2))
        suggestion, mistyped = (each.ask(**world.request(4)) for each in (straight, other))
        if not suggestion.observe:
            with pytest.raises(OutcomeConflict, match="nothing was looked at"):
                other.decide(mistyped, {}, again=True)
            return
        while suggestion.observe:
            wrong, right = world.look(suggestion, keyed(2, 4, "mistyped")), world.seen(suggestion)
            other.decide(mistyped, wrong)
            mistyped, suggestion = other.decide(mistyped, right, again=True), straight.decide(suggestion, right)
            assert bits(mistyped) == bits(suggestion)
        for optimizer in (straight, other):
            optimizer.tell(suggestion.token, **world.outcome(suggestion))
        with pytest.raises(OutcomeConflict, match="amend"):
            other.decide(mistyped, right, again=True)
        replayed = Optimizer.replay(world.problem, other.events)
        assert bits(world.ask(replayed)) == bits(world.ask(other)) == bits(world.ask(straight))

    def test_late_outcomes(self, world: Case) -> None:
        optimizer = world.play(world.start(), 3)
        late = world.ask(optimizer)
        world.play(optimizer, 3)
        optimizer.tell(late, **world.outcome(late))
        again = Optimizer.replay(world.problem, optimizer.events)
        assert bits(world.ask(again)) == bits(world.ask(optimizer))

    def test_added_data_is_not_a_round(self, world: Case) -> None:
        if world.added is None:
            return
        optimizer = world.start(budget=100, rounds=50)
        for _ in range(3):
            optimizer.add(1.0, world.added, cost=40.0)
        assert optimizer.status.rounds == 0
        assert optimizer.status.spent == 0
        assert not optimizer.status.finished, "money of the past is not this study's"
        optimizer.add(1.0, world.added, cost=7.0, charge=True)
        assert optimizer.status.spent == 7.0
        wrongs: tuple[dict[str, Any], ...] = ({"charge": True}, {"charge": 1, "cost": 1.0}, {"scope": "?"})
        for wrong in wrongs:
            with pytest.raises(InvalidOutcome, match=r"cost|charge|scope"):
                optimizer.add(1.0, world.added, **wrong)
        assert Optimizer.replay(world.problem, optimizer.events).status == optimizer.status
        world.play(optimizer, 3)
        with pytest.raises(InvalidOutcome):
            optimizer.add(1.0, {})

    def test_added_data_can_be_amended(self, world: Case) -> None:
        if world.added is None:
            return
        optimizer = world.play(world.start(), 3)
        straight = Optimizer.replay(world.problem, optimizer.events)
        optimizer.add(5.0, world.added, cost=3.0, charge=True)
        optimizer.add(2.0, world.added)
        straight.add(1.0, world.added, cost=4.0, charge=True)
        for _ in range(2):
            optimizer.amend("added-1", 1.0, cost=4.0, reason="typo")
        optimizer.amend("added-2", void=True)
        assert values_of(optimizer.history.added) == values_of(straight.history.added)  # type: ignore[arg-type]
        assert optimizer.status == straight.status
        for wrong in ({}, {"value": 1.0, "void": True}, {"cost": -1}):
            with pytest.raises(InvalidOutcome):
                optimizer.amend("added-1", **wrong)
        with pytest.raises(UnknownSuggestion):
            optimizer.amend("added-2", 1.0)
        again = Optimizer.replay(world.problem, optimizer.events)
        assert bits(again.recommend()) == bits(optimizer.recommend())
        optimizer.amend("added-1", void=True)
        assert optimizer.history.added == []
        assert optimizer.status.spent == straight.status.spent, "money that was charged is spent"
        world.play(optimizer, 1)
        assert bits(Optimizer.replay(world.problem, optimizer.events).recommend()) == bits(optimizer.recommend())

    def test_bounds_are_widened_in_a_running_study_or_refused_by_name(self, world: Case, played: Optimizer) -> None:
        optimizer = played
        floats = [variable for variable in world.problem.space if isinstance(variable, Float)]
        if not floats or not hasattr(world.problem, "variables"):
            with pytest.raises(InvalidProblem, match="bounds"):
                optimizer.extend({"x": (-1.0, 2.0)})
            return
        name, low, high = floats[0].name, floats[0].low, floats[0].high
        wide = {name: (low, high + (high - low) * 0.25)}
        out = world.ask(optimizer)
        optimizer.extend(wide)
        optimizer.extend(wide)
        assert sum(isinstance(event, BoundsExtended) for event in optimizer.events) == 1, (
            "the same twice changes nothing"
        )
        wrongs: tuple[dict[str, Any], ...] = (
            {name: (low, high)}, {name: "wide"}, {"x?": (0, 1)}, {name: (float("nan"), 2 * high)},
        )  # fmt: skip
        for wrong in wrongs:
            with pytest.raises(InvalidProblem, match=rf"{re.escape(name)}|x\?"):
                optimizer.extend(wrong)
        told = optimizer.history.n_completed
        optimizer.tell(out, **world.outcome(out))
        world.play(optimizer, 2)
        assert optimizer.history.n_completed == told + 3
        assert [str(optimizer.recommend()), str(optimizer.explain())]
        lines = json.loads(json.dumps([to_dict(event) for event in optimizer.events], sort_keys=True))
        answered, asked = (
            bits(optimizer.recommend()),
            bits(world.ask(Optimizer.replay(world.problem, optimizer.events))),
        )
        for problem in (world.problem, optimizer.problem):
            again = Optimizer.replay(problem, [from_dict(Event, line) for line in lines])
            assert again.problem == optimizer.problem
            assert values_of(again.events[1:]) == values_of(optimizer.events[1:])
            assert bits(again.recommend()) == answered
            assert bits(world.ask(again)) == asked
        law = optimizer.problem.space[name].law
        if law is not None:
            assert optimizer.problem.space[name].distribution.ppf(0.9) == floats[0].distribution.ppf(0.9)


def _close(one: Any, two: Any, path: str = "") -> None:
    """Equal but for rounding: 1e-6 relative, or 1e-6 of a unit."""
    assert type(one) is type(two), path
    if isinstance(one, dict):
        assert one.keys() == two.keys(), path
        for name in one:
            _close(one[name], two[name], f"{path}.{name}")
    elif isinstance(one, list):
        assert len(one) == len(two), path
        for i, (a, b) in enumerate(zip(one, two, strict=True)):
            _close(a, b, f"{path}[{i}]")
    elif isinstance(one, float):
        assert one == pytest.approx(two, rel=1e-6, abs=1e-6), path
    else:
        assert one == two, path
