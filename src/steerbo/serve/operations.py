"""Operations on a study through a server, for HTTP, page and tools alike: arguments, permissions, and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from .._text import normalised_texts
from .._wording import PYTHON, counted, listed
from ..core import SEEN, BatchPosition, Event, History, Problem, Round, Suggestion, one_or_more
from ..errors import InvalidRequest, one_of
from ..records import to_dict
from ..study import Study
from ..study.files.export import OWN_ID
from ..study.files.import_csv import as_data, as_source, read_results
from ..study.files.import_report import import_table, in_memory
from ..study.files.spreadsheet import Spreadsheet
from .pool import OpenStudy

Json = dict[str, Any]


MOST_AT_ONCE = 100
"""Suggestions of one request. A lab that plays more at a time asks again."""
MOST_LINES = 5000
"""Lines of a table at once: they take 6 s, in which nobody else changes the study."""
Wanted = Callable[[int], bool]
"""Whether one more suggestion is to be chosen after so many: the client still waits, and no other for long."""


class RequestBody(BaseModel):
    """Body of a request beside the study and the round; empty for an operation without arguments."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _in_one_form(cls, given: Any) -> Any:
        """Texts and names as tables and files have them too, but for reasons, which people read as they stand."""
        if not isinstance(given, Mapping):
            return given
        return {
            name: value if name == "reason" else normalised_texts(value)
            for name, value in given.items()
        }

    def fields(self) -> Json:
        """By name, as `Study` takes it."""
        return {name: getattr(self, name) for name in type(self).model_fields}


def _like(example: Json) -> ConfigDict:
    """Configuration of a body with an example in its schema."""
    return ConfigDict(json_schema_extra={"examples": [example]})


class Asking(RequestBody):
    """Arguments that a round is asked for with; the study's `takes` says which of these its problem takes."""

    context: Annotated[
        Json | None, Field(description="Values seen before choosing, by variable.")
    ] = None
    time: Annotated[
        Any,
        WithJsonSchema({"type": "number"}),
        Field(
            description="The time of the round, where the optimum moves; else rounds are counted."
        ),
    ] = None
    available: Annotated[
        Any,
        WithJsonSchema(
            {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}
        ),
        Field(description="What can be chosen today: bounds by variable, or a list of settings."),
    ] = None
    current: Annotated[
        Any,
        WithJsonSchema({"type": "object"}),
        Field(description="Where a fleet's agents are now: shares or numbers by action."),
    ] = None
    more: Annotated[
        Json | None,
        Field(description="Arguments of a kind of problem from another package, by name."),
    ] = None

    def request(self) -> Json:
        """Arguments of `ask` beside the context, by name."""
        named = {name: getattr(self, name) for name in ("time", "available", "current")}
        given = {name: value for name, value in named.items() if value is not None}
        return {**(self.more or {}), **given}


class Ask(Asking):
    """Arguments of `ask`: `batch`, and those that the problem `takes`."""

    model_config = _like({"context": {"weather": 12}, "batch": 3})
    batch: Annotated[
        int, Field(ge=1, le=MOST_AT_ONCE, description="How many suggestions at once.")
    ] = 1

    @model_validator(mode="before")
    @classmethod
    def _within_the_most(cls, given: Any) -> Any:
        batch = given.get("batch") if isinstance(given, Mapping) else None
        if isinstance(batch, int | float) and not 1 <= batch <= MOST_AT_ONCE:
            allowed = f"a whole number from 1 to {MOST_AT_ONCE}"
            hint = "Ask again for more: open rounds stay open."
            raise InvalidRequest("batch", batch, allowed, hint)
        return given


class Decide(RequestBody):
    """Observed values."""

    model_config = _like({"context": {"age": 61}})
    context: Json = Field(description="Values by variable.")
    again: Annotated[
        bool, Field(description="Replace the last observations; those left out stay.")
    ] = False


class Tell(RequestBody):
    """Outcome of a round."""

    model_config = _like({"value": 7.4, "cost": 1, "realised": {"ph": 6.2}})
    value: Any = Field(description="The objective's value, in the study's units.")
    cost: Annotated[Any, Field(description="The cost of the evaluation.")] = None
    realised: Annotated[Json | None, Field(description="The realised values, by variable.")] = None
    sem: Annotated[
        Any, Field(description="The standard error of the value, in its units, if known.")
    ] = None


class Fail(RequestBody):
    """The evaluation broke."""

    model_config = _like({"reason": "the pump broke", "cost": 1})
    reason: Annotated[str, Field(description="Why, for people.")] = ""
    cost: Annotated[Any, Field(description="The cost of the evaluation.")] = None
    charge: Annotated[
        Any, Field(description="The amount counted as spent while the cost is unknown.")
    ] = None
    realised: Annotated[Json | None, Field(description="The realised values, by variable.")] = None


