"""Study files and objectives for the tests, written into a folder."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from steerbo.core import Event
from steerbo.storage.database import body_of
from steerbo.study import DatabaseLog, StudyFile, read_study

PROBLEM = """
[problem]
kind = "cost-varying"
control_sets = [["temperature"], ["temperature", "ph"]]
variables = [
  { kind = "float", name = "temperature", low = 10, high = 35, unit = "°C" },
  { kind = "float", name = "ph", low = 4, high = 8, law = { kind = "uniform" } },
]
"""
STUDY = """
[study]
method = "random"
budget = 10
seed = 3
"""
PLANT = """
import json, sys, time

question = json.load(sys.stdin)
x = {"ph": 4 + question["round"] * 37 % 40 / 10, **question["values"]}
value = -((x["temperature"] - 22) ** 2) - (x["ph"] - 6) ** 2
answer = {"value": value, "cost": float(len(question["scope"]["set"])), "realised": x}
"""
ANSWER = "print(json.dumps(answer))\n"
_COUNT = itertools.count()


def command(*parts: str) -> str:
    """The table [objective] of a command."""
    return f"[objective]\ncommand = {json.dumps([sys.executable, *parts])}\n"


def write_study(folder: Path, problem: str = PROBLEM, study: str = STUDY, objective: str = "") -> Path:
    """A study file in `folder`, with `plant.py` as its objective unless told otherwise."""
    if not objective:
        (folder / "plant.py").write_text(PLANT + ANSWER)
        objective = command("plant.py")
    path = folder / "study.toml"
    path.write_text(problem + study + objective, encoding="utf-8")
    return path


def write_plant(folder: Path, instead: str) -> Path:
    """A study whose command computes `answer` and then runs `instead` of printing it."""
    path = write_study(folder)
    (folder / "plant.py").write_text(PLANT + instead)
    return path


def write_function(folder: Path, body: str) -> Path:
    """A study whose objective is a Python function with this body; it is given `suggestion`."""
    name = f"plant{next(_COUNT)}"  # modules stay imported
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    (folder / f"{name}.py").write_text(f"def measure(suggestion):\n{lines}\n")
    return write_study(folder, objective=f'[objective]\nfunction = "{name}:measure"\n')


def function_study(folder: Path, body: str) -> StudyFile:
    """The same, read."""
    return read_study(write_function(folder, body))


MEASURE = """\
x = {"ph": 6.0, **suggestion.values}
return {"value": -(x["temperature"] - 22) ** 2 - x["ph"], "cost": len(suggestion.scope.set), "realised": x}"""


def logged(path: Path) -> list[Event]:
    """The events of the log of a study file."""
    with closing(DatabaseLog(path.with_suffix(".db"))) as log:
        return log.read()


def bodies(path: Path) -> list[str]:
    """The same as text that is equal only where every bit is, but for the times at which events were logged."""
    each = (json.loads(body_of(event)) for event in logged(path))
    return [json.dumps({**body, "when": None}, sort_keys=True, separators=(",", ":")) for body in each]


def rewrite(path: Path, events: Iterable[Event]) -> None:
    """Another log with these events in the place of the one there was."""
    path.with_suffix(".db").unlink()
    with closing(DatabaseLog(path.with_suffix(".db"))) as log:
        for event in events:
            log.append(event)


class Watcher:
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.rounds: list[int] = []

    def began(self, suggestion: object) -> None:
        pass

    def ended(self, study: object) -> None:
        self.rounds.append(len(study.history))  # type: ignore[attr-defined]

    def say(self, message: str) -> None:
        self.said.append(message)
