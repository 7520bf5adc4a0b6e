"""Where plays were: encoded once for each round as it stands, and again when it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.arm import Arm
from steerbo.causal.played_rows import PlayedRows
from steerbo.core import Optimizer

GRAPH = sb.CausalGraph.from_text("c -> x -> y; c -> y; z -> y", target="y", intervenable=["x", "z"])
FAILED = (4, 5, 6, 7)
PROBLEM = sb.Causal(GRAPH, [sb.Float(name, 0, 1) for name in "xzc"])


@pytest.fixture
def played() -> tuple[Optimizer, Any]:
    optimizer = Optimizer(PROBLEM, "random", seed=0)
    for k in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.08 * k))
        if suggestion.round in FAILED:
            optimizer.fail(suggestion, "it broke")
        else:
            optimizer.tell(suggestion, float(k))
    return optimizer, optimizer._method


def test_a_row_is_encoded_once_and_again_where_a_round_has_changed(
    played: tuple[Optimizer, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer, method = played
    encoded, plain = list[Arm](), Arm.encode

    def counting(arm: Arm, values: Any) -> np.ndarray:
        encoded.append(arm)
        return plain(arm, values)

    monkeypatch.setattr(Arm, "encode", counting)
    rows = PlayedRows(method.arms, method.models.number)
    told = [each for each in optimizer.history if each.state == "told"]
    for each in (*told, *told):
        arm = method.arms[rows.arm(each)]
        assert arm.scope == each.suggestion.scope
        np.testing.assert_array_equal(rows.of(each), plain(arm, {**each.suggestion.context, **each.realised})[0])
    assert len(encoded) == len(told)
    first = told[0].suggestion
    name = next(iter(first.values))
    optimizer.amend(first, realised={name: 0.123})
    encoded.clear()
    for each in optimizer.history:
        if each.state == "told":
            rows.of(each)
    assert len(encoded) == 1
    assert 0.123 in rows.of(optimizer.history[first.token])


def test_what_nobody_measured_of_a_failure_is_in_the_middle(played: tuple[Optimizer, Any]) -> None:
    optimizer, method = played
    rows = PlayedRows([replace(arm, beside=("c",)) for arm in method.arms], method.models.number)
    failed = [each for each in optimizer.history if each.state == "failed"]
    assert len(failed) == len(FAILED)
    for each in failed:
        unseen = replace(
            each,
            suggestion=replace(each.suggestion, context={}),
            realised={name: value for name, value in each.realised.items() if name != "c"},
        )
        assert rows.of(unseen).tolist() == [each.suggestion.values["x"], each.suggestion.values["z"], 0.5]


def test_rounds_by_model_in_the_order_in_which_they_were_asked(played: tuple[Optimizer, Any]) -> None:
    optimizer, method = played
    optimizer.add(3.0, {"x": 0.5, "z": 0.5, "c": 0.5})
    rows, models = PlayedRows(method.arms, method.models.number), method.models
    found = rows.told(optimizer.history, models.of)
    assert len(found) == len(models.each)
    assert sorted(each.number for some in found for each, _ in some) == [n for n in range(1, 13) if n not in FAILED]
    for k, some in enumerate(found):
        assert [each.number for each, _ in some] == sorted(each.number for each, _ in some)
        assert all(models.of[rows.arm(each)] == k and each.outcome is outcome for each, outcome in some)
    k = max(range(len(found)), key=lambda k: len(found[k]))
    width = len(rows.of(found[k][0][0]))
    wider = np.full((2, width + 2), 0.3)
    both = rows.under(wider, found[k])
    assert both.shape == (2 + len(found[k]), width + 2)
    assert not both[2:, width:].any(), "columns that tell observations from plays"
    assert rows.under(wider, []) is wider
    assert rows.under(np.zeros((0, 9)), found[k]).shape == (len(found[k]), width)
