"""Models of arms: the regression of each class of arms, its data, and the schedule of its hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import Field

from .._arrays import Float
from ..core import Finding, History, Outcome, Result, Round, Scope
from ..errors import InvalidStudy
from ..gp import (
    AnyDrift,
    Averaged,
    Constant,
    DriftModel,
    GPRegression,
    Hyperparameters,
    Kernel,
    Linear,
    Matern32,
    Matern52,
    refit_due,
)
from ..records import record
from ..space import Space
from ..surrogate import DriftTracker, EncodingCache, abrupt_change_from, build_model, outlier_names
from ._arms import Arm
from ._contexts import known_in
from ._observational import AdjustedData, adjustment_set, teaches

ArmModel = GPRegression[Kernel]
Posterior = GPRegression[Kernel] | Averaged[Kernel]
"""A model with one draw of its hyperparameters, for a choice; or averaged over all draws, for an answer."""
EmptyModel = Callable[[Space | None, DriftModel | None], ArmModel]
"""Makes a model without data over a space (None: over no variables), and over the time if the problem drifts."""

LIKELY_NOISE = 1.0
"""Prior noise of standardised outcomes: variables that are neither set nor seen vary, and their effect is noise."""
_LINEAR = 0.1  # initial variance of the linear part
_OBSERVED, _ELSEWHERE = -1, -2  # rows that are no plays of an arm
_YOUNG = 12
"""Outcomes of a model below which those of others set its units, and it is refitted whenever all have doubled."""


@record
class CausalOptions:
    """Options of every method.

    Args:
        beta: β of the upper bound `μ + sqrt(β) σ`.
        initial: random plays of each model before it counts; None: by its number of columns.
    """

    beta: float = Field(4.0, ge=0, allow_inf_nan=False)
    initial: int | None = Field(None, ge=1)

    def model(self, space: Space | None, drift_model: DriftModel | None = None, seed: int | None = None) -> ArmModel:
        """Make a model without data, with a weight for every column.

        Args:
            space: its variables; None: none.
            drift_model: how effects change with time, which is then the last column.
            seed: of the draws of its hyperparameters; None: none are drawn.
        """
        return build_model(space, drift_model, likely_noise=LIKELY_NOISE, seed=seed)


@record
class ModelOptions(CausalOptions):
    """Options of the published methods; without `initial`, as many random plays as a model has columns and one more.

    Args:
        kernel: ``"matern-5/2"`` or ``"matern-3/2"``, plus a linear kernel over the numeric columns.
    """

    kernel: Literal["matern-5/2", "matern-3/2"] = "matern-5/2"

    def model(self, space: Space | None, drift_model: DriftModel | None = None, seed: int | None = None) -> ArmModel:
        """Make a model with a Matérn kernel and a linear one: see `CausalOptions.model`."""
        numbers = [] if space is None else np.flatnonzero(~space.categorical).tolist()
        kernel: Kernel = Constant()
        if space is not None:
            matern = (Matern32 if self.kernel == "matern-3/2" else Matern52).over(space.categorical)
            kernel = matern + Linear(numbers, variance=_LINEAR) if numbers else matern
        return build_model(space, drift_model, kernel, likely_noise=LIKELY_NOISE, seed=seed)


class ArmModels:
    """Models of arms. Arms with the same columns, differently assigned, share one (Appendix B.1).

    Args:
        arms: the scopes.
        empty_model: makes a model without data.
        sign: −1 if smaller values are better.
        drift: how effects change with time, in each model by itself. Observations are not used then: they would have to
            be adjusted for changes, too.

    Attributes:
        arms: the scopes.
        number: index of an arm, by scope.
        model_of: by arm, the index of its model.
        typical: by model, one of its arms.
        arm_of_row: by model and row, the arm that was played; −1 for observations, −2 for external trials.
        adjusted_for: by model, the adjustment set of observations; None if they are not used.
        observed: by model, its observations, if they are used.
        drifts: by model, how it drifts.
    """

    def __init__(self, arms: Sequence[Arm], empty_model: EmptyModel, sign: float, drift: AnyDrift = None) -> None:
        classes = list(dict.fromkeys(arm.names for arm in arms))
        self.arms, self._empty_model, self._sign = arms, empty_model, sign
        self.number = {arm.scope: i for i, arm in enumerate(arms)}
        self.model_of = [classes.index(arm.names) for arm in arms]
        self.typical = [arms[self.model_of.index(k)] for k in range(len(classes))]
        self.adjusted_for = [adjustment_set(arm) if drift is None else None for arm in self.typical]
        self.drifts = [DriftTracker(drift) for _ in classes]
        self._rows = _RowCache(arms, self.number)
        self._fitted_at = [0] * len(classes)
        self._all_at = [0] * len(classes)  # outcomes of all models together at the latest fit of each
        self._at_fit: dict[int, ArmModel] = {}  # models as they were fitted, with the outcomes of then
        self._clear()

    def _clear(self) -> None:
        self._regressions: list[ArmModel] = [self._new_model(k) for k in range(len(self.typical))]
        self._later = list[tuple[Round, float]]()  # plays that the models have not taken in yet, and their values
        self.arm_of_row: list[list[int]] = [[] for _ in self._regressions]
        self.observed = {
            k: AdjustedData(self.typical[k], names, ModelOptions().model)
            for k, names in enumerate(self.adjusted_for)
            if names is not None
        }

    def _new_model(self, k: int) -> ArmModel:
        return self._empty_model(self.typical[k].space, self.drifts[k].model)

    @property
    def regressions(self) -> list[ArmModel]:
        """Models by number; outcomes are in units of `sign · value`.

        They take in plays when they are used, and all are then encoded together.
        """
        if self._later:
            points = self._rows.points([played for played, _ in self._later])
            for (played, value), point in zip(self._later, points, strict=True):
                self._regressions[self.model_of[self.arm_of(played)]].add(point, value)
            self._later.clear()
        return self._regressions

    def __getitem__(self, i: int) -> ArmModel:
        """Model of arm `i`."""
        return self.regressions[self.model_of[i]]

    def arm_of(self, played: Round) -> int:
        """Index of the arm that was played in a round."""
        return self._rows.arm_of(played)

    def point(self, played: Round) -> Float[np.ndarray, " d"]:
        """Encoded point of a round, (d,), in the columns of its arm; see `_RowCache.point`."""
        return self._rows.point(played)

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """Outcomes of all models, in units of `sign · value`."""
        return np.concatenate([model.outcomes for model in self.regressions])

    def scaled(self, k: int) -> bool:
        """Whether model `k` has a scale from its outcomes; without one its bounds mean nothing."""
        return self.drifts[k].scaled

    def pending_points(
        self,
        history: History,
        k: int,
        but: str | None,
        impute: Callable[[Round, Arm, Mapping[str, Any]], dict[str, Any]] | None = None,
    ) -> np.ndarray:
        """Points of decided rounds of model `k` without an outcome, (p, d).

        Args:
            history: the rounds.
            k: index of the model.
            but: token of a round to leave out.
            impute: gives values to contexts that are not measured yet; None: rounds with such contexts are left out.
        """
        rows = []
        for played in history.unresolved:
            arm, known = self.arms[self.number[played.suggestion.scope]], known_in(played)
            if played.suggestion.token == but or self.model_of[self.number[arm.scope]] != k:
                continue
            missing = set(arm.names) - known.keys()
            if missing and (impute is None or missing & set(arm.actions)):
                continue
            more = impute(played, arm, known) if impute is not None and missing else {}
            rows.append(arm.encode({**known, **more}))
        return np.concatenate(rows) if rows else np.zeros((0, len(self.typical[k].names)))

    # -- data ----------------------------------------------------------------------------------------------------------

    def add(self, result: Result) -> None:
        """Add an outcome: of a play, of a trial elsewhere, or of an observation without intervention."""
        if result.outcome is None:
            return
        if result.played is not None:
            i = self.arm_of(result.played)
            self._later.append((result.played, self._sign * result.outcome.value))
            self.arm_of_row[self.model_of[i]].append(i)
        elif result.scope is None:
            self._observe(result.outcome)
        else:
            for k, arm in enumerate(self.typical):
                if teaches(result, arm):
                    self.regressions[k].add(arm.encode(result.realised)[0], self._sign * result.outcome.value)
                    self.arm_of_row[k].append(_ELSEWHERE)

    def _observe(self, outcome: Outcome) -> None:
        """Add an observation to each model whose effect it identifies; adjusted data wait for the next fit."""
        for k, observed in self.observed.items():
            if not observed.needs <= outcome.realised.keys():
                continue
            row = observed.add(outcome, self._sign)
            if not observed.others:
                self.regressions[k].add(row, self._sign * outcome.value)
                self.arm_of_row[k].append(_OBSERVED)

    def rebuild(self, results: Sequence[Result]) -> None:
        """Rebuild all data from results as they stand, keeping hyperparameters and the doubts of the latest fit."""
        before, observed = self.regressions, self.observed
        self._clear()
        for result in results:
            self.add(result)
        for k, data in enumerate(self.regressions):
            self.drifts[k].correct()
            model, like = self._new_model(k), self._at_fit.get(k)
            if like is not None:
                model.set(replace(before[k].hyperparameters, doubted=()))
            model.replace(data.inputs, data.outcomes, like)
            self._regressions[k] = model
            if k in observed:
                self.observed[k].set_as(observed[k])
                self._use_observations(k, min(observed[k].used, len(self.observed[k])), like)

    def _use_observations(self, k: int, n: int, like: ArmModel | None = None) -> None:
        """Replace the observations of model `k` by its first `n`, adjusted; unadjusted ones are rows already."""
        observed = self.observed[k]
        observed.used = n
        if observed.hyperparameters is not None:
            X, y = self._with_plays(k, *observed.rows(n))
            told = [i for i in self.arm_of_row[k] if i != _OBSERVED]
            self.arm_of_row[k] = [_OBSERVED] * (len(y) - len(told)) + told
            self.regressions[k].replace(X, y, like)

    def _with_plays(self, k: int, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Append the plays of model `k`, and its external trials, to observations."""
        told = np.array(self.arm_of_row[k], dtype=int) != _OBSERVED
        return np.vstack([X, self.regressions[k].inputs[told]]), np.append(y, self.regressions[k].outcomes[told])

    def adjusted_share(self, k: int) -> float:
        """Share of the outcomes of model k that are observations adjusted for other variables."""
        rows = self.arm_of_row[k]
        return rows.count(_OBSERVED) / len(rows) if rows and self.adjusted_for[k] else 0.0

    def outliers(self, history: History) -> list[str]:
        """Names of the outcomes that count for little in a model, since they are probably wrong."""
        found: set[str] = set()
        for k, model in enumerate(self.regressions):
            if not (wrong := getattr(model, "doubted", ())):
                continue
            arm, kinds, needs = (
                self.typical[k],
                self.arm_of_row[k],
                self.observed[k].needs if k in self.observed else None,
            )
            data = {
                _OBSERVED: [
                    name
                    for name, each in history.data.items()
                    if each.scope is None and needs is not None and needs <= each.outcome.realised.keys()
                ],
                _ELSEWHERE: [name for name, each in history.data.items() if teaches(each, arm)],
            }
            found |= {data[kinds[i]][kinds[:i].count(kinds[i])] for i in wrong if kinds[i] in data}
            found.update(outlier_names(model, self._plays_of(k, history)))
        return [name for name, _, _ in history.outcomes() if name in found]

    def _plays_of(self, k: int, history: History) -> Iterator[tuple[str, np.ndarray, float]]:
        """Tokens, points and values of the plays that model `k` has learned from."""
        for name, outcome, played in history.outcomes():
            if played is not None and self.model_of[self.arm_of(played)] == k:
                yield name, self.point(played), self._sign * outcome.value

    def abrupt_change(self, history: History) -> list[Finding]:
        """Find that all has changed by a model without a drift; of plays alone, whose order is known.

        Hyperparameters that are due again may take a surprise for a change.
        """
        for k, model in enumerate(self.regressions):
            plays_alone = self.drifts[k].model is None and min(self.arm_of_row[k], default=0) >= 0
            if plays_alone and not self._due(k) and (found := abrupt_change_from(model, self._plays_of(k, history))):
                return found
        return []

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self, horizon: Callable[[float], float]) -> dict[str, Any] | None:
        """Fit hyperparameters where that is due; returns them as plain data, and changes nothing.

        Args:
            horizon: from elapsed time to the time that the study is about.
        """
        regressions = {
            k: observed.fit().to_dict()
            for k, observed in self.observed.items()
            if observed.others and len(observed) and (refit_due(observed.used, len(observed)) or observed.corrected)
        }
        models = {
            k: self._refitted(k, regressions.get(k), horizon)
            for k in range(len(self.regressions))
            if k in regressions or self._due(k)
        }
        kinds = {"models": models, "adjusters": regressions}
        return {name: {str(k): found for k, found in kind.items()} for name, kind in kinds.items() if kind} or None

    def _due(self, k: int) -> bool:
        n = len(self.regressions[k])
        young = n < _YOUNG and self._all >= 2 * self._all_at[k]
        return n > 0 and (young or self.drifts[k].due(self.regressions[k], self._fitted_at[k], n))

    @property
    def _all(self) -> int:
        return sum(map(len, self.regressions))

    def _refitted(self, k: int, learned: Mapping[str, Any] | None, horizon: Callable[[float], float]) -> dict[str, Any]:
        """Hyperparameters of model `k`, with observations adjusted anew by `learned` if there is any."""
        self.regressions[k].elsewhere = self._elsewhere(k)
        if learned is None:
            return self.drifts[k].fit(partial(self._fresh, k), self.regressions[k], horizon)
        model, observed = self._new_model(k), self.observed[k]
        model.elsewhere = self._elsewhere(k)
        if k in self._at_fit:
            model.set(replace(self.regressions[k].hyperparameters, doubted=()))
        model.replace(*self._with_plays(k, *observed.rows(len(observed), Hyperparameters.from_dict(learned))))
        return model.fit().to_dict()

    def _elsewhere(self, k: int) -> np.ndarray:
        """Outcomes of all other models, without doubted ones: they are of the same target."""
        others = [each for j, each in enumerate(self.regressions) if j != k]
        return np.concatenate(
            [np.zeros(0), *(np.delete(each.outcomes, getattr(each, "doubted", [])) for each in others)]
        )

    def _fresh(self, k: int, drift_model: DriftModel) -> ArmModel:
        model = self._empty_model(self.typical[k].space, drift_model)
        model.elsewhere = self._elsewhere(k)
        return model

    def set(self, hyperparameters: Mapping[str, Any]) -> None:
        """Take over the hyperparameters that `refit` returned.

        Raises:
            InvalidStudy: they are of something else than models, observations and limits.
        """
        if not hyperparameters.keys() <= {"models", "adjusters", "further"}:
            raise InvalidStudy("hyperparameters", dict(hyperparameters), "models, adjusters and further, by number")
        regressions = {int(k): plain for k, plain in hyperparameters.get("adjusters", {}).items()}
        for k, plain in regressions.items():
            self.observed[k].set(Hyperparameters.from_dict(plain))
        for name, plain in hyperparameters.get("models", {}).items():
            k = int(name)
            if k in regressions:
                self._use_observations(k, len(self.observed[k]))
            self.regressions[k] = self.drifts[k].set_hyperparameters(
                partial(self._fresh, k), self.regressions[k], plain
            )
            self._at_fit[k] = copy(self.regressions[k])
            self._fitted_at[k], self._all_at[k] = len(self.regressions[k]), self._all


