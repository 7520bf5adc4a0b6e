"""The contract of methods as tests to inherit: all of it for a method, a part of it for a trait of a problem.

Contract of the pictures of a kind of problem: they can be drawn before there are outcomes, and
after.
"""

from __future__ import annotations

import copy
import json
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any, ClassVar

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ..core import (
    BoundsExtended,
    Created,
    Event,
    Optimizer,
    OutcomeTold,
    Recommendation,
    Refitted,
    keyed,
)
from ..errors import (
    InvalidContext,
    InvalidOutcome,
    InvalidProblem,
    OutcomeConflict,
    SteerboError,
    UnusualOutcomeWarning,
)
from ..plots import pictures
from ..plots.drawing import save_figure
from ..records import from_dict, to_dict
from ..space import Float
from .case import Case, backwards, bits, changed, values_of


class Contract:
    """Base of all contract classes: plays the case once for each class, and hands out copies of the played study."""

    case: Callable[[], Case]
    _played: ClassVar[dict[str, Optimizer]]
    _replayed: ClassVar[dict[str, Optimizer]]
    _advice: ClassVar[dict[str, Recommendation]]

    def __init_subclass__(cls, **more: Any) -> None:
        """Give each class caches of its own: its case may be another."""
        super().__init_subclass__(**more)
        cls._played, cls._replayed, cls._advice = {}, {}, {}

    def whole(self, world: Case) -> Optimizer:
        """All rounds of a case, played once for each class: tests only read it, or go on with a copy."""
        fresh = world.start()
        key = f"{world.rounds} rounds of {values_of(fresh.events)}"
        if key not in self._played:
            self._played[key] = world.play(fresh, world.rounds)
        return self._played[key]

    def advice(self, world: Case) -> Recommendation:
        """Recommendation after all rounds of a case, computed once for each class."""
        whole = self.whole(world)
        key = str(values_of(whole.events))
        if key not in self._advice:
            self._advice[key] = whole.recommend()
        return self._advice[key]

    def copied(self, world: Case, budget: float | None = None) -> Optimizer:
        """All rounds of a case, to go on with: a copy of the plays, or of one replay with this budget."""
        whole = self.whole(world)
        if budget is not None:
            created, *rest = whole.events
            assert isinstance(created, Created)
            key = f"{budget}: {values_of(whole.events)}"
            if key not in self._replayed:
                self._replayed[key] = Optimizer.replay(
                    world.problem, [replace(created, budget=budget), *rest]
                )
            whole = self._replayed[key]
        try:
            return copy.deepcopy(whole)
        except TypeError:  # a method of another package may hold an object that cannot be copied
            return Optimizer.replay(world.problem, whole.events)

    def continued(self, world: Case, stop: int, rounds: int) -> Optimizer:
        """Replay the first events of all, from JSON, play at most this many rounds, and compare the events."""
        events = self.whole(world).events
        lines = [json.loads(json.dumps(to_dict(event))) for event in events[:stop]]
        again = Optimizer.replay(world.problem, [from_dict(Event, line) for line in lines])
        if again.pending:
            suggestion = world.decide(again, again.pending[0])
            again.tell(suggestion, **world.outcome(suggestion))
        world.play(again, min(rounds, world.rounds - len(again.history)))
        # a refit is computed inside ask: a log that ends right after one asks again with those
        # hyperparameters
        assert values_of(again.events) == values_of(events[: len(again.events)])
        assert len(again.events) > stop or stop == len(events)
        return again

    @pytest.fixture
    def world(self) -> Case:
        """The case."""
        return type(self).case()

    @pytest.fixture
    def played(self, world: Case) -> Optimizer:
        """All rounds of the case, to go on with."""
        return self.copied(world)

    @pytest.fixture
    def paid(self, world: Case) -> Optimizer:
        """All rounds of the case with a large budget, to go on with."""
        return self.copied(world, 1000.0)


