"""Model of an objective: a Gaussian process over a space's variables, its rows, its drift, and the times of its fits.

A wing's surrogate turns each told outcome into a row in its `learn`; `EncodingCache` encodes the
values.

A schedule of fits finds out late that all is different. So a fit follows every surprise, too: an
outcome that is far from the prediction of all others, among the latest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from .._evidence import BOUND
from ..bandit import MISFIT, all_equal
from ..core import Finding, finding
from ..gp import (
    AnovaKernel,
    AnyDrift,
    CellKernel,
    Constant,
    DriftModel,
    GPRegression,
    Hyperparameters,
    Kernel,
    PriorKnowledge,
    SourcesKernel,
    Standardisation,
    UnseenKernel,
    fit_drift,
    refit_due,
)
from ..space import Space

STARTLED, WITHIN = 3.0, 5
"""Deviations that startle, and of how many latest outcomes."""
PATIENT = 100
"""Of this many outcomes, and more, not every one that startles is followed by a fit: one is O(n³)."""

STARTING_POINTS = 5
"""Random points before a model takes part in a choice."""
MUCH_NOISE = 1.0
"""Noise variance believed beforehand where nearly all of outcomes of variance one may be noise: plays gather at a
limit, where an outcome differs by little else."""
SURE = 0.5 * (1.0 + math.erf(BOUND / math.sqrt(2.0)))
"""Probability of either bound of an answer alone, so that both hold 95 times in a hundred."""
FLEETING = 0.5
"""Factor of the width of bounds that choices are made by, where the objective drifts: information does not last, nor do
mistakes."""


class DriftTracker:
    """Tracker of the objective's drift and of the fits of its model.

    Args:
        drift: of the problem.

    Attributes:
        model: how the objective changes with time; None: it does not.
        scaled: whether the outcomes of the latest fit tell a scale, or those of other models did:
            one alone, or all alike, tell none.
    """

    def __init__(self, drift: AnyDrift) -> None:
        self._stated, self._learns = drift, isinstance(drift, str)
        self.begin()

    def begin(self) -> None:
        """Forget the fits, and begin anew."""
        self.model = None if self._stated is None else DriftModel.of(self._stated)
        self.scaled = False

    @property
    def drifts(self) -> bool:
        """Whether the objective changes with time, as far as is known."""
        return self.model is not None and self.model.drifts

    @property
    def widening(self) -> float:
        """See `Method.bound_inflation`: infinite until outcomes tell a scale."""
        return MISFIT if self.scaled else math.inf

    def due(self, model: GPRegression[Any], fitted_at: int, n: int) -> bool:
        """Whether hyperparameters learned at `fitted_at` of n outcomes are due again.

        Without a drift a fit settles a surprise, so that only outcomes since then count. A row
        beyond all others is one for a model that depends on their span.
        """
        if n and (refit_due(fitted_at, n) or getattr(model, "outgrown", False)):
            return True
        if n - fitted_at < max(1.0, fitted_at / PATIENT) or not isinstance(model, GPRegression):
            return False
        latest = WITHIN if self._learns else min(n - fitted_at, WITHIN)
        return bool((np.abs(model.left_out(latest)) > STARTLED).any())

    def fit(
        self,
        fresh: Callable[[DriftModel], GPRegression[Any]],
        model: GPRegression[Any],
        horizon: Callable[[float], float],
        *,
        corrected: bool = False,
    ) -> dict[str, Any]:
        """Learn hyperparameters anew, and the drift model if it is learned; plain data for `set_hyperparameters`.

        Args:
            fresh: makes a regression without data for a drift model.
            model: holds all outcomes; time is the last column.
            horizon: maps elapsed time to the span of time that the study will cover.
            corrected: whether outcomes of the latest fit are others now: then its cuts are looked
                for anew.
        """
        if not self._learns or self.model is None:
            return model.fit().to_dict()
        before = replace(self.model, cuts=()) if corrected else self.model
        times = model.inputs[:, -1]
        elapsed = float(np.ptp(times)) if len(times) else 0.0
        drift_model, found = fit_drift(fresh, model, before, horizon(elapsed))
        return {**found.to_dict(), "drift": drift_model.to_dict()}

    def set_hyperparameters(
        self,
        fresh: Callable[[DriftModel], GPRegression[Any]],
        model: GPRegression[Any],
        plain: Mapping[str, Any],
        chosen: Bool[np.ndarray, " n"] | None = None,
    ) -> GPRegression[Any]:
        """Put learned hyperparameters to use: in the same model, or in one of another drift with the same outcomes.

        Args:
            fresh: as for `fit`.
            model: holds the outcomes that taught them.
            plain: result of `fit`.
            chosen: see `GPRegression.set`.

        Raises:
            InvalidStudy: they do not fit the model, and nothing has changed.
        """
        found = Hyperparameters.from_dict(
            {name: given for name, given in plain.items() if name not in ("drift", "sources")}
        )
        drift_model = self.model
        if self._learns and drift_model is not None:
            drift_model = DriftModel.from_dict(plain.get("drift", {}))
            known, model = (model.inputs, model.outcomes, model.errors), fresh(drift_model)
            model.replace(*known)
        model.set(found, chosen)
        self.model = drift_model
        told = len(np.unique(model.inputs, axis=0)) if model.inputs.shape[1] else len(model)
        told_elsewhere = found.output.scale != Standardisation.fitted(model.outcomes).scale
        self.scaled = told > 1 and (told_elsewhere or not all_equal(model.outcomes))
        return model


def subset_used(outcomes: int, used: int) -> list[Finding]:
    """Find that a model uses fewer outcomes than there are; nothing where it uses all."""
    return [finding("subset", outcomes=outcomes, counted_ones=used)] if outcomes > used else []


def drift_correlations(
    model: GPRegression[Any], times: Float[np.ndarray, " n"], others: Float[np.ndarray, " m"]
) -> Float[np.ndarray, "n m"]:
    """Correlations of a drifting objective between times, as known by now; `model` is one of `build_model`."""
    _, *factors = model.kernel.members
    column = max(each.columns[-1] for each in factors)
    rows, further = (np.zeros((len(t), column + 1)) for t in (times, others))
    rows[:, column], further[:, column] = times, others
    found: Float[np.ndarray, "n m"] = np.prod([each(rows, further) for each in factors], axis=0)
    return found


def build_model(
    space: Space | None,
    drift_model: DriftModel | None,
    kernel: Kernel | None = None,
    *,
    unseen: bool = False,
    known: PriorKnowledge | None = None,
    sources: int = 0,
    peaks: bool = False,
    **options: Any,
) -> GPRegression[Any]:
    """Build an empty Gaussian process over a space's variables and, where the objective drifts, time as last column.

    Args:
        space: of the variables; None: over none.
        drift_model: how the objective changes with time; None: it does not.
        kernel: over the variables; None: an ANOVA kernel, or a constant without variables. Noise
            may then change along every number, unless it is known or the objective drifts. Where
            all settings can be listed and nothing drifts, each has an effect of its own, too: see
            `CellKernel`.
        unseen: whether it may differ by its scale where nothing was seen, whatever was seen
            elsewhere, and nearly all that is seen may be noise, as the model of an outcome that has
            a limit has to believe: see `UnseenKernel` and `MUCH_NOISE`. Listed settings have no
            effects of their own then: of few outcomes, each untried one would be as likely to break
            the limit as not, so that none is ever tried.
        known: people's knowledge of the outcomes.
        sources: number of other sources of data than here; a last column then has the number of
            each row's. Nothing drifts.
        peaks: whether enough outcomes may say that it has peaks, where nothing drifts and all is of
            here; of listed settings their own effects say it.
        options: of `GPRegression`: `likely_noise`, `seed`.
    """
    known = PriorKnowledge() if known is None else known
    categorical = () if space is None else tuple(np.flatnonzero(space.categorical).tolist())
    outliers = replace(known.outliers, timed=drift_model is not None, categorical=categorical)
    known = replace(known, outliers=outliers)
    if kernel is None:
        kernel = Constant() if space is None else AnovaKernel.over(space.categorical)
        if space is not None and drift_model is None and known.noise is None:
            options["uneven"] = np.flatnonzero(~space.categorical).tolist()
        if space is not None and drift_model is None and not unseen and _listed(space):
            kernel = kernel * CellKernel(range(space.dimension))
    if unseen and space is not None:
        options["unseen"] = UnseenKernel(space.categorical)
    if unseen:
        options.setdefault("likely_noise", MUCH_NOISE)
    if drift_model is not None:
        kernel = drift_model.over(kernel, 0 if space is None else space.dimension)
    if sources and space is not None:
        kernel = SourcesKernel.of(kernel, space.dimension, sources)
    if peaks and isinstance(kernel, AnovaKernel) and not kernel.categorical.all():
        options["detailed"] = kernel.with_tail()
    return GPRegression(kernel, known=known, **options)


def with_sources(
    plain: Mapping[str, Any], names: Sequence[str], kernel: SourcesKernel
) -> dict[str, Any]:
    """Hyperparameters as plain data for a model of these sources; a new source has its prior's middle.

    Args:
        plain: with the names of the `sources` that they were learned of, if there were any.
        names: of the sources of the model.
        kernel: of the model.
    """
    learned = list(plain.get("sources", ()))
    if learned == list(names):
        return dict(plain)
    places = [learned.index(name) if name in learned else None for name in names]
    end = len(kernel.inner.parameters) + 2 * len(learned)

    def adapted(theta: Sequence[str]) -> list[str]:
        return [*kernel.rearranged(theta, places, float.hex), *theta[end:]]

    found = {**plain, "theta": adapted(plain.get("theta", ())), "sources": list(names)}
    if "draws" in plain:
        found["draws"] = [adapted(each) for each in plain["draws"]]
    return found


def _listed(space: Space) -> bool:
    """Whether a space is a table of settings, and all variables take listed values; a single category is a cell."""
    every = all(variable.levels is not None for variable in space)
    return every and (space.dimension > 1 or not space.categorical.all())


# ratio of the noise's deviations at the ends of a range from which on it is worth a sentence
_LOUDER = 2.0


def uneven_noise_said(model: GPRegression[Any], names: Sequence[str]) -> str:
    """Say along which variables a measurement's noise surely changes; empty where it does along none.

    Sure means that all draws of the hyperparameters agree on the direction.

    Args:
        model: of the objective.
        names: of its columns.
    """
    said = []
    for k, column in enumerate(model.prior.uneven):
        slopes = np.array(
            [member.prior.slopes[k] if member.prior.slopes else 0.0 for member in model.members]
        )
        if (
            len(slopes)
            and (slopes > 0).all() | (slopes < 0).all()
            and abs(slopes.mean()) > 2.0 * math.log(_LOUDER)
        ):
            ends = np.full((2, model.prior.width), 0.5)
            ends[:, column] = 0.0, 1.0
            low, high = np.mean(
                [member.scale * np.sqrt(member.noise_at(ends)) for member in model.members], axis=0
            )
            said.append(
                f"{low:.2g} where {names[column]} is smallest and {high:.2g} where it is largest"
            )
    return f" A measurement is off by about {', and by about '.join(said)}." if said else ""


def sources_said(model: GPRegression[Any], names: Sequence[str], sign: float) -> str:
    """Say how like here each source of data is, and how much larger its values are; empty where all are of here.

    Args:
        model: of the objective.
        names: of the sources, in order.
        sign: of the problem.
    """
    members = model.members or (model,)
    kernels = [each.kernel for each in members if isinstance(each.kernel, SourcesKernel)]
    said = ""
    for s, name in enumerate(names if kernels else ()):
        likeness = float(np.mean([kernel.likeness[s] for kernel in kernels]))
        # the mean of b_s given the outcomes: its covariance with each of them, times their weights
        offsets = [
            each.scale
            * kernel.offsets[s]
            * each.weights[kernel.sources_of(each.points) == s + 1].sum()
            for each, kernel in zip(members, kernels, strict=True)
        ]
        more = sign * float(np.mean(offsets))
        said += f" Data from {name} resemble those from here by {likeness:.2f} (1: the same course, 0: no relation) "
        said += f"and are {'larger' if more > 0 else 'smaller'} by {abs(more):.2g}."
    return said


Encode = Callable[[Sequence[Mapping[str, Any]]], Float[np.ndarray, "n d"]]
"""Values by variable, a mapping for each row, to rows."""


class EncodingCache:
    """Points by name, each with the values that it was encoded from: a correction asks for all, and changes one.

    Args:
        encode: the same values always give the same point, to the last bit, whatever others come with them.

    >>> found = EncodingCache(lambda rows: np.array([[values["ph"] / 14] for values in rows]))
    >>> found.of("0001", {"ph": 7.0})
    array([0.5])
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, tuple[Mapping[str, Any], Float[np.ndarray, " d"]]] = {}

    def of(self, name: str, values: Mapping[str, Any]) -> Float[np.ndarray, " d"]:
        """Encoded point (d,) by a round's token or the name of data.

        Raises:
            InvalidOutcome: a value is missing, or not one of its variable.
        """
        return self.of_all([(name, values)])[0]

    def of_all(self, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Float[np.ndarray, "n d"]:
        """Encoded points (n, d) by name and values; those that are new are encoded together.

        Raises:
            InvalidOutcome: as `of`.
        """
        fresh = [
            row
            for row in rows
            if (before := self._known.get(row[0])) is None or before[0] != row[1]
        ]
        if fresh:
            points = self._encode([values for _, values in fresh])
            self._known |= {
                name: (values, point) for (name, values), point in zip(fresh, points, strict=True)
            }
        return np.array([self._known[name][1] for name, _ in rows])
