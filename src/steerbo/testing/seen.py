"""Contract of contexts seen before choosing: read, kept, learned from, and refused by name where they are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ..core import Optimizer, Suggestion
from ..errors import InvalidContext, InvalidOutcome
from .case import Case, bits, values_of
from .contract import Contract


class SeenContract(Contract):
    """Tests for problems with variables that are `seen`; the `request` of the case gives a `context` in every round.

    At least one of them has no law. Inherit it beside `WingContract` or `TraitContract`, or alone
    for a method that keeps one of these without a context.
    """

    def test_the_context_is_kept_and_counts_as_realised(self, world: Case) -> None:
        """The given context is in the suggestion and in the realised values, and is neither set nor asked for."""
        optimizer = world.start()
        for number in range(1, world.rounds + 1):
            given = world.request(number)["context"]
            suggestion = world.ask(optimizer)
            assert given.items() <= suggestion.context.items()
            assert not given.keys() & suggestion.values.keys(), "a context is never set"
            assert given.items() <= optimizer.history[suggestion.token].realised.items()
            assert not given.keys() & set(optimizer.problem.unmeasured(suggestion))
            outcome = world.outcome(suggestion)
            measured = {k: v for k, v in outcome.get("realised", {}).items() if k not in given}
            optimizer.tell(suggestion, **{**outcome, "realised": measured})
            told = optimizer.history[suggestion.token].outcome
            assert told is not None
            assert given.items() <= told.realised.items()

    def test_what_was_really_seen_goes_before_the_forecast(self, world: Case) -> None:
        """A realised value that is told replaces the one given before the choice."""
        optimizer = world.play(world.start(), 1)
        suggestion = world.ask(optimizer)
        outcome = world.outcome(suggestion)
        name, other = _another(world, suggestion)
        optimizer.tell(
            suggestion, **{**outcome, "realised": {**outcome.get("realised", {}), name: other}}
        )
        assert optimizer.history[suggestion.token].realised[name] == other
        assert optimizer.history[suggestion.token].suggestion.context[name] != other

    def test_what_is_missing_or_wrong_is_refused_by_name(self, world: Case) -> None:
        """A context that lacks a variable without a law, or has an invalid value, is refused and not logged."""
        optimizer = world.play(world.start(), 1)
        request = world.request(2)
        good, events = request["context"], values_of(optimizer.events)
        lawless = [
            name for name in world.problem.space.seen if world.problem.space[name].law is None
        ]
        assert lawless, "the case has a variable without a law"
        name = lawless[0]
        without = {key: value for key, value in good.items() if key != name}
        wrong: list[Any] = [
            without,
            {**good, name: None},
            {**good, name: [1.0, 2.0]},
            {**good, "wether": 1.0},
            [1.0],
            "sun",
        ]
        for context in wrong:
            with pytest.raises(InvalidContext, match="context"):
                optimizer.ask(**{**request, "context": context})
        with pytest.raises(InvalidContext, match=name):
            optimizer.ask(**{key: value for key, value in request.items() if key != "context"})
        assert values_of(optimizer.events) == events

    def test_what_has_a_law_may_be_missing(self, world: Case, played: Optimizer) -> None:
        """A variable with a law may be missing before the choice, and must then be told with the outcome."""
        space, optimizer = world.problem.space, played
        lawful = [name for name in space.seen if space[name].law is not None]
        request = world.request(world.rounds + 1)
        context = {name: value for name, value in request["context"].items() if name not in lawful}
        suggestion = optimizer.ask(**{**request, "context": context})
        assert suggestion is not None
        suggestion = world.decide(optimizer, suggestion)
        assert not set(lawful) & suggestion.context.keys()
        optimizer.fail(suggestion, "rain", cost=1.0)
        assert world.ask(optimizer), (
            "the failed point is imputed with a draw of the value that was not seen"
        )
        if lawful:
            again = world.decide(optimizer, optimizer.ask(**{**request, "context": context}))
            given = {
                k: v for k, v in world.outcome(again).get("realised", {}).items() if k not in lawful
            }
            with pytest.raises(InvalidOutcome, match=lawful[0]):
                optimizer.tell(again, **{**world.outcome(again), "realised": given})

    def test_a_batch_shares_its_context(self, world: Case, played: Optimizer) -> None:
        """All suggestions of a batch have its context and different points."""
        optimizer = played
        request = world.request(world.rounds + 1)
        batch = [world.decide(optimizer, each) for each in optimizer.ask(batch=3, **request)]
        assert all(request["context"].items() <= each.context.items() for each in batch)
        # to set nothing can be tried again
        points = [world.point(each) for each in batch if each.values]
        assert len(set(points)) == len(points)

    def test_the_choice_hangs_on_the_context(self, world: Case) -> None:
        """After some rounds, choices differ in at least two of a few contexts."""
        if world.method == "random":
            return
        chosen = set()
        for number in range(1, 7):
            optimizer = Optimizer.replay(world.problem, self.whole(world).events)
            request = {
                **world.request(world.rounds + 1),
                "context": world.request(number)["context"],
            }
            suggestion = world.decide(optimizer, optimizer.ask(**request))
            chosen.add(bits([suggestion.scope, suggestion.values]))
            if len(chosen) > 1:
                return
        raise AssertionError(f"the same in every context: {chosen}")

    def test_what_is_learned_is_a_policy(self, world: Case) -> None:
        """Recommendations are for typical contexts, and the policy answers for any without an event."""
        optimizer = self.whole(world)
        events = values_of(optimizer.events)
        advice = optimizer.recommend()
        rows = (advice, *advice.alternatives)
        assert 1 <= len(rows) <= 5
        assert len({bits(row.context) for row in rows}) == len(rows)
        for row in rows:
            assert set(row.context) == set(world.problem.space.seen)
            assert not row.context.keys() & row.values.keys()
        for name, value in advice.context.items():
            assert f"{name} = " in str(advice), value
        for number in (1, 2):
            context = self.applied(world, optimizer, number)
            step = optimizer.policy(context)
            assert context.items() <= step.context.items()
        lawless = next(
            name for name in world.problem.space.seen if world.problem.space[name].law is None
        )
        with pytest.raises(InvalidContext, match=lawless):
            optimizer.policy({name: value for name, value in context.items() if name != lawless})
        assert values_of(optimizer.events) == events

    def applied(self, world: Case, optimizer: Optimizer, number: int) -> dict[str, Any]:
        """Context to which the policy is applied."""
        return dict(world.request(number)["context"])


def _another(world: Case, suggestion: Suggestion) -> tuple[str, Any]:
    """Name of a variable that was seen, and another value of it."""
    for number in range(suggestion.round + 1, suggestion.round + 50):
        for name, value in world.request(number)["context"].items():
            if name in suggestion.context and value != suggestion.context[name]:
                return name, value
    raise AssertionError("the case gives the same context in every round")