class TraitContract(Contract):
    """The tests that a trait of the problem can break, for a method that keeps the whole contract without it.

    A trait is a context that is seen, a drift, constraints, switching costs, a learned law and the
    like. It changes the state of a method, hence replays, imputation and re-encoding. Refusals,
    batches and options never reach the method.

        class TestDrifting(TraitContract):
            case = staticmethod(lambda: Case(drifting_problem, "my-method", evaluate))
    """

    def test_problem_round_trip(self, world: Case) -> None:
        """A problem written as JSON and read back is equal."""
        plain = json.loads(json.dumps(to_dict(world.problem)))
        assert from_dict(type(world.problem), plain) == world.problem

    def test_replay_continues_bit_for_bit_on_any_number_of_threads(self, world: Case) -> None:
        """A log continues as it did from its start, a third, a refit and the end, also with other BLAS threads."""
        events = self.whole(world).events
        third = len(events) // 3 | 1
        refits = [i + 1 for i, event in enumerate(events) if isinstance(event, Refitted)]
        for stop in sorted({*refits[:1], *refits[-1:], len(events) - 1}):
            self.continued(world, stop, 1)
        with _other_threads():
            self.continued(
                world, 1, 1 + sum(isinstance(event, OutcomeTold) for event in events[:third])
            )
            self.continued(world, third, world.rounds)

    def test_amended_to_the_truth_equals_the_truth(self, world: Case) -> None:
        """A wrong outcome that is corrected leads to the recommendation of a log that was right at once."""
        advice = self.advice(world)
        straight = self.whole(world)
        wrong = self.copied(world)  # with all that the recommendation has left in the method
        token = next(iter(wrong.history)).suggestion.token
        told = world.outcome(straight.history[token].suggestion)
        wrong.amend(token, **{**told, "value": changed(lambda v: v + 1.0, told["value"])})
        wrong.amend(token, **told)
        assert len(wrong.events) == len(straight.events) + 2, "the log keeps the wrong outcome, too"
        _close(to_dict(wrong.recommend()), to_dict(advice))

    def test_a_log_of_everything_that_can_happen_leads_to_one_state(
        self, world: Case, paid: Optimizer
    ) -> None:
        """Failed, abandoned, pending and late rounds, corrected data and widened bounds are read back in any order."""
        optimizer = paid
        _answers(world.start())
        gone, spent = [], optimizer.status.spent
        for _ in range(2):
            suggestion = world.ask(optimizer)
            gone.append(suggestion)
            for _ in range(2):
                optimizer.fail(suggestion, "the pump broke", cost=2.0)
        assert optimizer.status.spent == pytest.approx(spent + 4)
        left = world.ask(optimizer)
        for _ in range(2):
            optimizer.abandon(left, "the lab closed")
        status = optimizer.status
        assert (status.failed, status.abandoned, status.told) == (2, 1, world.rounds)
        late, *out = (world.ask(optimizer) for _ in range(3))
        # A point that worked before may be tried again after a mishap, and so may one that was not
        # played; to set nothing, too.
        successes = [each.suggestion for each in optimizer.history if each.state == "told"]
        worked = {world.point(each) for each in successes}
        for k, each in enumerate(gone):
            if each.values and world.point(each) not in worked:
                later = {world.point(other) for other in (*gone[k + 1 :], left, late)}
                assert world.point(each) not in later, (
                    "a point that failed whenever it was tried does not come back"
                )
        points = {world.point(each) for each in (late, *out)}
        assert len(points) > 1, "pending rounds count when the next is chosen"
        assert len({each.token for each in (late, *out)}) == 3
        assert {each.token for each in optimizer.pending} == {each.token for each in (late, *out)}
        for suggestion in reversed(out):
            optimizer.tell(suggestion, **world.outcome(suggestion))
        if world.added is not None:
            _added_and_amended(optimizer, self.copied(world, 1000.0), dict(world.added))
        widened = _widened(optimizer)
        world.play(optimizer, 1)  # a round that is chosen while an earlier one is out
        told = optimizer.history.n_completed
        optimizer.tell(late, **world.outcome(late))
        assert optimizer.pending == ()
        world.play(optimizer, 1)
        assert optimizer.history.n_completed == told + 2
        optimizer.ask(**world.request(optimizer.history.next_round))
        _read_back(world, optimizer)
        if widened is not None and widened.law is not None:
            assert optimizer.problem.space[widened.name].distribution.ppf(
                0.9
            ) == widened.distribution.ppf(0.9)

    def test_hostile_outcomes(self, world: Case) -> None:
        """Outcomes near the limits of floating point lead to further suggestions and to answers, without a warning."""
        _survives(world, "edge", together=world.rounds - 2)


