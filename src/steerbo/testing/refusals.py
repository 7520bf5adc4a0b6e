"""What is no outcome, context or option is refused by name, and nothing is lost by it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from ..core import Optimizer
from ..errors import (
    InvalidContext,
    InvalidOption,
    InvalidOutcome,
    OutcomeConflict,
    SteerboError,
    UnknownSuggestion,
    UnusualOutcomeWarning,
)
from .case import Case, Contract, changed, values_of


class Refusals(Contract):
    """Nothing gets into the log that is not allowed; outcomes of any size are survived."""

    def test_telling_twice(self, world: Case) -> None:
        optimizer = world.play(world.start(), 1)
        suggestion = world.ask(optimizer)
        outcome = world.outcome(suggestion)
        optimizer.tell(suggestion, **outcome)
        events = len(optimizer.events)
        optimizer.tell(suggestion.token, **outcome)
        assert len(optimizer.events) == events, "the same outcome twice changes nothing"
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.tell(suggestion, **{**outcome, "value": changed(lambda v: v + 1.0, outcome["value"])})

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
        unknown: dict[str, Any] = {"no_such_option": 1}
        with pytest.raises(InvalidOption, match="no_such_option"):
            Optimizer(world.problem, world.method, **unknown)
        for name, wrong in [("seed", -1), ("seed", 1.5), ("budget", 0), ("budget", float("nan")), ("rounds", 0)]:
            limits: dict[str, Any] = {name: wrong}
            with pytest.raises(InvalidOption, match=name):
                Optimizer(world.problem, world.method, **limits)

    @pytest.mark.parametrize("shape", ["constant", "huge", "tiny", "step", "edge"])
    def test_hostile_outcomes(self, world: Case, shape: str) -> None:
        optimizer = world.start()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UnusualOutcomeWarning)  # which these are
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
                optimizer.tell(suggestion, **{**outcome, "value": changed(scaled[shape], outcome["value"])})
            assert str(optimizer.recommend())
            assert str(optimizer.explain())
