"""Whatever is given to whatever is public: success, or an error of ours that says what is allowed."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.errors import InvalidInput, InvalidRequest, OutOfRangeWarning, SteerboError
from steerbo.study import Study
from tests.calls import CALLS, CASES, COSTLY, DRIFTING, ODD, PRIOR, REFUSED, X
from tests.core.stub import Nearest, Stub


@pytest.mark.parametrize(("name", "argument"), CASES, ids=[f"{name}-{argument}" for name, argument in CASES])
def test_odd_arguments(name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call, given = CALLS[name]
    monkeypatch.chdir(tmp_path)
    faults = []
    for odd, make in ODD.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", OutOfRangeWarning)  # ours: a value far out is kept
                made = call(**{**given, argument: make()})
            if isinstance(made, Study):
                made.close()
        except SteerboError as error:
            text = str(error)
            if len(text) > 3000 or not text or (isinstance(error, InvalidInput) and not error.allowed):
                faults.append(f"{odd}: said {text[:300]}")
        except BaseException as error:
            faults.append(f"{odd}: {type(error).__name__}: {str(error)[:200]}")
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_changed_is_right_before(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every odd value would be refused for another reason."""
    monkeypatch.chdir(tmp_path)
    call, given = CALLS[name]
    if name in REFUSED:
        with pytest.raises(SteerboError):
            call(**given)
    else:
        call(**given)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - REFUSED))
def test_unknown_arguments(name: str) -> None:
    """Where names are data: unknown ones are refused by name."""
    call, given = CALLS[name]
    with pytest.raises((SteerboError, TypeError), match="temprature"):  # Python's own, where it is about the call
        call(**given, temprature=3)


TOO_MANY: dict[str, tuple[Callable[[], Any], str]] = {
    "actions": (lambda: sb.MeanField(10**10, agents=4), "at most 10000"),  # type: ignore[arg-type]
    "cells": (lambda: sb.MeanField(tuple("abcdefghijk"), agents=10**6, contexts=_names(10_001)), "at most 1000"),
    "control sets": (lambda: sb.CostVarying([X], [["x"]] * 100_000), "at most 4096"),
    "variables": (lambda: sb.CostVarying([sb.Float(name, 0, 1) for name in _names(1001)], [["1"]]), "at most 1000"),
    "priors": (lambda: sb.TimeVarying([X], [PRIOR] * 1001), "at most 1000"),
    "nodes": (lambda: sb.CausalGraph(variables=_names(10_001), target="1", intervenable=["2"]), "at most 10000"),
    "entries": (lambda: sb.space.Empirical(range(10**12)), "at most 1000000"),
    "choices": (lambda: sb.Categorical("c", _names(100_001)), "at most 100000"),
    "batch": (lambda: Optimizer(COSTLY, seed=0).ask(10**9), "to 10000"),
}


def _names(number: int) -> tuple[str, ...]:
    return tuple(map(str, range(number)))


@pytest.mark.parametrize(("make", "allowed"), TOO_MANY.values(), ids=TOO_MANY)
def test_limits_are_stated(make: Callable[[], Any], allowed: str) -> None:
    with pytest.raises(InvalidInput, match=allowed) as caught:
        make()
    assert len(str(caught.value)) < 2500
    number = int(allowed.rsplit(maxsplit=1)[-1])
    page = " ".join((Path(__file__).parents[1] / "docs" / "results.md").read_text("utf-8").split())
    assert f"{number:,}".replace(",", " ") in page


def test_as_many_sets_as_twelve_variables_have() -> None:
    names = _names(12)
    sets = [list(some) for k in range(1, 13) for some in itertools.combinations(names, k)]
    assert len(sb.CostVarying([sb.Float(n, 0, 1, law=sb.Uniform()) for n in names], sets).control_sets) == 4095


def test_numpy_numbers_count() -> None:
    optimizer = Optimizer(COSTLY, "random", rounds=np.int64(3), seed=np.uint8(3))  # type: ignore[arg-type]
    assert optimizer.status.limit == 3
    assert len(optimizer.ask(np.int32(2))) == 2  # type: ignore[call-overload]


def test_requests_that_are_unknown_are_named() -> None:
    with pytest.raises(InvalidRequest, match=r"context: .* give what was looked at to decide\("):
        Optimizer(Stub(), Nearest).ask(context={"age": 1})
    with pytest.raises(InvalidRequest, match="avialable"):
        Optimizer(DRIFTING).ask(avialable=[1])  # type: ignore[call-overload]
