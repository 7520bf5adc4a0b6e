"""Pictures of the model: slices through the recommended point, and which variables matter.

Both read one posterior as it stands; no hyperparameter is fitted anew. A slice is the posterior
mean along one variable with 95 % bounds about it, all else held. The importance of variable j is
the first-order share of variance

    S_j = Var(E[f(X) | X_j]) / Var(f(X)),    X uniform over the bounds of all variables,

of functions f drawn from the posterior; that draws differ is its uncertainty. The rest to one is
the share of variables only together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Float, Int
from .._wording import listed
from ..core import (
    TIME,
    BaseStudy,
    LeftOut,
    Outcome,
    Problem,
    Recommendation,
    Round,
    Scope,
    time_of,
)
from ..errors import InvalidOption, InvalidRequest, SteerboError, one_of
from ..gp.drift import correlation
from ..interop.posteriors import PosteriorQuery, posterior
from ..optim import sobol_points
from ..space import Categorical
from ..surrogate import Posterior
from ..timevarying.data import Datum as Told
from ..timevarying.means import Means
from ..timevarying.method import TimeVaryingMethod
from ..timevarying.surrogates import FiniteSurrogate, covariance_between
from .drawing import (
    BLUE,
    GREY,
    LABEL,
    ORANGE,
    SKY,
    VERMILION,
    Picture,
    colour_bar,
    finished,
    legend_below,
    new_figure,
    on,
    places_on,
    scale_axis,
    shades,
    styled,
    texts_at_right,
    value_words,
    with_unit,
    wrapped,
)
from .rounds import decades, over_decades

_GRID = 161  # points of a line
_LEVELS_AS_POINTS = 12  # levels that are points with bars; more are steps
_WIDTH = 2.0  # standard deviations
_NEAR = 0.25  # distance from a slice, in ranges of the other variables, at which an outcome fades
# points, panels, and suggestions or variables that are drawn
_MOST_DATA, _MOST_PANELS, _NEXT = 400, 9, 3
# where functions are drawn; functions; parts of a variable's range
_POINTS, _DRAWS, _BINS = 512, 200, 16
_ENDS = (0.05, 0.95)  # quantiles between which data lie that a picture shows
_MAP = 41  # values of each variable of a map
_TIMES, _POSITIONS = 24, 41  # columns and lines of a picture of time and position
_ASIDE = 0.16  # how far outcomes of a category stand beside its expected value
_BAND = "95 % bounds"


@dataclass(frozen=True, eq=False)
class _OfBox:
    """Posterior of a method whose model is a Gaussian process over a box, with larger values better."""

    found: Posterior

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in the order of the columns."""
        return self.found.columns.names

    def along(
        self, j: int, values: Mapping[str, Any], most: int = _GRID
    ) -> tuple[list[Any], Float[np.ndarray, "2 r"], bool]:
        """Give about so many values of a variable, the mean and deviation there, and whether it is continuous.

        All other variables are at `values`, else in the middle.
        """
        columns, box = self.found.columns, self.found.columns.box
        middle = columns.decode(box.place(np.full((1, box.dimension), 0.5))[0])
        fixed = columns.encode(
            {**middle, **{name: values[name] for name in self.names if name in values}}
        )
        levels = box.levels[j]
        grid = np.linspace(box.low[j], box.high[j], most)
        if levels is not None:  # categories are all shown
            some = np.unique(np.searchsorted(levels, grid).clip(max=len(levels) - 1))
            grid = levels if box.unordered[j] or len(levels) < 2 * most else levels[some]
        points = np.repeat(fixed[None], len(grid), axis=0)
        points[:, j] = grid
        mean, covariance = self.found.moments(points)
        deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        at = [columns.decode(point)[self.names[j]] for point in points]
        return at, np.array([mean, deviation]), levels is None

    def place(self, values: Mapping[str, Any]) -> Float[np.ndarray, " d"] | None:
        """Encode values of all variables to [0, 1]; None where one is missing."""
        if any(name not in values for name in self.names):
            return None
        box = self.found.columns.box
        point = self.found.columns.encode({name: values[name] for name in self.names})
        return np.asarray((point - box.low) / np.where(box.high > box.low, box.high - box.low, 1.0))

    def scattered(
        self,
    ) -> tuple[Int[np.ndarray, "n d"], Float[np.ndarray, " n"], Float[np.ndarray, "n n"]]:
        """Points spread over all variables, as parts of their ranges; means and covariances there."""
        box = self.found.columns.box
        points = box.place(sobol_points(_POINTS, box.dimension, seed=0))
        return _parts(points, box.low, box.high), *self.found.moments(points)