class WingContract(Contract):
    """The whole contract, once for each method. Inherit it, and give `case`: a function that makes a `Case`.

    The same seed and log give the same bits, after a restart, in every order, on any number of
    threads. Pending, failed and abandoned rounds count when the next is chosen, and their cost
    counts once; one point may be out twice where that is right: outcomes are noisy, and the best
    that is known is at a bound. Late, added and corrected outcomes and widened bounds lead to the
    state of a right log. Invalid outcomes and contexts are refused by name and not logged; outcomes
    of any size are survived. Budgets end a study, and every answer can be shown and written as
    JSON.
    """

    test_problem_round_trip = TraitContract.test_problem_round_trip
    test_replay_continues_bit_for_bit_on_any_number_of_threads = (
        TraitContract.test_replay_continues_bit_for_bit_on_any_number_of_threads
    )
    test_amended_to_the_truth_equals_the_truth = (
        TraitContract.test_amended_to_the_truth_equals_the_truth
    )
    test_a_log_of_everything_that_can_happen_leads_to_one_state = (
        TraitContract.test_a_log_of_everything_that_can_happen_leads_to_one_state
    )

    def test_another_seed_changes_something(self, world: Case) -> None:
        """Another seed changes at least one event."""
        other, events = world.start(seed=0), values_of(self.whole(world).events)
        for _ in range(world.rounds):
            world.play(other, 1)
            if values_of(other.events)[1:] != events[1 : len(other.events)]:
                return
        raise AssertionError("the same in every round")

    def test_replay_reads_the_past_and_never_recomputes_it(self, world: Case) -> None:
        """Replay takes suggestions from the log, even under another seed."""
        events = self.whole(world).events
        other = Optimizer(world.problem, world.method, seed=8, **world.options).events[0]
        again = Optimizer.replay(world.problem, [other, *events[1:]])
        assert values_of(again.events[1:]) == values_of(events[1:])

    def test_batch(self, world: Case) -> None:
        """A batch ends with the last round that is allowed."""
        optimizer = world.play(world.start(rounds=5), 2)
        batch = optimizer.ask(batch=5, **world.request(3))
        assert [s.round for s in batch] == [3, 4, 5]
        assert optimizer.ask(**world.request(6)) is None
        assert "rounds are made" in optimizer.status.finished

    def test_a_cost_that_nobody_knows_stays_unknown(self, world: Case) -> None:
        """A failed round without a cost is counted as unpriced until its cost is amended."""
        optimizer = world.play(world.start(), 3)
        spent, mean = optimizer.status.spent, optimizer.history.mean_cost
        broken = world.ask(optimizer)
        before = mean(broken.scope)
        optimizer.fail(broken, "the pump broke")
        if (price := world.problem.price(broken)) is not None:  # everybody knows: it is stated
            assert optimizer.status.spent == pytest.approx(spent + price)
            assert optimizer.status.unpriced == 0
            return
        assert mean(broken.scope) == before
        assert (optimizer.status.spent, optimizer.status.unpriced) == (spent, 1)
        assert "and a round of unknown cost" in str(optimizer.status)
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
        """Under a budget a failed round needs a cost, or a charge until its cost is known."""
        optimizer = world.start(budget=1000)
        broken, lost = world.ask(optimizer), world.ask(optimizer)
        if world.problem.price(broken) is None:
            with pytest.raises(InvalidOutcome, match=r"cost: None .* budget.*charge"):
                optimizer.fail(broken)
            optimizer.fail(broken, charge=2.0)
            assert (
                optimizer.status.spent,
                optimizer.status.unpriced,
                optimizer.status.estimated,
            ) == (2.0, 1, 2.0)
            with pytest.raises(InvalidOutcome, match="cost"):
                optimizer.amend(broken, **{**world.outcome(broken), "cost": None})
            optimizer.amend(broken, cost=0.0)
            assert (
                optimizer.status.spent,
                optimizer.status.unpriced,
                optimizer.status.estimated,
            ) == (0.0, 0, 0.0)
            optimizer.amend(broken, **{**world.outcome(broken), "cost": None})
            assert optimizer.history[broken.token].paid == 0.0, "a cost of 0 is a cost"
        spent = optimizer.status.spent
        optimizer.abandon(lost, charge=3.0)
        assert optimizer.status.spent == spent + 3.0
        optimizer.tell(lost, **world.outcome(lost))
        assert optimizer.status.spent == pytest.approx(
            spent + optimizer.history[lost.token].charged
        )
        assert Optimizer.replay(world.problem, optimizer.events).status == optimizer.status

    def test_everything_failed(self, world: Case) -> None:
        """A study in which every round failed has answers."""
        optimizer = world.start()
        for _ in range(6):
            optimizer.fail(world.ask(optimizer), "nothing works", cost=1.0)
        assert str(optimizer.recommend())
        assert str(optimizer.explain())

    def test_abandoned_rounds_free_their_money_and_late_outcomes_are_used(
        self, world: Case
    ) -> None:
        """An abandoned round frees its reserved cost, and its late outcome is used."""
        optimizer = world.play(world.start(budget=1000.0), 3)
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
        optimizer.tell(late, **world.outcome(late))
        assert (optimizer.status.told, optimizer.status.abandoned) == (4, 1)
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.abandon(late)
        with pytest.raises(OutcomeConflict, match="no outcome yet"):
            optimizer.amend(left, void=True)
        # counts are folded anew
        optimizer.amend(late, **world.outcome(late), reason="the same again")
        again = Optimizer.replay(world.problem, optimizer.events)
        assert bits(again.status) == bits(optimizer.status)
        assert bits(world.ask(again)) == bits(world.ask(optimizer))

    def test_void_takes_the_value_back_and_keeps_the_cost(self, world: Case) -> None:
        """A voided outcome is forgotten and its cost stays spent."""
        optimizer = world.play(world.start(), 3)
        spent = optimizer.status.spent
        token = next(iter(optimizer.history)).suggestion.token
        optimizer.amend(token, void=True, reason="wrong sample")
        assert optimizer.status.told == 2
        assert optimizer.status.spent == spent
        world.play(optimizer, 1)

    def test_a_look_that_is_taken_back_leads_where_the_right_one_would(self, world: Case) -> None:
        """A context that is corrected leads to the same decisions as the right one."""
        other = world.play(world.start(), 3)
        mistyped = other.ask(**world.request(4))
        if not mistyped.observe:
            with pytest.raises(OutcomeConflict, match="nothing was looked at"):
                other.decide(mistyped, {}, again=True)
            return
        straight = Optimizer.replay(world.problem, other.events)
        suggestion = straight.pending[0]
        while suggestion.observe:
            wrong, right = world.look(suggestion, keyed(2, 4, "mistyped")), world.seen(suggestion)
            other.decide(mistyped, wrong)
            mistyped = other.decide(mistyped, right, again=True)
            suggestion = straight.decide(suggestion, right)
            assert bits(mistyped) == bits(suggestion)
        for optimizer in (straight, other):
            optimizer.tell(suggestion.token, **world.outcome(suggestion))
        with pytest.raises(OutcomeConflict, match="amend"):
            other.decide(mistyped, right, again=True)
        replayed = Optimizer.replay(world.problem, other.events)
        assert bits(world.ask(replayed)) == bits(world.ask(other)) == bits(world.ask(straight))

    def test_added_data_is_not_a_round(self, world: Case) -> None:
        """Added data are no rounds, and cost nothing unless charged."""
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
        wrongs: tuple[dict[str, Any], ...] = (
            {"charge": True},
            {"charge": 1, "cost": 1.0},
            {"scope": "?"},
        )
        for wrong in wrongs:
            with pytest.raises(InvalidOutcome, match=r"cost|charge|scope"):
                optimizer.add(1.0, world.added, **wrong)
        assert Optimizer.replay(world.problem, optimizer.events).status == optimizer.status
        world.play(optimizer, 3)
        if world.problem.needed_of_data({}):  # else nothing set and measured is a play, too
            with pytest.raises(InvalidOutcome):
                optimizer.add(1.0, {})

    def test_undecided_rounds_cannot_be_told(self, world: Case) -> None:
        """A round with variables left to observe has no outcome, and an invalid context is refused and not logged."""
        optimizer = world.start()
        suggestion = optimizer.ask(**world.request(1))
        assert suggestion is not None
        if not suggestion.observe:
            with pytest.raises(OutcomeConflict, match="nothing to look at"):
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

    def test_bad_values_are_refused_and_nothing_is_lost(self, world: Case) -> None:
        """Values that are not finite numbers of a possible size are refused and not logged."""
        optimizer = world.play(world.start(), 1)
        suggestion = world.ask(optimizer)
        events, outcome = values_of(optimizer.events), world.outcome(suggestion)
        wrongs: tuple[Any, ...] = (
            float("nan"), float("inf"), -float("inf"), None, "1.0", True, 1j, [], {}, 10**400, 1.1e100, -1e308,
        )  # fmt: skip
        for value in wrongs:
            with pytest.raises(InvalidOutcome, match="value"):
                optimizer.tell(suggestion, **{**outcome, "value": value})
            assert values_of(optimizer.events) == events, value
        optimizer.tell(suggestion, **outcome)

    @pytest.mark.parametrize("shape", ["constant", "huge", "tiny", "step", "edge"])
    def test_hostile_outcomes(self, world: Case, shape: str) -> None:
        """Outcomes of any size and shape lead to further suggestions and to answers, without a warning."""
        _survives(world, shape, together=1 if shape == "edge" else world.rounds - 2)

    def test_budget_ends_the_study(self, world: Case) -> None:
        """A spent budget ends a study, and no play costs more than is left."""
        optimizer = world.start(budget=4.5)
        for _ in range(50):
            left = optimizer.history.remaining
            suggestion = optimizer.ask(**world.request(optimizer.history.next_round))
            if suggestion is None:
                break
            assert (world.problem.price(suggestion) or 0.0) <= left + 1e-9
            suggestion = world.decide(optimizer, suggestion)
            optimizer.tell(suggestion, **world.outcome(suggestion))
        assert 0 < len(optimizer.history) <= 50
        assert suggestion is None
        assert optimizer.status.finished
        assert optimizer.status.told == len(optimizer.history)

    def test_nothing_is_expected_before_anything_is_measured(self, world: Case) -> None:
        """A recommendation has no mean and no bounds before the first outcome."""
        optimizer = world.start()
        for _ in range(2):
            advice = optimizer.recommend()
            for each in (advice, *advice.alternatives):
                assert (each.mean, each.lower, each.upper) == (None, None, None)
            assert any(
                said in str(advice) for said in ("nothing is measured yet", "nothing is known yet")
            )
            optimizer.fail(world.ask(optimizer), "no reading")
        assert (self.advice(world).mean is not None) == world.predicts

    def test_refits_are_logged(self, world: Case) -> None:
        """Refitted hyperparameters are logged in the order of rounds."""
        refits = [event for event in self.whole(world).events if isinstance(event, Refitted)]
        asked = [event.round for event in refits]
        assert asked == sorted(asked)

    def test_fits_that_cannot_be_used_are_made_again(self, world: Case) -> None:
        """A log whose hyperparameters fit no model is answered from: they are learned again, and that is said."""
        events = self.whole(world).events
        refits = [position for position, event in enumerate(events) if isinstance(event, Refitted)]
        for spoil in (_shortened, _renamed, _mistyped) if refits else ():
            plain = [to_dict(event, Event) for event in events[: refits[-1] + 1]]
            plain[-1]["hyperparameters"] = spoil(plain[-1]["hyperparameters"])
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                again = Optimizer.replay(world.problem, [from_dict(Event, line) for line in plain])
            said = [str(each.message) for each in caught if "cannot be used" in str(each.message)]
            assert len(said) == 1
            assert f"event {len(plain)} " in said[0]
            assert said[0] in str(again.status)
            _answers(again)
            again.refit()
            assert isinstance(again.events[-1], Refitted)
            assert said[0] not in str(again.status)
            _read_back(world, again)


