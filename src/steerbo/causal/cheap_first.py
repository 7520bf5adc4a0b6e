"""Cheap first: the cheapest scope that may still be good enough, where actions and looks have prices.

Each round plays the cheapest scope whose upper bound lags behind the acceptable value by no more
than its next play may teach (see `bandit.cheapest_sufficient`). Scopes with the same actions share
one model, see `causal._policy_value`. This needs the contexts that a scope does not look at to be
measured afterwards. Where they are not, or are affected by its actions, a scope learns from its own
plays alone, and such contexts are noise to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from .._arrays import Float
from .._evidence import BOUND
from .._wording import spread_step
from ..bandit import ArmBounds, cheapest_sufficient, needs_initial_plays, underexplored
from ..core import (
    TIME,
    Choice,
    Problem,
    Reason,
    Result,
    Round,
    Suggestion,
    bound_reason,
    context_of,
    good_enough,
    read_note,
    reason,
)
from ..core.tolerance import UNSTATED
from ..gp import Averaged
from ..records import record
from ..surrogate import STARTING_POINTS, ProductKernelPosterior
from ._acting import PolicyOptimiser
from ._arms import Arm, Unmeasured, share_columns, unmeasured
from ._contexts import MOST_ROWS, ContextSample, subsample
from ._costs import ActionCost
from ._feasibility import ArmFeasibility
from ._policy_value import (
    ROWS,
    CostedValue,
    Policy,
    PolicyValue,
    fitted_at,
    most_feasible,
    policy_table,
    value_of,
)
from .identification.enumeration import found_scopes
from .identification.scopes import ScopesFound, together
from .method import CausalMethod, Said
from .models import ArmModel, CausalOptions, Posterior, Wanted
from .problem import Causal

_TABLE = 16  # contexts that a policy's table is chosen from


@record
class CheapOptions(CausalOptions):
    """Options of cheap-first; without `initial`, twice as many random plays as a model has columns and one more.

    Args:
        patience: κ, the share of the information in a play that a cheap scope is credited with.
        alike: scopes whose prices differ by no more than this factor count as equally cheap. 1:
            only equal prices do.
    """

    patience: float = Field(1.0, ge=0, allow_inf_nan=False)
    alike: float = Field(1.0, ge=1, allow_inf_nan=False)


class CheapFirst(CausalMethod[CheapOptions]):
    """Play the cheapest scope that may still turn out to be good enough, where actions and looks have prices (ours)."""

    name: ClassVar[str] = "cheap-first"
    Options = CheapOptions

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Whether there are prices."""
        return isinstance(problem, Causal) and problem.prices is not None

    def scopes(self) -> ScopesFound:
        """Scopes that are worth their price."""
        problem = self.problem
        return together(found_scopes(each, prices=problem.prices) for each in problem.every_graph)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Describe every scope with its price."""
        return (
            *super().describe(),
            *(
                ("scope", f"set {arm.scope}; {self.costs.text(arm.scope)}")
                for arm in self.arms
                if self.problem.prices
            ),
        )

    def _sharing(self, results: Sequence[Result]) -> Unmeasured:
        """Contexts that are not measured."""
        told = (each.played for each in results if each.played is not None)
        return unmeasured(told, self.problem.graph.contexts or ())

    def _with_columns(self, sharing: Unmeasured) -> list[Arm]:
        """Let arms share models where contexts are measured."""
        return share_columns(self._possible, sharing)

    def needed(self, i: int) -> int:
        """Plays of the model of arm `i` before it counts."""
        columns, initial = len(self.arms[i].actions + self.arms[i].measured), self.options.initial
        return max(2 * (1 + columns), self._least_plays) if initial is None else initial

    # -- choosing ----------------------------------------------------------------------------------

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose initial plays of every model at its cheapest arm; then the cheapest arm that may be enough."""
        if (today := self.todays_play(request)) is not None:
            return today
        some, known = self.costs.affordable().tolist(), context_of(request)
        if limited := any(learned.models for learned in self.feasibility.learned):
            some, values, policies = most_feasible(some, *self._values(some, known))
        if (initial := self._initial_play(some)) is not None:
            return self.play(initial, request, {"phase": "first plays"})
        root, patience = math.sqrt(self.options.beta), self.options.patience
        if not limited:
            some, values, policies = most_feasible(some, *self._values(some, known))
        highest = float(self._upper(some, values).max())
        least = min(self._acceptable(highest, known), highest)

        def width(value: CostedValue, policy: PolicyValue) -> float:
            return root * policy.model.scale * value.spread

        def thrifty(policy: PolicyValue, found: CostedValue) -> CostedValue:
            """Spend no more than is enough, where prices depend on settings."""
            if policy.cost is None:
                return found
            return policy.cheapest(
                root, ROWS, lambda o: o.bound + patience * width(o, policy) >= least
            )

        values = [thrifty(policy, found) for policy, found in zip(policies, values, strict=True)]
        upper, prices = self._upper(some, values), np.array([each.price for each in values])
        widths = np.array(
            [width(each, policy) for each, policy in zip(values, policies, strict=True)]
        )
        told = np.array([len(policy.model) > 0 for policy in policies])
        likely = self.feasibility.success_probabilities[some]
        widths *= np.where(told, likely, likely == 1.0)  # failures alone teach nothing
        best = cheapest_sufficient(
            ArmBounds(upper),
            prices,
            least,
            lambda arms: widths[np.asarray(arms)],
            patience,
            alike=self.options.alike,
        )
        found = dict(zip(some, upper.tolist(), strict=True))
        at_best = [
            self.problem.sign * found[i] if i in found else None for i in range(len(self.arms))
        ]
        note: dict[str, Any] = {
            "phase": "cheap first",
            "upper": at_best,
            "width": float(widths[best.arm]),
        }
        if math.isfinite(least):
            note["least"] = self.problem.sign * least
        if (rate := values[best.arm].rate) > 0:
            note["rate"] = rate  # value that a unit of money must bring
        return self.play(some[best.arm], request, note)

    def _initial_play(self, some: Sequence[int]) -> int | None:
        """Cheapest arm of a model with too few outcomes, or of the least played while none has any; else None."""
        models = self.models
        classes = list(dict.fromkeys(models.model_of[i] for i in some))
        plays = np.bincount(models.model_of, self.plays)[classes].astype(int)
        prices = self.costs.minima
        first_of = [
            min((i for i in some if models.model_of[i] == c), key=lambda i: prices[i])
            for c in classes
        ]
        told = np.array([len(models.regressions[c]) for c in classes])
        first = needs_initial_plays(plays, told, np.array([self.needed(i) for i in first_of]))
        if first is None and not told.any():  # all have failed: the next play may be of any
            first = int(plays.argmin())
        if first is None:
            counting = self.feasibility.counted_plays(self.plays)
            plays = np.array([counting[np.array(models.model_of) == c].sum() for c in classes])
            first = underexplored(
                plays,
                likely=np.array([self.feasibility.learned[c].failures.chance for c in classes]),
            )
        return None if first is None else first_of[first]

    def model_to_play(self, i: int, number: int) -> ArmModel:
        """Model of arm `i` that round `number` is played by: with a draw of its hyperparameters."""
        return self.models[i].member(self.streams.integer(number, "hyperparameters"))

    # -- values of policies ------------------------------------------------------------------------

    def policy_values(
        self,
        some: Iterable[int],
        known: Mapping[str, Any],
        *,
        choosing: bool = False,
    ) -> Iterator[PolicyValue]:
        """Values of arms' policies, given values known before choosing, and the time.

        Args:
            some: the arms.
            known: values known before choosing, and the time if effects change with it.
            choosing: whether they are for the next round's choice, by a draw of the
                hyperparameters, in which pending rounds shrink variances, and not for an answer.
        """
        seen = self._seen_in(known)
        when = {TIME.name: known[TIME.name]} if self.problem.timed else {}
        of_model: dict[int, tuple[Posterior, np.ndarray, list[ProductKernelPosterior]]] = {}
        contexts: dict[int, ContextSample] = {}
        for i in some:
            arm, k = self.arms[i], self.models.model_of[i]
            if k not in of_model:
                points, now = self.pending_points(i, None), when.get(TIME.name)
                points = points if choosing else points[:0]
                model: Posterior = (
                    self.model_to_play(i, self.history.next_round)
                    if choosing
                    else self.model_to_answer(i)
                )
                members = model.members if isinstance(model, Averaged) else (model,)
                posteriors = (
                    ProductKernelPosterior.of_each(members, points, now) if arm.space else []
                )
                of_model[k] = model, points, posteriors
            own = i if arm.affected else -1 - k  # an arm that affects contexts has its own sample
            if own not in contexts:
                contexts[own] = ContextSample.of(arm, self.history, seen)
            model, pending, posteriors = of_model[k]
            yield PolicyValue(
                arm,
                model,
                pending,
                posteriors,
                contexts[own],
                when,
                self.costs.of_actions(i, seen),
                self.costs.fixed(i, seen),
                self.within_reach(i),
                not choosing,
                self.affected_contexts(i),
            )

    def _seen_in(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Values of variables known before choosing, without the time."""
        return {name: value for name, value in known.items() if name in self.known}

    def _values(
        self, some: Iterable[int], known: Mapping[str, Any]
    ) -> tuple[list[CostedValue], list[PolicyValue]]:
        """Upper bounds of arms in the next round, over the latest contexts, and the values of their policies."""
        policies = list(self.policy_values(some, known, choosing=True))
        return [each.at_rate(math.sqrt(self.options.beta), ROWS) for each in policies], policies

    def _upper(self, some: Sequence[int], values: Sequence[CostedValue]) -> Float[np.ndarray, " k"]:
        """Upper bounds of arms with failures counted; without a scale they are infinite."""
        uncertain, scaled = self.feasibility.success_probabilities < 1.0, self.scaled
        unknown = [uncertain[i] and not scaled[i] for i in some]
        return self.feasibility.expected(
            np.where(unknown, np.inf, [each.bound for each in values]), some
        )

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """Say how far the play's scope may reach beside dearer ones."""
        if "upper" not in asked.note:
            return super().why(asked)
        said = read_note(Said, asked.note)
        played, scopes = self._number[asked.scope], [arm.scope for arm in self.arms]
        found = bound_reason(
            played,
            scopes,
            said.upper,
            self.costs.minima.tolist(),
            minimize=self.problem.minimize,
            least=said.least,
            width=said.width,
        )
        return [] if found is None else [found]

    def _acceptable(self, best: float, known: Mapping[str, Any]) -> float:
        """Least acceptable value at this time, in units of `sign · value`."""
        tolerance = self.problem.tolerance or UNSTATED
        if not (told := [model for model in self.models.regressions if len(model)]):
            return -math.inf  # without an outcome everything may do
        now = known.get(TIME.name)
        worst = min(float(model.unstandardise(fitted_at(model, now)).min()) for model in told)
        # answers average over hyperparameters, so that the best may lie below the mean at all data
        return tolerance.acceptable(best, min(worst, best), self.problem.sign)

    # -- deciding ----------------------------------------------------------------------------------

    def optimiser(
        self,
        i: int,
        model: Wanted,
        cost: ActionCost | None,
        feasibility: ArmFeasibility,
    ) -> PolicyOptimiser:
        """Optimiser of the actions of arm `i`, which draws unknown contexts given the known ones."""
        arm = self.arms[i]
        if (affected := self.affected_contexts(i)) is not None:
            return PolicyOptimiser(arm, model, cost, feasibility, affected=affected)
        return PolicyOptimiser(
            arm, model, cost, feasibility, ContextSample.of(arm, self.history, {})
        )

    def pending_points(self, i: int, but: str | None) -> np.ndarray:
        """See `CausalMethod.pending_points`; contexts that are not measured yet are drawn by a key of the round."""

        def impute(played: Round, arm: Arm, known: Mapping[str, Any]) -> dict[str, Any]:
            sample, space = ContextSample.of(arm, self.history, {}), arm.problem_space
            seen = [j for j, name in enumerate(arm.measured) if name in known]
            missing = [j for j in range(len(arm.measured)) if j not in seen]
            at = (
                space.subset([arm.measured[j] for j in seen]).encode([known])[0]
                if seen
                else np.zeros(0)
            )
            row = sample.draw(seen, at, self.streams(played.number, "imagined").random())
            return space.subset([arm.measured[j] for j in missing]).decode(row[None, missing])[0]

        return self.models.pending_points(
            self.history.unresolved, self.models.model_of[i], but, impute
        )

    # -- answers -----------------------------------------------------------------------------------

    def cases(self, i: int, known: Mapping[str, Any]) -> list[dict[str, Any]]:
        """See `CausalMethod.cases`; with contexts that arm `i` does not look at."""
        arm, when = self.arms[i], {TIME.name: known[TIME.name]} if self.problem.timed else {}
        if not arm.measured:
            return [when]
        points = ContextSample.of(arm, self.history, self._seen_in(known)).points[:ROWS]
        return [{**row, **when} for row in self.problem.space.subset(arm.measured).decode(points)]

    def expected_at(self, i: int, values: Mapping[str, Any], context: Mapping[str, Any]) -> Policy:
        """See `CausalMethod.expected_at`; contexts that are not known are those that go with the known ones."""
        found = super().expected_at(i, values, context)
        if found.mean is None or self.affected_contexts(i) is not None:
            return found
        mean, sd = self.value_at(i, {**context, **values})
        mean *= self.problem.sign
        return replace(found, mean=mean, lower=mean - BOUND * sd, upper=mean + BOUND * sd)

    def value_at(self, i: int, known: Mapping[str, Any]) -> tuple[float, float]:
        """See `CausalMethod.value_at`; on average over contexts that arm `i` does not look at, given known values."""
        arm, space = self.arms[i], self.problem.space
        drawn = [j for j, name in enumerate(arm.measured) if name not in known]
        if not drawn:
            return super().value_at(i, known)
        looked = [j for j in range(len(arm.measured)) if j not in drawn]
        at = (
            space.subset([arm.measured[j] for j in looked]).encode([known])[0]
            if looked
            else np.zeros(0)
        )
        sample = ContextSample.of(arm, self.history, self._seen_in(known))
        law = subsample(sample.conditional(looked, at, drawn), sample.categorical[drawn])
        contexts = np.empty((len(law.weights), len(arm.measured)))
        contexts[:, looked], contexts[:, drawn] = at, law.points
        actions = space.subset(arm.actions).encode([known])[0] if arm.actions else np.zeros(0)
        rows = np.hstack([np.tile(actions, (len(contexts), 1)), contexts])
        if self.problem.timed:
            rows = np.append(rows, np.full((len(rows), 1), known[TIME.name]), axis=1)
        return value_of(self.model_to_answer(i), rows, law.weights)

    def ranked(self, known: Mapping[str, Any]) -> list[tuple[int, Policy]]:
        """The cheapest arm that is good enough, then the others by price.

        Args:
            known: values known before choosing, and the time if effects change with it.
        """
        every = list(self.policy_values(range(len(self.arms)), known))
        sign = self.problem.sign
        if not any(len(each.model) for each in every):
            return [(i, Policy.unknown(arm.scope)) for i, arm in enumerate(self.arms)]
        best = [each.at_rate(0.0, MOST_ROWS) if len(each.model) else None for each in every]
        answers = [self._answer(i, each, best[i], known) for i, each in enumerate(every)]
        infeasible = min(each.infeasible for each in best if each is not None)

        def expected() -> Float[np.ndarray, " m"]:
            """Values of the answers; of arms without outcomes, or less feasible than the most feasible one, −∞."""
            return self.feasibility.expected(
                np.array(
                    [
                        -np.inf
                        if each is None or each.infeasible > infeasible or answer.mean is None
                        else sign * answer.mean
                        for each, answer in zip(best, answers, strict=True)
                    ]
                )
            )

        means = expected()
        wanted = self._acceptable(float(means.max()), known)
        least = min(wanted, float(means.max()))
        good = [i for i in range(len(means)) if means[i] >= least]
        for i in good:  # where prices depend on settings, no more is spent than is enough
            if every[i].cost is not None:
                dearer = best[i], answers[i]
                best[i] = every[i].cheapest(0.0, MOST_ROWS, lambda found: found.bound >= least)
                answers[i] = self._answer(i, every[i], best[i], known)
                if expected()[i] < least:  # its settings lie beside those that were compared
                    best[i], answers[i] = dearer
        means = expected()
        prices = [
            least_price if answer.cost is None else answer.cost
            for least_price, answer in zip(self.costs.minima, answers, strict=True)
        ]
        chosen = min(good, key=lambda i: (prices[i], -means[i]))
        others = sorted(
            (i for i in range(len(means)) if i != chosen), key=lambda i: (prices[i], -means[i])
        )
        names = [str(self.arms[i].scope) for i in good] if wanted == least else []
        step = spread_step([answers[chosen].lower, answers[chosen].upper])
        reasons = [good_enough(sign * wanted, self.problem.minimize, names, step)]
        if infeasible:
            reasons.append(reason("none-keeps"))
        arm, table = self.arms[chosen], None
        if set(arm.contexts) - set(known):
            points = ContextSample.of(arm, self.history, self._seen_in(known)).points[:_TABLE]
            contexts = self.problem.space.subset(arm.measured).decode(points)
            act, affected = answers[chosen].act, self.affected_contexts(chosen)
            contexts = contexts if affected is None else affected.met(contexts, act.best)
            table = policy_table(arm, lambda k: act(contexts[k]), contexts)
        return [
            (chosen, replace(answers[chosen], reasons=tuple(reasons), table=table)),
            *((i, answers[i]) for i in others),
        ]

    def _answer(
        self,
        i: int,
        value: PolicyValue,
        found: CostedValue | None,
        known: Mapping[str, Any],
    ) -> Policy:
        """Recommendation of an arm: its policy, with the average outcome to expect.

        Of a policy that looks at something it is that of the actions that the search compared; of
        settings it is their own, as `predict` says it.
        """
        arm, sign = self.arms[i], self.problem.sign
        if found is None:
            return Policy.unknown(arm.scope)
        mean, sd = sign * found.bound, value.deviation(found)
        act = self.greedy(i, known, found.rate)
        cost = found.price if self.problem.prices is not None else None
        reasons = (reason("none-keeps"),) if found.infeasible else ()
        policy = Policy(
            arm.scope, {}, mean, mean - BOUND * sd, mean + BOUND * sd, cost, reasons, act=act
        )
        if set(arm.contexts) - set(known):
            return policy
        at = self.expected_at(i, values := act(known), known)
        about = {name: getattr(at, name) for name in ("mean", "lower", "upper")}
        return replace(policy, values=values, cost=None if cost is None else at.cost, **about)

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """Upper bound of the recommended policy's shortfall from the acceptable value, or of a cheaper one above it.

        Infinite as long as an arm's initial plays are not complete, or its outcomes have no scale,
        or those of the recommended one are few. Arms of which hardly any play has worked are not
        waited for.
        """
        if not (judged := self.judged.tolist()):
            return math.inf
        policies = list(self.policy_values(judged, context))
        some, values, policies = most_feasible(
            judged, [each.at_rate(BOUND, ROWS) for each in policies], policies
        )
        out = {*judged} - {*some}
        if self._initial_play([i for i in range(len(self.arms)) if i not in out]) is not None:
            return math.inf
        (chosen, best), *_ = self._ranking(context)
        if best.says("none-keeps") or len(self.models[chosen]) < STARTING_POINTS:
            return math.inf
        highest = float(self._upper(some, values).max())
        assert best.cost is not None or self.problem.prices is None
        assert best.mean is not None
        assert best.upper is not None
        sure = self.problem.sign * best.mean - (best.upper - best.mean)
        wanted = min(highest, self._acceptable(highest, context))
        cost = float(self.costs.minima[chosen]) if best.cost is None else best.cost
        below = [each.largest_below(BOUND, cost) for each in policies]
        return float(
            max([wanted - sure, *(bound - wanted for bound in below if bound is not None)])
        )

    def indices(self) -> dict[str, list[Any]]:
        """Price of every arm, and its upper bound in the next round."""
        known, prices = list[Any]([None] * len(self.arms)), self.costs.minima.tolist()
        some = [i for i in range(len(self.arms)) if len(self.models[i])]
        values, _ = self._values(some, self._present_context())
        for i, each in zip(some, values, strict=True):
            known[i], prices[i] = self.problem.sign * each.bound, each.price
        return {"price": prices, "at best, next round": known}
