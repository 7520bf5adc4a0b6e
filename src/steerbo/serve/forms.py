"""Forms of the page: typed texts become numbers, doubtful values are found, and the study is told.

Numbers may have a decimal comma where the reader's language has one.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from babel import Locale, UnknownLocaleError

from .._parsing import commas_of, parse_value, read_number, without_unit
from .._wording import MISSING
from ..core import SEEN, TIME, Problem
from ..errors import InvalidContext, InvalidRequest, OutcomeConflict, SteerboError
from ..page.edit import TAKEN_BACK, as_it_was, edit_of, times_said, unchanged, undo_of
from ..page.view import mark_of
from ..space import Categorical
from ..study import Study
from ..study.files.export import column, units_of

_NUMBER = re.compile(
    r"\{[^{}]*\}|(?<!\w)'[^'\n]*'(?!\w)|(?<![\w.,])([+-]?\d+)\.(\d+(?:e[+-]?\d+)?)(?!\w|\.\w)"
)


@functools.lru_cache(maxsize=256)
def writes_commas(languages: str) -> bool:
    """Whether a browser's first language has a decimal comma, by Unicode's tables of languages (CLDR).

    A variety that CLDR does not have counts as the nearest more general one (RFC 4647, Lookup).

    >>> writes_commas("de-AT,en;q=0.5"), writes_commas("en-GB"), writes_commas("de-CH"), writes_commas("es-PE")
    (True, False, False, False)
    """
    first = languages.partition(",")[0].partition(";")[0].strip()
    # Language, extended language, script, region (RFC 5646): later parts say nothing of
    # numbers.
    subtags = first.split("-", 4)[:4]
    while subtags:
        try:
            locale = Locale.parse("-".join(subtags), sep="-")
        except (ValueError, UnknownLocaleError):  # not a tag; one that CLDR does not have
            subtags.pop()
        else:
            return bool(locale.number_symbols["latn"]["decimal"] == ",")
    return False


def localised(text: str, comma: bool) -> str:
    """Write the numbers of a text with decimal commas, where `comma`; JSON in braces and quotations stay as they are.

    >>> localised("x = 1.5 mm, version 1.2.3", True)
    'x = 1,5 mm, version 1.2.3'
    >>> localised("ph: '6.1.' is not 6.1", True)
    "ph: '6.1.' is not 6,1"
    >>> localised("73.4 to 83.1.", True)
    '73,4 to 83,1.'
    """
    if not comma:
        return text
    return _NUMBER.sub(lambda found: f"{found[1]},{found[2]}" if found[1] else found[0], text)


def typed(
    field: str, text: str, comma: bool | None, problem: Problem | None = None, name: str = ""
) -> Any:
    """Parse a field's text: a number, a choice, or JSON; any other text is refused by its reader.

    Raises:
        InvalidRequest: a number that can be read in two ways: "1,234", and "1.234" of a client that
            writes commas.

    >>> typed("value", "1,5", False), typed("value", "1,234", True), typed("value", " 3 ", False)
    (1.5, 1.234, 3.0)
    """
    if (
        problem is not None
        and name in problem.space
        and isinstance(problem.space[name], Categorical)
    ):
        return problem.read_cell(name, text)  # choices stand in a list as they are
    number = read_number(field, text, comma)
    if number is not None and "," in text:
        return number
    return problem.read_cell(name, text) if problem is not None else parse_value(text)


Form = Mapping[str, str]
ACTIONS = {
    "decide": "play",
    "tell": "play",
    "fail": "play",
    "abandon": "play",
    "again": "play",
    "amend": "amend",
    "undo": "amend",
}
"""Reports on a round, and the right that each needs."""
_OWN = ("form", "rounds", "sure", "said", "set", "then")  # hidden fields and buttons


class Doubtful(SteerboError):  # noqa: N818
    """Values that look mistyped: they are saved once the same form is sent again with `sure`.

    Args:
        doubts: sentences by field.
        sure: the hidden field that says that exactly these values are meant.
    """

    def __init__(self, doubts: Mapping[str, str], sure: str) -> None:
        self.doubts, self.sure = dict(doubts), sure
        super().__init__("; ".join(doubts.values()))


def digest(form: Form) -> str:
    """A text that is another for other values."""
    kept = {name: text.strip() for name, text in form.items() if name not in _OWN}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode(errors="replace")).hexdigest()[
        :32
    ]


def typed_texts(form: Form) -> dict[str, str]:
    """Typed texts of a form by field, without empty ones."""
    return {name: text for name, text in form.items() if name not in _OWN and text.strip()}


_COLUMNS = {"charge": "cost", "budget": "cost"}
"""Columns whose unit a field has that is called otherwise."""


def without_units(study: Study, form: Form) -> dict[str, str]:
    """The form, with numbers alone where a text is a number in its field's own unit."""
    units = units_of(study.problem, study.history.columns)

    def unit(field: str) -> str:
        _, of_a_variable, name = field.partition(":")
        return units.get(column(name) if of_a_variable else _COLUMNS.get(field, field), "")

    return {field: without_unit(text, unit(field)) for field, text in form.items()}


def check_plausible(
    study: Study, call: str, token: str | None, given: Mapping[str, Any], form: Form
) -> None:
    """Refuse values that are hard to believe, unless the form says that exactly these are meant.

    Args:
        study: asked by `Study.implausible_values`, so that the page asks where every other way in
            warns.
        call: which is made next.
        token: of the round; None for `ask` and `add`.
        given: the call's arguments by name.
        form: as it was sent.

    Raises:
        Doubtful: some are.
    """
    found = {
        value.field.replace(".", ":", 1): value.text
        for value in study.implausible_values(call, token, **given)
    }
    if call == "ask":
        found = {
            field.replace("context:", "seen:") if ":" in field else f"ask:{field}": x
            for field, x in found.items()
        }
    if found:
        sure = digest(form)
        if form.get("sure") != sure:
            raise Doubtful(found, sure)