def _shortened(plain: Any) -> Any:
    """Plain data in which every list, and every mapping of numbers, has lost its last part."""
    if isinstance(plain, list):
        return [_shortened(part) for part in plain[:-1]]
    if not isinstance(plain, dict):
        return plain
    kept = (
        list(plain)[:-1] if all(isinstance(part, str) for part in plain.values()) else list(plain)
    )
    return {name: _shortened(plain[name]) for name in kept}


def _renamed(plain: dict[str, Any]) -> Any:
    return {f"{name} of another": part for name, part in plain.items()}


def _mistyped(plain: dict[str, Any]) -> Any:
    return dict.fromkeys(plain, "no number")


def _other_threads() -> threadpool_limits:
    """Switch to another number of BLAS threads."""
    usual = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
    return threadpool_limits(2 if usual == {1} else 1, user_api="blas")


def _widened(optimizer: Optimizer) -> Float | None:
    """Widen the bounds of the first continuous variable, and return it as it was; None where none can be widened."""
    floats = [variable for variable in optimizer.problem.space if isinstance(variable, Float)]
    if not floats or not hasattr(optimizer.problem, "variables"):
        with pytest.raises(InvalidProblem, match="bounds"):
            optimizer.extend({"x": (-1.0, 2.0)})
        return None
    name, low, high = floats[0].name, floats[0].low, floats[0].high
    for _ in range(2):
        optimizer.extend({name: (low, high + (high - low) * 0.25)})
    assert sum(isinstance(event, BoundsExtended) for event in optimizer.events) == 1, (
        "the same twice changes nothing"
    )
    wrongs: tuple[dict[str, Any], ...] = (
        {name: (low, high)}, {name: "wide"}, {"x?": (0, 1)}, {name: (float("nan"), 2 * high)},
    )  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(InvalidProblem, match=rf"{re.escape(name)}|x\?"):
            optimizer.extend(wrong)
    return floats[0]


