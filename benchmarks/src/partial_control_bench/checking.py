"""Whether a file of results can be believed: form, names, seeds, budgets; and some runs again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .entrants import BUILT_IN
from .errors import BenchError
from .playing import run
from .record import Key, Result, lines, parse
from .registry import contender, problem

_SAME = 1e-3
"""Relative difference between two computers that is none."""


@dataclass
class Checked:
    """What was found: complaints, one for each fault; and how many runs of which entrant on which problem there are."""

    complaints: list[str] = field(default_factory=list)
    runs: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def check(file: Path) -> Checked:
    """Every line against the schema, its problem's definition and the lines before it.

    Raises:
        BenchError: there is no such file.
    """
    found, seen = Checked(), dict[Key, int]()
    for number, line in lines(file):
        where = f"{file.name}, line {number}"
        try:
            result = parse(line, where)
            split = problem(result.problem).seeds.split(result.seed)
        except BenchError as error:
            told = str(error)
            found.complaints.append(told if told.startswith(where) else f"{where}: {told}")
            continue
        found.complaints += [f"{where}: {told}" for told in complaints(result)]
        if result.key in seen:
            found.complaints.append(f"{where}: the same run as line {seen[result.key]}")
        seen[result.key] = number
        found.runs[result.problem, result.entrant, split] += 1
    return found


def complaints(result: Result) -> Iterator[str]:
    """What is wrong with a result."""
    about = problem(result.problem)
    if result.version != about.version:
        yield f"{about.name} is of version {about.version}; these runs are of version {result.version}, play them anew"
    money = result.budget.money
    if money is not None and result.money > money * (1 + 1e-6):
        yield f"money {result.money:g} is more than the budget, {money:g}"
    if result.rounds > result.budget.rounds:
        yield f"{result.rounds} rounds are more than the budget, {result.budget.rounds}"
    if result.curve.unit != about.budget.unit:
        yield f"curve.unit is {result.curve.unit}, and in this problem {about.budget.unit}"


def again(
    file: Path, count: int, entrants: Iterable[str] = (), seed: int = 0
) -> Iterator[tuple[str, bool | None]]:
    """Some runs, drawn at random and played again: each with whether it came out the same.

    None stands where its entrant is neither ours, nor a peer, nor one of `entrants`, which are such
    as "file.py:Class".
    """
    places = {contender(place).name: place for place in entrants}
    everything = [parse(line, str(file)) for _, line in lines(file)]
    drawn = np.random.default_rng(seed).permutation(len(everything))[:count]
    for i in drawn:
        kept = everything[i]
        name = f"{kept.problem}, {kept.entrant} {json.dumps(kept.options)}, seed {kept.seed}"
        if kept.entrant not in BUILT_IN and kept.entrant not in places:
            yield name, None
            continue
        who = contender(places.get(kept.entrant, kept.entrant), kept.options)
        budget = kept.budget
        about = problem(kept.problem).until(budget.rounds if budget.money is None else budget.money)
        now = run(about, who.name, who.load(), kept.seed, who.options, who.packages)
        yield name, same(kept, now)


def same(kept: Result, now: Result) -> bool:
    """Whether regret at the marks that both have agrees."""
    for measure in ("simple", "cumulative"):
        pairs = [
            (kept.at(measure, mark), now.at(measure, mark))
            for mark in kept.curve.at
            if mark in now.curve.at
        ]
        for a, b in pairs:
            if a is not None and b is not None and not np.isclose(a, b, rtol=_SAME, atol=1e-6):
                return False
    return True
