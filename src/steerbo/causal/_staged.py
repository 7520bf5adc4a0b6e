"""Contexts that an arm's own actions affect: their distribution given the earlier actions, and actions chosen by it.

An action with consequences that are looked at later is worth the best that later actions make of
these:

    V(x₁) = E[ max over x₂ of f(x₁, m, x₂) | do(x₁) ],

with m drawn from its conditional distribution given x₁ and the contexts seen by then, learned from
rounds of the arm and from trials that set its actions alike. This is exact for two stages. Of three
or more, actions in between are drawn along with the contexts, as they were in these rounds; when
their turn comes, they are chosen in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Float
from ..core import TIME, History, Scope
from ..gp import Averaged
from ..optim import Box, kronecker
from ..surrogate import Acquisition, Rows, ucb
from ._arms import Arm
from ._conditional_mean import Moments, Regression
from ._contexts import ContextSample, known_in, subsample
from ._costs import ActionCost
from ._feasibility import ArmFeasibility, best_feasible, infeasibility
from .models import Wanted

Act = Callable[[tuple[str, ...], Mapping[str, Any]], dict[str, Any]]
"""Function from actions that can be set, and the values known by then, to the actions' values."""

_ROWS = 200  # latest rounds and trials that the distribution of contexts is learned from
_GRID = 16  # settings of each action that are tried
_WITHIN = 64  # the same of actions within limits, where only some of them are possible
_IMAGINED = 16  # rows of contexts that an action is averaged over, for a single context seen before
_FEWEST = 4  # the same where the average is over many contexts seen before
_AROUND = 8  # settings of each action about the best ones
# half widths of the boxes around the best settings that are searched next
_REFINED = 1 / 16, 1 / 128
_TURN = (5**0.5 - 1) / 2  # of quantiles from one context to the next, which spreads them evenly


