"""What the methods know of limits: those on what is set, and those on further outcomes, which each model learns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ..core import DataAdded, Event, History, Recommendation, Refitted, Round, Scope, Streams, horizon
from ..errors import InvalidContext, InvalidProblem
from ..gp import DriftModel
from ..optim import kronecker
from ..space import Limit, OutcomeConstraint, Space
from ..surrogate import ENOUGH, ConstraintModels, FailureModel
from .arm_model import ArmModel
from .chances import weighed
from .charges import Tried
from .contexts import known_in
from .keeping import Keeping, share_short, short_of
from .limits import ScopeLimits
from .paying import O, Paying
from .policy import Policy
from .problem import Causal
from .trials import feeds

_GRID = 64  # actions, for each that is set, among which one is sought that keeps to limits


class Guarding(Paying[O]):
    """A method that knows what limits leave of its arms.

    Attributes:
        limits: on what is set.
        failing: by model, what is known of failures.
        watching: by model, what is known of further outcomes. Only plays tell of them: the graph says of the target
            alone when observations without intervention may count.
    """

    watching: list[ConstraintModels]
    failing: list[FailureModel]

    def __init__(self, problem: Causal, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.limits, self._tried = ScopeLimits(problem), Tried()

    def least(self, i: int, seen: Mapping[str, Any]) -> float:
        """The same of what limits leave: of the values that are tried where the wanted ones are too dear."""
        arm = self.arms[i]
        varying = () if self.charges is None else self.charges.varying(arm.actions)
        if self.charges is None or not self.limits.concerned & set(varying):
            return super().least(i, seen)
        known = {name: value for name, value in seen.items() if name in arm.contexts}
        try:
            grid = self._tried.within(self.limits.box(arm, arm.actions, known))
        except InvalidContext:  # whoever asks for a play there is told so
            return super().least(i, seen)
        return self.charges.least_of(arm.scope, seen, arm.actions, grid)

    def paid_together(self, i: int, group: Sequence[str], known: Mapping[str, Any]) -> tuple[str, ...]:
        """Where limits concern what is paid, all that is still to be set: the first may leave the next dear values."""
        arm = self.arms[i]
        bound = self.charges is not None and self.limits.concerned & set(self.charges.varying(arm.actions))
        return tuple(x for x in arm.actions if x in group or (bound and x not in known))

    @property
    def enough(self) -> int:
        """Plays of a model before what is measured of its next ones is said."""
        return ENOUGH if self.problem.further else 0

    def watch(self) -> None:
        """Begin to learn what is measured, and what fails, for the models that there are."""
        further, models = self.problem.further, range(len(self.models.each))
        self.watching = [self._watching(k) for k in models] if further else []
        self.failing = [self._failing(k) for k in models]

    def _watching(self, k: int) -> ConstraintModels:
        arm, of = self.models.typical[k], _OfModel(self, k)
        names = arm.actions + arm.measured
        return ConstraintModels(self.problem.further, of.fresh, self.problem.drift, names, of.point, tells=of.tells)

    def _failing(self, k: int) -> FailureModel:
        space, of = self.models.typical[k].space, _OfModel(self, k)
        unordered = np.zeros(0, dtype=bool) if space is None else space.categorical
        return FailureModel(unordered, of.point, fading=self.problem.timed, tells=of.ended)

    def empty_model(self, space: Space | None, course: DriftModel | None) -> ArmModel:
        """A model without data over these variables (None: over none), and over the time where there is a course."""
        return self.options.model(space, course, self.streams.integer(0, "hyperparameters"))

    def watch_again(self, history: History) -> None:
        """The same from the beginning: models are others now."""
        for each in self.watching:
            each.begin_anew(history)
        for known in self.failing:
            known.begin_anew(history)

    def check_open(self, scope: Scope) -> None:
        """Refuse rounds of a scope of which limits leave nothing since bounds are wider.

        Raises:
            InvalidProblem: naming the scope.
        """
        if scope not in self.models.number:
            hint = "What a scope leaves to nature counts at the end of its bounds that is worst for a limit."
            raise InvalidProblem(
                "bounds", str(scope), "bounds that leave something to every scope that was played", hint
            )

    # -- learning ------------------------------------------------------------------------------------------------------

    def hear(self, event: Event, history: History) -> None:
        """Take one event in."""
        for known in self.failing:
            known.learn(event, history)
        if isinstance(event, Refitted):
            for k, plain in event.hyperparameters.get("further", {}).items():
                self.watching[int(k)].set(plain)
        else:
            for each in self.watching:
                each.learn(event, history)

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Learn hyperparameters anew, of the models whose schedule says so."""
        until = partial(horizon, history)
        further = {str(k): each.fit(until) for k, each in enumerate(self.watching) if each.due}
        found = self.models.refit(until)
        return {**(found or {}), "further": further} if further else found

    # -- choosing ------------------------------------------------------------------------------------------------------

    def keeping(self, i: int) -> Keeping:
        """What limits leave of arm `i`."""
        k = self.models.of[i]
        watched = self.watching[k].informed if self.watching else []
        return Keeping(self.arms[i], self.limits, watched, self.failing[k])

    def unlikely(self, history: History, i: int, known: Mapping[str, Any]) -> float:
        """The share of arm `i`'s contexts in which nothing is known that is likely to work, and to keep to limits.

        As if every action looked at all of them. From 1 to 2 where that is so in all: the less likely, the more.
        """
        keeping, k = self.keeping(i), len(self.arms[i].actions)
        if not keeping.guarding:
            return 0.0
        unit = kronecker(_GRID * k, k) if k else np.zeros((1, 0))
        return share_short(short_of(keeping.tried(unit, self.pool(history, i, known)).margins, 1))

    def likeliest(self, history: History, some: Iterable[int], known: Mapping[str, Any]) -> Int[np.ndarray, " k"]:
        """Those of some arms that are likely to work, and to keep to limits on what is measured, in most contexts."""
        arms = np.array([*some])
        shares = np.array([self.unlikely(history, i, known) for i in arms])
        return arms[shares <= shares.min()]

    @property
    def counting(self) -> Float[np.ndarray, " m"]:
        """See `Paying.counting`; arms that share a model share its failures."""
        of = np.array(self.models.of)
        every = np.bincount(of, weights=self.plays, minlength=len(self.failing))
        faded = np.array([known.faded for known in self.failing])
        return np.asarray(self.plays * (1.0 - faded / np.maximum(every, 1.0))[of])

    @property
    def chances(self) -> Float[np.ndarray, " m"]:
        """How likely each arm is to work: as its model's plays are at their best."""
        by_model = [known.chance for known in self.failing]
        return np.array([by_model[k] for k in self.models.of])

    @property
    def told(self) -> Float[np.ndarray, " n"]:
        """All outcomes, in units of `sign · value`."""
        return np.concatenate([model.outcomes for model in self.models.each])

    def weighed(self, worths: Float[np.ndarray, " k"], some: Iterable[int] | None = None) -> Float[np.ndarray, " k"]:
        """What arms (`some`, or all) may be worth, as likely as they are to work: see `chances`."""
        likely = self.chances if some is None else self.chances[np.array([*some], dtype=int)]
        return weighed(worths, likely, self.told)

    # -- the answer ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def pool(self, history: History, i: int, seen: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The latest contexts of arm `i`, where this is seen before choosing."""

    def cases(self, history: History, i: int, known: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What was the case of late beside what arm `i` sets: values for all columns of its model."""
        return self.pool(history, i, known)

    @abstractmethod
    def present(self, history: History) -> dict[str, Any]:
        """The time of answers, where it matters."""

    def constraint_slack(self, history: History, advice: Recommendation) -> Sequence[float | None]:
        """See `Method.rooms`; of a policy where it is least, in the contexts of late."""
        i, limits = self.models.number.get(advice.scope), self.problem.limits or ()
        if i is None or not isinstance(advice, Policy) or advice.act is None:
            return [None] * len(limits)
        arm, known = self.arms[i], {**self.present(history), **advice.context}
        alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for case in self.cases(history, i, known):
            alike.setdefault(tuple(case[name] for name in arm.contexts), []).append({**case, **advice.act(case)})
        found: list[float | None] = []
        for limit in limits:
            rooms = [self._room(limit, i, cases) for cases in alike.values()]
            found.append(min((room for room in rooms if room is not None), default=None))
        return found

    def _room(self, limit: Limit, i: int, cases: Sequence[Mapping[str, Any]]) -> float | None:
        """That of one limit in cases that are alike in what the arm looks at."""
        arm = self.arms[i]
        if not isinstance(limit, OutcomeConstraint):
            return self.limits.room(limit, arm, cases[0], cases[0])
        watched = {each.limit.name: each for each in self.keeping(i).watched}.get(limit.name)
        return None if watched is None else watched.room(np.concatenate([arm.encode(case) for case in cases]))


@dataclass(frozen=True, eq=False)
class _OfModel:
    """What is to be known of model `k`. Copies for other processes hold it, which closures cannot be in."""

    method: Guarding[Any]
    k: int

    def fresh(self, course: DriftModel | None) -> ArmModel:
        """A model of a further outcome, without data."""
        return self.method.empty_model(self.method.models.typical[self.k].space, course)

    def point(self, realised: Mapping[str, Any], name: str, played: Round | None) -> Float[np.ndarray, " d"]:
        """Where a play was, or failed; or a trial of elsewhere."""
        if played is None:
            found: Float[np.ndarray, " d"] = self.method.models.typical[self.k].encode(realised)[0]
            return found
        return self.method.models.rows.of(played)

    def ended(self, tried: Round | DataAdded) -> bool:
        """Whether a play, or a trial of elsewhere, is one of this model's, and all was set that it sets."""
        if isinstance(tried, DataAdded):
            return feeds(tried, self.method.models.typical[self.k])
        return self.tells(tried) and known_in(tried).keys() >= set(tried.suggestion.scope.set)

    def tells(self, played: Round | None) -> bool:
        """Whether a play is one of this model's."""
        models = self.method.models
        return played is not None and models.of[models.rows.arm(played)] == self.k
