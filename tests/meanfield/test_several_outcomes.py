"""Several outcomes of a fleet: what is told, what is chosen, and the trade-off that is answered."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidProblem

pytestmark = pytest.mark.few_draws

WANTED, FAR = np.array([0.4, 0.35, 0.25]), np.array([0.2, 0.5, 1.0])


def fleet(**more: Any) -> sb.MeanField:
    """Vans at three places: much is to be served, with little energy."""
    fields: dict[str, Any] = {"counts": True, "outcomes": {"energy": "minimize"}, **more}
    return sb.MeanField(["north", "south", "harbour"], agents=40, **fields)


def served(counts: dict[str, int]) -> tuple[float, float]:
    """What is served, and the energy for it: the harbour is far."""
    shares = np.array([*counts.values()]) / 40
    return float(WANTED @ (1 - np.exp(-2 * shares / WANTED))), float(FAR @ shares)


@cache
def played() -> sb.Optimizer:
    study = sb.Optimizer(fleet(), seed=1)
    for _ in range(11):
        suggestion = study.ask()
        value, energy = served(suggestion.values["counts"]["everyone"])
        study.tell(suggestion, value, realised={"energy": energy})
    return study


def test_the_trade_off_is_what_it_truly_is() -> None:
    """From all being served to hardly any way."""
    found = played().tradeoff()
    assert len(found.plays) > 5
    assert found.minimized == ("energy",)
    truth = np.array([served(play.values["counts"]["everyone"]) for play in found.plays])
    for play, (value, spent) in zip(found.plays, truth, strict=True):
        energy: Any = play.outcomes["energy"]
        assert abs(play.mean - value) < 0.06
        assert abs(energy.mean - spent) < 0.06
        assert energy.lower < energy.mean < energy.upper
    assert truth[0, 0] > 0.83 > truth[-1, 0]
    assert truth[-1, 1] < 0.3 < truth[0, 1]
    dear: Any = found.best({"energy": 9.0}).outcomes["energy"]
    assert dear.mean < 0.25


def test_what_a_play_adds_is_logged_and_said() -> None:
    study = played()
    gains = [each.suggestion.note["gain"] for each in study.history if "gain" in each.suggestion.note]
    assert len(gains) == 5
    assert gains[0] > 2 * gains[-1] > 0
    assert study.explain().summary.startswith("each round goes where the trade-off")


def test_a_study_that_is_read_again_suggests_the_same() -> None:
    study = played()
    one, other = sb.load(study.to_json()), sb.load(study.to_json())
    assert one.tradeoff() == study.tradeoff()
    assert one.ask().values == other.ask().values


def test_all_outcomes_are_predicted_and_told() -> None:
    counts = {"north": 14, "south": 13, "harbour": 13}
    value, energy = served(counts)
    foreseen = played().predict({"counts": {"everyone": counts}})
    assert (foreseen.mean, foreseen.outcomes["energy"].mean) == pytest.approx((value, energy), abs=0.06)
    study = sb.Optimizer(fleet(), seed=1)
    with pytest.raises(InvalidOutcome, match=r"realised\.energy.*trades the value against it"):
        study.tell(study.ask(), 1.0)
    study.add(0.3, {"counts": counts})
    assert "energy unknown" in study.predict({"counts": {"everyone": counts}}).expected


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcomes": {"north": "maximize"}}, "a name that nothing else has"),
        ({"outcomes": {"counts": "maximize"}}, "a name that nothing else has"),
        ({"feedback": "agents"}, "nothing beside `outcomes`"),
        ({"moving_cost": 1.0}, "make what moving costs one of them"),
        ({"current": {"north": 20, "south": 10, "harbour": 10}}, "nothing beside `outcomes`"),
    ],
)
def test_what_cannot_be_traded_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        fleet(**fields)


def test_methods_for_one_outcome_refuse_several() -> None:
    with pytest.raises(InvalidOption, match="a method for several outcomes"):
        sb.Optimizer(fleet(), method="mf-gp-ucb")
