"""The causal problem: a graph, the variables in it that can be set or looked at, prices, constraints, and drift."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Strict, model_validator

from ..core import (
    ConstrainedProblem,
    History,
    Outcome,
    Round,
    Scope,
    Suggestion,
    Ways,
    as_text,
    check_traded,
    traded_lines,
)
from ..core.request import read_context
from ..core.tolerance import UNSTATED, Tolerance
from ..errors import InvalidProblem, combine, one_of
from ..gp.drift import AnyDrift, check_clock, drift_lines
from ..records import record, to_dict
from ..space import CurrentPolicy, Limits, Space, Variable, refuse_laws_of_seen
from ..space.fields import ListField
from ._constraints import check_constraints, told_afterwards
from ._observational import check_trial, read_trial
from .graphs.equivalence import check_alike, graphs_of, graphs_of_file
from .graphs.graph import CausalGraph, claims, doubts
from .identification.scopes import ScopedGraph, looking_at, played_by, stages
from .prices import Price, PriceTable

T = TypeVar("T")
_SHOWN = 50  # edges in a description
_ROLES = ("target", "intervenable", "contexts")
_INSTEAD = {
    "nature": "Variables that are not set follow from the graph, and are learned: add rows of data by ‹add›.",
    "control_sets": "The graph names the variables that can be set, as `intervenable`: the scopes follow from it.",
    "costs": "Variables have `prices`, to set them or to look at them; what every round costs beside is `base`.",
    "priors": "They are for time-varying problems.",
    "value_of_one": "Only cost-varying problems take it. Here `tolerance` says how much may be given up to save money.",
    "moving_cost": "Moving costs nothing here. In a cost-varying problem a variable's ‹change› is what it costs.",
}


@record
class Causal(ConstrainedProblem):
    """Contextual causal Bayesian optimisation (Arsenyan et al. 2025).

    Each round plays a policy scope: some variables are looked at, then others are set, perhaps in
    stages; the rest of the causal system follows, and the target is measured. The aim is the scope
    and the policy with the largest expected target.

    Args:
        graph: the causal graph, with the variables that can be set and looked at.
        graphs: alternative graphs of which one is right, in the place of `graph`; they differ in
            edges only. Every scope that one of them needs is an arm, and an observation counts if
            all of them allow it.
        variables: one for each intervenable variable and each context of the graph; the bounds of a
            context say where it usually lies, and values beyond them are accepted. A context
            without causes may be `seen`: it is known before the scope is chosen, is given to `ask`,
            and every scope looks at it for nothing. Other variables of the graph may be listed,
            too: they are measured after acting, recorded and shown, and observations are adjusted
            for them.
        minimize: whether smaller values of the target are better.
        drift: how effects change with time, if they do: a `Decay`, `MaternInTime`, `Periodic` or
            `Sliding`, in the units of the time that `ask(time=…)` is given (left out, rounds);
            "learned": whether they change, and how, is learned from the outcomes. None: they never
            change. The aim is then the policy that is best *now*.
        prices: of setting a variable, or of looking at one before setting others, by name; the
            others cost nothing. A play costs `base` and each of these once; the aim is then the
            cheapest scope that is good enough. A price is a number; a formula of the value that is
            set and of variables seen before choosing, such as ``"1 + 0.2 * dose"``, or a Python
            function of these; or "learned", from the costs that are told.
        base: price of every round, above 0: else to set nothing would be free, and done for ever.
        tolerance: how much of the target may be given up for money: `Fraction`, `Absolute` or
            `Threshold`; None: with prices, a twentieth of the way from the worst expected value to
            the best.
        limits: constraints on settings, `LinearConstraint` and `ForbiddenCombination`, at the
            values that are seen and looked at; variables that a scope leaves to nature count at the
            worst end of their bounds. And `OutcomeConstraint`, constraints on further outcomes,
            which are learned.
        current: how the system is run today: of some variables that can be set a value, or a
            formula of contexts, such as ``{"dose": "0.1 + 0.5 * severity"}``, or a Python function
            of these. It is an arm: it is played first, plays leave it step by step, and answers say
            by how much they are better.
        outcomes: further outcomes that the target is traded against, and which way is better, such
            as ``{"energy": "minimize"}``. Each is a variable of the graph that is neither set nor
            looked at, and is told with every outcome, as `realised`. Scopes are those that are
            possibly optimal for some weighing of all outcomes; answers are a trade-off. Beside it
            nothing has a price.

    Raises:
        InvalidProblem: naming the field, its value and the allowed values.

    >>> import steerbo as sb
    >>> graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    >>> problem = sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)])
    >>> optimizer = sb.Optimizer(problem, seed=0)
    >>> suggestion = optimizer.ask()
    >>> suggestion.observe
    ('age',)
    >>> list(optimizer.decide(suggestion, {"age": 44.0}).values)
    ['dose']
    """

    graph: CausalGraph = None  # type: ignore[assignment]  # the first of several
    variables: Annotated[Sequence[Variable], ListField] = ()
    minimize: Annotated[bool, Strict()] = False
    drift: AnyDrift = None
    prices: Mapping[str, Price] | None = field(default=None, hash=False)
    base: float | None = None
    tolerance: Tolerance | None = None
    graphs: Annotated[Sequence[CausalGraph], ListField] | None = None
    limits: Limits | None = None
    current: Mapping[str, Any] | None = field(default=None, hash=False)
    outcomes: Ways | None = field(default=None, hash=False)
    kind: Literal["causal"] = "causal"
    scoped: ClassVar[bool] = True
    instead: ClassVar[Mapping[str, str]] = _INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.causal:draw"

    @model_validator(mode="after")
    def _check(self) -> Causal:
        if self.graphs is not None:
            check_alike(self.graphs)
            if self.graph not in (None, self.graphs[0]):
                raise InvalidProblem("graph", self.graph.to_text(), "nothing beside ‹graphs›")
            object.__setattr__(self, "graph", self.graphs[0])
        if self.graph is None:
            raise InvalidProblem("graph", None, "a CausalGraph, or several by ‹graphs›")
        check_traded(self, {"prices": "Several outcomes do not work with prices yet."})
        if self.traded:
            self._check_outcomes()
        names, roles = self.space.names, (*self.graph.intervenable, *(self.graph.contexts or ()))
        told = (self.graph.target, *self.traded)
        known = list(dict.fromkeys((*roles, *(n for n in self.graph.names if n not in told))))
        for name in names:
            if name not in known:
                raise InvalidProblem(
                    "variables",
                    name,
                    f"a variable of the graph other than its target, {one_of(known, name)}",
                )
        for name in roles:
            if name not in names:
                limited = [getattr(limit, "name", "") for limit in self.limits or ()]
                if name in limited:
                    raise told_afterwards(limited.index(name), name)
                without = "list the graph's contexts without it."
                hint = "" if name in self.graph.intervenable else f"Declare it, or {without}"
                raise InvalidProblem("variables", list(names), f"a variable for {name!r}", hint)
        for name in self.space.seen:
            self._check_seen(name)
        refuse_laws_of_seen(self.space)
        check_clock(self.drift is not None, names)
        if not self.graph.intervenable:
            raise InvalidProblem("graph.intervenable", (), "at least one variable that can be set")
        _ = self.price_table
        check_constraints(self.limits or (), self.space, self.graph)
        _ = self.todays_scope  # is checked
        return self

    def _check_outcomes(self) -> None:
        """Refuse outcomes that are not in every graph; none is a context."""
        taken = (self.graph.target, *self.space.names)
        free = [name for name in self.graph.names if name not in taken]
        for name in self.traded:
            if name not in free:
                hint = "Draw what affects it, as arrows that end there."
                allowed = f"a variable of the graph that is not declared, {one_of(free, name)}"
                raise InvalidProblem(
                    "outcomes", name, allowed if free else "one of the graph", hint
                )
        graphs = [graph.joined([*self.traded]) for graph in self._given_graphs]
        alone = [
            replace(given, contexts=joint.contexts)
            for given, joint in zip(self._given_graphs, graphs, strict=True)
        ]
        object.__setattr__(self, "graph", alone[0])
        if self.graphs is not None:
            object.__setattr__(self, "graphs", tuple(alone))

    @cached_property
    def today(self) -> CurrentPolicy | None:
        """How the system is run today, `current`, as a function of contexts."""
        if self.current is None:
            return None
        for name in self.current:
            if name not in self.settable:
                allowed = f"settings of {one_of(self.settable, name)}"
                raise InvalidProblem(f"current.{name}", self.current[name], allowed)
        contexts = [name for name in self.space.names if name in (self.graph.contexts or ())]
        return CurrentPolicy(self.current, self.space, contexts)

    @property
    def moves_stepwise(self) -> bool:
        """See `Problem.moves_stepwise`."""
        return bool(self.current)

    @cached_property
    def todays_scope(self) -> Scope | None:
        """Scope of today's policy: each of its actions looks at the variables that its formula reads."""
        if self.today is None:
            return None
        formulas = self.today.formulas
        stated = [name for name in self.settable if name in (self.current or {})]
        scope = Scope.of(
            {name: formulas[name].reads if name in formulas else () for name in stated}
        )
        for graph in self.every_graph:
            if not ScopedGraph.of(graph, scope.actions).acyclic:
                hint = "What an action affects cannot be looked at before it."
                allowed = "formulas that read no consequence of what they set"
                raise InvalidProblem("current", self.today.in_words(), allowed, hint)
        return looking_at(scope, self.space.seen)

    def _check_seen(self, name: str) -> None:
        """Refuse contexts with causes among those seen before choosing: they would tell of their causes."""
        causes = [a for graph in self.every_graph for a, b in graph.directed if b == name]
        hidden = [edge for graph in self.every_graph for edge in graph.bidirected if name in edge]
        if name not in (self.graph.contexts or ()) or causes or hidden:
            if causes:
                why = f"it has causes: {', '.join(causes)}"
            else:
                why = "it has hidden causes" if hidden else "it is set"
            allowed = "a context without causes, such as the weather"
            hint = f"{why.capitalize()}. Without ‹seen›, scopes look at it where that helps."
            raise InvalidProblem(f"variables.{name}.seen", True, allowed, hint)

    def read_seen(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Check values of contexts of the graph.

        Raises:
            InvalidContext: naming a variable that is no context, or an invalid value.
        """
        names = [name for name in self.space.names if name in (self.graph.contexts or ())]
        seen = read_context(self.space, context, names)
        if self.space.seen:
            self.read_context(
                {name: value for name, value in seen.items() if name in self.space.seen}
            )
        return seen

    @cached_property
    def settable(self) -> tuple[str, ...]:
        """See `Problem.settable`."""
        return tuple(name for name in self.space.names if name in (self.graph.intervenable or ()))

    def read_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """See `Problem.read_settings`: those of one scope, which the method knows."""
        names = [
            name for name in self.space.names if isinstance(values, Mapping) and name in values
        ]
        return self.space.check_settings(values, names)

    @property
    def timed(self) -> bool:
        """Whether effects may change with time."""
        return self.drift is not None

    @property
    def _given_graphs(self) -> tuple[CausalGraph, ...]:
        return (self.graph,) if self.graphs is None else tuple(self.graphs)

    @cached_property
    def every_graph(self) -> tuple[CausalGraph, ...]:
        """The alternative graphs; a single one if there are none. Their target is that of all outcomes together."""
        if not self.traded:
            return self._given_graphs
        return tuple(graph.joined([*self.traded]) for graph in self._given_graphs)

    @cached_property
    def space(self) -> Space:
        """Space of the variables, in order."""
        return Space(self.variables)

    @classmethod
    def with_files(cls, table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """Read graphs that a study file keeps in files of their own; see `_with_graphs`."""
        return _with_graphs(table, folder)

    def use(self, variable: Variable) -> str:
        """Describe the role of a variable."""
        if variable.seen:
            return super().use(variable)
        if variable.name in self.graph.intervenable:
            return "can be set"
        return (
            "can be looked at"
            if variable.name in (self.graph.contexts or ())
            else "measured afterwards"
        )

    def in_order(self, plain: Any) -> Any:
        """See `Problem.in_order`; the actions of a scope are ordered, too."""
        if isinstance(plain, Scope):
            ordered = super().in_order(dict(plain.actions))
            there = not plain.keep and list(ordered) == list(plain.set)
            return plain if there else replace(Scope.of(ordered), price=plain.price)
        return super().in_order(plain)

    @cached_property
    def price_table(self) -> PriceTable | None:
        """The stated prices; None if there are none."""
        return PriceTable.of_problem(self.graph, self.space, self.prices, self.base, self.tolerance)

    def with_price(self, scope: Scope) -> Scope:
        """Add its price to a scope, if there are prices, and none of its prices varies."""
        return scope if self.price_table is None else self.price_table.priced(scope)

    def price(self, suggestion: Suggestion) -> float | None:
        """Stated cost of a play; of a round that is not fully decided, the part that is surely spent."""
        return self._price_at(suggestion, {})

    def paid(self, played: Round, history: History) -> float | None:
        """Cost of a round at the settings that were reached; None if part of it is learned."""
        return self._price_at(played.suggestion, played.realised)

    def _price_at(self, suggestion: Suggestion, realised: Mapping[str, Any]) -> float | None:
        if self.price_table is None or suggestion.observe:
            return self._spent(suggestion)
        known = {**suggestion.context, **suggestion.values, **realised}
        return self.price_table.paid(suggestion.scope, known)

    def spent_anyway(self, suggestion: Suggestion) -> float | None:
        """Cost of a round that is given up: None, unless a context was looked at for it."""
        looked_at = suggestion.context.keys() - set(self.space.seen)
        return self._spent(suggestion) if looked_at else None

    def _spent(self, suggestion: Suggestion) -> float | None:
        """Part of the cost of an undecided round that is surely spent: base, looks, and actions before the last look.

        Actions after the last look may have been set or not, and the next contexts may have been
        looked at. None if one of these prices is learned.
        """
        if self.price_table is None:
            return None
        scope = suggestion.scope
        paid, waiting = list[str](), list[str]()
        for look, ready in self.stages_of(scope):
            if any(name not in suggestion.context for name in look):
                break
            if look:
                paid += [*look, *waiting]
                waiting = []
            waiting += ready
        return self.price_table.sum_of(paid, {**suggestion.context, **suggestion.values})

    def stages_of(self, scope: Scope) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """See `Problem.stages_of`; what an action affects is looked at after it was set."""
        return stages(scope, played_by(scope, self.every_graph))

    def read_scope(self, scope: Any) -> Scope | None:
        """Parse the scope of external data, see `read_trial`; None if it was an observation."""
        return read_trial(scope, self.graph, self.space)

    def check_data(self, outcome: Outcome, scope: Scope | None) -> None:
        """Refuse a trial without values of its actions and contexts."""
        if scope is not None:
            check_trial(scope, outcome, timed=self.timed)

    def needed_of_data(self, realised: Mapping[str, Any]) -> tuple[str, ...]:
        """Measured variables: scopes with further columns learn nothing from the data.

        Where something has a price, nothing may have been set or measured: that teaches to do nothing.
        """
        given = tuple(name for name in self.space.names if name in realised)
        return given if given or self.prices else super().needed_of_data(realised)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Describe the edges of the graphs, roles, claims, constraints and prices."""
        graph = self.graph
        seen = graph.contexts or ()
        told = (graph.target, *self.traded)
        rest = [n for n in graph.names if n not in (*told, *graph.intervenable, *seen)]
        roles = [f"target {' and '.join(told)}", f"can be set: {', '.join(graph.intervenable)}"]
        roles += [f"can be looked at: {', '.join(seen) or 'nothing'}"]
        roles += [f"neither: {', '.join(rest)}"] if rest else []
        several = enumerate(self.graphs or (), 1)
        drawn = [(f"graph {i}", _edges(each)) for i, each in several] or [("graph", _edges(graph))]
        limits = (("limit", str(limit)) for limit in self.limits or ())
        said = [
            ("claims", claims(graph)),
            *(("doubt", text) for text in dict.fromkeys(map(doubts, self.every_graph))),
        ]
        claimed = [(heading, text) for heading, text in said if text]
        return (
            *drawn,
            ("roles", "; ".join(roles)),
            *claimed,
            *limits,
            *self._todays_line(),
            *drift_lines(self.drift),
            *traded_lines(self.traded),
            *self._money_lines(),
        )

    def _todays_line(self) -> tuple[tuple[str, str], ...]:
        if self.today is None:
            return ()
        return (("today's settings", as_text(self.shown(self.today.in_words()))),)

    def _money_lines(self) -> tuple[tuple[str, str], ...]:
        if self.price_table is None:
            return ()
        enough = ("good enough", str(self.tolerance or UNSTATED))
        return (("prices", self.price_table.summary(self.graph)), enough)


def _edges(graph: CausalGraph) -> str:
    edges = [f"{a} -> {b}" for a, b in graph.directed] + [
        f"{a} <-> {b}" for a, b in graph.bidirected
    ]
    more = f", and {len(edges) - _SHOWN} more" if len(edges) > _SHOWN else ""
    return ", ".join(edges[:_SHOWN]) + more or "no edges"


def _with_graphs(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Read graphs of the table [problem] from files, such as ``graph = "field.txt"``, relative to the study file.

    Roles missing in the file are given beside its name:
    ``graph = { file = "field.gml", target = "y", intervenable = ["x"] }``. The log keeps the graph,
    not the name of the file. `graphs` is a list of such, or one file with undecided edges, which
    stands for all its graphs; see `graphs_of`. In the place of a name the graph itself may stand,
    as text: ``graph = "age -> dose; dose -> y; target: y"``.

    Raises:
        InvalidProblem: an unreadable file, an unknown role, an invalid graph.
    """
    read = dict(table)
    if _names_file(given := table.get("graph")):
        read["graph"] = to_dict(_of_file(given, folder, "problem.graph", _GRAPH))
    if _names_file(several := table.get("graphs")):
        read["graphs"] = [
            to_dict(each) for each in _of_file(several, folder, "problem.graphs", _GRAPHS)
        ]
    elif isinstance(several, list | tuple):
        read["graphs"] = [
            to_dict(_of_file(each, folder, f"problem.graphs.{i}", _GRAPH))
            if _names_file(each)
            else each
            for i, each in enumerate(several)
        ]
    return read


def _names_file(given: Any) -> bool:
    return isinstance(given, str) or (isinstance(given, Mapping) and "file" in given)


_GRAPH = CausalGraph.from_text, CausalGraph.from_file
_GRAPHS = graphs_of, graphs_of_file
_EDGE = re.compile(r"->|<-| -- |[\n;{]")


def _of_file(
    given: Any, folder: Path, place: str, readers: tuple[Callable[..., T], Callable[..., T]]
) -> T:
    """Read a graph's text, or its file, with the roles beside; `readers` are those of text and of a file."""
    roles = dict(given) if isinstance(given, Mapping) else {"file": given}
    file = roles.pop("file")
    if not isinstance(file, str) or not file.strip():
        raise InvalidProblem(f"{place}.file", file, "the name of a file, such as 'field.txt'")
    for role in roles:
        if role not in _ROLES:
            hint = "Edges stand in the file."
            raise InvalidProblem(
                f"{place}.{role}", roles[role], one_of(("file", *_ROLES), role), hint
            )
    of_text, of_file = readers
    try:
        # names of files have no edges in them
        return of_text(file, **roles) if _EDGE.search(file) else of_file(folder / file, **roles)
    except InvalidProblem as error:
        raise combine(e.moved(f"{place}: {e.field}") for e in error.errors) from None
