"""Base class of methods: a method chooses and answers from the history of a study as it stands."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, ClassVar, Generic, TypeVar

from ..errors import InvalidOption, InvalidRequest, SteerboError
from ..records import record
from ..space import OutcomeConstraint
from ._context import TIME, average_over, average_recommendation, context_of, now, typical
from ._findings import Finding, Reason, reason
from ._history import History, Round
from ._problem import Problem
from .answers import Explanation, PolicyStep, Recommendation, Scope, Suggestion
from .determinism import Streams
from .events import DataAdded, OutcomeTold

P = TypeVar("P", bound=Problem)
OptionsT = TypeVar("OptionsT")
"""The class of a method's options."""


@dataclass(frozen=True)
class Choice:
    """Choice of a method for a round; see `Suggestion` for the fields.

    `expected_cost` is reserved while the round is pending, with the problem's charges for
    changes beside it. `note` is logged: plain data, bounds in the user's units. The note of a play
    that a person attached is {"own": True}.
    """

    scope: Scope
    values: Mapping[str, Any]
    observe: tuple[str, ...] = ()
    expected_cost: float | None = None
    note: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Decision:
    """Values set after observing, and the variables to observe next."""

    values: Mapping[str, Any]
    observe: tuple[str, ...] = ()
    note: Mapping[str, Any] = field(default_factory=dict)


A = TypeVar("A")


def cached_until_next_event(answer: Callable[[Any], A]) -> Callable[[Any], A]:
    """Cache an answer of a method until the next event: it takes a search, and is asked for several times.

    >>> class Slow:
    ...     history = type("History", (), {"event_count": 1})
    ...     @cached_until_next_event
    ...     def recommend(self):
    ...         print("searching")
    >>> method = Slow()
    >>> method.recommend(), method.recommend()
    searching
    (None, None)
    """
    place = f"_kept_{answer.__name__}"

    @wraps(answer)
    def remembered(method: Any) -> A:
        found: tuple[int, A] | None = vars(method).get(place)
        if found is None or found[0] != method.history.event_count:
            found = method.history.event_count, answer(method)
            setattr(method, place, found)
        return found[1]

    return remembered


@record
class NoOptions:
    """No options."""


