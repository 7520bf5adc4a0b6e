"""Further outcomes that the value is traded against: which way each is better, their restrictions, and their lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from .._text import unsafe
from ..errors import InvalidProblem
from ..space import RESERVED_NAMES


def _by_name(given: object) -> object:
    if given is not None and not isinstance(given, Mapping):
        raise PydanticCustomError(
            "by_name", 'outcomes with their better way, such as energy: "minimize"'
        )
    return given


Ways = Annotated[Mapping[str, Literal["maximize", "minimize"]], BeforeValidator(_by_name)]
"""Further outcomes, and which way each is better."""
_NOT_TRADED = {
    "tolerance": "A tolerance is for one outcome: bound the others by ‹limits›.",
    "value_of_one": "With several outcomes, say what each is worth by the prices of ‹tradeoff›.",
    "current": "With several outcomes, today's settings are not compared yet.",
}
"""Fields that several outcomes have no use for in any kind of problem, and why."""


def signs_of(outcomes: Ways | None) -> dict[str, float]:
    """+1 by outcome where larger is better, else −1, in the order of the alphabet: a log may keep no order.

    >>> signs_of({"yield": "maximize", "energy": "minimize"})
    {'energy': -1.0, 'yield': 1.0}
    """
    ways = sorted((outcomes or {}).items())
    return {name: 1.0 if way == "maximize" else -1.0 for name, way in ways}


def traded_lines(traded: Mapping[str, float]) -> list[tuple[str, str]]:
    """Describe the outcomes that the value is traded against: pairs of a heading and a text."""
    return [
        ("traded against", f"{name}, {'larger' if sign > 0 else 'smaller'} is better")
        for name, sign in traded.items()
    ]


def check_traded(problem: Any, refused: Mapping[str, str]) -> None:
    """Refuse outcomes without a name of their own, and fields that several outcomes have no use for.

    Args:
        problem: with a field `outcomes`.
        refused: reasons by field, beside those of every kind; a field that is None or 0 is not
            stated.

    Raises:
        InvalidProblem: naming the field.
    """
    if problem.outcomes is None:
        return
    if not problem.outcomes:
        hint = "With the value alone, leave ‹outcomes› out."
        raise InvalidProblem("outcomes", {}, "at least one outcome beside the value", hint)
    for name in problem.outcomes:
        if not name or unsafe(name) or name in (*problem.space.names, *RESERVED_NAMES):
            hint = (
                "A variable is no outcome: leave it out here."
                if name in problem.space.names
                else "It is told beside the value, which has its own direction, ‹minimize›."
            )
            raise InvalidProblem("outcomes", name, "a name that nothing else has", hint)
    for field, why in {**_NOT_TRADED, **refused}.items():
        given = getattr(problem, field, None)
        if given is not None and given != 0:
            hint = f"{why} Leave it out, or leave out ‹outcomes›."
            raise InvalidProblem(field, given, "nothing beside ‹outcomes›", hint)
    hint = "Several outcomes do not work with this yet. Leave it out, or leave out ‹outcomes›."
    for variable in problem.space:
        for field in ("change", "seen"):
            if given := getattr(variable, field):
                raise InvalidProblem(
                    f"variables.{variable.name}.{field}", given, "nothing beside ‹outcomes›", hint
                )
