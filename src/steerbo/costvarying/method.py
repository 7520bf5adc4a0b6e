"""What this wing's methods share: one Gaussian process for all control sets, the costs seen, the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..bandit import Arms
from ..gp import Regression
from ..rounds import (
    COMPARABLE,
    TIME,
    Added,
    Amended,
    Asked,
    Choice,
    Event,
    Failed,
    History,
    OptionsT,
    PolicyStep,
    Recommendation,
    Round,
    Scope,
    Streams,
    Table,
    Told,
    known_before,
    now,
    place_in_batch,
    time_of,
)
from ..search import Maximum
from ..space import Measured
from ..surrogate import Standardised, drawn, parts_of, polished, risen, rows_at
from .control_sets import Arm, Outlook
from .learning import STARTING_POINTS, Learning
from .problem import CostVarying
from .recommendation import possible_gain, recommendation

PLOT = 3
"""Starting points that share what is hard to change: a plot of three, and the beginning of another one."""
_DRAWN = 64  # starting points at random, of which the first is taken that is likely to work


class PartialControl(Learning[OptionsT]):
    """A method with one Gaussian process over all variables: what a cheap set teaches, the dear ones know too.

    Everything inside is in units of `sign · value`, so that larger is better.
    """

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.plays = np.zeros(len(self.sets), dtype=int)

    def learn(self, event: Event, history: History) -> None:
        """Take one event in: data go to the model, choices are counted, costs taken down, nature's laws learned."""
        super().learn(event, history)
        self.nature.learn(event, history)
        if not isinstance(event, Asked):
            self.forget_ends()
        match event:
            case Asked():  # what is pending lowers bounds, and so the ends of searches are of use
                self.plays[self.problem.number(event.scope)] += 1
            case Told() | Failed():
                self.pay(history[event.token], history)
            case Added():
                self.pay_past(event)
            case Amended():
                self.arms = Arms.new(len(self.sets))
                for past in history.data.values():
                    self.pay_past(past)
                for played in history:
                    if not played.waiting:
                        self.pay(played, history)
            case _:
                pass

    # -- the model -----------------------------------------------------------------------------------------------------

    def outlook(
        self,
        history: History,
        request: Mapping[str, Any],
        pending: bool = True,
        staying: bool = False,
        answering: bool = False,
    ) -> Outlook:
        """What a choice is made on; with `pending`, points without an outcome shrink the process's variance.

        `staying`: also arms of which hard-to-change variables stay where they are. `answering`: bounds count what data
        leave open of nature's laws.
        """
        points = self._unknown(history) if pending else np.empty((0, len(self.columns_of_model)))
        present = self.problem.present(history) if staying else {}
        time = request.get(TIME.name, now(history)) if self.problem.timed else None
        model = self.model if answering else self.playing(len(history) + 1)
        process = Standardised.of(model, points, time)
        found = self.looking(process, request.get("context", {}), present, answering, time)
        each = [Standardised.of(member, points, time) for member in self.model.members] if answering else []
        follows = place_in_batch(request).follows and not self.model.members  # else ends are those of another draw
        return replace(found, follows=follows, processes=each)

    def playing(self, number: int) -> Regression[Any]:
        """The model that round `number` is chosen by: with a draw of the hyperparameters."""
        return self.model.member(self.streams.integer(number, "hyperparameters"))

    def _unknown(self, history: History) -> np.ndarray:
        """Encoded points of rounds without an outcome, (p, d)."""
        return np.array([self.imagined(played) for played in history.unknown]).reshape(-1, len(self.columns_of_model))

    def imagined(self, played: Round) -> np.ndarray:
        """An encoded point (d,): what nature chose, and nobody measured, is drawn, always by the same numbers."""
        known = self._encoded({name: value for name, value in played.realised.items() if name in self.space})
        if self.problem.timed:
            known[TIME.name] = time_of(played)
        unit = self.streams(played.number, "nature").random((1, len(self.columns_of_model)))
        return drawn(parts_of(self.columns_of_model, (), known, self.nature.at(known)), unit)[0]

    def best_of(
        self, sets: Sequence[int], outlook: Outlook, number: int, beta: float
    ) -> tuple[np.ndarray, list[Maximum]]:
        """In round `number` the largest upper bound of each of `sets`, in units of `sign · value`, and where."""
        found = [one for (one,) in self.search(outlook, sets, [beta], self.streams.integer(number, "search"))]
        return np.array([self.raw(each.value) for each in found]), found

    def point_to_play(self, i: int, found: Maximum, outlook: Outlook, number: int, beta: float) -> np.ndarray:
        """What a search of arm `i` found, polished. Bounds stay as the search found them."""
        if outlook.follows:
            found = risen(outlook.process, outlook.domains[i], found, beta)
        seed = self.streams.integer(number, f"polish {i}")
        return polished(self.expectation(outlook, i, product=False), outlook.domains[i].box, found, beta, seed).point

    def maximal(self, sets: Sequence[int]) -> list[int]:
        """Those of `sets` that lie in no other of them: what a set can reach, a larger one can."""
        if self.problem.limits:  # what nature may do is perhaps not allowed to set
            return list(sets)
        return [i for i in sets if not any(set(self.sets[i]) < set(self.sets[j]) for j in sets)]

    def start(self, history: History, request: Mapping[str, Any]) -> Choice | None:
        """Until `STARTING_POINTS` points are known or pending: the sets in turn, settings drawn uniformly.

        Where changes have a price, they come in plots: `PLOT` plays of a set, or a batch, of which only the first moves
        anything. Where one stands comes before all of these, unless there are data.
        """
        if len(self.model) + len(history.pending) >= STARTING_POINTS:
            return None
        if self.problem.current is not None and not len(history) and not len(self.model):
            return self.play(history, *self.standing(), request)
        draw, affordable = self.streams(len(history) + 1, "start"), np.flatnonzero(self.affordable(history))
        plot, place = divmod(len(history), PLOT if self.problem.space.changes else 1)
        i = int(affordable[plot % len(affordable)])
        if (batch := place_in_batch(request)).of > 1:
            place = batch.number - 1
        if place > 0 and history.latest:
            same = self.problem.number(history.latest.suggestion.scope)
            i = same if same in affordable else i
        arm, unit = Arm(i), draw.random((1, len(self.sets[i])))
        point = self.placed(arm, request.get("context", {}), unit)
        if self.failing.failures:
            units = np.concatenate([unit, draw.random((_DRAWN - 1, len(self.sets[i])))])
            point = self.likely(arm, request.get("context", {}), units)
        if place > 0:
            arm, point = self.staying(arm, point, self.problem.present(history), request)
        return self.play(history, arm, point, request)

    def standing(self) -> tuple[Arm, np.ndarray]:
        """Where one stands: the arm, and the encoded point."""
        current = self.problem.current or {}
        i = next(i for i, names in enumerate(self.problem.control_sets) if set(names) == set(current))
        codes = self._encoded(current)
        return Arm(i), np.array([codes[self.space.names[d]] for d in self.sets[i]])

    def raw(self, standardised: float) -> float:
        """From standardised units to units of `sign · value`."""
        return float(self.model.raw(standardised))

    def worst(self, outlook: Outlook) -> float:
        """The smallest posterior mean at the data, in units of `sign · value`; 0 before there are any."""
        return float(self._means(outlook).min()) if len(self.model) else 0.0

    def seen_range(self, outlook: Outlook) -> float:
        """Largest less smallest posterior mean at the data: the objective's range without its noise."""
        return float(np.ptp(self._means(outlook))) if len(self.model) else 0.0

    def _means(self, outlook: Outlook) -> np.ndarray:
        """Posterior means at the data, (n,), moved to what is seen now, and to now: nobody chose how it was before."""
        points = self.model.inputs.copy()
        for name, value in outlook.known.items():
            points[:, self.columns_of_model.index(name)] = value
        return self.model.raw(self.model.means(points))

    def expected_outcome(self, history: History, event: Told | Added) -> tuple[float, float, float] | None:
        """See `Method.expected_outcome`: by the posterior of the objective where the evaluation really was."""
        if len(self.model) < COMPARABLE or (isinstance(event, Added) and self.course is not None):
            return None
        name, played = (event.token, history[event.token]) if isinstance(event, Told) else ("", None)
        point, value = self._row(event.outcome, name, played)
        mean, deviation = self.model.predictive(point)
        sign = self.problem.sign
        return sign * value, sign * mean, deviation

    # -- the answer ----------------------------------------------------------------------------------------------------

    def _recommend_at(self, history: History, context: Mapping[str, Any]) -> Recommendation:
        """The cheapest control set whose best expected value is acceptable, and what the others would give."""
        return recommendation(self, self._answering(history, context))

    def _answering(self, history: History, context: Mapping[str, Any]) -> Outlook:
        """What an answer rests on in a context: all draws of the hyperparameters, and no pending points."""
        seen = {name: value for name, value in context.items() if name in self.space}
        return self.outlook(history, {**context, "context": seen}, pending=False, answering=True)

    def widening(self, history: History, scope: Scope) -> float:
        """Infinite until outcomes tell a scale; from then on bounds are those of the posterior."""
        return self.following.widening

    def _gain_at(self, history: History, context: Mapping[str, Any]) -> float:
        """See `possible_gain`; infinite until there are enough outcomes and these tell a scale."""
        if len(self.model) < STARTING_POINTS or not self.widening(history, self.problem.scopes[0]) < np.inf:
            return np.inf
        return possible_gain(self, self._answering(history, context))

    def rooms(self, history: History, advice: Recommendation) -> Sequence[float | None]:
        """See `Method.rooms`; what nature draws of a sum counts at the quantile that the limit has for it."""
        i = self.problem.number(advice.scope)
        parts = self.parts_at(i, self._encoded(advice.context))
        rooms = self.limits.rooms(self.sets[i], parts, advice.values)
        held = {self.space.index(name): code for name, code in self._encoded(advice.values).items()}
        for k, limit in enumerate(self.problem.limits or ()):
            if isinstance(limit, Measured) and (each := self.watching.by_name[limit.name]).informed:
                rooms[k] = each.room(rows_at(parts, held))
        return rooms

    def policy(self, history: History, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """What is recommended where this is seen, and when this is asked for."""
        self.check_informed(history)
        known = {**self._present_context(history), **known_before(request), **context}
        advice = self._answer_at(history, known)
        return PolicyStep(advice.scope, advice.values, context=dict(context), note=advice.note)

    def table_of_sets(self, history: History) -> Table:
        """Plays and mean cost of every set, "unknown" where no cost was told."""
        costs = self.mean_costs()
        rows = (
            (str(scope), int(self.plays[i]), "unknown" if np.isnan(costs[i]) else float(costs[i]))
            for i, scope in enumerate(self.problem.scopes)
        )
        return Table("Control sets", ("set", "plays", "mean cost"), tuple(rows))
