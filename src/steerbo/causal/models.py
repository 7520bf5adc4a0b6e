"""One model for every class of arms, the data that each was given, and when its hyperparameters are learned anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..core import DataAdded, History, Outcome, Round
from ..gp import AnyDrift, DriftModel, Hyperparameters, refit_due
from ..space import Space
from ..surrogate import DriftTracker
from .arm import Arm
from .arm_model import ArmModel
from .contexts import known_in
from .observations import Observations, adjustment
from .played_rows import PlayedRows
from .trials import feeds

_OBSERVED, _ELSEWHERE = -1, -2  # rows that are no plays of an arm
_YOUNG = 12
"""Outcomes of a model below which those of others tell its units, and it learns anew when they have doubled."""


class Models:
    """The models of some arms. Arms with the same actions and the same contexts share one (Appendix B.1).

    Args:
        arms: the scopes.
        empty_model: makes a model without data over some variables (None: over none), with a course.
        sign: −1 where smaller values are better.
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
        empty_model: Callable[[Space | None, DriftModel | None], ArmModel],
        sign: float,
        drift: AnyDrift = None,
    ) -> None:
        classes = list(dict.fromkeys(arm.names for arm in arms))
        self.number = {arm.scope: i for i, arm in enumerate(arms)}
        self.rows = PlayedRows(arms, self.number)
        self.of = [classes.index(arm.names) for arm in arms]
        self.arms, self._empty_model, self._sign = arms, empty_model, sign
        self.typical = [arms[self.of.index(k)] for k in range(len(classes))]
        self.adjusted_for = [adjustment(arm) if drift is None else None for arm in self.typical]
        self.following = [DriftTracker(drift) for _ in classes]
        self._fitted_at = [0] * len(classes)
        self._all_at = [0] * len(classes)  # outcomes of all models together at the latest fit of each
        self._fitted: set[int] = set()
        self._empty()

    def _empty(self) -> None:
        self.each: list[ArmModel] = [self._new_model(k) for k in range(len(self.typical))]
        self.arm_of_row: list[list[int]] = [[] for _ in self.each]
        self.observed = {
            k: Observations(self.typical[k], names) for k, names in enumerate(self.adjusted_for) if names is not None
        }

    def _new_model(self, k: int) -> ArmModel:
        """Model `k` without data."""
        return self._empty_model(self.typical[k].space, self.following[k].course)

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

    def add(self, data: DataAdded) -> None:
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
            if not observed.others:
                self.each[k].add(row, self._sign * outcome.value)
                self.arm_of_row[k].append(_OBSERVED)

    def without_outcome(self, history: History, k: int, but: str | None) -> np.ndarray:
        """Points of rounds of model `k` that are decided and have no outcome, but for one by its token, (p, d)."""
        rows = [
            arm.encode(known)
            for played in history.unresolved
            if played.suggestion.token != but
            and self.of[(i := self.number[played.suggestion.scope])] == k
            and set((arm := self.arms[i]).names) <= (known := known_in(played)).keys()
        ]
        return np.concatenate(rows) if rows else np.zeros((0, len(self.typical[k].names)))

    def rebuild(self, history: History) -> None:
        """The same from the beginning, with outcomes as they stand now."""
        before, observed = self.each, self.observed
        self._empty()
        for each in self.following:
            each.correct()
        for k in self._fitted:
            self.each[k].set(replace(before[k].hyperparameters, doubted=()))
        for data in history.data.values():
            self.add(data)
        for k, some in enumerate(self.rows.told(history, self.of)):
            model, values = self.each[k], [self._sign * outcome.value for _, outcome in some]
            model.replace(self.rows.under(model.inputs, some), np.append(model.outcomes, values), before[k])
            self.arm_of_row[k] += [self.rows.arm(played) for played, _ in some]
        for k, known in observed.items():
            self.observed[k].hyperparameters = known.hyperparameters
            self._join(k, min(known.used, len(self.observed[k])), before[k])

    def _join(self, k: int, n: int, like: ArmModel | None = None) -> None:
        """Let model `k` have the first `n` observations, adjusted, in the place of those it had.

        Where each is a row as it came, it has been one since.
        """
        observed = self.observed[k]
        observed.used = n
        if observed.hyperparameters is not None:
            X, y = self._with_plays(k, *observed.rows(n))
            told = [i for i in self.arm_of_row[k] if i != _OBSERVED]
            self.arm_of_row[k] = [_OBSERVED] * (len(y) - len(told)) + told
            self.each[k].replace(X, y, like)

    def _with_plays(self, k: int, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observations of model `k`, and then its plays."""
        told = self.plays(k)
        return np.vstack([X, self.each[k].inputs[told]]), np.append(y, self.each[k].outcomes[told])

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self, horizon: Callable[[float], float]) -> dict[str, Any] | None:
        """Hyperparameters learned anew where that is due, in plain form; nothing changes.

        Args:
            horizon: from the time that has passed to how much the study is about.
        """
        regressions = {
            k: observed.fit().to_dict()
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

    def _due(self, k: int) -> bool:
        n = len(self.each[k])
        young = n < _YOUNG and self._all >= 2 * self._all_at[k]
        return n > 0 and (young or self.following[k].due(self.each[k], self._fitted_at[k], n))

    @property
    def _all(self) -> int:
        return sum(map(len, self.each))

    def _refitted(self, k: int, learned: Mapping[str, Any] | None, horizon: Callable[[float], float]) -> dict[str, Any]:
        """Hyperparameters of model `k` for observations that are adjusted anew, or for the rows it has."""
        self.each[k].elsewhere = self._elsewhere(k)
        if learned is None:
            return self.following[k].fit(partial(self._fresh, k), self.each[k], horizon)
        model, observed = self._new_model(k), self.observed[k]
        model.elsewhere = self._elsewhere(k)
        if k in self._fitted:
            model.set(replace(self.each[k].hyperparameters, doubted=()))
        model.replace(*self._with_plays(k, *observed.rows(len(observed), Hyperparameters.from_dict(learned))))
        return model.fit().to_dict()

    def _elsewhere(self, k: int) -> np.ndarray:
        """Outcomes of all other models, as far as they are believed: they are of the same target."""
        others = [each for j, each in enumerate(self.each) if j != k]
        return np.concatenate(
            [np.zeros(0), *(np.delete(each.outcomes, getattr(each, "doubted", [])) for each in others)]
        )

    def _fresh(self, k: int, course: DriftModel) -> ArmModel:
        model = self._empty_model(self.typical[k].space, course)
        model.elsewhere = self._elsewhere(k)
        return model

    def set(self, hyperparameters: Mapping[str, Any]) -> None:
        """Take over what `refit` found."""
        regressions = {int(k): plain for k, plain in hyperparameters.get("adjusters", {}).items()}
        for k, plain in regressions.items():
            self.observed[k].hyperparameters = Hyperparameters.from_dict(plain)
        for name, plain in hyperparameters.get("models", {}).items():
            k = int(name)
            if k in regressions:
                self._join(k, len(self.observed[k]))
            self.each[k] = self.following[k].set_hyperparameters(partial(self._fresh, k), self.each[k], plain)
            self._fitted.add(k)
            self._fitted_at[k], self._all_at[k] = len(self.each[k]), self._all

    def scaled(self, k: int) -> bool:
        """Whether outcomes tell model `k` a scale: before that its bounds mean nothing."""
        return self.following[k].scaled
