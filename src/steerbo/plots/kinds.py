"""The pictures of a study, by its kind of problem: who declares the kind says where the function is that draws it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from ..errors import InvalidProblem
from ..rounds import Reading, Recommendation
from .drawing import Picture


def pictures(optimizer: Reading, advice: Recommendation | None = None) -> Iterator[Picture]:
    """What `optimizer.problem.pictures` names, called with the optimizer and what it recommends.

    Args:
        optimizer: whose pictures.
        advice: what `recommend` says, where that is known already.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: there is no such function.
    """
    place = optimizer.problem.pictures
    module, _, name = place.partition(":")
    try:
        draw = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        allowed = 'the place of a function that draws a study, as "package.module:function"'
        raise InvalidProblem(f"{optimizer.problem.kind}: pictures", place, allowed, f"({error})") from None
    yield from draw(optimizer, advice or optimizer.recommend())
