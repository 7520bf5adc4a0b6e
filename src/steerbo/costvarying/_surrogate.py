"""The surrogate of the wing: one Gaussian process for all control sets, its drift, and the feasibility of plays.

Each outcome is a row of it: the encoded values that were realised, and `sign · value`, so that
larger is better. Where the objective drifts, time is the last input column. Expected values of a
control set, averages over nature's draws, are searched by `Candidates` in `search_space.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._arrays import Float, Int
from .._evidence import COMPARABLE
from ..bandit import expected_with_failure
from ..core import (
    TIME,
    DataAdded,
    Finding,
    Fit,
    History,
    OutcomeTold,
    Result,
    Round,
    Streams,
    horizon,
    time_of,
)
from ..core.tolerance import UNSTATED
from ..errors import InvalidStudy
from ..gp import DriftModel, GPRegression, Learner, OutlierRule, PriorKnowledge
from ..optim import Box
from ..surrogate import (
    OUTCOMES_FIT,
    ConstraintModels,
    Data,
    DriftTracker,
    EncodingCache,
    FailureModel,
    Feasibility,
    Observed,
    OutcomeModels,
    Part,
    RowsModel,
    build_model,
    drawn,
    drift_correlations,
    feasible,
    is_told,
    parts_of,
    rows_told,
    set_columns,
    subset_used,
    with_sources,
)
from .problem import CostVarying
from .search_space import Arm, Candidates, SearchSpace

COST_FIT = "cost"
"""Key of hyperparameters of costs over settings, in a refit: see `_costs`."""
_LATEST = 256  # plays around which feasible settings are searched


_Key = tuple[tuple[float, ...], float]
"""Encoded point and value of an outcome."""


class _Comparison:
    """Model that outcomes are compared with where few of the others have taught the hyperparameters, as data are added.

    A fit is logged when something is answered. Before that nothing says how much outcomes differ:
    so some of them are learned from for the comparison alone, whenever they have doubled. It is a
    function of the outcomes.
    """

    def __init__(self) -> None:
        self._learned = 0
        self._model: GPRegression[Any] | None = None

    def of(
        self, model: GPRegression[Any], fitted_at: int, empty: Callable[[], GPRegression[Any]]
    ) -> GPRegression[Any] | None:
        """Return the model to compare with: `model` itself, if half of its outcomes were learned from.

        None: there are too few outcomes. The likeliest hyperparameters of eight say too surely how
        little they differ. `empty` makes a model without data.
        """
        n, rows = len(model), (model.inputs, model.outcomes, model.errors)
        if n <= 2 * fitted_at:
            return model
        if n < (learned := 2 * COMPARABLE):
            return None
        while 2 * learned <= min(n, Learner.many):
            learned *= 2
        known = self._model
        m = 0 if known is None else len(known)
        if known is None or learned != self._learned or not _begins(known, _first(rows, m)):
            known = self._model = empty()
            known.replace(*_first(rows, learned))
            known.set(known.likeliest())
            self._learned, m = learned, learned
        known.extend(*(column[m:] for column in rows))
        return known


def _first(rows: Data, m: int) -> Data:
    points, outcomes, errors = rows
    return points[:m], outcomes[:m], errors[:m]


def _begins(model: GPRegression[Any], rows: Data) -> bool:
    """Whether a model has just these outcomes."""
    have = model.inputs, model.outcomes, model.errors
    return all(np.array_equal(a, b) for a, b in zip(have, rows, strict=True))


class Surrogate:
    """Posterior of the objective, and models of the constrained outcomes and of failures.

    Attributes:
        history: of the study, whatever it is by now.
        drift: how the objective changes with time, and when hyperparameters are due.
        feasibility: how likely plays are to work, and to satisfy the constraints on outcomes.
    """

    def __init__(
        self, problem: CostVarying, search_space: SearchSpace, streams: Streams, history: History
    ) -> None:
        self.history = history
        self.problem = problem
        self.search_space = search_space
        self.streams = streams
        self.space = problem.space
        # outcomes of plays that were repeated, by the number of the play
        self._repeated: dict[_Key, int] = {}
        self.drift = DriftTracker(problem.drift)
        self._encoded_rows = EncodingCache(self.space.encode)
        self._sources: tuple[str, ...] = ()
        self._data = self._rows_model()
        self._adapted: tuple[Fit | None, Fit | None] = None, None  # a fit as logged, and as used
        self._comparison = _Comparison()
        self.feasibility = Feasibility(
            FailureModel(
                self.space.categorical,
                self._tried,
                history,
                lasting=self._lasting if problem.timed else None,
                scope=self._controls,
            ),
            ConstraintModels(
                problem.further,
                partial(self._empty, unseen=True),
                problem.drift,
                self.space.names,
                self._point,
                history=history,
            )
            if problem.further
            else None,
        )
        self.outcomes = OutcomeModels(problem.traded, self._empty, self.points_of, history)

    @property
    def model(self) -> GPRegression[Any]:
        """Gaussian process of the objective, given all outcomes as they stand. Conditioned when it is used."""
        return self._given.model

    @property
    def told(self) -> tuple[Result, ...]:
        """Results that are rows of the model, in its order."""
        return self._given.told

    @property
    def _given(self) -> RowsModel:
        results = self.history.results_everywhere
        sources = tuple(self.history.sources)
        if sources != self._sources:
            self._sources = sources
            self._data, self._adapted = self._rows_model(), (None, None)
        return self._data.given(results, self._fit)

    def _rows_model(self) -> RowsModel:
        return RowsModel(self.drift, self._empty_model, is_told, self._rows_of, everywhere=True)

    @property
    def _fit(self) -> Fit | None:
        """Latest fit of the objective; a source that was not there then has its prior's middle."""
        fit = self.history.fit("objective")
        if fit is None or not self._sources:
            return fit
        if self._adapted[0] is not fit:
            kernel = self._empty_model(None).kernel
            known = with_sources(fit.hyperparameters, self._sources, kernel)
            self._adapted = fit, replace(fit, hyperparameters=known)
        return self._adapted[1]

    def check_fit(self) -> None:
        """Condition all models with the latest fit.

        Raises:
            InvalidStudy: it is not one of such models.
        """
        hyperparameters = self.history.fits[-1].hyperparameters
        names = {"objective", COST_FIT, OUTCOMES_FIT, *self.problem.further}
        if "objective" not in hyperparameters or not hyperparameters.keys() <= names:
            raise InvalidStudy(
                "hyperparameters", dict(hyperparameters), "those of the objective and of limits"
            )
        _ = self.model, self.feasibility.models, self.outcomes.by_name

    @property
    def fitted_at(self) -> int:
        """Number of outcomes that the hyperparameters were learned from."""
        return self._given.fitted_at

    @property
    def fitted_for(self) -> int:
        """Number of the round before which hyperparameters were learned last; 0: they were not."""
        return self.history.fits[-1].round if self.history.fits else 0

    def _rows_of(self, told: Sequence[Result]) -> Data:
        """Points and values of outcomes, encoded together, and their stated errors."""
        points = self.points_of(told)
        if self._sources:
            names = None, *self._sources  # here is the first
            points = np.column_stack([points, [names.index(each.source) for each in told]])
        return rows_told(points, told, self.problem.sign)

    def points_of(self, told: Sequence[Result]) -> Float[np.ndarray, "n d"]:
        """Points of results, encoded together."""
        points = self._encoded_rows.of_all([(each.name, each.realised) for each in told])
        points = points.reshape(len(told), len(self.space))  # also where nothing was told
        if self.drift.model is not None:
            times = [self._when(each.realised, each.name, each.played) for each in told]
            points = np.column_stack([points, times])
        return points

    def _empty_model(self, drift_model: DriftModel | None) -> GPRegression[Any]:
        known = PriorKnowledge(self.problem.noise, outliers=OutlierRule(plays=self._plays))
        return self._empty(drift_model, known=known, sources=len(self._sources), peaks=True)

    def _empty(self, drift_model: DriftModel | None, **options: Any) -> GPRegression[Any]:
        return build_model(
            self.space, drift_model, seed=self.streams.integer(0, "hyperparameters"), **options
        )

    # -- outcomes ----------------------------------------------------------------------------------

    def _when(self, realised: Mapping[str, Any], name: str, played: Round | None) -> float:
        if played is not None:
            return time_of(played)
        return float(realised.get(TIME.name, self.history.clock_at(name)))

    def _point(self, realised: Mapping[str, Any], name: str, played: Round | None) -> np.ndarray:
        point = self._encoded_rows.of(name, realised)
        if self.drift.model is None:
            return point
        return np.append(point, self._when(realised, name, played))

    def _tried(self, realised: Mapping[str, Any], name: str, played: Round | None) -> np.ndarray:
        if played is not None and played.state == "failed":
            before = next(k for k, each in enumerate(self.history.results) if each.name == name)
            return self.imputed(played, before)
        return self._point(realised, name, played)

    def imputed(self, played: Round, before: int | None = None) -> Float[np.ndarray, " d"]:
        """Encoded point of a round without an outcome; a value that was not measured is drawn, always the same.

        `before`: by nature's laws as they were before one of the results; None: as known by now.
        """
        columns = self.search_space.columns
        known = self.search_space.encoded(
            {n: value for n, value in played.realised.items() if n in self.space}
        )
        if self.problem.timed:
            known[TIME.name] = time_of(played)
        unit = self.streams(played.number, "nature").random((1, len(columns)))
        return drawn(
            parts_of(columns, (), known, self.search_space.nature.at(known, before=before)), unit
        )[0]

    def pending_points(self) -> Float[np.ndarray, "p d"]:
        """Encoded points of all rounds without an outcome."""
        points = [self.imputed(played) for played in self.history.unresolved]
        return np.array(points).reshape(-1, len(self.search_space.columns))

    def expected_outcome(self, event: OutcomeTold | DataAdded) -> tuple[float, float, float] | None:
        """See `Method.expected_outcome`: by the posterior of the objective where the evaluation really was."""
        if len(self.model) < COMPARABLE:
            return None
        if (point := self._comparable_point(event)) is None:
            return None
        empty = partial(self._empty_model, self.drift.model)
        if (comparison := self._comparison.of(self.model, self.fitted_at, empty)) is None:
            return None
        mean, deviation = comparison.predictive(point)
        return float(event.outcome.value), self.problem.sign * mean, deviation

    def expected_further(self, event: OutcomeTold | DataAdded) -> Mapping[str, tuple[float, float]]:
        """See `Method.expected_further`."""
        constraints, point = self.feasibility.constraints, self._comparable_point(event)
        return {} if constraints is None or point is None else constraints.expected(point)

    def _comparable_point(self, event: OutcomeTold | DataAdded) -> Float[np.ndarray, " d"] | None:
        """Encoded point where an evaluation really was; None of data of another source, or of any time."""
        if isinstance(event, OutcomeTold):
            played = self.history[event.token]
            return self._point(event.outcome.realised, event.token, played)
        if self.problem.timed or event.source is not None:
            return None
        return self._point(event.outcome.realised, "", None)

    def _controls(self, played: Round | None) -> tuple[float, ...]:
        """See `SearchSpace.controls`; external data count as if everything had been controlled."""
        if played is None:
            return (1.0,) * len(self.search_space.sometimes_controlled)
        return self.search_space.controls(self.problem.number(played.suggestion.scope))

    def _lasting(
        self, times: Float[np.ndarray, " n"], others: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        return drift_correlations(self.model, times, others)

    # -- hyperparameters ---------------------------------------------------------------------------

    def refit(self) -> Mapping[str, Any] | None:
        """Learn hyperparameters and drift anew where that is due, and return them as plain data; see `Method.refit`."""
        constraints = self.feasibility.constraints
        corrected = constraints is not None and constraints.corrected
        if not self._due and not corrected and not self.outcomes.due:
            return None
        until, self._repeated = partial(horizon, self.history), self._repetitions()
        objective = self._given.fit(until)
        if self._sources:
            objective["sources"] = list(self._sources)
        return {
            "objective": objective,
            **self.feasibility.fit(until),
            **self.outcomes.fit(),
        }

    @property
    def _due(self) -> bool:
        """Whether hyperparameters of the objective are to be learned anew."""
        return self._given.due()

    def _repetitions(self) -> dict[_Key, int]:
        """Outcomes that were doubted, and those of the plays that repeat them (see `CostVaryingMethod.repeat`).

        Nature draws other values in a repetition, so that points do not tell.
        """
        asked = (each.suggestion for each in self.history)
        notes = {each.token: each.note.get("repeats") for each in asked}
        pairs = [(token, name) for token, name in notes.items() if name]
        if not pairs:
            return {}
        points, values = (
            self.model.inputs[:, : len(self.space)].tolist(),
            self.model.outcomes.tolist(),
        )
        keys: dict[str, _Key] = {
            each.name: (tuple(x), y) for each, x, y in zip(self.told, points, values, strict=True)
        }
        told = [
            (keys[name], keys[token]) for token, name in pairs if name in keys and token in keys
        ]
        return {key: k for k, pair in enumerate(told) for key in pair}

    def _plays(
        self, points: Float[np.ndarray, "n d"], outcomes: Float[np.ndarray, " n"]
    ) -> Int[np.ndarray, " n"]:
        """Labels of outcomes, alike where a play was repeated."""
        if not self._repeated:
            return np.arange(len(outcomes))
        rows = zip(points[:, : len(self.space)].tolist(), outcomes.tolist(), strict=True)
        return np.array(
            [self._repeated.get((tuple(x), y), -1 - i) for i, (x, y) in enumerate(rows)], dtype=int
        )

    def for_next_round(self) -> GPRegression[Any]:
        """Model that chooses the next round: with one draw of the hyperparameters from their posterior."""
        return self.model.member(self.streams.integer(self.history.next_round, "hyperparameters"))

    def outliers(self) -> list[str]:
        """See `Method.outliers`."""
        return self._given.outliers

    def findings(self) -> list[Finding]:
        """Find that there are more outcomes than the model uses, or that all has changed where nothing drifts.

        Hyperparameters that are due again may take a surprise for a change, so that nothing is said
        before the fit.
        """
        if found := subset_used(len(self.model), len(self.model.counted)):
            return found
        if self.drift.model is not None or self._due:
            return []
        return self._given.abrupt_change()

    # -- feasibility -------------------------------------------------------------------------------

    def feasible(
        self, feasibility: Feasibility, i: int, box: Box, parts: Sequence[Part]
    ) -> Box | None:
        """Restrict a box of control set `i` to likely feasible settings, of plays or of answers.

        See `Feasibility.region`.
        """
        near = self.model.inputs[-_LATEST:, set_columns(parts)] if feasibility.active else None
        scope = self.search_space.controls(i)
        return feasibility.region(box, parts, near=near, scope=scope)

    def chances(self, parts: Sequence[Sequence[Part]]) -> Float[np.ndarray, " m"]:
        """Probability of each control set to work at its best settings, as a share of the largest one, (m,)."""
        sets = enumerate(parts)
        return self.feasibility.failures.chances(
            [(each, self.search_space.controls(i)) for i, each in sets]
        )

    def success_probabilities(self, candidates: Candidates) -> Float[np.ndarray, " m"]:
        """`chances` of the control sets of candidates; 1 of every one without failures."""
        m = len(self.problem.control_sets)
        if not self.feasibility.failures.failures:
            return np.ones(m)
        whole = {
            arm.set: domain.parts
            for arm, domain in reversed([*zip(candidates.arms, candidates.domains, strict=True)])
        }
        return self.chances([whole[i] for i in range(m)])

    def with_failure(
        self, values: Float[np.ndarray, " k"], candidates: Candidates, sets: Sequence[int]
    ) -> Float[np.ndarray, " k"]:
        """Values of some control sets, a failed play counted as the smallest posterior mean; unchanged without one."""
        if not self.feasibility.failures.failures:
            return values
        likely = self.success_probabilities(candidates)[list(sets)]
        return expected_with_failure(
            values, likely, np.array([self.smallest_mean(candidates.known)])
        )

    def first_feasible(
        self,
        arm: Arm,
        context: Mapping[str, Any],
        time: float | None,
        units: Float[np.ndarray, "k c"],
    ) -> Float[np.ndarray, " c"]:
        """Map points of the unit cube into an arm, and return the first that is likely feasible, or the likeliest.

        `time`: of the play, where the objective drifts.
        """
        domain = self.search_space.domain_at(arm, context)
        assert domain is not None  # a point was placed there
        points, scope = domain.box.place(units), self.search_space.controls(arm.set)
        parts = (
            domain.parts
            if time is None
            else (*domain.parts[: self.space.dimension], Observed(time))
        )
        margin = self.feasibility.margin(parts, scope=scope)
        return np.asarray(points[0 if margin is None else feasible(margin(points))[0]])

    # -- values ------------------------------------------------------------------------------------

    def unstandardised(self, value: float) -> float:
        """Convert from standardised units to those of `sign · value`; `-inf`, of no place, stays."""
        return value if value == -np.inf else float(self.model.unstandardise(value))

    def acceptable(self, best: float, known: Mapping[str, float]) -> float:
        """Least value that the problem's tolerance accepts where the best is `best`, in units of `sign · value`."""
        tolerance = self.problem.tolerance or UNSTATED
        worst = min(self.smallest_mean(known), best)
        return tolerance.acceptable(best, worst, self.problem.sign)

    # -- posterior means at the data ---------------------------------------------------------------

    def means_at_data(self, known: Mapping[str, float]) -> Float[np.ndarray, " n"]:
        """Posterior means at the data, moved to an encoded context and time, in units of `sign · value`.

        Means in the contexts and at the times of the data say nothing of a choice that is made in
        this one.
        """
        points = self.model.inputs[:, : len(self.search_space.columns)].copy()
        for name, value in known.items():
            points[:, self.search_space.columns.index(name)] = value
        return self.model.unstandardise(self.model.means(points))

    def smallest_mean(self, known: Mapping[str, float]) -> float:
        """Smallest of `means_at_data`; 0 before there are any."""
        return float(self.means_at_data(known).min()) if len(self.model) else 0.0

    def range_of_means(self, known: Mapping[str, float]) -> float:
        """Largest less smallest of `means_at_data`: the range of the objective without its noise."""
        return float(np.ptp(self.means_at_data(known))) if len(self.model) else 0.0
