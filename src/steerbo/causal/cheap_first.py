"""Cheap first: the cheapest scope that may still be good enough, where actions and looks have prices.

Each round plays the cheapest scope whose upper bound lags behind what is acceptable by no more than what its next play
may teach (see `bandit.cheap_first`). Scopes with the same actions share one model; see `worth` for what they are
compared by. Contexts that a scope does not look at have to be measured afterwards for that. Where they are not, or are
affected by what is set, a scope learns from its own plays alone, and what it does not look at is noise to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from ..bandit import cheapest_sufficient, needs_initial_plays, underexplored
from ..core import TIME, Amended, Choice, Event, History, OutcomeTold, Problem, Scope, Streams, context_of
from ..core.tolerance import UNSTATED
from ..gp import Averaged
from ..surrogate import ProductKernelPosterior
from .acting import Actor
from .arm_model import ArmModel, Posterior
from .charges import Toll
from .cheap_gain import cheap_gain
from .cheap_options import CheapOptions
from .cheap_ranking import cheap_ranked
from .enumeration import policy_scopes
from .frontier import Offer, cheapest, likeliest, offer
from .method import ScopeBandit
from .models import Models
from .nearness import Realised
from .nested import NestedActor
from .problem import Causal
from .several import united
from .sharing import Missing, not_measured, sharing, untold
from .worth import ROWS, Worth, fitted_at


class CheapFirst(ScopeBandit[CheapOptions]):
    """Play the cheapest scope that may still turn out to be good enough, where actions and looks have prices (ours)."""

    name: ClassVar[str] = "cheap-first"
    Options = CheapOptions

    def __init__(self, problem: Causal, options: CheapOptions, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self._missing: Missing = frozenset()
        self._arrange()

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Where there are prices."""
        return isinstance(problem, Causal) and problem.prices is not None

    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that are worth their price."""
        graphs = self.problem.every_graph
        return united(policy_scopes(graph, prices=self.problem.prices) for graph in graphs)

    # -- learning: which scopes share a model --------------------------------------------------------------------------

    def _arrange(self) -> bool:
        """Let arms share their models where what is measured allows it; whether anything changed."""
        arms = sharing(self.arms, self._missing)
        if arms == self.arms:
            return False
        self.arms = arms
        self.models = Models(arms, self.empty_model, self.problem.sign, self.problem.drift)
        self.watch()
        return True

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; where contexts turn out not to be measured, scopes part."""
        before, contexts = self._missing, self.problem.graph.contexts or ()
        if isinstance(event, OutcomeTold):
            self._missing |= not_measured([history[event.token]], contexts)
        elif isinstance(event, Amended):
            self._missing = not_measured(history, contexts)
        if self._missing != before and self._arrange():
            self.pay(event, history)
            self.models.rebuild(history)
            self.watch_again(history)
        else:
            super().learn(event, history)

    def needed(self, i: int) -> int:
        """Plays of the model of arm `i` before it counts."""
        columns, initial = len(self.arms[i].actions + self.arms[i].measured), self.options.initial
        return max(2 * (1 + columns), self.enough) if initial is None else initial

    # -- choosing ------------------------------------------------------------------------------------------------------

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Every model a few times, at its cheapest scope; then the cheapest scope that is enough."""
        some, known = self.within_reach(history).tolist(), context_of(request)
        forced = self.for_a_start(some)
        if forced is not None:
            return self.play(history, forced, request, {"phase": "first plays"})
        root, patience = math.sqrt(self.options.beta), self.options.patience
        offers, worths = self._offers(history, some, known, len(history) + 1)
        some, offers, worths = likeliest(some, offers, worths)
        highest = float(self.upper(some, offers).max())
        least = min(self.acceptable(highest, known), highest)

        def width(each: Offer, worth: Worth) -> float:
            return root * worth.model.scale * each.spread

        def thrifty(worth: Worth, found: Offer) -> Offer:
            """Where prices hang on what is set, no more is spent than it takes."""
            if worth.toll is None:
                return found
            return cheapest(worth, root, ROWS, lambda o: o.bound + patience * width(o, worth) >= least)

        offers = [thrifty(worth, found) for worth, found in zip(worths, offers, strict=True)]
        upper, prices = self.upper(some, offers), np.array([each.price for each in offers])
        widths = np.array([width(each, worth) for each, worth in zip(offers, worths, strict=True)])
        told = np.array([len(worth.model) > 0 for worth in worths])
        widths *= np.where(told, self.chances[some], self.chances[some] == 1.0)  # what only fails teaches nothing
        best = cheapest_sufficient(
            upper, prices, least, lambda arms: widths[np.asarray(arms)], patience, alike=self.options.alike
        )
        found = dict(zip(some, upper.tolist(), strict=True))
        at_best = [self.problem.sign * found[i] if i in found else None for i in range(len(self.arms))]
        note = {"phase": "cheap first", "upper": at_best, "width": best.width}
        if (rate := offers[best.arm].rate) > 0:
            note["rate"] = rate  # what a unit of money has to bring
        return self.play(history, some[best.arm], request, note)

    def for_a_start(self, some: Sequence[int]) -> int | None:
        """The cheapest arm of a model that has been told too little; None where there is none."""
        classes = list(dict.fromkeys(self.models.of[i] for i in some))
        plays = np.array(
            [sum(int(n) for n, k in zip(self.plays, self.models.of, strict=True) if k == c) for c in classes]
        )
        prices = self.prices
        first_of = [min((i for i in some if self.models.of[i] == c), key=lambda i: prices[i]) for c in classes]
        told = np.array([len(self.models.each[c]) for c in classes])
        first = needs_initial_plays(plays, told, np.array([self.needed(i) for i in first_of]))
        if first is None:
            counting = self.counting
            plays = np.array([counting[np.array(self.models.of) == c].sum() for c in classes])
            first = underexplored(plays, likely=np.array([self.failing[c].chance for c in classes]))
        return None if first is None else first_of[first]

    def playing(self, i: int, number: int) -> ArmModel:
        """The model of arm `i` that round `number` goes by: with a draw of its hyperparameters."""
        return self.model(i).member(self.streams.integer(number, "hyperparameters"))

    def worths(
        self, history: History, some: Iterable[int], known: Mapping[str, Any], number: int | None = None
    ) -> Iterator[Worth]:
        """What these arms are compared by where this is seen before choosing, and at this time.

        In round `number` by a draw of the hyperparameters, and pending rounds shrink variances; None: for an answer.
        """
        seen, when = self.seen_of(known), {TIME.name: known[TIME.name]} if self.problem.timed else {}
        known_of: dict[int, tuple[Posterior, np.ndarray, list[ProductKernelPosterior]]] = {}
        contexts: dict[int, Realised] = {}
        for i in some:
            arm, k, answering = self.arms[i], self.models.of[i], number is None
            if k not in known_of:
                points, now = self.untold(history, i, None), when.get(TIME.name)
                points = points[:0] if number is None else points
                model: Posterior = self.answering(i) if number is None else self.playing(i, number)
                members = model.members if isinstance(model, Averaged) else (model,)
                processes = [ProductKernelPosterior.of(member, points, now) for member in members] if arm.space else []
                known_of[k] = model, points, processes
            own = i if arm.affected else -1 - k  # what affects contexts has its own
            if own not in contexts:
                contexts[own] = Realised.of(arm, history, seen)
            model, pending, processes = known_of[k]
            toll, fixed = self.toll_of(i, seen), self.fixed(i, seen)
            own_contexts, within = contexts[own], self.keeping(i)
            yield Worth(arm, model, pending, processes, own_contexts, when, toll, fixed, within, answering)

    def seen_of(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """What is seen before choosing, without the time."""
        return {name: value for name, value in known.items() if name in self.known}

    def _offers(
        self, history: History, some: Iterable[int], known: Mapping[str, Any], number: int
    ) -> tuple[list[Offer], list[Worth]]:
        """What these arms may give in round `number`, over the latest contexts, and what they are compared by."""
        worths = list(self.worths(history, some, known, number))
        return [offer(worth, math.sqrt(self.options.beta), ROWS) for worth in worths], worths

    def upper(self, some: Sequence[int], offers: Sequence[Offer]) -> Float[np.ndarray, " k"]:
        """The bounds of some arms, as likely as they are to work; without a scale a bound has no units."""
        failing = self.chances < 1.0
        unknown = [failing[i] and not self.scaled[i] for i in some]
        return self.weighed(np.where(unknown, np.inf, [each.bound for each in offers]), some)

    def acceptable(self, best: float, known: Mapping[str, Any]) -> float:
        """The least acceptable value at this time, in units of `sign · value`."""
        tolerance = self.problem.tolerance or UNSTATED
        if not (told := [model for model in self.models.each if len(model)]):
            return -math.inf  # nothing has worked yet: anything may do
        now = known.get(TIME.name)
        worst = min(float(model.unstandardise(fitted_at(model, now)).min()) for model in told)
        return tolerance.acceptable(best, worst, self.problem.sign)

    # -- deciding ------------------------------------------------------------------------------------------------------

    def actor(self, history: History, i: int, model: Posterior, toll: Toll | None = None) -> Actor:
        """What sets the actions of arm `i`: it averages over what the arm does not look at, given what it does."""
        arm = self.arms[i]
        if arm.affected:
            return super().actor(history, i, model, toll)
        return NestedActor(arm, model, toll, self.keeping(i), realised=Realised.of(arm, history, {}))

    def untold(self, history: History, i: int, but: str | None) -> np.ndarray:
        """See `sharing.untold`."""
        return untold(history, self.arms, self.models, self.models.of[i], but=but, streams=self.streams)

    def cases(self, history: History, i: int, known: Mapping[str, Any]) -> list[dict[str, Any]]:
        """See `Guarding.cases`; also of what arm `i` does not look at."""
        arm, when = self.arms[i], {TIME.name: known[TIME.name]} if self.problem.timed else {}
        if not arm.measured:
            return [when]
        points = Realised.of(arm, history, self.seen_of(known)).points[:ROWS]
        return [{**row, **when} for row in self.problem.space.subset(arm.measured).decode(points)]

    # -- the answer ----------------------------------------------------------------------------------------------------

    ranked = cheap_ranked
    gain = cheap_gain

    def indices(self, history: History) -> dict[str, list[Any]]:
        """What every scope costs, and gives at best by the present model."""
        known, prices = list[Any]([None] * len(self.arms)), self.prices.tolist()
        some = [i for i in range(len(self.arms)) if len(self.model(i))]
        number = len(history) + 1
        for i, each in zip(some, self._offers(history, some, self.present(history), number)[0], strict=True):
            known[i], prices[i] = self.problem.sign * each.bound, each.price
        return {"price": prices, "at best": known}

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Every scope with its price."""
        return (
            *super().describe(),
            *(("scope", f"set {arm.scope}; {self.price_text(arm.scope)}") for arm in self.arms if self.problem.prices),
        )
