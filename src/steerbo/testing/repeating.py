"""The same seed and log give the same, bit for bit, in every order, on any number of threads."""

from __future__ import annotations

import json

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ..core import Event, Optimizer, Refitted, ReproducibilityWarning
from ..records import from_dict, to_dict
from .case import Case, Contract, backwards, bits, values_of


class Repeating(Contract):
    """What is promised about repeating."""

    def test_same_seed_same_events(self, world: Case) -> None:
        again = world.play(world.start(), world.rounds)
        assert values_of(again.events) == values_of(self.whole(world).events)

    def test_another_seed_changes_something(self, world: Case) -> None:
        other, events = world.start(seed=0), values_of(self.whole(world).events)
        for _ in range(world.rounds):
            world.play(other, 1)
            if values_of(other.events)[1:] != events[1 : len(other.events)]:
                return
        raise AssertionError("the same in every round")

    def test_replay_continues_bit_for_bit(self, world: Case) -> None:
        """From the first event, from refits and from the end the next round is the same; from a third, all are."""
        whole = self.whole(world)
        events, lines = values_of(whole.events), [json.dumps(to_dict(event)) for event in whole.events]
        refits = [i + 1 for i, event in enumerate(whole.events) if isinstance(event, Refitted)]
        third = len(lines) // 3 | 1
        for stop in sorted({1, *refits[:1], third, *refits[-1:], len(lines) - 1}):
            again = Optimizer.replay(world.problem, [from_dict(Event, json.loads(line)) for line in lines[:stop]])
            if again.pending:
                suggestion = world.decide(again, again.pending[0])
                again.tell(suggestion, **world.outcome(suggestion))
            left = world.rounds - len(again.history)
            world.play(again, left if stop == third else min(left, 1))
            # a refit is computed inside ask: a log that ends right after one asks again with those hyperparameters
            assert values_of(again.events) == events[: len(again.events)]
            assert len(again.events) > stop or stop == len(lines)
        assert bits(again.recommend()) == bits(whole.recommend())

    def test_a_log_that_keeps_no_order_gives_it_back(self, world: Case, played: Optimizer) -> None:
        whole = played
        if world.added is not None:
            whole.add(1.0, backwards(dict(world.added)))
        whole.ask(**world.request(world.rounds + 1))
        whole.fail(world.ask(whole), "nobody looked", cost=1.0)
        created, *rest = [to_dict(event) for event in whole.events]
        stored = json.loads(json.dumps([created, *rest], sort_keys=True))
        for lines in (stored, backwards(stored)):
            again = Optimizer.replay(world.problem, [from_dict(Event, line) for line in lines])
            assert values_of(again.events[1:]) == values_of(whole.events[1:])
            assert bits([r.realised for r in again.history]) == bits([r.realised for r in whole.history])
            assert bits(again.pending) == bits(whole.pending)
            assert bits(again.recommend()) == bits(whole.recommend())
            assert str(again.explain()) == str(whole.explain())
        for each in whole.history:
            for named in (each.suggestion.values, each.suggestion.context, each.realised):
                assert list(named) == [name for name in world.problem.columns if name in named]

    def test_replay_reads_the_past_and_never_recomputes_it(self, world: Case) -> None:
        events = self.whole(world).events
        other = Optimizer(world.problem, world.method, seed=8, **world.options).events[0]
        again = Optimizer.replay(world.problem, [other, *events[1:]])
        assert values_of(again.events[1:]) == values_of(events[1:])

    def test_any_number_of_threads_gives_the_same_bits(self, world: Case) -> None:
        events = values_of(self.whole(world).events)
        usual = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
        for threads in {1, 2} - (usual if len(usual) == 1 else set()):  # these it was played on
            with threadpool_limits(threads):
                assert values_of(world.play(world.start(), world.rounds).events) == events

    def test_json_round_trip(self, world: Case, paid: Optimizer) -> None:
        whole = paid
        plain = json.loads(whole.to_json())["events"]
        again = Optimizer.replay(world.problem, [from_dict(Event, event) for event in plain])
        assert again.to_json() == whole.to_json()
        assert bits(world.ask(again)) == bits(world.ask(whole))
        assert again.status == whole.status

    def test_other_wheels_are_said(self, world: Case) -> None:
        created, *rest = world.play(world.start(), 2).events
        plain = to_dict(created)
        plain["fingerprint"]["numpy"] = "0.1"
        with pytest.warns(ReproducibilityWarning, match="other wheels"):
            Optimizer.replay(world.problem, [from_dict(Event, plain), *rest])

    def test_problem_round_trip(self, world: Case) -> None:
        plain = json.loads(json.dumps(to_dict(world.problem)))
        assert from_dict(type(world.problem), plain) == world.problem
