"""One run: an entrant plays a world; what it lost is counted, without noise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .errors import BenchError, blamed
from .problem import Budget, Problem
from .protocol import Look, Values, World
from .record import Curve, Result, Spent, machine, plain, rounded

Maker = Callable[..., Any]
_MOST_LOOKS = 64


@dataclass(frozen=True)
class Played:
    """What happened in each round, (t,): regret, cost, and the CPU seconds of `ask` and `decide`."""

    regret: np.ndarray
    cost: np.ndarray
    seconds: np.ndarray


def play(world: World, entrant: Any, budget: Budget) -> Played:
    """Play until rounds or money are used up; a round that costs more than is left is not told, and not counted.

    Raises:
        BenchError: the entrant answers what is no answer.
    """
    who, file = (
        type(entrant).__name__,
        getattr(sys.modules.get(type(entrant).__module__), "__file__", None),
    )
    with blamed(f"{who}: tell, before the first round", file):
        for values, outcome in world.before():
            entrant.tell(values, outcome)
    regrets: list[float] = []
    costs: list[float] = []
    seconds: list[float] = []
    left = np.inf if budget.money is None else budget.money
    for number in range(1, budget.rounds + 1):
        began = time.process_time()
        with blamed(f"{who}: ask, round {number}", file):
            answer = entrant.ask({"round": number, **world.now(number)})
            if answer is None:  # by itself: enough is known, or nothing is affordable
                break
            values, seen = _decided(world, entrant, number, answer)
        took = time.process_time() - began
        with blamed(f"{who}: round {number}, what ask returned, {str(values)[:80]}"):
            outcome = world.play(number, values, seen)
        if outcome.cost > left:
            break
        with blamed(f"{who}: tell, round {number}", file):
            entrant.tell(values, outcome)
        left -= outcome.cost
        regrets.append(world.regret(number, values, seen))
        costs.append(outcome.cost)
        seconds.append(took)
    return Played(np.array(regrets), np.array(costs), np.array(seconds))


def _decided(world: World, entrant: Any, number: int, answer: Any) -> tuple[Values, dict[str, Any]]:
    """What an entrant sets after all its looks, and what it saw."""
    seen: dict[str, Any] = {}
    for _ in range(_MOST_LOOKS):
        if not isinstance(answer, Look):
            break
        found = world.look(number, answer)
        seen |= found
        answer = entrant.decide(found)
    if not isinstance(answer, Mapping):
        shown = f"{type(answer).__name__} {answer!r}"[:80]
        raise BenchError(
            f"round {number}: ask returned {shown}; a dictionary of values is needed, or a `Look`"
        )
    return answer, seen


def curve(played: Played, budget: Budget) -> Curve:
    """Regret at the budget's marks; of a run that ended earlier, that of its end."""
    counted = (
        np.arange(1, len(played.regret) + 1) if budget.money is None else np.cumsum(played.cost)
    )
    until = np.searchsorted(counted, np.array(budget.marks) * (1 + 1e-12), side="right")
    best, total = np.minimum.accumulate(played.regret), np.cumsum(played.regret)
    return Curve(
        unit="rounds" if budget.money is None else "money",
        at=list(budget.marks),
        simple=[rounded(float(max(best[t - 1], 0.0))) if t else None for t in until],
        cumulative=[rounded(float(total[t - 1])) if t else None for t in until],
    )


def run(
    problem: Problem,
    name: str,
    make: Maker,
    seed: int,
    options: Mapping[str, Any] | None = None,
    packages: tuple[str, ...] = (),
) -> Result:
    """One run as a result; on one thread, so that CPU times can be compared.

    Args:
        problem: what is played.
        name: what the entrant is called in tables.
        make: its class, or another function of what is known, the seed and options.
        seed: of problem and entrant.
        options: of the entrant.
        packages: whose versions are written down.
    """
    given, budget = plain(options or {}), problem.budget
    world = problem.make(seed)
    told = {**world.known, "budget": {"rounds": budget.rounds, "money": budget.money}}
    with threadpool_limits(1):
        began = time.process_time()
        with blamed(f"{name}: cannot be made from what is known, a seed and options {given}"):
            entrant = make(told, seed, **given)
        played = play(world, entrant, budget)
        seconds = time.process_time() - began
    median = float(np.median(played.seconds)) if len(played.seconds) else None
    return Result(
        schema_version=1,
        problem=problem.name,
        version=problem.version,
        entrant=name,
        options=given,
        seed=seed,
        budget=Spent(rounds=budget.rounds, money=budget.money),
        rounds=len(played.regret),
        money=rounded(float(played.cost.sum())) or 0.0,
        curve=curve(played, budget),
        cpu_ms_per_ask=None if median is None else rounded(1e3 * median, 4),
        cpu_seconds=rounded(seconds, 4),
        machine=machine(packages),
    )
