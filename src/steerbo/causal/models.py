"""One model for every class of arms, the data that each was given, and when its hyperparameters are learned anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..gp import AnyDrift, Course, Hyperparameters, refit_due
from ..rounds import Added, History, Outcome, Round, Scope
from ..space import Space
from ..surrogate import Following
from .arm import Arm
from .arm_model import ArmModel, ModelOptions
from .contexts import known_in
from .observations import Observations, adjustment
from .played_rows import PlayedRows
from .trials import feeds
from .watching import Watching

_OBSERVED, _ELSEWHERE = -1, -2  # rows that are no plays of an arm


class Models:
    """The models of some arms. Arms with the same actions and the same contexts share one (Appendix B.1).

    Args:
        arms: the scopes.
        empty_model: makes a model without data over some variables (None: over none), with a course.
        sign: −1 where smaller values are better.
        checking: how arms are modelled where observations are checked; None: they are trusted.
        drift: how effects change with time, in each model by itself. Observations then say nothing: what they would
            have to be adjusted for changes, too.

    Attributes:
        number, rows: by scope, which of the arms it is; where rounds were played.
        of: by arm, the model that it has.
        each: the models; outcomes are in units of `sign · value`.
        arms: the scopes.
        arm_of_row: by model and row, the arm that it was told to; −1 for observations without intervention, −2 for
            trials of elsewhere.
        typical: by model, one of its arms.
        adjusted_for: by model, what observations must be adjusted for; None where they say nothing.
        observed: by model, what was observed of it, where that says something.
        following: by model, how it drifts.
    """

    def __init__(
        self,
        arms: Sequence[Arm],
        empty_model: Callable[[Space | None, Course | None], ArmModel],
        sign: float,
        checking: ModelOptions | None,
        drift: AnyDrift = None,
    ) -> None:
        classes = list(dict.fromkeys(arm.names for arm in arms))
        self.number = {arm.scope: i for i, arm in enumerate(arms)}
        self.rows = PlayedRows(arms, self.number)
        self.of = [classes.index(arm.names) for arm in arms]
        self.arms, self._empty_model, self._sign = arms, empty_model, sign
        self._checking, self.checked = checking, checking is not None
        self.typical = [arms[self.of.index(k)] for k in range(len(classes))]
        self.adjusted_for = [adjustment(arm) if drift is None else None for arm in self.typical]
        self.following = [Following(drift) for _ in classes]
        self._fitted_at = [0] * len(classes)  # see `_counted`
        self._fitted: set[int] = set()
        self._watching: set[int] = set()  # models that observations are checked in
        self._empty()

    def _empty(self) -> None:
        self.each: list[ArmModel] = [self._new_model(k) for k in range(len(self.typical))]
        self.arm_of_row: list[list[int]] = [[] for _ in self.each]
        self.observed = {
            k: Observations(self.typical[k], names, checked=self.checked)
            for k, names in enumerate(self.adjusted_for)
            if names is not None
        }

    def _new_model(self, k: int) -> ArmModel:
        """Model `k` without data: as long as nothing was observed, of plays alone."""
        space = self.typical[k].space
        if self._checking is not None and k in self._watching:
            return Watching(space, self._checking, checked=True)
        return self._empty_model(space, self.following[k].course)

    # -- data ----------------------------------------------------------------------------------------------------------

    def take(self, played: Round, outcome: Outcome) -> None:
        """Take in a round's outcome."""
        i = self.rows.arm(played)
        k, point, value = self.of[i], self.rows.of(played), self._sign * outcome.value
        self.each[k].add(point, value)
        self.arm_of_row[k].append(i)

    def plays(self, k: int) -> np.ndarray:
        """Which rows of model `k` are plays, of here or elsewhere, (n,) truth values."""
        return np.array(self.arm_of_row[k], dtype=int) != _OBSERVED

    def add(self, data: Added) -> None:
        """Data that nobody suggested: a trial of elsewhere, or an observation without intervention."""
        if data.scope is None:
            self.observe(data.outcome)
            return
        for k, arm in enumerate(self.typical):
            if feeds(data, arm):
                self.each[k].add(arm.encode(data.outcome.realised)[0], self._sign * data.outcome.value)
                self.arm_of_row[k].append(_ELSEWHERE)

    def observe(self, outcome: Outcome) -> None:
        """An observation without intervention: for every model whose effect it helps to identify."""
        for k, observed in self.observed.items():
            if not observed.needs <= outcome.realised.keys():
                continue
            row = observed.add(outcome, self._sign)
            if self._checking is not None and k not in self._watching:
                self._watch(k, self._checking)
            if not observed.others and not observed.many:
                self.each[k].add(row, self._sign * outcome.value)
                self.arm_of_row[k].append(_OBSERVED)

    def _watch(self, k: int, checking: ModelOptions) -> None:
        """From now on model `k` is told of observations, too."""
        before = self.each[k]
        self._watching.add(k)
        self.each[k] = model = Watching(self.typical[k].space, checking, checked=True)
        if k in self._fitted:
            model.take_over(before.hyperparameters)
        model.replace(before.inputs, before.outcomes)

    def without_outcome(self, history: History, k: int, but: str | None) -> np.ndarray:
        """Points of rounds of model `k` that are decided and have no outcome, but for one by its token, (p, d)."""
        rows = [
            arm.encode(known)
            for played in history.unknown
            if played.suggestion.token != but
            and self.of[(i := self.number[played.suggestion.scope])] == k
            and set((arm := self.arms[i]).names) <= (known := known_in(played)).keys()
        ]
        return np.concatenate(rows) if rows else np.zeros((0, len(self.typical[k].names)))

    def rebuild(self, history: History) -> None:
        """The same from the beginning, with outcomes as they stand now."""
        before, observed = [model.hyperparameters for model in self.each], self.observed
        self._empty()
        for each in self.following:
            each.correct()
        for k in self._fitted:
            self.each[k].set(before[k])
        for data in history.data.values():
            self.add(data)
        for k, some in enumerate(self.rows.told(history, self.of)):
            model, values = self.each[k], [self._sign * outcome.value for _, outcome in some]
            model.replace(self.rows.under(model.inputs, some), np.append(model.outcomes, values))
            self.arm_of_row[k] += [self.rows.arm(played) for played, _ in some]
        for k, known in observed.items():
            self.observed[k].hyperparameters = known.hyperparameters
            self._join(k, min(known.used, len(self.observed[k])))

    def _join(self, k: int, n: int) -> None:
        """Let model `k` have the first `n` observations, adjusted or thinned, in the place of those it had.

        Where each is a row as it came, it has been one since.
        """
        observed = self.observed[k]
        observed.used = n
        if observed.hyperparameters is not None or observed.many:
            X, y = self._with_plays(k, *observed.all(n, self.each[k].output))
            told = [i for i in self.arm_of_row[k] if i != _OBSERVED]
            self.arm_of_row[k] = [_OBSERVED] * (len(y) - len(told)) + told
            self.each[k].replace(X, y)

    def _with_plays(self, k: int, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observations of model `k`, and then its plays."""
        told = self.plays(k)
        return np.vstack([X, self.each[k].inputs[told]]), np.append(y, self.each[k].outcomes[told])

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self, horizon: Callable[[float], float]) -> dict[str, Any] | None:
        """Hyperparameters learned anew where that is due, in plain form; nothing changes.

        Where observations are checked, that is when a quarter more plays have come, or a quarter more observations: it
        is by plays that one learns how far these are off, and there may be few of them beside.

        Args:
            horizon: from the time that has passed to how much the study is about.
        """
        regressions = {
            k: observed.fit().to_plain()
            for k, observed in self.observed.items()
            if observed.others and len(observed) and refit_due(observed.used, len(observed))
        }
        models = {
            k: self._refitted(k, regressions.get(k), horizon)
            for k in range(len(self.each))
            if k in regressions or self._due(k)
        }
        kinds = {"models": models, "adjusters": regressions}
        return {name: {str(k): found for k, found in kind.items()} for name, kind in kinds.items() if kind} or None

    def _counted(self, k: int) -> int:
        """By what the schedule of model `k` goes: its rows, or its plays where observations are checked."""
        return int(self.plays(k).sum()) if k in self._watching else len(self.each[k])

    def _due(self, k: int) -> bool:
        due = self.following[k].due(self.each[k], self._fitted_at[k], self._counted(k)) and len(self.each[k]) > 0
        return due or (k in self._watching and refit_due(self.observed[k].used, len(self.observed[k])))

    def _refitted(self, k: int, learned: Mapping[str, Any] | None, horizon: Callable[[float], float]) -> dict[str, Any]:
        """Hyperparameters of model `k` for observations that are adjusted or thinned anew, or for the rows it has."""
        observed, regression = self.observed.get(k), None if learned is None else Hyperparameters.from_plain(learned)
        if observed is None or (regression is None and not observed.many):
            return self.following[k].fit(partial(self._fresh, k), self.each[k], horizon)
        model = self._new_model(k)
        if k in self._fitted:
            model.set(self.each[k].hyperparameters)
        model.replace(*self._with_plays(k, *observed.some(regression or observed.hyperparameters)))
        return model.fit().to_plain()

    def _fresh(self, k: int, course: Course) -> ArmModel:
        return self._empty_model(self.typical[k].space, course)

    def set(self, hyperparameters: Mapping[str, Any]) -> None:
        """Take over what `refit` found."""
        regressions = {int(k): plain for k, plain in hyperparameters.get("adjusters", {}).items()}
        for k, plain in regressions.items():
            self.observed[k].hyperparameters = Hyperparameters.from_plain(plain)
        for name, plain in hyperparameters.get("models", {}).items():
            k = int(name)
            self.each[k] = self.following[k].take(partial(self._fresh, k), self.each[k], plain)
            self._fitted.add(k)
            if k in regressions or k in self._watching:
                self._join(k, len(self.observed[k]))
            self._fitted_at[k] = self._counted(k)

    def doubt(self, scope: Scope) -> float:
        """Of the model of a scope: how many times wider bounds are to be than it says."""
        return self.following[self.of[self.number[scope]]].widening
