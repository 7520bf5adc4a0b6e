"""When a study ends, and what it answers before and after."""

from __future__ import annotations

import json

from ..core import Optimizer, Refitted
from ..records import to_dict
from .case import Case, Contract


class Answers(Contract):
    """Limits hold, and every answer can be shown and written."""

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
            assert any(said in str(advice) for said in ("nothing is measured yet", "nothing is known yet"))
            optimizer.fail(world.ask(optimizer), "no reading")
        world.play(optimizer, world.rounds)
        assert (optimizer.recommend().mean is not None) == world.predicts

    def test_answers_before_and_after_data(self, world: Case, played: Optimizer) -> None:
        for optimizer in (world.start(), played):
            for answer in (optimizer.recommend(), optimizer.explain(), optimizer.status):
                assert str(answer)
                json.dumps(to_dict(answer), allow_nan=False)
            world.play(optimizer, 1)

    def test_refits_are_logged(self, world: Case) -> None:
        refits = [event for event in self.whole(world).events if isinstance(event, Refitted)]
        asked = [event.round for event in refits]
        assert asked == sorted(asked)
