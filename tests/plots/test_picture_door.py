"""Who declares a kind says where the function is that draws it."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.core import Optimizer, Recommendation
from steerbo.errors import InvalidProblem
from steerbo.plots import pictures
from steerbo.plots.drawing import Picture, new_figure
from steerbo.testing import Case, PicturesContract
from tests.core.stub import Nearest, Stub, evaluate, look

pytest.importorskip("matplotlib")


def drawn(optimizer: Optimizer, advice: Recommendation) -> Any:
    """A function as somebody outside would write it."""
    yield Picture("a picture", str(advice), new_figure((2, 2), 72))


def broken(optimizer: Optimizer, advice: Recommendation) -> Any:
    """One that fails after its first picture."""
    yield from drawn(optimizer, advice)
    raise ZeroDivisionError("no round")


def early(optimizer: Optimizer, advice: Recommendation) -> Any:
    """One that fails at once."""
    raise KeyError("age")


def none(optimizer: Optimizer, advice: Recommendation) -> Any:
    """One that forgets to yield."""


def rubbish(optimizer: Optimizer, advice: Recommendation) -> Any:
    """One that yields no pictures."""
    return [Picture("a picture", "", None)]


def test_the_function_gets_what_is_recommended_and_computes_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", f"{__name__}:drawn")
    optimizer = Optimizer(Stub(), Nearest)
    (found,) = pictures(optimizer)
    assert found.text == str(optimizer.recommend())
    given = Recommendation(optimizer.recommend().scope, {"dose": 0.5})
    monkeypatch.setattr(Optimizer, "recommend", None)
    (found,) = pictures(optimizer, given)
    assert found.text == str(given)


def test_a_kind_that_says_nothing_has_a_picture() -> None:
    assert all(isinstance(picture, Picture) for picture in pictures(Optimizer(Stub(), Nearest)))


@pytest.mark.parametrize("place", ["nowhere", "no.such.module:draw", "steerbo.plots.rounds:nothing", ":draw"])
def test_a_function_that_is_nowhere_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", place)
    with pytest.raises(InvalidProblem, match=f"stub: pictures: '{place}' is not allowed"):
        list(pictures(Optimizer(Stub(), Nearest)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("early", "KeyError: 'age'"),
        ("none", "TypeError: 'NoneType'"),
        ("rubbish", "It yields Picture"),
        ("broken", "It failed: ZeroDivisionError: no round"),
    ],
)
def test_a_function_that_fails_is_named(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "pictures", f"{__name__}:{name}")
    with pytest.raises(InvalidProblem, match=f"stub: pictures: '{__name__}:{name}' is not allowed.*{said}"):
        list(pictures(Optimizer(Stub(), Nearest)))


class TestPicturesOfAnyKind(PicturesContract):
    """The picture that kinds have which say nothing else."""

    @staticmethod
    def case() -> Case:
        return Case(Stub(), Nearest, evaluate, look)
