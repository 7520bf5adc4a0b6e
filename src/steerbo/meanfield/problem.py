"""What: agents that are alike, the actions open to them, their contexts, and what limits their distribution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from jaxtyping import Float, Int
from pydantic import BeforeValidator, Field, Strict, model_validator

from ..errors import InvalidOutcome
from ..gp.drift import AnyDrift
from ..record import record
from ..rounds import TIME, History, Outcome, Problem, RequestField, Scope, Suggestion, finite, read_when
from ..space import Crowd, Crowding, Simplex, Space, Variables, largest_remainders
from ..space.fields import Listed, Number, Text
from . import feedback
from .checks import INSTEAD, check_drift, check_features, check_limits, check_seen, check_sizes, names_of
from .crowding import check_crowding, crowds_of, region_of
from .description import description
from .present import CURRENT, read_present
from .realised import played_in, really_played
from .region import Region

SCOPE = Scope(["distribution"])
"""Of every suggestion: nothing else can be set."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Features = Annotated[Sequence[Annotated[Sequence[Number], Listed]], Listed]


@record
class MeanField(Problem):
    """Mean-field Bayesian optimisation (Steinberg et al.): how should many agents, all alike, spread?

    Each agent has a context and picks an action; its payoff depends on both and on how all agents spread. Wanted is the
    distribution of actions for every context with the largest average payoff over the population. The cost of a
    suggestion does not depend on the number of agents.

    Args:
        actions: names of the actions, or their number.
        agents: how many agents there are, M.
        contexts: names of the contexts; default: one for all.
        weights: share of the agents in each context, in any unit; default: equal shares.
        action_features: where similar actions pay similarly: coordinates of each action (A, d), all in one unit.
        context_features: coordinates of each context, (C, d).
        feedback: what `tell` is given: the `population`'s average payoff, a `representative` agent's payoff (with
            ``realised={"context": …, "action": …}``), or the payoffs of all `agents`: the mean of each played cell.
        rounding: how shares become whole agents: `largest-remainders`, or `sampled` (every agent draws; seeded).
        counts: whether suggestions hold the whole numbers of agents too.
        allowed: actions open to a context, where not all are, by context.
        capacity: the most agents an action can take, by action; left out: no limit.
        limits: how many agents may be in an action, at most and at least: `Share` and `Headcount`, of all agents or of
            a context's.
        largest_move: the largest share of a context's agents that a round may move from the present distribution.
        moving_cost: what moving all agents would cost, in units of the value; paid by the share that moves.
        minimize: whether smaller payoffs are better.
        variables: what is known before each choice, such as the day's weather; each of them is `seen`, and `ask` is
            given it.
        drift: how payoffs change with time, where that is known: a `Decay`, `MaternInTime` or `Periodic`, in units of
            the time that `ask(time=…)` is given (left out, the number of the round). A change at one moment is noticed
            without it.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed; also where capacities cannot hold the agents.

    >>> import steerbo as sb
    >>> problem = sb.MeanField(["north", "south"], agents=10)
    >>> sb.Optimizer(problem, seed=1).ask().values
    {'distribution': {'everyone': {'north': 0.5, 'south': 0.5}}}
    """

    actions: Annotated[Sequence[Text], BeforeValidator(names_of)]
    agents: int = Field(ge=1, le=2**53)
    contexts: Annotated[Sequence[Text], Listed] = ("everyone",)
    weights: Annotated[Sequence[Positive], Listed] | None = None
    action_features: Features | None = None
    context_features: Features | None = None
    feedback: Literal["population", "representative", "agents"] = "population"
    rounding: Literal["largest-remainders", "sampled"] = "largest-remainders"
    counts: Annotated[bool, Strict()] = False
    allowed: Mapping[str, Annotated[Sequence[str], Listed]] = Field(default_factory=dict)
    capacity: Mapping[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    limits: Crowding | None = None
    largest_move: float | None = Field(None, gt=0, le=1)
    moving_cost: float = Field(0.0, ge=0, allow_inf_nan=False)
    minimize: Annotated[bool, Strict()] = False
    variables: Variables | None = None
    drift: AnyDrift = None
    kind: Literal["mean-field"] = "mean-field"
    takes: ClassVar[tuple[RequestField, ...]] = (CURRENT,)
    instead: ClassVar[Mapping[str, str]] = INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.meanfield:draw"

    @model_validator(mode="after")
    def _check(self) -> MeanField:
        check_sizes(self)
        check_features(self)
        check_limits(self)
        check_seen(self)
        check_drift(self)
        check_crowding(self)
        return self

    @cached_property
    def simplex(self) -> Simplex:
        """Tables of contexts × actions."""
        return Simplex(self.contexts, self.actions)

    @cached_property
    def space(self) -> Space:
        """What is seen before choosing: a distribution is no list of variables, and there are no others beside it."""
        return Space(self.variables or ())

    @property
    def timed(self) -> bool:
        """Whether payoffs may change in a known way."""
        return self.drift is not None

    def before(self, rows: Sequence[Mapping[str, Any]]) -> Float[np.ndarray, "n c"]:
        """What is known before choosing, encoded, of rounds of which all is known: what is seen, and then the time."""
        seen = self.space.encode(rows)
        return np.column_stack([seen, [row[TIME.name] for row in rows]]) if self.timed else seen

    @cached_property
    def agents_in(self) -> Int[np.ndarray, " C"]:
        """Whole agents in each context."""
        return largest_remainders(self.weights or np.ones(len(self.contexts)), self.agents)

    @cached_property
    def shares(self) -> Float[np.ndarray, " C"]:
        """p(c): the share of the agents that each context really has."""
        return self.agents_in / self.agents

    @cached_property
    def region(self) -> Region:
        """The distributions that are possible, whatever the present one is."""
        return region_of(self, self.every_limit)

    @cached_property
    def every_limit(self) -> tuple[Crowd, ...]:
        """All limits on where agents may be, in whole agents: see `Problem.every_limit`."""
        return crowds_of(self)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Agents, contexts, actions and limits."""
        return description(self)

    # -- what users give -----------------------------------------------------------------------------------------------

    def read_request(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """The present distribution (`current`), where moving is limited or costs; default: the last one played.

        Raises:
            InvalidRequest: naming the row that is no distribution, or the limit that it breaks.
        """
        return read_present(self, request, history)

    @property
    def columns(self) -> tuple[str, ...]:
        """What agents did as a whole, and who the representative one was."""
        agent = ("context", "action") if self.feedback == "representative" else ()
        when = (TIME.name,) if self.timed else ()
        return (*when, "distribution", *(("counts",) if self.counts else ()), *agent, *self.space.names)

    def in_order(self, plain: Any) -> Any:
        """Tables by context and action in the order of contexts and actions, all else as in any problem."""
        if feedback.is_table(self.simplex, plain):
            return {
                context: {action: row[action] for action in self.actions if action in row}
                for context in self.contexts
                if (row := plain.get(context)) is not None
            }
        return super().in_order(plain)

    def read_value(self, value: Any) -> Any:
        """A payoff; with feedback from all agents the mean payoff of every played cell, by context and action."""
        if self.feedback != "agents":
            return finite("value", value)
        return feedback.payoffs(self.simplex, value)

    def read_realised(self, suggestion: Suggestion, realised: Mapping[str, Any], needed: bool) -> dict[str, Any]:
        """The distribution really played (default: the one suggested), and who the representative agent was."""
        return played_in(self, suggestion, realised, needed)

    def read_outcome(self, suggestion: Suggestion, value: Any, cost: Any, realised: Mapping[str, Any]) -> Outcome:
        """An outcome of `suggestion`, checked and complete."""
        return self._complete(super().read_outcome(suggestion, value, cost, realised))

    def read_scope(self, scope: Any) -> Scope:
        """The distribution: there is nothing else to play."""
        return super().read_scope(scope) or SCOPE

    def read_added(self, value: Any, cost: Any, realised: Mapping[str, Any]) -> Outcome:
        """Data that nobody suggested: `realised` must hold the distribution or the counts."""
        if not isinstance(realised, Mapping) or not {"distribution", "counts"} & set(realised):
            raise InvalidOutcome("realised", realised, "a 'distribution' or 'counts', as context × action")
        paid = None if cost is None else finite("cost", cost, least=0.0)
        when, played = read_when(realised) if self.timed else (None, realised)
        known = {} if when is None else {TIME.name: when}
        known |= really_played(self, played, needed=True)
        return self._complete(Outcome(self.read_value(value), paid, known))

    def named(self, table: Float[np.ndarray, "C A"]) -> dict[str, dict[str, float]]:
        """A table by context and action; actions that nobody takes have share 0."""
        return self.simplex.named(table)

    def table(self, named: Any) -> Float[np.ndarray, "C A"]:
        """The array of a table by context and action."""
        return feedback.array(self.simplex, named)

    def scalar(self, outcome: Outcome) -> float:
        """Of payoffs by cell their average."""
        return self.average(outcome)

    def parameters(self, values: Mapping[str, Any]) -> Iterator[tuple[str, None, float]]:
        """The share of every action in every context, as ``context/action``."""
        for context, row in zip(self.contexts, self.table(values["distribution"]).tolist(), strict=True):
            for action, share in zip(self.actions, row, strict=True):
                yield f"{context}/{action}", None, share

    def read_cell(self, name: str, text: str) -> Any:
        """Contexts and actions by name, all else as in any problem."""
        return text.strip() if name in ("context", "action") else super().read_cell(name, text)

    def shown(self, values: Mapping[str, Any], digits: int = 4) -> dict[str, str]:
        """The numbers of agents where they are there, else the shares: both say the same."""
        kept = {name: value for name, value in values.items() if name != "distribution" or "counts" not in values}
        if len(self.contexts) == 1:  # all the agents there are need no name
            kept = {name: x.get(self.contexts[0], x) if isinstance(x, dict) else x for name, x in kept.items()}
        return super().shown(kept, digits)

    def average(self, outcome: Outcome) -> float:
        """The population's average payoff, or the single agent's where that is all there is."""
        if self.feedback != "agents":
            return float(outcome.value)
        table, paid = self.table(outcome.realised["distribution"]), self.table(outcome.value)
        return float(self.shares @ (table * paid).sum(axis=1))

    def _complete(self, outcome: Outcome) -> Outcome:
        """With feedback from all agents, every played cell has a payoff and no other."""
        if self.feedback == "agents":
            feedback.matches(outcome.value, outcome.realised["distribution"])
        return outcome
