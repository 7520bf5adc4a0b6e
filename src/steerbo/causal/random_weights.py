"""Method `random-weights`: several outcomes of a causal problem, by a weight of each that is drawn every round.

Each outcome has the models that `coca-bo` has of the target. A round takes one unit of each further
outcome for so much of the value, by weights that are drawn, and plays the best scope (random
scalarisation, Paria, Kandasamy & Póczos 2020): scope and settings maximise the weighted sum of the
outcomes' upper bounds.

That a sum is enough is due to policies. They weigh outcomes anew in each context, so where contexts
vary without steps, the expected outcomes of policies are a convex set (Dvoretzky, Wald &
Wolfowitz 1951), and each policy that none betters in everything is the best by some weights. Where no
scope looks at anything, a round maximises the least of the outcomes' bounds, each as a weighed share
of its range (Golovin & Zhang 2020), since a trade-off of settings may bend inwards.

The scopes are those that are possibly optimal for any number made of all outcomes: see
`CausalGraph.joined`. The answer is a trade-off: the policies that are best by weights spread evenly, as
far as no other is expected to better them in everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._arrays import Float
from .._evidence import ALIKE, BOUND
from ..core import (
    Choice,
    ExpectedOutcome,
    Explanation,
    Reason,
    Suggestion,
    cached_until_next_event,
    horizon,
    read_note,
    reason,
)
from ..errors import InvalidStudy
from ..gp import Averaged
from ..optim import kronecker
from ..surrogate import (
    BEYOND,
    OUTCOMES_FIT,
    Trades,
    Units,
    answer_weights,
    on_sphere,
)
from ._policy_value import Policy, PolicyOf, recommended, value_of
from ._weighed import OfOutcome, Weighed
from .coca_bo import INDEX_WIDTH, CoCaBO, spread_of, young_value
from .method import Said
from .models import ArmModel, ArmModels, Wanted

_GRID = 16  # settings of each action among which the largest mean in a context is sought
Weights = Float[np.ndarray, " k"]
"""What one unit of each outcome is worth, in units of the value, whose own weight is 1; the larger each, the better."""


class _Found(NamedTuple):
    """A policy that is best by weights: its arm, and the outcomes that are expected of it, in shares of their range."""

    arm: int
    weights: Weights
    at: Float[np.ndarray, " k"]

    def apart(self, other: _Found) -> float:
        """Largest difference of an outcome."""
        return float(np.abs(self.at - other.at).max())


class RandomWeights(Trades, CoCaBO):
    """Several outcomes: play the best scope by weights that are drawn each round (Paria et al. 2020)."""

    name: ClassVar[str] = "random-weights"
    rule: ClassVar[str] = "weighed"

    # -- models ------------------------------------------------------------------------------------

    @cached_property
    def _others(self) -> dict[str, ArmModels]:
        """Models of the further outcomes, by name; arms have the same columns for ever."""
        return {
            name: ArmModels(
                self.arms,
                self.empty_model(),
                sign,
                OfOutcome(self.history, name),
                drift=self.problem.drift,
            )
            for name, sign in self.problem.traded.items()
        }

    @property
    def _every(self) -> list[ArmModels]:
        """Models of the value, and of each further outcome, in units in which larger is better."""
        return [self.models, *self._others.values()]

    def told(self, i: int) -> int:
        """Number of outcomes that arm `i` has of each kind, at least."""
        return min(len(models[i]) for models in self._every)

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        learned = dict(self.history.fits[-1].hyperparameters)
        further = learned.pop(OUTCOMES_FIT, {})
        self._check_learned(learned, ("models", "adjusters", "further"))
        for name, found in further.items():
            if name not in self._others:
                raise InvalidStudy("hyperparameters", name, "outcomes of the problem")
            self._check_learned(found, ("models", "adjusters"))
        self.feasibility.check_fit()
        for models in self._every:
            _ = models.rows

    def refit(self) -> Mapping[str, Any] | None:
        """Fit the models of all outcomes; those of the further ones stand under `OUTCOMES_FIT`."""
        found, until = super().refit(), partial(horizon, self.history)
        others = {name: models.refit(until) for name, models in self._others.items()}
        learned = {name: part for name, part in others.items() if part}
        return {**(found or {}), OUTCOMES_FIT: learned} if learned else found

    def outliers(self) -> Sequence[str]:
        """See `ArmModels.outliers`; of all outcomes."""
        return list(dict.fromkeys(name for each in self._every for name in each.outliers()))

    # -- weights -----------------------------------------------------------------------------------

    @cached_property
    def _looks(self) -> bool:
        """Whether a scope looks at something, so that policies weigh outcomes anew in each context."""
        return any(arm.contexts for arm in self.arms)

    def _shares(self, number: int) -> Float[np.ndarray, " k"]:
        """Weights of a round, of the range of each outcome."""
        return on_sphere(self.streams(number, "weights").standard_normal((1, len(self._every))))[0]

    def weights(self, number: int) -> Weights:
        """Weights of one unit of each outcome in a round: as logged, else as drawn."""
        for played in self.history:
            if played.number == number and (
                logged := read_note(Said, played.suggestion.note).weights
            ):
                return np.array([1.0, *(logged[name] for name in self.problem.traded)])
        return self._of_units(self._shares(number))

    def _of_units(self, shares: Float[np.ndarray, " k"]) -> Weights:
        """Weights of one unit of each outcome, by those of its range."""
        units = self._units()
        each = shares / (units.best - units.worst)
        return np.asarray(each / each[0])

    @cached_until_next_event
    def _units(self) -> Units:
        """Ends of each outcome among the policies that are best in one of them, of any scope."""
        spreads = np.array([spread_of(models.outcomes) or 1.0 for models in self._every])
        known, some = self._present_context(), self._informed
        ends = [
            self._best_of(some, known, shares / spreads)[1]
            for shares in on_sphere(np.eye(len(spreads)))
            if some
        ]
        return Units.of(np.array(ends)) if ends else Units(-spreads, np.zeros(len(spreads)))

    @property
    def _informed(self) -> list[int]:
        """Arms with outcomes of each kind."""
        return [i for i in range(len(self.arms)) if self.told(i)]

    def _best_of(
        self, some: Sequence[int], known: Mapping[str, Any], weights: Weights
    ) -> tuple[int, Float[np.ndarray, " k"]]:
        """Arm whose policy is best by a weighted sum, and the outcomes that are expected of it."""
        found = {i: self._expected(i, known, self._sum(i, weights)) for i in some}
        i = max(found, key=lambda i: float(weights @ found[i]))
        return i, found[i]

    def _expected(
        self, i: int, known: Mapping[str, Any], wanted: Wanted
    ) -> Float[np.ndarray, " k"]:
        """Outcomes that are expected of arm `i`'s policy that is best by a model, in its latest contexts."""
        points = self._under_policy(i, known, wanted)
        models = [each[i] for each in self._every]
        return np.array([float(m.unstandardise(m.means(points)).mean()) for m in models])

    def _under_policy(
        self, i: int, known: Mapping[str, Any], wanted: Wanted
    ) -> Float[np.ndarray, "r d"]:
        """Points of arm `i` in its latest contexts where the mean of a model is the largest, on a grid."""
        contexts, k = self.contexts(i, known), len(self.arms[i].actions)
        if (search := self.staged_search(i, wanted)) is not None:
            return search.under_policy(contexts)
        unit = kronecker(_GRID * k, k) if k else np.zeros((1, 0))
        grid = self.within_reach(i).grid(unit, contexts)
        best = grid.best(wanted.means(grid.flat).reshape(grid.rows.shape[:2]))
        return grid.rows[np.arange(len(best)), best]

    def _sum(self, i: int, weights: Weights) -> Weighed:
        return Weighed([models[i] for models in self._every], weights)

    def _of_round(
        self,
        models: Sequence[ArmModel | Averaged[Any]],
        number: int,
        root: float,
    ) -> Weighed:
        """Model of an arm that a round maximises: a weighted sum; without looks, the least bound of all."""
        if self._looks:
            return Weighed(models, self.weights(number), root)
        return Weighed(models, self._shares(number), root, self._units())

    # -- choosing ----------------------------------------------------------------------------------

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Draw weights, then choose as `coca-bo` does; weighted sums of bounds are of no use to a reader."""
        i, note = self._chosen(request)
        weights = self.weights(self.history.next_round)
        logged = dict(zip(self.problem.traded, weights[1:].tolist(), strict=True))
        return self.play(i, request, {"phase": note["phase"], "weights": logged})

    def model_to_play(self, i: int, number: int) -> Wanted:
        """Model that a round maximises, by the likeliest hyperparameters."""
        models = [models[i] for models in self._every]
        return self._of_round(models, number, math.sqrt(self.options.beta))

    def model_of_index(self, i: int) -> Weighed:
        """Model by which the next round is chosen."""
        models = [Averaged(models[i]) for models in self._every]
        return self._of_round(models, self.history.next_round, INDEX_WIDTH)

    def _young_value(self, i: int) -> float:
        weights = self.weights(self.history.next_round)
        each = [young_value(models[i].outcomes, models.outcomes) for models in self._every]
        return self._in_one(weights, np.array(each))

    def _with_failures(self, index: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        weights = self.weights(self.history.next_round)
        worst = np.array([float(models.outcomes.min(initial=np.inf)) for models in self._every])
        told = np.array([self._in_one(weights, worst)] if np.isfinite(worst).all() else [])
        return self.feasibility.expected(index, told=told)

    def _in_one(self, weights: Weights, outcomes: Float[np.ndarray, " k"]) -> float:
        """Outcomes as the number that the next round maximises."""
        if self._looks:
            return float(weights @ outcomes)
        units, shares = self._units(), self._shares(self.history.next_round)
        return float(((outcomes - units.worst) / (units.best - units.worst) / shares).min())

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """State the worth of one unit of each further outcome when the round was chosen."""
        said = read_note(Said, asked.note)
        if said.phase == "first plays" or not said.weights:
            return super().why(asked)
        return [
            reason("weighed", outcome=name, worth=worth) for name, worth in said.weights.items()
        ]

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with a positive weight of each further outcome."""
        super().read_logged(asked)
        weights = read_note(Said, asked.note).weights
        if weights and (
            weights.keys() != self.problem.traded.keys()
            or not all(0.0 < each < np.inf for each in weights.values())
        ):
            raise InvalidStudy(
                "note.weights", dict(weights), "a positive number for each further outcome"
            )

    # -- answers -----------------------------------------------------------------------------------

    def ranked(self, known: Mapping[str, Any]) -> list[tuple[int, Policy]]:
        """The middle of the trade-off with its scope, then the rest of it; without outcomes, all scopes.

        Args:
            known: the time, if effects change with it.
        """
        if not (some := self._informed):
            return [(i, Policy.unknown(arm.scope)) for i, arm in enumerate(self.arms)]
        some = self.most_feasible(some, known).tolist()
        best = self._by_sums if self._looks else self._by_least
        middle = self.middle([*best(some, known)])
        ordered = [replace(middle, alternatives=()), *middle.alternatives]
        if self._infeasible_share(some[0], known):
            ordered = [
                replace(each, reasons=(*each.reasons, reason("none-keeps"))) for each in ordered
            ]
        return [(self.models.number[each.scope], each) for each in ordered]  # type: ignore[misc]

    def _by_sums(self, some: Sequence[int], known: Mapping[str, Any]) -> Iterator[Policy]:
        """Policies that are best by weighted sums: of two outcomes by those that part the widest gap (Cohon 1978).

        The weights of a gap are the same for both of its ends, so that only something beyond the
        line between them is better.
        """
        k, units = len(self._every), self._units()

        def best(shares: Float[np.ndarray, " k"]) -> _Found:
            weights = self._of_units(shares)
            i, found = self._best_of(some, known, weights)
            return _Found(i, weights, (found - units.worst) / (units.best - units.worst))

        even = answer_weights(k)
        found = [best(shares) for shares in (even if k > 2 else even[[0, -1]])]
        gaps = [(found[0], found[1])] if k == 2 else []
        empty = list[tuple[_Found, _Found]]()
        while gaps and len(found) + len(empty) < len(even):
            first, last = gaps.pop(int(np.argmax([a.apart(b) for a, b in gaps])))
            between = best(on_sphere(np.abs(first.at - last.at)[None, ::-1])[0])
            if min(between.apart(first), between.apart(last)) > ALIKE:
                found.append(between)
                gaps += [(first, between), (between, last)]
            else:
                empty.append((first, last))
        for each in found:
            wanted = Weighed(self._means(each.arm), each.weights)
            yield self._greedy_of(each.arm, known, wanted)
        for first, last in empty:
            away = 1.0 + BEYOND - 0.5 * (first.at + last.at)
            for i in {first.arm, last.arm}:
                weights = 1.0 / on_sphere(away[None])[0]
                wanted = Weighed(self._means(i), weights, units=units.from_the_best)
                yield self._greedy_of(i, known, wanted)

    def _means(self, i: int) -> list[Averaged[Any]]:
        """Models of arm `i` as answers have them, of means alone."""
        return [Averaged(models[i], deviations=False) for models in self._every]

    def _greedy_of(self, i: int, known: Mapping[str, Any], wanted: Wanted) -> Policy:
        """Answer of arm `i` by the policy that is best by a model."""
        return self._answer_of(i, known, self.greedy(i, known, model=wanted))

    def _by_least(self, some: Sequence[int], known: Mapping[str, Any]) -> Iterator[Policy]:
        """Settings of each scope by weights spread evenly, as in other kinds of problem."""
        units = self._units().from_the_best
        for i, shares in product(some, answer_weights(len(self._every))):
            wanted = Weighed(self._means(i), 1.0 / shares, units=units)
            yield self._greedy_of(i, known, wanted)

    def _recommended(
        self,
        i: int,
        known: Mapping[str, Any],
        act: PolicyOf,
        contexts: list[dict[str, Any]],
    ) -> Policy:
        """See `CausalMethod._recommended`; with all outcomes."""
        value = super()._recommended(i, known, act, contexts)
        arm, affected, further = self.arms[i], self.affected_contexts(i), {}
        for name, models in self._others.items():
            model, sign = Averaged(models[i]), self.problem.traded[name]
            each = recommended(arm, model, act, contexts, sign, known=known, affected=affected)
            further[name] = ExpectedOutcome(each.mean, each.lower, each.upper)
        return replace(value, outcomes=further)

    def outcomes_at(self, i: int, known: Mapping[str, Any]) -> dict[str, ExpectedOutcome]:
        """See `CausalMethod.outcomes_at`."""
        rows, found = self.arms[i].encode(known), {}
        for name, models in self._others.items():
            sign, (mean, sd) = self.problem.traded[name], value_of(Averaged(models[i]), rows)
            ends = sorted(sign * (mean + side * BOUND * sd) for side in (-1.0, 1.0))
            found[name] = ExpectedOutcome(sign * mean, *ends)
        return found

    # -- explanations ------------------------------------------------------------------------------

    def indices(self) -> dict[str, list[Any]]:
        """Nothing: an index is of the weights of one round."""
        return {}

    def explain(self) -> Explanation:
        """See `CoCaBO.explain`; with the rule."""
        found = super().explain()
        return replace(found, summary=f"{found.summary} {_RULE}")


_RULE = "Each round draws at random what the outcomes are worth, and holds what is expected to be best for that."
