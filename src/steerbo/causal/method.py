"""Base of the causal methods: arms with models, costs and feasibility; staged decisions; recommended policies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any, ClassVar, TypeVar

import numpy as np

from .._arrays import Bool, Float, Int
from .._evidence import BOUND, COMPARABLE
from .._wording import MISSING, counted, first_of, listed
from ..bandit import needs_initial_plays, underexplored
from ..core import (
    TIME,
    Choice,
    DataAdded,
    Decision,
    ExpectedOutcome,
    Explanation,
    Finding,
    History,
    Method,
    OutcomeTold,
    PolicyStep,
    Reason,
    Recommendation,
    Result,
    Round,
    Scope,
    Streams,
    Suggestion,
    Table,
    cached_until_next_event,
    context_of,
    finding,
    horizon,
    read_note,
    reason,
)
from ..errors import InvalidRequest, InvalidStudy, one_of
from ..gp import Averaged, GPRegression, Kernel
from ..optim import kronecker
from ..records import record
from ..space import LinearConstraint
from ..surrogate import (
    STARTING_POINTS,
    Acquisition,
    Controlled,
    average_gain,
    gain_between,
    read_likely,
    subset_used,
    ucb,
)
from ._acting import GreedyPolicy, PolicyOptimiser
from ._arms import Arm
from ._constraints import ScopeConstraints
from ._contexts import known_in, latest_contexts
from ._costs import ActionCost, CostModel
from ._feasibility import ArmFeasibility, ArmsFeasibility
from ._observational import trials_explained
from ._policy_value import Policy, PolicyOf, recommended, value_of
from ._staged import AffectedContexts, StagedSearch
from ._today import TodaysPolicy, WithinReach, plays_today
from .identification.scopes import ScopesFound, looking_at
from .models import ArmModels, CausalOptions, EmptyModel, Wanted
from .problem import Causal

TODAY = "current"
"""Phase of the play of today's policy."""
_GRID = 64  # settings of each action among which the largest bound is sought
ADJUSTED = 0.3
"""Share by which bounds are wider where all outcomes are adjusted observations: the uncertainty of adjustment is not
propagated, and of 160 bounds 88 % held without."""
_CORNERS = 6  # actions at most whose extremes are all tried, too


@dataclass(eq=False)
class _PresentModels:
    """Models as the results make them.

    Attributes:
        sharing: decides which columns the arms have, see `_sharing`.
        arms: with their columns.
        models: of their outcomes.
        feasibility: of actions.
        results: by which columns were looked at last.
    """

    sharing: Hashable
    arms: list[Arm]
    models: ArmModels
    feasibility: ArmsFeasibility
    results: tuple[Result, ...] = ()


@record
class Said:
    """Reasons of a play when it was chosen, as logged; bounds in the user's units.

    Args:
        phase: of the method.
        index: bound of each scope.
        upper: bound of each scope; None for one that is not affordable.
        width: uncertainty of the play.
        least: value that is good enough.
        rate: value that a unit of money must bring.
        weights: worth of one unit of each further outcome in this round, in units of the
            value; the direction that is better counts.
    """

    phase: str = ""
    index: Sequence[float] = ()
    upper: Sequence[float | None] = ()
    width: float = 0.0
    least: float | None = None
    rate: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)


O = TypeVar("O", bound=CausalOptions)  # noqa: E741  the method's options


