"""Posteriors of methods, for other libraries to compute with.

Every method whose model is a Gaussian process over a box has one; the error for any other method
says why it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np

from .._arrays import Float
from ..causal.method import CausalMethod
from ..core import BaseStudy, Method, Scope, now
from ..costvarying.method import CostVaryingMethod
from ..errors import InvalidRequest, one_of
from ..surrogate import Columns, Posterior, inverse_root
from ..timevarying.learned_drift import DriftingSurrogate, LearnedDrift
from ..timevarying.method import TimeVaryingMethod
from ..timevarying.problem import TimeVarying
from ..timevarying.surrogates import BoxSurrogate


@dataclass(frozen=True)
class PosteriorQuery:
    """Selection of one posterior of a method that has several; None selects the default.

    Args:
        scope: cost-varying: a control set (names, or a `Scope`), for its expected value over the
            uncontrolled variables; causal: the scope whose model is wanted.
        context: values seen before choosing, by variable, for an expected value.
        time: time of a problem that drifts; default: the time of the last round.
        prior: name of a prior of a time-varying problem; default: the most probable one.
    """

    scope: Any = None
    context: Mapping[str, Any] = field(default_factory=dict)
    time: float | None = None
    prior: str | None = None

    def only(self, kind: str, *names: str) -> None:
        """Refuse fields other than `names`, which posteriors of this kind of problem do not take."""
        for name in ("scope", "context", "time", "prior"):
            value = getattr(self, name)
            if name not in names and value is not None and value != {}:
                raise InvalidRequest(
                    name, value, f"nothing: the posterior of a {kind} problem does not take it"
                )


def posterior(study: BaseStudy, which: PosteriorQuery) -> Posterior:
    """Return the posterior of a study after reading the outcomes of other workers; see `posterior_of`."""
    if callable(refresh := getattr(study, "refresh", None)):
        refresh()
    return posterior_of(study._method, which)


@singledispatch
def posterior_of(method: Method[Any, Any], which: PosteriorQuery) -> Posterior:
    """Return the posterior of a method. Further methods are supported by `posterior_of.register`.

    Args:
        method: the method of a study.
        which: selects one of several posteriors.

    Raises:
        InvalidRequest: the method has no posterior over a box, or not the selected one.
    """
    hint = "‹steerbo methods› lists the methods of each kind of problem."
    allowed = "a method whose model is a Gaussian process over a box"
    if method.problem.kind == "mean-field":
        hint = "A distribution is chosen there, and no point of a box."
    raise InvalidRequest("method", method.name, allowed, hint)


@posterior_of.register(CostVaryingMethod)
def _of_control_sets(method: CostVaryingMethod[Any], which: PosteriorQuery) -> Posterior:
    """Return the posterior of the objective over all variables, or of a control set's expected value."""
    problem, space, output = method.problem, method.problem.space, method.model.output
    when = ("time",) if problem.timed else ()
    request = {} if which.time is None else {"time": float(which.time)}
    if which.scope is None:
        which.only(problem.kind, *when)
        return Posterior.of_regression(method.model, Columns.of(space), _time(method, which))
    which.only(problem.kind, "scope", "context", *when)
    scope = problem.read_scope(which.scope)
    assert scope is not None  # one was asked for
    seen = problem.read_context(which.context) if space.seen else {}
    if which.context and not seen:
        raise InvalidRequest(
            "context", dict(which.context), "nothing: no variable is ‹seen› before choosing"
        )
    candidates = method.answers.candidates({**seen, **request})
    number = problem.number(scope)
    columns = Columns.of(space.subset([space.names[d] for d in method.search_space.sets[number]]))
    parts = candidates.domains[number].parts
    members = tuple(
        Posterior.of_expectation(each, parts, output, columns) for each in candidates.posteriors
    )
    return replace(
        Posterior.of_expectation(candidates.posterior, parts, output, columns), members=members
    )


def _time(method: Method[Any, Any], which: PosteriorQuery) -> tuple[float, ...]:
    """Return the column of the time if the problem drifts."""
    if not method.problem.timed:
        return ()
    return (now(method.history) if which.time is None else float(which.time),)


