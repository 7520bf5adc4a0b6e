"""CoCa-BO: a bandit over possibly-optimal scopes, contextual Bayesian optimisation in each arm (Algorithm 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from .._arrays import Float, Int
from .._wording import counted
from ..bandit import split_initial_plays
from ..core import Choice, Explanation, Problem, context_of
from ..records import record
from .identification.enumeration import Mode, found_scopes
from .identification.scopes import MAX_STEPS, ScopesFound, together
from .method import CausalMethod
from .models import KernelName, ModelOptions, Wanted
from .problem import Causal

_INDEX_IS = (
    "The next scope is the one with the best index: the value expected of its settings, improved by one standard "
    "deviation, where that is best."
)
INDEX_WIDTH = 1.0
"""Deviations by which an arm's index lies above the mean."""


@record
class CoCaOptions(ModelOptions):
    """Options of CoCa-BO, beside those of `ModelOptions`.

    Args:
        kernel: see `ModelOptions`.
        mode: which scopes are arms; see `policy_scopes`.
        limit: steps after which the search for scopes ends; see `policy_scopes`.
        first_plays: initial plays of all arms together. Of many arms, each has its share of these,
            and is judged by its outcomes alone until its model has as many as it needs.
    """

    kernel: KernelName = "anova"
    mode: Mode = "pruned"
    limit: int = MAX_STEPS
    first_plays: int = Field(50, ge=1)


