"""What: a causal graph, the variables in it that can be set or looked at, and which way is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict, model_validator

from ..errors import InvalidContext, InvalidOutcome, InvalidProblem, one_of
from ..gp.drift import AnyDrift, check_clock, drift_lines
from ..record import record
from ..rounds import Problem, Scope
from ..space import Space, Variable
from ..space.fields import Listed
from .graph import CausalGraph
from .graph_file import with_graph

_SHOWN = 50  # edges in a description


_INSTEAD = {
    "nature": "What is not set follows from the graph, and is learned: rows of data come in by ‹add›.",
    "control_sets": "What may be set is in the graph, as `intervenable`: the scopes follow from it.",
    "priors": "They are for time-varying problems.",
    "moving_cost": "Nothing that moves has a price here. A cost-varying problem takes it: the variable's ‹change›.",
}


@record
class Causal(Problem):
    """Contextual causal Bayesian optimisation (Arsenyan et al. 2025).

    Each round a policy scope is chosen: some variables are looked at, then others are set, perhaps in stages; the rest
    of the causal system follows, and the target is measured. Wanted is the scope and the policy with the largest
    expected target.

    Args:
        graph: what causes what, what can be set and what can be looked at.
        variables: one for each intervenable variable and each context of the graph; of a context, the bounds say where
        it
            usually lies, and values beyond them are welcome. One without causes may be `seen`: it is known before the
            scope is chosen, is given to `ask`, and every scope looks at it for nothing.
        minimize: whether smaller values of the target are better.
        drift: how effects change with time, where they do: a `Decay`, `MaternInTime` or `Periodic`, in units of the
            time that `ask(time=…)` is given (left out, the number of the round); "learned": whether they change, and
            how, is learned from the outcomes. None: they never change. Wanted is then what is best *now*.

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

    graph: CausalGraph
    variables: Annotated[Sequence[Variable], Listed]
    minimize: Annotated[bool, Strict()] = False
    drift: AnyDrift = None
    kind: Literal["causal"] = "causal"
    instead: ClassVar[Mapping[str, str]] = _INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.causal:draw"

    @model_validator(mode="after")
    def _check(self) -> Causal:
        names, roles = self.space.names, (*self.graph.intervenable, *(self.graph.contexts or ()))
        for name in names:
            if name not in roles:
                allowed = f"an intervenable variable or a context of the graph, {one_of(roles, name)}"
                raise InvalidProblem("variables", name, allowed)
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
        return self

    def _check_seen(self, name: str) -> None:
        """Only roots can be known before choosing: what else is seen tells of its causes, and other scopes then do."""
        causes = [a for a, b in self.graph.directed if b == name]
        hidden = [edge for edge in self.graph.bidirected if name in edge]
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
        wanted = self.graph.contexts or ()
        for name in context:
            if name not in wanted:
                raise InvalidContext(f"context.{name}", context[name], f"values for {one_of(wanted, name)}")
        if self.space.seen:
            self.read_known({name: value for name, value in context.items() if name in self.space.seen})
        try:
            return self.space.check_measured(dict(context), [name for name in self.space.names if name in context])
        except InvalidOutcome as error:
            raise InvalidContext(f"context.{error.field}", error.value, error.allowed, error.hint) from None

    @property
    def timed(self) -> bool:
        """Whether effects may change."""
        return self.drift is not None

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
        return "can be set" if variable.name in self.graph.intervenable else "can be looked at"

    def in_order(self, plain: Any) -> Any:
        """See `Problem.in_order`; so are the actions of a scope."""
        return Scope.of(super().in_order(dict(plain.actions))) if isinstance(plain, Scope) else super().in_order(plain)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """The graph's edges and roles."""
        graph = self.graph
        edges = [f"{a} -> {b}" for a, b in graph.directed] + [f"{a} <-> {b}" for a, b in graph.bidirected]
        more = f", and {len(edges) - _SHOWN} more" if len(edges) > _SHOWN else ""
        seen = graph.contexts or ()
        rest = [n for n in graph.names if n not in (graph.target, *graph.intervenable, *seen)]
        roles = [f"target {graph.target}", f"can be set: {', '.join(graph.intervenable)}"]
        roles += [f"can be looked at: {', '.join(seen) or 'nothing'}"]
        roles += [f"neither: {', '.join(rest)}"] if rest else []
        said = ("graph", ", ".join(edges[:_SHOWN]) + more or "no edges"), ("roles", "; ".join(roles))
        return (*said, *drift_lines(self.drift))
