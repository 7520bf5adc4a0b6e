"""The landing page's picture of a causal problem: look at the age, then set the dose."""

import steerbo as sb
from steerbo.core import Scope
from steerbo.plots import causal


def draw():
    """A graph of four things; orange is what is set after looking at the blue."""
    graph = sb.CausalGraph.from_text(
        "age -> dose; dose -> pulse; pulse -> recovery; age -> recovery; dose -> recovery",
        target="recovery",
        intervenable=["dose"],
    )
    return causal.scope_figure(graph, Scope.of({"dose": ["age"]}))
