"""A finite domain whose values are known in every round: what all time-varying problems are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from ..errors import BenchError
from ..protocol import Blind, Outcome, Values
from ..randomness import keyed

Available = Callable[[int], Any]
"""From a round, from 1, to a mask of what can be chosen in it; None: everything."""


def squared_exponential(
    points: Float[np.ndarray, "X d"], lengthscale: float
) -> Float[np.ndarray, "X X"]:
    """`exp(−r²/2ℓ²)` between all points."""
    squares = ((points[:, None] - points) ** 2).sum(-1)
    return np.asarray(np.exp(-0.5 * squares / lengthscale**2))


def root_of(K: Float[np.ndarray, "X X"]) -> Float[np.ndarray, "X X"]:
    """A matrix R with R Rᵀ = K: times normal draws, a draw from the process."""
    values, vectors = np.linalg.eigh(K)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def prior(
    name: str,
    lengthscale: float,
    mean: Any = 0.0,
    variance: float = 1.0,
    drift: Any = None,
    noise: float = 0.1,
) -> dict[str, Any]:
    """One candidate, as entrants are told of it."""
    kernel = {"kind": "squared-exponential", "lengthscale": lengthscale, "variance": variance}
    return {"name": name, "mean": mean, "kernel": kernel, "drift": drift, "noise": noise}


@dataclass(frozen=True)
class Stream(Blind):
    """One truth, round by round.

    Args:
        variables: as entrants are told of them, each with "levels": the domain is their product,
            the last varying first.
        truth: the objective without noise in every round at every point, (T, X); NaN where a point
            cannot be chosen.
        noise: standard deviation of what is measured.
        seed: of noise and of the first outcome.
        priors: candidates, as `prior` makes them; None where nobody knows any.
        available: what can be chosen.
        more: further things that are told.
        first: whether one outcome at a random available point is given before the first round.
    """

    variables: Sequence[Mapping[str, Any]]
    truth: Float[np.ndarray, "T X"]
    noise: float
    seed: int
    priors: Sequence[Mapping[str, Any]] | None = None
    available: Available | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    first: bool = True

    @property
    def known(self) -> dict[str, Any]:
        """Variables with their levels, and the candidates."""
        return {
            "wing": "time-varying",
            "variables": self.variables,
            "priors": self.priors,
            **self.more,
        }

    @cached_property
    def _noises(self) -> Float[np.ndarray, " n"]:
        """One draw for what is given first, then one a round; the place of what is given is drawn before them."""
        random = keyed(self.seed, 0, "noise")
        if self.first:
            random.choice(np.flatnonzero(self.mask(1)))
        return random.standard_normal(len(self.truth) + self.first)

    def before(self) -> Iterable[tuple[Values, Outcome]]:
        """One outcome at a random available point, at time 1."""
        if self.first:
            x = int(keyed(self.seed, 0, "noise").choice(np.flatnonzero(self.mask(1))))
            value = float(self.truth[0, x] + self.noise * self._noises[0])
            yield self.values_of(x), Outcome(value, 0.0, {"time": 1.0})

    def mask(self, number: int) -> Bool[np.ndarray, " X"]:
        """What can be chosen in a round."""
        seen = ~np.isnan(self.truth[number - 1])
        told = None if self.available is None else self.available(number)
        return seen if told is None else np.asarray(seen & np.array(told))

    def now(self, number: int) -> dict[str, Any]:
        """The time, and what can be chosen where that is not everything."""
        mask = self.mask(number)
        return {"time": float(number)} | ({} if mask.all() else {"available": mask.tolist()})

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The value of this round, with noise."""
        x = self.point(number, values)
        return Outcome(
            float(self.truth[number - 1, x] + self.noise * self._noises[number - 1 + self.first])
        )

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Against the best that could be chosen in this round."""
        return float(
            self.truth[number - 1, self.mask(number)].max()
            - self.truth[number - 1, self.point(number, values)]
        )

    def values_of(self, x: int) -> dict[str, Any]:
        """Point x, by variable."""
        at = np.unravel_index(x, [len(v["levels"]) for v in self.variables])
        return {v["name"]: v["levels"][int(i)] for v, i in zip(self.variables, at, strict=True)}

    def point(self, number: int, values: Values) -> int:
        """The number of a point.

        Raises:
            BenchError: it is none of the domain's, or not available in this round.
        """
        at = [_level(variable, values) for variable in self.variables]
        x = int(np.ravel_multi_index(at, [len(v["levels"]) for v in self.variables]))
        if not self.mask(number)[x]:
            raise BenchError(
                f"round {number}: {dict(values)} is not available; `now['available']` says what is"
            )
        return x


def _level(variable: Mapping[str, Any], values: Values) -> int:
    name, levels = variable["name"], variable["levels"]
    if name not in values:
        raise BenchError(f"{name}: must be set; allowed are its {len(levels)} levels")
    given = values[name]
    if isinstance(levels[0], str):
        if given not in levels:
            raise BenchError(f"{name}: {given!r} is none of its {len(levels)} levels")
        return int(levels.index(given))
    i = int(np.argmin(np.abs(np.asarray(levels) - float(given))))
    if abs(levels[i] - float(given)) > 1e-6 * max(abs(levels[-1] - levels[0]), 1e-300):
        raise BenchError(
            f"{name}: {given!r} is none of its {len(levels)} levels; the nearest is {levels[i]!r}"
        )
    return i
