"""Mean-field problem: agents that are alike, the actions open to them, their contexts, and the constraints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, Strict, model_validator

from .._arrays import Float, Int
from .._wording import MISSING, counted
from ..core import (
    TIME,
    History,
    MeasuredProblem,
    Outcome,
    RequestField,
    Scope,
    Suggestion,
    Ways,
    check_traded,
    finite,
    read_time,
    read_when,
    traded_lines,
)
from ..core.answers import as_text
from ..errors import InvalidOutcome, InvalidProblem, InvalidRequest, one_of
from ..gp.drift import AnyDrift, Sliding, check_clock, drift_lines
from ..records import record
from ..space import Simplex, Space, Variables, largest_remainders, refuse_laws_of_seen
from ..space.fields import ListField, Number, Text, as_whole, listed
from . import _feedback as feedback
from ._constraints import (
    AgentLimits,
    HeadcountBound,
    check_agent_limits,
    check_satisfiable,
    headcount_bounds,
    region_of,
)
from ._region import AGENT_ROUNDING, Region

SCOPE = Scope(["distribution"])
"""Scope of every suggestion: only the distribution can be set."""
MOST_ACTIONS, MOST_CONTEXTS, MOST_CELLS = 10_000, 1_000, 100_000
"""Largest numbers of a problem; a cell is a context with an action."""
RESERVED = ("distribution", "counts", "context", "action")
"""Names that variables must not have."""
CURRENT = RequestField(
    "current",
    'The present distribution of agents: JSON such as {"north": 0.3, "south": 0.7}, or {"north": 12, "south": 28} '
    "of 40 agents‹table of shares›",
    lambda problem, typed: feedback.typed_distribution(problem.contexts, typed),
)

_TOGETHER_HINT = "Put those that are alike together."
_NO_PRICE = "Every distribution costs alike here. What moving agents costs is `moving_cost`, in units of the value."
_INSTEAD = {  # fields of other kinds of problem
    **dict.fromkeys(("costs", "prices", "tolerance", "value_of_one", "change"), _NO_PRICE),
    "control_sets": "All agents are steered in every round: leave it out.",
    "nature": "Variables that are not steered are ‹seen›, and given in every round: they need no law.",
    "graph": "Graphs of causes belong to causal problems.",
    "priors": "They are for time-varying problems.",
}
_ALONE = "Single agents report the payoff only: for several outcomes use feedback ‹population›."
_MOVES = "With several outcomes, make what moving costs one of them."
_TOLD = {
    "population": "the average payoff of all agents",
    "representative": "the payoff of one agent, with its context and action",
    "agents": "the mean payoff of every context and action that was tried",
}
_SHOWN = 20  # names in a list


def _names_of(given: Any) -> Any:
    """Convert a number of actions to the names 1, 2, … of as many."""
    number = None if isinstance(given, float) else as_whole(given)
    if number is None:
        return listed(given)
    # one too many is refused by name
    return tuple(str(i + 1) for i in range(min(number, MOST_ACTIONS + 1)))


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
FeatureRows = Annotated[Sequence[Annotated[Sequence[Number], ListField]], ListField]


@record
class MeanField(MeasuredProblem):
    """Mean-field Bayesian optimisation (Steinberg et al.): how should many agents, all alike, spread?

    Each agent has a context and picks an action; its payoff depends on both and on how all agents
    spread. Wanted is the distribution of actions for every context with the largest average payoff
    over the population. The cost of a suggestion does not depend on the number of agents.

    Args:
        actions: names of the actions, or their number.
        agents: number of agents, M.
        contexts: names of the contexts; default: one for all.
        weights: share of the agents in each context, in any unit; default: equal shares.
        action_features: coordinates of each action (A, d), all in one unit, if similar actions pay
            similarly.
        context_features: coordinates of each context, (C, d).
        feedback: kind of outcome that `tell` takes: the `population`'s average payoff, a
            `representative` agent's payoff (with ``realised={"context": …, "action": …}``), or the
            payoffs of all `agents`: the mean of each played cell.
        rounding: how shares become whole agents: `largest-remainders`, or `sampled` (every agent
            draws; seeded).
        counts: whether suggestions hold the whole numbers of agents too.
        allowed: actions open to a context, by context; contexts that are left out may take any.
        capacity: largest number of agents in an action, by action; left out: no limit.
        limits: constraints on the agents in an action, at most and at least: `Share` and
            `Headcount`, of all agents or of a context's.
        largest_move: largest share of a context's agents that a round may move from the present
            distribution.
        moving_cost: cost of moving all agents, in units of the value; the share that moves pays its
            part.
        minimize: whether smaller payoffs are better.
        variables: variables known before each choice, such as the day's weather; each of them is
            `seen`, and `ask` is given it.
        drift: how payoffs change with time, if that is known: a `Decay`, `MaternInTime` or
            `Periodic`, in units of the time that `ask(time=…)` is given (default: rounds are
            counted, on from past data). A change at one moment is noticed without it.
        current: how the agents spread today: shares or numbers by action, or those by context. It
            is played first, the next plays are near it, and it takes the place of the even spread:
            the answer is better than it, and says by how much, or is to stay.
        outcomes: further outcomes of the population that the payoff is traded against, and which way
            is better, such as ``{"energy": "minimize"}``. Every `tell` reports them among the
            realised values. The answer is a trade-off: the distributions that none betters in
            everything (`tradeoff`).

    Raises:
        InvalidProblem: naming the field, its value and the allowed values; also if capacities
            cannot hold the agents.

    >>> import steerbo as sb
    >>> problem = sb.MeanField(["north", "south"], agents=10)
    >>> sb.Optimizer(problem, seed=1).ask().values
    {'distribution': {'everyone': {'north': 0.5, 'south': 0.5}}}
    """

    actions: Annotated[Sequence[Text], BeforeValidator(_names_of)]
    agents: int = Field(ge=1, le=2**53)
    contexts: Annotated[Sequence[Text], ListField] = ("everyone",)
    weights: Annotated[Sequence[Positive], ListField] | None = None
    action_features: FeatureRows | None = None
    context_features: FeatureRows | None = None
    feedback: Literal["population", "representative", "agents"] = "population"
    rounding: Literal["largest-remainders", "sampled"] = "largest-remainders"
    counts: Annotated[bool, Strict()] = False
    allowed: Mapping[str, Annotated[Sequence[str], ListField]] = Field(default_factory=dict)
    capacity: Mapping[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    limits: AgentLimits | None = None
    largest_move: float | None = Field(
        None, gt=0, allow_inf_nan=False, json_schema_extra={"maximum": 1}
    )
    moving_cost: float = Field(0.0, ge=0, allow_inf_nan=False)
    minimize: Annotated[bool, Strict()] = False
    variables: Variables | None = None
    drift: AnyDrift = None
    current: Mapping[str, Any] | None = None
    outcomes: Ways | None = None
    kind: Literal["mean-field"] = "mean-field"
    takes: ClassVar[tuple[RequestField, ...]] = (CURRENT,)
    instead: ClassVar[Mapping[str, str]] = _INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.meanfield:draw"

    # -- checks ------------------------------------------------------------------------------------

    @model_validator(mode="after")
    def _check(self) -> MeanField:
        self._check_sizes()
        self._check_features()
        self._check_names()
        self._check_moves()
        self._check_variables()
        self._check_drift()
        check_agent_limits(self.limits or (), self.simplex)
        if self.limits:
            check_satisfiable(self.simplex, self.agents_in, self.allowed, self.every_limit)
        else:
            self.region.check()
        _ = self.today  # is checked
        alone = {} if self.feedback == "population" else {"feedback": _ALONE}
        check_traded(self, {"moving_cost": _MOVES, **alone})
        for name in self.measured:
            if name in (*RESERVED, *self.cells):
                raise InvalidProblem("outcomes", name, "a name that nothing else has")
        return self

    def _check_sizes(self) -> None:
        """Refuse repeated names, none at all, or too many."""
        for field, names, most in (
            ("actions", self.actions, MOST_ACTIONS),
            ("contexts", self.contexts, MOST_CONTEXTS),
        ):
            if not names:
                raise InvalidProblem(field, names, "at least one name")
            if len(names) > most:
                raise InvalidProblem(field, f"more than {most}", f"at most {most}", _TOGETHER_HINT)
            name, times = Counter(names).most_common(1)[0]
            if times > 1:
                raise InvalidProblem(field, name, "every name once")
        cells = len(self.contexts) * len(self.actions)
        if cells > MOST_CELLS:
            raise InvalidProblem(
                "actions",
                cells,
                f"at most {MOST_CELLS} pairs of a context and an action",
                _TOGETHER_HINT,
            )

    def _check_features(self) -> None:
        """Refuse weights and features that do not match contexts and actions."""
        C = len(self.contexts)
        if self.weights is not None and len(self.weights) != C:
            raise InvalidProblem("weights", self.weights, f"{C} numbers, one for each context")
        for field, features, names in (
            ("action_features", self.action_features, self.actions),
            ("context_features", self.context_features, self.contexts),
        ):
            if features is not None and len(features) != len(names):
                raise InvalidProblem(
                    field, features, f"{len(names)} rows, one for each of {', '.join(names[:5])}"
                )
            if features is not None and (
                len({len(row) for row in features}) != 1 or not features[0]
            ):
                raise InvalidProblem(
                    field, features, "rows of equal length, with at least one number each"
                )

    def _check_names(self) -> None:
        """Refuse constraints on unknown names, contexts without an allowed action, and contexts without an agent."""
        for context, open_to in self.allowed.items():
            _check_known("allowed", context, self.contexts)
            if not open_to:
                raise InvalidProblem(f"allowed.{context}", open_to, "at least one action")
            for action in open_to:
                _check_known(f"allowed.{context}", action, self.actions)
        for action in self.capacity:
            _check_known("capacity", action, self.actions)
        for name, agents in zip(self.contexts, self.agents_in, strict=True):
            if not agents:
                hint = (
                    "Raise the number of agents or the context's weight, or leave the context out."
                )
                raise InvalidProblem(
                    f"weights.{name}", 0, "a share that makes at least one whole agent", hint
                )

    def _check_moves(self) -> None:
        """Refuse a largest move that is no share, or less than one agent everywhere: today's alone could be played."""
        if self.largest_move is None:
            return
        agents = int(self.agents_in.max())
        if self.largest_move > 1:
            hint = "It is a share of a context's agents"
            hint += f": {min(agents, 2)} of {agents} are {min(agents, 2) / agents:.3g}."
            raise InvalidProblem("largest_move", self.largest_move, "a number not above 1", hint)
        if self.largest_move * agents + AGENT_ROUNDING < 1.0:
            allowed = (
                f"at least {1 / agents:.4g}: one of the {agents} agents in a context is that share"
            )
            raise InvalidProblem("largest_move", self.largest_move, allowed)

    def _check_variables(self) -> None:
        """Refuse variables that are not seen before choosing: the distribution is the only controlled one."""
        for variable in self.variables or ():
            where = f"variables.{variable.name}"
            if not variable.seen:
                raise InvalidProblem(
                    f"{where}.seen", variable.seen, "true: agents are all that is steered here"
                )
            if variable.name in RESERVED:
                raise InvalidProblem(
                    where,
                    variable.name,
                    f"another name: {', '.join(RESERVED)} have another meaning",
                )
        refuse_laws_of_seen(self.space)

    def _check_drift(self) -> None:
        """Refuse a drift that would have to be learned, and a variable named like the time."""
        if isinstance(self.drift, str | Sliding):
            allowed = "how payoffs change with time, such as a decay; or nothing"
            hint = "A change at one moment is noticed without it."
            raise InvalidProblem("drift", self.drift, allowed, hint)
        check_clock(self.drift is not None, self.space.names)

    # -- derived data ------------------------------------------------------------------------------

    @cached_property
    def simplex(self) -> Simplex:
        """Tables of contexts × actions."""
        return Simplex(self.contexts, self.actions)

    @cached_property
    def space(self) -> Space:
        """The variables seen before choosing; the distribution is not among them."""
        return Space(self.variables or ())

    @cached_property
    def today(self) -> Float[np.ndarray, "C A"] | None:
        """Shares of today, `current`, (C, A)."""
        if self.current is None:
            return None
        try:
            return self.table(self._read_present(self.current))
        except InvalidRequest as error:
            raise InvalidProblem(error.field, error.value, error.allowed, error.hint) from None

    @property
    def timed(self) -> bool:
        """Whether payoffs drift in a known way."""
        return self.drift is not None

    def before(self, rows: Sequence[Mapping[str, Any]]) -> Float[np.ndarray, "n c"]:
        """Encode the values known before choosing in complete rounds: the seen variables, then the time."""
        seen = self.space.encode(rows)
        return np.column_stack([seen, [row[TIME.name] for row in rows]]) if self.timed else seen

    @cached_property
    def agents_in(self) -> Int[np.ndarray, " C"]:
        """Number of agents in each context, (C,)."""
        return largest_remainders(self.weights or np.ones(len(self.contexts)), self.agents)

    @cached_property
    def shares(self) -> Float[np.ndarray, " C"]:
        """Share p(c) of the agents in each context after rounding, (C,)."""
        return self.agents_in / self.agents

    @cached_property
    def region(self) -> Region:
        """The feasible distributions, whatever the present one is."""
        return region_of(self.simplex, self.agents_in, self.allowed, self.every_limit)

    @cached_property
    def every_limit(self) -> tuple[HeadcountBound, ...]:
        """All constraints in whole agents: see `Problem.every_limit`."""
        agents = dict(zip(self.contexts, self.agents_in.tolist(), strict=True))
        return headcount_bounds(self.limits or (), self.capacity, agents)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Describe agents, contexts, actions and constraints: pairs of a heading and a text."""
        sizes = zip(self.contexts, self.agents_in.tolist(), strict=True)
        many = len(self.contexts) > 1
        contexts = _listed(f"{name} ({counted(agents, 'agent')})" for name, agents in sizes)
        limits = [
            f"{context}: only {_listed(actions)}" for context, actions in self.allowed.items()
        ]
        limits += [str(limit) for limit in self.every_limit]
        if self.largest_move is not None:
            limits.append(f"at most {self.largest_move:.4g} of a context's agents move in a round")
        if self.moving_cost:
            limits.append(
                f"moving all agents costs {self.moving_cost:g}, paid by the share that moves"
            )
        lines = [
            (
                "agents",
                f"{self.agents}, all alike"
                if not many
                else f"{self.agents}, alike within their context",
            ),
            *([("contexts", contexts)] if many else []),
            ("actions", _listed(self.actions)),
            ("told back", _TOLD[self.feedback]),
            *(("limit", text) for text in limits),
            *traded_lines(self.traded),
        ]
        if self.current is not None:
            lines.append(("today's settings", as_text(dict(self.current))))
        return (*lines, *drift_lines(self.drift))

    # -- requests ----------------------------------------------------------------------------------

    def read_request(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """Check the arguments of `ask`: the time, and `current`, the present distribution, if moves matter.

        The default of `current` is the distribution played last, whatever came of it; before the
        first, that of the problem.

        Raises:
            InvalidRequest: naming the row that is no distribution, or a field that the problem does
                not take.
        """
        moving = self.largest_move is not None or self.moving_cost > 0
        when = {TIME.name: read_time(request, history)} if self.timed else {}
        for name, value in request.items():
            if name not in when and (name != "current" or not moving):
                hint = (
                    "Set the problem's largest_move or moving_cost first."
                    if name == "current"
                    else ""
                )
                raise InvalidRequest(
                    name, value, f"nothing: this {self.kind} problem does not take it", hint
                )
        if "current" in request:
            return {**when, "current": self._read_present(request["current"])}
        present = self._present(history) if moving else None
        return when if present is None else {**when, "current": present}

    def _present(self, history: History) -> dict[str, dict[str, float]] | None:
        """Distribution of the latest round that was not given up; before the first, that of the problem."""
        for played in reversed(tuple(history)):
            if played.state != "abandoned":
                return dict(played.realised["distribution"])
        return None if self.today is None else self.named(self.today)

    def _read_present(self, given: Any) -> dict[str, dict[str, float]]:
        """Read a present distribution, as shares or numbers of agents.

        Raises:
            InvalidRequest: naming the row that is no distribution.
        """
        shares = feedback.as_shares(self.simplex, given, self.agents_in)
        try:
            return self.named(self.simplex.check(shares, "current", InvalidRequest))
        except InvalidRequest as error:
            hint = feedback.forms(self.simplex, self.agents_in)
            raise InvalidRequest(error.field, error.value, error.allowed, hint) from None

    # -- outcomes ----------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the values of a round: the distribution, and the representative agent if there is one."""
        agent = ("context", "action") if self.feedback == "representative" else ()
        when = (TIME.name,) if self.timed else ()
        return (
            *when,
            "distribution",
            *(("counts",) if self.counts else ()),
            *agent,
            *self.space.names,
            *self.measured,
        )

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Context and action of each open cell, by the name of its column: the action, or context/action of several."""
        one = len(self.contexts) == 1
        return {
            self.actions[a] if one else f"{self.contexts[c]}/{self.actions[a]}": (int(c), int(a))
            for c, a in np.argwhere(self.region.allowed)
        }

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Columns with the number of agents, or their share, in each action, in the place of `distribution`."""
        return tuple(self._places)

    def with_cells(self, realised: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
        """Return realised values with the numbers of agents, or the shares, of a line; they take precedence."""
        if not numbers:
            return dict(realised)
        others = {
            name: value
            for name, value in realised.items()
            if name not in ("distribution", "counts")
        }
        return {
            **others,
            **feedback.from_cells(self.simplex, numbers, self._places, self.agents_in),
        }

    def by_cell(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the numbers of agents by the name of the cell; shares where `values` has no counts."""
        named = values.get("counts", values["distribution"])
        return {
            name: named[self.contexts[c]].get(self.actions[a], 0)
            for name, (c, a) in self._places.items()
        }

    def in_order(self, plain: Any) -> Any:
        """Sort tables by the problem's contexts and actions, and everything else as in any problem."""
        if feedback.is_table(self.simplex, plain):
            return {
                context: {action: row[action] for action in self.actions if action in row}
                for context in self.contexts
                if (row := plain.get(context)) is not None
            }
        return super().in_order(plain)

    def completed(self, realised: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return realised values with the counts of the distribution played, where its shares are whole agents."""
        if not self.counts or "distribution" not in realised:
            return realised
        told = {name: value for name, value in realised.items() if name != "counts"}
        return {**told, **self._whole(self.table(realised["distribution"]))}

    def _whole(self, table: Float[np.ndarray, "C A"]) -> dict[str, Any]:
        """Return the `counts` that shares are; nothing for shares that are no whole agents, as of averages over a day.

        They need not satisfy the constraints.
        """
        counts, exact = largest_remainders(table, self.agents_in), table * self.agents_in[:, None]
        # of very many agents a share, a float, is not exact to an agent's part
        whole = np.isclose(exact, counts, rtol=1e-12, atol=AGENT_ROUNDING).all()
        return {"counts": self._counted(counts)} if whole else {}

    def _counted(self, counts: Int[np.ndarray, "C A"]) -> dict[str, dict[str, int]]:
        """Return numbers of agents by context and action."""
        return {
            context: {action: int(k) for action, k in zip(self.actions, row, strict=True)}
            for context, row in zip(self.contexts, counts, strict=True)
        }

    @cached_property
    def settable(self) -> tuple[str, ...]:
        """See `Problem.settable`."""
        return ("counts",) if self.counts else ("distribution",)

    def read_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """See `Problem.read_settings`: a 'distribution' or 'counts', as for data, and left as it is."""
        if (
            not isinstance(values, Mapping)
            or not {"distribution", "counts"} >= set(values)
            or not values
        ):
            raise InvalidRequest(
                "values", values or MISSING, "a 'distribution' or 'counts', as context × action"
            )
        try:
            table = self._table_of(feedback.in_full(self.contexts, values))
        except InvalidOutcome as error:  # settings are none that came about
            named = error.field.removeprefix("realised.")
            raise error.moved(named, InvalidRequest) from None
        return {"distribution": self.named(table), **(self._whole(table) if self.counts else {})}

    def read_value(self, value: Any) -> Any:
        """Read a payoff; with feedback from all agents the mean payoff of every played cell, by context and action."""
        if self.feedback != "agents":
            return finite("value", value)
        return feedback.payoffs(self.simplex, value)

    def read_realised(
        self, suggestion: Suggestion, realised: Mapping[str, Any], needed: bool
    ) -> dict[str, Any]:
        """Read the distribution really played (default: the one suggested), and the representative agent."""
        if not isinstance(realised, Mapping):
            raise InvalidOutcome("realised", realised, "values by name, such as {'counts': …}")
        suggested, (realised, further) = suggestion.values, self._with_further(realised)
        self._check_told(further, needed)
        known = {"distribution": suggested["distribution"], **suggestion.context, **realised}
        if "counts" in realised:
            told = feedback.with_context(self.contexts, realised["counts"])
            if isinstance(told, dict) and told == suggested.get("counts"):
                known.pop("counts")  # as suggested: a corrected distribution takes precedence
        return {**self._read_played(known, needed), **further}

    def _with_further(
        self, realised: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, float]]:
        """Split realised values into the play and the further outcomes."""
        return self._apart(realised, more=RESERVED) if self.measured else (realised, {})

    def _read_played(self, known: Mapping[str, Any], needed: bool) -> dict[str, Any]:
        """Check the distribution played, seen variables and a `needed` representative agent.

        Of a distribution and `counts` these take precedence, unless it rounds to them.

        Raises:
            InvalidOutcome: naming the row.
        """
        agent = ("context", "action") if self.feedback == "representative" else ()
        fields = ("distribution", "counts", *agent, *self.space.names)
        for name, value in known.items():
            if name not in fields:
                raise InvalidOutcome(f"realised.{name}", value, one_of(fields, name))
        known = feedback.in_full(self.contexts, known)
        played = self.named(self._table_of(known))
        who = feedback.representative(self.simplex, known, played, needed) if agent else {}
        seen = {name: value for name, value in known.items() if name in self.space}
        return {"distribution": played, **who, **self.space.check_measured(seen, self.space.names)}

    def _table_of(self, known: Mapping[str, Any]) -> Float[np.ndarray, "C A"]:
        """Table of a `distribution`, or of `counts`, which take precedence unless the distribution rounds to them.

        Raises:
            InvalidOutcome: naming the row.
        """
        if "distribution" in known:
            table = self.simplex.check(
                known["distribution"], "realised.distribution", InvalidOutcome
            )
        if "counts" in known:
            counts = feedback.counts(self.simplex, known["counts"], self.agents_in)
            if (
                "distribution" not in known
                or (largest_remainders(table, self.agents_in) != counts).any()
            ):
                table = counts / self.agents_in[:, None]
        forbidden = (table > 0) & ~self.region.allowed
        if forbidden.any():
            c, a = np.argwhere(forbidden)[0]
            context, action = self.contexts[c], self.actions[a]
            hint = f"The problem allows {context!r} only {', '.join(self.allowed[context])}."
            raise InvalidOutcome(
                f"realised.{context}.{action}", float(table[c, a]), "no agents here", hint
            )
        return table

    def read_outcome(
        self, suggestion: Suggestion, value: Any, cost: Any, realised: Mapping[str, Any]
    ) -> Outcome:
        """Read a complete outcome of `suggestion`."""
        return self._complete(super().read_outcome(suggestion, value, cost, realised))

    def read_scope(self, scope: Any) -> Scope:
        """Read the scope of external data; the default is the distribution, the only one there is."""
        return super().read_scope(scope) or SCOPE

    def read_added(self, value: Any, cost: Any, realised: Mapping[str, Any]) -> Outcome:
        """Read external data: `realised` must hold the distribution or the counts."""
        if not isinstance(realised, Mapping) or not {"distribution", "counts"} & set(realised):
            raise InvalidOutcome(
                "realised", realised, "a 'distribution' or 'counts', as context × action"
            )
        paid = None if cost is None else finite("cost", cost, least=0.0)
        when, played = read_when(realised) if self.timed else (None, realised)
        known = {} if when is None else {TIME.name: when}
        played, told = self._with_further(played)
        known |= {**self._read_played(played, needed=True), **told}
        return self._complete(Outcome(self.read_data_value(value), paid, known))

    def _complete(self, outcome: Outcome) -> Outcome:
        """Check, with feedback from all agents, that exactly the played cells have a payoff."""
        if self.feedback == "agents":
            feedback.check_payoffs_match(outcome.value, outcome.realised["distribution"])
        return outcome

    def example(self, name: str) -> str:
        """Example of a distribution or of counts as JSON: a hint beside a field."""
        if name not in ("distribution", "counts"):
            return super().example(name)
        several, (first, *others) = len(self.contexts) > 1, self.actions
        total: float = 1.0 if name == "distribution" else int(self.agents_in[0])
        half = 0.5 if name == "distribution" else total // 2
        row = {first: total - half, others[0]: half} if others else {first: total}
        shown = json.dumps({self.contexts[0]: row} if several else row, ensure_ascii=False)
        more = "; every context; actions left out are 0" if several else "; those left out are 0"
        return f"such as {shown}{more}"

    def read_cell(self, name: str, text: str) -> Any:
        """Read a cell of a table: contexts and actions as names, everything else as in any problem."""
        return text.strip() if name in ("context", "action") else super().read_cell(name, text)

    def scalar(self, outcome: Outcome) -> float:
        """Return the value of an outcome as one number: the average of payoffs by cell."""
        return self.average(outcome)

    def average(self, outcome: Outcome) -> float:
        """Return the population's average payoff; with representative feedback the agent's payoff."""
        if self.feedback != "agents":
            return float(outcome.value)
        table, paid = self.table(outcome.realised["distribution"]), self.table(outcome.value)
        return float(self.shares @ (table * paid).sum(axis=1))

    # -- names and arrays --------------------------------------------------------------------------

    def named(self, table: Float[np.ndarray, "C A"]) -> dict[str, dict[str, float]]:
        """Return a table (C, A) by context and action; actions without agents have share 0."""
        return self.simplex.named(table)

    def table(self, named: Any) -> Float[np.ndarray, "C A"]:
        """Return a table by context and action as an array (C, A)."""
        return feedback.array(self.simplex, named)

    def settings(
        self, table: Float[np.ndarray, "C A"], counts: Int[np.ndarray, "C A"] | None = None
    ) -> dict[str, Any]:
        """Return the values of a suggestion: the distribution by name, with `counts` also the numbers of agents.

        Args:
            table: shares, a row for each context.
            counts: numbers of agents; None: the nearest feasible ones.

        >>> MeanField(["north", "south"], agents=4, counts=True).settings(np.array([[0.25, 0.75]]))["counts"]
        {'everyone': {'north': 1, 'south': 3}}
        """
        values: dict[str, Any] = {"distribution": self.named(table)}
        if self.counts:
            whole = self.region.whole(table) if counts is None else counts
            values["counts"] = self._counted(whole)
        return values

    def parameters(self, values: Mapping[str, Any]) -> Iterator[tuple[str, None, float]]:
        """Iterate over the shares of all actions in all contexts, named ``context/action``."""
        for context, row in zip(
            self.contexts, self.table(values["distribution"]).tolist(), strict=True
        ):
            for action, share in zip(self.actions, row, strict=True):
                yield f"{context}/{action}", None, share

    def shown(
        self, values: Mapping[str, Any], request: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Format values for people: the numbers of agents if `values` has them, else the shares."""
        kept = {
            name: value
            for name, value in values.items()
            if name != "distribution" or "counts" not in values
        }
        if len(self.contexts) == 1:  # an only context needs no name
            kept = {
                name: x.get(self.contexts[0], x) if isinstance(x, dict) else x
                for name, x in kept.items()
            }
        return super().shown(kept, request)


def _check_known(field: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise InvalidProblem(field, name, one_of(names, name))


def _listed(names: Iterable[str]) -> str:
    """Join names, at most `_SHOWN` of them."""
    everyone = list(names)
    more = f" and {len(everyone) - _SHOWN} more" if len(everyone) > _SHOWN else ""
    return ", ".join(everyone[:_SHOWN]) + more
