"""What every wing promises, as one class of tests: a wing passes it by giving a factory of `Case`s.

class TestMyMethod(WingContract):
    case = staticmethod(my_case)
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from steerbo.errors import (
    InvalidContext,
    InvalidOption,
    InvalidOutcome,
    InvalidProblem,
    InvalidRequest,
    OutcomeConflict,
    SteerboError,
    UnknownSuggestion,
)
from steerbo.record import from_plain, to_plain
from steerbo.rounds import (
    Event,
    Extended,
    Method,
    Optimizer,
    Problem,
    Refitted,
    ReproducibilityWarning,
    Suggestion,
    keyed,
)
from steerbo.space import Float

Draw = Callable[[Suggestion, np.random.Generator], dict[str, Any]]


def _nothing(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Case:
    """A problem with a method, and the world it is played in.

    `evaluate` returns what `tell` takes beside the suggestion; `look` returns the values of what a suggestion asks to
    observe; `request` returns what `ask` takes in a round; `added` are realised values for `add`; `warns` is what the
    method rightly says of outcomes that no model explains.
    """

    problem: Problem
    method: str | type[Method[Any, Any]]
    evaluate: Draw
    look: Draw = _nothing
    request: Callable[[int], dict[str, Any]] = lambda round: {}
    added: Mapping[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    rounds: int = 9
    warns: type[Warning] | None = None

    def start(self, **limits: Any) -> Optimizer:
        """A fresh optimizer; budget and rounds unlimited unless said."""
        return Optimizer(self.problem, self.method, **{"seed": 7, **limits}, **self.options)

    def ask(self, optimizer: Optimizer) -> Suggestion:
        """A suggestion with everything decided."""
        suggestion = optimizer.ask(**self.request(len(optimizer.history) + 1))
        assert suggestion is not None, optimizer.status
        return self.decide(optimizer, suggestion)

    def decide(self, optimizer: Optimizer, suggestion: Suggestion) -> Suggestion:
        """Look until there is nothing left to look at."""
        while suggestion.observe:
            before = dict(suggestion.values)
            suggestion = optimizer.decide(suggestion, self.seen(suggestion))
            assert before.items() <= suggestion.values.items(), "values only grow"
        return suggestion

    def seen(self, suggestion: Suggestion) -> dict[str, Any]:
        """What the world shows: the same for the same round and names, whenever one looks."""
        return self.look(suggestion, keyed(1, suggestion.round, f"look at {suggestion.observe}"))

    def outcome(self, suggestion: Suggestion, cost: float | None = 1.0) -> dict[str, Any]:
        """What the world answers: the same for the same round, whenever it is asked."""
        return {"cost": cost, **self.evaluate(suggestion, keyed(1, suggestion.round, "nature"))}

    def play(self, optimizer: Optimizer, rounds: int) -> Optimizer:
        """Ask, look, decide and tell, that many times."""
        for _ in range(rounds):
            suggestion = self.ask(optimizer)
            optimizer.tell(suggestion, **self.outcome(suggestion))
        return optimizer


def bits(value: Any) -> str:
    """Text that is equal only where every bit is, and where all that stands by name stands in the same order."""
    return json.dumps(to_plain(value))


def backwards(value: Any) -> Any:
    """The same with all that stands by name in another order, as a log may give it back."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in sorted(value, reverse=True)}
    return [backwards(part) for part in value] if isinstance(value, list) else value


def values_of(events: tuple[Event, ...]) -> list[str]:
    return [bits(event) for event in events]


