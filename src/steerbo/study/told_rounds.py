"""A line of a table about a round: it is told, has failed, is abandoned or void, or something was looked at."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidOutcome
from ..rounds import SEEN, Round, as_text
from .line import Line, Said
from .study import Study


def tell_round(study: Study, number: int, token: str, told: Said) -> Line:
    """A line about a round: what the round then is, it may be already."""
    before = study.history[token]
    said = before.request.keys() - {SEEN.name}  # of a round, such as its time; a context is among what happened
    logged = {name for name in said if name not in study.problem.space}
    realised = {name: value for name, value in told.realised.items() if name not in logged}
    if before.suggestion.observe and told.value is None and told.state in ("", "open"):
        return _look(study, number, before, realised)
    same = told.value == _value(before) and told.cost in (None, before.paid)
    if same and told.state == before.state in ("abandoned", "void") and told.charged in (None, before.charged):
        return Line(number, "taken", f"round {before.number} ({before.state}: it was there already)")
    if told.value is not None:
        _tell_value(study, before, told, realised)
    elif told.state in ("failed", "void"):
        charge = told.charged if told.cost is None else None
        study.fail(token, told.reason, cost=told.cost, charge=charge, realised=realised)
    elif told.state == "abandoned":
        study.abandon(token, told.reason, charge=told.cost if told.charged is None else told.charged)
    else:
        hint = "" if before.waiting else f", and the round is {before.state}"
        return Line(number, "left", f"round {before.number} has no value here{hint}")
    if told.state == "void":
        study.amend(token, void=True, reason=told.reason)
    known = before.state == study.history[token].state
    there = "it was there already" if known and before.state == "told" else f"{before.state}: it was there already"
    return Line(number, "taken", f"round {before.number}" + (f" ({there})" if known else ""))


def _tell_value(study: Study, before: Round, told: Said, realised: dict[str, Any]) -> None:
    if told.state == "failed":
        raise InvalidOutcome("value", told.value, "no value where the state is 'failed'", "Correct one of them.")
    if before.waiting and told.charged not in (None, told.cost):
        raise InvalidOutcome("charged", told.charged, "the cost, or nothing: what an outcome cost is charged")
    study.tell(before.suggestion.token, told.value, cost=told.cost, realised=realised)


def _look(study: Study, number: int, before: Round, realised: dict[str, Any]) -> Line:
    """A line about a round in which something is looked at before the rest is set."""
    observe = before.suggestion.observe
    if missing := [name for name in observe if name not in realised]:
        hint = f"it is not decided: fill in {', '.join(missing)}, and import it again"
        return Line(number, "left", f"round {before.number} has no value here; {hint}")
    decided = study.decide(before.suggestion.token, {name: realised[name] for name in observe})
    new = {name: value for name, value in decided.values.items() if name not in before.suggestion.values}
    then = f", then look at {', '.join(decided.observe)}" if decided.observe else ""
    return Line(number, "taken", f"round {before.number} is decided: set {as_text(new)}{then}")


def _value(played: Round) -> Any:
    return played.outcome.value if played.outcome else None
