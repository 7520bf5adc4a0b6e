"""Why something hard to change was moved, or left where it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import steerbo as sb
from steerbo.core.events import upgrade_format
from steerbo.costvarying.reasons import Moving, Reasons
from steerbo.records import from_dict, to_dict
from tests.costvarying.test_money import OVEN, value_of
from tests.costvarying.worlds import PROBLEM, evaluate


def test_it_is_said_of_a_play_that_stays_and_of_one_that_moves() -> None:
    strict = replace(OVEN, control_sets=[["oven", "speed", "feed"]], costs=[1], tolerance=sb.Absolute(0.0))
    optimizer = sb.Optimizer(strict, budget=500, seed=0)
    said: dict[bool, str] = {}
    for _ in range(24):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, value_of(suggestion.values))
        if "upper" in suggestion.note:
            why = from_dict(Reasons, suggestion.note)
            assert why.moving is not None
            assert why.moving.price > 0
            said[bool(suggestion.change_cost)] = str(optimizer.explain())
            enough = why.moving.stay + why.width >= why.moving.move
            assert suggestion.change_cost or enough, "it stays while what a play may teach makes up for lagging behind"
    assert "It pays" in said[True]
    assert "It moves nothing that is hard to change" in said[False]


def test_nothing_is_kept_where_nothing_is_hard_to_change() -> None:
    optimizer, random = sb.Optimizer(PROBLEM, seed=0), np.random.default_rng(0)
    for _ in range(8):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, **evaluate(suggestion, random))
        assert "moving" not in suggestion.note
    assert "hard to change" not in str(optimizer.explain())


def test_logs_of_before_are_read() -> None:
    old = {"kind": "asked", "scope": {"set": ["a"], "look": {}, "keep": []}}
    note = upgrade_format({**old, "note": {"upper": [1.0, None], "width": 0.5, "calibration": 1.0}})["note"]
    assert from_dict(Reasons, note).moving is None
    weighed = {"upper": [1.0], "width": 0.5, "moving": {"stay": 1.0, "move": 2.0, "price": 5.0}}
    assert from_dict(Reasons, upgrade_format({**old, "note": weighed})["note"]).moving is None
    why = Reasons([1.0], 0.5, Moving(1.0, 2.0, 5.0, 0.1, 0.2, 30.0))
    assert from_dict(Reasons, to_dict(why)) == why
