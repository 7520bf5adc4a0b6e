"""Pickles hold, and give back, what is steerbo's own and nothing else."""

from __future__ import annotations

import io
import pickle
from decimal import Decimal
from typing import Any

import pytest

from steerbo.rounds import Outcome
from steerbo.study.pickling import Bounded, OwnPickler, OwnUnpickler


def test_what_is_ours_comes_back() -> None:
    body = Bounded()
    OwnPickler(body).dump([Outcome(1.0, realised={"x": 0.5}), Outcome])
    assert OwnUnpickler(io.BytesIO(body.getvalue())).load() == [Outcome(1.0, realised={"x": 0.5}), Outcome]


@pytest.mark.parametrize("thing", [Decimal, Decimal(1), [io.BytesIO]])
def test_what_is_of_others_is_neither_written_nor_read(thing: Any) -> None:
    with pytest.raises(pickle.PicklingError, match=r"is not steerbo's own"):
        OwnPickler(io.BytesIO()).dump(thing)
    with pytest.raises(pickle.UnpicklingError, match=r"is not steerbo's own"):
        OwnUnpickler(io.BytesIO(pickle.dumps(thing))).load()


def test_there_is_a_largest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.pickling.LARGEST", 100)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        OwnPickler(Bounded()).dump(list(range(1000)))