def _added_and_amended(optimizer: Optimizer, straight: Optimizer, added: dict[str, Any]) -> None:
    """Add data, correct and void them: they are as if they had been right at once; charges stay spent."""
    before = optimizer.status
    optimizer.add(5.0, added, cost=2.0, charge=True)
    optimizer.amend("added-1", void=True)
    assert optimizer.history.added == []
    assert optimizer.status.spent == pytest.approx(before.spent + 2.0), (
        "money that was charged is spent"
    )
    spent = optimizer.status.spent - straight.status.spent
    optimizer.add(5.0, backwards(added), cost=3.0, charge=True)
    optimizer.add(2.0, added)
    straight.add(1.0, added, cost=4.0, charge=True)
    for _ in range(2):
        optimizer.amend("added-2", 1.0, cost=4.0, reason="typo")
    optimizer.amend("added-3", void=True)
    assert values_of(optimizer.history.added) == values_of(straight.history.added)  # type: ignore[arg-type]
    after = optimizer.status
    assert after.spent == pytest.approx(straight.status.spent + spent)
    for name in (
        "rounds",
        "told",
        "failed",
        "abandoned",
        "pending",
        "reserved",
        "unpriced",
        "finished",
    ):
        assert getattr(after, name) == getattr(before, name), "data are no rounds"


