"""Malformed specifications, contexts, outcomes and tables: only our own errors, each saying what is allowed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steerbo.errors import InvalidInput, SteerboError
from steerbo.study import BY_HAND, MemoryLog, Study, read_study
from steerbo.study.files.import_csv import import_csv
from tests.core.stub import Nearest, Stub
from tests.study.files import PROBLEM, STUDY

PIECES = [
    '"',
    "[",
    "]",
    "{",
    "}",
    "=",
    ",",
    "\n",
    ".",
    "-",
    "0",
    "9",
    "e",
    "nan",
    "inf",
    "true",
    "é",
    "\x00",
    "ph",
    "# ",
]
ODD: list[Any] = [
    None,
    True,
    float("nan"),
    float("inf"),
    -float("inf"),
    10**400,
    "x",
    "",
    "1",
    b"1",
    1j,
    [],
    [1],
    {},
    {"a": 1},
]
ODD += [object(), -1, 0, 0.5, 1e308, "\ud800", (1, 2), {1: 2}, [[]], Ellipsis, lambda: 0]


def _mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 5)):
        where = chance.randrange(len(text))
        text = (
            text[:where]
            + "".join(chance.choices(PIECES, k=chance.randint(0, 2)))
            + text[where + chance.randint(0, 4) :]
        )
    return text


def _check(counts: Counter[str], kind: str, call: Callable[[], Any]) -> None:
    """Anything but our errors comes out and ends the test."""
    counts[kind] += 1
    try:
        call()
    except SteerboError as error:
        refused = error
    else:
        return
    counts[f"{kind} refused"] += 1
    assert str(refused)
    if isinstance(refused, InvalidInput):
        assert refused.field, refused
        assert refused.allowed, refused


def malformed(number: int, folder: Path, seed: int = 0) -> dict[str, int]:
    """A quarter of `number` each; how many of what were tried and refused."""
    chance, counts = random.Random(seed), Counter[str]()
    specification, table = PROBLEM + STUDY, "token,value,cost,age,dose\n1-x,0.5,1,0.5,0.5\n,1.5,2,0.1,0.2\n"
    file = folder / "fuzzed.toml"
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=10**6, holder=BY_HAND)
    first = study.ask()
    told = study.ask()
    for name in ("age", "pulse"):
        told = study.decide(told, {name: 0.5})
    for _ in range(number // 4):
        file.write_text(_mutated(specification, chance), encoding="utf-8", newline="")
        _check(counts, "specifications", lambda: read_study(file))
        context: dict[Any, Any] = {
            chance.choice(["age", "pulse", "", "x", 3, None]): chance.choice(ODD) for _ in range(chance.randint(0, 2))
        }
        if not (set(context) == {"age"} and context["age"] in (0, 0.5, -1, 1e308)):
            _check(counts, "contexts", lambda: study.decide(first, context))  # noqa: B023
        else:
            counts["contexts"] += 1
        realised = {chance.choice(["age", "dose", "x", 3]): chance.choice(ODD) for _ in range(chance.randint(0, 2))}
        outcome = {"value": chance.choice(ODD), "cost": chance.choice(ODD), "realised": chance.choice([realised, *ODD])}
        token: Any = chance.choice([told, told.token, "9-zz", None, 3])
        if token in (told, told.token) and type(outcome["value"]) in (int, float):
            outcome["value"] = None
        _check(counts, "outcomes", lambda: study.tell(token, **outcome))  # noqa: B023
        _check(counts, "tables", lambda: import_csv(study, _mutated(table, chance)))
    return dict(counts)
