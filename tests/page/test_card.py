"""The recommendation as a card."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.page.card import Card, card
from steerbo.rounds import Explanation, Reading, Recommendation
from tests.serve.players import KINDS, OVEN
from tests.torture.kills import WINGS


def shown(study: Reading) -> Card:
    return card(study.problem, study.recommend(), study.explain())


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_every_kind_has_one(wing: str) -> None:
    case, _ = WINGS[wing]
    study = case.start(rounds=9)
    before = shown(study)
    assert (before.mean, before.bounds) == ("unknown", "")
    case.play(study, 5)
    found = shown(study)
    assert found.scope
    assert found.mean != "unknown"
    assert " and " in found.bounds
    assert found.settings or found.policy
    assert found.why
    assert "\n" not in found.why


def test_what_it_says() -> None:
    advice = Recommendation(
        sb.Scope(["oven"]), {"oven": 151.23456}, 1.5, 1.0, 2.25, 3.0, "best so far", context={"weather": 4.0}
    )
    found = card(OVEN, advice, Explanation("why not\nand so on"))
    assert (found.seen, found.scope, found.mean, found.bounds) == ("weather = 4 °C", "oven", "1.5", "1 and 2.25")
    assert [(s.name, s.text) for s in found.settings] == [("oven", "151.2 °C")]
    assert (found.price, found.why, found.policy, found.others) == ("3", "Best so far.", None, None)
    assert card(OVEN, Recommendation(sb.Scope(["oven"]), {}), Explanation("why not\nand so on")).why == "why not"