def _answers(optimizer: Optimizer) -> list[str]:
    """Every answer: it can be shown, and written as JSON."""
    answers = [optimizer.recommend(), optimizer.explain(), optimizer.status]
    assert all(str(answer) for answer in answers)
    return [json.dumps(to_dict(answer), allow_nan=False) for answer in answers]


def _read_back(world: Case, whole: Optimizer) -> None:
    """A log leads to the same state from JSON as it was written, and where its mappings have lost their order."""
    written = json.loads(whole.to_json())["events"]
    assert (
        Optimizer.replay(world.problem, [from_dict(Event, line) for line in written]).to_json()
        == whole.to_json()
    )
    stored = json.loads(json.dumps(written, sort_keys=True))
    answers, pending = _answers(whole), bits(whole.pending)
    events, realised = values_of(whole.events[1:]), bits([each.realised for each in whole.history])
    replayed = []
    for problem, lines in ((world.problem, stored), (whole.problem, backwards(stored))):
        again = Optimizer.replay(problem, [from_dict(Event, line) for line in lines])
        assert again.problem == whole.problem
        assert values_of(again.events[1:]) == events
        assert bits([each.realised for each in again.history]) == realised
        assert bits(again.pending) == pending
        replayed.append(again)
    assert _answers(replayed[-1]) == answers
    for each in whole.history:
        for named in (each.suggestion.values, each.suggestion.context, each.realised):
            assert list(named) == [name for name in world.problem.columns if name in named]
    request = world.request(whole.history.next_round)
    asked = bits(whole.ask(**request))
    assert all(bits(again.ask(**request)) == asked for again in replayed)


