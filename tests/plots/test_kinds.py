"""Who declares a kind says where the function is that draws it."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.errors import InvalidProblem
from steerbo.plots import pictures
from steerbo.plots.drawing import Picture
from steerbo.rounds import Optimizer, Recommendation
from tests.rounds.stub import Nearest, Stub

pytest.importorskip("matplotlib")


def drawn(optimizer: Optimizer, advice: Recommendation) -> Any:
    """A function as somebody outside would write it."""
    yield "a picture", advice


def test_the_function_gets_what_is_recommended_and_computes_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", f"{__name__}:drawn")
    optimizer = Optimizer(Stub(), Nearest)
    found: Any = list(pictures(optimizer))
    assert found == [("a picture", optimizer.recommend())]
    given = Recommendation(optimizer.recommend().scope, {"dose": 0.5})
    monkeypatch.setattr(Optimizer, "recommend", None)
    found = list(pictures(optimizer, given))
    assert found == [("a picture", given)]


def test_a_kind_that_says_nothing_has_a_picture() -> None:
    assert all(isinstance(picture, Picture) for picture in pictures(Optimizer(Stub(), Nearest)))


@pytest.mark.parametrize("place", ["nowhere", "no.such.module:draw", "steerbo.plots.rounds:nothing", ":draw"])
def test_a_function_that_is_nowhere_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", place)
    with pytest.raises(InvalidProblem, match=f"stub: pictures: '{place}' is not allowed"):
        list(pictures(Optimizer(Stub(), Nearest)))
