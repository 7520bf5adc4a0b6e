"""Today's policy: which scope plays it, how far from it the next play may lie, and by how much others are better.

How far plays may go is said in `surrogate._reach`. A variable that today's policy leaves to nature
stands where nature has put it: at the median of its values while nobody set it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..core import PolicyStep, Result, Scope
from ..gp import GPRegression
from ..space import Categorical
from ..surrogate import Feasibility, Margins, better, first_steps, likelier, reach, undecided
from ._arms import Arm
from ._contexts import known_in
from .models import ArmModels, Posterior
from .problem import Causal


@dataclass(frozen=True, eq=False)
class TodaysPolicy:
    """Today's policy in an arm, in the form of those that answers recommend."""

    problem: Causal
    arm: Arm

    def best(self, ready: Sequence[str], known: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of the actions `ready`, given their contexts."""
        assert self.problem.today is not None
        return self.problem.today(known, ready)

    def __call__(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of all actions in full contexts."""
        return self.best(self.arm.actions, context)

    def step(self, context: Mapping[str, Any]) -> PolicyStep:
        """Settings of the actions whose contexts are complete, and the contexts to look at next."""
        values: dict[str, Any] = {}
        seen = {name: value for name, value in context.items() if name in self.arm.contexts}
        for look, ready in self.arm.stages:
            if missing := tuple(name for name in look if name not in seen):
                return PolicyStep(self.arm.scope, values, missing, seen)
            values |= self.best(ready, seen)
        return PolicyStep(self.arm.scope, values, (), seen)


def plays_today(problem: Causal, scope: Scope) -> bool:
    """Whether a scope sets the actions of today's policy, and looks at the variables that it reads."""
    if (today := problem.todays_scope) is None:
        return False
    looks = dict(scope.actions)
    reads = dict(today.actions)
    return looks.keys() == reads.keys() and all({*reads[x]} <= {*looks[x]} for x in reads)


class WithinReach:
    """Encoded ends that the next settings of an arm lie within.

    Attributes:
        undecided: see `surrogate._reach`; of a model from outside False.
        reads: variables that formulas of today's policy read.

    Args:
        problem: the problem, with its `current` policy.
        models: of the arms, given all outcomes as they stand.
        k: number of the arm's model.
        results: all results of the study.
        now: the time, where effects change.
        learned: limits on outcomes of that model's plays.
    """

    def __init__(
        self,
        problem: Causal,
        models: ArmModels,
        k: int,
        results: Sequence[Result],
        now: float | None,
        *,
        learned: Feasibility,
    ) -> None:
        assert problem.today is not None
        self._problem, self._arm = problem, models.typical[k]
        self.reads = frozenset(problem.today.reads) & {*problem.space.names}
        self._usual = self._medians(results)
        rows, told = models.regressions[k].inputs, models.rows[k].told
        rows = rows.copy()
        if now is not None and len(rows):
            rows[:, -1] = now  # settings that were better long ago may not be so now
        today = rows.copy()
        for row, result in zip(today, told, strict=True):
            known = result.realised if result.played is None else known_in(result.played)
            for name, code in self._encoded(self._arm.actions, known).items():
                row[self._arm.names.index(name)] = code
        columns = [self._arm.names.index(name) for name in self._arm.actions]
        model = models.regressions[k]
        margins = learned.margins(rows, today)
        good = _better(model, rows, today, margins)
        anywhere = learned.nothing_near(margins)
        self.undecided = (
            isinstance(model, GPRegression)
            and not anywhere
            and undecided(model, rows, today, margins)
        )
        moved = [self._problem.space[name] for name in self._arm.actions]
        least = first_steps(moved, anywhere=anywhere)
        down, up = reach((rows - today)[:, columns], good, least)
        self._distances = dict(
            zip(self._arm.actions, zip(down.tolist(), up.tolist(), strict=True), strict=True)
        )

    def __call__(
        self, names: Sequence[str], known: Mapping[str, Any]
    ) -> dict[str, tuple[float, float]]:
        """Encoded ends of actions, given the values known by then."""
        found = {}
        for name, here in self._encoded(names, known).items():
            down, up = self._distances[name]
            found[name] = here - down, here + up
        return found

    def _encoded(self, names: Sequence[str], known: Mapping[str, Any]) -> dict[str, float]:
        """Encoded settings of today of actions; categories have no steps, and unknown settings no place."""
        policy, space = self._problem.today, self._problem.space
        assert policy is not None
        able = [name for name in names if not isinstance(space[name], Categorical)]
        at = {**self._usual, **known}
        formulas = policy.formulas
        said = policy(
            at, [n for n in able if n not in formulas or at.keys() >= {*formulas[n].reads}]
        )
        here = {name: said.get(name, self._usual.get(name)) for name in able}
        return {
            name: float(np.clip(space[name].encode([value])[0], 0.0, 1.0))
            for name, value in here.items()
            if value is not None
        }

    def _medians(self, results: Sequence[Result]) -> dict[str, Any]:
        """Medians of values measured while nobody set them, by variable."""
        met: dict[str, list[Any]] = {}
        for result in results:
            known = result.realised if result.played is None else known_in(result.played)
            was_set = () if result.scope is None else result.scope.set
            for name in self._problem.space.names:
                if name in known and name not in was_set:
                    met.setdefault(name, []).append(known[name])
        found = {}
        for name, values in met.items():
            variable = self._problem.space[name]
            codes = np.sort(variable.encode(values))
            found[name] = variable.decode(codes[len(codes) // 2 : len(codes) // 2 + 1])[0]
        return found


def _better(
    model: Posterior,
    rows: Float[np.ndarray, "n d"],
    today: Float[np.ndarray, "n d"],
    margins: Margins,
) -> Bool[np.ndarray, " n"]:
    """Whether each row is surely better than today's beside it; by the mean of a model from outside."""
    if isinstance(model, GPRegression):
        return better(model, rows, today, margins)
    return np.asarray((model.means(rows) > model.means(today)) | likelier(margins))
