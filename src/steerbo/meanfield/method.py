"""What the methods of this wing share: the tables that were played, whole agents, and the best one played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from ..bandit import doubt_of_scale
from ..gp import MOST, counted_of
from ..rounds import (
    TIME,
    Added,
    Amended,
    Asked,
    Choice,
    Event,
    Explanation,
    History,
    Method,
    OptionsT,
    Outcome,
    PolicyStep,
    Recommendation,
    Round,
    Scope,
    Streams,
    Table,
    Told,
    kept,
    known_before,
    now,
    over_contexts,
    typical,
)
from ..words import counted
from .agents import settings
from .cells import fullest
from .nearness import telling
from .present import step_towards
from .problem import SCOPE, MeanField
from .region import Region

TableArray = Float[np.ndarray, "C A"]


class Population(Method[MeanField, OptionsT]):
    """A method that remembers which distributions were suggested and played, and what they gave.

    Everything inside is in units of `sign · value`, so that larger is better.
    """

    solves = MeanField

    def __init__(self, problem: MeanField, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.suggested: dict[str, TableArray] = {}  # by token
        self.outcomes: list[Outcome] = []
        self.tables: list[TableArray] = []  # really played, one for each outcome
        self.known: list[float] = []  # averages of the outcomes
        self.keys: set[bytes] = set()  # names of what was suggested or played
        self.names: list[str] = []  # of the outcomes
        self._added: dict[str, dict[str, Any]] = {}  # the time at which data came, where it matters
        self.forgotten: frozenset[str] = frozenset()  # names of outcomes that nothing is to be learned from
        self.begun = 0  # rounds there were then: what was expected in them rested on what is forgotten

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        match event:
            case Asked():
                self.suggested[event.token] = table = self.problem.table(event.values["distribution"])
                self.keys.add(self.key(self.counts_of(table)))
            case Told():
                self._take(event.token, event.outcome, history[event.token])
            case Added():
                self._added[history.latest_data] = self.present(history)
                self._take(history.latest_data, event.outcome, None)
            case Amended():
                self.begin_anew(history)
            case _:
                pass

    def begin_anew(self, history: History) -> None:
        """All outcomes as they stand now, but for those that are forgotten."""
        self.outcomes, self.tables, self.known, self.names = [], [], [], []
        for name, outcome, played in history.outcomes():
            if name not in self.forgotten:
                self._take(name, outcome, played)

    def forget(self, names: Iterable[str], history: History) -> None:
        """Learn nothing more from these outcomes; what was played then may be played again."""
        self.forgotten |= set(names)
        self.begun = len(history)
        self.keys = {self.key(self.counts_of(self.suggested[r.suggestion.token])) for r in history.unknown}
        self.begin_anew(history)

    def _take(self, name: str, outcome: Outcome, played: Round | None) -> None:
        when = known_before(played.request) if played else self._added[name]
        self.names.append(name)
        self.outcomes.append(replace(outcome, realised={**when, **outcome.realised}))
        table = self.problem.table(outcome.realised["distribution"])
        self.tables.append(table)
        self.known.append(self.problem.sign * self.problem.average(outcome))
        self.keys.add(self.key(self.counts_of(table)))

    def present(self, history: History) -> dict[str, Any]:
        """The time of answers, where it matters."""
        return {TIME.name: now(history)} if self.problem.timed else {}

    def averages(self) -> Float[np.ndarray, " n"]:
        """The population's average of every outcome, (n,): a single agent's payoff where that is all there is."""
        return np.array(self.known)

    def played(self, history: History, request: Mapping[str, Any], pending_only: bool = False) -> set[bytes]:
        """Names of the tables that were suggested or played already, or of those without an outcome.

        Where something is seen before choosing, those of rounds in which the same was seen.
        """
        if not pending_only and not self.problem.space.seen:
            return self.keys
        rounds = history.unknown if pending_only else tuple(history)
        seen = request.get("context", {})
        alike = [r for r in rounds if all(r.realised.get(name) == value for name, value in seen.items())]
        return {self.key(self.counts_of(self.suggested[r.suggestion.token])) for r in alike}

    def counts_of(self, table: TableArray) -> Int[np.ndarray, "C A"]:
        """The nearest numbers of agents, for comparisons."""
        return np.rint(table * self.problem.agents_in[:, None]).astype(np.int64)

    @staticmethod
    def key(counts: Int[np.ndarray, "C A"]) -> bytes:
        """A name for numbers of agents."""
        return counts.tobytes()

    # -- choosing ------------------------------------------------------------------------------------------------------

    def region(self, request: Mapping[str, Any]) -> Region:
        """The possible tables from where agents are now."""
        if "current" not in request:
            return self.problem.region
        return self.problem.region.around(self.problem.table(request["current"]), self.problem.largest_move)

    def whole(self, region: Region, table: TableArray, random: np.random.Generator) -> Int[np.ndarray, "C A"]:
        """Whole agents, as the problem rounds."""
        return region.sampled(table, random) if self.problem.rounding == "sampled" else region.whole(table)

    def spread(self, region: Region, random: np.random.Generator) -> TableArray:
        """A random possible table: the softmax of uniform numbers, which stays away from corners."""
        shares = np.exp(random.random(self.problem.simplex.shape)) * region.allowed
        return region.project((shares / shares.sum(axis=1, keepdims=True))[None])[0]

    def fresh(
        self, region: Region, random: np.random.Generator, taken: set[bytes], tries: int = 20
    ) -> Int[np.ndarray, "C A"]:
        """Whole agents of a random table that was not taken yet, if one is found: an even one or, next, any."""
        for _ in range(tries):
            counts = self.whole(region, self.spread(region, random), random)
            if self.key(counts) not in taken:
                return counts
            wide = np.exp(3 * random.standard_normal((1, *self.problem.simplex.shape)))
            counts = region.sampled(region.project(wide)[0], random)
            if self.key(counts) not in taken:
                break
        return counts

    def choice(self, counts: Int[np.ndarray, "C A"], **note: Any) -> Choice:
        """The suggestion of these numbers of agents."""
        values = settings(self.problem, counts / self.problem.agents_in[:, None], counts)
        return Choice(SCOPE, values, note=note)

    # -- answers -------------------------------------------------------------------------------------------------------

    @kept
    def recommend(self, history: History) -> Recommendation:
        """Where to be; where something is seen before choosing, in typical contexts; where payoffs drift, as of now."""
        if not self.problem.space.seen:
            return self.dated(history, {})
        return over_contexts(typical(self.problem.space, history), lambda seen: self.dated(history, seen))

    def dated(self, history: History, known: Mapping[str, Any]) -> Recommendation:
        """Where to be where this is known; it says when, where that matters."""
        known = {**self.present(history), **known}
        advice = self.advice(history, known)
        return replace(advice, note=f"as of time {known[TIME.name]:g}; {advice.note}") if self.problem.timed else advice

    def advice(self, history: History, seen: Mapping[str, Any]) -> Recommendation:
        """The best distribution played within limits, when about the same was seen, and of late if payoffs drift."""
        kept = self.keeping()
        if not kept.any():
            return self.untold()
        averages, near = self.averages(), telling(self.problem, self.outcomes, seen)
        best = int(np.where(near & kept if (near & kept).any() else kept, averages, -np.inf).argmax())
        values, found = settings(self.problem, self.tables[best]), self.problem.sign * float(averages[best])
        return Recommendation(SCOPE, values, found, note="the best of the distributions that were played")

    def remark(self, history: History) -> str:
        """Whether there are more outcomes than are counted."""
        return counted_of(len(self.outcomes), MOST)

    def widening(self, history: History, scope: Scope) -> float:
        """That of Student's t for a scale learned from the population's averages."""
        before = self.problem.before([outcome.realised for outcome in self.outcomes])
        played = np.array(self.tables).reshape(len(before), -1)
        return doubt_of_scale(np.hstack([played, before]), self.averages())

    def policy(self, history: History, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """Where to be; from a present distribution, as far on the way there as the largest move allows."""
        self.check_informed(history)
        advice, known = self.dated(history, {**context, **known_before(request)}), dict(context)
        if "current" not in request:
            return PolicyStep(advice.scope, advice.values, context=known, note=advice.note)
        goal = self.problem.table(advice.values["distribution"])
        step, note = step_towards(self.problem, self.region(request), goal, advice.note)
        return PolicyStep(advice.scope, settings(self.problem, step), context=known, note=note)

    def keeping(self) -> Bool[np.ndarray, " n"]:
        """Which of the tables played keep to the limits on where agents may be, in the nearest whole agents."""
        return np.array([self.problem.region.keeps(self.counts_of(table)) for table in self.tables], dtype=bool)

    def untold(self) -> Recommendation:
        """Before anything is known: spread evenly."""
        even = self.problem.region.project(np.ones((1, *self.problem.simplex.shape)))[0]
        counts = self.problem.region.whole(even)
        values = settings(self.problem, counts / self.problem.agents_in[:, None], counts)
        return Recommendation(SCOPE, values, note="nothing is known yet: spread evenly")

    def explain(self, history: History) -> Explanation:
        """The best distributions played."""
        if not self.outcomes:
            return Explanation("nothing was told yet")
        averages = self.averages()
        best = np.argsort(-averages, kind="stable")[:5]
        rows = tuple((float(self.problem.sign * averages[i]), fullest(self.problem, self.tables[i])) for i in best)
        title = "Best distributions played"
        different = len({self.key(self.counts_of(table)) for table in self.tables})
        return Explanation(
            f"{counted(len(self.outcomes), 'outcome')} of {counted(different, 'distribution')}",
            (Table(title, ("payoff", "most agents in"), rows),),
        )
