"""What was really played: as suggested, but for what is said to have been otherwise."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome
from steerbo.meanfield.realised import played_in, really_played
from steerbo.rounds import Optimizer
from tests.meanfield.test_problem import GOOD
from tests.meanfield.worlds import crowd

EVEN = {context: dict.fromkeys("abcd", 0.25) for context in ("day", "night")}


def test_without_a_word_it_is_what_was_suggested() -> None:
    problem = crowd()
    suggestion = Optimizer(problem, "random", seed=0).ask()
    assert suggestion is not None
    played = played_in(problem, suggestion, {}, needed=True)
    assert problem.table(played["distribution"]) == pytest.approx(problem.table(suggestion.values["distribution"]))
    assert played_in(problem, suggestion, {"distribution": GOOD}, needed=True)["distribution"] == problem.named(
        problem.table(GOOD)
    )


def test_counts_go_before_a_distribution_unless_they_are_those_that_were_suggested() -> None:
    problem = crowd(counts=True)
    suggestion = Optimizer(problem, "random", seed=0).ask()
    assert suggestion is not None
    counts = {"day": {"a": 30}, "night": {"b": 10}}
    other = played_in(problem, suggestion, {"counts": counts, "distribution": EVEN}, needed=True)
    assert other["distribution"]["day"]["a"] == 1.0
    same = {"counts": suggestion.values["counts"], "distribution": EVEN}
    assert played_in(problem, suggestion, same, needed=True)["distribution"] == EVEN, "a correction goes before them"


def test_what_is_seen_before_choosing_is_kept() -> None:
    problem = crowd(variables=[sb.Float("wind", 0, 9, seen=True)])
    assert really_played(problem, {"distribution": EVEN, "wind": 3}, needed=True)["wind"] == 3.0
    with pytest.raises(InvalidOutcome, match=r"wind: .*'wind' is missing"):
        really_played(problem, {"distribution": EVEN}, needed=True)


def test_the_representative_agent_is_asked_for_where_there_is_one() -> None:
    problem = crowd(feedback="representative")
    with pytest.raises(InvalidOutcome, match="representative"):
        really_played(problem, {"distribution": EVEN}, needed=True)
    assert set(really_played(problem, {"distribution": EVEN}, needed=False)) == {"distribution"}
    agent = {"context": "night", "action": "c"}
    assert really_played(problem, {"distribution": EVEN, **agent}, needed=True) == {"distribution": EVEN, **agent}
    with pytest.raises(InvalidOutcome, match=r"realised\.action: 'c' .*one of distribution"):
        really_played(crowd(), {"distribution": EVEN, "action": "c"}, needed=True)


@pytest.mark.parametrize(
    ("realised", "said"),
    [
        (7, "realised: 7 .*values by name"),
        ({"weather": "fine"}, r"realised\.weather: .*one of distribution, counts"),
        ({"distribution": EVEN}, r"realised\.night\.a: 0\.25 .*no agents here.*allows 'night' only b, c"),
    ],
)
def test_what_cannot_have_been_is_refused(realised: Any, said: str) -> None:
    problem = crowd(allowed={"night": ("b", "c")})
    suggestion = Optimizer(problem, "random", seed=0).ask()
    assert suggestion is not None
    with pytest.raises(InvalidOutcome, match=said):
        played_in(problem, suggestion, realised, needed=True)