class _RowCache:
    """Encoded points of rounds that have ended, each computed once."""

    def __init__(self, arms: Sequence[Arm], number: Mapping[Scope, int]) -> None:
        self._arms, self._number = arms, number
        self._arm: dict[str, int] = {}  # by token
        self._encoded = [EncodingCache(arm.encode) for arm in arms]

    def arm_of(self, played: Round) -> int:
        """Index of the arm that was played."""
        token = played.suggestion.token
        if token not in self._arm:
            self._arm[token] = self._number[played.suggestion.scope]
        return self._arm[token]

    def point(self, played: Round) -> Float[np.ndarray, " d"]:
        """Point of a round, (d,). Unmeasured contexts of a failed round count as in the middle of their ranges."""
        i, known = self.arm_of(played), known_in(played)
        if played.state != "told":
            arm = self._arms[i]
            known = {**{name: arm.problem_space[name].decode([0.5])[0] for name in arm.measured}, **known}
        return self._encoded[i].of(played.suggestion.token, known)

    def points(self, told: Sequence[Round]) -> list[Float[np.ndarray, " d"]]:
        """Points of rounds with an outcome, (d,) each; those of an arm are encoded together."""
        by_arm: dict[int, list[Round]] = {}
        for played in told:
            by_arm.setdefault(self.arm_of(played), []).append(played)
        found = dict[str, np.ndarray]()
        for i, some in by_arm.items():
            rows = [(played.suggestion.token, known_in(played)) for played in some]
            points = self._encoded[i].of_all(rows, self._arms[i].encode_rows)
            found |= {token: point for (token, _), point in zip(rows, points, strict=True)}
        return [found[played.suggestion.token] for played in told]
