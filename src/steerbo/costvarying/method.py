"""Base of the wing's methods: its parts, how arms are searched, and how one becomes a play.

A method has a search space, a cost model (`_costs.py`: which sets are affordable), a surrogate and
answers (`_answers.py`), and adds `choose`, which begins with a `starting_play` (`_starting.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from .._arrays import Bool, Float, Int
from .._wording import counted
from ..core import (
    SEEN,
    TIME,
    Choice,
    DataAdded,
    Explanation,
    Finding,
    History,
    Method,
    OptionsT,
    OutcomeTold,
    PolicyStep,
    Reason,
    Recommendation,
    Scope,
    Streams,
    Suggestion,
    Table,
    batch_position,
    context_of,
    now,
    read_note,
    reason,
)
from ..errors import InvalidContext, InvalidStudy
from ..gp import GPRegression
from ..optim import Maximum
from ..records import record
from ..space import OutcomeConstraint
from ..surrogate import (
    Part,
    ProductKernelPosterior,
    climb_from,
    polished,
    read_likely,
    rows_at,
)
from ._answers import Answers
from ._costs import CostModel
from ._surrogate import Surrogate
from ._today import Today
from .problem import CostVarying
from .search_space import Arm, Candidates, SearchSpace

_DRAWN = 64  # random starting points, of which the first that is likely to work is taken
_FAILS = 0.5  # probability to work, as a share of the likeliest set's, at which a set is left out


@record
class _Repeated:
    """Part of the note of a play that repeats another one.

    Args:
        repeats: name of the doubted outcome.
    """

    repeats: str | None = None


class CostVaryingMethod(Method[CostVarying, OptionsT]):
    """A method with one surrogate over all variables: plays of a cheap control set inform the expensive ones.

    Attributes:
        search_space: the control sets as searchable domains.
        m: number of control sets.
        costs: of plays: the mean of every control set, or over their settings.
        surrogate: posterior of `sign · value`, and feasibility.
        today: today's settings, and how far from them plays may go.
        answers: what is recommended, predicted, and may still be gained.
        rule: by which sets are chosen, in words, where nothing more is explained.
    """

    complete: ClassVar[bool] = True

    solves = CostVarying
    rule: ClassVar[str] = ""

    def __init__(
        self, problem: CostVarying, options: OptionsT, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        self.m = len(problem.control_sets)
        self.search_space = SearchSpace(problem, history)
        self.costs = CostModel(problem, history)
        self.surrogate = Surrogate(problem, self.search_space, streams, history)
        self.today = Today(self.surrogate)
        self.answers = Answers(self.surrogate, self.costs, self.today, self.keeps_limits)

    # -- learning ----------------------------------------------------------------------------------

    def sem_unused(self) -> str:
        """See `Method.sem_unused`: models take it into account."""
        return ""

    def sources_unused(self) -> str:
        """See `Method.sources_unused`: the model of one objective that stands still tells sources apart."""
        if self.problem.drift is not None:
            return "the objective drifts, so that old data count by their ‹time›"
        if self.problem.outcomes:
            return "the value is traded against other outcomes"
        return ""

    @property
    def learns_costs(self) -> bool:
        """See `Method.learns_costs`."""
        return self.costs.of_settings.learns

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        self.surrogate.check_fit()
        if self.costs.of_settings.learns:
            _ = self.costs.of_settings.model

    @property
    def plays(self) -> Int[np.ndarray, " m"]:
        """Plays of each control set."""
        sets = [self.problem.number(each.suggestion.scope) for each in self.history]
        return np.bincount(sets, minlength=self.m)

    def refit(self) -> Mapping[str, Any] | None:
        """See `Surrogate.refit`; with the variables that costs depend on, if any."""
        found = self.surrogate.refit()
        return None if found is None else {**found, **self.costs.of_settings.fit()}

    def expected_outcome(self, event: OutcomeTold | DataAdded) -> tuple[float, float, float] | None:
        """See `Surrogate.expected_outcome`."""
        return self.surrogate.expected_outcome(event)

    def expected_further(self, event: OutcomeTold | DataAdded) -> Mapping[str, tuple[float, float]]:
        """See `Method.expected_further`."""
        return self.surrogate.expected_further(event)

    def outliers(self) -> Sequence[str]:
        """See `Surrogate.outliers`."""
        return self.surrogate.outliers()

    def findings(self) -> Sequence[Finding]:
        """See `Method.findings`."""
        return [*self.surrogate.findings(), *self.costs.contradicted()]

    def finished(self) -> str:
        """Report that no control set fits into the remaining budget, if so; values seen later are unknown."""
        fits = self.costs.affordable() if self.problem.space.seen else self._fitting({})
        return "" if fits.any() else "no control set fits into what is left of the budget"

    # -- choosing ----------------------------------------------------------------------------------

    @property
    def model(self) -> GPRegression[Any]:
        """Gaussian process of `sign · value` over all variables."""
        return self.surrogate.model

    def candidates(
        self,
        request: Mapping[str, Any],
        *,
        pending: bool = True,
        staying: bool = False,
        mixed: bool = False,
    ) -> Candidates:
        """Build the candidate arms of the next round; those of an answer are `Answers.candidates`.

        Args:
            request: of `ask`.
            pending: whether points without an outcome shrink the posterior's variance, as if it
                were known.
            staying: whether arms are added that keep hard-to-change variables in place, or near it.
            mixed: whether a choice, which rests on one draw of the hyperparameters, is to know
                every other one, too.
        """
        points = (
            self.surrogate.pending_points()
            if pending
            else np.empty((0, len(self.search_space.columns)))
        )
        time = request.get(TIME.name, now(self.history)) if self.problem.timed else None
        model = self.surrogate.for_next_round()
        members, seen = self.model.members, request.get(SEEN.name, {})
        return self.search_space.candidates(
            ProductKernelPosterior.of(model, points, time),
            seen,
            partial(self.surrogate.feasible, self.surrogate.feasibility),
            self.search_space.nature.at,
            positions=self.problem.keepable_positions(self.history) if staying else None,
            time=time,
            # else ends are those of another draw
            follows=batch_position(request).follows and not members,
            posteriors=ProductKernelPosterior.of_each(members, points, time) if mixed else [],
            reach=self.today.reach(seen, time),
        )

    @property
    def search_seed(self) -> int:
        """Seed of the next round's searches: one for all, so that they share what they know of a region."""
        return self.streams.integer(self.history.next_round, "search")

    def wide_upper_bounds(
        self, candidates: Candidates, arms: Sequence[int], beta: float
    ) -> tuple[Float[np.ndarray, " k"], list[Maximum]]:
        """Maximise `E μ + β sqrt(E σ²)` over each of some arms in the next round.

        Returns:
            The maxima in units of `sign · value`, failures counted, and the search's results.
        """
        found = self.search_space.search(candidates, arms, beta, self.search_seed)
        return self.upper_values(candidates, arms, found), found

    def narrow_upper_bounds(
        self, candidates: Candidates, arms: Sequence[int], beta: float
    ) -> tuple[Float[np.ndarray, " k"], list[Maximum]]:
        """Maximise `E μ + β sd[g]` over each of some arms; results as of `wide_upper_bounds`."""
        found = self.search_space.search(candidates.narrow, arms, beta, self.search_seed)
        return self.upper_values(candidates, arms, found), found

    def upper_values(
        self, candidates: Candidates, arms: Sequence[int], found: Sequence[Maximum]
    ) -> Float[np.ndarray, " k"]:
        """Values of a search in units of `sign · value`, failures counted, (k,)."""
        upper = np.array([self.surrogate.unstandardised(one.value) for one in found])
        return self.surrogate.with_failure(
            upper, candidates, [candidates.arms[a].set for a in arms]
        )

    def width(
        self, candidates: Candidates, i: int, point: Float[np.ndarray, " c"], beta: float
    ) -> float:
        """w_i, the uncertainty of the expected value of a play of arm `i`, in units of the objective."""
        _, deviation = candidates.expected_value(i).moments(point[None])
        return float(2 * beta * self.model.scale * float(deviation[0]))

    def point_to_play(
        self, candidates: Candidates, i: int, found: Maximum, beta: float
    ) -> Float[np.ndarray, " c"]:
        """Polish the maximum found for arm `i` on `E[μ + βσ]`, and return its point."""
        domain = candidates.domains[i]
        if candidates.follows:
            found = climb_from(candidates.posterior, domain, found, beta)
        seed = self.streams.integer(self.history.next_round, f"polish {i}")
        return polished(candidates.expected_mean(i), domain.box, found, beta, seed).point

    def working(self, sets: Sequence[int]) -> list[int]:
        """Control sets of `sets` that are not known to fail more often than not, as compared with others; or all."""
        if not self.surrogate.feasibility.failures.failures:
            return list(sets)
        every = [self._parts_now(i, {}) for i in range(self.m)]
        likely = self.surrogate.chances(every)
        return [i for i in sets if likely[i] > _FAILS] or list(sets)

    def maximal(self, sets: Sequence[int]) -> list[int]:
        """Control sets of `sets` that no other working one contains: a larger set reaches at least as much."""
        if self.problem.limits:  # constraints may forbid a setting that nature may draw
            return list(sets)
        columns, sets = self.search_space.sets, self.working(sets)
        return [i for i in sets if not any(set(columns[i]) < set(columns[j]) for j in sets)]

    def affordable(self, request: Mapping[str, Any]) -> Bool[np.ndarray, " m"]:
        """Whether each control set fits into the remaining budget in this context, with the least switching.

        Raises:
            InvalidContext: none does here, since constraints do not let a hard-to-change variable
                stay where it is.
        """
        seen = request.get(SEEN.name, {})
        if not (fits := self._fitting(seen)).any():
            why = (
                "Limits do not let what is hard to change stay in place here, and the money left does not pay for "
                "moving it."
                if self.problem.space.changes
                else "The money left does not pay for any settings here."
            )
            hint = f"{why} Ask in another context, or give the study more ‹budget› by ‹revise›."
            raise InvalidContext(
                "context",
                dict(seen),
                f"one in which a round fits into {self.history.remaining:.6g}",
                hint,
            )
        return fits

    def _fitting(self, context: Mapping[str, Any]) -> Bool[np.ndarray, " m"]:
        fits = self.costs.affordable()
        if self.problem.cost_formulas is not None and self.history.budget is not None:
            for i in np.flatnonzero(fits).tolist():
                fits[i] = len(self._paid_for(Arm(i), context)) > 0
        if self.problem.limits and self.problem.space.changes:
            positions = self.problem.keepable_positions(self.history)
            for i in np.flatnonzero(fits).tolist():
                arms = self.search_space.in_place(i, positions)
                fits[i] = any(
                    self.costs.fits_keeping(i, arm.keep)
                    and self.search_space.feasible_in(arm, context)
                    for arm in reversed(arms)
                )
        return fits

    def fits(self, arm: Arm, point: Float[np.ndarray, " c"]) -> bool:
        """Whether a play of an arm at an encoded point fits into the remaining budget, switching included."""
        return self.costs.fits(arm.set, self.search_space.settings(arm, point))

    def play(
        self,
        arm: Arm,
        point: Float[np.ndarray, " c"],
        request: Mapping[str, Any] | None = None,
        **note: Any,
    ) -> Choice:
        """Turn an arm and an encoded point into a choice; `note` is logged.

        Hard-to-change variables stay in place where the budget does not allow to move them, and
        settings whose formula costs more than is left give way to the nearest that do not.
        """
        if self.problem.space.changes and not self.fits(arm, point):
            arm, point = self.in_place(arm, point, request or {})
        scope, seen = self.problem.scopes[arm.set], (request or {}).get(SEEN.name, {})
        if self.problem.cost_formulas is not None:
            point = self._within_budget(arm, point, seen)
        parts = partial(self.search_space.parts_at, arm.set, self.search_space.encoded(seen))
        cost = self.costs.at(arm.set, point, parts)
        if arm.keep:
            scope = Scope(
                [name for name in scope.set if name not in arm.keep],
                keep=tuple(arm.keep),
                price=scope.price,
            )
        settings = self.search_space.settings(arm, point)
        return Choice(scope, settings, expected_cost=cost, note=note)

    def _within_budget(
        self, arm: Arm, point: Float[np.ndarray, " c"], seen: Mapping[str, Any]
    ) -> Float[np.ndarray, " c"]:
        """Encoded point, or the nearest that the money left pays for where its stated cost is more."""
        parts = partial(self.search_space.parts_at, arm.set, self.search_space.encoded(seen))
        if self.history.affords(self.costs.at(arm.set, point, parts)):
            return point
        others = self._paid_for(arm, seen)
        return np.asarray(others[np.square(others - point).sum(axis=1).argmin()])

    def _paid_for(self, arm: Arm, seen: Mapping[str, Any]) -> Float[np.ndarray, "g c"]:
        """Points all over an arm whose stated cost the money left pays for, (g, c)."""
        formulas, points = self.problem.cost_formulas, self.search_space.covering(arm, seen)
        assert formulas is not None
        parts = self.search_space.parts_at(arm.set, self.search_space.encoded(seen))
        costs = formulas.along(arm.set, parts).values(points)
        return np.asarray(points[[self.history.affords(cost) for cost in costs.tolist()]])

    def play_at(self, values: Mapping[str, Any], request: Mapping[str, Any]) -> Choice:
        """See `Method.play_at`: the control set of these variables."""
        scope = self.problem.read_scope(list(values))
        assert scope is not None
        i = self.problem.number(scope)
        space, seen = self.search_space, request.get(SEEN.name, {})
        parts = partial(space.parts_at, i, space.encoded(seen))
        cost = self.costs.at(i, space.point(i, values), parts)
        return Choice(scope, values, expected_cost=cost)

    def in_place(
        self, arm: Arm, point: Float[np.ndarray, " c"], request: Mapping[str, Any]
    ) -> tuple[Arm, np.ndarray]:
        """Arm of the same set that moves least, with its nearest feasible point; if there is none, as given."""
        positions = self.problem.keepable_positions(self.history)
        for stays in reversed(self.search_space.in_place(arm.set, positions)):
            left = self.search_space.moved_in_place(arm, point, stays, request.get(SEEN.name, {}))
            if left is not None and self.fits(stays, left):
                return stays, left
        return arm, point

    def play_best(self, sets: list[int], request: Mapping[str, Any], beta: float) -> Choice:
        """Choose the largest upper bound `E μ + β sqrt(E σ²)` among some control sets."""
        candidates = self.candidates(request)
        values, found = self.wide_upper_bounds(candidates, sets, beta)
        best = max(range(len(sets)), key=lambda k: (values[k], found[k].margin))
        point = self.point_to_play(candidates, sets[best], found[best], beta)
        upper = float(self.problem.sign * values[best]) if found[best].likely else None
        return self.play(Arm(sets[best]), point, request, upper=upper)

    def repeat(self, request: Mapping[str, Any]) -> Choice | None:
        """Choose a play once more whose outcome was better than all others and is probably wrong; None: there is none.

        Such an outcome counts for little. Were it right, as on a narrow peak, the best would never
        be played again; so one more play tells. Where something is seen before or stays in place,
        the same play may not be possible.
        """
        if (
            not getattr(self.model, "doubted", ())
            or self.problem.space.seen
            or self.problem.space.changes
        ):
            return None
        history, sign = self.history, self.problem.sign
        wrong = {*self.surrogate.outliers()}
        best = max(
            (sign * told.value for name, told, _ in history.outcomes() if name not in wrong),
            default=math.inf,
        )
        plays = Counter(
            (each.suggestion.scope, *each.suggestion.values.items()) for each in history
        )
        # in wider bounds values may round anew
        repeated = {each.suggestion.note.get("repeats") for each in history}
        affordable = self.affordable(request)
        for name, told, played in reversed([*history.outcomes()]):
            if name not in wrong or name in repeated or played is None or sign * told.value <= best:
                continue
            scope, values = played.suggestion.scope, played.suggestion.values
            i = self.problem.number(scope)
            broken = any(limit.breaks(played.realised) for limit in self.problem.further.values())
            again = affordable[i] and not broken and plays[(scope, *values.items())] == 1
            if again and self.keeps_limits(scope, values, context_of(request)):
                return self.play(Arm(i), self.search_space.point(i, values), request, repeats=name)
        return None

    def random_point(
        self, i: int, request: Mapping[str, Any], draw: np.random.Generator
    ) -> Float[np.ndarray, " c"]:
        """Draw settings of control set `i`: the first draw that is likely to work and to keep the limits, if one is."""
        context, width = request.get(SEEN.name, {}), len(self.search_space.sets[i])
        time = request[TIME.name] if self.problem.timed else None
        near = Arm(i, near=self.today.reach(context, time))
        arm = near if near.whole or self.search_space.feasible_in(near, context) else Arm(i)
        unit = draw.random((1, width))
        if not self.surrogate.feasibility.active:
            return self.search_space.placed(arm, context, unit)
        units = np.concatenate([unit, draw.random((_DRAWN - 1, width))])
        return self.surrogate.first_feasible(arm, context, time, units)

    # -- answers -----------------------------------------------------------------------------------

    def bound_inflation(self, scope: Scope) -> float:
        """Infinite until outcomes tell a scale; then that of a model that is not quite right: see `bandit.MISFIT`."""
        return self.surrogate.drift.widening

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """See `Answers.recommend`."""
        (answer,) = self.answers.recommend([context])
        return answer

    def recommend_at_each(self, contexts: Sequence[Mapping[str, Any]]) -> Iterable[Recommendation]:
        """See `Answers.recommend`: searches in all contexts share their kernels."""
        if type(self).recommend_at is not CostVaryingMethod.recommend_at:  # it answers otherwise
            return super().recommend_at_each(contexts)
        return self.answers.recommend(contexts)

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """See `Answers.predict`."""
        return self.answers.predict(values, context)

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """See `Answers.gain`."""
        return self.answers.gain(context)

    # -- limits ------------------------------------------------------------------------------------

    def _parts_now(self, i: int, context: Mapping[str, Any]) -> Sequence[Part]:
        """Parts of control set `i` in a context, without a time: failures are then judged as of now."""
        parts = self.search_space.parts_at(i, self.search_space.encoded(context))
        return parts[: self.problem.space.dimension]

    def success_probability(self, answer: Recommendation | PolicyStep) -> float | None:
        """See `Method.success_probability`; variables that are not set are nature's draws."""
        if not self.surrogate.feasibility.failures.failures:
            return None
        i = self.problem.number(answer.scope)
        parts = self._parts_now(i, answer.context)
        return self.surrogate.feasibility.failures.probability(
            rows_at(parts, self._held(answer)), parts, self.search_space.controls(i)
        )

    def _held(self, answer: Recommendation | PolicyStep | Suggestion) -> dict[int, float]:
        """Encoded settings of an answer, by column."""
        codes = self.search_space.encoded(answer.values)
        return {self.problem.space.index(name): code for name, code in codes.items()}

    def limit_probabilities(
        self, scope: Scope, known: Mapping[str, Any], request: Mapping[str, Any]
    ) -> Mapping[str, float | None]:
        """See `Method.limit_probabilities`; variables that are not set are nature's draws."""
        unknown = super().limit_probabilities(scope, known, request)
        if not self.surrogate.feasibility.models:
            return unknown
        i, space = self.problem.number(scope), self.search_space
        seen = {name: value for name, value in known.items() if name in self.problem.space.seen}
        time = {TIME.name: request[TIME.name]} if self.problem.timed else {}
        parts = space.parts_at(i, space.encoded(seen) | time)
        point = space.point(i, {name: known[name] for name in self.problem.control_sets[i]})
        found = self.surrogate.feasibility.probability_of_play(parts, point[None])
        return {**unknown, **found}

    def keeps_limits(
        self, scope: Scope, values: Mapping[str, Any], context: Mapping[str, Any]
    ) -> bool:
        """Whether a play keeps the limits on settings, and each on an outcome as often as asked, as far as is known.

        Args:
            scope: the control set.
            values: its settings.
            context: values seen before choosing, with the time where the objective drifts.
        """
        if not self.within_limits(scope, values, context):
            return False
        time = {TIME.name: context.get(TIME.name, now(self.history))} if self.problem.timed else {}
        found = self.limit_probabilities(scope, {**context, **values}, time)
        limits = self.problem.further
        return all(
            chance is None or chance >= limits[name].probability for name, chance in found.items()
        )

    def within_limits(
        self, scope: Scope, values: Mapping[str, Any], context: Mapping[str, Any]
    ) -> bool:
        """Whether a play in a context keeps the limits on settings, in which nature may have a part."""
        i, space = self.problem.number(scope), self.search_space
        seen = {name: context[name] for name in self.problem.space.seen if name in context}
        parts = space.parts_at(i, space.encoded(seen))
        return space.constraints.kept(space.sets[i], parts, values)

    def constraint_slack(self, advice: Recommendation | Suggestion) -> Sequence[float | None]:
        """See `Method.constraint_slack`; nature's part of a sum counts at the quantile that the constraint asks for."""
        i, space = self.problem.number(advice.scope), self.search_space
        time = {TIME.name: now(self.history)} if self.problem.timed else {}
        parts = space.parts_at(i, space.encoded(advice.context) | time)
        slack = space.constraints.slack(space.sets[i], parts, advice.values)
        rows = rows_at(parts, self._held(advice))
        for k, limit in enumerate(self.problem.limits or ()):
            if isinstance(limit, OutcomeConstraint):
                slack[k] = self.surrogate.feasibility.slack(limit.name, rows)
        return slack

    # -- why and explanations ----------------------------------------------------------------------

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`: a control set, and the round that is repeated."""
        try:
            self.problem.number(asked.scope)
        except KeyError:
            self.problem.read_scope(asked.scope)
        if "repeats" in asked.note:
            read_note(_Repeated, asked.note)
        read_likely(asked.note)

    def check_each_set(self, field: str, given: Sequence[Any]) -> None:
        """Refuse a list in a note that has not one entry for each control set.

        Raises:
            InvalidStudy: naming it.
        """
        if len(given) != self.m:
            allowed = f"{counted(self.m, 'entry', 'entries')}, one for each control set"
            raise InvalidStudy(f"note.{field}", list(given), allowed)

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """State the rule; for the first play that it is the stated one, for a repetition which round is repeated."""
        if (name := asked.note.get("repeats")) is not None:
            return [reason("repeat", name=name)]
        if (
            asked.round == 1
            and self.problem.current
            and asked.values == self.today.settings(asked.context)
        ):
            return [reason("current-play")]
        return [reason("rule", text=self.rule)] if self.rule else []

    def explain(self) -> Explanation:
        """State the rule; tabulate plays and costs."""
        return Explanation(self.rule, (self.control_set_table(),))

    def control_set_table(self) -> Table:
        """Tabulate plays and cost of every control set, as stated or the mean; "unknown" where no cost was told."""
        means, formulas = self.costs.means(), self.problem.cost_formulas
        costs: list[str | float] = ["unknown" if np.isnan(mean) else float(mean) for mean in means]
        if formulas is not None:
            costs = [str(each) if each.reads else float(each({})) for each in formulas.formulas]
        rows = zip(map(str, self.problem.scopes), self.plays.tolist(), costs, strict=True)
        cost = "mean cost" if self.problem.costs is None else "stated cost"
        return Table("Control sets", ("hold", "rounds", cost), tuple(rows))
