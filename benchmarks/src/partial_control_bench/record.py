"""A result: one run as one line of JSON. `schema.json` beside this file says the same for other programs."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .errors import BenchError
from .kept import text_of

SCHEMA = Path(__file__).with_name("schema.json")
_TIE = 1e-9
Key = tuple[str, int, str, str, int, str]
Number = Annotated[float, Field(allow_inf_nan=False)]


class Strict(BaseModel):
    """Frozen, and nothing beside what is named."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Curve(Strict):
    """Regret without noise at each mark: of the best round so far (`simple`), and summed over rounds (`cumulative`).

    None stands before the first round, and for what was not kept.
    """

    unit: Literal["rounds", "money"]
    at: list[Number]
    simple: list[Number | None] | None = None
    cumulative: list[Number | None] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Curve:
        if self.at != sorted(set(self.at)):
            raise ValueError("at: marks must rise")
        if self.simple is None and self.cumulative is None:
            raise ValueError("simple or cumulative must be there")
        for name, values, sign in (("simple", self.simple, -1), ("cumulative", self.cumulative, 1)):
            if values is None:
                continue
            if len(values) != len(self.at):
                raise ValueError(
                    f"{name}: one number for each of {len(self.at)} marks, not {len(values)}"
                )
            seen = [value for value in values if value is not None]
            steps = [sign * (b - a) for a, b in pairwise(seen)]
            if any(step < -_TIE * max(1.0, abs(seen[0])) for step in steps):
                raise ValueError(
                    f"{name}: must not {'rise' if sign < 0 else 'fall'} from mark to mark"
                )
            if any(value < -_TIE for value in seen):
                raise ValueError(
                    f"{name}: regret is never below 0: the optimum of the problem was passed"
                )
        return self


class Spent(Strict):
    """The budget a run had: rounds, and money where the problem counts it."""

    rounds: Annotated[int, Field(gt=0)]
    money: Number | None = None


class Machine(Strict):
    """What it ran on, without names of places: system, processor's kind, versions."""

    system: str
    processor: str
    python: str
    packages: dict[str, str] = {}


class Result(Strict):
    """One run."""

    schema_version: Literal[1]
    problem: str
    version: int
    entrant: str
    options: dict[str, Any] = {}
    seed: int
    budget: Spent
    rounds: Annotated[int, Field(ge=0)]
    money: Number
    curve: Curve
    cpu_ms_per_ask: Number | None = None
    cpu_seconds: Number | None = None
    machine: Machine | None = None
    kept: dict[str, Any] = {}

    @property
    def key(self) -> Key:
        """What tells runs apart."""
        spent = self.budget
        return self.key_of(
            self.problem,
            self.version,
            self.entrant,
            self.options,
            self.seed,
            spent.rounds,
            spent.money,
        )

    @staticmethod
    def key_of(
        problem: str,
        version: int,
        entrant: str,
        options: Mapping[str, Any],
        seed: int,
        rounds: int,
        money: float | None,
    ) -> Key:
        """The key of a run that need not be there yet."""
        return (
            problem,
            version,
            entrant,
            json.dumps(options, sort_keys=True),
            seed,
            f"{rounds}/{money}",
        )

    def line(self) -> str:
        """As JSON, without what is left out."""
        return self.model_dump_json(exclude_defaults=True)

    def last(self, measure: str) -> float | None:
        """A measure at the last mark."""
        values = getattr(self.curve, measure)
        return None if values is None else values[-1]

    def at(self, measure: str, mark: float) -> float | None:
        """A measure at a mark; None where that was not kept."""
        values = getattr(self.curve, measure)
        return (
            values[self.curve.at.index(mark)]
            if values is not None and mark in self.curve.at
            else None
        )


def schema() -> dict[str, Any]:
    """The published schema, as JSON Schema."""
    return {"$id": "partial-control-bench/result/1", **Result.model_json_schema()}


def parse(line: str, where: str) -> Result:
    """A line as a result.

    Raises:
        BenchError: it is no JSON, or no result; the message says where and why.
    """
    try:
        return Result.model_validate(json.loads(line))
    except json.JSONDecodeError as error:
        raise BenchError(f"{where}: no JSON ({error.msg}, column {error.colno})") from None
    except ValidationError as error:
        told = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'run'}: {e['msg']}" for e in error.errors()
        )
        raise BenchError(f"{where}: {told}") from None


def read(file: Path) -> Iterator[Result]:
    """All results of a file.

    Raises:
        BenchError: there is no such file, or a line is no result.
    """
    for number, line in lines(file):
        yield parse(line, f"{file}, line {number}")


def lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that hold something, with their numbers."""
    content = text_of(file).splitlines(keepends=True)
    yield from ((number, line) for number, line in enumerate(content, start=1) if line.strip())


def machine(packages: tuple[str, ...] = ()) -> Machine:
    """This machine."""
    found = {}
    for name in ("numpy", "scipy", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return Machine(
        system=platform.system(),
        processor=platform.machine(),
        python=platform.python_version(),
        packages=found,
    )


def rounded(value: float | None, digits: int = 7) -> float | None:
    """To so many significant digits: what a page shows, and more."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON takes them.

    Raises:
        BenchError: one of them cannot be written.
    """
    try:
        found: dict[str, Any] = json.loads(json.dumps(dict(options)))
    except TypeError as error:
        raise BenchError(
            f"options: must be numbers, words, lists and dictionaries of these ({error})"
        ) from None
    return found
