"""A program that reads values by their place, killed in the middle of every round and started again as a new process.

Forked children inherit what their parent had in memory; a fresh interpreter has only the log. What it is handed for a
round that was out must be, letter for letter and in the same order, what the first one was handed: a weighted sum over
the values, whose weights go by place, would otherwise be another.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steerbo.core import Suggestion
from steerbo.records import to_dict
from steerbo.study import MemoryLog, Study
from tests.core.kinds import PROBLEMS

PROGRAM = """
import json, sys
from steerbo.records import to_dict
from steerbo.study import Study
from tests.torture.order import PROBLEMS, measure

place, kind = sys.argv[1:]
with Study.open(place, PROBLEMS[kind][0], name=kind) as study:
    suggestion = study.ask()
    print(json.dumps(suggestion and to_dict(suggestion)), flush=True)
    while suggestion and sys.stdin.readline():  # until it is killed, or told to go on
        answer = measure(suggestion)
        if suggestion.observe:
            suggestion = study.decide(suggestion, answer["context"])
        else:
            study.tell(suggestion, **answer)
            suggestion = study.ask()
        print(json.dumps(suggestion and to_dict(suggestion)), flush=True)
"""


def measure(suggestion: Suggestion) -> dict[str, Any]:
    """What hangs on the order of the values."""
    if suggestion.observe:
        return {"context": dict.fromkeys(suggestion.observe, 0.5)}
    numbers = list(_numbers(suggestion.values))
    answer: dict[str, Any] = {"value": sum(place * number for place, number in enumerate(numbers, 1))}
    if "distribution" not in suggestion.values:
        realised = next(measured for _, measured in PROBLEMS.values() if suggestion.values.keys() <= measured.keys())
        answer["realised"] = {**realised, **suggestion.values}
    return answer


def _numbers(values: Any) -> Iterator[float]:
    for value in values.values() if isinstance(values, dict) else [values]:
        if isinstance(value, dict):
            yield from _numbers(value)
        else:
            yield float(value)


def order(folder: Path, rounds: int, seconds: float) -> list[dict[str, Any]]:
    """For every kind of problem: `rounds` rounds, each handed out by one process, killed, and again by the next.

    Raises:
        AssertionError: what was handed out differs, in any letter, from what an undisturbed study hands out.
    """
    return [_ordered(f"{folder}/order.db", kind, rounds, time.monotonic() + seconds) for kind in PROBLEMS]


def _ordered(place: str, kind: str, rounds: int, end: float) -> dict[str, Any]:
    expected, found, restarts, again = _undisturbed(kind, rounds), list[str](), 0, 0
    Study.create(place, PROBLEMS[kind][0], name=kind, rounds=rounds).close()
    while len(found) < len(expected):
        assert time.monotonic() < end, f"{kind}: {len(found)} of {len(expected)} steps"
        with _process(place, kind) as program:
            first = _answer(program)
            again += first in found[-1:]
            if first not in found[-1:]:
                found.append(first)
            if len(found) < len(expected):
                found.append(_answer(program, "go on"))
        restarts += 1
    differing = sum(one != other for one, other in zip(found, expected, strict=True))
    assert (differing, again) == (0, restarts - 1), (kind, differing, again, restarts, found, expected)
    return {"kind": kind, "rounds": rounds, "processes killed": restarts, "differing": differing}


def _undisturbed(kind: str, rounds: int) -> list[str]:
    """What goes out, step by step, when nothing happens."""
    gone_out: list[str] = []

    def watched(suggestion: Suggestion) -> Any:
        gone_out.append(json.dumps(to_dict(suggestion)))
        return measure(suggestion)

    Study.create(MemoryLog(), PROBLEMS[kind][0], rounds=rounds).run(watched)
    return gone_out


@contextmanager
def _process(place: str, kind: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PROGRAM, place, kind]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as program:
        try:
            yield program
        finally:
            program.kill()


def _answer(program: subprocess.Popen[str], question: str = "") -> str:
    assert program.stdin is not None
    assert program.stdout is not None
    if question:
        program.stdin.write(question + "\n")
        program.stdin.flush()
    return program.stdout.readline().strip()
