"""Baselines for cost-varying problems: four published methods to compare with, and uniform random play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..bandit import cheapest_near
from ..core import SEEN, Choice, Explanation, Suggestion, read_note
from ..optim import Maximum
from ..records import record
from ..space import Categorical
from ..surrogate import PosteriorSample, highest_of
from ._starting import starting_play
from .method import CostVaryingMethod
from .search_space import Arm


@record
class UcbCvsOptions:
    """Options of `ucb-cvs`.

    Args:
        beta: width of the bound `μ + βσ`.
        epsilon: how far below the largest bound a set may stay in the first round, as a share of
            the range of posterior means. In round t it is `epsilon / √t`, so that the total
            relaxation stays O(√T), as no regret needs.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    epsilon: float = Field(1.0, ge=0, allow_inf_nan=False)


@record
class _Near:
    """Part of the note of a play: how near the largest bound is near enough, in the user's units."""

    epsilon: float | None = None


class UcbCvs(CostVaryingMethod[UcbCvsOptions]):
    """Among sets whose upper bound comes near the largest, play the cheapest; near shrinks as 1/√t (Tay et al. 2023).

    Unknown costs are taken at their observed means, and a set never played as free.
    """

    name: ClassVar[str] = "ucb-cvs"
    Options: ClassVar[type[Any]] = UcbCvsOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose by Tay et al. 2023, Algorithm 1."""
        if (start := starting_play(self, request)) is not None:
            return start
        sets = np.flatnonzero(self.affordable(request))
        beta = self.options.beta
        candidates = self.candidates(request)
        spread = self.surrogate.range_of_means(candidates.known)
        epsilon = self.options.epsilon * spread / np.sqrt(self.history.next_round)
        values, found = self.wide_upper_bounds(candidates, sets.tolist(), beta)
        best = cheapest_near(values, self.costs.means()[sets], epsilon)
        if not found[best].likely:
            best = max(range(len(sets)), key=lambda k: found[k].rank)
        i = int(sets[best])
        upper = float(self.problem.sign * values[best]) if found[best].likely else None
        point = self.point_to_play(candidates, i, found[best], beta)
        return self.play(Arm(i), point, request, upper=upper, epsilon=float(epsilon))

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with ε."""
        super().read_logged(asked)
        read_note(_Near, asked.note)

    def explain(self) -> Explanation:
        """Tabulate plays and costs, with the present ε."""
        rounds = [read_note(_Near, played.suggestion.note).epsilon for played in self.history]
        epsilon = next((value for value in reversed(rounds) if value is not None), None)
        text = "the cheapest set whose upper bound comes near the largest is held"
        more = f"; near is now {epsilon:.4g}" if epsilon is not None else ""
        return Explanation(text + more, (self.control_set_table(),))


@record
class EtcGroupsOptions:
    """Options of `etc-groups`.

    Args:
        beta: width of the bound `μ + βσ`.
        plays: plays of each group; a group is all sets with equally many variables, since costs are
            not known.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    plays: int = Field(50, ge=1)


class EtcGroups(CostVaryingMethod[EtcGroupsOptions]):
    """Play the best of the smallest sets `plays` times, then of the next larger ones, then of all (Tay et al. 2023)."""

    name: ClassVar[str] = "etc-groups"
    rule: ClassVar[str] = "small sets are explored first, then all"
    Options: ClassVar[type[Any]] = EtcGroupsOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the largest upper bound within the present group."""
        if (start := starting_play(self, request)) is not None:
            return start
        return self.play_best(self._group(request), request, self.options.beta)

    def _group(self, request: Mapping[str, Any]) -> list[int]:
        """Sets of the smallest size with plays to come; all maximal sets once only the largest size is left."""
        affordable = self.working(np.flatnonzero(self.affordable(request)).tolist())
        columns = self.search_space.sets
        for size in sorted({len(each) for each in columns})[:-1]:
            group = [i for i, each in enumerate(columns) if len(each) == size]
            fitting = [i for i in group if i in affordable]
            if fitting and self.plays[group].sum() < self.options.plays:
                return fitting
        return self.maximal(affordable)


@record
class UcbPsqOptions:
    """Options of `ucb-psq`.

    Args:
        beta: width of the bound `μ + βσ`.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)


class UcbPsq(CostVaryingMethod[UcbPsqOptions]):
    """Play the set and settings with the largest expected upper bound, whatever it costs (Hayashi et al. 2022)."""

    name: ClassVar[str] = "ucb-psq"
    rule: ClassVar[str] = "the set with the largest expected upper bound is held"
    Options: ClassVar[type[Any]] = UcbPsqOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose `argmax_{i, x^i} E[u([x^i, X^{-i}])]`; a set inside another one is never needed."""
        if (start := starting_play(self, request)) is not None:
            return start
        sets = self.maximal(np.flatnonzero(self.affordable(request)).tolist())
        return self.play_best(sets, request, self.options.beta)


class TsPsq(CostVaryingMethod[Any]):
    """Draw a function from the posterior, play where its expectation is largest (Hayashi et al. 2022)."""

    name: ClassVar[str] = "ts-psq"
    rule: ClassVar[str] = "the best set of a function drawn from the posterior is held"

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose `argmax_{i, x^i} E f̃([x^i, X^{-i}])`. Pending points need no care: each draw is another function."""
        if (start := starting_play(self, request)) is not None:
            return start
        number = self.history.next_round
        candidates = self.candidates(request, pending=False)
        posterior = candidates.posterior
        choices = [
            len(v.choices) if isinstance(v, Categorical) else 0 for v in self.problem.variables
        ]
        choices += [0] * (len(self.search_space.columns) - len(choices))  # the time
        sample = PosteriorSample.draw(
            posterior,
            self.model.output.forward(self.model.outcomes) - posterior.mean,
            posterior.noise,
            choices,
            self.streams(number, "sample"),
            at=candidates.domains[0].parts,
        )
        best: tuple[Maximum, int] | None = None
        for i in self.maximal(np.flatnonzero(self.affordable(request)).tolist()):
            average = sample.average(candidates.domains[i].parts)
            found = highest_of(
                average, candidates.domains[i].box, self.streams.integer(number, f"search {i}")
            )
            if best is None or found.rank > best[0].rank:
                best = found, i
        assert best is not None, "ask() is only reached while some set is affordable"
        return self.play(Arm(best[1]), best[0].point, request)


class Random(CostVaryingMethod[Any]):
    """Play a uniformly drawn control set at uniformly drawn settings."""

    name: ClassVar[str] = "random"
    rule: ClassVar[str] = "every set and setting is drawn uniformly"

    @property
    def chooses_by_model(self) -> bool:
        """Return False: plays are drawn."""
        return False

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Draw an affordable set, and its settings."""
        draw = self.streams(self.history.next_round, "choose")
        i = int(draw.choice(np.flatnonzero(self.affordable(request))))
        unit = draw.random((1, len(self.search_space.sets[i])))
        point = self.search_space.placed(Arm(i), request.get(SEEN.name, {}), unit)
        return self.play(Arm(i), point, request)
