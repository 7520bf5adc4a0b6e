"""A generator of the gest-api standard: its promises, and ours."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("gest_api", reason="gest-api is not installed: pip install 'steerbo[gest]'")

from gest_api.generator import Generator
from gest_api.vocs import VOCS, ContextualVariable

import steerbo as sb
from steerbo.interop.gest import SteerboGenerator


def vocs(**more: Any) -> VOCS:
    given = {"variables": {"x": [0, 1], "mode": {"a", "b"}}, "objectives": {"f": "MAXIMIZE"}, "constants": {"k": 3}}
    return VOCS(**{**given, **more})


def measured(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "f": -((point["x"] - 0.3) ** 2) + (point["mode"] == "b")}


def test_it_finds_the_best_through_the_standards_words() -> None:
    generator = SteerboGenerator(vocs(), seed=1)
    assert isinstance(generator, Generator)
    for _ in range(6):
        points = generator.suggest(3)
        assert all(set(point) == {"x", "mode", "k", "_id"} for point in points)
        assert all(point["k"] == 3 for point in points)
        generator.ingest([measured(point) for point in points])
    generator.finalize()
    best = generator.optimizer.recommend().values
    assert best["mode"] == "b"
    assert abs(best["x"] - 0.3) < 0.15


def test_less_is_better_where_it_is_minimized() -> None:
    generator = SteerboGenerator(vocs(variables={"x": [0, 1]}, objectives={"f": "MINIMIZE"}))
    for _ in range(8):
        (point,) = generator.suggest()
        generator.ingest([{**point, "f": (point["x"] - 0.8) ** 2}])
    assert abs(generator.optimizer.recommend().values["x"] - 0.8) < 0.1


def test_points_of_others_and_unknown_ones() -> None:
    generator = SteerboGenerator(vocs())
    generator.ingest([{"x": 0.2, "mode": "a", "k": 3, "f": 1.0}])
    assert len(generator.optimizer.history.data) == 1
    with pytest.raises(ValueError, match="_id: 99"):
        generator.ingest([{"x": 0.2, "mode": "a", "f": 1.0, "_id": 99}])
    (point,) = generator.suggest(1)
    with pytest.raises(ValueError, match="value"):
        generator.ingest([{**point, "f": "high"}])
    generator.ingest([{**point, "f": math.nan}])
    assert generator.optimizer.status.failed == 1


def test_what_is_left_to_nature_is_nan_until_it_is_known() -> None:
    generator = SteerboGenerator(
        vocs(variables={"x": [0, 1], "y": [0, 1]}, observables={"price"}),
        control_sets=[["x"], ["x", "y"]],
        laws={"y": sb.Uniform()},
        cost="price",
        tolerance=sb.Absolute(0.1),
        budget=30.0,
    )
    played = 0
    for _ in range(12):
        (point,) = generator.suggest(1)
        left = math.isnan(point["y"])
        played += left
        y = 0.5 if left else point["y"]
        generator.ingest([{**point, "y": y, "f": point["x"] * y, "price": 1.0 if left else 3.0}])
    assert played
    assert generator.optimizer.status.spent == 1.0 * played + 3.0 * (12 - played)


def test_contexts_are_those_of_the_latest_result_or_as_said() -> None:
    generator = SteerboGenerator(vocs(variables={"x": [0, 1], "weather": ContextualVariable(domain=[0, 30])}))
    with pytest.raises(ValueError, match=r"context\.weather"):
        generator.suggest(1)
    generator.context = {"weather": 12.0}
    (point,) = generator.suggest(1)
    assert point["weather"] == 12.0
    generator.ingest([{**point, "weather": 13.0, "f": 1.0}])
    assert generator.suggest(1)[0]["weather"] == 13.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"objectives": {}}, "one objective"),
        ({"objectives": {"f": "MAXIMIZE", "g": "MINIMIZE"}}, "one objective"),
        ({"objectives": {"f": "EXPLORE"}}, "one objective"),
        ({"variables": {}}, "at least one variable"),
        ({"constraints": {"c": ["LESS_THAN", 0]}}, "outcomes cannot be limited"),
        ({"variables": {"x": [0, 1], "weather": "CONTEXTUAL"}}, "finite bounds"),
    ],
)
def test_what_cannot_be_expressed_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SteerboGenerator(vocs(**given))


def test_fewer_points_than_asked_for_are_none() -> None:
    generator = SteerboGenerator(vocs(), costs=[1.0], budget=2.5)
    with pytest.raises(ValueError, match="no 4 points are left"):
        generator.suggest(4)
    assert generator.optimizer.pending == ()