@dataclass(frozen=True, eq=False)
class _OfSites:
    """The posterior of one prior of a time-varying problem at finitely many points."""

    problem: Any
    sites: FiniteSurrogate
    prior: int
    time: float

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(self.problem.space.names)

    @property
    def _counts(self) -> tuple[int, ...]:
        """The number of levels of each variable."""
        return tuple(len(variable.levels) for variable in self.problem.variables)

    def _numbers(self, sites: Any) -> Int[np.ndarray, "n d"]:
        """The levels of points, by number."""
        return np.stack(np.unravel_index(np.atleast_1d(sites), self._counts), axis=1)

    def along(
        self, j: int, values: Mapping[str, Any], most: int = _GRID
    ) -> tuple[list[Any], Float[np.ndarray, "2 r"], bool]:
        """See `_OfBox.along`."""
        middle = self.problem.sites[len(self.problem.sites) // 2]
        site = self.problem.site({**dict(zip(self.names, middle, strict=True)), **values})
        line = np.repeat(self._numbers(site), self._counts[j], axis=0)
        line[:, j] = np.arange(self._counts[j])
        numbers = np.ravel_multi_index(tuple(line.T), self._counts)
        moments = np.array([each[self.prior, numbers] for each in self.sites.posterior(self.time)])
        return [self.problem.sites[k][j] for k in numbers], moments, False

    def place(self, values: Mapping[str, Any]) -> Float[np.ndarray, " d"] | None:
        """See `_OfBox.place`."""
        if any(name not in values for name in self.names):
            return None
        most = np.maximum(np.array(self._counts) - 1, 1)
        return np.asarray(self._numbers(self.problem.site(values))[0] / most)

    def scattered(
        self,
    ) -> tuple[Int[np.ndarray, "n d"], Float[np.ndarray, " n"], Float[np.ndarray, "n n"]]:
        """See `_OfBox.scattered`."""
        n, counts = len(self.problem.sites), np.array(self._counts)
        some = np.unique(np.linspace(0, n - 1, min(n, _POINTS)).round().astype(int))
        mean, covariance = self.sites.joint(self.prior, some, self.time)
        return (
            _parts(self._numbers(some).astype(float), np.zeros(len(counts)), counts - 1),
            mean,
            covariance,
        )


class _Hindsight:
    """The posterior of one prior at the sites of a finite domain, at times before the last outcome too.

    The filters of `FiniteSurrogate` know the present alone: here one Gaussian process has read the
    latest outcomes.
    """

    def __init__(self, problem: Any, shared: Any, prior: int, told: Sequence[Told]):
        self._prior, self._drift = prior, shared.drift
        self._covariances = covariance_between(shared.kernel, problem.points, problem.axes)
        self._means = Means(problem)(problem.points)
        self._times = np.array([datum.time for datum in told])
        self._at = np.array([datum.place for datum in told])
        residuals = np.array([datum.value for datum in told]) - self._means[prior, self._at]
        gram = self._covariances[np.ix_(self._at, self._at)] * self._left(
            self._times[:, None] - self._times
        )
        noise = shared.noise**2 * np.array([datum.inflation for datum in told])
        self._factor = np.linalg.cholesky(gram + np.diag(noise))
        self._half = np.linalg.solve(self._factor, residuals)

    def _left(self, ages: Float[np.ndarray, "*n"]) -> Any:
        """Correlation of the objective at two times."""
        return np.reshape(correlation(self._drift, np.abs(ages).ravel()), ages.shape)

    def posterior(self, time: float) -> tuple[Float[np.ndarray, "P X"], Float[np.ndarray, "P X"]]:
        """Means and standard deviations at all sites, (P, X) each, of which the row of the prior counts."""
        means, rows = self._means.copy(), np.arange(self._means.shape[1])
        mean, covariance = self.joint(self._prior, rows, time)
        means[self._prior] = mean
        return means, np.broadcast_to(np.sqrt(np.maximum(np.diag(covariance), 0.0)), means.shape)

    def joint(
        self, prior: int, sites: Int[np.ndarray, " J"], time: float
    ) -> tuple[Float[np.ndarray, " J"], Float[np.ndarray, "J J"]]:
        """Means and covariances among some sites."""
        between = (
            self._covariances[np.ix_(self._at, sites)] * self._left(self._times - time)[:, None]
        )
        half = np.linalg.solve(self._factor, between)
        return self._means[prior, sites] + half.T @ self._half, self._covariances[
            np.ix_(sites, sites)
        ] - half.T @ half


def _parts(points: Float[np.ndarray, "n d"], low: Any, high: Any) -> Int[np.ndarray, "n d"]:
    """Part of its range in which each coordinate lies: a level, where there are few, else a sixteenth."""
    found = np.empty(points.shape, dtype=np.int64)
    for j, column in enumerate(points.T):
        levels, number = np.unique(column, return_inverse=True)
        share = (column - low[j]) / max(high[j] - low[j], 1e-300)
        found[:, j] = (
            number if len(levels) <= _BINS else np.clip((share * _BINS).astype(int), 0, _BINS - 1)
        )
    return found


Surface = _OfBox | _OfSites
"""A posterior along the variables of a model."""


def surface_of(study: BaseStudy, which: PosteriorQuery) -> Surface:
    """The posterior of a study, wherever it is defined.

    Raises:
        InvalidRequest: the method keeps no Gaussian process over variables, or not this one.
    """
    method: Any = study._method
    if isinstance(method, TimeVaryingMethod) and method.problem.points is not None:
        which.only(method.problem.kind, "time", "prior")
        if which.prior is not None and which.prior not in method.names:
            raise InvalidRequest("prior", which.prior, one_of(method.names, which.prior))
        time = method.now if which.time is None else float(which.time)
        sites: Any = method.surrogate_at(time)
        prior = method.trusted()[0] if which.prior is None else method.names.index(which.prior)
        if isinstance(sites, FiniteSurrogate):
            told = method.comparison.held_in_time
            if told and time < told[-1].time:
                shared = sites.sharing[sites.group[prior]]
                sites = _Hindsight(method.problem, shared, prior, told[-_MOST_DATA:])
        return _OfSites(method.problem, sites, prior, time)
    return _OfBox(posterior(study, which))


def over(
    surface: Surface, names: Sequence[str], values: Mapping[str, Any]
) -> tuple[list[Any], list[Any], Float[np.ndarray, "s r"]]:
    """Give values of two variables, and the mean at each pair; all others are at `values`, else in the middle.

    Rows of the means are values of the second variable.
    """
    i, j = (surface.names.index(name) for name in names)
    across, _, _ = surface.along(i, values, _MAP)
    up, _, _ = surface.along(j, values, _MAP)
    rows = [surface.along(i, {**values, names[1]: value}, _MAP)[1][0] for value in up]
    return across, up, np.array(rows)


# -- slices ----------------------------------------------------------------------------------------


class Datum(NamedTuple):
    """An outcome beside a slice.

    Args:
        at: the value of the variable, of a map those of both.
        value: the outcome.
        near: how near to the slice the play was, from 0 to 1.
        own: whether the same scope was played.
        title: of the round or the row.
    """

    at: Any
    value: float
    near: float
    own: bool
    title: str


@dataclass(frozen=True)
class Slice:
    """The posterior along one variable, in the user's units.

    Args:
        name: of the variable.
        at: its values.
        mean, width: of the posterior there, (r,) each; `width` is half that of 95 % bounds.
        continuous: whether it has no steps.
        data: outcomes.
        best: the recommended value and the mean there; None where another variable is recommended.
        suggested: values that were suggested and have no outcome yet.
    """

    name: str
    at: list[Any]
    mean: Float[np.ndarray, " r"]
    width: Float[np.ndarray, " r"]
    continuous: bool
    data: list[Datum]
    best: tuple[Any, float] | None
    suggested: list[Any]

    @property
    def decades(self) -> tuple[float, float] | None:
        """Range of a logarithmic axis where outcomes of this scope span decades; None: the axis is linear."""
        told = [each.value for each in self.data if each.own]
        return decades(told) if over_decades(told) else None


@dataclass(frozen=True)
class Slices:
    """All slices through one point; their posterior is taken once.

    Args:
        study: whose.
        surface: the posterior.
        values: the point: the context, and the recommendation.
        scope: whose plays are data of these slices; None: all.
        widening: how many times bounds of answers are as wide as the model's.
        uncertain: the standard deviations that answers have where the posterior has these, (r,): of
            given priors with the addition for their latest errors.
    """

    study: BaseStudy
    surface: Surface
    values: Mapping[str, Any]
    scope: Scope | None
    widening: float
    uncertain: Callable[[Any], Any]

    @property
    def names(self) -> list[str]:
        """Variables in order: set ones before seen ones."""
        seen = set(self.study.problem.space.seen)
        return sorted(self.surface.names, key=lambda name: name in seen)

    def of(self, name: str) -> Slice:
        """The slice along a variable."""
        j, sign = self.surface.names.index(name), self.study.problem.sign
        at, (mean, deviation), continuous = self.surface.along(j, self.values)
        best = None
        if name in self.values:
            k = _nearest(self.study.problem.space[name], at, self.values[name])
            best = self.values[name], float(sign * mean[k])
        out = [values[name] for values in self.suggested if name in values]
        width = (
            _WIDTH
            * self.uncertain(deviation)
            * (self.widening if math.isfinite(self.widening) else np.nan)
        )
        return Slice(
            name, at, sign * mean, width, continuous, self._data((name,)), best, out[:_NEXT]
        )

    @property
    def suggested(self) -> list[Mapping[str, Any]]:
        """Settings of the rounds that have no outcome yet."""
        return [played.suggestion.values for played in self.study.history.pending]

    def pairs(self, first: str, second: str) -> list[Datum]:
        """Latest outcomes at values of two variables, (first, second)."""
        return self._data((first, second))

    def _data(self, names: tuple[str, ...]) -> list[Datum]:
        """Latest outcomes, with their nearness in all other variables, context and time."""
        problem = self.study.problem
        every = self.study.history.outcomes()
        rows = [row for row in every if all(name in row[1].realised for name in names)]
        rows = rows[-_MOST_DATA:]
        moments = _times(self.study, rows)
        span = max(moments) - min(moments) if moments else 0.0
        here = self.surface.place(self.values)
        others = [k for k, name in enumerate(self.surface.names) if name not in names]
        seen = problem.space.subset([n for n in problem.space.seen if n not in self.surface.names])
        found = []
        for (name, outcome, played), moment in zip(rows, moments, strict=True):
            row, square = outcome.realised, 0.0
            there = self.surface.place(row)
            if here is not None and there is not None:
                square += float(((there - here)[others] ** 2).sum())
            if seen.names and all(n in row and n in self.values for n in seen.names):
                square += float(((seen.encode([row]) - seen.encode([self.values])) ** 2).sum())
            if span:
                square += ((max(moments) - moment) / span) ** 2
            own = (
                self.scope is None
                or played is None
                or same_scope(played.suggestion.scope, self.scope)
            )
            near = math.exp(-0.5 * square / _NEAR**2)
            at = row[names[0]] if len(names) == 1 else tuple(row[name] for name in names)
            title = name.replace("-", " ") if played is None else f"round {played.number}"
            found.append(Datum(at, problem.scalar(outcome), near, own, title))
        return found


def _times(study: BaseStudy, rows: Sequence[tuple[str, Outcome, Round | None]]) -> list[float]:
    """Times of outcomes, where they matter. Data that say none are as of their addition, as models have it."""
    if not study.problem.timed:
        return [0.0] * len(rows)
    came = study.history.clock_at
    return [
        time_of(played)
        if played is not None
        else float(outcome.realised.get(TIME.name, came(name)))
        for name, outcome, played in rows
    ]


def same_scope(scope: Scope, other: Scope) -> bool:
    """Whether the same is steered, whatever of it stays as it was."""
    return {*scope.set, *scope.keep} == {*other.set, *other.keep} and scope.look == other.look


def _nearest(variable: Any, at: Sequence[Any], value: Any) -> int:
    if isinstance(variable, Categorical):
        return list(at).index(value)
    return int(np.abs(np.asarray(at, dtype=float) - float(value)).argmin())


def slices_of(
    study: BaseStudy,
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
    advice: Recommendation | None = None,
) -> Slices:
    """The slices through the recommended point, or where it leaves a variable open, through the middle of its bounds.

    Raises:
        InvalidRequest: the method keeps no Gaussian process over variables, or not this one.
    """
    advice, kind = advice or study.recommend(), study.problem.kind
    seen = dict(advice.context if context is None else context)
    asked, values = scope, dict(advice.values)
    if kind in ("cost-varying", "causal"):
        asked = advice.scope if scope is None else scope
        values = _settings(study, advice, asked, seen)
    found = surface_of(
        study, PosteriorQuery(asked, seen if kind == "cost-varying" else {}, time, prior)
    )
    own = _scope_of(study.problem, asked)
    method = study._method
    widening = method.bound_inflation(own or advice.scope)
    uncertain: Callable[[Any], Any] = np.asarray
    if isinstance(method, TimeVaryingMethod):
        believed = method.trusted()[0] if prior is None else method.names.index(prior)
        uncertain = np.vectorize(lambda sd: method.deviation(believed, sd))
    return Slices(study, found, {**seen, **values}, own, widening, uncertain)


def _scope_of(problem: Problem, asked: Any) -> Scope | None:
    """The scope that was asked for; None where there is but one."""
    if problem.kind == "cost-varying":
        return problem.read_scope(asked)
    return asked if isinstance(asked, Scope) else None


def _settings(
    study: BaseStudy, advice: Recommendation, scope: Any, seen: dict[str, Any]
) -> dict[str, Any]:
    """Recommended settings of a scope; where they depend on observed variables, at their medians."""
    own = _scope_of(study.problem, scope)
    choice = next(
        (each for each in (advice, *advice.alternatives) if own is not None and each.scope == own),
        advice,
    )
    act, contexts = getattr(choice, "act", None), choice.scope.contexts
    if choice.values or act is None:
        return dict(choice.values)
    rows = [outcome.realised for _, outcome, _ in study.history.outcomes()]
    rows = [row for row in rows if all(name in row for name in contexts)]
    if not rows:
        return {}
    typical = {
        name: median(study.problem.space[name], [row[name] for row in rows]) for name in contexts
    }
    typical.update({name: seen[name] for name in contexts if name in seen})
    return {**typical, **act(typical)}


def median(variable: Any, values: Sequence[Any]) -> Any:
    """The middle one of values that were seen: the commonest one of categories."""
    if isinstance(variable, Categorical):
        return max(variable.choices, key=list(values).count)
    return sorted(values)[len(values) // 2]


def known(
    study: BaseStudy,
    ax: Any = None,
    variable: str | None = None,
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
    value: str = "",
) -> Any:
    """Draw a slice: the posterior mean along one variable, a band about it, outcomes, and the recommendation.

    The other variables are where the recommendation has them, else in the middle. Of a cost-varying
    problem it is the expected value of holding the recommended control set, nature doing the rest;
    outcomes are those of its plays. Outcomes are the paler, the further away the play was in the
    other variables and in time; those of other scopes are hollow.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        variable: along which; None: the first that is set.
        scope: of a cost-varying or causal problem, which scope; None: the recommended one.
        context: values seen before choosing; None: as in the recommendation.
        time: where the optimum moves; None: now.
        prior: of a time-varying problem, as which prior sees it; None: the most probable one.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method keeps no Gaussian process over variables (mean-field methods,
            say), or not this one.
        InvalidOption: there is no such variable in the model.
    """
    axes = on(ax)
    found = slices_of(study, scope=scope, context=context, time=time, prior=prior)
    if variable is not None and variable not in found.surface.names:
        raise InvalidOption("variable", variable, one_of(found.surface.names, variable))
    name = (
        next((n for n in found.names if n in found.values), found.names[0])
        if variable is None
        else variable
    )
    _draw(axes, study.problem, found.of(name))
    axes.set(
        ylabel=f"expected {value_words(study, value)}",
        title=f"Expected along {wrapped(name, 26, 1)}",
    )
    return finished(axes)


def slices(
    study: BaseStudy,
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
    value: str = "",
    width: float = 180.0,
) -> Any:
    """Draw a slice along each variable of the model through the recommended point, one panel each; see `known`.

    Args:
        study: a study or an optimizer.
        scope: of a cost-varying or causal problem, which scope; None: the recommended one.
        context: values seen before choosing; None: as in the recommendation.
        time: where the optimum moves; None: now.
        prior: of a time-varying problem, as which prior sees it; None: the most probable one.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.
        width: of the figure, in millimetres.

    Returns:
        A matplotlib `Figure`.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method keeps no Gaussian process over variables, or not this one.
    """
    found = slices_of(study, scope=scope, context=context, time=time, prior=prior)
    names = found.names[:_MOST_PANELS]
    columns = min(len(names), max(int(width // 45), 1), 3 if len(names) > 4 else len(names))
    lines = -(-len(names) // columns)
    shown = new_figure((width / 25.4, 0.55 + 1.85 * lines))
    panels = shown.subplots(lines, columns, sharey=True, squeeze=False)
    for axes, name in zip(panels.flat, names, strict=False):
        _draw(axes, study.problem, found.of(name))
        styled(axes)
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    shown.supylabel(f"expected {value_words(study, value)}", fontsize=LABEL)
    legend_below(shown, *panels.flat[: len(names)])
    return shown


def _draw(axes: Any, problem: Problem, found: Slice) -> None:
    """A slice: line and band, or points with bars where there are few levels."""
    variable = problem.space[found.name]
    where, mean, width = places_on(variable, found.at), found.mean, found.width
    if found.continuous or len(where) > _LEVELS_AS_POINTS:
        step: Any = {} if found.continuous else {"step": "mid"}
        axes.fill_between(
            where, mean - width, mean + width, color=SKY, alpha=0.3, lw=0, label=_BAND, **step
        )
        axes.plot(
            where,
            mean,
            color=BLUE,
            lw=1.5,
            label="expected",
            ds="default" if found.continuous else "steps-mid",
        )
    else:
        bars = np.nan_to_num(width)
        axes.errorbar(
            where,
            mean,
            bars,
            fmt="none",
            ecolor=SKY,
            elinewidth=1.6,
            capsize=3,
            label=_BAND,
            zorder=2,
        )
        axes.plot(where, mean, "s", ms=4.5, color=BLUE, ls="none", label="expected", zorder=3)
    aside = _ASIDE if isinstance(variable, Categorical) else 0.0
    for own, look, label in (
        (False, "none", "outcome of another scope"),
        (True, "black", "outcome"),
    ):
        some = [datum for datum in found.data if datum.own == own]
        if some:
            at = np.add(places_on(variable, [datum.at for datum in some]), aside)
            values = [datum.value for datum in some]
            ink = [(0.0, 0.0, 0.0, 0.15 + 0.65 * datum.near) for datum in some]
            filled: Any = ink if own else "none"
            axes.scatter(
                at, values, s=11, facecolors=filled, edgecolors=ink, lw=0.6 * (not own), zorder=4
            )
            axes.plot([], [], "o", ms=3.5, mfc=look, mec="black", mew=0.6, ls="none", label=label)
    if found.best is not None:
        place = places_on(variable, found.best[:1])
        axes.plot(
            place, found.best[1], "D", ms=7, mfc=VERMILION, mec="black", mew=0.5, ls="none", zorder=5,
            label="recommended",
        )  # fmt: skip
    if found.suggested:
        axes.plot(
            places_on(variable, found.suggested), [0.02] * len(found.suggested), "^", ms=7, mfc=ORANGE, mec="black",
            mew=0.5, ls="none", zorder=5, transform=axes.get_xaxis_transform(), clip_on=False, label="suggested next",
        )  # fmt: skip
    scale_axis(axes.xaxis, variable)
    if found.decades is not None:
        axes.set(yscale="log", ylim=found.decades)
    if isinstance(variable, Categorical):
        axes.set_xlim(-0.5, len(variable.choices) - 0.5)
    axes.set_xlabel(wrapped(with_unit(problem, found.name), 26))


def contour(
    study: BaseStudy,
    ax: Any = None,
    variables: Sequence[str] = (),
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
    value: str = "",
) -> Any:
    """Draw a map of two variables: the expected value in shades with lines of equal value, outcomes, the best.

    The other variables are where the recommendation has them, else in the middle; outcomes far from
    there are pale. Outcomes are in the same shades as the map.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        variables: the two that are across and up; none: the two that are set first.
        scope: of a cost-varying or causal problem, which scope; None: the recommended one.
        context: values seen before choosing; None: as in the recommendation.
        time: where the optimum moves; None: now.
        prior: of a time-varying problem, as which prior sees it; None: the most probable one.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method keeps no Gaussian process over variables, or not this one.
        InvalidOption: these are no two variables of the model.
    """
    axes = on(ax, 2.8)
    found = slices_of(study, scope=scope, context=context, time=time, prior=prior)
    names = list(variables) or found.names[:2]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(found.names):
        allowed = f"two variables of the model, which has {listed(found.names)}"
        hint = "Give ‹scope› for the model of another scope, with more variables."
        raise InvalidOption("variables", names, allowed, hint)
    return _contour(axes, found, names, value)


@dataclass(frozen=True)
class Map:
    """The posterior mean over two variables, all others as recommended: the numbers of every drawing of it.

    Args:
        names: of the variables across and up.
        across, up: their values.
        mean: the mean in the user's units, (s, r); rows are values of the second variable.
        data: outcomes of the same scope.
        best: the recommended pair; None where it is not set.
        suggested: pairs that were suggested and have no outcome yet.
    """

    names: tuple[str, str]
    across: list[Any]
    up: list[Any]
    mean: Float[np.ndarray, "s r"]
    data: list[Datum]
    best: tuple[Any, Any] | None
    suggested: list[tuple[Any, Any]]


def map_of(found: Slices, names: Sequence[str]) -> Map:
    """Evaluate the posterior mean over two variables of slices."""
    first, second = names
    across, up, mean = over(found.surface, names, found.values)
    both = [
        (values[first], values[second])
        for values in (found.values, *found.suggested[:_NEXT])
        if first in values and second in values
    ]
    known = first in found.values and second in found.values
    return Map(
        (first, second),
        across,
        up,
        found.study.problem.sign * mean,
        [datum for datum in found.pairs(first, second) if datum.own],
        both[0] if known else None,
        both[known:],
    )


def _contour(axes: Any, found: Slices, names: Sequence[str], value: str = "") -> Any:
    problem, drawn = found.study.problem, map_of(found, names)
    means, variables = drawn.mean, [problem.space[name] for name in names]
    x, y = (
        places_on(variable, at)
        for variable, at in zip(variables, (drawn.across, drawn.up), strict=True)
    )
    scale = shades(problem, "Blues")
    mesh = axes.pcolormesh(x, y, means, cmap=scale, shading="nearest", rasterized=True)
    if not any(isinstance(variable, Categorical) for variable in variables) and np.ptp(means) > 0:
        look_of_lines = {"colors": "black", "linewidths": 0.5, "alpha": 0.6, "linestyles": "-"}
        axes.contour(x, y, means, levels=6, **look_of_lines)
    low, high = mesh.get_clim()
    look = {"cmap": scale, "vmin": low, "vmax": high, "edgecolors": "black", "zorder": 3}
    if drawn.data:
        at = [places_on(v, [d.at[k] for d in drawn.data]) for k, v in enumerate(variables)]
        alphas = [0.2 + 0.8 * datum.near for datum in drawn.data]
        axes.scatter(*at, s=18, c=[d.value for d in drawn.data], lw=0.7, alpha=alphas, **look)
        axes.plot(
            [], [], "o", mfc="none", mec="black", ms=4, ls="none", label="outcome (same shades)"
        )
    best = [] if drawn.best is None else [drawn.best]
    for label, form, colour, pairs in (
        ("recommended", "D", VERMILION, best),
        ("suggested next", "^", ORANGE, drawn.suggested),
    ):
        if pairs:
            at = [places_on(v, [pair[k] for pair in pairs]) for k, v in enumerate(variables)]
            axes.plot(
                *at, form, ms=7, mfc=colour, mec="black", mew=0.5, ls="none", zorder=5, label=label
            )
    for axis, variable in zip((axes.xaxis, axes.yaxis), variables, strict=True):
        scale_axis(axis, variable)
    axes.set_xlabel(wrapped(with_unit(problem, names[0]), 26))
    axes.set_ylabel(wrapped(with_unit(problem, names[1]), 26))
    axes.set_title("Expected over two variables")
    colour_bar(axes, mesh, wrapped(f"expected {value_words(found.study, value)}", 26), problem)
    return finished(axes)


# -- expected and told -----------------------------------------------------------------------------


def cross_validation(study: BaseStudy, ax: Any = None, folds: int = 10, value: str = "") -> Any:
    """Draw each outcome against the expectation of a model that was not told it, with 95 % bounds.

    On the line both are equal. Outcomes beyond their bounds are marked: of twenty about one is.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        folds: as in `cross_validate`.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method has no model that predicts outcomes, or there are too few.
    """
    return _cross_validation(on(ax, 2.8), study, study.cross_validate(folds), value)


def _cross_validation(
    axes: Any, study: BaseStudy, found: Sequence[LeftOut], value: str = ""
) -> Any:
    for covered, colour, label in (
        (True, BLUE, "expected, with 95 % bounds"),
        (False, VERMILION, "outcome beyond the bounds"),
    ):
        some = [each for each in found if each.covered == covered]
        if some:
            told, mean = np.array([each.value for each in some]), [each.mean for each in some]
            bars = [
                [each.mean - each.lower for each in some],
                [each.upper - each.mean for each in some],
            ]
            mark = "o" if covered else "s"
            axes.errorbar(
                told, mean, bars, fmt=mark, ms=4, color=colour, elinewidth=0.8, label=label
            )
    ends = [min(each.value for each in found), max(each.value for each in found)]
    axes.plot(ends, ends, color=GREY, lw=1.0, label="equal")
    words = value_words(study, value)
    axes.set(xlabel=f"{words}, told", ylabel=f"{words}, expected")
    within = sum(each.covered for each in found)
    axes.set_title(f"{within} of {len(found)} outcomes within their bounds")
    return finished(axes)


def residuals(study: BaseStudy, ax: Any = None, folds: int = 10) -> Any:
    """Draw by how much each outcome differs from its expectation without it, in the order of time.

    In standard deviations of the expectation: beyond ±1.96 is beyond the 95 % bounds. A trend says
    that the system changes; a spread that grows or shrinks, that noise does.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        folds: as in `cross_validate`.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method has no model that predicts outcomes, or there are too few.
    """
    axes, found = on(ax), study.cross_validate(folds)
    order = np.arange(1, len(found) + 1)
    off = np.array([(each.value - each.mean) / each.deviation for each in found])
    bound = (found[0].upper - found[0].mean) / found[0].deviation
    axes.axhspan(-bound, bound, color=SKY, alpha=0.3, lw=0, label=_BAND)
    axes.axhline(0.0, color=GREY, lw=1.0)
    axes.plot(order, off, "o", ms=4, color=BLUE, ls="none", label="outcome")
    axes.set(xlabel="outcome, in the order in which they came", ylabel="standard deviations")
    axes.set_title("Outcomes less what was expected of them")
    return finished(axes)


def trust_pictures(study: BaseStudy) -> Iterator[Picture]:
    """Yield the picture that shows how far the model can be trusted; none where it expects no outcomes."""
    try:
        found = study.cross_validate()
    except SteerboError:
        return
    title = "Outcomes, and what was expected without them"
    text = "Each outcome against what the model expected that was not told it, with 95 % bounds"
    yield Picture(title, text, lambda: _cross_validation(on(None, 2.8), study, found).figure)


# -- time and position -----------------------------------------------------------------------------


@dataclass(frozen=True)
class OverTime:
    """The posterior mean along one variable at many times, all other variables as recommended.

    Args:
        name: of the variable.
        times: times, from the first outcome to now, (m,).
        at: values of the variable, (r,).
        mean: the posterior mean in the user's units, (m, r).
        best: the best value of the variable at each time, (m,).
        plays: time, position and value of every outcome, (n, 3).
    """

    name: str
    times: Float[np.ndarray, " m"]
    at: Float[np.ndarray, " r"]
    mean: Float[np.ndarray, "m r"]
    best: Float[np.ndarray, " m"]
    plays: Float[np.ndarray, "n 3"]


def drifting_names(study: BaseStudy, advice: Recommendation) -> tuple[str, ...]:
    """List the numbers that are set while the optimum moves; none before two times have outcomes."""
    if not study.problem.timed or len({time for time, *_ in _when_told(study)}) < 2:
        return ()
    space = study.problem.space
    return tuple(
        name for name in advice.values if name in space and not isinstance(space[name], Categorical)
    )


def over_time_of(study: BaseStudy, advice: Recommendation, name: str) -> OverTime:
    """Evaluate the posterior mean along a variable at times from the first outcome to now.

    Raises:
        InvalidRequest: the method keeps no Gaussian process over variables.
        InvalidOption: the variable is no number that is set, or there are no two times with
            outcomes.
    """
    names = drifting_names(study, advice)
    if name not in names:
        raise InvalidOption("variable", name, one_of(names, name))
    told, problem = _when_told(study), study.problem
    scoped = problem.kind in ("cost-varying", "causal")
    seen = dict(advice.context) if problem.kind == "cost-varying" else {}
    moments = [time for time, *_ in told] + [time_of(played) for played in study.history.pending]
    times = np.linspace(min(moments), max(moments), _TIMES)
    values, rows = {**advice.context, **advice.values}, []
    at: list[Any] = []
    for time in times:
        found = surface_of(
            study, PosteriorQuery(advice.scope if scoped else None, seen, float(time))
        )
        at, (mean, _), _ = found.along(found.names.index(name), values, _POSITIONS)
        rows.append(problem.sign * mean)
    positions, table = np.asarray(at, dtype=float), np.array(rows)
    best = positions[np.argmax(problem.sign * table, axis=1)]
    plays = [(time, float(row[name]), value) for time, row, value in told if name in row]
    return OverTime(
        name, times, positions, table, best, np.reshape(np.array(plays, dtype=float), (-1, 3))
    )


def _when_told(study: BaseStudy) -> list[tuple[float, Mapping[str, Any], float]]:
    """Time, realised values and value of every outcome."""
    rows = list(study.history.outcomes())
    times = _times(study, rows)
    return [
        (t, outcome.realised, study.problem.scalar(outcome))
        for t, (_, outcome, _) in zip(times, rows, strict=True)
    ]


def over_time(
    study: BaseStudy, ax: Any = None, variable: str | None = None, value: str = ""
) -> Any:
    """Draw time against position: the expected value in shades, the best position at each time, and every outcome.

    All other variables are as recommended now. Former times are drawn with hindsight: the model has
    read every outcome since. Data without a time stand where the model has them: at the time of the
    last round before they were added, else of the first one.

    Args:
        study: a study or an optimizer whose optimum moves: a `TimeVarying` problem, or one with
            `drift`.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        variable: the number that is the position; None: the first that is set.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method keeps no Gaussian process over variables.
        InvalidOption: the variable is no number that is set, or nothing moves, or there are no two
            times with outcomes.
    """
    axes, advice = on(ax, 2.8), study.recommend()
    names = drifting_names(study, advice)
    return _over_time(
        axes, study, over_time_of(study, advice, variable or next(iter(names), "")), value
    )


def _over_time(axes: Any, study: BaseStudy, found: OverTime, value: str = "") -> Any:
    scale = shades(study.problem, "Blues")
    mesh = axes.pcolormesh(
        found.times, found.at, found.mean.T, cmap=scale, shading="nearest", rasterized=True
    )
    axes.plot(found.times, found.best, color=VERMILION, lw=1.6, label="best at each time")
    at, places, values = found.plays.T
    low, high = mesh.get_clim()
    look = {"cmap": scale, "vmin": low, "vmax": high, "edgecolors": "black", "lw": 0.7, "zorder": 3}
    axes.scatter(at, places, s=18, c=values, label="outcome (same shades)", **look)
    axes.set(xlabel="time", ylabel=wrapped(with_unit(study.problem, found.name), 26))
    scale_axis(axes.yaxis, study.problem.space[found.name])
    axes.set_title(f"Expected along {wrapped(found.name, 26, 1)}, over time")
    colour_bar(axes, mesh, f"expected {value_words(study, value)}", study.problem)
    return finished(axes)


# -- which variables matter ------------------------------------------------------------------------


@dataclass(frozen=True)
class Importance:
    """Shares of the variance of the objective over the bounds of all variables, largest first.

    Args:
        names: of variables; the last one, "together", is their effect in combination only.
        share: means over functions drawn from the posterior.
        low, high: between these nine of ten draws lie.
    """

    names: tuple[str, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


TOGETHER = "only together"


def importance_of(study: BaseStudy, which: PosteriorQuery) -> Importance:
    """First-order shares of variance of functions drawn from a posterior.

    Raises:
        InvalidRequest: the method keeps no Gaussian process over variables, or not this one, or
            only of one variable.
    """
    found = surface_of(study, which)
    if len(found.names) < 2:
        raise InvalidRequest(
            "variables", list(found.names), "two variables or more: one explains everything"
        )
    parts, mean, covariance = found.scattered()
    shares = _first_order(parts, _draws(mean, covariance))
    rest = np.maximum(1.0 - shares.sum(axis=1), 0.0)
    columns, named = [*shares.T, rest], [*found.names, TOGETHER]
    order = sorted(
        range(len(columns)), key=lambda k: (k >= len(found.names), -float(columns[k].mean()))
    )
    ends = [np.quantile(columns[k], _ENDS) for k in order]
    return Importance(
        tuple(named[k] for k in order),
        tuple(float(columns[k].mean()) for k in order),
        tuple(float(low) for low, _ in ends),
        tuple(float(high) for _, high in ends),
    )


def _draws(
    mean: Float[np.ndarray, " n"], covariance: Float[np.ndarray, "n n"]
) -> Float[np.ndarray, "s n"]:
    """Functions at points, (s, n), drawn by a root of the covariances."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = np.random.Generator(np.random.Philox(0)).standard_normal((_DRAWS, len(mean)))
    return np.asarray(mean + normal @ root.T)


def _first_order(
    parts: Int[np.ndarray, "n d"], functions: Float[np.ndarray, "s n"]
) -> Float[np.ndarray, "s d"]:
    """`Var(E[f | part of x_j]) / Var(f)` of each function, (s, d); a constant has none."""
    centred = functions - functions.mean(axis=1, keepdims=True)
    whole = np.maximum((centred**2).mean(axis=1), 1e-300)
    found = np.empty((len(functions), parts.shape[1]))
    for j, numbers in enumerate(parts.T):
        _, numbers = np.unique(numbers, return_inverse=True)
        counts = np.bincount(numbers)
        member = (numbers[:, None] == np.arange(len(counts))) / counts
        found[:, j] = ((centred @ member) ** 2 @ (counts / len(numbers))) / whole
    return found


def importance(
    study: BaseStudy,
    ax: Any = None,
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
) -> Any:
    """Draw which variables matter: the share of the objective's variance that each explains alone, by the model.

    The variance is that over the bounds of all variables, those included that nature draws. A line
    about each mark spans nine of ten functions drawn from the posterior: with few outcomes it is
    long. "Only together" is the part that no variable explains alone. Of a causal problem it is the
    model of one scope.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        scope: a scope; None: of a cost-varying problem the objective over all variables, of a
            causal one the recommended scope.
        context: of a cost-varying problem's `scope`, the values seen before choosing.
        time: where the optimum moves; None: now.
        prior: of a time-varying problem, as which prior sees it; None: the most probable one.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method keeps no Gaussian process over variables (mean-field methods,
            say), or not this one.
    """
    which = whole_model(
        study,
        study.recommend() if scope is None else None,
        PosteriorQuery(scope, context or {}, time, prior),
    )
    return _importance(importance_of(study, which), ax)


def whole_model(
    study: BaseStudy, advice: Recommendation | None, which: PosteriorQuery
) -> PosteriorQuery:
    """The widest model there is: of a causal problem that of the recommended scope."""
    if study.problem.kind == "causal" and advice is not None:
        return PosteriorQuery(advice.scope, {}, which.time, which.prior)
    return which


def _importance(found: Importance, ax: Any = None) -> Any:
    axes = on(ax, 1.1 + 0.27 * len(found.names))
    for y, (name, share, low, high) in enumerate(
        zip(found.names, found.share, found.low, found.high, strict=True)
    ):
        colour = GREY if name == TOGETHER and y == len(found.names) - 1 else BLUE
        axes.barh(y, share, color=colour, alpha=0.35, height=0.62, lw=0)
        axes.plot(
            [low, high],
            [y, y],
            color=colour,
            lw=1.6,
            label="" if y else "nine of ten draws of the model",
        )
        axes.plot(share, y, "o" if colour == BLUE else "s", color=colour, ms=5)
    axes.set_yticks(range(len(found.names)), [wrapped(name, 22) for name in found.names])
    axes.set_ylim(len(found.names) - 0.5, -0.5)
    axes.set(xlim=(0, 1), xlabel="share of the variance", title="Importance of each variable")
    axes.tick_params(axis="y", length=0)
    texts_at_right(axes, [f"{share:.0%}" for share in found.share])
    return finished(axes)


def learned_pictures(study: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the pictures of the model: a slice along each variable, and which matter.

    Of methods without such a model there are none, nor before anything was told.
    """
    if not study.history.n_completed and not study.history.data:
        return
    try:
        found = slices_of(study, advice=advice)
    except SteerboError:
        return

    def of(name: str) -> Any:
        axes = on(None)
        _draw(axes, study.problem, found.of(name))
        axes.set(
            ylabel=f"expected {value_words(study)}", title=f"Expected along {wrapped(name, 26, 1)}"
        )
        return finished(axes).figure

    def moving(name: str) -> Any:
        return _over_time(on(None, 2.8), study, over_time_of(study, advice, name)).figure

    for name in drifting_names(study, advice)[:_NEXT]:
        text = "Expected value by time and by one variable, all else as recommended; a line at the best; every outcome"
        yield Picture(f"Expected along {name}, over time", text, partial(moving, name))
    for name in found.names[:_MOST_PANELS]:
        text = (
            "Expected value along one variable, all else as recommended, a band of 95 % bounds, outcomes, "
            "the recommendation and what is suggested next"
        )
        yield Picture(f"Expected along {name}", text, partial(of, name))
    try:
        which = whole_model(study, advice, PosteriorQuery())
        whole = surface_of(study, which)
    except SteerboError:
        return
    if len(found.names) > 1:
        pair = found.names[:2]
        text = "Expected value over two variables in shades, all else as recommended; outcomes, and the best"
        yield Picture(
            f"Expected over {pair[0]} and {pair[1]}",
            text,
            lambda: _contour(on(None, 2.8), found, pair).figure,
        )
    yield from trust_pictures(study)
    if len(whole.names) > 1:
        title = "Importance of each variable"
        text = "The share of the variance of the objective that each variable explains alone, by draws of the model"
        yield Picture(title, text, lambda: _importance(importance_of(study, which)).figure)
