"""Rounds that are out, failed, abandoned, or whose cost nobody knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ..core import Created, Optimizer
from ..errors import InvalidOutcome, InvalidRequest, OutcomeConflict
from .case import Case, Contract, bits


class Pending(Contract):
    """What is out or has failed counts when the next is chosen, and money is counted once.

    One point may be out twice where that is right: outcomes are noisy, and the best that is known is at a bound.
    """

    def test_many_pending_suggestions_differ(self, world: Case, played: Optimizer) -> None:
        optimizer = played
        out = [world.ask(optimizer) for _ in range(4)]
        assert len({s.token for s in out}) == 4
        assert {s.token for s in optimizer.pending} == {s.token for s in out}
        assert len({world.point(s) for s in out}) > 1, "what is out counts when the next is chosen"
        for suggestion in reversed(out):
            optimizer.tell(suggestion, **world.outcome(suggestion))
        assert optimizer.pending == ()
        world.play(optimizer, 1)

    def test_batch(self, world: Case) -> None:
        created, *rest = self.whole(world).events
        assert isinstance(created, Created)
        optimizer = Optimizer.replay(world.problem, [replace(created, rounds=world.rounds + 3), *rest])
        batch = optimizer.ask(batch=5, **world.request(world.rounds + 1))
        assert [s.round for s in batch] == [world.rounds + i for i in (1, 2, 3)]
        assert optimizer.ask(**world.request(world.rounds + 4)) is None
        assert "rounds are made" in optimizer.status.finished

    @pytest.mark.parametrize("batch", [0, -1, 1.5, True, "2"])
    def test_bad_batch(self, world: Case, batch: Any) -> None:
        with pytest.raises(InvalidRequest, match="batch"):
            world.start().ask(batch=batch, **world.request(1))

    def test_failed_rounds_cost_money_and_do_not_come_back(self, world: Case, paid: Optimizer) -> None:
        optimizer = paid
        spent = optimizer.status.spent
        points = []
        for _ in range(4):
            suggestion = world.ask(optimizer)
            points.append(world.point(suggestion))
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
        if (price := world.problem.price(broken)) is not None:  # everybody knows: it is stated
            assert optimizer.status.spent == pytest.approx(spent + price)
            assert optimizer.status.unpriced == 0
            return
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

    def test_abandoned_rounds_free_their_money_and_late_outcomes_are_used(self, world: Case, paid: Optimizer) -> None:
        optimizer = paid
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
        points = [world.point(s) for s in (left, late, open_still, fresh)]
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
