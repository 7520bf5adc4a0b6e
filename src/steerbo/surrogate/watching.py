"""Models of the further outcomes that a problem limits, as events come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from ..gp import AnyDrift
from ..rounds import Added, Amended, Event, Extended, Failed, History, Refitted, Round, Told
from ..space import Measured
from .outcomes import Fresh, Watched

Row = Callable[[Mapping[str, Any], str, Round | None], Float[np.ndarray, " d"]]
"""What really happened, the token or the name of the data, and the round if it was one, to a point of the models."""
Tells = Callable[[Round | None], bool]
"""A round, or None for data that nobody suggested, to whether models learn from it."""


class Watching:
    """What is known of further outcomes.

    Args:
        further: the limits on them, by the outcome's name.
        fresh: makes a regression without data for a course.
        drift: how all of them may change with time; time is then the last column.
        names: the models' columns, beside the time: what must be known of a round that broke, for that it counts.
        row: where something was measured.
        tells: whether a round, or data that nobody suggested (None), tells of them; None: all do.

    Attributes:
        by_name: the outcomes.
        fitted_at: how many outcomes there were when hyperparameters were learned last.
    """

    def __init__(
        self,
        further: Mapping[str, Measured],
        fresh: Fresh,
        drift: AnyDrift,
        names: tuple[str, ...],
        row: Row,
        *,
        tells: Tells | None = None,
    ) -> None:
        self.by_name = {name: Watched.of(limit, fresh, drift) for name, limit in further.items()}
        self._fresh, self._row, self._names = fresh, row, names
        self._told_by = tells
        self.fitted_at = 0

    def _tells(self, played: Round | None) -> bool:
        return self._told_by is None or self._told_by(played)

    @property
    def informed(self) -> list[Watched]:
        """Those of which there are outcomes enough."""
        return [each for each in self.by_name.values() if each.informed]

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        match event:
            case Refitted():
                self.set(event.hyperparameters)
            case Told() if self._tells(history[event.token]):
                point = self._row(event.outcome.realised, event.token, history[event.token])
                for name, each in self.by_name.items():
                    each.model.add(point, event.outcome.realised[name])
            case Added() if self._tells(None):
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
            case Extended():
                for each in self.by_name.values():
                    each.following.correct()
            case _:
                pass

    def begin_anew(self, history: History) -> None:
        """Outcomes as they stand now: of plays, also of those that failed, and of data."""
        for name, each in self.by_name.items():
            rows = [(r.suggestion.token, *seen) for r in history if (seen := self._seen(r, name)) is not None]
            for token, data in history.data.items() if self._tells(None) else ():
                if name in data.outcome.realised:
                    rows.append((token, self._row(data.outcome.realised, token, None), data.outcome.realised[name]))
            each.begin_anew(rows, len(self._names) + (each.following.course is not None))

    def _seen(self, played: Round, name: str) -> tuple[Float[np.ndarray, " d"], float] | None:
        """Where an outcome was measured in a round, and what it was; None: it was not, or nobody knows where."""
        known = played.realised if played.state in ("told", "failed") and self._tells(played) else {}
        if name not in known or any(each not in known for each in self._names):
            return None
        return self._row(known, played.suggestion.token, played), float(known[name])

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    @property
    def _most(self) -> int:
        return max((len(each.model) for each in self.by_name.values()), default=0)

    def set(self, hyperparameters: Mapping[str, Any]) -> None:
        """Take over what `fit` found."""
        for name, each in self.by_name.items():
            each.model = each.following.take(self._fresh, each.model, hyperparameters[name])
        self.fitted_at = self._most

    @property
    def due(self) -> bool:
        """Whether hyperparameters are to be learned anew."""
        return any(each.following.due(each.model, self.fitted_at, len(each.model)) for each in self.by_name.values())

    def fit(self, until: Callable[[float], float]) -> dict[str, Any]:
        """Hyperparameters learned anew, by the outcome's name; `until`: see `Following.fit`."""
        return {name: each.following.fit(self._fresh, each.model, until) for name, each in self.by_name.items()}