def read_ask(problem: Problem, form: Form, comma: bool, needs: str = "") -> dict[str, Any]:
    """Arguments of `ask` from a form.

    Args:
        problem: whose rounds are asked for.
        form: as it was sent.
        comma: whether the reader writes decimal commas.
        needs: the time that earlier rounds stated, where this one has to state its own.

    Raises:
        InvalidRequest: the time is missing, or a number can be read in two ways.
    """
    given: dict[str, Any] = {}
    for field in problem.asked():
        if field.name == SEEN.name:
            seen = values_of(problem, "seen", form, comma, "context")
            if seen:
                given[SEEN.name] = seen
        elif text := form.get(f"ask:{field.name}", "").strip():
            number = read_number(field.name, text, comma) if ";" not in text else None
            given[field.name] = (
                number if number is not None and "," in text else field.read(problem, text)
            )
        elif field.name == TIME.name and needs:
            raise InvalidRequest(TIME.name, MISSING, f"the time of this round: {needs}")
    return given


def give(study: Study, action: str, token: str, form: Form, comma: bool) -> None:
    """Report the content of a form on a round to its study.

    Raises:
        InvalidInput: naming the field.
        Doubtful: a value looks mistyped.
        OutcomeConflict: the round was changed since the form was made.
    """
    if (action == "undo" or "said" in form) and form.get("said") != str(times_said(study, token)):
        title = edit_of(study, token).title
        raise OutcomeConflict(
            f"{title.lower()}: it was changed meanwhile. Look at it, then correct it"
        )
    if (
        "set" in form
        and form["set"] != mark_of((about := study.history[token]).suggestion)
        and about.waiting
    ):
        settings = ", ".join(
            f"{name} {about.suggestion.shown[name]}"
            for name in about.suggestion.values
            if name in about.suggestion.shown
        )
        raise OutcomeConflict(
            f"round {about.number}: a look was corrected meanwhile, and {settings} is to be set now. Is that what was "
            "done? Then save it again; else say what was set under 'A setting was not reached'"
        )
    if action == "undo":
        _take_back(study, token)
        return
    form = without_units(study, form)
    back = as_it_was(study, token) if action == "amend" and form.get("void") != "yes" else {}
    if action == "amend":
        stands = {name: localised(text, comma) for name, text in unchanged(study, token).items()}
        form = {name: text for name, text in form.items() if text != stands.get(name)}
        if "said" in form and not back and not {*typed_texts(form)} - {"reason"}:
            return  # nothing was changed
    given = _read(study.problem, action, form, commas_of(comma, form.values()))
    given |= {name: value for name, value in back.items() if given[name] is None}
    if action == "again":
        given = {
            "context": _changed(given["context"], study.history[token].suggestion.context),
            "again": True,
        }
    call = "decide" if action == "again" else action
    if call != "abandon":
        check_plausible(study, call, token, given, form)
    getattr(study, call)(token, **given)


def _read(problem: Problem, action: str, form: Form, comma: bool | None) -> dict[str, Any]:
    """Arguments of a study's call from a form."""
    if action in ("decide", "again"):
        return {"context": values_of(problem, "context", form, comma, "context")}
    reason, charge = form.get("reason", ""), amount_of("charge", form, comma)
    if action == "abandon":
        return {"reason": reason, "charge": charge}
    said = {
        "cost": amount_of("cost", form, comma),
        "realised": values_of(problem, "realised", form, comma, "realised"),
    }
    if action == "fail":
        return {"reason": reason, "charge": charge, **said}
    text = form.get("value", "")
    if (sem := _sem_of(form, action, comma)) is not None:
        said["sem"] = sem
    if action == "tell":
        return {"value": typed("value", text, comma), **said}
    value = typed("value", text, comma) if text.strip() else None
    said["realised"] = said["realised"] or None
    return {"value": value, **said, "void": form.get("void") == "yes", "reason": reason}


def _sem_of(form: Form, action: str, comma: bool | None) -> Any:
    """Standard error of a value; False where a correction empties its field: only changed fields are left in a form."""
    sem = amount_of("sem", form, comma)
    return False if sem is None and action == "amend" and "sem" in form else sem


def _take_back(study: Study, token: str) -> None:
    """Amend a round to its state before the latest report."""
    number, found = study.history[token].number, undo_of(study, token)
    if found is None:
        raise OutcomeConflict(
            f"round {number}: its latest change cannot be taken back. Correct it instead"
        )
    if found.outcome is None:
        study.amend(token, void=True, reason=TAKEN_BACK)
    else:
        before = found.outcome
        study.amend(
            token,
            before.value,
            cost=before.cost,
            realised=before.realised or None,
            sem=False if before.sem is None else before.sem,
            reason=TAKEN_BACK,
        )


def _changed(look: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a look that are others than before.

    Raises:
        InvalidContext: none is.
    """
    new = {name: value for name, value in look.items() if before.get(name) != value}
    if not new:
        raise InvalidContext("context", dict(look), "another value than the one that was given")
    return new


def values_of(
    problem: Problem, prefix: str, form: Form, comma: bool | None, field: str
) -> dict[str, Any]:
    """Values by variable, of the fields that are filled in."""
    return {
        name: typed(f"{field}.{name}", text, comma, problem, name)
        for key, text in form.items()
        if key.startswith(f"{prefix}:") and text.strip() and (name := key.partition(":")[2])
    }


def amount_of(name: str, form: Form, comma: bool | None) -> Any:
    """A number that may be left out."""
    text = form.get(name, "").strip()
    return typed(name, text, comma) if text else None
