"""The interface: JSON over HTTP, the words of `Study`. What is given about a round may be given twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from ..errors import InvalidRequest
from ..record import to_plain
from ..rounds import Event, Round
from ..study import Study
from .applied import applied
from .visitors import Visitor, study_of, visitor_of

Who = Annotated[Visitor, Depends(visitor_of)]
Name = Annotated[str, Path(description="The study's name.")]
Token = Annotated[str, Path(description="The suggestion's token.")]
Json = dict[str, Any]
router = APIRouter(prefix="/studies", tags=["studies"])


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Ask(BaseModel):
    """What `ask` takes: `batch`, and what the problem `takes`, such as `context`, `time` or `available`."""

    model_config = ConfigDict(extra="allow")
    batch: Annotated[int, Field(description="So many suggestions at once.")] = 1


class Decide(_Body):
    """What was looked at."""

    context: Json = Field(description="Values by variable.")


class Tell(_Body):
    """What came of a round."""

    value: Any = Field(description="The objective's value, in the study's units.")
    cost: Annotated[Any, Field(description="What it cost.")] = None
    realised: Annotated[Json | None, Field(description="What really happened, by variable.")] = None


class Fail(_Body):
    """The evaluation broke."""

    reason: str = ""
    cost: Annotated[Any, Field(description="What it cost all the same.")] = None
    charge: Annotated[Any, Field(description="What counts as spent while nobody knows the cost.")] = None
    realised: Json | None = None


class Abandon(_Body):
    """Nobody evaluates it any more."""

    reason: str = ""
    charge: Any = None


class Amend(_Body):
    """A correction; what is left out stays as it is."""

    value: Any = None
    cost: Any = None
    realised: Json | None = None
    charge: Any = None
    scope: Any = None
    void: bool = False
    reason: str = ""


class Add(_Body):
    """Data that nobody suggested."""

    value: Any
    realised: Json
    cost: Any = None
    scope: Any = None
    charge: bool = False


@router.get("")
def studies(who: Who) -> Json:
    """The studies that this key opens."""
    return {"studies": list(who.studies), "may": who.may}


@router.get("/{name}")
def study(request: Request, who: Who, name: Name) -> Json:
    """The problem, and what `ask` takes."""
    return study_of(request, who, name, "read").read("study", _described)


def _described(study: Study) -> Json:
    problem, created = study.problem, study.events[0]
    takes = [{"name": field.name, "help": field.help} for field in problem.asked()]
    return {
        "problem": getattr(created, "problem", None) or {"kind": problem.kind},
        "method": getattr(created, "method", ""),
        "takes": takes,
        "columns": list(problem.columns),
        "status": study.status.to_dict(),
    }


@router.post("/{name}/ask")
def ask(request: Request, who: Who, name: Name, body: Ask | None = None) -> Json:
    """The next round, or several: what to look at first, and what to set. Rounds that are out stay out.

    Whoever did not get the answer finds its rounds under `rounds?state=open`.
    """
    given = body or Ask()
    with study_of(request, who, name, "play").use(who.name) as going:
        found = going.ask(given.batch, **(given.model_extra or {}))
        return {"suggestions": [s.to_dict() for s in found], "finished": going.status.finished}


@router.post("/{name}/rounds/{token}/decide")
def decide(request: Request, who: Who, name: Name, token: Token, body: Decide) -> Json:
    """Give what was looked at; says what to set, and what to look at next."""
    with study_of(request, who, name, "play").use(who.name) as going:
        return going.decide(token, body.context).to_dict()


@router.post("/{name}/rounds/{token}/tell")
def tell(request: Request, who: Who, name: Name, token: Token, body: Tell) -> Json:
    """Give the outcome of a round. The same outcome twice is fine."""
    return _give(request, who, name, "play", lambda going: going.tell(token, **_given(body)))


@router.post("/{name}/rounds/{token}/fail")
def fail(request: Request, who: Who, name: Name, token: Token, body: Fail | None = None) -> Json:
    """The evaluation broke: its point and cost count, a value there is none."""
    return _give(request, who, name, "play", lambda going: going.fail(token, **_given(body or Fail())))


@router.post("/{name}/rounds/{token}/abandon")
def abandon(request: Request, who: Who, name: Name, token: Token, body: Abandon | None = None) -> Json:
    """Nobody evaluates it any more; an outcome that comes all the same is used."""
    return _give(request, who, name, "play", lambda going: going.abandon(token, **_given(body or Abandon())))


@router.post("/{name}/rounds/{token}/amend")
def amend(request: Request, who: Who, name: Name, token: Token, body: Amend) -> Json:
    """Correct or void an outcome; the log keeps the old one."""
    return _give(request, who, name, "amend", lambda going: going.amend(token, **_given(body)))


@router.post("/{name}/data")
def add(request: Request, who: Who, name: Name, body: Add) -> Json:
    """Add data that nobody suggested."""
    return _give(request, who, name, "amend", lambda going: going.add(**_given(body)))


def _given(body: BaseModel) -> Json:
    return {name: getattr(body, name) for name in type(body).model_fields}


def _give(request: Request, who: Visitor, name: str, right: str, call: Callable[[Study], object]) -> Json:
    with study_of(request, who, name, right).use(who.name) as going:
        call(going)
        return {"status": going.status.to_dict()}


# -- looking -----------------------------------------------------------------------------------------------------------


@router.get("/{name}/status")
def status(request: Request, who: Who, name: Name) -> Json:
    """How far it has come."""
    return study_of(request, who, name, "read").read("status", lambda going: going.status.to_dict())


@router.get("/{name}/recommendation")
def recommendation(request: Request, who: Who, name: Name) -> Json:
    """What to do from now on, with bounds, and what else there is."""
    return study_of(request, who, name, "read").read("recommendation", lambda going: going.recommend().to_dict())


@router.get("/{name}/explanation")
def explanation(request: Request, who: Who, name: Name) -> Json:
    """Why: what was ruled out, and the numbers behind it."""
    return study_of(request, who, name, "read").read("explanation", lambda going: going.explain().to_dict())


@router.get("/{name}/policy")
def policy(request: Request, who: Who, name: Name) -> Json:
    """What was learned, applied to what was seen: `?age=61`, variables and what `ask` takes by their names."""
    return applied(study_of(request, who, name, "read"), dict(request.query_params))


@router.get("/{name}/rounds")
def rounds(
    request: Request,
    who: Who,
    name: Name,
    state: Annotated[str | None, Query(description="Only those that are open, told, failed or abandoned.")] = None,
) -> Json:
    """What was suggested, and what came of it."""
    if state not in (None, "open", "told", "failed", "abandoned", "void"):
        raise InvalidRequest("state", state, "open, told, failed, abandoned or void")

    def look(going: Study) -> Json:
        return {"rounds": [plain_round(played) for played in going.history if state in (None, played.state)]}

    return study_of(request, who, name, "read").read(("rounds", state), look)


def plain_round(played: Round) -> Json:
    """A round as data."""
    outcome, failure = played.outcome, played.failure
    return {
        **played.suggestion.to_dict(),
        "state": played.state,
        "request": played.request,
        **({"outcome": to_plain(outcome)} if outcome else {}),
        **({"failure": to_plain(failure)} if failure else {}),
        "charged": played.charged,
    }


@router.get("/{name}/events")
def events(
    request: Request,
    who: Who,
    name: Name,
    after: Annotated[int, Query(ge=0, description="Only those after so many.")] = 0,
) -> Json:
    """Everything that happened, as the log has it."""
    logged = study_of(request, who, name, "read").read("events list", lambda going: list(going.events))
    return {"events": [to_plain(event, Event) for event in logged[after:]], "count": len(logged)}