class CausalMethod(Method[Causal, O]):
    """A bandit whose arms are policy scopes, each with contextual Bayesian optimisation inside.

    Values inside are in units of `sign · value`.

    Attributes:
        constraints: on settings.
        costs: of plays.
        host: index of the arm that plays today's policy; None: there is none, or limits forbid it.
    """

    complete: ClassVar[bool] = True

    solves = Causal

    def __init__(self, problem: Causal, options: O, streams: Streams, history: History) -> None:
        super().__init__(problem, options, streams, history)
        # before choosing: every scope looks at it, and some differ in nothing else
        self.known = problem.space.seen
        found = self.scopes()
        self._all_compared = found.complete
        scopes = dict.fromkeys(looking_at(scope, self.known) for scope in found.scopes)
        graphs, space, timed = problem.every_graph, problem.space, problem.timed
        if problem.todays_scope is not None and not any(
            plays_today(problem, scope) for scope in scopes
        ):
            scopes[problem.todays_scope] = None
        arms = [Arm.of(problem.with_price(scope), graphs, space, timed) for scope in scopes]
        self.constraints = ScopeConstraints(problem.limits or (), space)
        self._possible = self.constraints.possible_arms(arms)
        hosts = (i for i, arm in enumerate(self._possible) if plays_today(problem, arm.scope))
        self.host = next(hosts, None)
        self.closed = len(arms) - len(self._possible)
        self.costs = CostModel(problem, history, self._possible, self.constraints)
        self._number = {arm.scope: i for i, arm in enumerate(self._possible)}
        self._learned: _PresentModels | None = None
        for played in history:
            self.feasibility.check_open(played.suggestion.scope)

    def sem_unused(self) -> str:
        """See `Method.sem_unused`: models take it into account."""
        return ""

    def _sharing(self, results: Sequence[Result]) -> Hashable:
        """Key of the columns that arms have by the results; empty, if they are always the same."""
        return ()

    def _with_columns(self, sharing: Any) -> list[Arm]:
        """Arms with the columns of their models; `sharing`: see `_sharing`."""
        return self._possible

    @property
    def _present(self) -> _PresentModels:
        """Models of the arms, and of their feasibility, with the columns that results leave them."""
        known, results = self._learned, self.history.results
        if known is not None and known.results is results:
            return known
        sharing = self._sharing(results)
        if known is None or sharing != known.sharing:
            fits = self.history.fits
            since = next(
                (
                    k
                    for k in range(len(fits), 0, -1)
                    if self._sharing(fits[k - 1].results) != sharing
                ),
                0,
            )
            known = self._learned = self._without_data(sharing, since)
        known.results = results
        return known

    def _without_data(self, sharing: Hashable, since: int) -> _PresentModels:
        arms, empty_model, problem = self._with_columns(sharing), self.empty_model(), self.problem
        models = ArmModels(
            arms, empty_model, problem.sign, self.history, drift=problem.drift, since=since
        )
        feasibility = ArmsFeasibility(
            problem,
            models,
            self.constraints,
            self.empty_model(unseen=True),
            history=self.history,
            since=since,
        )
        return _PresentModels(sharing, arms, models, feasibility)

    @property
    def arms(self) -> list[Arm]:
        """The scopes that constraints on settings leave possible."""
        return self._present.arms

    @property
    def models(self) -> ArmModels:
        """Models of the arms' outcomes."""
        return self._present.models

    @property
    def feasibility(self) -> ArmsFeasibility:
        """Feasibility of actions."""
        return self._present.feasibility

    def empty_model(self, *, unseen: bool = False) -> EmptyModel:
        """Function that makes a model without data. Override it for other models; it must be picklable.

        Args:
            unseen: whether it is of an outcome that has a limit: see `surrogate.build_model`.
        """
        seed = self.streams.integer(0, "hyperparameters")
        return partial(self.options.model, seed=seed, unseen=unseen)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Describe the number of scopes to choose among."""
        closed = f"; the limits rule out {self.closed} more" if self.closed else ""
        return (("arms", counted(len(self.arms), "policy scope") + closed),)

    @abstractmethod
    def scopes(self) -> ScopesFound:
        """Scopes of the arms."""

    # -- learning ----------------------------------------------------------------------------------

    def check_fit(self) -> None:
        """Condition all models with the latest fit.

        Raises:
            InvalidStudy: it is of something else than models, observations and limits.
        """
        self._check_learned(
            self.history.fits[-1].hyperparameters, ("models", "adjusters", "further")
        )
        self.feasibility.check_fit()
        _ = self.models.rows

    def _check_learned(self, learned: Mapping[str, Any], kinds: Sequence[str]) -> None:
        """Refuse hyperparameters that are not of these kinds, by number of the model."""
        numbers = {str(k) for k in range(len(self.models.typical))}
        by_kind = (learned.get(kind, {}).keys() <= numbers for kind in learned)
        if not (learned.keys() <= {*kinds} and all(by_kind)):
            raise InvalidStudy("hyperparameters", dict(learned), f"{listed(kinds)}, by number")

    @property
    def plays(self) -> Int[np.ndarray, " m"]:
        """Plays of each arm."""
        played = [self._number[each.suggestion.scope] for each in self.history]
        return np.bincount(played, minlength=len(self._possible))

    def refit(self) -> Mapping[str, Any] | None:
        """Fit hyperparameters of the models whose schedule says so."""
        until = partial(horizon, self.history)
        further = self.feasibility.refit(until)
        found = self.models.refit(until)
        return {**(found or {}), "further": further} if further else found

    def expected_outcome(self, event: OutcomeTold | DataAdded) -> tuple[float, float, float] | None:
        """See `Method.expected_outcome`: by the model of the arm that was played; data may belong to several models."""
        if isinstance(event, DataAdded):
            return None
        i, row = self._played_at(event)
        model = self.models[i]
        # one of an outsider's promises no predictive distribution
        if row is None or not isinstance(model, GPRegression) or len(model) < COMPARABLE:
            return None
        mean, deviation = model.predictive(row)
        return event.outcome.value, self.problem.sign * mean, deviation

    def expected_further(self, event: OutcomeTold | DataAdded) -> Mapping[str, tuple[float, float]]:
        """See `Method.expected_further`: by the models of the arm that was played."""
        if isinstance(event, DataAdded):
            return {}
        i, row = self._played_at(event)
        learned = self.feasibility.of(i).learned
        if row is None or learned is None or learned.constraints is None:
            return {}
        return learned.constraints.expected(row)

    def _played_at(self, event: OutcomeTold) -> tuple[int, Float[np.ndarray, " d"] | None]:
        """Arm of a round, and its encoded row; None where not all that it looks at is known."""
        played = self.history[event.token]
        i = self.models.number[played.suggestion.scope]
        values = {**known_in(played), **event.outcome.realised}
        arm = self.arms[i]
        return i, arm.encode(values)[0] if values.keys() >= set(arm.names) else None

    # -- arms to choose among ----------------------------------------------------------------------

    def needed(self, i: int) -> int:
        """Plays of arm `i` before its model counts."""
        arm, initial = self.arms[i], self.options.initial
        return (
            max(1 + len(arm.actions + arm.contexts), self._least_plays)
            if initial is None
            else initial
        )

    @property
    def _least_plays(self) -> int:
        """Plays of a model before constraints on outcomes restrict the next ones."""
        return STARTING_POINTS if self.problem.further else 0

    def needs_initial_plays(self, some: Int[np.ndarray, " k"]) -> int | None:
        """The least played of some arms whose initial plays are not complete; None if there is none."""
        told = np.array([self.told(i) for i in some])
        needed = np.array([self.needed(i) for i in some])
        first = needs_initial_plays(self.plays[some], told, needed)
        return None if first is None else int(some[first])

    def underexplored(self, some: Int[np.ndarray, " k"]) -> int | None:
        """One of some arms played too seldom for the rounds of an average one; None if there is none.

        See `bandit.underexplored`.
        """
        counting = self.feasibility.counted_plays(self.plays)
        likely = self.feasibility.success_probabilities
        found = underexplored(counting[some], many=True, likely=likely[some])
        return None if found is None else int(some[found])

    def most_feasible(self, some: Iterable[int], known: Mapping[str, Any]) -> Int[np.ndarray, " k"]:
        """Select the arms that have a feasible action in most contexts."""
        arms = np.array([*some])
        shares = np.array([self._infeasible_share(i, known) for i in arms])
        return arms[shares <= shares.min(initial=np.inf)]

    def _infeasible_share(self, i: int, known: Mapping[str, Any]) -> float:
        return self.within_reach(i).infeasible_share_of(lambda: self.contexts(i, known))

    def finished(self) -> str:
        """Report that no arm is affordable any more."""
        return (
            "" if len(self.costs.affordable()) else "no scope fits into what is left of the budget"
        )

    # -- choosing and deciding ---------------------------------------------------------------------

    def todays_play(self, request: Mapping[str, Any]) -> Choice | None:
        """Play today's policy where it is held; None where it is not, or where there is none."""
        if self.host is None or self.host not in self.costs.affordable():
            return None
        if not self._holds_today(self.host, context_of(request)):
            return None
        return self.play(self.host, request, {"phase": TODAY})

    def _holds_today(self, host: int, known: Mapping[str, Any]) -> bool:
        """Whether today's policy is played: first, unless there are data; then see `surrogate._reach`."""
        if (latest := self.history.latest) is None:
            return not self.history.data
        held = read_note(Said, latest.suggestion.note).phase == TODAY
        if held or not self._reach()[self.models.model_of[host]].undecided:
            return False
        return self._fits(self.feasibility.of(host), known)

    def play(self, i: int, request: Mapping[str, Any], note: Mapping[str, Any]) -> Choice:
        """Begin a round of arm `i`, and set the actions without contexts."""
        known, rate = context_of(request), note.get("rate", 0.0)
        act = partial(
            self._act,
            i,
            number=self.history.next_round,
            rate=rate,
            token=None,
            today=note.get("phase") == TODAY,
        )
        values, observe = self._advance(i, known, {}, act)
        cost = self.costs.expected(i, values, known)
        return Choice(self.arms[i].scope, values, observe, expected_cost=cost, note=note)

    def play_at(self, values: Mapping[str, Any], request: Mapping[str, Any]) -> Choice:
        """See `Method.play_at`: the scope of these actions that looks at most of the known values."""
        known = context_of(request)
        arm = self._arm_to_predict(values, known)
        looked_at = {name for names in arm.scope.look.values() for name in names}
        observe = tuple(name for name in self.problem.space.names if name in looked_at - {*known})
        cost = self.costs.expected(self.models.number[arm.scope], values, known)
        return Choice(arm.scope, values, observe, expected_cost=cost)

    def decide(self, pending: Round, context: Mapping[str, Any]) -> Decision:
        """Set the actions whose contexts are complete."""
        suggestion, i = pending.suggestion, self.models.number[pending.suggestion.scope]
        said = read_note(Said, suggestion.note)
        act = partial(
            self._act,
            i,
            number=pending.number,
            rate=said.rate,
            token=suggestion.token,
            today=said.phase == TODAY,
        )
        values, observe = self._advance(
            i, {**context_of(pending.request), **context}, suggestion.values, act
        )
        return Decision(values, observe)

    def _advance(
        self,
        i: int,
        context: Mapping[str, Any],
        given: Mapping[str, Any],
        act: Callable[[tuple[str, ...], Mapping[str, Any]], dict[str, Any]],
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Values of all actions of arm `i` that `act` can set now, and the contexts to look at next."""
        arm, values = self.arms[i], dict(given)
        for look, ready in arm.stages:
            if waiting := tuple(name for name in look if name not in context):
                return {name: v for name, v in values.items() if name not in given}, waiting
            for group in arm.groups(tuple(x for x in ready if x not in values)):
                values.update(act(group, {**context, **values}))
        return {name: v for name, v in values.items() if name not in given}, ()

    def _act(
        self,
        i: int,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        *,
        number: int,
        rate: float,
        token: str | None,
        today: bool,
    ) -> dict[str, Any]:
        """Values of a group of actions in a round.

        Args:
            i: number of the arm.
            group: the actions.
            known: values that are set or seen by now.
            number: of the round.
            rate: value that a unit of money must bring, where prices depend on settings.
            token: of the round, once it has one.
            today: whether today's policy is played.
        """
        if today:
            return self._as_today(self.feasibility.of(i), group, known)
        feasibility = self.within_reach(i)
        model = self.model_to_play(i, number)
        random = self.streams(number, f"act {'+'.join(group)}")
        rate = rate / self.models[i].scale if rate else 0.0
        cost = self.costs.of_group(i, group, known, token=token, value_per_cost=rate)
        optimiser = self.optimiser(i, model, cost, feasibility)
        if len(model) < self.needed(i):
            return optimiser.random(group, known, random)
        points = self.pending_points(i, token)
        with model.with_fantasies(points):
            return optimiser.best(group, known, self.score(i), random, tried=points)

    def _as_today(
        self, feasibility: ArmFeasibility, group: tuple[str, ...], known: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Today's settings of a group of actions, or the nearest that limits allow."""
        assert self.problem.today is not None
        values, space = self.problem.today(known, group), self.problem.space
        point = np.concatenate([space[name].encode([values[name]]) for name in group])
        box = feasibility.box(group, known)
        if box.allows(point[None])[0]:
            return values
        return feasibility.arm.decode(group, box.into(point))

    def within_reach(self, i: int) -> ArmFeasibility:
        """Feasibility of arm `i`, where today's policy is told within reach of it: of plays, answers and gains."""
        found = self.feasibility.of(i)
        if self.problem.today is None:
            return found
        return replace(found, reach=self._reach()[self.models.model_of[i]])

    @cached_until_next_event
    def _reach(self) -> list[WithinReach]:
        """Settings within reach of today's, by model."""
        now = self._present_context().get(TIME.name) if self.problem.timed else None
        return [
            WithinReach(self.problem, self.models, k, self.history.results, now, learned=learned)
            for k, learned in enumerate(self.feasibility.learned)
        ]

    def told(self, i: int) -> int:
        """Number of outcomes that arm `i`'s model has."""
        return len(self.models[i])

    def model_to_play(self, i: int, number: int) -> Wanted:
        """Model of arm `i` that round `number` is played by: with the likeliest hyperparameters, as published."""
        return self.models[i]

    def model_to_answer(self, i: int) -> Averaged[Kernel]:
        """Model of arm `i` that answers are based on: averaged over draws of the hyperparameters."""
        return Averaged(self.models[i])

    def optimiser(
        self,
        i: int,
        model: Wanted,
        cost: ActionCost | None,
        feasibility: ArmFeasibility,
    ) -> PolicyOptimiser:
        """Optimiser of the actions of arm `i` by a model."""
        return PolicyOptimiser(
            self.arms[i], model, cost, feasibility, affected=self.affected_contexts(i)
        )

    def affected_contexts(self, i: int) -> AffectedContexts | None:
        """Dependence of contexts of arm `i` on its own actions; None if there is none."""
        return self._affected_now()[i] if self.arms[i].affected else None

    @cached_until_next_event
    def _affected_now(self) -> dict[int, AffectedContexts]:
        """Dependence of contexts on actions, by arm."""
        some = [i for i, arm in enumerate(self.arms) if arm.affected]
        return {
            i: AffectedContexts.of(self.arms[i], self.history, self.models[i].inputs) for i in some
        }

    def staged_search(
        self, i: int, model: Wanted, *, optimistic: bool = False
    ) -> StagedSearch | None:
        """Search for the actions of arm `i`, if contexts that they affect are looked at later."""
        affected = self.affected_contexts(i)
        if affected is None:
            return None
        return StagedSearch(
            self.arms[i], model, affected, self.within_reach(i), optimistic=optimistic
        )

    def pending_points(self, i: int, but: str | None) -> np.ndarray:
        """Points of rounds of arm `i`'s model without an outcome, (p, d), without the round of one token."""
        return self.models.pending_points(self.history.unresolved, self.models.model_of[i], but)

    def score(self, i: int) -> Acquisition:
        """Acquisition function of the actions of arm `i`."""
        return ucb(self.beta(i))

    def beta(self, i: int) -> float:
        """β of arm `i` now."""
        return self.options.beta

    # -- answers -----------------------------------------------------------------------------------

    def contexts(self, i: int, known: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Latest contexts of arm `i` given values known before choosing, see `latest_contexts`; with the time."""
        when = {
            name: time for name, time in known.items() if name == TIME.name and self.problem.timed
        }
        seen = {name: value for name, value in known.items() if name not in when}
        rows = latest_contexts(self.history, self.arms, self.models.number, i, seen)
        possible = [row for row in rows if self.constraints.possible(self.arms[i], row)] or rows
        return [{**row, **when} for row in possible]

    def cases(self, i: int, known: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Latest values of all columns of arm `i` beside its actions."""
        return self.contexts(i, known)

    def cases_under(
        self, i: int, known: Mapping[str, Any], act: GreedyPolicy | TodaysPolicy
    ) -> list[dict[str, Any]]:
        """Cases of arm `i` under a policy: contexts that its actions affect are drawn given these."""
        rows, affected = self.cases(i, known), self.affected_contexts(i)
        return rows if affected is None else affected.met(rows, act.best)

    def greedy(
        self,
        i: int,
        known: Mapping[str, Any],
        rate: float = 0.0,
        model: Wanted | None = None,
    ) -> GreedyPolicy:
        """Policy that maximises the posterior mean of arm `i`, less `rate` times its cost, at the known time.

        Another `model` is one of other outcomes.
        """
        cost = self.costs.of_actions(i, known, rate / self.models[i].scale if rate else 0.0)
        when = {
            name: time for name, time in known.items() if name == TIME.name and self.problem.timed
        }
        model = Averaged(self.models[i], deviations=False) if model is None else model
        feasibility = self.within_reach(i).for_answers
        return GreedyPolicy(self.optimiser(i, model, cost, feasibility), self.streams, i, when)

    def recommend_at(self, context: Mapping[str, Any]) -> Policy:
        """Recommend the scope with the best expected outcome under its best policy, and that policy."""
        best, *others = (policy for _, policy in self._ranking(context))
        if self.host is not None and best.mean is not None:
            best = self._beside_today(best, context)
        return best.among(tuple(others))

    def _beside_today(self, best: Policy, known: Mapping[str, Any]) -> Policy:
        """Add to an answer by how much it is expected to be better than today's policy, and how sure that is.

        Where both are of one arm, errors that they share count for neither.
        """
        assert self.host is not None
        i = self.models.number[best.scope]
        if not len(self.models[self.host]):
            return best
        today = TodaysPolicy(self.problem, self.arms[self.host])
        if i == self.host:
            rows = [
                np.concatenate([self.arms[i].encode({**seen, **act(seen)}) for seen in cases])
                for act in (best.act, today)
                for cases in [self.cases_under(i, known, act)]
            ]
            gain = average_gain(self.model_to_answer(i), *rows)
        else:
            stay = self._answer_of(self.host, known, today)
            gain = gain_between(best, stay, self.problem.sign)
        fits = self._fits(self.feasibility.of(self.host).for_answers, known)
        unfit = [] if fits else [reason("today-unfit")]
        return replace(best, reasons=(*best.reasons, gain, *unfit))

    def _fits(self, feasibility: ArmFeasibility, known: Mapping[str, Any]) -> bool:
        """Whether today's policy is as likely to work, and to keep limits, as is asked for, in most contexts."""
        assert self.host is not None
        arm = self.arms[self.host]
        act = TodaysPolicy(self.problem, arm)
        cases = self.cases_under(self.host, known, act)
        if not cases:
            return True
        rows = np.concatenate([arm.encode({**seen, **act(seen)}) for seen in cases])
        margins = feasibility.margins_at(rows)
        return margins is None or bool(np.median(margins) >= 0.0)

    def _ranking(self, context: Mapping[str, Any]) -> list[tuple[int, Policy]]:
        """The arms ranked in a context, cached for the present one if nothing is seen before choosing."""
        present = not self.known and context == self._present_context()
        return self._ranked_now() if present else self.ranked(context)

    @cached_until_next_event
    def _ranked_now(self) -> list[tuple[int, Policy]]:
        return self.ranked(self._present_context())

    def ranked(self, known: Mapping[str, Any]) -> list[tuple[int, Policy]]:
        """The arms and their policies, best expected outcome first; arms without outcomes come last.

        Args:
            known: values known before choosing, and the time if effects change with it.
        """
        answers = [self._answer_of(i, known) for i in range(len(self.arms))]
        sign = self.problem.sign
        shares = [self._infeasible_share(i, known) for i in range(len(answers))]
        answers = [
            replace(a, reasons=a.reasons or (reason("none-keeps"),)) if share else a
            for a, share in zip(answers, shares, strict=True)
        ]
        means = [-np.inf if answer.mean is None else sign * answer.mean for answer in answers]
        worths = self.feasibility.expected(np.array(means))
        order = sorted(
            range(len(answers)),
            key=lambda i: (means[i] > -np.inf, -shares[i], worths[i]),
            reverse=True,
        )
        return [(i, answers[i]) for i in order]

    def _answer_of(
        self,
        i: int,
        known: Mapping[str, Any],
        policy: TodaysPolicy | GreedyPolicy | None = None,
    ) -> Policy:
        """Recommendation of arm `i`, or another policy of it, with its outcome on average over contexts."""
        if not self.told(i):
            return Policy.unknown(self.arms[i].scope)
        act = policy or self.greedy(i, known)
        return self._recommended(i, known, act, self.cases_under(i, known, act))

    def _recommended(
        self,
        i: int,
        known: Mapping[str, Any],
        act: PolicyOf,
        contexts: list[dict[str, Any]],
    ) -> Policy:
        """A policy of arm `i`, with its outcome on average over contexts."""
        model, affected = self.model_to_answer(i), self.affected_contexts(i)
        sign = self.problem.sign
        return recommended(self.arms[i], model, act, contexts, sign, known=known, affected=affected)

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Policy:
        """Expected outcome of actions on average over the latest contexts that are not known."""
        arm = self._arm_to_predict(values, context)
        return self.expected_at(self.models.number[arm.scope], values, context)

    def expected_at(self, i: int, values: Mapping[str, Any], context: Mapping[str, Any]) -> Policy:
        """Expected outcome and cost of arm `i` with these values of its actions; see `predict_at`."""
        cost = self.costs.expected(i, values, context)
        if not self.told(i):
            return replace(Policy.unknown(self.arms[i].scope), cost=cost)

        def staged(ready: Sequence[str], _: Mapping[str, Any]) -> dict[str, Any]:
            return {name: values[name] for name in ready}

        affected = self.affected_contexts(i)
        contexts = [{**case, **context} for case in self.cases(i, context)]
        if affected is not None:
            contexts = affected.met(contexts, staged)
        act: PolicyOf = lambda _: dict(values)  # noqa: E731
        found = self._recommended(i, context, act, contexts)
        return replace(found, values=dict(values), table=None, cost=cost)

    def _arm_to_predict(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Arm:
        """Arm that sets these actions: the one that looks at most of the known values, and fewest of the unknown.

        Raises:
            InvalidRequest: no scope sets these actions.
        """
        some = [arm for arm in self.arms if {*arm.actions} == {*values}]
        if not some:
            sets = listed(
                [*dict.fromkeys(" + ".join(arm.actions) or "nothing" for arm in self.arms)], " or "
            )
            raise InvalidRequest(
                "values", dict(values) or MISSING, f"settings of one scope by variable: {sets}"
            )
        known = {*context}
        return min(
            some, key=lambda arm: (len({*arm.contexts} - known), -len({*arm.contexts} & known))
        )

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """Upper bound of the best policy of any scope, less the lower bound of the recommended one.

        Infinite as long as an arm's initial plays are not complete, or its outcomes have no scale,
        or those of the recommended one are few. Arms of which hardly any play has worked are not
        waited for.
        """
        judged = self.judged
        some = self.most_feasible(self.costs.affordable(), context)
        if self.needs_initial_plays(some) is not None or not len(judged):
            return np.inf
        recommended, advice = self._ranking(context)[0]
        if advice.says("none-keeps") or len(self.models[recommended]) < STARTING_POINTS:
            return np.inf
        some = self.most_feasible(judged, context)
        highest = [self.highest_bound(i, context, self.model_to_answer(i), BOUND) for i in some]
        assert advice.mean is not None
        assert advice.lower is not None
        assert advice.upper is not None
        return (
            float(self.feasibility.expected(np.array(highest), some).max())
            - self.problem.sign * advice.mean
            + 0.5 * (advice.upper - advice.lower)
        )

    def highest_bound(self, i: int, known: Mapping[str, Any], model: Wanted, width: float) -> float:
        """Largest `μ + width · σ` of arm `i` by a model, on average over its latest contexts.

        In units of `sign · value`.
        """
        contexts = self.contexts(i, known)
        search = self.staged_search(i, model, optimistic=True)
        if search is None:
            return highest_bound(self.within_reach(i), model, contexts, width)
        return search.highest(contexts, ucb(width**2))

    def bound_inflation(self, scope: Scope) -> float:
        """Infinite until the outcomes of the scope's model have a scale; larger where observations were adjusted."""
        i = self.models.number[scope]
        return (
            1.0 + ADJUSTED * self.models.adjusted_share(self.models.model_of[i])
            if self.scaled[i]
            else np.inf
        )

    @property
    def scaled(self) -> Bool[np.ndarray, " m"]:
        """Arms whose outcomes give their model a scale."""
        return np.array([self.models.scaled(k) for k in self.models.model_of])

    @property
    def judged(self) -> Int[np.ndarray, " k"]:
        """Arms whose bounds mean anything; none as long as another arm may still get outcomes.

        Arms that have failed, and have hardly any outcomes, are not waited for.
        """
        scaled = self.scaled
        return np.flatnonzero(scaled & (scaled | self.feasibility.failed()).all())

    def limit_probabilities(
        self, scope: Scope, known: Mapping[str, Any], request: Mapping[str, Any]
    ) -> Mapping[str, float | None]:
        """See `Method.limit_probabilities`; unseen values count as in the latest contexts.

        Empty while actions are still to be decided.
        """
        i = self.models.number.get(scope)
        found = dict(super().limit_probabilities(scope, known, request))
        if i is None or not found:
            return found
        arm, learned = self.arms[i], self.feasibility.of(i).learned
        if not known.keys() >= {*arm.actions}:
            return {}
        if learned is not None and learned.models:
            now = {**known, TIME.name: request[TIME.name]} if arm.timed else known
            rows = [arm.encode({**case, **now}) for case in self.cases(i, now)]
            points = np.concatenate(rows)
            found |= learned.probability_of_play([Controlled()] * points.shape[1], points)
        return found

    def constraint_slack(self, advice: Recommendation | Suggestion) -> Sequence[float | None]:
        """Slack of each constraint at a recommended policy, where it is least among the latest contexts; see `Method`.

        At settings of all actions of a scope it is that of linear constraints, at the worse end of
        what is not seen.
        """
        i, limits = self.models.number.get(advice.scope), self.problem.limits or ()
        at_settings = not isinstance(advice, Policy)
        if i is not None and at_settings and {*advice.values} >= {*self.arms[i].actions}:
            case = {**advice.context, **advice.values}
            return [
                self.feasibility.of(i).slack(limit, [case])
                if isinstance(limit, LinearConstraint)
                else None
                for limit in limits
            ]
        if i is None or not isinstance(advice, Policy) or advice.act is None:
            return [None] * len(limits)
        arm, known = self.arms[i], {**self._present_context(), **advice.context}
        cases, affected = self.cases(i, known), self.affected_contexts(i)
        cases = cases if affected is None else affected.met(cases, advice.act.best)
        alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for case in cases:
            alike.setdefault(tuple(case[name] for name in arm.contexts), []).append(
                {**case, **advice.act(case)}
            )
        found: list[float | None] = []
        for limit in limits:
            slacks = [self.feasibility.of(i).slack(limit, cases) for cases in alike.values()]
            found.append(min((slack for slack in slacks if slack is not None), default=None))
        return found

    def success_probability(self, answer: Recommendation | PolicyStep) -> float | None:
        """See `Method.success_probability`; the mean over the latest contexts."""
        i = self.models.number.get(answer.scope)
        failures = None if i is None else self.feasibility.failures_of(i)
        if i is None or failures is None:
            return None
        arm, known = self.arms[i], {**self._present_context(), **answer.context}
        cases = [{**case, **known} for case in self.cases(i, known)]
        affected = self.affected_contexts(i)
        act = answer.act if isinstance(answer, Policy) and not answer.values else None
        if act is not None and affected is not None:
            cases = affected.met(cases, act.best)
        rows = [
            arm.encode({**case, **answer.values, **(act(case) if act else {})}) for case in cases
        ]
        points = np.concatenate(rows)
        return failures.probability(points, [Controlled()] * points.shape[1])

    def outliers(self) -> Sequence[str]:
        """See `ArmModels.outliers`."""
        return self.models.outliers()

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """State the possible worth of a scope's policy beside others, by the note of the play."""
        said, i = read_note(Said, asked.note), self._number[asked.scope]
        if said.phase == TODAY:
            return [reason("current-play")]
        if said.phase == "first plays":
            return [reason("first-play")] if self.chooses_by_model else []
        if said.phase == "only scope":
            return [reason("only-scope")]
        if said.index and self.problem.sign * said.index[i] >= max(
            self.problem.sign * np.array(said.index)
        ):
            return [reason("best-policy-bound", bound=said.index[i])]
        return []

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`: a scope of the graphs, with one bound for each."""
        if asked.scope not in self._number:
            allowed = one_of(map(str, self._number), str(asked.scope))
            raise InvalidStudy("scope", str(asked.scope), allowed)
        read_likely(asked.note)
        said, arms = read_note(Said, asked.note), len(self._possible)
        for name, bounds in (("index", said.index), ("upper", said.upper)):
            if bounds and len(bounds) != arms:
                raise InvalidStudy(
                    f"note.{name}", list(bounds), f"{counted(arms, 'bound')}, one for each scope"
                )

    def findings(self) -> Sequence[Finding]:
        """Find that scopes were left out, that a model uses a subset of its outcomes, or that all has changed."""
        left_out = [] if self._all_compared else [finding("scopes-left")]
        largest = max(self.models.regressions, key=len)
        subset = subset_used(len(largest), len(largest.counted))
        return [*left_out, *(subset or self.models.abrupt_change())]

    def policy(self, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """Next step of the recommended policy: actions whose contexts are given, and contexts to look at next."""
        self.check_informed()
        seen = {name: context[name] for name in self.known}
        known = {**self._present_context(), **context_of(request), **seen}
        i, advice = self._ranking(known)[0]
        if advice.mean is None:
            raise InvalidRequest(
                "policy", str(advice), "a scope with an outcome to learn from", "Tell one first."
            )
        if (tried := self.tried(advice, known)) is not None:
            return PolicyStep.of(tried, context)
        step: PolicyStep = advice.act.step(context)
        if step.observe:
            return step
        if not set(advice.scope.contexts) - set(known):  # then the answer is for this very context
            step = replace(step, mean=advice.mean, lower=advice.lower, upper=advice.upper)
            return replace(step, outcomes=advice.outcomes)
        now = {**known, **step.context, **step.values}
        mean, sd = self.value_at(i, now)
        mean *= self.problem.sign
        step = replace(step, mean=mean, lower=mean - BOUND * sd, upper=mean + BOUND * sd)
        return replace(step, outcomes=self.outcomes_at(i, now))

    def outcomes_at(self, i: int, known: Mapping[str, Any]) -> dict[str, ExpectedOutcome]:
        """Expected further outcomes of arm `i` at settings and contexts, where they are traded."""
        return {}

    def value_at(self, i: int, known: Mapping[str, Any]) -> tuple[float, float]:
        """Mean and standard deviation of arm `i`'s outcome at settings and contexts, in units of `sign · value`.

        Args:
            i: number of the arm.
            known: values set and seen, and the time if effects change with it.
        """
        return value_of(self.model_to_answer(i), self.arms[i].encode(known))

    # -- explanations ------------------------------------------------------------------------------

    def explain(self) -> Explanation:
        """Plays and index of each arm, the use of external data, and the policy of the best arm."""
        extra = {} if self.known else self.indices()
        advice = self.recommend() if any(len(model) for model in self.models.regressions) else None
        policy = advice.table if isinstance(advice, Policy) else None
        rows = zip(
            [str(arm.scope) for arm in self.arms], self.plays.tolist(), *extra.values(), strict=True
        )
        arms = Table("Scopes", ("scope", "rounds", *extra), tuple(rows))
        closed = (
            f" The limits rule out {counted(self.closed, 'more scope')}." if self.closed else ""
        )
        rounds = counted(int(self.plays.sum()), "round")
        chosen = (
            f"among {len(self.arms)} scopes in {rounds}"
            if len(self.arms) > 1
            else f"settings in {rounds}: there is one scope"
        )
        said = self._external_data_explained()
        if any(None in column for column in extra.values()):
            said += " A scope with – has no outcome yet."
        return Explanation(
            f"{self.name} has chosen {chosen}.{closed}{said}", (arms, *([policy] if policy else []))
        )

    def indices(self) -> dict[str, list[Any]]:
        """Further columns of the table of scopes: the parts of every arm's index."""
        return {}

    def _external_data_explained(self) -> str:
        """Describe the scopes that external data are used for."""
        trials = [data for data in self.history.data.values() if data.scope is not None]
        return self._observations_explained(
            len(self.history.data) - len(trials)
        ) + trials_explained(trials, self.arms)

    def _observations_explained(self, added: int) -> str:
        if not added:
            return ""
        scopes, models = [], self.models
        for arm, k in zip(self.arms, models.model_of, strict=True):
            if (others := models.adjusted_for[k]) is not None:
                used = models.observations(k)
                fewer = used < added
                notes = [f"adjusted for {', '.join(others)}"] if others else []
                notes += [f"{used} of them, the others lack values"] if fewer else []
                scopes.append(
                    f"set {arm.scope} ({'; '.join(notes)})" if notes else f"set {arm.scope}"
                )
        verb = "is" if added == 1 else "are"
        for_which = first_of(scopes) or "no scope"
        return (
            f" {counted(added, 'observation')} without intervention {verb} used for: {for_which}."
        )


def highest_bound(
    feasibility: ArmFeasibility,
    model: Wanted,
    contexts: Sequence[Mapping[str, Any]],
    width: float,
) -> float:
    """Largest `μ + width · σ` of an arm in each context, averaged, in units of `sign · value`.

    Like the bounds of an answer, it counts deviations in these contexts as fully correlated.
    """
    k = len(feasibility.arm.actions)
    unit = kronecker(_GRID * k, k) if k else np.zeros((1, 0))
    corners = np.array([*product((0.0, 1.0), repeat=k)]) if 0 < k <= _CORNERS else unit[:1]
    grid = feasibility.grid(np.concatenate([unit, corners]), contexts)
    means, deviations = model.predict(grid.flat)
    highest = (means + width * deviations).reshape(grid.rows.shape[:2])
    return float(highest[np.arange(len(highest)), grid.best(highest)].mean())
