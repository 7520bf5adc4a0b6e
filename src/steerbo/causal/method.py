"""What the methods share: scopes as arms, one Gaussian process for each, staged decisions, the final policy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int

from ..core import (
    TIME,
    Amended,
    Asked,
    Choice,
    DataAdded,
    Decision,
    Event,
    Explanation,
    History,
    OutcomeTold,
    PolicyStep,
    Refitted,
    Round,
    Scope,
    Streams,
    average_recommendation,
    cached_until_next_event,
    context_of,
    now,
    typical,
)
from ..errors import InvalidRequest
from ..gp import Averaged, Kernel, describe_subset
from ..surrogate import Acquisition, ucb
from ..wording import counted
from .acting import Actor
from .arm import Arm
from .arm_model import ArmModel, Posterior
from .charges import Charges, Toll
from .contexts import latest_contexts
from .explaining import observations_explained, scopes_table
from .gain import possible_gain
from .greedy import Greedy
from .guarding import Guarding
from .limits import possible_arms
from .models import Models
from .paying import O, Turn
from .policy import Policy
from .problem import Causal
from .ranking import ranked
from .scopes import looking_at


class ScopeBandit(Guarding[O]):
    """A bandit whose arms are policy scopes, each with contextual Bayesian optimisation inside.

    Scopes with the same actions and the same contexts, differently assigned, share one model (Appendix B.1). Everything
    inside is in units of `sign · value`.
    """

    solves = Causal
    retired: ClassVar[Mapping[str, Any]] = {"backend": "own", "observations": "trusted", "slanted": False}

    def __init__(self, problem: Causal, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.known = problem.space.seen  # before choosing: every scope looks at it, and some differ in nothing else
        scopes = dict.fromkeys(looking_at(scope, self.known) for scope in self.scopes())
        graphs, space, timed = problem.every_graph, problem.space, problem.timed
        arms = [Arm.of(problem.with_price(scope), graphs, space, timed) for scope in scopes]
        self.arms = possible_arms(arms, self.limits)
        self.closed = len(arms) - len(self.arms)
        self.models = Models(self.arms, self.empty_model, problem.sign, problem.drift)
        self.watch()
        self.plays = np.zeros(len(self.arms), dtype=int)
        self.charges = None if problem.tariff is None else Charges(problem, problem.tariff)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """How many scopes there are to choose among."""
        closed = f"; limits leave nothing of {self.closed} more" if self.closed else ""
        return (("arms", counted(len(self.arms), "policy scope") + closed),)

    @abstractmethod
    def scopes(self) -> tuple[Scope, ...]:
        """The arms."""

    def needed(self, i: int) -> int:
        """Plays of arm `i` before its model counts."""
        arm, initial = self.arms[i], self.options.initial
        return max(1 + len(arm.actions + arm.contexts), self.enough) if initial is None else initial

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in: data go to the models, choices are counted."""
        self.pay(event, history)
        self.hear(event, history)
        match event:
            case Refitted():
                self.models.set(event.hyperparameters)
            case Asked():
                self.check_open(event.scope)
                self.plays[self.models.number[event.scope]] += 1
            case OutcomeTold():
                self.models.take(history[event.token], event.outcome)
            case DataAdded():
                self.models.add(event)
            case Amended():
                self.models.rebuild(history)

    # -- choosing and deciding -----------------------------------------------------------------------------------------

    def play(self, history: History, i: int, request: Mapping[str, Any], note: Mapping[str, Any]) -> Choice:
        """Begin a round with arm `i`: what can be set without looking is set."""
        turn, known = Turn(len(history) + 1, note.get("rate", 0.0)), context_of(request)
        values, observe = self._advance(history, turn, i, known, {})
        return Choice(self.arms[i].scope, values, observe, expected_cost=self.expected(i, values, known), note=note)

    def decide(self, history: History, pending: Round, context: Mapping[str, Any]) -> Decision:
        """Set the actions whose contexts are complete."""
        suggestion, i = pending.suggestion, self.models.number[pending.suggestion.scope]
        turn = Turn(pending.number, suggestion.note.get("rate", 0.0), suggestion.token)
        context = {**context_of(pending.request), **context}
        values, observe = self._advance(history, turn, i, context, suggestion.values)
        return Decision(values, observe)

    def _advance(
        self, history: History, turn: Turn, i: int, context: Mapping[str, Any], given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Values of all actions that can be set now, and what is to be looked at next."""
        arm, values = self.arms[i], dict(given)
        for look, ready in arm.stages:
            if waiting := tuple(name for name in look if name not in context):
                return {name: v for name, v in values.items() if name not in given}, waiting
            for group in arm.groups(tuple(x for x in ready if x not in values)):
                values.update(self.act(history, turn, i, group, {**context, **values}))
        return {name: v for name, v in values.items() if name not in given}, ()

    def act(
        self, history: History, turn: Turn, i: int, group: tuple[str, ...], known: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Values for a group of actions, from what they may be based on."""
        model = self.playing(i, turn.number)
        random = self.streams(turn.number, f"act {'+'.join(group)}")
        toll = self.toll(history, turn, i, group, known)
        if len(model) < self.needed(i):
            return self.actor(history, i, model, toll).drawn(group, known, random)
        points = self.untold(history, i, turn.token)
        with model.with_fantasies(points):
            return self.actor(history, i, model, toll).best(group, known, self.score(i), random, tried=points)

    def playing(self, i: int, number: int) -> ArmModel:
        """The model of arm `i` that round `number` goes by: with the likeliest hyperparameters, as published."""
        return self.model(i)

    def answering(self, i: int) -> Averaged[Kernel]:
        """The model of arm `i` that answers go by: averaged over draws of the hyperparameters."""
        return Averaged(self.model(i))

    def actor(self, history: History, i: int, model: Posterior, toll: Toll | None = None) -> Actor:
        """What sets the actions of arm `i` by a model of it."""
        return Actor(self.arms[i], model, toll, self.keeping(i))

    def untold(self, history: History, i: int, but: str | None) -> np.ndarray:
        """Points of rounds of arm `i`'s model without an outcome, but for one by its token, (p, d)."""
        return self.models.without_outcome(history, self.models.of[i], but)

    def score(self, i: int) -> Acquisition:
        """What an action maximises."""
        return ucb(self.beta(i))

    def beta(self, i: int) -> float:
        """β of arm `i` now."""
        return self.options.beta

    # -- the answer ----------------------------------------------------------------------------------------------------

    def pool(self, history: History, i: int, seen: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The latest contexts of arm `i`, where this is seen before choosing: see `latest_contexts`; with the time."""
        when = {name: time for name, time in seen.items() if name == TIME.name and self.problem.timed}
        seen = {name: value for name, value in seen.items() if name not in when}
        rows = latest_contexts(history, self.arms, self.models.number, i, seen)
        possible = [row for row in rows if self.limits.possible(self.arms[i], row)] or rows
        return [{**row, **when} for row in possible]

    def present(self, history: History) -> dict[str, Any]:
        """The time of answers, where it matters."""
        return {TIME.name: now(history)} if self.problem.timed else {}

    def greedy(self, history: History, i: int, known: Mapping[str, Any], rate: float = 0.0) -> Greedy:
        """The policy that maximises the posterior mean of arm `i`, less `rate` times its price; it reads the time."""
        toll = self.toll_of(i, known)
        if toll is not None:
            toll = replace(toll, exchange=rate / self.model(i).scale if rate else 0.0)
        when = {name: time for name, time in known.items() if name == TIME.name and self.problem.timed}
        actor = self.actor(history, i, Averaged(self.model(i), deviations=False), toll)
        return Greedy(replace(actor, within=replace(actor.keeping, answering=True)), self.streams, i, when)

    def recommend(self, history: History) -> Policy:
        """The scope with the best expected outcome under its own best policy, that policy, and what the others give.

        Where something is seen before choosing: scopes and policies for typical contexts.
        """
        if self.known:
            return self._over_contexts(history)
        best, *others = (answer for _, answer in self._all_ranked(history))
        return best.among(tuple(others))

    @cached_until_next_event
    def _over_contexts(self, history: History) -> Policy:
        contexts, when = typical(self.problem.space, history), self.present(history)
        advice = average_recommendation(contexts, lambda seen: self.ranked(history, {**when, **seen})[0][1])
        assert isinstance(advice, Policy)
        return advice

    @cached_until_next_event
    def _all_ranked(self, history: History) -> list[tuple[int, Policy]]:
        return self.ranked(history, self.present(history))

    ranked = ranked
    gain = possible_gain

    def bound_inflation(self, history: History, scope: Scope) -> float:
        """Infinite until outcomes tell the scope's model a scale; from then on bounds are those of the posterior."""
        return 1.0 if self.scaled[self.models.number[scope]] else np.inf

    @property
    def scaled(self) -> Bool[np.ndarray, " m"]:
        """Of which arms outcomes tell the model a scale."""
        return np.array([self.models.scaled(k) for k in self.models.of])

    @property
    def judged(self) -> Int[np.ndarray, " k"]:
        """The arms whose bounds mean something; none as long as one of the others may yet have outcomes.

        What has failed, and has told next to nothing, is not waited for.
        """
        scaled, failed = self.scaled, np.array([self.failing[k].failures > 0 for k in self.models.of])
        return np.flatnonzero(scaled & (scaled | failed).all())

    def note(self, history: History) -> str:
        """Whether there are more outcomes than are counted, in the model that has most of them."""
        largest = max(self.models.each, key=len)
        return describe_subset(len(largest), len(largest.counted))

    def policy(self, history: History, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """The recommended policy, stage by stage: what can be set after what was seen, and what to look at next."""
        self.check_informed(history)
        known = {**self.present(history), **context_of(request), **{name: context[name] for name in self.known}}
        _, advice = (self.ranked(history, known) if known else self._all_ranked(history))[0]
        if advice.mean is None:
            raise InvalidRequest("policy", str(advice), "a scope with an outcome to learn from", "Tell one first.")
        step: PolicyStep = advice.act.step(context)
        return step

    def explain(self, history: History) -> Explanation:
        """Plays per arm, the parts of its index, and the best arm's policy."""
        extra = {} if self.known else self.indices(history)
        policy = self.recommend(history).table if any(len(model) for model in self.models.each) else None
        arms = scopes_table(self.models, self.plays, extra)
        said = observations_explained(self.models, history)
        closed = f" Limits leave nothing of {counted(self.closed, 'more scope')}." if self.closed else ""
        rounds = counted(int(self.plays.sum()), "round")
        chosen = (
            f"among {len(self.arms)} scopes in {rounds}"
            if len(self.arms) > 1
            else f"settings in {rounds}: there is one scope"
        )
        tables = (arms, *([policy] if policy else []))
        return Explanation(f"{self.name} has chosen {chosen}.{closed}{said}", tables)

    def indices(self, history: History) -> dict[str, list[Any]]:
        """More columns for the table of scopes: the parts of every arm's index."""
        return {}
