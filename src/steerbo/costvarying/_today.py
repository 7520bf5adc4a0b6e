"""Today's settings, and how far from them the next play may lie: see `surrogate._reach`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import Float
from ..space import Categorical
from ..surrogate import better, drawn, first_steps, parts_of, reach
from ._surrogate import Surrogate

# evenly spread draws of nature, whose median stands for a variable that is not set today
_DRAWS = 64


class Today:
    """Today's settings, and the settings within reach of them.

    Args:
        surrogate: given all outcomes as they stand, of a problem with `current` values.
    """

    def __init__(self, surrogate: Surrogate) -> None:
        self.surrogate, self.search_space = surrogate, surrogate.search_space
        self.problem = surrogate.problem
        self._settable = np.array([self._moves(name) for name in self.problem.space.names])

    def _moves(self, name: str) -> bool:
        """Whether a variable can be moved step by step; categories have no steps."""
        return name in self.problem.settable and not isinstance(
            self.problem.space[name], Categorical
        )

    @property
    def control_set(self) -> int:
        """Index of the control set that is held today."""
        held = set(self.problem.current or ())
        return next(i for i, names in enumerate(self.problem.control_sets) if set(names) == held)

    def settings(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of today in a context; variables that formulas read, if not seen, are at nature's median."""
        policy, space = self.problem.today, self.problem.space
        assert policy is not None
        unseen = [name for name in policy.reads if name not in context]
        row = self._medians({}) if unseen else np.zeros(space.dimension)
        usual = {name: space[name].decode(row[[space.index(name)]])[0] for name in unseen}
        return policy({**context, **usual})

    def reach(
        self, context: Mapping[str, Any], time: float | None
    ) -> dict[str, tuple[float, float]]:
        """Encoded ends that the next play's settings lie within, by variable; none without `current`.

        `time`: of the play, where the objective drifts.
        """
        if self.problem.current is None:
            return {}
        columns, names = len(self.search_space.columns), self.problem.space.names
        model = self.surrogate.model
        rows = model.inputs[:, :columns].copy()
        if time is not None:
            rows[:, -1] = time  # settings that were better long ago may not be so now
        here = np.clip(self._stands(context), 0.0, 1.0)
        offsets = self._offsets(rows, here)
        lasting = self.problem.afterwards != 0 and not self.problem.timed
        feasibility = self.surrogate.feasibility
        scope = self.search_space.controls(self.control_set)
        margins = feasibility.margins(rows, rows - offsets, scope)
        good = better(model, rows, rows - offsets, margins, lasting)
        least = first_steps(self.problem.space, anywhere=feasibility.nothing_near(margins))
        down, up = reach(offsets[:, : len(names)], good, least)
        return {
            names[j]: (here[j] - down[j], here[j] + up[j])
            for j in np.flatnonzero(self._settable).tolist()
        }

    def _offsets(
        self, rows: Float[np.ndarray, "n e"], here: Float[np.ndarray, " d"]
    ) -> Float[np.ndarray, "n e"]:
        """Encoded settings of the model's rows less today's in their contexts; 0 where a variable was not set."""
        policy, space = self.problem.today, self.problem.space
        assert policy is not None
        offsets = np.zeros(rows.shape)
        for row, result in enumerate(self.surrogate.told):
            today = here
            if policy.formulas:
                today = here.copy()
                for name, code in self.search_space.encoded(self.settings(result.realised)).items():
                    today[space.index(name)] = code
            values = policy.in_words() if result.played is None else result.played.suggestion.values
            was_set = np.array([name in values for name in space.names])
            offsets[row, : space.dimension] = np.where(
                was_set & self._settable, rows[row, : space.dimension] - today, 0.0
            )
        return offsets

    def _stands(self, context: Mapping[str, Any]) -> Float[np.ndarray, " d"]:
        """Encoded values of today in a context; variables that are not set have the median of nature's draws."""
        seen = {name: context[name] for name in self.problem.space.seen if name in context}
        return self._medians(self.search_space.encoded({**seen, **self.settings(seen)}))

    def _medians(self, known: Mapping[str, float]) -> Float[np.ndarray, " d"]:
        """Encoded values of all variables, given some of them; by nature's laws their medians, and 0 without a law."""
        names, laws = self.problem.space.names, self.search_space.nature.at(known)
        free = [name for name in names if name not in known and name not in laws]
        spread = np.repeat(((np.arange(_DRAWS) + 0.5) / _DRAWS)[:, None], len(names), axis=1)
        return np.asarray(np.median(drawn(parts_of(names, free, known, laws), spread), axis=0))