class Method(ABC, Generic[P, OptionsT]):
    """A way to choose, for one problem.

    It is made of data, and each of its answers is a function of them. The history alone goes on:
    all that was derived from it is derived anew when it has another event. Everything that a method
    draws comes from `streams(round, name)`.

    Attributes:
        problem: the problem that is solved.
        options: a value of `Options`.
        streams: random numbers, by round and name.
        history: of the study, as it stands.
        name: its name in studies and logs.
        solves: the class of the problems that it is for.
        Options: a record; every option has a default. Most methods of a few lines have none.
        complete: whether a choice that is to be played sets all of its scope: a log is read so, too.
        trades: whether it is for problems with outcomes that the value is traded against.
    """

    name: ClassVar[str]
    solves: ClassVar[type] = Problem
    Options: ClassVar[type[Any]] = NoOptions
    complete: ClassVar[bool] = False
    trades: ClassVar[bool] = False

    def __init__(self, problem: P, options: OptionsT, streams: Streams, history: History) -> None:
        if bool(problem.traded) != self.trades:
            allowed = f"a method for {'one outcome' if self.trades else 'several outcomes'}"
            hint = "Leave ‹method› out for the one that such a problem has."
            raise InvalidOption("method", self.name, allowed, hint)
        self.problem, self.options, self.streams, self.history = problem, options, streams, history

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Whether this method is a default for such a problem; the first such method of the kind's list is used.

        Asked of methods for as many outcomes as the problem has: see `trades`.
        """
        return True

    @classmethod
    def has_bounds(cls) -> bool:
        """Whether the method bounds the possible gain, so that a study may stop by it."""
        return cls.gain_at is not Method.gain_at

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Lines of `steerbo check` before the first round: pairs of a heading and a text."""
        return ()

    def sem_unused(self) -> str:
        """Reason why the standard error of a value is refused, as it would not be used; empty: the method uses it."""
        return f"method {self.name!r} takes all outcomes as equally accurate"

    def sources_unused(self) -> str:
        """Reason why data of another place or time than here are refused; empty: the method tells them apart."""
        return f"method {self.name!r} takes all data as measured here"

    @property
    def learns_costs(self) -> bool:
        """Whether a play's cost is learned over its settings; if not, a cost that depends on them is reported."""
        return False

    @property
    def chooses_by_model(self) -> bool:
        """Whether choices read a model of the outcomes.

        Where they do not, and no bounds stop the study, asks fit none: hyperparameters are fitted
        for answers, and not logged.
        """
        return True

    def refit(self) -> Mapping[str, Any] | None:
        """Hyperparameters learned anew, as plain data, where that is due. They are logged: see `self.history.fits`."""
        return None

    def check_fit(self) -> None:
        """Raise an error if the latest of `self.history.fits` cannot be used; then it is left out, and is due again."""

    def read_logged(self, asked: Suggestion) -> None:
        """Read the scope and the note of a suggestion in a log that is opened, as its answers read them.

        Raises:
            InvalidInput: naming the part that is no scope of the problem, or no note of this
            method.
        """

    def finished(self) -> str:
        """Reason why nothing is left to suggest, or an empty string; by default, that no play fits into the money."""
        nothing_fits = self.problem.affordable(self.history) == ()
        return "no play fits into what is left of the budget" if nothing_fits else ""

    def gain(self) -> float:
        """Upper bound on the gain of another choice over the recommended one, in the objective's units.

        Where variables are seen before choosing, the mean of `gain_at` over typical contexts, by
        their shares. Infinite while there are no bounds. It is called once there is an outcome.
        """
        present = self._present_context()
        if not self.problem.space.seen:
            return self.gain_at(present)
        contexts = typical(self.problem.space, self.history)
        return average_over(contexts, lambda context: self.gain_at({**present, **context}))

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """Upper bound on the possible gain in one context; `context` is as for `recommend_at`.

        Methods without bounds do not override it: their studies have no stopping rule.
        """
        raise SteerboError(f"{self.name} has no bounds")

    @abstractmethod
    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose for round `self.history.next_round`."""

    def play_at(self, values: Mapping[str, Any], request: Mapping[str, Any]) -> Choice:
        """Choice of settings that a person made, for round `self.history.next_round`.

        Raises:
            InvalidRequest: no play sets these values.
        """
        return Choice(Scope(tuple(values)), values)

    def decide(self, pending: Round, context: Mapping[str, Any]) -> Decision:
        """Set the actions whose contexts are complete. Only methods that ask to observe are called."""
        raise SteerboError(f"{self.name} observes nothing before it sets its values")

    def limit_probabilities(
        self, scope: Scope, known: Mapping[str, Any], request: Mapping[str, Any]
    ) -> Mapping[str, float | None]:
        """Probability of a play to keep each limit on an outcome, by the outcome's name; None: too little is known.

        Args:
            scope: of the play.
            known: its values, and those seen before, by variable.
            request: of `ask`.
        """
        limits = (each for each in self.problem.every_limit if isinstance(each, OutcomeConstraint))
        return {each.name: None for each in limits}

    @cached_until_next_event
    def recommend(self) -> Recommendation:
        """Recommend the best choice from now on, with its alternatives.

        Where variables are seen before choosing: one row for each typical context. Where the
        problem drifts: for the time of the last round, or of later data, which the note states. An
        answer that breaks a limit of the problem is refused, and so is one with such an
        alternative. A method implements `recommend_at`, by which `policy` answers, too.
        """
        present = self._present_context()
        if not self.problem.space.seen:
            return self._answer_at(present, self.recommend_at(present))
        contexts = typical(self.problem.space, self.history)
        known = [{**present, **each.context} for each in contexts]
        return average_recommendation(
            contexts, list(map(self._answer_at, known, self.recommend_at_each(known)))
        )

    @abstractmethod
    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """Recommend in one context: values seen before choosing and, where the problem drifts, the time, by name."""

    def recommend_at_each(self, contexts: Sequence[Mapping[str, Any]]) -> Iterable[Recommendation]:
        """Answers in several contexts at one time: `recommend_at` in each, or the same by shared computation."""
        return map(self.recommend_at, contexts)

    def _answer_at(self, context: Mapping[str, Any], answer: Recommendation) -> Recommendation:
        """The answer in a context; where the problem drifts, its reasons begin with the time that it is for."""
        return self._dated(self.tried(answer, context) or answer, context)

    def tried(self, answer: Recommendation, context: Mapping[str, Any]) -> Recommendation | None:
        """The settings that were played with the best outcome, where an answer is no better; None: it is, or was.

        After one outcome, or some that are alike, all settings are expected to be equally good. Of
        a policy, whose settings follow what is looked at, none is compared, nor where a limit is
        learned, which tells settings apart.
        """
        learned = any(isinstance(each, OutcomeConstraint) for each in self.problem.every_limit)
        if learned or answer.scope.look or answer.mean is None:
            return None
        plays = [
            (self.problem.sign * self.problem.scalar(outcome), played.suggestion.values)
            for played, outcome in self.history.told
            if played.suggestion.scope == answer.scope
        ]
        if not plays or any(values == answer.values for _, values in plays):
            return None
        _, values = max(plays, key=lambda play: play[0])
        try:
            there = self.predict_at(values, context)
        except SteerboError:
            return None
        dearer = (there.cost or 0.0) > (answer.cost or 0.0)
        if there.mean is None or dearer:
            return None
        # by distances from a bound: outcomes may be counted from far away, as temperatures in kelvin
        level = answer.lower or 0.0
        if not math.isclose(there.mean - level, answer.mean - level):
            return None
        return replace(there, reasons=answer.reasons, alternatives=answer.alternatives)

    def _dated(self, answer: Recommendation, context: Mapping[str, Any]) -> Recommendation:
        """Answer whose reasons begin with the time that it is for, where the problem drifts."""
        if not self.problem.timed:
            return answer
        as_of = reason("as-of", time=context[TIME.name])
        return replace(answer, reasons=(as_of, *answer.reasons))

    def predict(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected value at settings of a person's own choice, with bounds, in a context as `recommend_at` has it.

        Raises:
            InvalidRequest: nothing was told yet, or the method cannot predict this.
        """
        self.check_informed()
        context = {**self._present_context(), **context}
        return self._dated(self.predict_at(values, context), context)

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected value at settings in one context. Methods with a model override it."""
        allowed = f"nothing: {self.name} has no model that predicts"
        raise InvalidRequest(
            "values", dict(values), allowed, "Take the default method of the kind."
        )

    def _present_context(self) -> dict[str, Any]:
        """Part of the context that is not seen: the time of the last round, where the problem drifts."""
        return {TIME.name: now(self.history)} if self.problem.timed else {}

    def policy(self, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """Settings of the answer in this context, at the requested time."""
        self.check_informed()
        known = {**self._present_context(), **context_of(request), **context}
        return PolicyStep.of(self._answer_at(known, self.recommend_at(known)), context)

    def bound_inflation(self, scope: Scope) -> float:
        """Factor by which bounds of an answer about a scope are wider than `recommend` has them.

        It corrects for errors that a model does not count: a scale learned from three outcomes, or
        recent surprises. Infinite: the width is unknown, and answers have no bounds. 1: the bounds
        are right as they are.
        """
        return 1.0

    def expected_outcome(self, event: OutcomeTold | DataAdded) -> tuple[float, float, float] | None:
        """Value of an outcome before it is learned from, and the mean and standard deviation predicted for it.

        In the user's units; the deviation includes the noise of a measurement. None: too little is
        known. A value far from its mean is warned of: see `core._implausible`.
        """
        return None

    def expected_further(self, event: OutcomeTold | DataAdded) -> Mapping[str, tuple[float, float]]:
        """Mean and standard deviation predicted for further outcomes of a report that limits are on, by name.

        As of `expected_outcome`. Left out: one of which too little is known.
        """
        return {}

    def findings(self) -> Sequence[Finding]:
        """Notices of the method about the study, for `explain` and `status`."""
        return ()

    def success_probability(self, answer: Recommendation | PolicyStep) -> float | None:
        """Probability of a play at an answer to work, where failures near it tell; None: nothing is known of that."""
        return None

    def outliers(self) -> Sequence[str]:
        """Names of the outcomes that are probably wrong and count for little; `explain` and `status` name them."""
        return ()

    def constraint_slack(self, advice: Recommendation | Suggestion) -> Sequence[float | None]:
        """Slack of each of the problem's constraints at a recommendation, or at settings: see `core._constraints`."""
        limits = self.problem.every_limit
        known = {**advice.context, **advice.values}
        return [limit.room(known) if known.keys() >= set(limit.names) else None for limit in limits]

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """Reasons of the method for a suggestion, by the note that was logged with it."""
        return ()

    def check_informed(self) -> None:
        """Refuse to apply a policy before there is an outcome.

        Raises:
            InvalidRequest: there is no outcome yet.
        """
        if not self.history.n_completed and not self.history.added:
            allowed = "a study with an outcome to learn from"
            raise InvalidRequest("outcomes", "nothing told yet", allowed, "Tell one first.")

    @abstractmethod
    def explain(self) -> Explanation:
        """Explain the latest choice and the present answer."""
