"""Prices that nobody knows, learned from what plays cost: a smooth function for each thing that has one, added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from ..core import Scope
from ..gp import Constant, GPPosterior, Kernel, Linear, SquaredExponentialKernel
from .tariff import Tariff

_MOST = 300  # costs, the latest, that are learned from
_NOISES = (1e-6, 1e-4, 1e-2, 1e-1, 1.0)  # variances of costs of the same play, as shares of costs' mean square
_LEVEL = 4.0  # variance of a price's level, and of its slope
_LENGTHSCALE = 0.4  # of a range


class LearnedPrices:
    """What setting or looking at each of some variables costs, by what whole plays have cost.

    A play's cost, less what is known of it, is `Σ_x g_x(value of x, what was seen before choosing)` over what was set
    and looked at, and noise. Each g is a Gaussian process about zero: a level, a slope, and something smooth. Nothing
    of it is fitted but the noise, the likeliest of five.

    Args:
        tariff: what has such a price, and the rest of a play's cost.
        actions: what can be set: the price of the others hangs on no value of theirs.
    """

    def __init__(self, tariff: Tariff, actions: Sequence[str]) -> None:
        self._tariff, self._names = tariff, tariff.learned
        self._valued = [name for name in self._names if name in actions]
        self._seen = tariff.space.seen
        self._kernel = reduce(add, (self._kernel_of(i, name) for i, name in enumerate(self._names)))
        self._rows: list[np.ndarray] = []
        self._rests: list[float] = []
        self._found: GPPosterior[Kernel] | None = None

    def _kernel_of(self, i: int, name: str) -> Kernel:
        """Of g of one variable: its columns are whether it is there, and what else the price may hang on."""
        k, v = len(self._names), len(self._valued)
        values = [k + self._valued.index(name)] if name in self._valued else []
        columns = values + list(range(k + v, k + v + len(self._seen)))
        there: Kernel = Linear([i], centre=0.0)
        if not columns:
            return there * Constant(_LEVEL)
        categories = [bool(self._tariff.space.categorical[self._tariff.space.index(n)]) for n in self._of(name)]
        smooth = SquaredExponentialKernel([_LENGTHSCALE] * len(columns), dimensions=columns, categorical=categories)
        numbers = [c for c, category in zip(columns, categories, strict=True) if not category]
        slope: Kernel = Linear(numbers, _LEVEL) if numbers else Constant(_LEVEL)
        return there * (Constant(_LEVEL) + slope + smooth)

    def _of(self, name: str) -> list[str]:
        return [*([name] if name in self._valued else []), *self._seen]

    def _row(self, names: Sequence[str], known: Mapping[str, Any]) -> Floats[np.ndarray, " d"]:
        space = self._tariff.space
        there = [float(name in names) for name in self._names]
        of = [*self._valued, *self._seen]
        return np.array([*there, *(float(space[n].encode([known[n]])[0]) if n in known else 0.0 for n in of)])

    def __len__(self) -> int:
        return len(self._rests)

    def take(self, scope: Scope, known: Mapping[str, Any], cost: float) -> None:
        """What a play has cost in which this was set and seen."""
        used = [name for name in (*scope.set, *scope.contexts) if name in self._names]
        if used:
            others = [n for n in (*scope.set, *scope.contexts) if n not in used]
            rest = cost - self._tariff.base - sum(self._tariff.price(n, known) or 0.0 for n in others)
            self._rows.append(self._row(used, known))
            self._rests.append(rest)
            self._found = None

    def along(self, name: str, column: Floats[np.ndarray, " r"], known: Mapping[str, Any]) -> Floats[np.ndarray, " r"]:
        """The price at encoded values of a variable, (r,), where this is seen; nothing before any cost was told."""
        if not self._rests:
            return np.zeros(len(column))
        rows = np.tile(self._row([name], known), (len(column), 1))
        if name in self._valued:
            rows[:, len(self._names) + self._valued.index(name)] = column
        if self._found is None:
            self._found = self._learned()
        return np.asarray(np.maximum(self._found.means(rows)[0] * self._scale, 0.0))

    @property
    def _scale(self) -> float:
        return float(np.sqrt(np.mean(np.square(self._rests[-_MOST:])))) or 1.0

    def _learned(self) -> GPPosterior[Kernel]:
        rows, rests = np.array(self._rows[-_MOST:]), np.array(self._rests[-_MOST:])[:, None] / self._scale
        tried = [GPPosterior(self._kernel, rows, rests, np.full(len(rows), noise)) for noise in _NOISES]
        return max(tried, key=lambda each: float(each.log_likelihood()[0]))