class WingContract:
    """Inherit, and give `case`."""

    case: Callable[[], Case]

    @pytest.fixture
    def world(self) -> Case:
        return type(self).case()

    # -- repeating -----------------------------------------------------------------------------------------------------

    def test_same_seed_same_events(self, world: Case) -> None:
        one, two = (world.play(world.start(), world.rounds) for _ in range(2))
        assert values_of(one.events) == values_of(two.events)

    def test_another_seed_changes_something(self, world: Case) -> None:
        one, two = (world.play(world.start(seed=seed), world.rounds) for seed in (0, 1))
        assert values_of(one.events)[1:] != values_of(two.events)[1:]

    def test_replay_at_every_event_continues_bit_for_bit(self, world: Case) -> None:
        whole = world.play(world.start(), world.rounds)
        lines = [json.dumps(to_plain(event)) for event in whole.events]
        refits = [i + 1 for i, event in enumerate(whole.events) if isinstance(event, Refitted)]
        for stop in sorted({*range(1, len(lines), 3), *refits[-1:]}):
            again = Optimizer.replay(world.problem, [from_plain(Event, json.loads(line)) for line in lines[:stop]])
            if again.pending:
                suggestion = world.decide(again, again.pending[0])
                again.tell(suggestion, **world.outcome(suggestion))
            world.play(again, world.rounds - len(again.history))
            # a refit is computed inside ask: a log that ends right after one asks again with those hyperparameters
            assert values_of(again.events) == values_of(whole.events)
        assert bits(again.recommend()) == bits(whole.recommend())

    def test_a_log_that_keeps_no_order_gives_it_back(self, world: Case) -> None:
        whole = world.play(world.start(), world.rounds)
        if world.added is not None:
            whole.add(1.0, backwards(dict(world.added)))
        whole.ask(**world.request(world.rounds + 1))
        whole.fail(world.ask(whole), "nobody looked", cost=1.0)
        created, *rest = [to_plain(event) for event in whole.events]
        stored = json.loads(json.dumps([created, *rest], sort_keys=True))
        for lines in (stored, backwards(stored)):
            again = Optimizer.replay(world.problem, [from_plain(Event, line) for line in lines])
            assert values_of(again.events[1:]) == values_of(whole.events[1:])
            assert bits([r.realised for r in again.history]) == bits([r.realised for r in whole.history])
            assert bits(again.pending) == bits(whole.pending)
            assert bits(again.recommend()) == bits(whole.recommend())
            assert str(again.explain()) == str(whole.explain())
        for played in whole.history:
            for named in (played.suggestion.values, played.suggestion.context, played.realised):
                assert list(named) == [name for name in world.problem.columns if name in named]

    def test_replay_reads_the_past_and_never_recomputes_it(self, world: Case) -> None:
        played = world.play(world.start(), world.rounds)
        events = list(played.events)
        other = Optimizer(world.problem, world.method, seed=8, **world.options).events[0]
        again = Optimizer.replay(world.problem, [other, *events[1:]])
        assert values_of(again.events[1:]) == values_of(played.events[1:])

    def test_any_number_of_threads_gives_the_same_bits(self, world: Case) -> None:
        found = []
        for threads in (1, 2):
            with threadpool_limits(threads):
                found.append(values_of(world.play(world.start(), world.rounds).events))
        assert found[0] == found[1]

    def test_json_round_trip(self, world: Case) -> None:
        whole = world.play(world.start(budget=1e6, rounds=1000), world.rounds)
        plain = json.loads(whole.to_json())["events"]
        again = Optimizer.replay(world.problem, [from_plain(Event, event) for event in plain])
        assert again.to_json() == whole.to_json()
        assert bits(world.ask(again)) == bits(world.ask(whole))
        assert again.status == whole.status

    def test_other_wheels_are_said(self, world: Case) -> None:
        created, *rest = world.play(world.start(), 2).events
        plain = to_plain(created)
        plain["fingerprint"]["numpy"] = "0.1"
        with pytest.warns(ReproducibilityWarning, match="other wheels"):
            Optimizer.replay(world.problem, [from_plain(Event, plain), *rest])

    def test_problem_round_trip(self, world: Case) -> None:
        plain = json.loads(json.dumps(to_plain(world.problem)))
        assert from_plain(type(world.problem), plain) == world.problem

    # -- pending, failed, late, amended ------------------------------------------------------------------------------

    def test_many_pending_suggestions_differ(self, world: Case) -> None:
        optimizer = world.play(world.start(), world.rounds)
        out = [world.ask(optimizer) for _ in range(4)]
        assert len({s.token for s in out}) == 4
        assert {s.token for s in optimizer.pending} == {s.token for s in out}
        assert len({bits({"s": s.scope, "v": s.values}) for s in out}) == 4, "a pending point is not suggested again"
        for suggestion in reversed(out):
            optimizer.tell(suggestion, **world.outcome(suggestion))
        assert optimizer.pending == ()
        world.play(optimizer, 1)

    def test_batch(self, world: Case) -> None:
        optimizer = world.play(world.start(rounds=world.rounds + 3), world.rounds)
        batch = optimizer.ask(batch=5, **world.request(world.rounds + 1))
        assert [s.round for s in batch] == [world.rounds + i for i in (1, 2, 3)]
        assert optimizer.ask(**world.request(world.rounds + 4)) is None
        assert "rounds are made" in optimizer.status.finished

    @pytest.mark.parametrize("batch", [0, -1, 1.5, True, "2"])
    def test_bad_batch(self, world: Case, batch: Any) -> None:
        with pytest.raises(InvalidRequest, match="batch"):
            world.start().ask(batch=batch, **world.request(1))

    def test_failed_rounds_cost_money_and_do_not_come_back(self, world: Case) -> None:
        optimizer = world.play(world.start(budget=1000), world.rounds)
        spent = optimizer.status.spent
        points = []
        for _ in range(4):
            suggestion = world.ask(optimizer)
            points.append(bits({"s": suggestion.scope, "v": suggestion.values}))
            optimizer.fail(suggestion, "the pump broke", cost=2.0)
            optimizer.fail(suggestion, "the pump broke", cost=2.0)
        assert len(set(points)) == 4
        assert optimizer.status.spent == pytest.approx(spent + 8)
        assert (optimizer.status.failed, optimizer.status.told) == (4, world.rounds)
        suggestion = world.ask(optimizer)
        optimizer.tell(suggestion, **world.outcome(suggestion))
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.fail(suggestion)

    def test_a_cost_that_nobody_knows_stays_unknown(self, world: Case) -> None:
        optimizer = world.play(world.start(), 3)
        spent, mean = optimizer.status.spent, optimizer.history.mean_cost
        broken = world.ask(optimizer)
        before = mean(broken.scope)
        optimizer.fail(broken, "the pump broke")
        assert mean(broken.scope) == before
        assert (optimizer.status.spent, optimizer.status.unpriced) == (spent, 1)
        assert "and a round whose cost nobody knows" in str(optimizer.status)
        optimizer.amend(broken, cost=0.25, reason="the bill came")
        assert optimizer.status.spent == pytest.approx(spent + 0.25)
        assert optimizer.status.unpriced == 0
        assert optimizer.history[broken.token].state == "failed"
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.fail(broken, "the pump broke", cost=9.0)
        again = Optimizer.replay(world.problem, optimizer.events)
        assert again.status == optimizer.status
        assert bits(world.ask(again)) == bits(world.ask(optimizer))

    def test_with_a_budget_a_failure_needs_a_cost_or_a_charge(self, world: Case) -> None:
        optimizer = world.start(budget=1000)
        broken, lost = world.ask(optimizer), world.ask(optimizer)
        if world.problem.price(broken) is None:
            with pytest.raises(InvalidOutcome, match=r"cost: None .* budget.*charge"):
                optimizer.fail(broken)
            optimizer.fail(broken, charge=2.0)
            assert (optimizer.status.spent, optimizer.status.unpriced, optimizer.status.estimated) == (2.0, 1, 2.0)
            with pytest.raises(InvalidOutcome, match="cost"):
                optimizer.amend(broken, **{**world.outcome(broken), "cost": None})
            optimizer.amend(broken, cost=0.0)
            assert (optimizer.status.spent, optimizer.status.unpriced, optimizer.status.estimated) == (0.0, 0, 0.0)
            optimizer.amend(broken, **{**world.outcome(broken), "cost": None})
            assert optimizer.history[broken.token].paid == 0.0, "a cost of 0 is a cost"
        spent = optimizer.status.spent
        optimizer.abandon(lost, charge=3.0)
        assert optimizer.status.spent == spent + 3.0
        optimizer.tell(lost, **world.outcome(lost))
        assert optimizer.status.spent == pytest.approx(spent + optimizer.history[lost.token].charged)
        assert Optimizer.replay(world.problem, optimizer.events).status == optimizer.status

    def test_everything_failed(self, world: Case) -> None:
        optimizer = world.start()
        for _ in range(6):
            optimizer.fail(world.ask(optimizer), "nothing works", cost=1.0)
        assert str(optimizer.recommend())
        assert str(optimizer.explain())

    def test_abandoned_rounds_free_their_money_and_late_outcomes_are_used(self, world: Case) -> None:
        optimizer = world.play(world.start(budget=1000), world.rounds)
        reserved = optimizer.status.reserved
        left, late, open_still = (world.ask(optimizer) for _ in range(3))
        for _ in range(2):
            optimizer.abandon(left, "the lab closed")
            optimizer.abandon(late.token)
        assert optimizer.status.abandoned == 2
        assert [s.token for s in optimizer.pending] == [open_still.token]
        assert optimizer.status.reserved == pytest.approx(
            reserved + (optimizer.history[open_still.token].expected_cost or 0.0)
        )
        fresh = world.ask(optimizer)
        points = [bits({"s": s.scope, "v": s.values}) for s in (left, late, open_still, fresh)]
        assert len(set(points)) == 4, "an abandoned point is not suggested again"
        optimizer.tell(late, **world.outcome(late))
        assert (optimizer.status.told, optimizer.status.abandoned) == (world.rounds + 1, 1)
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.abandon(late)
        with pytest.raises(OutcomeConflict, match="no outcome yet"):
            optimizer.amend(left, void=True)
        optimizer.amend(late, **world.outcome(late), reason="the same again")  # counts are folded anew
        again = Optimizer.replay(world.problem, optimizer.events)
        assert bits(again.status) == bits(optimizer.status)
        assert bits(world.ask(again)) == bits(world.ask(optimizer))

    def test_amended_to_the_truth_equals_the_truth(self, world: Case) -> None:
        straight = world.play(world.start(), world.rounds)
        wrong = Optimizer.replay(world.problem, straight.events)
        token = next(iter(wrong.history)).suggestion.token
        told = world.outcome(straight.history[token].suggestion)
        wrong.amend(token, **{**told, "value": _other(told["value"])})
        assert str(wrong.recommend())
        wrong.amend(token, **told)
        assert len(wrong.events) == len(straight.events) + 2, "the log keeps what was believed before"
        _close(to_plain(wrong.recommend()), to_plain(straight.recommend()))

    def test_void_takes_the_value_back_and_keeps_the_cost(self, world: Case) -> None:
        optimizer = world.play(world.start(budget=1000), world.rounds)
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
        optimizer, straight = (world.play(world.start(), 3) for _ in range(2))
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

    # -- wider bounds --------------------------------------------------------------------------------------------------

    def test_bounds_are_widened_in_a_running_study_or_refused_by_name(self, world: Case) -> None:
        optimizer = world.play(world.start(), world.rounds)
        floats = [variable for variable in world.problem.space if isinstance(variable, Float)]
        if not floats or world.problem.kind == "stub":
            with pytest.raises(InvalidProblem, match="bounds"):
                optimizer.extend({"x": (-1.0, 2.0)})
            return
        name, low, high = floats[0].name, floats[0].low, floats[0].high
        wide = {name: (low, high + (high - low) * 0.25)}
        out = world.ask(optimizer)
        optimizer.extend(wide)
        optimizer.extend(wide)
        assert sum(isinstance(event, Extended) for event in optimizer.events) == 1, "the same twice changes nothing"
        wrongs: tuple[dict[str, Any], ...] = (
            {name: (low, high)}, {name: "wide"}, {"x?": (0, 1)}, {name: (float("nan"), 2 * high)},
        )  # fmt: skip
        for wrong in wrongs:
            with pytest.raises(InvalidProblem, match=rf"{re.escape(name)}|x\?"):
                optimizer.extend(wrong)
        told = optimizer.history.told
        optimizer.tell(out, **world.outcome(out))
        world.play(optimizer, 4)
        assert optimizer.history.told == told + 5
        assert [str(optimizer.recommend()), str(optimizer.explain())]
        lines = json.loads(json.dumps([to_plain(event) for event in optimizer.events], sort_keys=True))
        for problem in (world.problem, optimizer.problem):
            again = Optimizer.replay(problem, [from_plain(Event, line) for line in lines])
            assert again.problem == optimizer.problem
            assert values_of(again.events[1:]) == values_of(optimizer.events[1:])
            assert bits(again.recommend()) == bits(optimizer.recommend())
            assert bits(world.ask(again)) == bits(world.ask(Optimizer.replay(world.problem, optimizer.events)))
        law = optimizer.problem.space[name].law
        if law is not None:
            assert optimizer.problem.space[name].distribution.ppf(0.9) == floats[0].distribution.ppf(0.9)

    # -- the same thing twice, and things that never were --------------------------------------------------------------

    def test_telling_twice(self, world: Case) -> None:
        optimizer = world.play(world.start(), 1)
        suggestion = world.ask(optimizer)
        outcome = world.outcome(suggestion)
        optimizer.tell(suggestion, **outcome)
        events = len(optimizer.events)
        optimizer.tell(suggestion.token, **outcome)
        assert len(optimizer.events) == events, "the same outcome twice changes nothing"
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.tell(suggestion, **{**outcome, "value": _other(outcome["value"])})

    def test_unknown_suggestion(self, world: Case) -> None:
        optimizer = world.start()
        with pytest.raises(UnknownSuggestion, match="never made here"):
            optimizer.tell("99-none", 1.0)
        with pytest.raises(UnknownSuggestion, match="never made here"):
            optimizer.fail("99-none")

    def test_undecided_rounds_cannot_be_told(self, world: Case) -> None:
        optimizer = world.start()
        suggestion = optimizer.ask(**world.request(1))
        assert suggestion is not None
        if not suggestion.observe:
            with pytest.raises(InvalidContext):
                optimizer.decide(suggestion, {"never heard of": 1.0})
            return
        with pytest.raises(SteerboError):
            optimizer.tell(suggestion, **world.outcome(world.decide(world.start(), suggestion)))
        good = world.seen(suggestion)
        first = suggestion.observe[0]
        for wrong in (
            {},
            {**good, "x?": 1.0},
            {**good, first: float("nan")},
            {**good, first: "high"},
            {**good, first: None},
        ):
            events = len(optimizer.events)
            with pytest.raises(InvalidContext, match="context"):
                optimizer.decide(suggestion, wrong)
            assert len(optimizer.events) == events
        optimizer.fail(suggestion, "the patient left")

    # -- hostile input -------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "value",
        [float("nan"), float("inf"), -float("inf"), None, "1.0", True, 1j, [], {}, 10**400, 1.1e100, -1e308],
        ids=str,
    )
    def test_bad_values_are_refused_and_nothing_is_lost(self, world: Case, value: Any) -> None:
        optimizer = world.play(world.start(), 1)
        suggestion = world.ask(optimizer)
        events = values_of(optimizer.events)
        with pytest.raises(InvalidOutcome, match="value"):
            optimizer.tell(suggestion, **{**world.outcome(suggestion), "value": value})
        assert values_of(optimizer.events) == events
        optimizer.tell(suggestion, **world.outcome(suggestion))

    @pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1, "1", True, 1e308])
    def test_bad_costs(self, world: Case, cost: Any) -> None:
        optimizer = world.start()
        suggestion = world.ask(optimizer)
        with pytest.raises(InvalidOutcome, match="cost"):
            optimizer.tell(suggestion, **{**world.outcome(suggestion), "cost": cost})

    def test_unknown_names(self, world: Case) -> None:
        optimizer = world.start()
        suggestion = world.ask(optimizer)
        outcome = world.outcome(suggestion)
        with pytest.raises(InvalidOutcome, match="temprature"):
            optimizer.tell(suggestion, **{**outcome, "realised": {**outcome.get("realised", {}), "temprature": 1.0}})
        with pytest.raises(InvalidOutcome, match="realised"):
            optimizer.tell(suggestion, **{**outcome, "realised": [1.0]})

    def test_bad_options(self, world: Case) -> None:
        with pytest.raises(InvalidOption, match="no-such-method"):
            Optimizer(world.problem, "no-such-method")
        with pytest.raises(InvalidOption, match="no_such_option"):
            Optimizer(world.problem, world.method, no_such_option=1)
        for name, wrong in [("seed", -1), ("seed", 1.5), ("budget", 0), ("budget", float("nan")), ("rounds", 0)]:
            limits: dict[str, Any] = {name: wrong}
            with pytest.raises(InvalidOption, match=name):
                Optimizer(world.problem, world.method, **limits)

    @pytest.mark.parametrize("shape", ["constant", "huge", "tiny", "step", "edge"])
    def test_hostile_outcomes(self, world: Case, shape: str) -> None:
        optimizer = world.start()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if world.warns is not None:
                warnings.simplefilter("ignore", world.warns)
            for i in range(world.rounds):
                suggestion = world.ask(optimizer)
                outcome = world.outcome(suggestion)
                scaled: dict[str, Callable[[float], float]] = {
                    "constant": lambda v: 3.0,
                    "huge": lambda v: v * 1e12,
                    "tiny": lambda v: v * 1e-12,
                    "step": lambda v: 1e9 * (i % 2),  # noqa: B023  called in this very turn
                    "edge": lambda v: [1e100, -1e100, 5e-324, v][i % 4],  # noqa: B023
                }
                optimizer.tell(suggestion, **{**outcome, "value": _map(scaled[shape], outcome["value"])})
            assert str(optimizer.recommend())
            assert str(optimizer.explain())

    # -- limits and answers --------------------------------------------------------------------------------------------

    def test_budget_ends_the_study(self, world: Case) -> None:
        optimizer = world.start(budget=4.5)
        for _ in range(50):
            suggestion = optimizer.ask(**world.request(len(optimizer.history) + 1))
            if suggestion is None:
                break
            suggestion = world.decide(optimizer, suggestion)
            optimizer.tell(suggestion, **world.outcome(suggestion))
        assert 0 < len(optimizer.history) <= 50
        assert suggestion is None
        assert optimizer.status.finished
        assert optimizer.status.told == len(optimizer.history)

    def test_nothing_is_expected_before_anything_is_measured(self, world: Case) -> None:
        optimizer = world.start()
        for _ in range(2):
            advice = optimizer.recommend()
            for each in (advice, *advice.alternatives):
                assert (each.mean, each.lower, each.upper) == (None, None, None)
                assert any(said in str(each) for said in ("nothing is measured yet", "nothing is known yet"))
            optimizer.fail(world.ask(optimizer), "no reading")
        world.play(optimizer, world.rounds)
        assert optimizer.recommend().mean is not None or world.problem.kind == "stub"

    def test_answers_before_and_after_data(self, world: Case) -> None:
        optimizer = world.start()
        for _ in range(2):
            for answer in (optimizer.recommend(), optimizer.explain(), optimizer.status):
                assert str(answer)
                json.dumps(to_plain(answer), allow_nan=False)
            world.play(optimizer, world.rounds)

    def test_refits_are_logged(self, world: Case) -> None:
        optimizer = world.play(world.start(), world.rounds)
        refits = [event for event in optimizer.events if isinstance(event, Refitted)]
        asked = [event.round for event in refits]
        assert asked == sorted(asked)


def _other(value: Any) -> Any:
    return _map(lambda v: v + 1.0, value)


def _map(change: Callable[[float], float], value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_map(change, part) for part in value]
    if isinstance(value, dict):
        return {name: _map(change, part) for name, part in value.items()}
    return change(value) if isinstance(value, float | int) else value


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
