"""Which outcomes say how far off models have been of late."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..bandit import RECENT
from ..rounds import Outcome, Round, Scope


def latest(outcomes: Iterable[tuple[str, Outcome, Round | None]], model_of: Callable[[Scope], int]) -> set[str]:
    """The latest rounds of every model, by their tokens, as many as a calibration goes by.

    Args:
        outcomes: as `History.outcomes` gives them; data that nobody suggested (without a round) are no surprise.
        model_of: by scope, the number of its model.
    """
    tokens: dict[int, list[str]] = {}
    for token, _, played in outcomes:
        if played is not None:
            tokens.setdefault(model_of(played.suggestion.scope), []).append(token)
    return {token for of_model in tokens.values() for token in of_model[-RECENT:]}
