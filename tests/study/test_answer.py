"""What an objective may answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steerbo.errors import ObjectiveFailure
from steerbo.study._run import read_observation, read_outcome


@pytest.mark.parametrize("answer", [1.5, {"value": 1.5}, {"value": 1.5, "cost": None}])
def test_answers(answer: Any) -> None:
    assert read_outcome(answer)["value"] == 1.5


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"valu": 1.5}, r"unknown 'valu'; .* mean 'value'"),
        ({}, "'value' is missing"),
        ({"cost": 1.0}, "'value' is missing"),
        ({"context": {"age": 3}}, "unknown 'context'"),
    ],
)
def test_answers_without_a_value(answer: Any, message: str) -> None:
    with pytest.raises(ObjectiveFailure, match=message):
        read_outcome(answer)


def test_contexts() -> None:
    assert read_observation({"context": {"age": 40}}, ("age",)) == {"age": 40}
    for answer in (40, None, {"age": 40}, {"context": 40}, {}):
        with pytest.raises(ObjectiveFailure, match=r"context|age"):
            read_observation(json.loads(json.dumps(answer)), ("age",))
