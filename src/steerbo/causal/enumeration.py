"""The scopes that are worth trying, in one of three modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from ..core import Scope
from ..errors import InvalidOption, InvalidProblem, one_of
from .dominance import undominated
from .graph import CausalGraph
from .money import checked_prices
from .priced_dominance import worth_their_price
from .published import published
from .step_limit import PATIENCE, Effort

Mode = Literal["pruned", "published", "joint"]
MODES = get_args(Mode)


def policy_scopes(
    graph: CausalGraph, mode: Mode = "pruned", *, prices: Mapping[str, Any] | None = None, limit: int = PATIENCE
) -> tuple[Scope, ...]:
    """The scopes among which the best one always is, whatever the unknown mechanisms are.

    Args:
        graph: what causes what.
        mode: ``"published"``: every scope whose actions matter, whose contexts are needed and miss nothing (rules
            A, B, C of Lee & Bareinboim 2020, Propositions 1 and 2). ``"pruned"``: without those that lose nothing by
            one more intervention, by looking at more, or by looking at less jointly. ``"joint"``: also without those
            that lose nothing by several more interventions at once.
        prices: what it costs to set a variable, or to look at one, by name; the others cost nothing. A scope is then
            left out only for one that is as good and no dearer. What is no number hangs on the value that is set, or is
            learned: then a scope is left out only for one that sets and looks at nothing else with such a price. For
            ``"pruned"`` and ``"joint"``.
        limit: steps of the search, of about a millisecond each, after which it is given up. Their number grows
            exponentially with that of actions that can matter together; in sparse graphs with 60 variables and a dozen
            actions they were a few thousand at most.

    Raises:
        InvalidOption: there is no such mode, or it knows no prices.
        InvalidProblem: the limit was reached, or a price is not allowed.

    >>> graph = CausalGraph.from_text("x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y",
    ...                               target="y", intervenable=["x1", "x2"])
    >>> for scope in policy_scopes(graph):
    ...     print(scope)
    x1 after looking at c
    x2 after looking at c
    """
    if not isinstance(graph, CausalGraph):
        raise InvalidProblem("graph", graph, "a CausalGraph", "CausalGraph.from_text(…) makes one.")
    if not isinstance(mode, str) or mode not in MODES:
        raise InvalidOption("mode", mode, one_of(MODES, mode))
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidOption("limit", limit, "a whole number from 1")
    effort = Effort(limit)
    if prices is not None:
        if mode not in ("pruned", "joint"):
            raise InvalidOption("mode", mode, "'pruned' or 'joint', where there are prices", "It knows no prices.")
        return worth_their_price(graph, checked_prices(graph, prices), mode == "joint", effort)
    if mode == "published":
        return published(graph, effort)
    return undominated(graph, mode != "pruned", effort)