def _survives(world: Case, shape: str, together: int) -> None:
    """Play a case with outcomes of another shape, warnings being errors, and ask for answers.

    After the first round, this many suggestions are asked for together, and one by one the rest of
    the rounds.
    """
    shapes: dict[str, Callable[[float, int], float]] = {
        "constant": lambda v, i: 3.0,
        "huge": lambda v, i: v * 1e12,
        "tiny": lambda v, i: v * 1e-12,
        "step": lambda v, i: 1e9 * (i % 2),
        "edge": lambda v, i: [1e100, -1e100, 5e-324, v][i % 4],
    }
    optimizer = world.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UnusualOutcomeWarning)  # which these are
        if world.warns is not None:
            warnings.simplefilter("ignore", world.warns)
        while (made := len(optimizer.history)) < world.rounds:
            for suggestion in [world.ask(optimizer) for _ in range(together if made == 1 else 1)]:
                outcome = world.outcome(suggestion)
                value = changed(lambda v: shapes[shape](v, suggestion.round - 1), outcome["value"])  # noqa: B023
                optimizer.tell(suggestion, **{**outcome, "value": value})
        assert str(optimizer.recommend())
        assert str(optimizer.explain())


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


class PicturesContract(Contract):
    """Inherit, and give `case`, where a kind of problem has `pictures` of its own. It needs matplotlib."""

    def test_pictures_of_a_study_can_be_drawn(self, world: Case, played: Optimizer) -> None:
        """Every picture can be drawn before the first round, with a suggestion pending, and after outcomes."""
        pytest.importorskip("matplotlib")
        asked = world.start()
        world.ask(asked)
        counts = [self._drawn(optimizer) for optimizer in (world.start(), asked, played)]
        assert counts[-1], "a study with outcomes has a picture"

    def test_drawing_changes_nothing(self, played: Optimizer) -> None:
        """Drawing reads a study and leaves its events as they are."""
        pytest.importorskip("matplotlib")
        before = played.events
        self._drawn(played)
        assert played.events == before, "a function that draws reads, and never asks or tells"

    @staticmethod
    def _drawn(optimizer: Optimizer) -> int:
        """Draw every picture, check its title and text, and return their number."""
        count = 0
        for picture in pictures(optimizer):
            assert picture.title.strip(), "a title"
            assert picture.text.strip(), f"{picture.title}: a text for those who cannot see it"
            save_figure(picture.figure, BytesIO(), format="png")
            count += 1
        return count