class Abandon(RequestBody):
    """Abandonment of a round."""

    model_config = _like({"reason": "nobody has the time"})
    reason: Annotated[str, Field(description="Why, for people.")] = ""
    charge: Annotated[
        Any, Field(description="The amount counted as spent while the cost is unknown.")
    ] = None


class Remark(RequestBody):
    """A remark on a round."""

    model_config = _like({"text": "lot 7, new stirrer"})
    text: str = Field(description="A sentence, a lot number, the name of a file.")


class Amend(RequestBody):
    """Correction; fields left out stay."""

    model_config = _like({"value": 7.2})
    value: Annotated[Any, Field(description="The right value; left out, it stays.")] = None
    cost: Annotated[Any, Field(description="The cost of the evaluation.")] = None
    realised: Annotated[Json | None, Field(description="The realised values, by variable.")] = None
    charge: Annotated[
        Any, Field(description="The amount counted as spent while the cost is unknown.")
    ] = None
    scope: Annotated[Any, Field(description="What was set then, such as `ph + temperature`.")] = (
        None
    )
    sem: Annotated[
        Any, Field(description="The standard error of the value, in its units, if known.")
    ] = None
    void: Annotated[bool, Field(description="Whether nothing is to be learned from it.")] = False
    reason: Annotated[str, Field(description="Why, for people.")] = ""


class Add(RequestBody):
    """External data."""

    model_config = _like({"value": 7, "realised": {"temperature": 24, "ph": 6.2}})
    value: Any = Field(description="The objective's value, in the study's units.")
    realised: Json = Field(description="The values measured, by variable.")
    cost: Annotated[Any, Field(description="The cost of the evaluation.")] = None
    scope: Annotated[Any, Field(description="What was set then, such as `ph + temperature`.")] = (
        None
    )
    charge: Annotated[bool, Field(description="Whether its cost counts as spent.")] = False
    id: Annotated[
        str | None, Field(description="Its name elsewhere: sent twice, it counts once.")
    ] = None
    sem: Annotated[
        Any, Field(description="The standard error of the value, in its units, if known.")
    ] = None
    source: Annotated[
        str | None, Field(description="The place or time it is of, if not here and now.")
    ] = None


class Import(RequestBody):
    """A table of outcomes, a line for each measurement."""

    model_config = _like({"table": "temperature;ph;value\n21,5;6,2;9,8", "dry_run": True})
    table: str = Field(
        description="The text of a CSV file: commas, semicolons, tabs, decimal commas are fine."
    )
    headers: Annotated[
        dict[str, str],
        Field(description="How the table heads columns, by their own names: value, cost, …"),
    ] = {}
    missing: Annotated[
        dict[str, list[Any]],
        Field(description="Codes for missing values, by column, such as {value: [-200]}."),
    ] = {}
    name: Annotated[str, Field(description="The table's name, such as the file's.")] = ""
    id: Annotated[
        str | None, Field(description="The heading of the column that tells lines apart.")
    ] = None
    source: Annotated[
        str | None, Field(description="The place or time it is of, if not here and now.")
    ] = None
    charge: Annotated[bool, Field(description="Whether costs of data count as spent.")] = False
    as_data: Annotated[
        bool, Field(description="Whether it is another study's, whose tokens are ignored.")
    ] = False
    repetitions: Annotated[
        bool, Field(description="Whether lines that equal data are measurements of their own.")
    ] = False
    dry_run: Annotated[
        bool, Field(description="Whether to say what would be taken, and write nothing.")
    ] = False


class Predict(Asking):
    """Settings to predict the objective at, and when and in which context."""

    model_config = _like({"values": {"ph": 6.2}})
    values: Json | list[Json] = Field(
        description="Settings of a round, by variable; or a list of such."
    )


class Attach(Asking):
    """Settings of a play of one's own, and when and in which context."""

    model_config = _like({"values": {"ph": 6.2}})
    values: Json = Field(description="Settings of the round, by variable.")


@dataclass(frozen=True)
class Operation:
    """A word that changes a study.

    Args:
        does: in a sentence or two.
        right: the right that a key needs.
        takes: the fields of the call.
        call: does it: the study, the round's token ("" where it is about none), the fields given,
            and whether one more suggestion is wanted.
        about_a_round: whether it takes a token.
    """

    does: str
    right: str
    takes: type[RequestBody]
    call: Callable[[Study, str, Any, Wanted], Json]
    about_a_round: bool = True


