"""Cheap first: the cheapest scope that may still be good enough, where actions and looks have prices.

Each round plays the cheapest scope whose upper bound lags behind what is acceptable by no more than what its next play
may teach (see `bandit.cheap_first`). Scopes with the same actions share one model; see `worth` for what they are
compared by. Contexts that a scope does not look at have to be measured afterwards for that. Where they are not, or are
affected by what is set, a scope learns from its own plays alone, and what it does not look at is noise to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..bandit import BOUND, cheap_first, neglected, unready
from ..errors import InvalidOption
from ..rounds import Amended, Choice, Event, History, Problem, Scope, Streams, Told, as_text, mean_over, typical
from ..rounds.tolerance import Fraction
from ..surrogate import Standardised
from .acting import Actor
from .cheap_options import CheapOptions
from .enumeration import policy_scopes
from .method import ScopeBandit
from .models import Models
from .nearness import MOST_ROWS, Realised
from .policy import Policy, policy_table
from .problem import Causal
from .several import united
from .sharing import Missing, not_measured, sharing, untold
from .worth import NestedActor, Worth

TOLERANCE = Fraction(0.1)
"""What may be given up where the problem does not say: a tenth of the way from the worst value to the best."""
_ROWS = 32  # contexts, the latest, that scopes are compared over
_TABLE = 16  # contexts that a policy's table is chosen from


class CheapFirst(ScopeBandit[CheapOptions]):
    """Play the cheapest scope that may still turn out to be good enough, where actions and looks have prices (ours)."""

    name: ClassVar[str] = "cheap-first"
    Options = CheapOptions

    def __init__(self, problem: Causal, options: CheapOptions, streams: Streams) -> None:
        if problem.drift is not None:
            hint = "It compares scopes by outcomes of all times."
            raise InvalidOption("method", self.name, "'coca-bo' where effects change with time", hint)
        super().__init__(problem, options, streams)
        self._missing: Missing = frozenset()
        self._arrange()

    @classmethod
    def meant_for(cls, problem: Problem) -> bool:
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
        self.models = Models(arms, self.empty_model, self.problem.sign, None)
        return True

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; where contexts turn out not to be measured, scopes part."""
        before, contexts = self._missing, self.problem.graph.contexts or ()
        if isinstance(event, Told):
            self._missing |= not_measured([history[event.token]], contexts)
        elif isinstance(event, Amended):
            self._missing = not_measured(history, contexts)
        if self._missing != before and self._arrange():
            self.models.rebuild(history)
        else:
            super().learn(event, history)

    def needed(self, i: int) -> int:
        """Plays of the model of arm `i` before it counts."""
        return self.options.initial if self.options.initial is not None else 2 * (1 + len(self.arms[i].names))

    # -- choosing ------------------------------------------------------------------------------------------------------

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Every model a few times, at its cheapest scope; then the cheapest scope that is enough."""
        some, seen = self.within_reach(history).tolist(), request.get("context", {})
        forced = self._for_a_start(some)
        if forced is not None:
            return self.play(history, forced, request, {"phase": "first plays"})
        upper, widths = self._bounds(history, some, seen)
        least = min(float(upper.max()), self._acceptable(float(upper.max())))
        best = cheap_first(
            upper, self.prices[some], least, lambda arms: widths[np.asarray(arms)], self.options.patience
        )
        known = dict(zip(some, upper.tolist(), strict=True))
        at_best = [self.problem.sign * known[i] if i in known else None for i in range(len(self.arms))]
        note = {"phase": "cheap first", "upper": at_best, "width": best.width}
        return self.play(history, some[best.arm], request, note)

    def _for_a_start(self, some: Sequence[int]) -> int | None:
        """The cheapest arm of a model that has been told too little; None where there is none."""
        classes = list(dict.fromkeys(self.models.of[i] for i in some))
        plays = np.array(
            [sum(int(n) for n, k in zip(self.plays, self.models.of, strict=True) if k == c) for c in classes]
        )
        cheapest = [min((i for i in some if self.models.of[i] == c), key=lambda i: self.prices[i]) for c in classes]
        told = np.array([len(self.models.each[c]) for c in classes])
        first = unready(plays, told, np.array([self.needed(i) for i in cheapest]))
        if first is None:
            first = neglected(plays)
        return None if first is None else cheapest[first]

    def worths(self, history: History, some: Iterable[int], seen: Mapping[str, Any]) -> Iterator[Worth]:
        """What these arms are compared by where this is seen before choosing."""
        processes: dict[int, tuple[np.ndarray, Standardised | None]] = {}
        contexts: dict[int, Realised] = {}
        for i in some:
            arm, model, k = self.arms[i], self.model(i), self.models.of[i]
            if k not in processes:
                points = self.untold(history, i, None)
                processes[k] = points, Standardised.of(model, points) if arm.names else None
            own = i if arm.affected else -1 - k  # what affects contexts has its own
            if own not in contexts:
                contexts[own] = Realised.of(arm, history, seen)
            pending, process = processes[k]
            yield Worth(arm, model, pending, process, contexts[own])

    def _bounds(self, history: History, some: Iterable[int], seen: Mapping[str, Any]) -> np.ndarray:
        """(2, m): mean bounds over the latest contexts, and what is not known about a play, in `sign · value`."""
        root, found = math.sqrt(self.options.beta), []
        for worth in self.worths(history, some, seen):
            bounds, sds = worth.bounds(root, _ROWS)
            width = root * worth.model.scale * float(sds.mean())
            found.append((float(worth.model.raw(bounds).mean()), width))
        return np.array(found).T

    def _acceptable(self, best: float) -> float:
        """The least acceptable value, in units of `sign · value`."""
        tolerance = self.problem.tolerance or TOLERANCE
        worst = min(float(m.raw(m.fitted).min()) for m in self.models.each if len(m))
        return tolerance.acceptable(best, worst, self.problem.sign)

    # -- deciding ------------------------------------------------------------------------------------------------------

    def actor(self, history: History, i: int) -> Actor:
        """What sets the actions of arm `i`: it averages over what the arm does not look at, given what it does."""
        arm = self.arms[i]
        if arm.affected:
            return super().actor(history, i)
        return NestedActor(arm, self.model(i), Realised.of(arm, history, {}))

    def untold(self, history: History, i: int, but: str | None) -> np.ndarray:
        """See `sharing.untold`."""
        return untold(history, self.arms, self.models, self.models.of[i], but=but, streams=self.streams)

    # -- the answer ----------------------------------------------------------------------------------------------------

    def ranked(self, history: History, known: Mapping[str, Any]) -> list[tuple[int, Policy]]:
        """The cheapest scope that is good enough, then the others by price."""
        every = self.worths(history, range(len(self.arms)), known)
        answers = [self._answer(history, i, worth, known) for i, worth in enumerate(every)]
        means = np.array([-np.inf if a.mean is None else self.problem.sign * a.mean for a in answers])
        if not np.isfinite(means).any():
            return list(enumerate(answers))
        least = self._acceptable(float(means.max()))
        good = [i for i in range(len(means)) if means[i] >= min(least, means.max())]
        chosen = min(good, key=lambda i: (self.prices[i], -means[i]))
        others = sorted((i for i in range(len(means)) if i != chosen), key=lambda i: (self.prices[i], -means[i]))
        verb = "at most" if self.problem.minimize else "at least"
        said = "; ".join(f"set {self.arms[i].scope}" for i in good)
        note = f"good enough is {verb} {as_text(self.problem.sign * least)}: {said}"
        arm, table = self.arms[chosen], None
        if set(arm.contexts) - set(known):
            points = Realised.of(arm, history, known).points[:_TABLE]
            contexts = self.problem.space.subset(arm.measured).decode(points)
            table = policy_table(arm, answers[chosen].act, contexts)
        return [(chosen, replace(answers[chosen], note=note, table=table)), *((i, answers[i]) for i in others)]

    def _answer(self, history: History, i: int, worth: Worth, seen: Mapping[str, Any]) -> Policy:
        """What the best policy of arm `i` gives on average, and the policy."""
        arm, sign = self.arms[i], self.problem.sign
        if not len(self.model(i)):
            return Policy.unknown(arm.scope)
        means, sds = worth.bounds(0.0, MOST_ROWS)
        mean, sd = sign * float(worth.model.raw(means).mean()), worth.model.scale * float(sds.mean())
        act = self.greedy(history, i, {})
        values = {} if set(arm.contexts) - set(seen) else act(seen)
        return Policy(arm.scope, values, mean, mean - BOUND * sd, mean + BOUND * sd, arm.scope.price, act=act)

    def gain(self, history: History) -> float:
        """By how much what is recommended may fall short of acceptable, or a cheaper scope may yet reach it.

        Infinite as long as some scope is still to be played for a start. Where something is seen before choosing, it is
        the mean over typical contexts.
        """
        times = np.array([self.widening(history, arm.scope) for arm in self.arms])
        if self._for_a_start(range(len(self.arms))) is not None or not times.max() < np.inf:
            return math.inf

        def at(seen: Mapping[str, Any]) -> float:
            (chosen, best), *_ = self.ranked(history, seen)
            upper = np.array([
                float(worth.model.raw(worth.bounds(BOUND * wider, _ROWS)[0]).mean())
                for worth, wider in zip(self.worths(history, range(len(times)), seen), times, strict=True)
            ])  # fmt: skip
            assert best.mean is not None
            assert best.upper is not None
            sure = self.problem.sign * best.mean - float(times[chosen]) * (best.upper - best.mean)
            wanted = min(float(upper.max()), self._acceptable(float(upper.max())))
            return float(max([wanted - sure, *(upper[self.prices < self.prices[chosen]] - wanted)]))

        return mean_over(typical(self.problem.space, history), at) if self.known else at({})

    def indices(self, history: History) -> dict[str, list[Any]]:
        """What every scope costs, and gives at best by the present model."""
        known: list[Any] = [None] * len(self.arms)
        some = [i for i in range(len(self.arms)) if len(self.model(i))]
        if some:
            for i, bound in zip(some, self._bounds(history, some, {})[0].tolist(), strict=True):
                known[i] = self.problem.sign * bound
        return {"price": self.prices.tolist(), "at best": known}

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Every scope with its price."""
        return (
            *super().describe(),
            *(("scope", f"set {arm.scope}; {arm.scope.price:g} a play") for arm in self.arms if arm.scope.price),
        )
