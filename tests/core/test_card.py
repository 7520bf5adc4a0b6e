"""What a person is told of a suggestion: expectation, cost, net value, limits, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Card, Optimizer, Suggestion
from steerbo.errors import UnknownSuggestion

VARIABLES = [sb.Float("ph", 4, 8, law=sb.Uniform()), sb.Float("heat", 10, 40, law=sb.Uniform())]


def played(**more: Any) -> tuple[Optimizer, Suggestion]:
    """A study with a few outcomes, and its next suggestion."""
    problem = sb.CostVarying(VARIABLES, [["ph"], ["ph", "heat"]], costs=[1, 3], **more)
    optimizer = Optimizer(problem, seed=3)
    for ph in (4.5, 5.5, 6.5, 7.5):
        for heat in (15.0, 30.0):
            optimizer.add(10 - (ph - 6) ** 2 - (heat - 25) ** 2 / 100, {"ph": ph, "heat": heat})
    return optimizer, optimizer.ask()


def test_it_expects_what_predict_predicts() -> None:
    optimizer, suggestion = played()
    card, predicted = optimizer.card(suggestion), optimizer.predict(suggestion.values)
    assert (card.mean, card.lower, card.upper) == (predicted.mean, predicted.lower, predicted.upper)
    assert card.cost == {1: 1.0, 2: 3.0}[len(suggestion.scope.set)]
    assert card.net is None
    assert card.expected in str(card)


@pytest.mark.parametrize("minimize", [False, True])
def test_net_value_is_worth_less_cost(minimize: bool) -> None:
    optimizer, suggestion = played(value_of_one=2.0, minimize=minimize)
    card = optimizer.card(suggestion.token)
    assert card.mean is not None
    assert card.cost is not None
    assert card.net == pytest.approx((-2.0 if minimize else 2.0) * card.mean - card.cost)


def test_a_reason_compares_the_bounds_that_were_logged() -> None:
    optimizer, _ = played()
    for _ in range(8):
        suggestion = optimizer.ask()
        (why,) = optimizer.card(suggestion).reasons
        bounds = suggestion.note["upper"]
        bound = bounds[len(suggestion.scope.set) - 1]
        assert why.values["bound"] == bound
        assert why.kind == ("best-bound" if bound == max(bounds) else "cheaper")
        nature = {"heat": 20.0} if "heat" not in suggestion.values else None
        optimizer.tell(suggestion, 8.0, realised=nature)


def test_it_can_be_told_like_a_suggestion() -> None:
    optimizer, suggestion = played()
    card = optimizer.card(suggestion)
    assert isinstance(card, Card)
    optimizer.tell(card, 9.0, realised={"heat": 20.0} if "heat" not in card.values else None)
    assert optimizer.status.told == 1


def test_nothing_is_expected_before_anything_is_known_and_own_settings_are_said_to_be_so() -> None:
    optimizer = Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), seed=0)
    first = optimizer.card(optimizer.ask())
    assert (first.mean, first.expected) == (None, "")
    assert [each.kind for each in first.reasons] == ["first-play"]
    assert [each.kind for each in optimizer.card(optimizer.attach({"ph": 5.0})).reasons] == ["own-play"]


def test_a_suggestion_of_another_study_is_refused() -> None:
    optimizer, _ = played()
    with pytest.raises(UnknownSuggestion):
        optimizer.card("9-none")


def test_the_first_rounds_have_no_expectation_afterwards_either() -> None:
    """`explain 1-…` told of the first one what was expected by today's outcomes."""
    optimizer = Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]], costs=[2]), seed=0)
    tokens = []
    for _ in range(7):
        suggestion = optimizer.ask()
        tokens.append(suggestion.token)
        optimizer.tell(suggestion, 10 - (suggestion.values["ph"] - 6) ** 2)
    first, last = optimizer.card(tokens[0]), optimizer.card(tokens[-1])
    assert (first.mean, first.expected) == (None, "when asked: cost 2")
    assert optimizer.predict(first.values).mean is not None
    assert last.expected.startswith("when asked: expected value ")


def test_an_open_round_keeps_what_was_expected_when_it_was_asked() -> None:
    optimizer, suggestion = played(limits=[sb.OutcomeConstraint("p", at_most=5)])
    for ph in (4.2, 5.2, 6.2, 7.2):
        optimizer.add(9 - (ph - 6) ** 2, {"ph": ph, "heat": 20.0, "p": ph})
    suggestion = optimizer.ask()
    before = optimizer.card(suggestion)
    other = optimizer.ask()
    assert optimizer.card(suggestion) == before, "another open round teaches nothing"
    assert not before.earlier
    nature = {"heat": 20.0, "ph": 5.0} | {"p": 4.0}
    optimizer.tell(other, 30.0, realised={name: x for name, x in nature.items() if name not in other.values})
    optimizer.add(25.0, {"ph": 5.0, "heat": 20.0, "p": 4.0})
    after = optimizer.card(suggestion)
    assert after == replace(before, earlier=True)
    assert after.expected == f"when asked: {before.expected}"
    assert optimizer.predict(suggestion.values).mean != before.mean, "by what is known now"


def test_what_was_looked_at_counts_until_the_settings_that_followed() -> None:
    graph = sb.CausalGraph.from_text("c -> a; c -> y; a -> y", target="y", intervenable=["a"])
    optimizer = Optimizer(sb.Causal(graph, [sb.Float("a", 0, 5), sb.Float("c", 0, 4)]), seed=0)
    for _ in range(12):
        suggestion = optimizer.decide(optimizer.ask(), {"c": 1.0 + optimizer.status.told % 3})
        before = optimizer.card(suggestion)
        optimizer.tell(suggestion, suggestion.values["a"] - suggestion.context["c"])
        assert optimizer.card(suggestion) == replace(before, earlier=True)
    assert before.mean is not None


def test_bounds_that_were_extended_since_do_not_count() -> None:
    optimizer, suggestion = played()
    before = optimizer.card(suggestion)
    optimizer.extend({"ph": (3, 9)})
    assert optimizer.card(suggestion) == replace(before, earlier=True)
