"""First plays fail, all of them: further ones are of any scope, as long as none has worked."""

from __future__ import annotations

from collections import Counter

import steerbo as sb


def test_scopes_are_tried_in_turn_where_every_play_has_failed() -> None:
    """The cheapest was played for ever, though it set nothing: thirty of thirty plays failed."""
    graph = sb.CausalGraph.from_text("x -> y; z -> y; x -> z", target="y", intervenable=["x", "z"])
    problem = sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)], prices={"x": 1, "z": 4}, base=1)
    study, scopes = sb.Optimizer(problem, seed=0), []
    for _ in range(40):
        asked = study.ask()
        assert asked is not None
        scopes.append(str(asked.scope))
        study.fail(asked, "broke", cost=1)
    assert Counter(scopes[-8:]) == {"nothing": 2, "x": 2, "z": 2, "x + z": 2}
