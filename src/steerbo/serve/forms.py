"""What the page's forms were filled in with, as what a study is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import OutcomeConflict
from ..page.undo import TAKEN_BACK, undo_of
from ..rounds import SEEN, Problem
from ..study import Study
from .decimal_commas import typed

Form = Mapping[str, str]
ACTIONS = {"decide": "play", "tell": "play", "fail": "play", "abandon": "play", "amend": "amend", "undo": "amend"}
"""What can be said of a round, and the right that it needs."""


def read_ask(problem: Problem, form: Form, comma: bool) -> dict[str, Any]:
    """What `ask` is given beside the number of suggestions."""
    given: dict[str, Any] = {}
    for field in problem.asked():
        if field.name == SEEN.name:
            seen = _values(problem, "seen", form, comma, "context")
            if seen:
                given[SEEN.name] = seen
        elif text := form.get(f"ask:{field.name}", "").strip():
            given[field.name] = typed(field.name, text, comma) if "," in text and ";" not in text else None
            given[field.name] = given[field.name] if isinstance(given[field.name], float) else field.read(problem, text)
    return given


def give(study: Study, action: str, token: str, form: Form, comma: bool) -> None:
    """Tell a study what a form says about a round.

    Raises:
        InvalidInput: naming the field.
    """
    problem = study.problem
    match action:
        case "decide":
            study.decide(token, _values(problem, "context", form, comma, "context"))
        case "tell":
            value = typed("value", form.get("value", ""), comma)
            realised = _values(problem, "realised", form, comma, "realised")
            study.tell(token, value, cost=_money("cost", form, comma), realised=realised)
        case "fail":
            cost, charge = _money("cost", form, comma), _money("charge", form, comma)
            realised = _values(problem, "realised", form, comma, "realised")
            study.fail(token, form.get("reason", ""), cost=cost, charge=charge, realised=realised)
        case "abandon":
            study.abandon(token, form.get("reason", ""), charge=_money("charge", form, comma))
        case "amend":
            text = form.get("value", "").strip()
            value = typed("value", text, comma) if text else None
            study.amend(
                token,
                value,
                cost=_money("cost", form, comma),
                realised=_values(problem, "realised", form, comma, "realised") or None,
                void=form.get("void") == "yes",
                reason=form.get("reason", ""),
            )
        case "undo":
            _take_back(study, token, form.get("said", ""))


def _take_back(study: Study, token: str, said: str) -> None:
    """Amend the last word on a round to what stood before it."""
    number, found = study.history[token].number, undo_of(study, token)
    if found is None or str(found.said) != said:
        raise OutcomeConflict(f"round {number}: something else was said of it meanwhile. Look at it, then correct it")
    if found.outcome is None:
        study.amend(token, void=True, reason=TAKEN_BACK)
    else:
        before = found.outcome
        study.amend(token, before.value, cost=before.cost, realised=before.realised or None, reason=TAKEN_BACK)


def _values(problem: Problem, prefix: str, form: Form, comma: bool, field: str) -> dict[str, Any]:
    """Values by variable, of the fields that are filled in."""
    return {
        name: typed(f"{field}.{name}", text, comma, problem, name)
        for key, text in form.items()
        if key.startswith(f"{prefix}:") and text.strip() and (name := key.partition(":")[2])
    }


def _money(name: str, form: Form, comma: bool) -> Any:
    text = form.get(name, "").strip()
    return typed(name, text, comma) if text else None
