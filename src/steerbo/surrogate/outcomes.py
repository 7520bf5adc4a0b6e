"""Further outcomes that are limited: a model of each, and how likely a play is to keep to its limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from ..gp import Course, Regression, put_right
from ..gp.drift import AnyDrift
from ..search import Margin, sobol_points
from ..space import Measured
from .following import Following
from .parts import Drawn, Part, Set, drawn

DRAWS = 32
"""Of what nature does, over which a probability is averaged."""
ENOUGH = 5
"""Outcomes before anything is said of the next ones."""
UNKEPT = "no settings of it are known yet to keep to its limits, and to be likely to work; these are the likeliest"
_SUREST = 1e-15  # nearer to one probabilities are not told apart
_MEMBERS = 4  # draws of hyperparameters that probabilities are averaged over

Fresh = Callable[[Course | None], Regression[Any]]
Chances = Callable[[Float[np.ndarray, "n c"]], list[Float[np.ndarray, " n"]]]
"""Settings to the logarithms of probabilities, of each limit."""


class Likely(Protocol):
    """Something that a play is to keep to with a probability."""

    @property
    def sure(self) -> float:
        """That probability."""

    def log_probability(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Logarithm of the probability that it is kept to where these are all variables, encoded."""


@dataclass(eq=False)
class Watched:
    """What is known of a further outcome.

    Attributes:
        limit: on it.
        model: of it, in its own units.
        following: how it drifts.
    """

    limit: Measured
    model: Regression[Any]
    following: Following

    @classmethod
    def of(cls, limit: Measured, fresh: Fresh, drift: AnyDrift) -> Watched:
        """Nothing is known yet."""
        following = Following(drift)
        return cls(limit, fresh(following.course), following)

    def begin_anew(self, rows: Sequence[tuple[str, Float[np.ndarray, " d"], float]], width: int) -> None:
        """All outcomes as they stand now, by the round's token or the data's name."""
        points = np.array([point for _, point, _ in rows]).reshape(len(rows), width)
        put_right(self.model, points, np.array([value for _, _, value in rows]))
        self.following.correct()

    @property
    def informed(self) -> bool:
        """Whether there are outcomes enough."""
        return len(self.model) >= ENOUGH

    @property
    def sure(self) -> float:
        """The probability that the limit asks for."""
        return self.limit.probability

    @property
    def _members(self) -> Sequence[Regression[Any]]:
        """The model with some draws of its hyperparameters, if there are any: what is open of them counts."""
        members = getattr(self.model, "members", ())
        return members[:: max(1, len(members) // _MEMBERS)] or (self.model,)

    def log_probability(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Logarithm of the probability that the next outcome keeps to the limit where these are all variables, encoded.

        Of the mixture over draws of the hyperparameters.
        """
        ends = [
            None if end is None else float(self.model.output.forward(np.array([end]))[0])
            for end in (self.limit.at_most, self.limit.at_least)
        ]

        def of(member: Regression[Any]) -> Float[np.ndarray, " m"]:
            mean, variance = member.marginals(rows)
            deviation = np.sqrt(variance + member.noise)
            high, low = (None if end is None else (end - mean) / deviation for end in ends)
            return _log_between(low, high)

        each = [of(member) for member in self._members]
        return np.asarray(np.logaddexp.reduce(each, axis=0) - np.log(len(each)))

    def room(self, rows: Float[np.ndarray, "m d"]) -> float:
        """By how much the limit could be tighter and hold with its probability, over draws of what nature does."""
        draws = np.concatenate([self._draws(member, rows) for member in self._members])
        sure, rooms = self.limit.probability, []
        if self.limit.at_most is not None:
            rooms.append(self.limit.at_most - float(np.quantile(draws, sure)))
        if self.limit.at_least is not None:
            rooms.append(float(np.quantile(draws, 1.0 - sure)) - self.limit.at_least)
        return min(rooms)

    @staticmethod
    def _draws(member: Regression[Any], rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " k"]:
        """Outcomes that one member expects at these rows, in units of the outcome."""
        mean, deviation = member.predict(rows)
        spread = np.hypot(deviation, member.scale * np.sqrt(member.noise))
        return np.asarray((mean[:, None] + spread[:, None] * _quantiles()).ravel())


def margin_over(watched: Sequence[Likely], parts: Sequence[Part]) -> Margin:
    """By how much plays are likely enough, in normal deviations of the least likely limit, as a function of settings.

    Args:
        watched: the outcomes that are limited, and whatever else is to be likely.
        parts: every column's part; what is drawn is averaged over.
    """
    chances, sure = chances_over(watched, parts), [_deviations(np.log([each.sure])) for each in watched]

    def margin(points: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " n"]:
        least = np.full(len(points), np.inf)
        for average, wanted in zip(chances(points), sure, strict=True):
            least = np.minimum(least, _deviations(average) - wanted)
        return least

    return margin


def chances_over(watched: Sequence[Likely], parts: Sequence[Part]) -> Chances:
    """How likely plays are to keep to each limit, as a function of settings."""
    base = draws_of(parts)
    held = [d for d, part in enumerate(parts) if isinstance(part, Set)]

    def chances(points: Float[np.ndarray, "n c"]) -> list[Float[np.ndarray, " n"]]:
        rows = np.repeat(base[None], len(points), axis=0)
        rows[:, :, held] = points[:, None]
        flat = rows.reshape(len(points) * len(base), base.shape[1])  # where nothing is set there are no columns
        likely = (each.log_probability(flat).reshape(len(points), len(base)) for each in watched)
        return [np.logaddexp.reduce(one, axis=1) - np.log(len(base)) for one in likely]

    return chances


def rows_at(parts: Sequence[Part], held: Mapping[int, float]) -> Float[np.ndarray, "m d"]:
    """What may happen where these columns are set, encoded."""
    rows = draws_of(parts)
    for column, value in held.items():
        rows[:, column] = value
    return rows


def draws_of(parts: Sequence[Part]) -> Float[np.ndarray, "s d"]:
    """What may happen, encoded: what is known as it is, what nature draws drawn, zeros where something is set."""
    count = DRAWS if any(isinstance(part, Drawn) for part in parts) else 1
    return drawn(parts, sobol_points(count, len(parts), 0))


def _log_between(low: Float[np.ndarray, " m"] | None, high: Float[np.ndarray, " m"] | None) -> Float[np.ndarray, " m"]:
    """The logarithm of a normal deviate's probability to lie between two numbers, in the tails, too."""
    from scipy.special import log_ndtr  # start-up time

    if low is None or high is None:
        return np.asarray(log_ndtr(-low if low is not None else high))
    right = low > 0  # there the mirror image has more digits
    low, high = np.where(right, -high, low), np.where(right, -low, high)
    above, below = log_ndtr(high), log_ndtr(low)
    return np.asarray(above + np.log1p(-np.exp(np.minimum(below - above, -_SUREST))))


def _deviations(logs: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Normal quantiles of probabilities, given their logarithms."""
    from scipy.special import ndtri_exp  # start-up time

    return np.asarray(ndtri_exp(np.minimum(logs, -_SUREST)))


def _quantiles() -> Float[np.ndarray, " q"]:
    return _deviations(np.log((np.arange(256) + 0.5) / 256))
