"""Outcome constraints: a model of each constrained outcome, learned from events, and probabilities to satisfy them.

A constraint holds for each play with its probability p or, `on_average`, for the mean over plays: the next play then
needs `p (n + 1) − kept` (`required_now`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .._arrays import Float
from ..core import Amended, BoundsExtended, DataAdded, Event, Failed, History, OutcomeTold, Refitted, Round
from ..gp import DriftModel, GPRegression, replace_outcomes
from ..gp.drift import AnyDrift
from ..optim import Margin, sobol_points
from ..space import OutcomeConstraint
from ._model import DriftTracker
from ._parts import Controlled, Part, Uncontrolled, drawn

DRAWS = 32
"""Of what nature does, over which a probability is averaged."""
MIN_TO_PREDICT = 5
"""Outcomes before anything is said of the next ones."""
NO_FEASIBLE_NOTE = "no settings are known yet that keep to the limits and are likely to work; these come nearest"
_SUREST = 1e-15  # nearer to one probabilities are not told apart
_MEMBERS = 4  # draws of hyperparameters that probabilities are averaged over
_FAR = 5.0  # deviations up to which a tail is believed

Fresh = Callable[[DriftModel | None], GPRegression[Any]]
Chances = Callable[[Float[np.ndarray, "n c"]], list[Float[np.ndarray, " n"]]]
"""Settings to the logarithms of probabilities, of each limit."""


class ProbabilisticConstraint(Protocol):
    """Requirement that a play must meet with a probability."""

    @property
    def required_probability(self) -> float:
        """Probability that is required."""

    def log_probability(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Logarithm of the probability to meet it at encoded rows of all variables."""