class CoCaBO(CausalMethod[CoCaOptions]):
    """Choose the scope by a bandit's index, look, and maximise the upper bound (Arsenyan et al. 2025).

    The index of an arm is ours: the largest `μ + σ` of its settings, on average over the same
    contexts for all arms, by the average over draws of the hyperparameters that answers are based
    on; and no arm is neglected for long. Settings are placed by the likeliest hyperparameters: where
    draws doubt each other, too, plays went on exploring for too long (evidence/causal.md). Classes
    derived from this one can choose by another rule: they override `arm_value`, `margins`, and
    whether the rule `explores` neglected arms.
    """

    name: ClassVar[str] = "coca-bo"
    Options = CoCaOptions
    rule: ClassVar[str] = "paired"
    value_label: ClassVar[str] = "index"
    explores: ClassVar[bool] = True

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Whether nothing has a price: it chooses as if all scopes cost the same."""
        return isinstance(problem, Causal) and problem.prices is None

    def scopes(self) -> ScopesFound:
        """Possibly-optimal scopes."""
        how, graphs = self.options, self.problem.every_graph
        return together(found_scopes(graph, how.mode, limit=how.limit) for graph in graphs)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Describe the number of scopes, and of their initial plays."""
        (heading, scopes), *rest = super().describe()
        return (heading, f"{scopes}; {self._start_text()}"), *rest

    def explain(self) -> Explanation:
        """See `CausalMethod.explain`; with the number of initial plays, and the meaning of the index."""
        found = super().explain()
        said = f" {_INDEX_IS}" if CoCaBO.value_label in found.tables[0].columns else ""
        return replace(found, summary=f"{found.summary} {self._start_text()}.{said}")

    def _start_text(self) -> str:
        """Describe the number of initial plays."""
        forced, wanted = int(self._first.sum()), int(self._wanted.sum())
        few = (
            f" of the {wanted} asked for (first_plays = {self.options.first_plays})"
            if wanted > forced
            else ""
        )
        return f"{counted(forced, 'initial round')}{few}"

    @cached_property
    def _wanted(self) -> Int[np.ndarray, " m"]:
        """Plays of each arm before its model tells its value."""
        return np.array([super(CoCaBO, self).needed(i) for i in range(len(self.arms))])

    @cached_property
    def _first(self) -> Int[np.ndarray, " m"]:
        """Initial plays of each arm; where today's policy is told, of others a single one: they leave it at once."""
        first = split_initial_plays(self._wanted, self.options.first_plays)
        if self.host is None:
            return first
        return np.where(np.arange(len(first)) == self.host, first, np.minimum(first, 1))

    def needed(self, i: int) -> int:
        """Initial plays of arm `i`."""
        return int(self._first[i])

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose initial plays of every arm, then the arm with the largest index."""
        if (today := self.todays_play(request)) is not None:
            return today
        i, note = self._chosen(request)
        return self.play(i, request, note)

    def _chosen(self, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Arm to play, and the reason as logged."""
        known = context_of(request)
        some = self.most_feasible(self.costs.affordable(), known)
        first = self.needs_initial_plays(some)
        if first is None and self.explores:
            first = self.underexplored(some)
        if first is not None:
            return first, {"phase": "first plays"}
        if len(some) == 1:
            return int(some[0]), {"phase": "only scope"}
        index = self._with_failures(self._values(known) + self.margins())
        i = int(some[np.argmax(index[some])])
        told = {"index": (self.problem.sign * index).tolist()} if np.isfinite(index).all() else {}
        return i, {"phase": self.rule, **told}

    def _with_failures(self, index: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        """Indices with failures counted."""
        return self.feasibility.expected(index)

    # -- the index of an arm -----------------------------------------------------------------------

    def _values(self, known: Mapping[str, Any]) -> Float[np.ndarray, " m"]:
        """Value of each arm, (m,), in units of `sign · value`; infinite without outcomes."""
        young = self._first < self._wanted
        values = np.full(len(self.arms), np.inf)
        for i in range(len(self.arms)):
            if young[i] and self.told(i) < self._wanted[i]:
                values[i] = self._young_value(i)
            elif self.told(i):
                values[i] = self.arm_value(i, known)
        return values

    def _young_value(self, i: int) -> float:
        """Value of an arm whose model has too few outcomes n: their mean, that of all arms counted as one more.

        Plus s/√(n + 1), where s is the standard deviation of all outcomes.
        """
        return young_value(self.models[i].outcomes, self.models.outcomes)

    def spread(self) -> float:
        """Standard deviation of all outcomes, in the user's units."""
        return spread_of(self.models.outcomes)

    def margins(self) -> float | Float[np.ndarray, " m"]:
        """Margin of each arm's index for few plays, (m,); none by the paired rule."""
        return 0.0

    def arm_value(self, i: int, known: Mapping[str, Any]) -> float:
        """Largest `μ + σ` of arm `i` on average over the latest contexts: see `CausalMethod.highest_bound`.

        An arm counts for what its policy may become, not for what it is after few plays; one
        deviation, since an average is known better than any single point. Unlike the paper's mean
        of bounds the index forgets the arm's value by young models, and a lucky draw of contexts
        favours no arm: all are judged in the same ones.
        """
        return self.highest_bound(i, known, self.model_of_index(i), INDEX_WIDTH)

    def model_of_index(self, i: int) -> Wanted:
        """Model of arm `i` by which its index is made: that of answers."""
        return self.model_to_answer(i)

    def indices(self) -> dict[str, list[Any]]:
        """Index of every arm, by which the next one is chosen; nothing where there is one arm."""
        if len(self.arms) == 1:
            return {}
        values = self.feasibility.expected(self._values(self._present_context()))
        sign = self.problem.sign
        return {self.value_label: [sign * float(v) if np.isfinite(v) else None for v in values]}


def young_value(own: Float[np.ndarray, " n"], every: Float[np.ndarray, " m"]) -> float:
    """Mean of outcomes and, as one more, that of all outcomes; plus their standard deviation over √(n + 1)."""
    n = len(own) + 1
    mean = (float((own / n).sum()) + float((every / len(every)).sum()) / n) if len(every) else 0.0
    return mean + spread_of(every) / math.sqrt(n)


def spread_of(told: Float[np.ndarray, " n"]) -> float:
    """Standard deviation of outcomes, of any size."""
    largest = float(np.abs(told).max(initial=0.0))
    return largest * float(np.std(told / largest)) if largest > 0 else 0.0
