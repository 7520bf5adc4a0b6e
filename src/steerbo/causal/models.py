"""One model for every class of arms, the data that each was given, and when its hyperparameters are learned anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..gp import Hyperparameters, refit_due
from ..rounds import History, Outcome, Scope
from ..space import Space
from ..words import counted
from .arm import Arm
from .arm_model import ArmModel
from .observations import Adjuster, adjustment


class Models:
    """The models of some arms. Arms with the same actions and the same contexts share one (Appendix B.1).

    Args:
        arms: the scopes.
        empty_model: makes a model without data over some variables (None: over none).
        sign: −1 where smaller values are better.

    Attributes:
        number: by scope, which of the arms it is.
        of: by arm, the model that it has.
        each: the models; outcomes are in units of `sign · value`.
        arm_of_row: by model and row, the arm that it was told to, −1 for observations without intervention.
        adjusted_for: by model, what observations must be adjusted for; None where they say nothing.
    """

    def __init__(self, arms: Sequence[Arm], empty_model: Callable[[Space | None], ArmModel], sign: float) -> None:
        classes = list(dict.fromkeys(arm.names for arm in arms))
        self.number = {arm.scope: i for i, arm in enumerate(arms)}
        self.of = [classes.index(arm.names) for arm in arms]
        self._arms, self._empty_model, self._sign = arms, empty_model, sign
        self._typical = [arms[self.of.index(k)] for k in range(len(classes))]
        self.adjusted_for = [adjustment(arm) for arm in self._typical]
        self._fitted_at = [0] * len(classes)
        self._empty()

    def _empty(self) -> None:
        self.each: list[ArmModel] = [self._empty_model(arm.space) for arm in self._typical]
        self.arm_of_row: list[list[int]] = [[] for _ in self.each]
        self._adjusters = {k: Adjuster(self._typical[k], names) for k, names in enumerate(self.adjusted_for) if names}

    # -- data ----------------------------------------------------------------------------------------------------------

    def take(self, i: int, outcome: Outcome) -> None:
        """The outcome of a round of arm `i`."""
        self.each[self.of[i]].add(self._arms[i].encode(outcome.realised)[0], self._sign * outcome.value)
        self.arm_of_row[self.of[i]].append(i)

    def observe(self, outcome: Outcome) -> None:
        """An observation without intervention: for every model whose effect it helps to identify."""
        for k, arm in enumerate(self._typical):
            if self.adjusted_for[k] == ():
                self.each[k].add(arm.encode(outcome.realised)[0], self._sign * outcome.value)
                self.arm_of_row[k].append(-1)
        for adjuster in self._adjusters.values():
            adjuster.add(outcome, self._sign)

    def without_outcome(self, history: History, k: int, but: str | None) -> np.ndarray:
        """Points of rounds of model `k` that are decided and have no outcome, but for one by its token, (p, d)."""
        rows = [
            arm.encode(known)
            for played in history.unknown
            if played.suggestion.token != but
            and self.of[(i := self.number[played.suggestion.scope])] == k
            and set((arm := self._arms[i]).names) <= (known := {**played.suggestion.context, **played.realised}).keys()
        ]
        return np.concatenate(rows) if rows else np.zeros((0, self.each[k].inputs.shape[1]))

    def fed(self, added: int) -> str:
        """Of which scopes so many observations without intervention tell, in words."""
        if not added:
            return ""
        scopes = [
            f"set {arm.scope} (adjusted for {', '.join(others)})" if others else f"set {arm.scope}"
            for arm, k in zip(self._arms, self.of, strict=True)
            if (others := self.adjusted_for[k]) is not None
        ]
        feed = "feeds" if added == 1 else "feed"
        return f" {counted(added, 'observation')} without intervention {feed}: {', '.join(scopes) or 'no scope'}."

    def rebuild(self, history: History) -> None:
        """The same from the beginning, with outcomes as they stand now."""
        before, adjusters = [model.hyperparameters for model in self.each], self._adjusters
        self._empty()
        for k, hyperparameters in enumerate(before):
            if self._fitted_at[k]:
                self.each[k].set(hyperparameters)
        for _, outcome, played in history.outcomes():
            if played is None:
                self.observe(outcome)
            else:
                self.take(self.number[played.suggestion.scope], outcome)
        for model in self.each:
            model.replace(model.inputs, model.outcomes)
        for k, adjuster in adjusters.items():
            if adjuster.hyperparameters is not None:
                self._adjusters[k].hyperparameters, self._adjusters[k].used = adjuster.hyperparameters, adjuster.used
                self._adjust(k)

    def _adjust(self, k: int) -> None:
        """Take the adjusted observations of model `k` instead of those it had."""
        adjuster = self._adjusters[k]
        assert adjuster.hyperparameters is not None
        X, y = self._joined(k, adjuster.hyperparameters)
        self.arm_of_row[k] = [-1] * len(adjuster.outcomes) + [i for i in self.arm_of_row[k] if i >= 0]
        self.each[k].replace(X, y)

    def _joined(self, k: int, hyperparameters: Hyperparameters) -> tuple[np.ndarray, np.ndarray]:
        """Adjusted observations of model `k`, and then what it was told."""
        X, y = self._adjusters[k].data(hyperparameters)
        told = np.array(self.arm_of_row[k], dtype=int) >= 0
        return np.vstack([X, self.each[k].inputs[told]]), np.append(y, self.each[k].outcomes[told])

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self) -> dict[str, Any] | None:
        """Hyperparameters learned anew where the schedule says so, in plain form; nothing changes."""
        adjusters = {
            k: adjuster.fit()
            for k, adjuster in self._adjusters.items()
            if len(adjuster.outcomes) and refit_due(adjuster.used, len(adjuster.outcomes))
        }
        models = {
            k: self._refitted(k, adjusters[k]) if k in adjusters else model.fit()
            for k, model in enumerate(self.each)
            if k in adjusters or (len(model) and refit_due(self._fitted_at[k], len(model)))
        }
        kinds = {"models": models, "adjusters": adjusters}
        return {
            name: {str(k): found.to_plain() for k, found in kind.items()} for name, kind in kinds.items() if kind
        } or None

    def set(self, hyperparameters: Mapping[str, Any]) -> None:
        """Take over what `refit` found."""
        for k, plain in hyperparameters.get("adjusters", {}).items():
            adjuster = self._adjusters[int(k)]
            adjuster.hyperparameters, adjuster.used = Hyperparameters.from_plain(plain), len(adjuster.outcomes)
            self._adjust(int(k))
        for k, plain in hyperparameters["models"].items():
            self.each[int(k)].set(Hyperparameters.from_plain(plain))
            self._fitted_at[int(k)] = len(self.each[int(k)])

    def fitted(self, scope: Scope) -> tuple[np.ndarray, np.ndarray]:
        """Points and outcomes that the model of a scope was fitted to."""
        k = self.of[self.number[scope]]
        model, n = self.each[k], self._fitted_at[k]
        return model.inputs[:n], model.outcomes[:n]

    def _refitted(self, k: int, adjuster: Hyperparameters) -> Hyperparameters:
        """Hyperparameters of model `k` for observations that are adjusted anew."""
        model = self._empty_model(self._typical[k].space)
        if self._fitted_at[k]:
            model.set(self.each[k].hyperparameters)
        model.replace(*self._joined(k, adjuster))
        return model.fit()