@dataclass(eq=False)
class ConstraintModel:
    """Model of one constrained outcome, in its own units, with the limit on it and its drift."""

    limit: OutcomeConstraint
    model: GPRegression[Any]
    tracker: DriftTracker

    @classmethod
    def of(cls, limit: OutcomeConstraint, fresh: Fresh, drift: AnyDrift) -> ConstraintModel:
        """Build a model without data."""
        tracker = DriftTracker(drift)
        return cls(limit, fresh(tracker.model), tracker)

    def begin_anew(self, rows: Sequence[tuple[str, Float[np.ndarray, " d"], float]], width: int) -> None:
        """Replace the data by these rows: token of the round or name of the data, point, outcome."""
        points = np.array([point for _, point, _ in rows]).reshape(len(rows), width)
        replace_outcomes(self.model, points, np.array([value for _, _, value in rows]))
        self.tracker.correct()

    @property
    def informed(self) -> bool:
        """Whether there are `MIN_TO_PREDICT` outcomes to predict the next one."""
        return len(self.model) >= MIN_TO_PREDICT

    @property
    def required_probability(self) -> float:
        """Probability that the constraint asks for."""
        return self.limit.probability

    @property
    def _members(self) -> Sequence[GPRegression[Any]]:
        """The model under some draws of its hyperparameters, or the model itself."""
        members = getattr(self.model, "members", ())
        return members[:: max(1, len(members) // _MEMBERS)] or (self.model,)

    def log_probability(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Logarithm of the probability that the next outcome at encoded rows satisfies the constraint.

        The predictive distribution is a mixture over draws of the hyperparameters.
        """
        ends = [
            None if end is None else float(self.model.output.forward(np.array([end]))[0])
            for end in (self.limit.at_most, self.limit.at_least)
        ]

        def of(member: GPRegression[Any]) -> Float[np.ndarray, " m"]:
            mean, variance = member.marginals(rows)
            deviation = np.sqrt(variance + member.noise_at(rows))
            high, low = (None if end is None else _deviates(end - mean, deviation) for end in ends)
            return _log_between(low, high)

        each = [of(member) for member in self._members]
        return np.asarray(np.logaddexp.reduce(each, axis=0) - np.log(len(each)))

    def room(self, rows: Float[np.ndarray, "m d"]) -> float:
        """Slack of the constraint at its probability, over rows drawn by nature, in units of the outcome."""
        draws = np.concatenate([self._draws(member, rows) for member in self._members])
        sure, rooms = self.limit.probability, []
        if self.limit.at_most is not None:
            rooms.append(self.limit.at_most - float(np.quantile(draws, sure)))
        if self.limit.at_least is not None:
            rooms.append(float(np.quantile(draws, 1.0 - sure)) - self.limit.at_least)
        return min(rooms)

    @staticmethod
    def _draws(member: GPRegression[Any], rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " k"]:
        """Outcomes that one member expects at these rows, in units of the outcome."""
        mean, deviation = member.predict(rows)
        spread = np.hypot(deviation, member.scale * np.sqrt(member.noise_at(rows)))
        return np.asarray((mean[:, None] + spread[:, None] * _quantiles()).ravel())


def margin_over(constraints: Sequence[ProbabilisticConstraint], parts: Sequence[Part]) -> Margin:
    """Feasibility margin as a function of settings: normal deviations of the least likely requirement; ≥ 0: feasible.

    Uncontrolled columns are averaged over.
    """
    chances, sure = (
        chances_over(constraints, parts),
        [_deviations(np.log([each.required_probability])) for each in constraints],
    )

    def margin(points: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " n"]:
        least = np.full(len(points), np.inf)
        for average, wanted in zip(chances(points), sure, strict=True):
            least = np.minimum(least, _deviations(average) - wanted)
        return least

    return margin


def chances_over(constraints: Sequence[ProbabilisticConstraint], parts: Sequence[Part]) -> Chances:
    """Log probabilities to meet each requirement, as a function of settings."""
    base = draws_of(parts)
    held = [d for d, part in enumerate(parts) if isinstance(part, Controlled)]

    def chances(points: Float[np.ndarray, "n c"]) -> list[Float[np.ndarray, " n"]]:
        rows = np.repeat(base[None], len(points), axis=0)
        rows[:, :, held] = points[:, None]
        flat = rows.reshape(len(points) * len(base), base.shape[1])  # where nothing is set there are no columns
        likely = (each.log_probability(flat).reshape(len(points), len(base)) for each in constraints)
        return [np.logaddexp.reduce(one, axis=1) - np.log(len(base)) for one in likely]

    return chances


def rows_at(parts: Sequence[Part], held: Mapping[int, float]) -> Float[np.ndarray, "m d"]:
    """Draw encoded rows of all variables with some columns held at values."""
    rows = draws_of(parts)
    for column, value in held.items():
        rows[:, column] = value
    return rows


def draws_of(parts: Sequence[Part]) -> Float[np.ndarray, "s d"]:
    """Draw encoded rows: observed columns at their values, uncontrolled ones sampled, controlled ones zero."""
    count = DRAWS if any(isinstance(part, Uncontrolled) for part in parts) else 1
    return drawn(parts, sobol_points(count, len(parts), 0))


def _deviates(gap: Float[np.ndarray, " m"], deviation: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Gaps in deviations, up to `_FAR` of them; further out in deviations of the outcome itself, which are one.

    No tail is believed so far out: where all that is known breaks a constraint by far, the setting with the least
    excess is nearest to it, and not the one of which least is known.
    """
    beyond = np.maximum(np.abs(gap) - _FAR * deviation, 0.0)
    return np.sign(gap) * (np.minimum(np.abs(gap) / deviation, _FAR) + beyond)


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


Row = Callable[[Mapping[str, Any], str, Round | None], Float[np.ndarray, " d"]]
"""What really happened, the token or the name of the data, and the round if it was one, to a point of the models."""
Tells = Callable[[Round | None], bool]
"""From a round, or None for external data, to whether models learn from it."""


class ConstraintModels:
    """Models of all constrained outcomes of a problem.

    Args:
        further: the limits on them, by the outcome's name.
        fresh: makes a regression without data for a drift model.
        drift: how all of them may change with time; time is then the last column.
        names: the models' columns, beside the time: what must be known of a round that broke, for that it counts.
        row: where something was measured.
        tells: whether a round, or external data (None), tells of them; None: all do.

    Attributes:
        by_name: the outcomes.
        fitted_at: how many outcomes there were when hyperparameters were learned last.
    """

    def __init__(
        self,
        further: Mapping[str, OutcomeConstraint],
        fresh: Fresh,
        drift: AnyDrift,
        names: tuple[str, ...],
        row: Row,
        *,
        tells: Tells | None = None,
    ) -> None:
        self.by_name = {name: ConstraintModel.of(limit, fresh, drift) for name, limit in further.items()}
        self._fresh, self._row, self._names = fresh, row, names
        self._told_by = tells
        self.fitted_at = 0

    def _tells(self, played: Round | None) -> bool:
        return self._told_by is None or self._told_by(played)

    @property
    def informed(self) -> list[ConstraintModel]:
        """Models with enough outcomes."""
        return [each for each in self.by_name.values() if each.informed]

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        if not self.by_name:
            return
        match event:
            case Refitted() if self.by_name.keys() <= event.hyperparameters.keys():  # else only the objective was due
                self.set(event.hyperparameters)
            case OutcomeTold() if self._tells(history[event.token]):
                point = self._row(event.outcome.realised, event.token, history[event.token])
                for name, each in self.by_name.items():
                    each.model.add(point, event.outcome.realised[name])
            case DataAdded() if self._tells(None):
                for name, each in self.by_name.items():
                    if name in event.outcome.realised:
                        point = self._row(event.outcome.realised, history.latest_data, None)
                        each.model.add(point, event.outcome.realised[name])
            case Failed():  # what broke may have been measured all the same
                for name, each in self.by_name.items():
                    if (found := self._seen(history[event.token], name)) is not None:
                        each.model.add(*found)
            case Amended():
                self.begin_anew(history)
            case BoundsExtended():
                for each in self.by_name.values():
                    each.tracker.correct()
            case _:
                pass

    def begin_anew(self, history: History) -> None:
        """Replace all data by the history's: outcomes of plays, also of failed ones, and of external data."""
        for name, each in self.by_name.items():
            rows = [(r.suggestion.token, *seen) for r in history if (seen := self._seen(r, name)) is not None]
            for token, data in history.data.items() if self._tells(None) else ():
                if name in data.outcome.realised:
                    rows.append((token, self._row(data.outcome.realised, token, None), data.outcome.realised[name]))
            each.begin_anew(rows, len(self._names) + (each.tracker.model is not None))

    def _seen(self, played: Round, name: str) -> tuple[Float[np.ndarray, " d"], float] | None:
        """Point and value of an outcome in a round; None where either is unknown."""
        known = played.realised if played.state in ("told", "failed") and self._tells(played) else {}
        if name not in known or any(each not in known for each in self._names):
            return None
        return self._row(known, played.suggestion.token, played), float(known[name])

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def set(self, hyperparameters: Mapping[str, Any]) -> None:
        """Put hyperparameters from `fit` to use."""
        for name, each in self.by_name.items():
            each.model = each.tracker.set_hyperparameters(self._fresh, each.model, hyperparameters[name])
        self.fitted_at = max((len(each.model) for each in self.by_name.values()), default=0)

    @property
    def due(self) -> bool:
        """Whether hyperparameters are to be learned anew."""
        return any(each.tracker.due(each.model, self.fitted_at, len(each.model)) for each in self.by_name.values())

    @property
    def corrected(self) -> bool:
        """Whether values that hyperparameters were learned from are others now."""
        return any(each.tracker.corrected(each.model) for each in self.by_name.values())

    def fit(self, until: Callable[[float], float]) -> dict[str, Any]:
        """Hyperparameters learned anew, by the outcome's name; `until`: see `DriftTracker.fit`."""
        return {name: each.tracker.fit(self._fresh, each.model, until) for name, each in self.by_name.items()}


LIKELY = "likely"
"""Key of the probabilities to satisfy constraints, by outcome, in notes of suggestions."""


def required_now(limit: OutcomeConstraint, rounds: Iterable[Round]) -> float:
    """Least probability of the next play that keeps the mean over plays at the required one; may be below 0.

    Those plays count that a model chose: by how they came or, where that is not known, by how likely they were to keep.

    >>> from types import SimpleNamespace as Some
    >>> note = {"likely": {"heat": 0.95}}
    >>> played = [Some(suggestion=Some(note=note), realised={"heat": heat}) for heat in (4, 4, 4)]
    >>> round(required_now(OutcomeConstraint("heat", at_most=5, probability=0.9), played), 6)
    0.6
    """
    n, kept = kept_of(limit, rounds)
    return limit.probability * (n + 1) - kept


def kept_of(limit: OutcomeConstraint, rounds: Iterable[Round]) -> tuple[int, float]:
    """Count plays chosen by a model, and those that satisfy a constraint; pending ones count by their probabilities."""
    n, kept = 0, 0.0
    for played in rounds:
        likely: Mapping[str, float] = played.suggestion.note.get(LIKELY, {})
        if limit.name in likely:
            n += 1
            known = limit.name in played.realised
            kept += float(not limit.breaks(played.realised)) if known else likely[limit.name]
    return n, kept
