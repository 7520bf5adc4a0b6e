"""A candidate prior, as data: what somebody believes of the objective before it is seen, and how it drifts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal

import numpy as np
from jaxtyping import Float as Floats
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from ..errors import InvalidProblem
from ..gp.drift import Drift
from ..records import record
from ..space.fields import ListField, Number, Positive, as_number
from ..wording import counted
from .kernels import GivenKernel
from .learn_priors import learned


class PriorWarning(UserWarning):
    """The candidate priors are not what the method needs: all rejected, or alike but for their output scale."""


def _coordinate(value: object) -> float | str:
    number = value if isinstance(value, str) else as_number(value)
    if number is None:
        raise PydanticCustomError("coordinate", "a finite number, or the name of a category")
    return number


Coordinate = Annotated[float | str, BeforeValidator(_coordinate)]


@record
class Bumps:
    """A mean with hills: `base + Σ_k height_k exp(−|x − centre_k|² / 2 width²)`; in another category there is none.

    Args:
        centres: one row for each hill, with all coordinates: numbers, and categories by name (or number, from 0).
        heights: one for each hill.
        width: of every hill, in units of the coordinates.
        base: the level far from all hills.

    >>> Bumps(centres=[[0.0], [1.0]], heights=[1, 5], width=0.1)(np.array([[1.0], [0.5]])).round(3)
    array([5., 0.])
    >>> print(Bumps([["new machine", 5.0]], [2.0], width=1.5).centres)
    (('new machine', 5.0),)
    """

    centres: Annotated[Sequence[Annotated[Sequence[Coordinate], ListField]], ListField]
    heights: Annotated[Sequence[Number], ListField]
    width: Positive
    base: Number = 0.0
    kind: Literal["bumps"] = "bumps"

    @model_validator(mode="after")
    def _check(self) -> Bumps:
        if not self.centres or len({len(centre) for centre in self.centres}) > 1:
            raise InvalidProblem("centres", self.centres, "at least one centre, all with as many coordinates")
        if len(self.heights) != len(self.centres):
            raise InvalidProblem(
                "heights", self.heights, f"{counted(len(self.centres), 'number')}, one for each centre"
            )
        return self

    def __call__(self, X: Floats[np.ndarray, "n d"]) -> Floats[np.ndarray, " n"]:
        """The mean at points (n, d), (n,), where none of the coordinates is a category."""
        squares = ((X[:, None] - np.array(self.centres, dtype=np.float64)) ** 2).sum(-1)
        return self.base + np.exp(-0.5 * squares / self.width**2) @ np.array(self.heights)


GivenMean = Number | Annotated[Sequence[Number], ListField] | Bumps | Callable[..., Any]
"""One number for everywhere, one for each point of a finite domain, hills, or a function of points (n, d)."""


@record
class Prior:
    """One candidate: a Gaussian process with this mean, covariance in space, drift in time and noise.

    Args:
        kernel: covariance in space: `SquaredExponential`, `Matern`, `Covariance`, or any function of two arrays of
            points, (n, d) and (m, d), such as a kernel of scikit-learn or GPyTorch. Points are in the user's units, or
            the problem's `coordinates`.
        mean: in the user's units: a number, one number for each point of a finite domain, `Bumps`, or a function.
        drift: how it changes with time: `Decay`, `MaternInTime`, `Periodic`; None: never.
        noise: standard deviation of an outcome, in the user's units.
        name: how to speak of it.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.

    >>> from steerbo.timevarying import Decay, SquaredExponential
    >>> Prior(SquaredExponential(0.5), drift=Decay(0.03), noise=0.2, name="slow").noise
    0.2
    """

    kernel: GivenKernel
    mean: GivenMean = 0.0
    drift: Drift | None = None
    noise: Positive = 0.1
    name: str = ""

    @model_validator(mode="after")
    def _check(self) -> Prior:
        if isinstance(self.mean, tuple) and not self.mean:
            raise InvalidProblem("mean", self.mean, "a number, or one number for each point")
        return self

    def __str__(self) -> str:
        """In words, as `steerbo check` says it.

        >>> from steerbo.timevarying import SquaredExponential
        >>> print(Prior(SquaredExponential(0.5), 3.0))
        squared-exponential (lengthscale 0.5, variance 1), mean 3, never changes, noise 0.1
        """
        mean = f"{len(self.mean)} numbers, one a point" if isinstance(self.mean, tuple) else _words(self.mean)
        drift = f"drifts by {_words(self.drift)}" if self.drift is not None else "never changes"
        return f"{_words(self.kernel)}, mean {mean}, {drift}, noise {self.noise:g}"

    @classmethod
    def from_panel(
        cls, panel: ArrayLike, names: Sequence[str] = (), means: Literal["day", "sites"] = "day"
    ) -> tuple[Prior, ...]:
        """Priors learned from what past days looked like, one for each day.

        The mean is the day's own mean over all sites and times, or that of each site; the covariance is the empirical
        one between sites on that day, times `(1 − ε)^{|t − t'|/2}`; ε and the noise are those of largest likelihood on
        that day. Gaps (NaN) are left out pair by pair. One step of the panel is one unit of time.

        Args:
            panel: (days, times, sites), in the user's units; NaN where nothing was measured. The sites are the
                points of the problem's domain, in order.
            names: one for each day.
            means: "day": the same for all sites, as in the paper; "sites": each has its own, where some are warmer
                than others day after day.

        Raises:
            InvalidProblem: a wrong shape, values that are infinite, or a day with next to no data.
        """
        return tuple(cls(*parts) for parts in learned(panel, names, means))


def _words(part: Any) -> str:
    """A kernel, mean or drift in words: a number, a function's name, or its kind and its fields."""
    if isinstance(part, float):
        return f"{part:g}"
    if not hasattr(part, "kind"):
        return f"the function {getattr(part, '__name__', type(part).__name__)}"
    if hasattr(part, "matrix"):
        return f"covariances between {len(part.matrix)} points"
    named = ((field.name, getattr(part, field.name)) for field in fields(part) if field.name != "kind")
    return f"{part.kind} ({', '.join(f'{name} {_numbers(value)}' for name, value in named if value is not None)})"


def _numbers(value: Any) -> str:
    if isinstance(value, str):
        return value
    return " ".join(map(_numbers, value)) if isinstance(value, tuple) else f"{value:g}"
