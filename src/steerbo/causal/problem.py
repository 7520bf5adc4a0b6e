"""What: a causal graph, the variables in it that can be set or looked at, and which way is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict, model_validator

from ..core import ConstrainedProblem, Outcome, Scope, Suggestion
from ..core.request import read_some
from ..core.tolerance import Tolerance
from ..errors import InvalidProblem, one_of
from ..gp.drift import AnyDrift, check_clock, drift_lines
from ..records import record
from ..space import Limits, Space, Variable
from ..space.fields import ListField
from .claims import claims, doubts
from .graph import CausalGraph
from .graph_file import with_graph
from .limits import check_scope_limits
from .money import prices_text, read_tariff, spent_on, with_price
from .several import check_alike, played_by
from .tariff import Price, Tariff
from .trials import check_trial, read_trial

_SHOWN = 50  # edges in a description
_INSTEAD = {
    "nature": "What is not set follows from the graph, and is learned: rows of data come in by ‹add›.",
    "control_sets": "What may be set is in the graph, as `intervenable`: the scopes follow from it.",
    "costs": "Variables have `prices`, to set them or to look at them; what every round costs beside is `base`.",
    "priors": "They are for time-varying problems.",
    "value_of_one": "Only cost-varying problems take it. What may be given up for money is said by `tolerance` here.",
    "moving_cost": "Nothing that moves has a price here. A cost-varying problem takes it: the variable's ‹change›.",
}


@record
class Causal(ConstrainedProblem):
    """Contextual causal Bayesian optimisation (Arsenyan et al. 2025).

    Each round a policy scope is chosen: some variables are looked at, then others are set, perhaps in stages; the rest
    of the causal system follows, and the target is measured. Wanted is the scope and the policy with the largest
    expected target.

    Args:
        graph: what causes what, what can be set and what can be looked at.
        graphs: several, where nobody knows which is right, in the place of `graph`; they differ in edges only. Every
            scope that one of them needs is an arm, and an observation counts where all of them say that it may.
        variables: one for each intervenable variable and each context of the graph; of a context, the bounds say where
            it usually lies, and values beyond them are welcome. One without causes may be `seen`: it is known before
            the scope is chosen, is given to `ask`, and every scope looks at it for nothing. Others of the graph may be
            listed, too: they are measured after acting, recorded and shown, and observations are adjusted for them.
        minimize: whether smaller values of the target are better.
        drift: how effects change with time, where they do: a `Decay`, `MaternInTime`, `Periodic` or `Sliding`, in the
            units of the time that `ask(time=…)` is given (left out, rounds); "learned": whether they change, and how,
            is learned from the outcomes. None: they never change. Wanted is then what is best *now*.
        prices: what it costs to set a variable, or to look at one before setting others, by name; the others cost
            nothing. A play costs `base` and each of these once; wanted is then the cheapest scope that is good enough.
            A price is a number; a formula of the value that is set and of what is seen before choosing, such as ``"1 +
            0.2 * dose"``, or a Python function of these; or "learned", from the costs that are told.
        base: what every round costs beside, above 0: else to set nothing would be free, and done for ever.
        tolerance: how much of the target may be given up for money: `Fraction`, `Absolute` or `Threshold`; None:
            where there are prices, a twentieth of the way from the worst expected value to the best.
        limits: what may not be set together: `LinearConstraint` and `ForbiddenCombination`, at what is seen and
            looked at; what a scope leaves to nature counts at the end of its bounds that is worst. And
            `OutcomeConstraint`, limits on further outcomes, which are learned.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.

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
        names, roles = self.space.names, (*self.graph.intervenable, *(self.graph.contexts or ()))
        known = list(dict.fromkeys((*roles, *(n for n in self.graph.names if n != self.graph.target))))
        for name in names:
            if name not in known:
                raise InvalidProblem("variables", name, f"what the graph has beside its target, {one_of(known, name)}")
        for name in roles:
            if name not in names:
                hint = (
                    "Declare it, or list the graph's contexts without it."
                    if name not in self.graph.intervenable
                    else ""
                )
                raise InvalidProblem("variables", list(names), f"a variable for {name!r}", hint)
        for name in self.space.seen:
            self._check_seen(name)
        check_clock(self.drift, names)
        if not self.graph.intervenable:
            raise InvalidProblem("graph.intervenable", (), "at least one variable that can be set")
        _ = self.tariff
        check_scope_limits(self)
        return self

    def _check_seen(self, name: str) -> None:
        """Only roots can be known before choosing: what else is seen tells of its causes, and other scopes then do."""
        causes = [a for graph in self.every_graph for a, b in graph.directed if b == name]
        hidden = [edge for graph in self.every_graph for edge in graph.bidirected if name in edge]
        if name not in (self.graph.contexts or ()) or causes or hidden:
            why = f"it has causes: {', '.join(causes)}" if causes else "it has hidden causes" if hidden else "it is set"
            allowed = "a context without causes, such as the weather"
            hint = f"{why.capitalize()}. Without ‹seen›, scopes look at it where that helps."
            raise InvalidProblem(f"variables.{name}.seen", True, allowed, hint)
        if self.space[name].law is not None:
            allowed = "no law: what is seen is given in every round here, and never drawn"
            raise InvalidProblem(f"variables.{name}.law", self.space[name].law, allowed)

    def read_seen(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Values of contexts of the graph, checked.

        Raises:
            InvalidContext: naming what is no context, or no value of one.
        """
        seen = read_some(self.space, context, self.graph.contexts or ())
        if self.space.seen:
            self.read_known({name: value for name, value in seen.items() if name in self.space.seen})
        return seen

    @property
    def timed(self) -> bool:
        """Whether effects may change."""
        return self.drift is not None

    @property
    def every_graph(self) -> tuple[CausalGraph, ...]:
        """The graphs, of which one is right."""
        return (self.graph,) if self.graphs is None else tuple(self.graphs)

    @cached_property
    def space(self) -> Space:
        """The variables, in order."""
        return Space(self.variables)

    @classmethod
    def with_files(cls, table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """With the graph where that stands in a file of its own."""
        return with_graph(table, folder)

    def use(self, variable: Variable) -> str:
        """Whether it can be set."""
        if variable.seen:
            return super().use(variable)
        if variable.name in self.graph.intervenable:
            return "can be set"
        return "can be looked at" if variable.name in (self.graph.contexts or ()) else "measured afterwards"

    def in_order(self, plain: Any) -> Any:
        """See `Problem.in_order`; so are the actions of a scope."""
        if isinstance(plain, Scope):
            ordered = super().in_order(dict(plain.actions))
            there = not plain.keep and list(ordered) == list(plain.actions)
            return plain if there else replace(Scope.of(ordered), price=plain.price)
        return super().in_order(plain)

    @cached_property
    def tariff(self) -> Tariff | None:
        """What prices say; None where there are none."""
        return read_tariff(self.graph, self.space, self.prices, self.base, self.tolerance)

    def with_price(self, scope: Scope) -> Scope:
        """A scope with what a play of it costs, where there are prices, and none of them varies."""
        return scope if self.tariff is None else with_price(scope, self.tariff)

    def price(self, suggestion: Suggestion) -> float | None:
        """What a play costs where prices say so; of a round that is not decided to the end, what is spent of it."""
        if self.tariff is None or suggestion.observe:
            return self._spent(suggestion)
        return self.tariff.paid(suggestion.scope, {**suggestion.context, **suggestion.values})

    def spent_anyway(self, suggestion: Suggestion) -> float | None:
        """What is spent of a round that nobody goes on with: nothing, unless something was looked at for it."""
        looked_at = suggestion.context.keys() - set(self.space.seen)
        return self._spent(suggestion) if looked_at else None

    def _spent(self, suggestion: Suggestion) -> float | None:
        if self.tariff is None:
            return None
        graph = played_by(suggestion.scope, self.every_graph)
        return spent_on(suggestion.scope, graph, suggestion.context, suggestion.values, self.tariff)

    def read_scope(self, scope: Any) -> Scope | None:
        """What was set in a trial of elsewhere: see `read_trial`. None: nothing, it was only observed."""
        return read_trial(scope, self.graph, self.space)

    def check_data(self, outcome: Outcome, scope: Scope | None) -> None:
        """Of a trial, what was set and looked at must be there."""
        if scope is not None:
            check_trial(scope, outcome, timed=self.timed)

    def needed_of_data(self, realised: Mapping[str, Any]) -> tuple[str, ...]:
        """What was measured: scopes that need more learn nothing from it."""
        given = tuple(name for name in self.space.names if name in realised)
        return given or super().needed_of_data(realised)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """The graphs' edges, roles, and what is paid for."""
        graph = self.graph
        seen = graph.contexts or ()
        rest = [n for n in graph.names if n not in (graph.target, *graph.intervenable, *seen)]
        roles = [f"target {graph.target}", f"can be set: {', '.join(graph.intervenable)}"]
        roles += [f"can be looked at: {', '.join(seen) or 'nothing'}"]
        roles += [f"neither: {', '.join(rest)}"] if rest else []
        several = enumerate(self.graphs or (), 1)
        drawn = [(f"graph {i}", _edges(each)) for i, each in several] or [("graph", _edges(graph))]
        limits = (("limit", str(limit)) for limit in self.limits or ())
        said = [("claims", claims(graph)), *(("doubt", text) for text in dict.fromkeys(map(doubts, self.every_graph)))]
        claimed = [(heading, text) for heading, text in said if text]
        return (*drawn, ("roles", "; ".join(roles)), *claimed, *limits, *drift_lines(self.drift), *self._money_lines())

    def _money_lines(self) -> tuple[tuple[str, str], ...]:
        if self.tariff is None:
            return ()
        enough = (("good enough", str(self.tolerance)),) if self.tolerance is not None else ()
        return (("prices", prices_text(self.graph, self.tariff)), *enough)


def _edges(graph: CausalGraph) -> str:
    edges = [f"{a} -> {b}" for a, b in graph.directed] + [f"{a} <-> {b}" for a, b in graph.bidirected]
    more = f", and {len(edges) - _SHOWN} more" if len(edges) > _SHOWN else ""
    return ", ".join(edges[:_SHOWN]) + more or "no edges"
