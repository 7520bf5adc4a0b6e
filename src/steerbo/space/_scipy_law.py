"""Any distribution of scipy.stats, stored by name and parameters so that it survives a file."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic_core import PydanticCustomError

from .._arrays import Float
from ..errors import InvalidProblem
from ..records import record
from ._placed import Atoms
from .fields import Number, Numbers, Positive, Text, as_number, tag

_MOST_ATOMS = 100_000  # values of a discrete law that are written out
_NEGLIGIBLE = 1e-12  # mass of a discrete law's tails that is left out of its atoms


@dataclass(frozen=True)
class ScipyDistribution:
    """A continuous distribution of scipy.stats."""

    name: str
    args: tuple[float, ...]
    loc: float
    scale: float
    atoms: ClassVar[None] = None

    @property
    def mean(self) -> float:
        """The mean; NaN or infinite where it does not exist."""
        return float(self._call("mean"))

    @property
    def sd(self) -> float:
        """The standard deviation; NaN or infinite where it does not exist."""
        return float(self._call("std"))

    @property
    def support(self) -> tuple[float, float]:
        """Smallest and largest value with mass."""
        low, high = self._call("support")
        return float(low), float(high)

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The quantile at `u`."""
        return np.asarray(self._call("ppf", u), float)

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability of at most `x`."""
        return np.asarray(self._call("cdf", x), float)

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability density at `x`."""
        return np.asarray(self._call("pdf", x), float)

    def _call(self, method: str, *args: Any) -> Any:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of scipy's root finders about a tail
            return getattr(self._frozen, method)(*args)

    @cached_property
    def _frozen(self) -> Any:
        return _family(self.name)(*self.args, loc=self.loc, scale=self.scale)


@record
class Scipy:
    """A distribution of scipy.stats: its name, its shape parameters in scipy's order, `loc` and `scale`.

    A variable also takes a frozen distribution as it is. A discrete one (Poisson, binomial) suits
    an Integer: its atoms are its values but for tails of 1e-12.

    >>> Scipy("weibull_min", [2], scale=8).on(0, 30).ppf([0.0, 0.5]).round(3)
    array([0.  , 6.66])
    """

    name: Text
    args: Numbers = ()
    loc: Number = 0.0
    scale: Positive = 1.0
    kind: Literal["scipy"] = tag("scipy")

    def __post_init__(self) -> None:
        """Refuse names scipy does not know and parameters it does not allow."""
        family = _family(self.name)
        if family is None:
            raise InvalidProblem(
                "name",
                self.name,
                "the name of a distribution in scipy.stats, such as 'weibull_min'",
            )
        if len(self.args) != family.numargs:
            raise InvalidProblem(
                "args", self.args, f"{family.numargs} shape parameters ({family.shapes or 'none'})"
            )
        if _is_discrete(family) and self.scale != 1:
            raise InvalidProblem("scale", self.scale, "1, for a discrete distribution")
        with np.errstate(all="ignore"):
            scale = {} if _is_discrete(family) else {"scale": self.scale}
            middle = float(family(*self.args, loc=self.loc, **scale).ppf(0.5))
        if not math.isfinite(middle):
            raise InvalidProblem(
                "args", self.args, f"parameters that scipy.stats.{self.name} allows"
            )

    def on(self, low: float, high: float) -> ScipyDistribution | Atoms:
        """Itself, or its atoms: the bounds do not matter.

        Raises:
            InvalidProblem: a discrete distribution spreads over more than 100 000 values.
        """
        family = _family(self.name)
        if not _is_discrete(family):
            return ScipyDistribution(self.name, tuple(self.args), self.loc, self.scale)
        law = family(*self.args, loc=self.loc)
        first, last = float(law.ppf(_NEGLIGIBLE)), float(law.isf(_NEGLIGIBLE))
        if not last - first < _MOST_ATOMS:
            raise InvalidProblem(
                "name",
                self.name,
                f"a discrete law on at most {_MOST_ATOMS} values",
                "Use a continuous one.",
            )
        values = np.arange(first, last + 1)
        return Atoms.of(values, law.pmf(values))


def from_frozen(law: object) -> object:
    """A frozen scipy.stats distribution as our `Scipy`; everything else as it is.

    Raises:
        PydanticCustomError: it is not one of scipy's own, or has arrays for parameters.
    """
    family = getattr(law, "dist", None)
    if family is None or not hasattr(law, "ppf") or not hasattr(law, "kwds"):
        return law
    if type(_family(str(family.name))) is not type(family):
        raise PydanticCustomError(
            "scipy", "one of scipy's own distributions (for others use Empirical or Discrete)"
        )
    shapes = family.shapes.split(", ") if family.shapes else []
    names = [*shapes, "loc"] if _is_discrete(family) else [*shapes, "loc", "scale"]
    given = {**dict(zip(names, law.args, strict=False)), **law.kwds}  # type: ignore[attr-defined]
    if any(as_number(value) is None for value in given.values()):
        raise PydanticCustomError("scipy", "a distribution with finite numbers for parameters")
    args = [given[shape] for shape in shapes if shape in given]
    return Scipy(family.name, args, loc=given.get("loc", 0.0), scale=given.get("scale", 1.0))


def _family(name: str) -> Any:
    """The family of distributions that scipy.stats has under this name, or None."""
    import scipy.stats

    family = getattr(scipy.stats, name, None)
    return (
        family if isinstance(family, scipy.stats.rv_continuous | scipy.stats.rv_discrete) else None
    )


def _is_discrete(family: Any) -> bool:
    return not hasattr(family, "pdf")
