"""Base of all mean-field methods: distributions played, feasible random ones, and the best one as an answer.

Explanation of the model: expected payoffs of the fullest cells, the cells still explored, and a
summary.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from .._arrays import Bool, Float, Int
from .._evidence import COMPARABLE
from .._wording import counted
from ..bandit import MISFIT, scale_inflation
from ..core import (
    TIME,
    Choice,
    Explanation,
    Finding,
    History,
    Method,
    OptionsT,
    Outcome,
    PolicyStep,
    Reason,
    Recommendation,
    Result,
    Round,
    Scope,
    Streams,
    Suggestion,
    Table,
    context_of,
    finding,
    number_of,
    reason,
)
from ..errors import InvalidRequest, InvalidStudy
from ..gp import MOST_COUNTED
from ..space import largest_remainders
from ..surrogate import FEWEST
from . import _feedback as feedback
from ._region import Region
from .models import PayoffMixture, Surrogate
from .problem import SCOPE, MeanField

_ROWS_SHOWN = 30  # of a table
_COLUMNS = (
    "context",
    "action",
    "share",
    "last suggested",
    "expected payoff",
    "deviation",
    "explored",
)


def cell_table(
    problem: MeanField,
    surrogate: Surrogate,
    mixture: PayoffMixture,
    best: Float[np.ndarray, "C A"],
    last: Float[np.ndarray, "C A"],
    *,
    times: float,
) -> tuple[Table, int]:
    """Tabulate the fullest cells at the recommended table, and count the cells that are still explored.

    Args:
        problem: names and numbers of agents.
        surrogate: units of the payoffs.
        mixture: posterior that the bounds of the recommendation are from.
        best: (C, A) the recommended table.
        last: (C, A) the table suggested last; a cell in which it has more agents is explored.
        times: factor of the deviations, as of the recommendation's bounds; infinite: they are
            unknown.
    """
    mean, sd = (part[0] for part in mixture.cell_moments(best[None]))
    explored = last > best + np.maximum(1.5 / problem.agents_in[:, None], 1e-6)
    order = np.argsort(-(np.maximum(best, last) * problem.shares[:, None]).ravel(), kind="stable")
    rows = []
    for i in order[:_ROWS_SHOWN]:
        c, a = np.unravel_index(i, best.shape)
        payoff = problem.sign * surrogate.raw(float(mean[c, a]))
        cell = (
            float(best[c, a]),
            float(last[c, a]),
            payoff,
            times * surrogate.unit * float(sd[c, a]) if times < math.inf else None,
            bool(explored[c, a]),
        )
        rows.append((problem.contexts[c], problem.actions[a], *cell))
    rest = best.size - len(rows)
    title = "Cells at the recommended distribution" + (
        f" (fullest {len(rows)}, {rest} not shown)" if rest else ""
    )
    return Table(title, _COLUMNS, tuple(rows)), int(explored.sum())


def fullest(problem: MeanField, table: Float[np.ndarray, "C A"]) -> str:
    """Name the five fullest cells of a table with their shares."""
    order = np.argsort(-(table * problem.shares[:, None]).ravel(), kind="stable")[:5]
    cells = [np.unravel_index(i, table.shape) for i in order]
    one = len(problem.contexts) == 1
    return ", ".join(
        f"{'' if one else problem.contexts[c] + ' → '}{problem.actions[a]} {table[c, a]:.3g}"
        for c, a in cells
        if table[c, a] > 0
    )


def summary(
    problem: MeanField,
    surrogate: Surrogate,
    outcomes: int,
    explored: int,
    *,
    forgotten: tuple[int, int] = (0, 0),
) -> str:
    """Summarise the model in words.

    Args:
        problem: names.
        surrogate: posterior after all outcomes.
        outcomes: number of outcomes.
        explored: number of cells still explored.
        forgotten: number of older outcomes that are forgotten, and the round since which they are.
    """
    posterior = surrogate.ucb.posterior
    kernel, noise = posterior.kernel, surrogate.unit * np.sqrt(posterior.noise)
    cells = int(problem.region.allowed.sum())
    said = (
        f"{counted(outcomes, 'outcome')}. {explored or 'None'} of {counted(cells, 'cell')} (an action, "
        f"in a context) {'is' if explored < 2 else 'are'} still being explored, with more agents in the last "
        f"suggestion than in the recommendation. The model: kernel {kernel.kind} on {kernel.embedding.name} "
        f"distributions, lengthscale {kernel.lengthscale('lengthscale', posterior.parameters):.3g}, noise {noise:.3g}."
    )
    if problem.feedback == "population":
        said += " Each round told one average, so the figures for single cells are estimates."
    old, since = forgotten
    if old:
        older = f"{counted(old, 'older outcome')} {'is' if old == 1 else 'are'}"
        said += f" Payoffs have changed: {older} forgotten since round {since}."
    return said


TableArray = Float[np.ndarray, "C A"]
_ROUNDING = 1e-9  # of a share of agents
_TRIES = 20  # random tables, to find one that is new


@dataclass(frozen=True, eq=False)
class ToldAverage:
    """Outcome with its place in time.

    Args:
        when: time (0 where payoffs do not drift), number of the round (0 of external data), number
            of external data.
        name: the round's token, or the name of external data.
        outcome: the outcome; its realised values hold the time where payoffs drift.
        table: (C, A) the distribution really played.
        average: payoff of the population, or of the agent, in units of `sign · value`.
        key: of the counts played.
    """

    when: tuple[float, int, int]
    name: str
    outcome: Outcome
    table: TableArray
    average: float
    key: bytes

    def repeats(self, other: ToldAverage) -> bool:
        """Whether the other has the same play and payoff."""
        mine, theirs = self.outcome, other.outcome
        same = mine.value == theirs.value and mine.realised == theirs.realised
        return self is other or (same and mine.sem == theirs.sem)


_WHEN = attrgetter("when")


class MeanFieldMethod(Method[MeanField, OptionsT]):
    """Method that stores the distributions suggested and played, with their average payoffs.

    Outcomes stand in the order of their rounds, whenever they are told. External data precede all
    rounds, in the order in which they were added; where payoffs drift they stand at their time. All
    payoffs inside are in units of `sign · value`, so larger is better.
    """

    complete: ClassVar[bool] = True

    solves = MeanField

    def __init__(
        self, problem: MeanField, options: OptionsT, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        self._read_results: dict[str, tuple[Result, ToldAverage]] = {}  # each outcome is read once
        self._past: tuple[tuple[Result, ...], list[ToldAverage]] = (), []
        self._suggested: dict[str, TableArray] = {}

    # -- outcomes ----------------------------------------------------------------------------------

    @property
    def past(self) -> list[ToldAverage]:
        """All outcomes as they stand now, oldest first."""
        if self._past[0] is not self.history.results:
            self._past = self.history.results, self.told_of(self.history.results)
        return self._past[1]

    def told_of(self, results: Sequence[Result]) -> list[ToldAverage]:
        """Outcomes among results, oldest first."""
        return sorted((self._read(each) for each in results if each.outcome is not None), key=_WHEN)

    def _read(self, result: Result) -> ToldAverage:
        """Read an outcome as it stands."""
        before = self._read_results.get(result.name)
        if before is None or before[0] is not result:
            before = self._read_results[result.name] = result, self._told(result)
        return before[1]

    def _told(self, result: Result) -> ToldAverage:
        assert result.outcome is not None
        if result.played is not None:
            when, number, row = context_of(result.played.request), result.number, 0
        else:
            when = {TIME.name: result.time} if self.problem.timed else {}
            number = 0
            row = number_of(result.name)
        outcome = replace(result.outcome, realised={**when, **result.outcome.realised})
        table = self.problem.table(outcome.realised["distribution"])
        return ToldAverage(
            (float(outcome.realised[TIME.name]) if self.problem.timed else 0.0, number, row),
            result.name,
            outcome,
            table,
            self.problem.sign * self.problem.average(outcome),
            self.key(self.counts_of(table)),
        )

    def suggested(self, played: Round) -> TableArray:
        """Distribution that was suggested in a round, (C, A)."""
        asked = played.suggestion
        if asked.token not in self._suggested:
            self._suggested[asked.token] = self.problem.table(asked.values["distribution"])
        return self._suggested[asked.token]

    def _suggested_key(self, played: Round) -> bytes:
        return self.key(self.counts_of(self.suggested(played)))

    @property
    def forgotten_until(self) -> tuple[float, int, int] | None:
        """Place of the last outcome that is forgotten; None: none is."""
        return None

    @property
    def n_forgotten(self) -> int:
        """Number of the oldest outcomes that are no longer learned from."""
        return (
            0
            if self.forgotten_until is None
            else bisect_right(self.past, self.forgotten_until, key=_WHEN)
        )

    @property
    def recent(self) -> list[ToldAverage]:
        """Outcomes that are learned from, oldest first."""
        return self.past[self.n_forgotten :]

    @property
    def outcomes(self) -> list[Outcome]:
        """Outcomes that are learned from."""
        return [told.outcome for told in self.recent]

    @property
    def tables(self) -> list[TableArray]:
        """Distributions really played, (C, A), one for each of `outcomes`."""
        return [told.table for told in self.recent]

    @property
    def names(self) -> list[str]:
        """Names of `outcomes`."""
        return [told.name for told in self.recent]

    @property
    def keys(self) -> set[bytes]:
        """Keys of the counts suggested or played; those that were forgotten may be played again."""
        old = {told.name for told in self.past[: self.n_forgotten]}
        suggested = (
            self._suggested_key(each) for each in self.history if each.suggestion.token not in old
        )
        return {*suggested, *(told.key for told in self.recent)}

    def averages(self) -> Float[np.ndarray, " n"]:
        """Return the population's average of every outcome, (n,); with representative feedback the agent's payoff."""
        return np.array([told.average for told in self.recent])

    def played(self, request: Mapping[str, Any], pending_only: bool = False) -> set[bytes]:
        """Return the keys of the tables suggested or played so far, or only of those without an outcome.

        With seen variables, of rounds in which the same values were seen.
        """
        if not pending_only and not self.problem.space.seen:
            return self.keys
        rounds = self.history.unresolved if pending_only else tuple(self.history)
        seen = request.get("context", {})
        alike = [
            r for r in rounds if all(r.realised.get(name) == value for name, value in seen.items())
        ]
        return {self._suggested_key(each) for each in alike}

    def counts_of(self, table: TableArray) -> Int[np.ndarray, "C A"]:
        """Return the nearest numbers of agents, for comparisons."""
        return np.rint(table * self.problem.agents_in[:, None]).astype(np.int64)

    @staticmethod
    def key(counts: Int[np.ndarray, "C A"]) -> bytes:
        """Return a hashable key of counts."""
        return counts.tobytes()

    # -- choosing ----------------------------------------------------------------------------------

    def region(self, request: Mapping[str, Any]) -> Region:
        """Return the feasible tables, within the largest move from the present distribution."""
        if "current" not in request:
            return self.problem.region
        return self.problem.region.around(
            self.problem.table(request["current"]), self.problem.largest_move
        )

    def whole(
        self, region: Region, table: TableArray, random: np.random.Generator
    ) -> Int[np.ndarray, "C A"]:
        """Round a table to whole agents by the problem's rule."""
        return (
            region.sampled(table, random)
            if self.problem.rounding == "sampled"
            else region.whole(table)
        )

    def spread(
        self, region: Region, random: np.random.Generator, around: TableArray | None = None
    ) -> TableArray:
        """Draw a feasible table near another one (None: the usual): its product with a softmax of uniform numbers."""
        near = self.usual if around is None else around
        shares = near * np.exp(random.random(self.problem.simplex.shape)) * region.allowed
        return region.project((shares / shares.sum(axis=1, keepdims=True))[None])[0]

    def fresh(
        self, region: Region, random: np.random.Generator, taken: set[bytes]
    ) -> Int[np.ndarray, "C A"]:
        """Draw the counts of a random table, if possible not `taken`: of `spread`, then of a wider distribution.

        They lie near the usual spread or, where that has not worked and another has, near the best
        of these. Where rounds have failed and none has worked, they are of the wide distribution.
        """
        around = self._around() if self.history.failed else None
        anywhere = self.history.failed >= FEWEST and not self.past
        for _ in range(_TRIES):
            counts = self.whole(region, self.spread(region, random, around), random)
            if self.key(counts) not in taken and not anywhere:
                return counts
            wide = np.exp(3 * random.standard_normal((1, *self.problem.simplex.shape)))
            counts = region.sampled(region.project(wide)[0], random)
            if self.key(counts) not in taken:
                break
        return counts

    def _around(self) -> TableArray | None:
        """Best distribution that worked, where the usual spread has not; None where that has, or nothing has."""
        usual, told = self.key(self.usually(self.problem.region)), self.recent
        if not told or usual in [each.key for each in told]:
            return None
        return max(told, key=lambda each: each.average).table

    @property
    def usual(self) -> TableArray:
        """Spread that others are compared with: today's, or the even one where none is told, (C, A)."""
        return (
            np.ones(self.problem.simplex.shape)
            if self.problem.today is None
            else self.problem.today
        )

    def usually(self, region: Region) -> Int[np.ndarray, "C A"]:
        """Return the feasible counts nearest to the usual spread."""
        return region.whole(region.project(self.usual[None])[0])

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`: the only scope, and the numbers of agents."""
        if asked.scope != SCOPE:
            raise InvalidStudy("scope", str(asked.scope), str(SCOPE))
        if "counts" in asked.values:
            sizes = self.problem.agents_in
            feedback.counts(self.problem.simplex, asked.values["counts"], sizes, "values.counts")

    def choice(self, counts: Int[np.ndarray, "C A"], **note: Any) -> Choice:
        """Return the choice of these numbers of agents."""
        return Choice(
            SCOPE,
            self.problem.settings(counts / self.problem.agents_in[:, None], counts),
            note=note,
        )

    def play_at(self, values: Mapping[str, Any], request: Mapping[str, Any]) -> Choice:
        """See `Method.play_at`.

        Raises:
            InvalidRequest: more agents move from the present distribution than may.
        """
        most, current = self.problem.largest_move, request.get("current")
        if most is not None and current is not None:
            region = replace(
                self.problem.region, present=self.problem.table(current), largest_move=most
            )
            moved = region.moved(self.problem.table(values["distribution"]))
            if moved.max() > most + _ROUNDING:
                said = f"{moved.max():.4g} of the agents of {self.problem.contexts[int(moved.argmax())]!r} move"
                allowed = f"a distribution to which at most {most:.4g} of a context's agents move: here {said}"
                raise InvalidRequest("values", dict(values), allowed)
        return Choice(SCOPE, values)

    # -- answers -----------------------------------------------------------------------------------

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """Recommend the best feasible distribution played, among the comparable outcomes."""
        tables, kept = self.playable()
        if not kept.any():
            return self.unknowing()
        averages, near = self.averages(), self._comparable(context)
        best = int(
            np.where(near & kept if (near & kept).any() else kept, averages, -np.inf).argmax()
        )
        values = self.problem.settings(tables[best])
        found = self.problem.sign * float(averages[best])
        return Recommendation(SCOPE, values, found, reasons=(reason("best-played"),))

    def _comparable(self, context: Mapping[str, Any]) -> Bool[np.ndarray, " n"]:
        """Choose the outcomes to compare: the latest if payoffs drift, the nearest contexts if variables are seen."""
        n, space = len(self.outcomes), self.problem.space
        if self.problem.timed:
            far = -np.array([outcome.realised[TIME.name] for outcome in self.outcomes])
        elif space.seen:
            gaps = space.encode([outcome.realised for outcome in self.outcomes]) - space.encode(
                [context]
            )
            far = (np.where(space.categorical, gaps != 0.0, gaps) ** 2).sum(axis=1)
        else:
            return np.ones(n, dtype=bool)
        chosen = np.zeros(n, dtype=bool)
        chosen[np.argsort(far, kind="stable")[: max(COMPARABLE, n // 4)]] = True
        return chosen

    def findings(self) -> Sequence[Finding]:
        """Find that there are more outcomes than the model is conditioned on."""
        return self.subset_used(unnoticed=False)

    def subset_used(self, *, unnoticed: bool) -> list[Finding]:
        """Find that only some outcomes are used; `unnoticed`: so that changes for good are noticed no more."""
        outcomes = len(self.outcomes)
        if outcomes <= MOST_COUNTED:
            return []
        return [
            finding("subset", outcomes=outcomes, counted_ones=MOST_COUNTED, unnoticed=unnoticed)
        ]

    def bound_inflation(self, scope: Scope) -> float:
        """Return the factor of Student's t for a scale learned from the population's averages, times `MISFIT`."""
        before = self.problem.before([outcome.realised for outcome in self.outcomes])
        played = np.array(self.tables).reshape(len(before), -1)
        return MISFIT * scale_inflation(np.hstack([played, before]), self.averages())

    def policy(self, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """Recommend the next step: from a present distribution, as far towards the goal as the largest move allows."""
        goal = super().policy(context, request)
        if "current" not in request:
            return goal
        table = self.problem.table(goal.values["distribution"])
        step, reasons = self._step_towards(self.region(request), table, goal.reasons)
        return PolicyStep(
            goal.scope, self.problem.settings(step), context=goal.context, reasons=reasons
        )

    def _step_towards(
        self, region: Region, goal: TableArray, reasons: tuple[Reason, ...]
    ) -> tuple[TableArray, tuple[Reason, ...]]:
        """Return the feasible step towards a table in whole agents, and reasons with its cost."""
        assert region.present is not None
        problem = self.problem
        far, most = float(region.moved(goal).max()), problem.largest_move
        share = 1.0 if most is None or far <= most else most / far
        step = (
            region.whole(region.present + share * (goal - region.present))
            / problem.agents_in[:, None]
        )
        moved = float(problem.shares @ region.moved(step))
        if share < 1:
            reasons = (reason("part-of-the-way", share=share),)
        if problem.moving_cost:
            reasons = (*reasons, reason("move-costs", cost=problem.moving_cost * moved))
        return step, reasons

    def playable(self) -> tuple[list[TableArray], Bool[np.ndarray, " n"]]:
        """Return the tables played in the nearest whole agents, and which of these satisfy the constraints.

        What was told may be an average over a time, in which parts of an agent are somewhere.
        """
        agents = self.problem.agents_in
        counts = [largest_remainders(table, agents) for table in self.tables]
        kept = np.array([self.problem.region.keeps(whole) for whole in counts], dtype=bool)
        return [whole / agents[:, None] for whole in counts], kept

    @property
    def keeps_usual(self) -> bool:
        """Whether the usual spread keeps to the limits."""
        shares = self.usual / self.usual.sum(axis=1, keepdims=True)
        return self.problem.region.keeps(largest_remainders(shares, self.problem.agents_in))

    def usual_said(self) -> dict[str, Any]:
        """The usual spread, as reasons have it: today's or the even one, and whether it keeps to the limits."""
        return {
            "spread": "even" if self.problem.today is None else "today",
            "kept": self.keeps_usual,
        }

    def unknowing(self) -> Recommendation:
        """Recommend the usual spread, before anything is known."""
        counts = self.usually(self.problem.region)
        values = self.problem.settings(counts / self.problem.agents_in[:, None], counts)
        return Recommendation(
            SCOPE, values, reasons=(reason("nothing-known", **self.usual_said()),)
        )

    def explain(self) -> Explanation:
        """Explain by the best distributions played."""
        if not self.outcomes:
            return Explanation("nothing was told yet")
        averages = self.averages()
        best = np.argsort(-averages, kind="stable")[:5]
        rows = tuple(
            (float(self.problem.sign * averages[i]), fullest(self.problem, self.tables[i]))
            for i in best
        )
        title = "Best distributions tried"
        different = len({told.key for told in self.recent})
        return Explanation(
            f"{counted(len(self.outcomes), 'outcome')} of {counted(different, 'distribution')}",
            (Table(title, ("payoff", "most agents in"), rows),),
        )
