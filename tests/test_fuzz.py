"""Random calls of every public name: success, or an error of ours.

`STEERBO_FUZZ=5000` makes so many calls, `STEERBO_FUZZ_SEED=2` others.
"""

from __future__ import annotations

import copy
import os
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Problem
from steerbo.errors import InvalidInput, LawWarning, OutOfRangeWarning, SteerboError
from steerbo.records import to_dict
from steerbo.study import Study
from steerbo.timevarying import PriorWarning
from tests.calls import CALLS, ODD, SAME

COUNT = int(os.environ.get("STEERBO_FUZZ", "600"))
DEEPEST = 5
SEED = os.environ.get("STEERBO_FUZZ_SEED", "fuzz")
PARTS = 12  # tests that the calls are dealt out to
SIZES = (0, 1, -1, 2, 3, 0.1, 1e-9, 1e-160, 1e-300, 1e9, 1e17, 1e100, 1e155, 1e200, 1e308, 2**53, 2**64, -0.5, 0.999)
TEXTS = ("", " ", "x", "y", "a", "learned", "enough", "uniform", "nan", "1", "True", "x -> y", "é", "a b", "a\n", "🌱")


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Places inside lists and dicts: some of them are inside themselves."""
    yield path
    if len(path) == DEEPEST:
        return
    if isinstance(value, dict):
        for name in value:
            yield from _places(value[name], (*path, name))
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _places(part, (*path, i))


def _changed(chance: random.Random, value: Any, path: tuple[Any, ...]) -> Any:
    """A value with what stands at `path` replaced, dropped or doubled."""
    if not path:
        return _something(chance, value)
    first, *rest = path
    if isinstance(value, dict):
        made = dict(value)
        made[first] = _changed(chance, value[first], tuple(rest))
        if not rest and chance.random() < 0.2:
            made[_name(chance, first)] = made.pop(first)
        return made
    items = list(value)
    items[first] = _changed(chance, items[first], tuple(rest))
    if not rest and chance.random() < 0.2:
        items = items * 2 if chance.random() < 0.5 else items[:first] + items[first + 1 :]
    return type(value)(items)


def _name(chance: random.Random, name: Any) -> Any:
    return chance.choice([*TEXTS, f"{name}x", str(name).upper(), 3, None, ("a", "b")])


def _something(chance: random.Random, value: Any) -> Any:
    """A value in the place of another: odd, of another size, another text, or wrapped."""
    kind = chance.random()
    if kind < 0.35:
        return ODD[chance.choice(sorted(ODD))]()
    if kind < 0.7:
        return chance.choice(SIZES) * chance.choice([1, 1, -1])
    if kind < 0.85:
        return chance.choice(TEXTS)
    return chance.choice([[value], {"x": value}, (value, value), np.array(2.5)])


def _used(made: Any) -> None:
    """Use what was accepted: show it, write it, and let a problem be played."""
    if isinstance(made, Study):
        made.close()
        return
    str(made)
    if hasattr(made, "__pydantic_fields__"):
        repr(made)
        to_dict(made)
    if isinstance(made, Problem):
        optimizer = Optimizer(made, rounds=3)
        optimizer.describe()
        _played(optimizer)
    elif isinstance(made, Optimizer):
        _played(made)


def _played(optimizer: Optimizer) -> None:
    for value in (1.0, 2.0):
        if (suggestion := optimizer.ask()) is None:
            break
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        optimizer.tell(suggestion, value, cost=1.0, realised=_nature(optimizer.problem, suggestion))
    str(optimizer.recommend())
    str(optimizer.explain())
    str(optimizer.status)


def _nature(problem: Problem, suggestion: Any) -> dict[str, Any]:
    """Something for each variable that nature chose."""
    found: dict[str, Any] = {}
    for name in problem.unmeasured(suggestion):
        found[name] = problem.space[name].decode([0.5])[0] if name in problem.space else 0.5
    return found


def _call(number: int) -> tuple[str, dict[str, Any]]:
    chance = random.Random(f"{SEED} {number}")
    name = list(CALLS)[number % len(CALLS)]
    _, right = CALLS[name]
    given = {argument: value for argument, value in right.items() if chance.random() < 0.95}
    for _ in range(chance.choice([1, 1, 2, 3])):
        if not given:
            break
        argument = chance.choice(sorted(given))
        value = given[argument]
        if value is SAME and chance.random() < 0.7:
            continue
        given[argument] = _changed(chance, value, chance.choice(list(_places(value))))
    return name, given


def _said(number: int) -> str:
    """What is wrong with a call; empty where nothing is."""
    name, given = _call(number)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for ours in (OutOfRangeWarning, LawWarning, PriorWarning):
                warnings.simplefilter("ignore", ours)
            _used(CALLS[name][0](**given))
    except SteerboError as error:
        text = str(error)
        if not text or len(text) > 3000 or (isinstance(error, InvalidInput) and not error.allowed):
            return f"{number} {name}: said {text[:300]}"
    except KeyError as error:  # of the tables of calls: an argument was left out
        return "" if error.args == ("suggestion",) else f"{number} {name}: KeyError: {error}"
    except TypeError as error:  # Python's own, of a call without an argument that it needs
        return "" if "missing" in str(error) and "required" in str(error) else f"{number} {name}: TypeError: {error}"
    except Exception as error:
        return f"{number} {name}: {type(error).__name__}: {str(error)[:300]}"
    return ""


@pytest.mark.parametrize("part", range(PARTS))
def test_random_calls_raise_no_foreign_exception(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    faults = [fault for number in range(part, COUNT, PARTS) if (fault := _said(number))]
    assert not faults, "\n" + "\n".join(faults)


def test_every_public_name_is_called() -> None:
    called = {call for call, _ in CALLS.values()}
    words = {name.partition(".")[0] for name in CALLS} | {"SteerboError", "Study", "__version__"}
    missing = [name for name in sb.__all__ if getattr(sb, name) not in called and name not in words]
    assert not missing


def test_what_is_changed_stays_apart_from_what_is_right() -> None:
    before = copy.copy(CALLS["Float"][1])
    for number in range(200):
        _call(number)
    assert CALLS["Float"][1] == before
