"""The pictures of a study, by its kind of problem: who declares the kind says where the function is that draws it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from ..errors import InvalidProblem, SteerboError, show
from ..rounds import Reading, Recommendation
from .drawing import DrawPictures, Picture


def pictures(optimizer: Reading, advice: Recommendation | None = None) -> Iterator[Picture]:
    """Call the function that `optimizer.problem.pictures` names with the optimizer and what it recommends.

    Args:
        optimizer: whose pictures.
        advice: what `recommend` says, where that is known already.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: there is no such function, it fails, or what it yields is no `Picture`.
    """
    place, field = optimizer.problem.pictures, f"{optimizer.problem.kind}: pictures"
    try:
        module, _, name = place.partition(":")
        draw: DrawPictures = getattr(import_module(module), name)
        drawn = iter(draw(optimizer, optimizer.recommend() if advice is None else advice))
    except SteerboError:
        raise
    except Exception as error:  # whatever a module of others raises while it is imported or called
        allowed = 'the place of a function that draws a study, as "package.module:function"'
        raise InvalidProblem(field, place, allowed, f"({type(error).__name__}: {error})") from None
    while (picture := _next(drawn, field, place)) is not None:
        if not isinstance(picture, Picture) or not callable(getattr(picture.figure, "savefig", None)):
            allowed = "a function that yields `Picture`s, each with a title, a text and a figure of matplotlib"
            raise InvalidProblem(field, place, allowed, f"It yields {show(picture)}.")
        yield picture


def _next(drawn: Iterator[Picture], field: str, place: str) -> Picture | None:
    """Draw one more picture; None after the last one."""
    try:
        return next(drawn, None)
    except SteerboError:
        raise
    except Exception as error:
        hint = f"It failed: {type(error).__name__}: {error}."
        raise InvalidProblem(field, place, "a function that draws such a study", hint) from None
