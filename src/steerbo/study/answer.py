"""What an objective answers, as what `tell` and `decide` take: the convention is in `objective`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ObjectiveFailure, one_of, show


def read_outcome(answer: Any) -> dict[str, Any]:
    """An answer as what `tell` takes.

    Raises:
        ObjectiveFailure: it is neither a number nor a table with a value.

    >>> read_outcome(1.5)
    {'value': 1.5}
    """
    if not isinstance(answer, Mapping):
        return {"value": answer}
    _check_keys(answer, ("value", "cost", "realised"), "value")
    return dict(answer)


def read_context(answer: Any, observe: tuple[str, ...]) -> Mapping[str, Any]:
    """An answer as what `decide` takes.

    Raises:
        ObjectiveFailure: it is not a table with a context.
    """
    if not isinstance(answer, Mapping):
        wanted = ", ".join(observe)
        raise ObjectiveFailure(f'the objective answered {show(answer)}; expected {{"context": {{…}}}} with {wanted}')
    _check_keys(answer, ("context",), "context")
    if not isinstance(answer["context"], Mapping):
        raise ObjectiveFailure(f"the objective's context is {show(answer['context'])}; expected values by name")
    context: Mapping[str, Any] = answer["context"]
    return context


def _check_keys(answer: Mapping[str, Any], names: tuple[str, ...], needed: str) -> None:
    for name in answer:
        if name not in names:
            raise ObjectiveFailure(f"the objective answered an unknown {name!r}; expected {one_of(names, name)}")
    if needed not in answer:
        raise ObjectiveFailure(f"the objective answered {show(dict(answer))}; {needed!r} is missing")