@posterior_of.register(CausalMethod)
def _of_policy_scopes(method: CausalMethod[Any], which: PosteriorQuery) -> Posterior:
    """Return the posterior of one scope's model, over its actions and contexts."""
    which.only(method.problem.kind, "scope", *(("time",) if method.problem.timed else ()))
    scopes = {str(arm.scope): i for i, arm in enumerate(method.arms)}
    wanted = str(next(iter(scopes))) if which.scope is None and len(scopes) == 1 else which.scope
    numbers = {arm.scope: i for i, arm in enumerate(method.arms)}
    i = numbers.get(wanted) if isinstance(wanted, Scope) else scopes.get(str(wanted))
    if i is None:
        hint = "Every scope has a model of its own: ‹recommend› says which is the best."
        raise InvalidRequest(
            "scope", None if wanted is None else str(wanted), one_of(scopes, wanted), hint
        )
    space = method.arms[i].space
    if space is None:
        raise InvalidRequest(
            "scope", str(wanted), "a scope that sets or observes at least one variable"
        )
    model = method.models[i]
    return Posterior.of_regression(model, Columns.of(space), _time(method, which))


_STEP = 1e-5  # of a difference quotient, in ranges of a variable


@dataclass(frozen=True, eq=False)
class _Today:
    """Today's settings at one time, from which a model with a learned drift measures."""

    surrogate: DriftingSurrogate
    time: float

    def moved(self, Z: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """Return differences of points (r, d) from today's settings in their contexts."""
        return self.surrogate.rows(Z, self.time)[:, :-1]

    def pulled(
        self, Z: Float[np.ndarray, "r d"], slope: Float[np.ndarray, "r d"]
    ) -> Float[np.ndarray, "r d"]:
        """Return gradients at points: with what is seen today's settings move, by any formula."""
        space, today = self.surrogate.problem.space, self.surrogate.today
        found = slope.copy()
        for name in space.seen:
            step = np.eye(len(space))[space.index(name)] * _STEP
            rise = today.at_points(Z + step, self.time) - today.at_points(Z - step, self.time)
            found[:, space.index(name)] -= (slope * rise).sum(1) / (2 * _STEP)
        return found


@posterior_of.register(LearnedDrift)
def _of_learned_drift(method: LearnedDrift, which: PosteriorQuery) -> Posterior:
    """Return the posterior of the objective at one time, with a learned drift."""
    which.only(method.problem.kind, "time")
    _check_box(method.problem)
    surrogate, held = method.surrogate, _time(method, which)
    origin = _Today(surrogate, *held) if surrogate.today.known else None
    return Posterior.of_regression(surrogate.model, Columns.of(method.problem.space), held, origin)


@dataclass(frozen=True, eq=False)
class _MeanOf:
    """Prior mean of one of the priors that a surrogate computes together."""

    surrogate: BoxSurrogate
    prior: int

    def __call__(self, Z: Float[np.ndarray, "r d"]) -> Float[np.ndarray, " r"]:
        """Return the mean at points (r, d), (r,)."""
        return self.surrogate.means(Z)[self.prior]

    def slope(self, Z: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """Return the gradients of the mean at points (r, d), (r, d)."""
        weights = np.zeros((len(self.surrogate.problem.given), len(Z)))
        weights[self.prior] = 1.0
        return self.surrogate.means.slope(Z, weights)


@posterior_of.register(TimeVaryingMethod)
def _of_priors(method: TimeVaryingMethod[Any], which: PosteriorQuery) -> Posterior:
    """Return the posterior of the objective at one time under one prior."""
    problem, time = method.problem, method.now if which.time is None else float(which.time)
    which.only(problem.kind, "time", "prior")
    surrogate = method.surrogate_at(time)
    _check_box(problem)
    assert isinstance(surrogate, BoxSurrogate)
    if which.prior is not None and which.prior not in method.names:
        raise InvalidRequest("prior", which.prior, one_of(method.names, which.prior))
    p = method.trusted()[0] if which.prior is None else method.names.index(which.prior)
    shared = next(s for s in surrogate.shared if p in s.ids)
    given, d = shared.posterior, shared.time
    row = np.full((1, d + 1), time)
    left = (
        np.ones(len(given)) if shared.drift is None else shared.drift.over(d)(row, given.points)[0]
    )
    weights = given.weights[:, list(shared.ids).index(p)]
    return Posterior(
        Columns.of(problem.space), shared.space, given.points[:, :d], weights, inverse_root(given.factor), left,
        noise=lambda Z: np.full(len(Z), shared.variance), trend=_MeanOf(surrogate, p),
    )  # fmt: skip


def _check_box(problem: TimeVarying) -> None:
    """Refuse a finite domain.

    Raises:
        InvalidRequest: the domain is finite.
    """
    if problem.points is not None:
        hint = "This export is for boxes. With a list of points use ‹recommend›, which compares them all."
        raise InvalidRequest(
            "variables",
            list(problem.space.names),
            "a domain that is a box, not a list of points",
            hint,
        )