def _ask(study: Study, _: str, given: Ask, wanted: Wanted) -> Json:
    seen = {} if given.context is None else {SEEN.name: given.context}
    request = {**given.request(), **seen}
    # refuses names that no request has: "self", say
    study.problem.read_asked(study._given(request), study.history)

    def one(place: BatchPosition) -> Suggestion | None:
        # rounds that are out are among the open ones
        return study.session.ask(request, place) if wanted(place.number - 1) else None

    found = one_or_more(given.batch, one)
    assert isinstance(found, list)
    finished = study.status.finished
    return {
        "suggestions": [_to_play(study, each) for each in found],
        "left": 0 if finished else given.batch - len(found),
        "finished": finished,
    }


def _attach(study: Study, _: str, given: Attach, __: Wanted) -> Json:
    own = study.attach(given.values, given.context, **given.request())
    return _to_play(study, own)


def _to_play(study: Study, suggestion: Suggestion) -> Json:
    """A suggestion with its card, and an instruction in a sentence, in digits that can be set."""
    problem, keep = study.problem, suggestion.scope.keep
    shown = suggestion.shown
    values = {
        name: f"as `values.{name}` says" if isinstance(value, Mapping) else f"to {shown[name]}"
        for name, value in problem.in_order(suggestion.values).items()
    }
    steps = [f"set {name} {text}" for name, text in values.items() if name not in keep]
    steps += [f"leave {name} as it is" for name in values if name in keep]
    if suggestion.observe:
        steps.append(f"look at {listed(list(suggestion.observe))}, and give that by `decide`")
    else:
        nature = problem.unmeasured(suggestion)
        steps += [f"measure {listed(list(nature))}"] if nature else []
        steps.append("give what came of it by `tell`")
    do = ", then ".join([", ".join(steps[:-1]), steps[-1]] if len(steps) > 1 else steps)
    return {**study.card(suggestion).to_dict(), "do": f"{do[:1].upper()}{do[1:]}."}


def _decide(study: Study, token: str, given: Decide, _: Wanted) -> Json:
    return _to_play(study, study.decide(token, given.context, again=given.again))


def _told(word: str) -> Callable[[Study, str, RequestBody, Wanted], Json]:
    """Operation that answers with the status and with warnings of unlikely values."""

    def call(study: Study, token: str, given: RequestBody, _: Wanted) -> Json:
        warned = getattr(study, word)(*([token] if token else []), **given.fields())
        return {"status": study.status.to_dict(), "warnings": list(warned or ())}

    return call


VERBS: Mapping[str, Operation] = MappingProxyType(
    {
        "ask": Operation(
            "The next round, or several: variables to look at first, and settings. Rounds that are out stay out; "
            "if the answer was lost, its rounds are among the open ones. Where it takes long, a batch is shorter: "
            "`left` says by how many; ask for them again.",
            "play",
            Ask,
            _ask,
            False,
        ),
        "attach": Operation(
            "Begin a round at settings of your own instead of the suggested ones; it is charged, and its outcome told, "
            "like any other.",
            "play",
            Attach,
            _attach,
            False,
        ),
        "decide": Operation(
            "Enter observations; print the settings that follow from them.", "play", Decide, _decide
        ),
        "tell": Operation(
            "Give the outcome of a round. The same outcome twice is fine.",
            "play",
            Tell,
            _told("tell"),
        ),
        "fail": Operation(
            "Report a failed evaluation; its settings and cost count.", "play", Fail, _told("fail")
        ),
        "abandon": Operation(
            "Give up a suggestion; its outcome can still be told later.",
            "play",
            Abandon,
            _told("abandon"),
        ),
        "remark": Operation(
            "Keep a remark on a round; nothing follows from it.", "play", Remark, _told("remark")
        ),
        "amend": Operation(
            "Correct or void an outcome; the log keeps the old one.", "amend", Amend, _told("amend")
        ),
        "add": Operation("Add data from outside the rounds.", "amend", Add, _told("add"), False),
    }
)
"""By name: every word that changes a study."""


def check_lines(sheet: Spreadsheet) -> None:
    """Refuse a table that would keep others waiting.

    Raises:
        InvalidRequest: it has too many lines.
    """
    if len(sheet.rows) > MOST_LINES:
        hint = "Send it in parts, or use `steerbo import`, which takes more."
        raise InvalidRequest(
            "table", counted(len(sheet.rows), "line"), f"at most {MOST_LINES}", hint
        )


def _import(study: Study, _: str, given: Import, __: Wanted) -> Json:
    headers = {**study.history.columns, **given.headers, **({OWN_ID: given.id} if given.id else {})}
    codes = {**study.missing, **given.missing}
    sheet = read_results(study.problem, given.table, headers, codes)
    if given.id and OWN_ID not in sheet.columns:
        raise InvalidRequest("id", given.id, one_of(sheet.ignored, given.id))
    check_lines(sheet)
    sheet = as_data(sheet) if given.as_data else sheet
    sheet = as_source(sheet, given.source) if given.source else sheet
    target = in_memory(study) if given.dry_run else study
    report = import_table(
        target,
        sheet,
        headers,
        charge=given.charge,
        table=given.name,
        repetitions=given.repetitions,
        words=PYTHON,
    )
    return {**report.to_dict(), "status": target.status.to_dict()}


