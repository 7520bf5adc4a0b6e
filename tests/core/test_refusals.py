"""Calls that the core refuses before it asks a method, on a problem of each kind; nothing of them is kept in a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from steerbo.core import Event, Optimizer, ReproducibilityWarning
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidRequest, OutcomeConflict, UnknownSuggestion
from steerbo.records import from_dict, to_dict
from steerbo.testing import Case, changed, values_of
from tests.causal import worlds as causal
from tests.causal.published import FIGURE_1
from tests.core.stub import stub_case
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.timevarying import cases as timevarying

CASES: dict[str, Callable[[], Case]] = {
    "stub": stub_case,
    "cost-varying": lambda: costvarying.case("cheap-first"),
    "time-varying": lambda: timevarying.case("prior-elimination"),
    "time-varying, every prior": lambda: timevarying.case("random", timevarying.mixed()),
    "causal": lambda: causal.staged("coca-bo", initial=2),
    "causal with prices": lambda: causal.priced(FIGURE_1, ("x1", "x2", "c"), {"x1": 1, "x2": 2, "c": 0.5}, initial=1),
    "mean-field": lambda: meanfield.case("mf-gp-ucb", starting_points=3),
    "mean-field, outcomes by agent": lambda: meanfield.case("gp-ucb", meanfield.crowd(feedback="agents")),
}


@pytest.fixture(params=CASES)
def world(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def test_other_wheels_are_said(world: Case) -> None:
    """Replay of a log written with another numpy gives a `ReproducibilityWarning`."""
    created, *rest = world.play(world.start(), 2).events
    plain = to_dict(created)
    plain["fingerprint"]["numpy"] = "0.1"
    with pytest.warns(ReproducibilityWarning, match="other wheels"):
        Optimizer.replay(world.problem, [from_dict(Event, plain), *rest])


def test_bad_batch(world: Case) -> None:
    """The size of a batch is a positive integer; others are refused and nothing is logged."""
    optimizer = world.start()
    events = values_of(optimizer.events)
    wrongs: tuple[Any, ...] = (0, -1, 1.5, True, "2")
    for batch in wrongs:
        with pytest.raises(InvalidRequest, match="batch"):
            optimizer.ask(batch=batch, **world.request(1))
        assert values_of(optimizer.events) == events, batch


def test_amend_needs_something_to_amend(world: Case) -> None:
    """Amending without a change, or a round without an outcome, is refused."""
    optimizer = world.play(world.start(), 1)
    token = next(iter(optimizer.history)).suggestion.token
    with pytest.raises(InvalidOutcome, match="void=True"):
        optimizer.amend(token)
    suggestion = world.ask(optimizer)
    with pytest.raises(OutcomeConflict, match="no outcome yet"):
        optimizer.amend(suggestion, **world.outcome(suggestion))


def test_telling_twice(world: Case) -> None:
    """The same outcome told twice changes nothing; another one, or a failure, is a conflict."""
    optimizer = world.play(world.start(), 1)
    suggestion = world.ask(optimizer)
    outcome = world.outcome(suggestion)
    optimizer.tell(suggestion, **outcome)
    events = len(optimizer.events)
    optimizer.tell(suggestion.token, **outcome)
    assert len(optimizer.events) == events, "the same outcome twice changes nothing"
    with pytest.raises(OutcomeConflict, match="amend"):
        optimizer.tell(suggestion, **{**outcome, "value": changed(lambda v: v + 1.0, outcome["value"])})
    with pytest.raises(OutcomeConflict, match="amend"):
        optimizer.fail(suggestion)


def test_unknown_suggestion(world: Case) -> None:
    """A token that was never given out is refused."""
    optimizer = world.start()
    with pytest.raises(UnknownSuggestion, match="is unknown here"):
        optimizer.tell("99-none", 1.0)
    with pytest.raises(UnknownSuggestion, match="is unknown here"):
        optimizer.fail("99-none")


def test_bad_costs(world: Case) -> None:
    """Costs that are not finite numbers of at least 0 are refused and not logged."""
    optimizer = world.start()
    suggestion = world.ask(optimizer)
    events = values_of(optimizer.events)
    wrongs: tuple[Any, ...] = (float("nan"), float("inf"), -1, "1", True, 1e308)
    for cost in wrongs:
        with pytest.raises(InvalidOutcome, match="cost"):
            optimizer.tell(suggestion, **{**world.outcome(suggestion), "cost": cost})
        assert values_of(optimizer.events) == events, cost


def test_unknown_names(world: Case) -> None:
    """Realised values of unknown variables are refused by name."""
    optimizer = world.start()
    suggestion = world.ask(optimizer)
    outcome = world.outcome(suggestion)
    with pytest.raises(InvalidOutcome, match="temprature"):
        optimizer.tell(suggestion, **{**outcome, "realised": {**outcome.get("realised", {}), "temprature": 1.0}})
    with pytest.raises(InvalidOutcome, match="realised"):
        optimizer.tell(suggestion, **{**outcome, "realised": [1.0]})


def test_bad_options(world: Case) -> None:
    """Unknown methods, unknown options and invalid limits are refused by name."""
    with pytest.raises(InvalidOption, match="no-such-method"):
        Optimizer(world.problem, "no-such-method")
    unknown: dict[str, Any] = {"no_such_option": 1}
    with pytest.raises(InvalidOption, match="no_such_option"):
        Optimizer(world.problem, world.method, **unknown)
    for name, wrong in [("seed", -1), ("seed", 1.5), ("budget", 0), ("budget", float("nan")), ("rounds", 0)]:
        limits: dict[str, Any] = {name: wrong}
        with pytest.raises(InvalidOption, match=name):
            Optimizer(world.problem, world.method, **limits)


@pytest.mark.parametrize("world", sorted(CASES.keys() - {"mean-field, outcomes by agent"}), indirect=True)
def test_data_are_corrected_or_voided(world: Case) -> None:
    """A correction of data that corrects nothing is refused; void data come back. Outcomes by agent are never data."""
    assert world.added is not None
    optimizer = world.start()
    for _ in range(2):
        optimizer.add(5.0, world.added, cost=3.0, charge=True)
    optimizer.amend("added-2", void=True)
    events = values_of(optimizer.events)
    wrongs: tuple[dict[str, Any], ...] = ({}, {"value": 1.0, "void": True}, {"cost": -1})
    for wrong in wrongs:
        with pytest.raises(InvalidOutcome):
            optimizer.amend("added-1", **wrong)
    with pytest.raises(UnknownSuggestion):
        optimizer.amend("added-3", 1.0)
    assert values_of(optimizer.events) == events
    optimizer.amend("added-2", 1.0)
    assert [outcome.value for outcome in optimizer.history.added] == [5.0, 1.0]
    replayed = Optimizer.replay(optimizer.problem, optimizer.events)
    assert replayed.history.data == optimizer.history.data