@dataclass(frozen=True, eq=False)
class AffectedContexts:
    """Joint sample of an arm's actions and contexts; contexts that actions affect are drawn given their past.

    Attributes:
        arm: the scope; all its contexts are looked at.
        sample: of its actions and contexts, in this order.
    """

    arm: Arm
    sample: ContextSample
    _fitted: dict[tuple[tuple[int, ...], int], Regression] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(cls, arm: Arm, history: History, others: Float[np.ndarray, "m d"]) -> AffectedContexts:
        """Collect the latest rounds and trials with the arm's actions, set after looking at no more than the arm does.

        Where there are fewer than columns, all points `others` of the arm's model count; a single
        row in the middle of all ranges if there are none.
        """
        space = arm.problem_space.subset(arm.actions + arm.contexts)
        names = arm.actions + arm.contexts
        order = [space.names.index(name) for name in names]
        found = list(islice(_alike(arm, history), _ROWS))
        points = space.encode(found)[:, order] if found else np.zeros((0, len(names)))
        if len(points) <= len(names) and len(others) > len(points):
            points = others[::-1][:_ROWS, : len(names)]
        if not len(points):
            points = np.full((1, len(names)), 0.5)
        return cls(arm, ContextSample(points, space.categorical[order]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.arm.actions + self.arm.contexts

    @property
    def contexts_met(self) -> Float[np.ndarray, "m c"]:
        """Contexts of the sample, the latest first."""
        return self.sample.points[:, len(self.arm.actions) :].copy()

    def law(self, known: Mapping[str, float], drawn: Sequence[str], most: int) -> Rows:
        """Distribution of the columns `drawn`, at most `most` weighted rows, given encoded values of others.

        A row counts by its nearness in known values; of its numbers only the residuals about a
        regression on that count, see `Regression`. Values stay within the range of a variable, or
        of the sample where that is wider.
        """
        seen, at = self._seen(known, drawn)
        columns = [self.names.index(name) for name in drawn]
        kinds = self.sample.categorical[columns]
        law = subsample(self._residuals(seen, at, drawn), kinds, most)
        points = law.points - np.where(kinds, 0.0, law.weights @ law.points)
        for k, name in enumerate(drawn):
            if not kinds[k]:
                column = self.sample.points[:, columns[k]]
                mean = self._line(name, drawn, known).mean
                points[:, k] = np.clip(
                    points[:, k] + mean, min(column.min(), 0.0), max(column.max(), 1.0)
                )
        return Rows(points, law.weights)

    def deviations(self, known: Mapping[str, float], drawn: Sequence[str]) -> dict[str, float]:
        """Standard deviation of the mean of each number among the columns `drawn`, given others."""
        numbers = [name for name in drawn if not self.sample.categorical[self.names.index(name)]]
        return {name: self._line(name, drawn, known).sd for name in numbers}

    def uncertainty(
        self, points: Float[np.ndarray, "r d"], value: Callable[[Float[np.ndarray, "r d"]], float]
    ) -> float:
        """Standard deviation of a policy's average value for want of knowledge how contexts follow from actions.

        To first order: the change of the value when a context is moved by one deviation of its
        mean, in all rows; the later actions stay, since the value is flat in these at their best.
        """
        arm, at, changes = self.arm, value(points), list[float]()
        seen: set[str] = set()
        for look, ready in arm.stages:
            new = [name for name in look if name in arm.affected]
            seen |= set(look) - set(new)
            each = [
                self.deviations({name: row[arm.names.index(name)] for name in seen}, new)
                for row in points
            ]
            for name in each[0] if new else ():
                moved = points.copy()
                moved[:, arm.names.index(name)] += [deviations[name] for deviations in each]
                changes.append(value(moved) - at)
            seen |= {*new, *ready}
        return float(np.linalg.norm(changes))

    def _seen(
        self, known: Mapping[str, float], drawn: Sequence[str]
    ) -> tuple[list[int], Float[np.ndarray, " k"]]:
        seen = [
            j for j, name in enumerate(self.names) if name in known and self._matters(name, drawn)
        ]
        return seen, np.array([known[self.names[j]] for j in seen])

    def _residuals(
        self, seen: list[int], at: Float[np.ndarray, " k"], drawn: Sequence[str]
    ) -> Rows:
        """Categories of rows, and residuals of their numbers, weighted by nearness."""
        columns = [self.names.index(name) for name in drawn]
        points = self.sample.points[:, columns].copy()
        for k, j in enumerate(columns):
            if not self.sample.categorical[j]:
                points[:, k] = self._regression(tuple(self._columns(drawn[k], seen)), j).residuals
        return Rows(points, self.sample.weights(seen, at))

    def _columns(self, name: str, seen: Sequence[int]) -> list[int]:
        return [j for j in seen if self._matters(self.names[j], [name])]

    def _line(self, name: str, drawn: Sequence[str], known: Mapping[str, float]) -> Moments:
        seen, at = self._seen(known, drawn)
        own = self._columns(name, seen)
        values = np.array([value for j, value in zip(seen, at, strict=True) if j in own])
        return self._regression(tuple(own), self.names.index(name)).at(values)

    def _regression(self, seen: tuple[int, ...], j: int) -> Regression:
        """Regression of column `j` on others, cached."""
        if (seen, j) not in self._fitted:
            rows, kinds = self.sample.points[:, list(seen)], self.sample.categorical[list(seen)]
            self._fitted[seen, j] = Regression(rows, kinds, self.sample.points[:, j])
        return self._fitted[seen, j]

    def _matters(self, name: str, drawn: Sequence[str]) -> bool:
        """Whether the drawn variables depend on a column: actions matter by their effects."""
        affected = self.arm.affected_by_action
        return name not in affected or bool(affected[name] & set(drawn))

    def draw(
        self, known: Mapping[str, float], drawn: Sequence[str], quantile: float
    ) -> dict[str, float]:
        """Draw columns given others; `quantile` is that of the first of them."""
        law = self.law(known, drawn, _ROWS)
        order = np.argsort(law.points[:, 0], kind="stable")
        edges = np.cumsum(law.weights[order])
        row = law.points[
            order[min(int(np.searchsorted(edges, quantile * edges[-1])), len(order) - 1)]
        ]
        return dict(zip(drawn, row.tolist(), strict=True))

    def met(self, starts: Sequence[Mapping[str, Any]], act: Act) -> list[dict[str, Any]]:
        """Contexts and settings under a policy: from each start its actions are set in turn, and contexts drawn.

        Args:
            starts: contexts, and the time if effects change with it, by name; those that actions
                affect are left out.
            act: the policy.
        """
        return [self._walk(start, act, (0.5 + k * _TURN) % 1.0) for k, start in enumerate(starts)]

    def _walk(self, start: Mapping[str, Any], act: Act, quantile: float) -> dict[str, Any]:
        arm, space = self.arm, self.arm.problem_space
        nature = {name: value for name, value in start.items() if name not in arm.affected}
        known = {
            name: value for name, value in nature.items() if name in space.seen or name == TIME.name
        }
        for look, ready in arm.stages:
            known.update({name: nature[name] for name in look if name in nature})
            if new := [name for name in look if name in arm.affected]:
                encoded = {
                    name: float(space[name].encode([known[name]])[0])
                    for name in self.names
                    if name in known
                }
                drawn = self.draw(encoded, new, quantile)
                known.update(
                    {name: space[name].decode([value])[0] for name, value in drawn.items()}
                )
            known.update(act(ready, known))
        return known


def _alike(arm: Arm, history: History) -> Iterator[dict[str, Any]]:
    """Actions and contexts of rounds, latest first, then of trials: see `AffectedContexts.of`."""
    wanted = {*arm.actions, *arm.contexts}

    def alike(scope: Scope | None) -> bool:
        looks = {} if scope is None else {name: set(seen) for name, seen in scope.actions}
        return looks.keys() == set(arm.actions) and all(
            looks[x] <= arm.contexts_of[x] for x in arm.actions
        )

    for played in reversed(list(history)):
        known = {**played.suggestion.values, **known_in(played)}
        if wanted <= known.keys() and alike(played.suggestion.scope):
            yield {name: known[name] for name in wanted}
    for data in reversed(list(history.data.values())):
        if wanted <= data.outcome.realised.keys() and alike(data.scope):
            yield {name: data.outcome.realised[name] for name in wanted}


class Found(NamedTuple):
    """Best settings of the actions held: values of all free actions, encoded, and their score."""

    point: dict[str, float]
    value: float
    infeasible: float


@dataclass(frozen=True, eq=False)
class _SearchProblem:
    """Search problem of a group of actions.

    Attributes:
        free: actions that are not set yet, or that the group must not depend on.
        held: those of them that are searched; they look at nothing that is drawn.
        late: those that adapt to the draws.
        drawn: contexts that the group does not know, and actions in between.
        usable: encoded values that the group may depend on.
        box: region of the free actions.
        score: acquisition function.
        imagined: rows of draws.
    """

    free: tuple[str, ...]
    held: tuple[str, ...]
    late: tuple[str, ...]
    drawn: tuple[str, ...]
    usable: Mapping[str, float]
    box: Box
    score: Acquisition
    imagined: int

    def around(self, found: Found, half: float, seed: int) -> Float[np.ndarray, "g f"]:
        """Settings within half widths of the best ones."""
        held = [self.free.index(x) for x in self.held]
        unit = kronecker(_AROUND * len(held), len(held), seed)
        points = np.tile([found.point[x] for x in self.free], (len(unit), 1))
        points[:, held] += half * (2.0 * unit - 1.0)
        return self.box.snap(points)


@dataclass(frozen=True, eq=False)
class StagedSearch:
    """Search for actions that are set before contexts which they affect are looked at.

    Attributes:
        arm: the scope.
        model: of its outcomes.
        contexts: how its contexts follow from its actions.
        feasibility: of its actions.
        cost: of actions whose price depends on their values, in units of the objective; None: none
            counts.
        optimistic: whether the later actions maximise the score; if not, they maximise the mean,
            which is faster.
    """

    arm: Arm
    model: Wanted
    contexts: AffectedContexts
    feasibility: ArmFeasibility
    cost: ActionCost | None = None
    optimistic: bool = False

    def best(
        self,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        score: Acquisition,
        *,
        seed: int = 0,
        refined: bool = True,
        imagined: int = _IMAGINED,
        tried: Float[np.ndarray, "p d"] | None = None,
    ) -> Found:
        """Maximise the expected `score` over the settings of a group of actions; those `tried` are not repeated.

        Args:
            group: the actions, with the same contexts.
            known: values set and seen by now, by name, and the time if effects change with it.
            score: acquisition function.
            seed: of the settings that are tried.
            refined: whether settings are sought anew about the best ones.
            imagined: rows of contexts that the score is averaged over.
            tried: (p, d) points of the arm.
        """
        asked = self._search_problem(group, known, score, imagined)
        settings = (2 if refined else 1) * _GRID * len(asked.held)
        found = self._best_of(
            asked, asked.box.place(kronecker(settings, len(asked.free), seed)), tried
        )
        for half in _REFINED if refined else ():
            better = self._best_of(asked, asked.around(found, half, seed + 1), tried)
            found = max(found, better, key=lambda each: (-each.infeasible, each.value))
        return found

    def _search_problem(
        self, group: tuple[str, ...], known: Mapping[str, Any], score: Acquisition, imagined: int
    ) -> _SearchProblem:
        arm, allowed = self.arm, self.arm.known_to(group)
        usable = arm.encoded({x: known[x] for x in arm.names if x in known and x in allowed})
        free = tuple(x for x in arm.actions if x in group or x not in usable)
        unseen = tuple(name for name in arm.contexts if name not in usable)
        adapting = [x for x in free if x not in group and arm.contexts_of[x] & set(unseen)]
        between = tuple(x for x in adapting if arm.affected_by_action[x] & set(unseen))
        held = tuple(x for x in free if x not in adapting)
        late = tuple(x for x in adapting if x not in between)
        box = self.feasibility.box(free, known)
        return _SearchProblem(free, held, late, unseen + between, usable, box, score, imagined)

    def _best_of(
        self,
        asked: _SearchProblem,
        points: Float[np.ndarray, "g f"],
        tried: Float[np.ndarray, "p d"] | None,
    ) -> Found:
        """Best of some settings of the free actions, of which the late ones are only examples."""
        arm, columns = self.arm, [asked.free.index(x) for x in asked.held]
        blocks = [self._block(asked, point) for point in points]
        values, infeasible, chosen = self._scored(
            asked, np.concatenate([rows for rows, _ in blocks])
        )
        ends = np.cumsum([0, *(len(w) for _, w in blocks)])
        share = np.concatenate([w for _, w in blocks])
        worth, lacking = (np.add.reduceat(share * each, ends[:-1]) for each in (values, infeasible))
        again = np.zeros(len(points), dtype=bool)
        if tried is not None and len(tried):
            theirs = tried[:, None, [arm.names.index(x) for x in asked.held]]
            again = (theirs == points[:, columns]).all(axis=2).any(axis=0)
        fresh = np.flatnonzero(~again) if not again.all() else np.arange(len(points))
        g = max(fresh, key=lambda g: (-lacking[g], worth[g]))
        row = chosen[ends[g] + int(blocks[g][1].argmax())]
        return Found(
            {x: float(row[arm.names.index(x)]) for x in asked.free},
            float(worth[g]),
            float(lacking[g]),
        )

    def _block(
        self, asked: _SearchProblem, point: Float[np.ndarray, " f"]
    ) -> tuple[Float[np.ndarray, "k l d"], Float[np.ndarray, " k"]]:
        """Points of the arm with these settings: each drawn row with each of the late settings; weights of the rows."""
        now = dict(zip(asked.free, point.tolist(), strict=True))
        held = {x: now[x] for x in asked.held}
        law = (
            self.contexts.law({**asked.usable, **held}, asked.drawn, asked.imagined)
            if asked.drawn
            else _NOTHING
        )
        late = self._late(asked, point)
        known = [{**asked.usable, **held}.get(name, 0.0) for name in self.arm.names]
        block = np.tile(known, (len(law.weights), len(late), 1))
        block[:, :, [self.arm.names.index(name) for name in asked.drawn]] = law.points[:, None]
        block[:, :, [self.arm.names.index(name) for name in asked.late]] = late
        return block, law.weights

    def _late(
        self, asked: _SearchProblem, point: Float[np.ndarray, " f"]
    ) -> Float[np.ndarray, "l k"]:
        """Settings of the late actions that are possible after these ones, the same number after any."""
        k = len(asked.late)
        if not k:
            return np.zeros((1, 0))
        columns = [asked.free.index(x) for x in asked.late]
        grid = self.arm.box(asked.late).place(
            kronecker((_WITHIN if asked.box.constrained else _GRID) * k, k)
        )
        if not asked.box.constrained:
            return grid
        full = np.tile(point, (len(grid), 1))
        full[:, columns] = grid
        return np.where(asked.box.allows(full)[:, None], grid, point[columns])

    def _scored(
        self, asked: _SearchProblem, rows: Float[np.ndarray, "r l d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Score of each row where the late actions are best, its infeasibility, and the row itself."""
        shape, flat = rows.shape[:2], rows.reshape(-1, rows.shape[2])
        margins = self.feasibility.margins_at(flat)
        margins = None if margins is None else margins.reshape(shape)
        scored = self.optimistic or shape[1] == 1
        model = self.model.model if isinstance(self.model, Averaged) else self.model
        values = (
            self._score(asked, flat) if scored else model.means(flat) - self._price(asked, flat)
        )
        values = values.reshape(shape)
        best, each = best_feasible(values, margins), np.arange(len(rows))
        chosen = rows[each, best]
        found = values[each, best] if scored else self._score(asked, chosen)
        return found, infeasibility(margins, len(best)), chosen

    def _score(
        self, asked: _SearchProblem, points: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, " m"]:
        mean, variance = self.model.marginals(points)
        none = np.zeros((len(mean), 0))
        return np.asarray(asked.score((mean, np.sqrt(variance), none, none))[0]) - self._price(
            asked, points
        )

    def _price(
        self, asked: _SearchProblem, points: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, " m"]:
        if self.cost is None or not self.cost.value_per_cost:
            return np.zeros(len(points))
        return self.cost.in_value(
            asked.free, points[:, [self.arm.names.index(x) for x in asked.free]]
        )

    # -- on average over contexts ------------------------------------------------------------------

    def under_policy(
        self,
        starts: Sequence[Mapping[str, Any]],
        score: Acquisition | None = None,
        *,
        refined: bool = False,
    ) -> Float[np.ndarray, "r d"]:
        """Points of the arm under its best policy, one from each start; see `AffectedContexts.met`.

        The best policy maximises `score` (None: the mean), on a grid unless `refined`.
        """
        arm, found = self.arm, dict[Any, dict[str, Any]]()
        imagined, wanted = _imagined(starts, arm), score or ucb(0.0)

        def act(ready: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
            key = ready, tuple(known.items())
            if key not in found:
                values = dict(known)
                for group in arm.groups(ready):
                    best = self.best(
                        group, values, wanted, refined=refined, imagined=imagined
                    ).point
                    values |= arm.decode(group, np.array([best[x] for x in group]))
                found[key] = {x: values[x] for x in ready}
            return found[key]

        return arm.encode_rows(self.contexts.met(starts, act))

    def highest(self, starts: Sequence[Mapping[str, Any]], score: Acquisition) -> float:
        """Largest expected score of the actions set first, on average over values seen before, in the user's units."""
        arm, found = self.arm, dict[Any, float]()
        imagined = _imagined(starts, arm)
        for start in starts:
            seen = {name: value for name, value in start.items() if name not in arm.affected}
            if (key := tuple(seen.items())) not in found:
                group = arm.groups(arm.stages[0][1] or arm.actions)[0]
                found[key] = self.best(group, seen, score, refined=False, imagined=imagined).value
        every = [
            found[tuple((n, v) for n, v in start.items() if n not in arm.affected)]
            for start in starts
        ]
        return float(self.model.unstandardise(np.array(every)).mean())


# one row without a column: no context is left to average over
_NOTHING = Rows(np.zeros((1, 0)), np.ones(1))


def _imagined(starts: Sequence[Mapping[str, Any]], arm: Arm) -> int:
    """Rows of contexts to average over: fewer if the average is over several starts as well."""
    several = {tuple((n, v) for n, v in start.items() if n not in arm.affected) for start in starts}
    return max(_FEWEST, _IMAGINED // max(len(several), 1))