IMPORT = Operation(
    "Take outcomes from a table, line by line: each is taken, left or refused, with the reason. `dry_run` writes "
    "nothing. The same table again changes nothing.",
    "amend",
    Import,
    _import,
    about_a_round=False,
)
"""Import a table; `Study` has it for data frames only."""
CHANGES: Mapping[str, Operation] = MappingProxyType({**VERBS, "import": IMPORT})
"""All operations that change a study, by their names over HTTP and of tools."""


# -- looking ---------------------------------------------------------------------------------------


def described(study: Study) -> Json:
    """Description of the problem and of the arguments of `ask`."""
    problem, created = study.problem, study.events[0]
    takes = [{"name": field.name, "help": PYTHON.text(field.help)} for field in problem.asked()]
    return {
        "problem": getattr(created, "problem", None) or {"kind": problem.kind},
        "method": getattr(created, "method", ""),
        "takes": takes,
        "columns": list(problem.columns),
        "status": study.status.to_dict(),
    }


def _files(study: Study) -> Json:
    found = [
        {"token": token, **kept.to_dict()}
        for token, several in study.history.files.items()
        for kept in several
    ]
    return {"files": found}


LOOKS: Mapping[str, tuple[str, Callable[[Study], Json]]] = MappingProxyType(
    {
        "study": ("The problem, and the fields that `ask` takes.", described),
        "status": ("How far it has come.", lambda study: study.status.to_dict()),
        "files": (
            "The files beside remarks, by round, with their checksums; their content is at `files/SHA256` over HTTP.",
            _files,
        ),
        "recommendation": (
            "The recommendation, with bounds, and its alternatives; where several outcomes are traded, its middle and "
            "the other rounds that none beats in everything.",
            lambda study: study.recommend().to_dict(),
        ),
        "explanation": (
            "The reasons: scopes ruled out, and the numbers behind it.",
            lambda study: study.explain().to_dict(),
        ),
    }
)
"""Views of a study that need no arguments, by name."""

STATES = ("open", "told", "failed", "abandoned", "void")


def rounds_in(state: str | None) -> Callable[[Study], Json]:
    """Filter of rounds by state; None: all.

    Raises:
        InvalidRequest: there is no such state.
    """
    if state is not None and state not in STATES:
        raise InvalidRequest("state", state, listed(STATES, " or "))
    return lambda study: {
        "rounds": [
            plain_round(played, study.history)
            for played in study.history
            if state in (None, played.state)
        ]
    }


def plain_round(played: Round, history: History) -> Json:
    """A round as data, with the remarks on it, and the files."""
    outcome, failure, token = played.outcome, played.failure, played.suggestion.token
    remarks, files = history.remarks.get(token, ()), history.files.get(token, ())
    return {
        **played.suggestion.to_dict(),
        "state": played.state,
        "request": played.request,
        **({"outcome": to_dict(outcome)} if outcome else {}),
        **({"failure": to_dict(failure)} if failure else {}),
        "charged": played.charged,
        **({"remarks": list(remarks)} if remarks else {}),
        **({"files": [kept.to_dict() for kept in files]} if files else {}),
    }


def events_after(events: list[Event], after: int) -> Json:
    """Events after the first so many, as the log has them."""
    return {"events": [to_dict(event, Event) for event in events[after:]], "count": len(events)}


def applied(served: OpenStudy, given: dict[str, str]) -> dict[str, Any]:
    """The policy at texts by name."""
    context, more = _typed(served.read("problem", lambda study: study.problem), given)
    return applied_to(served, context, more)


def applied_to(
    served: OpenStudy, context: Mapping[str, Any], more: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """The policy at values by name, with other arguments such as the time."""
    key = ("policy", repr(sorted(context.items())), repr(sorted(more.items())))
    return served.read(key, lambda study: study.policy(dict(context), **more).to_dict())


def predicted(served: OpenStudy, given: Predict) -> Json:
    """Predictions at settings of a person's own."""
    more = given.request()

    def read(study: Study) -> Json:
        found = study.predict(given.values, given.context, **more)
        return {
            "predictions": [
                each.to_dict() for each in (found if isinstance(found, list) else [found])
            ]
        }

    return served.read(("predict", given.model_dump_json()), read)


def _typed(problem: Problem, given: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    fields = {field.name: field for field in problem.asked() if field.name != SEEN.name}
    context = {
        name: problem.read_cell(name, text) for name, text in given.items() if name not in fields
    }
    return context, {
        name: fields[name].read(problem, text) for name, text in given.items() if name in fields
    }
