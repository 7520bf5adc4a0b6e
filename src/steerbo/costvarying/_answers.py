"""Answers of the wing's methods: the best of each control set, the recommended one, and what may still be gained.

All are read off the posterior of the outcomes as they stand, under every draw of the
hyperparameters; rounds that are still out do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._arrays import Float, Int
from .._evidence import BOUND
from .._wording import spread_step
from ..core import (
    TIME,
    Reason,
    Recommendation,
    Scope,
    good_enough,
    now,
    reason,
)
from ..optim import Maximum
from ..surrogate import (
    HELD,
    STARTING_POINTS,
    SURE,
    Mixture,
    ProductKernelPosterior,
    Search,
    gain_between,
    highest_of,
)
from ._costs import CostModel
from ._surrogate import Surrogate
from ._today import Today
from .search_space import Arm, Candidates


class Answers:
    """Recommendations, predictions and the gain that is still possible, by the outcomes as they stand.

    Args:
        surrogate: posterior of `sign · value`, and feasibility.
        costs: of plays.
        today: today's settings.
        keeps_limits: whether a scope's settings keep the limits in a context.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        costs: CostModel,
        today: Today,
        keeps_limits: Callable[[Scope, Mapping[str, Any], Mapping[str, Any]], bool],
    ) -> None:
        self.surrogate, self.costs, self.today = surrogate, costs, today
        self.keeps_limits = keeps_limits
        self.problem, self.search_space = surrogate.problem, surrogate.search_space
        self.history, self.streams = surrogate.history, surrogate.streams

    def candidates(
        self,
        context: Mapping[str, Any],
        *,
        staying: bool = False,
        near: bool = False,
        as_in: Candidates | None = None,
    ) -> Candidates:
        """Build the arms of an answer, which rests on every draw of the hyperparameters.

        Bounds count the uncertainty of laws from rows of data.

        Args:
            context: values by name, with the time where the objective drifts.
            staying: whether arms are added that keep hard-to-change variables in place, or near it.
            near: whether settings are to be within reach of today's, as plays are.
            as_in: candidates in another context at the same time, whose posteriors these share.
        """
        problem, model = self.problem, self.surrogate.model
        time = context.get(TIME.name, now(self.history)) if problem.timed else None
        nothing = np.empty((0, len(self.search_space.columns)))
        if as_in is None:
            posterior = ProductKernelPosterior.of(model, nothing, time)
            posteriors = ProductKernelPosterior.of_each(model.members, nothing, time)
        else:
            posterior, posteriors = as_in.posterior, [*as_in.posteriors]
        return self.search_space.candidates(
            posterior,
            {name: value for name, value in context.items() if name in problem.space},
            partial(self.surrogate.feasible, self.surrogate.feasibility.for_answers),
            self.search_space.nature.for_answers,
            positions=problem.keepable_positions(self.history) if staying else None,
            time=time,
            posteriors=posteriors,
            reach=self.today.reach(context, time) if near else None,
        )

    def recommend(self, contexts: Sequence[Mapping[str, Any]]) -> Iterator[Recommendation]:
        """Answer in each of some contexts at one time: their searches are made together, as far as memory allows."""
        while contexts:
            first = self.candidates(contexts[0])
            numbers = first.posterior.inputs.size * max(1, len(first.posteriors)) * len(first.arms)
            some = max(1, HELD // max(1, numbers))
            every = [
                first,
                *(self.candidates(context, as_in=first) for context in contexts[1:some]),
            ]
            found = zip(contexts[:some], every, self._searches(every), strict=True)
            yield from (self._recommended(*each) for each in found)
            contexts = contexts[some:]

    def _searches(self, every: Sequence[Candidates]) -> list[list[Search[Mixture]] | None]:
        """`Candidates.searches`; None where costs depend on settings: what is highest is not the expected value."""
        if self.costs.of_settings.active:
            return [None] * len(every)
        return [*Candidates.searches(every, self._seed)]

    def _recommended(
        self,
        context: Mapping[str, Any],
        candidates: Candidates,
        searches: list[Search[Mixture]] | None,
    ) -> Recommendation:
        """Recommend the cheapest acceptable control set at its best settings, by posterior means.

        Bounds are quantiles of the posterior of the expected value, a mixture over draws of the
        hyperparameters. Where no set is acceptable, as with a threshold out of reach, the best one
        is recommended; where money and value share a unit, the one with the largest net value; the
        `current` values where they are good enough and cost no more.
        """
        sign = self.problem.sign
        costs = self.costs.means()
        rows, least, good, chosen = self._judge(candidates, searches)
        others = [row for i, row in enumerate(rows) if i != chosen]
        others.sort(key=lambda row: np.inf if row.cost is None else row.cost)
        best, worth = rows[chosen], self.problem.value_of_one
        stay: Recommendation | None = None
        if self.problem.current is not None:
            arm = Arm(self.today.control_set)
            point = self.search_space.point(arm.set, self.today.settings(context))
            stay = self.described(candidates, arm, point, candidates.mixture(arm.set))
            fit = self._works(candidates, arm, point)
            fit = fit and self.keeps_limits(stay.scope, stay.values, context)
        if (
            stay is not None
            and fit
            and not best.says("none-keeps")
            and self._good_enough(candidates, stay, best, least)
        ):
            others = [row for row in (*others, best) if row.scope != stay.scope]
            return replace(stay, reasons=(reason("stay"),), alternatives=tuple(others))
        reasons = list(best.reasons)
        if not reasons:
            shown = np.array([sign * (row.mean or 0.0) - self._price_in_value(row) for row in rows])
            level = least if worth is None else float(shown[chosen])
            # sets that are expected to give as much, but may fail or break a limit
            counted = bool((np.delete(shown, good) > level).any())
            if worth is not None:
                about = {"value": worth * level, "sets": len(rows), "counted": counted}
                reasons.append(reason("largest-net-value", **about))
            else:
                names = [str(self.problem.scopes[int(i)]) for i in good]
                step = spread_step([best.lower, best.upper])
                level = sign * least
                reasons.append(
                    good_enough(level, self.problem.minimize, names, step, counted=counted)
                )
        reasons += self._unknown_costs(costs)
        if stay is not None:
            reasons.append(gain_between(best, stay, sign, worth))
            reasons += [] if fit else [reason("today-unfit")]
        return replace(best, reasons=tuple(reasons), alternatives=tuple(others))

    def predict(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected value of a control set at these settings; the others are left to nature."""
        candidates = self.candidates(context)
        i = self.problem.number(Scope([*values]))
        return self.described(
            candidates, Arm(i), self.search_space.point(i, values), candidates.mixture(i)
        )

    def _judge(
        self, candidates: Candidates, searches: Sequence[Search[Mixture]] | None
    ) -> tuple[list[Recommendation], float, Int[np.ndarray, " k"], int]:
        """Compare the control sets at their best settings.

        Within limits on outcomes one climb finds the settings of sets that cannot be acceptable.

        Returns:
            The best of every set, the least acceptable value (net of cost where that has a price)
            in units of `sign · value`, the acceptable sets, and the recommended one.
        """
        if searches is None:
            ends = [self.best(candidates, i, self._seed) for i in range(len(self.costs.means()))]
            every = enumerate(ends)
            return self._compared(
                candidates, [self._of_set(candidates, i, *end) for i, end in every]
            )
        both = [
            self._of_set(candidates, i, each.briefly(), each.function.of_mean())
            for i, each in enumerate(searches)
        ]
        compared = self._compared(candidates, both)
        _, least, _, _ = compared
        longer = False
        for i, each in enumerate(searches):
            if each.may_be_brief and self._may_reach(candidates, i, each, both[i], least):
                both[i] = self._of_set(candidates, i, each.highest(), each.function.of_mean())
                longer = True
        return self._compared(candidates, both) if longer else compared

    def _may_reach(
        self,
        candidates: Candidates,
        i: int,
        search: Search[Mixture],
        best: tuple[Recommendation, Maximum],
        least: float,
    ) -> bool:
        """Whether more climbs may find settings of a set, which keep the limits, that are acceptable."""
        row, found = best
        if not found.likely:
            return False
        most = np.array([self.surrogate.unstandardised(search.without_limits.value)])
        most = self.surrogate.with_failure(most, candidates, [i])
        return bool(most[0] - self._price_in_value(row) >= least)

    def _compared(
        self, candidates: Candidates, both: Sequence[tuple[Recommendation, Maximum]]
    ) -> tuple[list[Recommendation], float, Int[np.ndarray, " k"], int]:
        """`_judge` by what was found of each set."""
        sign, costs = self.problem.sign, self.costs.means()
        rows, found = [row for row, _ in both], [one for _, one in both]
        means = np.array([sign * (row.mean or 0.0) for row in rows])
        # infeasible settings are no answer, unless all are: then the likeliest, at any price
        if self.surrogate.feasibility.active:
            kept = np.array([one.likely for one in found])
            if not kept.any():
                chosen = max(range(len(found)), key=lambda i: found[i].rank)
                return rows, float(means[chosen]), np.array([chosen]), chosen
            means = np.where(kept, means, -np.inf)
            means = self.surrogate.with_failure(means, candidates, range(len(means)))
        if self.problem.value_of_one is not None:
            nets = means - [self._price_in_value(row) for row in rows]
            chosen = int(nets.argmax())
            return rows, float(nets[chosen]), np.array([chosen]), chosen
        least = self.surrogate.acceptable(float(means.max()), candidates.known)
        good = np.flatnonzero(means >= least)
        known = np.where(np.isnan(costs), np.inf, costs)
        among: list[int] = good.tolist() or [int(means.argmax())]  # out of reach: the best
        return rows, least, good, min(among, key=lambda i: (known[i], -means[i]))

    @property
    def _seed(self) -> int:
        """Seed of searches for answers: the same points are tried in all sets of as many variables."""
        return self.streams.integer(0, "recommend")

    def _of_set(
        self, candidates: Candidates, i: int, found: Maximum, mixture: Mixture
    ) -> tuple[Recommendation, Maximum]:
        """Best settings of a control set, and what the search found, in standardised units."""
        reasons = () if found.likely else (reason("none-keeps"),)
        return self.described(candidates, Arm(i), found.point, mixture, reasons), found

    def best(
        self, candidates: Candidates, a: int, seed: int, beta: float = 0.0
    ) -> tuple[Maximum, Mixture]:
        """Maximise `m + β √v` of an arm, by the mixture of its expected value; net, where costs depend on settings."""
        mixture, domain = candidates.mixture(a, beta), candidates.domains[a]
        if not self.costs.of_settings.active:
            return highest_of(mixture, domain.box, seed), mixture
        i, scale = candidates.arms[a].set, self.surrogate.model.scale
        net = self.costs.of_settings.net(mixture, i, domain.parts, scale, beta)
        return highest_of(net, domain.box, seed), mixture

    def _price_in_value(self, row: Recommendation) -> float:
        """Cost of an answer in units of the objective; 0 where it, or its worth, is unknown."""
        worth = self.problem.value_of_one
        return 0.0 if worth is None else (row.cost or 0.0) / worth

    def described(
        self,
        candidates: Candidates,
        arm: Arm,
        point: Float[np.ndarray, " c"],
        mixture: Mixture,
        reasons: tuple[Reason, ...] = (),
    ) -> Recommendation:
        """Expected value of an arm's point, with its bounds and cost."""
        sign = self.problem.sign
        cost = self.costs.at(arm.set, point, lambda: candidates.domains[arm.set].parts)
        mean, ends = mixture.mean_and_quantiles(point, (1.0 - SURE, SURE))
        lower, upper = sorted(sign * self.surrogate.unstandardised(end) for end in ends)
        return Recommendation(
            self.problem.scopes[arm.set],
            self.search_space.settings(arm, point),
            sign * self.surrogate.unstandardised(mean),
            lower,
            upper,
            cost,
            reasons,
        )

    def _works(self, candidates: Candidates, arm: Arm, point: Float[np.ndarray, " c"]) -> bool:
        """Whether a point is as likely to work as an answer must be."""
        parts, scope = candidates.domains[arm.set].parts, self.search_space.controls(arm.set)
        margin = self.surrogate.feasibility.for_answers.margin(parts, outcomes=False, scope=scope)
        return margin is None or bool(margin(point[None])[0] >= 0.0)

    def _good_enough(
        self, candidates: Candidates, stay: Recommendation, best: Recommendation, least: float
    ) -> bool:
        """Whether to stay is acceptable and no dearer; `least` is of the value, or of the net value."""
        assert stay.mean is not None
        mean = np.array([self.problem.sign * stay.mean])
        value = float(self.surrogate.with_failure(mean, candidates, [self.today.control_set])[0])
        if (worth := self.problem.value_of_one) is not None:
            return value - (stay.cost or 0.0) / worth >= least
        dearer = stay.cost is not None and best.cost is not None and stay.cost > best.cost
        return value >= least and not dearer

    def _unknown_costs(self, costs: Float[np.ndarray, " m"]) -> list[Reason]:
        """Name the control sets whose costs are unknown, if any; none by name where all are."""
        names = [str(self.problem.scopes[int(i)]) for i in np.flatnonzero(np.isnan(costs))]
        if not names:
            return []
        return [reason("unknown-cost", scopes=[] if len(names) == len(costs) else names)]

    def gain(self, context: Mapping[str, Any]) -> float:
        """Upper bound on the possible gain, in units of value (net of cost, where that has a price).

        The larger of two numbers: by how much the recommended set may fall short of acceptable,
        where another set reaches its upper bound; and by how much a cheaper set may yet exceed the
        least acceptable value. Where it is compared with the cost of one play, every choice counts
        less the cost of switching to it. Where today's settings are told all of these are of
        settings within reach of them, as plays are.
        """
        widening = self.surrogate.drift.widening
        if len(self.surrogate.model) < STARTING_POINTS or not widening < np.inf:
            return np.inf
        switching = self.history.stop == "enough" and bool(self.problem.space.changes)
        candidates = self.candidates(context, staying=switching, near=True)
        sign, costs = self.problem.sign, self.costs.means()
        rows, least, _, chosen = self._judge(candidates, *self._searches([candidates]))
        best, every = rows[chosen], range(len(rows))
        if best.says("none-keeps"):
            return np.inf
        seed = self.streams.integer(0, "gain")
        width = BOUND * widening
        found = [self.best(candidates, a, seed, width)[0] for a in range(len(candidates.arms))]
        sets = [arm.set for arm in candidates.arms]
        upper = self.surrogate.with_failure(
            np.array([self.surrogate.unstandardised(one.value) for one in found]), candidates, sets
        )
        if switching:
            best, least = self._in_reach(candidates, chosen, best, least)
            reached = zip(candidates.arms, found, strict=True)
            values = (self.search_space.settings(arm, one.point) for arm, one in reached)
            upper -= [self._switching_in_value(each) for each in values]
        upper = np.array([upper[np.equal(sets, i)].max() for i in every])
        assert best.mean is not None
        assert best.lower is not None
        assert best.upper is not None
        mean = sign * best.mean
        lower = mean - widening * (mean - min(sign * best.lower, sign * best.upper))
        if self.problem.value_of_one is not None:
            if not self.costs.of_settings.active:  # else they are net already
                upper = upper - self.costs.in_value()
            return float(upper.max() - (lower - self._price_in_value(best)))
        highest = float(upper.max())
        wanted = min(highest, self.surrogate.acceptable(highest, candidates.known))
        cheaper = [upper[i] - least for i in every if i != chosen and not costs[i] >= costs[chosen]]
        return float(max([wanted - lower, *cheaper]))

    def _in_reach(
        self,
        candidates: Candidates,
        chosen: int,
        best: Recommendation,
        least: float,
    ) -> tuple[Recommendation, float]:
        """The recommended set's best answer less the cost of switching to it, and the least acceptable value beside it.

        That may be to stay, where that is nearly as good.
        """
        sign = self.problem.sign
        rows = [best]
        for a, arm in enumerate(candidates.arms):
            if arm.set == chosen and not arm.whole:
                mixture = candidates.mixture(a)
                found = highest_of(mixture, candidates.domains[a].box, self._seed)
                if found.likely:
                    rows.append(self.described(candidates, arm, found.point, mixture))
        paid = [sign * self._switching_in_value(row.values) for row in rows]
        nets = [
            replace(
                row,
                mean=(row.mean or 0.0) - s,
                lower=(row.lower or 0.0) - s,
                upper=(row.upper or 0.0) - s,
            )
            for row, s in zip(rows, paid, strict=True)
        ]
        reached = max(nets, key=lambda row: sign * (row.mean or 0.0))
        return reached, least - sign * ((best.mean or 0.0) - (reached.mean or 0.0))

    def _switching_in_value(self, values: Mapping[str, Any]) -> float:
        """Switching cost of setting values, in units of the objective: of money where their worth is not stated."""
        return (self.problem.change_cost(values, self.history) or 0.0) / (
            self.problem.value_of_one or 1.0
        )
