"""One round, or one outcome that was added, to be corrected: what stands, who said it, and fields that hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..core import TIME, Abandoned, Amended, BaseStudy, Decided, Event, Failed, OutcomeTold, Problem, Round
from ..study.formatting import in_words
from .fields import Field, fields_of
from .undo import times_said
from .wording import Words

_NAMES = {"value": "", "cost": "", "reason": "Why", "charge": "Counted as spent"}


@dataclass(frozen=True)
class Edit:
    """What stands of a round, and what can be said of it.

    Args:
        token: of the round, or the name of data that was added.
        title: what it is called.
        state: open, told, failed, void, abandoned, or added.
        said: what stands, in a sentence.
        times: how often something was said of it; a form that is older is refused.
        call: "amend", or "tell" where an outcome may still come, or "" where nothing can be said.
        fields: value, cost and what was measured, with what stands.
    """

    token: str
    title: str
    state: str
    said: str
    times: int
    call: str
    fields: tuple[Field, ...]


def edit_of(study: BaseStudy, token: str) -> Edit:
    """The form that corrects a round.

    Raises:
        UnknownSuggestion: there is no such round, and no such data.
    """
    words, data = Words.of(study), study.history.data
    if token in data:
        outcome = data[token].outcome
        said = f"Added: {_outcome_text(study, words, outcome.value, outcome.cost)}{_by(study.events, token)}."
        fields = _fields(study.problem, words, outcome.value, outcome.cost, outcome.realised)
        return Edit(token, f"Data {token.rpartition('-')[2]}", "added", said, times_said(study, token), "amend", fields)
    played = study.history[token]
    call = "amend" if not played.waiting else "" if played.suggestion.observe else "tell"
    value = played.outcome.value if played.outcome else None
    known = played.outcome or played.failure
    realised = known.realised if known else {}
    return Edit(
        token=token,
        title=f"Round {played.number}",
        state=played.state,
        said=said_of(study, played),
        times=times_said(study, token),
        call=call,
        fields=_fields(study.problem, words, value, played.paid, realised),
    )


def said_of(study: BaseStudy, played: Round) -> str:
    """What was said last of a round, and by whom, in a sentence."""
    words, token = Words.of(study), played.suggestion.token
    by = _by(study.events, token)
    match played.state:
        case "told" if played.outcome:
            said = f"It gave {_outcome_text(study, words, played.outcome.value, played.paid)}{by}."
        case "failed":
            reason = played.failure.reason if played.failure else ""
            said = f"It broke{by}: {reason}." if reason else f"It broke{by}."
        case "abandoned":
            reason = _reason(study.events, token)
            said = f"It was given up{by}: {reason}." if reason else f"It was given up{by}."
        case "void":
            said = f"It was taken out{by}: nothing is learned from it."
        case _ if looked := {n: v for n, v in played.suggestion.context.items() if n not in _seen_before(played)}:
            said = f"Looked at{by}: {in_words(study.problem, looked)}."
        case _:
            said = "Nothing was said of it yet."
    return said


def _seen_before(played: Round) -> Mapping[str, Any]:
    """Values that were seen before the choice, and so are no looks."""
    found: Mapping[str, Any] = played.request.get("context", {})
    return found


def labels(study: BaseStudy, typed: Mapping[str, str]) -> list[tuple[str, str]]:
    """What was typed into a form, with what its fields are called."""
    words = Words.of(study)
    called = {**_NAMES, "value": words.value_label, "cost": words.cost_label}
    return [(called.get(name) or name.partition(":")[2] or name, text) for name, text in typed.items()]


def _outcome_text(study: BaseStudy, words: Words, value: Any, cost: float | None) -> str:
    shown = words.worth(number_text(value)) if isinstance(value, int | float) else str(value)
    counts = cost is not None and (cost > 0 or study.history.budget is not None)
    return f"{shown} for {words.paid(cost)}" if counts and cost is not None else shown


def number_text(value: Any) -> str:
    """A value as a person would type it again: every digit that matters, and no more.

    >>> number_text(6.6), number_text(7.0), number_text(None), number_text("zinc")
    ('6.6', '7', '', 'zinc')
    """
    return f"{value:.15g}" if isinstance(value, float) else "" if value is None else str(value)


def _fields(
    problem: Problem, words: Words, value: Any, cost: float | None, realised: Mapping[str, Any]
) -> tuple[Field, ...]:
    names = [name for name in problem.columns if name != TIME.name]
    further = [name for name in realised if name not in names and name != TIME.name]
    fields = [
        Field("value", words.value_label, needed=False, value=number_text(value), decimal=True),
        Field("cost", words.cost_label, needed=False, value=number_text(cost), decimal=True),
        *(
            replace(field, value=_short(realised.get(field.name.partition(":")[2])))
            for field in fields_of(problem, [*names, *further], "realised", needed=False)
        ),
    ]
    return tuple(fields)


def _short(value: Any) -> str:
    """A measured value to six digits; a field that nobody changes says nothing, so that no digit is lost by it."""
    return f"{value:.6g}" if isinstance(value, float) else number_text(value)


def unchanged(study: BaseStudy, token: str) -> dict[str, str]:
    """What the fields of a correction hold as long as nobody changes them."""
    return {field.name: field.value for field in edit_of(study, token).fields}


def _by(events: tuple[Event, ...], token: str) -> str:
    """By whom something was said of a round last."""
    last = next(_about(events, token), None)
    by = getattr(last, "by", None)
    return f" (entered by {by})" if by else ""


def _reason(events: tuple[Event, ...], token: str) -> str:
    return next((event.reason for event in _about(events, token) if isinstance(event, Abandoned)), "").rstrip(".")


def _about(events: tuple[Event, ...], token: str) -> Iterator[Event]:
    """What was said of a round, the latest first."""
    kinds = OutcomeTold | Failed | Amended | Abandoned | Decided
    return (event for event in reversed(events) if isinstance(event, kinds) and event.token == token)
