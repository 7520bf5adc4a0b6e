"""What is no causal graph, refused by name."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidProblem, one_of
from .projection import MOST_EDGES, MOST_NODES, Edge


def check_size(names: Sequence[str], edges: int) -> None:
    """Refuse more than a graph may have."""
    for what, found, most in (("directed", edges, MOST_EDGES), ("variables", len(names), MOST_NODES)):
        if found > most:
            raise InvalidProblem(what, found, f"at most {most}")


def check_edges(field: str, edges: Sequence[Edge]) -> None:
    """Refuse self-loops, names without a letter, and edges said twice; those of `bidirected` have no direction."""
    seen: set[frozenset[str] | Edge] = set()
    for i, (a, b) in enumerate(edges):
        if not a.strip() or not b.strip():
            raise InvalidProblem(f"{field}.{i}", (a, b), "names that are not empty")
        if a == b:
            raise InvalidProblem(
                f"{field}.{i}", f"{a} -> {b}", "an edge between two variables", "Remove the self-loop."
            )
        edge = (a, b) if field == "directed" else frozenset((a, b))
        if edge in seen:
            raise InvalidProblem(f"{field}.{i}", (a, b), "every edge once")
        seen.add(edge)


def check_roles(names: Sequence[str], target: str, intervenable: Sequence[str], contexts: Sequence[str]) -> None:
    """Refuse unknown names, names said twice, and a variable with two roles."""
    known = dict.fromkeys(names)
    if target not in known:
        raise InvalidProblem("target", target, one_of(known, target))
    for field, given in (("intervenable", intervenable), ("contexts", contexts)):
        for name in given:
            if name not in known:
                raise InvalidProblem(field, name, one_of(known, name))
        if len(set(given)) < len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InvalidProblem(field, twice, "every variable once")
        if target in given:
            raise InvalidProblem(field, target, "variables other than the target")
    both = [name for name in contexts if name in set(intervenable)]
    if both:
        reason = "a variable that is not intervenable as well"
        raise InvalidProblem("contexts", both[0], reason, "Set it, or look at it, but list it once.")
