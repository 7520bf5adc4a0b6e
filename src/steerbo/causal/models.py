"""Models of arms: the regression of each class of arms, its data, and the schedule of its hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np
from pydantic import Field

from .._arrays import Float
from .._evidence import COMPARABLE
from ..core import Finding, Fit, Fold, Result, Round, Scope
from ..gp import (
    AnyDrift,
    Averaged,
    Constant,
    DriftModel,
    GPRegression,
    Kernel,
    Linear,
    Matern32,
    Matern52,
)
from ..records import record
from ..space import Space
from ..surrogate import (
    MUCH_NOISE,
    Data,
    DriftTracker,
    EncodingCache,
    RowsModel,
    build_model,
    rows_told,
)
from ._arms import Arm
from ._contexts import known_in
from ._observational import AdjustedData, adjustment_set, teaches
from ._weighed import Weighed

ArmModel = GPRegression[Kernel]
Posterior = GPRegression[Kernel] | Averaged[Kernel]
"""A model with one draw of its hyperparameters, for a choice; or averaged over all draws, for an answer."""
Wanted = Posterior | Weighed
"""What actions maximise: the model of the value, or of several outcomes as one."""
EmptyModel = Callable[[Space | None, DriftModel | None], ArmModel]
"""Makes a model without data over a space (None: over no variables), and over the time if the problem drifts."""


class Learned(Protocol):
    """The data of models: a history, or its part about one further outcome."""

    @property
    def results(self) -> tuple[Result, ...]:
        """All outcomes and failures as they stand."""

    @property
    def fits(self) -> tuple[Fit, ...]:
        """All hyperparameters that were learned."""

    def fit(self, *keys: str, since: int = 0) -> Fit | None:
        """See `History.fit`."""

    def __len__(self) -> int:
        """Number of rounds."""


_LINEAR = 0.1  # initial variance of the linear part


@record
class CausalOptions:
    """Options of every method.

    Args:
        beta: β of the upper bound `μ + sqrt(β) σ`.
        initial: random plays of each model before it counts; None: by its number of columns.
    """

    beta: float = Field(4.0, ge=0, allow_inf_nan=False)
    initial: int | None = Field(None, ge=1)

    def model(
        self,
        space: Space | None,
        drift_model: DriftModel | None = None,
        seed: int | None = None,
        *,
        unseen: bool = False,
    ) -> ArmModel:
        """Make a model without data, with a weight for every column.

        Args:
            space: its variables; None: none.
            drift_model: how effects change with time, which is then the last column.
            seed: of the draws of its hyperparameters; None: none are drawn.
            unseen: whether it is of an outcome that has a limit: see `build_model`.
        """
        return build_model(space, drift_model, likely_noise=MUCH_NOISE, seed=seed, unseen=unseen)


KernelName = Literal["anova", "matern-5/2", "matern-3/2"]


@record
class ModelOptions(CausalOptions):
    """Options of the published methods; without `initial`, as many random plays as a model has columns and one more.

    Args:
        kernel: ``"matern-5/2"`` or ``"matern-3/2"``, plus a linear kernel over the numeric columns
            unless the stated drift is a `Sliding`; or ``"anova"``, as in other kinds of problem: each
            column by itself and together with others.
    """

    kernel: KernelName = "matern-5/2"

    def model(
        self,
        space: Space | None,
        drift_model: DriftModel | None = None,
        seed: int | None = None,
        *,
        unseen: bool = False,
    ) -> ArmModel:
        """Make a model with the kernel asked for: see `CausalOptions.model`."""
        if self.kernel == "anova":
            return super().model(space, drift_model, seed, unseen=unseen)
        numbers = [] if space is None else np.flatnonzero(~space.categorical).tolist()
        kernel: Kernel = Constant()
        if space is not None:
            matern = (Matern32 if self.kernel == "matern-3/2" else Matern52).over(space.categorical)
            # A translated straight line is a straight line: only its level changes. Its kernel is not
            # one of differences, so it cannot slide.
            slides = drift_model is not None and drift_model.kind == "sliding"
            kernel = matern
            if numbers and not slides:
                kernel = matern + Linear(numbers, variance=_LINEAR)
        return build_model(
            space, drift_model, kernel, likely_noise=MUCH_NOISE, seed=seed, unseen=unseen
        )


class ArmModels:
    """Models of arms, derived from a history.

    Arms with the same columns, differently assigned, share one (Appendix B.1).

    Args:
        arms: the scopes.
        empty_model: makes a model without data.
        sign: −1 if smaller values are better.
        history: of the study, or of a further outcome in it, whatever it is by then.
        drift: how effects change with time, in each model by itself. Observations are not used
            then: they would have to be adjusted for changes, too.
        since: number of its first fits that are of other models.

    Attributes:
        arms: the scopes.
        number: index of an arm, by scope.
        model_of: by arm, the index of its model.
        typical: by model, one of its arms.
        adjusted_for: by model, the adjustment set of observations; None if they are not used.
        drifts: by model, how it drifts.
    """

    def __init__(
        self,
        arms: Sequence[Arm],
        empty_model: EmptyModel,
        sign: float,
        history: Learned,
        *,
        drift: AnyDrift = None,
        since: int = 0,
    ) -> None:
        classes = list(dict.fromkeys(arm.names for arm in arms))
        self.arms, self._empty_model, self._sign = arms, empty_model, sign
        self.number = {arm.scope: i for i, arm in enumerate(arms)}
        self.model_of = [classes.index(arm.names) for arm in arms]
        self.typical = [arms[self.model_of.index(k)] for k in range(len(classes))]
        self.adjusted_for = [adjustment_set(arm) if drift is None else None for arm in self.typical]
        self._observed = {
            k: AdjustedData(self.typical[k], names, ModelOptions().model, sign)
            for k, names in enumerate(self.adjusted_for)
            if names is not None
        }
        self.drifts = [DriftTracker(drift) for _ in classes]
        self._points = _RowCache(arms, self.number)
        self._data = [EncodingCache(arm.encode_rows) for arm in self.typical]
        self._rows = [
            RowsModel(
                self.drifts[k],
                partial(self._fresh, k),
                partial(self._informs, k),
                partial(self._rows_of, k),
            )
            for k in range(len(classes))
        ]
        self._history, self._since = history, since
        self._informing = Fold(self._distribute, partial(_nothing, len(classes)))
        # by model: a fit, its adjuster, and as used
        self._adjusted_fits: dict[int, tuple[Fit, Fit | None, Fit]] = {}
        # by model: a fit, and outcomes of all models then
        self._all_at: dict[int, tuple[Fit, int]] = {}
        # the results and fits that all models are conditioned on
        self._given: tuple[tuple[Result, ...], tuple[Fit, ...]] | None = None

    def _fresh(self, k: int, drift_model: DriftModel | None) -> ArmModel:
        return self._empty_model(self.typical[k].space, drift_model)

    @property
    def rows(self) -> list[RowsModel]:
        """Models by number, with the names of their rows, given the results as they stand."""
        results, fits = self._history.results, self._history.fits
        if self._given is None or results is not self._given[0] or fits is not self._given[1]:
            self._given = None
            for k, informing in enumerate(self._informing.of(results)):
                self._condition(k, informing)
            self._given = results, fits
        return self._rows

    @property
    def regressions(self) -> list[ArmModel]:
        """Models by number; outcomes are in units of `sign · value`."""
        return [each.model for each in self.rows]

    def __getitem__(self, i: int) -> ArmModel:
        """Model of arm `i`."""
        return self.rows[self.model_of[i]].model

    def arm_of(self, played: Round) -> int:
        """Index of the arm that was played in a round."""
        return self._points.arm_of(played)

    def point(self, played: Round) -> Float[np.ndarray, " d"]:
        """Encoded point of a round, (d,), in the columns of its arm; see `_RowCache.point`."""
        return self._points.point(played)

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """Outcomes of all models, in units of `sign · value`."""
        return np.concatenate([model.outcomes for model in self.regressions])

    def scaled(self, k: int) -> bool:
        """Whether model `k` has a scale from its outcomes; without one its bounds mean nothing."""
        return self.rows[k].drift.scaled

    def pending_points(
        self,
        unresolved: Sequence[Round],
        k: int,
        but: str | None,
        impute: Callable[[Round, Arm, Mapping[str, Any]], dict[str, Any]] | None = None,
    ) -> np.ndarray:
        """Points of decided rounds of model `k` without an outcome, (p, d).

        Args:
            unresolved: rounds without an outcome.
            k: index of the model.
            but: token of a round to leave out.
            impute: gives values to contexts that are not measured yet; None: rounds with such
                contexts are left out.
        """
        rows = []
        for played in unresolved:
            arm, known = self.arms[self.number[played.suggestion.scope]], known_in(played)
            if played.suggestion.token == but or self.model_of[self.number[arm.scope]] != k:
                continue
            missing = set(arm.names) - known.keys()
            if missing and (impute is None or missing & set(arm.actions)):
                continue
            more = impute(played, arm, known) if impute is not None and missing else {}
            rows.append(arm.encode({**known, **more}))
        return np.concatenate(rows) if rows else np.zeros((0, len(self.typical[k].names)))

    # -- data --------------------------------------------------------------------------------------

    def _informs(self, k: int, result: Result) -> bool:
        """Whether a result is of model `k`: a play, a trial elsewhere, or an observation that identifies its effect."""
        if result.outcome is None:
            return False
        if result.played is not None:
            return self.model_of[self.arm_of(result.played)] == k
        if result.scope is None:
            return k in self._observed and self._observed[k].observes(result)
        return teaches(result, self.typical[k])

    def _distribute(
        self, informing: list[tuple[Result, ...]], result: Result
    ) -> list[tuple[Result, ...]]:
        """Add a result to those of each model that it informs."""
        played = result.played
        some = range(len(informing)) if played is None else (self.model_of[self.arm_of(played)],)
        for k in some:
            if self._informs(k, result):
                informing[k] = (*informing[k], result)
        return informing

    def _condition(self, k: int, informing: tuple[Result, ...]) -> None:
        """Condition model `k` on its results, with adjusted observations, and with its latest fit."""
        fit = self._fit_of("models", k)
        if (observed := self._observed.get(k)) is not None and observed.others:
            learned = self._fit_of("adjusters", k)
            informing, fit = observed.of(informing, learned), self._adjusted_fit(k, fit, learned)
        self._rows[k].given(informing, fit)

    def _fit_of(self, kind: str, k: int) -> Fit | None:
        return self._history.fit(kind, str(k), since=self._since)

    def _adjusted_fit(self, k: int, fit: Fit | None, learned: Fit | None) -> Fit | None:
        """Fit of model `k`, of which the results are adjusted as they were then; the same object for the same fits."""
        if fit is None:
            return None
        known = self._adjusted_fits.get(k)
        if known is None or known[0] is not fit or known[1] is not learned:
            results = self._observed[k].of(fit.results, learned)
            known = self._adjusted_fits[k] = fit, learned, replace(fit, results=results)
        return known[2]

    def _rows_of(self, k: int, told: Sequence[Result]) -> Data:
        """Points, values and stated errors of results of model `k`; those of plays are encoded together."""
        plays = iter(self._points.points([each.played for each in told if each.played is not None]))
        points = [
            self._data[k].of(each.name, each.realised) if each.played is None else next(plays)
            for each in told
        ]
        rows = np.array(points).reshape(len(told), len(self.typical[k].names))
        return rows_told(rows, told, self._sign)

    def adjusted_share(self, k: int) -> float:
        """Share of the outcomes of model k that are observations adjusted for other variables."""
        told = self.rows[k].told
        return sum(map(_is_observation, told)) / len(told) if told and self.adjusted_for[k] else 0.0

    def observations(self, k: int) -> int:
        """Number of observations that model `k` learns from, or will after the next fit."""
        return len(self._observed[k].observed(self._history.results)) if k in self._observed else 0

    def outliers(self) -> list[str]:
        """Names of the outcomes that count for little in a model, since they are probably wrong."""
        found = {name for each in self.rows for name in each.outliers}
        return [each.name for each in self._history.results if each.name in found]

    def abrupt_change(self) -> list[Finding]:
        """Find that all has changed by a model without a drift; of plays alone, whose order is known.

        Hyperparameters that are due again may take a surprise for a change.
        """
        for k, each in enumerate(self.rows):
            plays_alone = self.drifts[k].model is None and all(
                row.played is not None for row in each.told
            )
            if plays_alone and not self._due(k) and (found := each.abrupt_change()):
                return found
        return []

    # -- hyperparameters ---------------------------------------------------------------------------

    def refit(self, horizon: Callable[[float], float]) -> dict[str, Any] | None:
        """Fit hyperparameters where that is due; returns them as plain data, and changes nothing.

        Args:
            horizon: from elapsed time to the time that the study is about.
        """
        results = self._history.results
        before = {k: self._fit_of("adjusters", k) for k in self._observed}
        adjusters = {
            k: each.fit(results, before[k])
            for k, each in self._observed.items()
            if each.due(results, before[k])
        }
        due = [k for k in range(len(self.rows)) if k in adjusters or self._due(k)]
        models = {k: self._refitted(k, adjusters.get(k), horizon) for k in due}
        kinds = {"models": models, "adjusters": adjusters}
        return {
            name: {str(k): found for k, found in kind.items()}
            for name, kind in kinds.items()
            if kind
        } or None

    def _due(self, k: int) -> bool:
        rows = self.rows
        young = len(rows[k].told) < COMPARABLE and sum(
            len(each.told) for each in rows
        ) >= 2 * self._all_at_fit(k)
        return bool(rows[k].told) and (young or rows[k].due())

    def _all_at_fit(self, k: int) -> int:
        """Outcomes of all models together at the latest fit of model `k`."""
        fit = self._fit_of("models", k)
        if fit is None:
            return 0
        then = self._all_at.get(k)
        if then is None or then[0] is not fit:
            told = sum(
                self._informs(j, each) for j in range(len(self._rows)) for each in fit.results
            )
            then = self._all_at[k] = fit, told
        return then[1]

    def _refitted(
        self, k: int, adjuster: Mapping[str, Any] | None, horizon: Callable[[float], float]
    ) -> dict[str, Any]:
        """Hyperparameters of model `k`, with observations adjusted anew by `adjuster` if there is any."""
        elsewhere, rows = self._elsewhere(k), self.rows[k]
        if adjuster is None:
            return rows.fit(horizon, elsewhere)
        results = self._history.results
        adjusted = self._observed[k].of(results, Fit(len(self._history) + 1, adjuster, results))
        self._given = None  # the model is conditioned on other outcomes for a moment
        learned = self._fit_of("adjusters", k)
        return rows.given(adjusted, self._adjusted_fit(k, self._fit_of("models", k), learned)).fit(
            horizon, elsewhere
        )

    def _elsewhere(self, k: int) -> Float[np.ndarray, " m"]:
        """Outcomes of all other models, without doubted ones: they are of the same target."""
        others = [each for j, each in enumerate(self.regressions) if j != k]
        return np.concatenate(
            [
                np.zeros(0),
                *(np.delete(each.outcomes, getattr(each, "doubted", [])) for each in others),
            ]
        )


def _nothing(models: int) -> list[tuple[Result, ...]]:
    return [()] * models


def _is_observation(result: Result) -> bool:
    return result.played is None and result.scope is None


class _RowCache:
    """Encoded points of rounds that have ended, each computed once."""

    def __init__(self, arms: Sequence[Arm], number: Mapping[Scope, int]) -> None:
        self._arms, self._number = arms, number
        self._arm: dict[str, int] = {}  # by token
        self._encoded = [EncodingCache(arm.encode_rows) for arm in arms]

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
            known = {
                **{name: arm.problem_space[name].decode([0.5])[0] for name in arm.measured},
                **known,
            }
        return self._encoded[i].of(played.suggestion.token, known)

    def points(self, told: Sequence[Round]) -> list[Float[np.ndarray, " d"]]:
        """Points of rounds with an outcome, (d,) each; those of an arm are encoded together."""
        by_arm: dict[int, list[Round]] = {}
        for played in told:
            by_arm.setdefault(self.arm_of(played), []).append(played)
        found = dict[str, np.ndarray]()
        for i, some in by_arm.items():
            rows = [(played.suggestion.token, known_in(played)) for played in some]
            points = self._encoded[i].of_all(rows)
            found |= {token: point for (token, _), point in zip(rows, points, strict=True)}
        return [found[played.suggestion.token] for played in told]
