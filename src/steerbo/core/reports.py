"""Parsing of reports on rounds into events; None where the log already has the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from .._text import LONGEST_REASON, escape_unprintable, shortened, unsafe
from ..errors import (
    InvalidInput,
    InvalidOutcome,
    OutcomeConflict,
    UnknownSuggestion,
    combine,
    short_repr,
)
from ._history import History, Round
from ._problem import Problem
from .answers import Suggestion
from .events import (
    STUDY,
    Abandoned,
    Amended,
    DataAdded,
    Failed,
    KeptFile,
    Outcome,
    OutcomeTold,
    Remarked,
)
from .request import finite

Realised = Mapping[str, Any] | None
_VOID = "To void the outcome, use ‹void›."
_WITH_VALUE = "Give the value, too, where there is one after all."
_ALONE = "nothing else beside it"


@contextmanager
def naming_columns(columns: Mapping[str, str]) -> Iterator[None]:
    """Context in which the refusal of a name that heads a column of tables tells the column's own name.

    Args:
        columns: how tables head their columns, by the columns' own names: see `History.columns`.
    """
    try:
        yield
    except InvalidInput as error:
        found = [_with_column(each, columns) for each in error.errors]
        if all(new is each for new, each in zip(found, error.errors, strict=True)):
            raise
        raise combine(found) from None


def _with_column(error: InvalidInput, columns: Mapping[str, str]) -> InvalidInput:
    """Copy of an error that explains the column it names; the error itself where it names none.

    >>> print(_with_column(InvalidOutcome("realised.CO2", 600, "values for one of c, t"), {"c": "CO2"}))
    realised.CO2: 600 is not allowed; expected values for one of c, t. 'CO2' is the column of c in tables: use c here.
    """
    own = {column: own for own, column in columns.items() if column != own}
    scope = error.field == "scope"
    given: Any = [error.field, error.field.removeprefix("realised.").removeprefix("context.")]
    if scope:
        given = error.value if isinstance(error.value, list | tuple) else [error.value]
    # of "CO2 (ppm)" in a causal scope CO2 was read, after looking at ppm
    headed = [c for c in own if any(c == x or (scope and c.startswith(f"{x} (")) for x in given)]
    if not headed:
        return error
    said = "; ".join(
        f"{column!r} is the column of {own[column]} in tables: use {own[column]} here"
        for column in headed
    )
    return type(error)(
        error.field,
        error.value,
        error._allowed,
        " ".join([*filter(None, [error._hint]), f"{said}."]),
    )


@dataclass(frozen=True)
class OutcomeParser:
    """Parser of reports on rounds of `history`; its errors are those of `Optimizer`'s calls.

    Args:
        problem: of the study.
        history: of the study.
        sem_unused: see `Method.sem_unused`.
        sources_unused: see `Method.sources_unused`.
    """

    problem: Problem
    history: History
    sem_unused: Callable[[], str]
    sources_unused: Callable[[], str]

    def about(self, suggestion: object) -> Round:
        """Round of a suggestion or token; anything else is refused."""
        if isinstance(suggestion, Suggestion):
            return self.history[suggestion.token]
        if suggestion is None:
            raise UnknownSuggestion(
                "None is no suggestion: ‹ask› returns it where the study is finished; see its status"
            )
        return self.history[
            str.__str__(suggestion) if isinstance(suggestion, str) else short_repr(suggestion)
        ]

    def tell(
        self,
        suggestion: object,
        value: Any = None,
        cost: Any = None,
        realised: Realised = None,
        sem: Any = None,
    ) -> OutcomeTold | None:
        """An outcome."""
        about = self.about(suggestion)
        outcome = self._outcome(about, value, cost, realised, sem)
        self._check_settings(suggestion, about, _mapping(realised))
        if about.waiting:
            if about.suggestion.observe:
                waiting = ", ".join(about.suggestion.observe)
                raise OutcomeConflict(
                    f"round {about.number} is not decided: look at {waiting}, then use ‹decide›"
                )
            return OutcomeTold(about.suggestion.token, outcome)
        if (told := self.history.as_told(about.suggestion.token)) != outcome:
            before = _otherwise(told, outcome) if told is not None else about.state
            raise OutcomeConflict(
                f"round {about.number} has an outcome already ({before}): use ‹amend› or, to void it, ‹void›"
            )
        return None

    def fail(
        self,
        suggestion: object,
        reason: object = "",
        cost: Any = None,
        charge: Any = None,
        realised: Realised = None,
    ) -> Failed | Remarked | None:
        """Event of a failed evaluation; reported again with another reason, it is a remark."""
        about = self.about(suggestion)
        point = self.problem.read_realised(about.suggestion, _mapping(realised), needed=False)
        self._check_settings(suggestion, about, _mapping(realised))
        paid = self._paid(about, point) if cost is None else finite("cost", cost, least=0.0)
        told = self._failure(about, reason, paid, charge, realised)
        if (
            about.failure is not None
            and about.state == "failed"
            and _adds_nothing(told, about, realised)
        ):
            return self._remark_of(about, told.reason, about.failure.reason)
        if about.state == "failed":
            cost_text = "" if about.paid is None else f" at a cost of {about.paid:g}"
            raise OutcomeConflict(
                f"round {about.number} is failed already{cost_text}; to correct the cost, use ‹amend cost›; "
                "if it gave a value, ‹amend›; to void it, ‹void›"
            )
        if not about.waiting:
            raise OutcomeConflict(
                f"round {about.number} is {about.state} already; to correct it, use ‹amend›, to void it, ‹void›"
            )
        if paid is None and charge is None and self.history.budget is not None:
            hint = "The study has a budget. Where nothing was paid, it is 0; where the cost is unknown, use ‹charge›."
            raise InvalidOutcome(
                "cost", None, "a number not below 0: what the failed evaluation cost", hint
            )
        return told

    @staticmethod
    def _check_settings(suggestion: object, about: Round, realised: Mapping[str, Any]) -> None:
        """Refuse an outcome of settings that were replaced since, by a look that was corrected: see `decide`.

        Raises:
            OutcomeConflict: a suggestion's settings are different now, and nothing says which
                of them were really used.
        """
        if isinstance(suggestion, Suggestion):
            now = about.suggestion.values
            for name, value in suggestion.values.items():
                if name in now and now[name] != value and name not in realised:
                    raise OutcomeConflict(
                        f"round {about.number} was decided again: {name} is to be {short_repr(now[name])} now, "
                        f"and not {short_repr(value)}. Say what it really was among ‹realised›"
                    )

    def _failure(
        self, about: Round, reason: object, paid: float | None, charge: Any, realised: Realised
    ) -> Failed:
        counted = None if charge is None else finite("charge", charge, least=0.0)
        if counted is not None and paid is not None:
            hint = "A charge is for rounds whose cost is unknown: leave it out."
            raise InvalidOutcome(
                "charge", charge, f"nothing, since the cost is known to be {paid:g}", hint
            )
        point = self.problem.read_realised(about.suggestion, _mapping(realised), needed=False)
        return Failed(about.suggestion.token, _kept(reason), paid, counted, point)

    def _remark_of(self, about: Round, reason: str, logged: str) -> Remarked | None:
        """Remark of a reason that differs from the logged one; None: there is nothing new in it."""
        if not reason.strip() or reason == logged:
            return None
        return self.remark(about.suggestion.token, reason)

    def abandon(
        self, suggestion: object, reason: object, charge: Any
    ) -> Abandoned | Remarked | None:
        """Event of an abandoned round; reported again with another reason, it is a remark."""
        about = self.about(suggestion)
        if not about.waiting:
            raise OutcomeConflict(
                f"round {about.number} is {about.state} already; to void its outcome, use ‹void›"
            )
        known = self.problem.spent_anyway(about.suggestion)
        counted = known if charge is None else finite("charge", charge, least=0.0)
        late = (
            about.state == "abandoned"
            and charge is None
            and (counted or 0.0) > (about.charge or 0.0)
        )
        if about.state == "open" or late:  # late: something was looked at since
            return Abandoned(about.suggestion.token, _kept(reason), counted)
        if charge is not None and counted != about.charge:
            hint = f"round {about.number} is abandoned already, and {about.charge or 0:g} is charged for it"
            raise OutcomeConflict(f"{hint}; for another amount use ‹charge›")
        logged = "" if about.abandoned is None else about.abandoned.reason
        return self._remark_of(about, _kept(reason), logged)

    def remark(self, suggestion: object, text: object, file: object = None) -> Remarked | None:
        """Event of a remark; None: the round, or the data, has it already, and the file, too."""
        token = self.remarked(suggestion)
        if file is not None and not isinstance(file, KeptFile):
            hint = "Keep the study in a file: Study.create('study.db', …)."
            raise InvalidOutcome("file", file, "nothing: a study in memory keeps no files", hint)
        if not isinstance(text, str) or not (text.strip() or file is not None):
            raise InvalidOutcome("text", text, "a text, such as 'lot 7, new stirrer'")
        said = escape_unprintable(text.strip())
        if len(said) > LONGEST_REASON:
            allowed = f"at most {LONGEST_REASON} characters: say the rest in another"
            raise InvalidOutcome("text", f"{len(said)} characters", allowed)
        if said in self.history.remarks.get(token, ()):
            said = ""
        if file in self.history.files.get(token, ()):
            file = None
        return Remarked(token, said, file=file) if said or file is not None else None

    def remarked(self, suggestion: object) -> str:
        """Token of the round, the data or the study that a remark is about.

        Raises:
            UnknownSuggestion: there is nothing of this name.
        """
        if isinstance(suggestion, str) and (
            suggestion == STUDY or self.history.datum(suggestion) is not None
        ):
            return suggestion
        return self.about(suggestion).suggestion.token

    def amend(
        self,
        suggestion: object,
        *,
        value: Any = None,
        cost: Any = None,
        realised: Realised = None,
        charge: Any = None,
        scope: Any = None,
        sem: Any = None,
        void: Any = False,
        reason: object = "",
    ) -> Amended:
        """Event that corrects or voids an outcome or external data; fields at None stay."""
        named = {
            "value": value,
            "cost": cost,
            "realised": realised,
            "charge": charge,
            "scope": scope,
            "sem": sem,
        }
        given = {name: part for name, part in named.items() if part is not None}
        if not isinstance(void, bool):
            raise InvalidOutcome("void", void, "true or false")
        if isinstance(suggestion, str) and self.history.datum(suggestion) is not None:
            token, correct = suggestion, self._corrected_data
        else:
            about = self.about(suggestion)
            if scope is not None:
                raise InvalidOutcome(
                    "scope", scope, "nothing: only added data can get another scope"
                )
            token, correct = self._ended(about).suggestion.token, self._corrected
        if not void:
            return correct(token, given, reason)
        if given:
            raise InvalidOutcome("void", True, _ALONE)
        return Amended(token, reason=_kept(reason))

    def _corrected(self, token: str, given: Mapping[str, Any], reason: object) -> Amended:
        """Corrected outcome: fields not given stay, also of a failure without a value."""
        if not given:
            raise InvalidOutcome(
                "value", None, "a new value, its sem, a cost or realised variables", _VOID
            )
        about = self.history[token]
        told = self.history.as_told(token) or about.outcome
        # not `about.realised`: derived values would go before given ones
        stands = told or about.failure
        measured = {**(stands.realised if stands else {}), **_mapping(given.get("realised"))}
        value, cost = given.get("value"), given.get("cost")
        if value is None and told is None and about.failure is not None:
            if given.get("sem") is not None:
                raise InvalidOutcome(
                    "sem", given["sem"], "nothing: a failed round has no value", _WITH_VALUE
                )
            paid = about.paid if cost is None else finite("cost", cost, least=0.0)
            charge = (
                about.charge
                if given.get("charge") is None and paid is None
                else given.get("charge")
            )
            failure = self._failure(about, about.failure.reason, paid, charge, measured)
            return Amended(token, None, failure, _kept(reason))
        if given.get("charge") is not None:
            allowed = "nothing: it is for rounds that failed at an unknown cost"
            raise InvalidOutcome("charge", given.get("charge"), allowed)
        value = told.value if value is None and told else value
        cost = (told.cost if told else about.paid) if cost is None else cost
        sem = given.get("sem", told.sem if told else None)
        _check_undecided(about, measured)
        return Amended(
            token, self._outcome(about, value, cost, measured, sem), reason=_kept(reason)
        )

    def _corrected_data(self, token: str, given: Mapping[str, Any], reason: object) -> Amended:
        """Corrected external data: fields not given stay."""
        if not given:
            allowed = "a new value, its sem, a cost, realised variables, a charge or a scope"
            raise InvalidOutcome("value", None, allowed, _VOID)
        before = self.history.datum(token)
        assert before is not None
        told = self.history.as_told(token) or before.outcome
        value = told.value if given.get("value") is None else given.get("value")
        cost = told.cost if given.get("cost") is None else given.get("cost")
        measured = {**told.realised, **_mapping(given.get("realised"))}
        outcome = self.data(value, cost, measured, given.get("sem", told.sem))
        _chargeable(outcome, before.charge if given.get("charge") is None else given.get("charge"))
        played = None if given.get("scope") is None else self.problem.read_scope(given.get("scope"))
        self.problem.check_data(outcome, before.scope if played is None else played)
        return Amended(
            token, outcome, reason=_kept(reason), charge=given.get("charge"), scope=played
        )

    def add(
        self,
        value: Any = None,
        realised: Any = None,
        cost: Any = None,
        scope: Any = None,
        charge: Any = False,
        *,
        id: Any = None,
        sem: Any = None,
        source: Any = None,
    ) -> DataAdded | None:
        """Event of external data; None: a measurement with this identity was added before.

        Raises:
            OutcomeConflict: it had another outcome.
        """
        outcome, played = self.data(value, cost, realised, sem), self.problem.read_scope(scope)
        _chargeable(outcome, charge)
        self.problem.check_data(outcome, played)
        if id is not None and (not isinstance(id, str) or not id or unsafe(id)):
            raise InvalidOutcome(
                "id", id, "a text of its own for each measurement, such as the number of the sample"
            )
        source = self.read_source(source)
        name = self.history.identified.get(id) if id else None
        if name is None:
            return DataAdded(outcome, charge, played, id=id, source=source)
        first = self.history.first_data[name]
        before = first.outcome
        if source != first.source:
            hint = f"{name}, with source = {short_repr(first.source)}: give another measurement another id"
            raise OutcomeConflict(f"a measurement {id!r} is there already, as {hint}")
        if outcome != before:
            hint = f"({_otherwise(before, outcome)}): to correct it, use ‹amend›; give another measurement another id"
            raise OutcomeConflict(f"a measurement {id!r} is there already, as {name} {hint}")
        return None

    def _paid(self, about: Round, realised: Mapping[str, Any]) -> float | None:
        """Cost of a round by the stated prices; a repeated report keeps the first one."""
        if self.problem.space.changes and not about.waiting:
            return about.paid
        return self.problem.paid(
            replace(about, realised={**about.realised, **realised}), self.history
        )

    @staticmethod
    def _ended(about: Round) -> Round:
        if about.waiting:
            raise OutcomeConflict(f"round {about.number} has no outcome yet: use ‹tell› or ‹fail›")
        return about

    def data(self, value: Any, cost: Any, realised: Any, sem: Any = None) -> Outcome:
        """Outcome of external data."""
        return self._with_sem(self.problem.read_added(value, cost, realised), sem)

    def read_source(self, source: Any) -> str | None:
        """Name of the source of data; None: they are of here.

        Raises:
            InvalidOutcome: no name, or the method would not use it.
        """
        if source is None:
            return None
        if why := self.sources_unused():
            raise InvalidOutcome("source", source, f"nothing: {why}")
        name = source.strip() if isinstance(source, str) else ""
        if not name or unsafe(name):
            hint = "Leave it out for data measured here and now."
            raise InvalidOutcome("source", source, "a name, such as 'last year'", hint)
        # "Last year" is "last year": two sources would each tell half
        alike = (known for known in self.history.sources if known.casefold() == name.casefold())
        return next(alike, name)

    def _with_sem(self, outcome: Outcome, sem: Any) -> Outcome:
        """Outcome with the standard error of its value, where one is stated; False: none is any more."""
        if sem is None or sem is False:
            return outcome
        if why := self.sem_unused():
            raise InvalidOutcome("sem", sem, f"nothing: {why}")
        return replace(outcome, sem=finite("sem", sem, least=0.0))

    def _outcome(
        self, about: Round, value: Any, cost: Any, realised: Realised, sem: Any = None
    ) -> Outcome:
        outcome = self.problem.read_outcome(
            about.suggestion, value, cost, realised if realised is not None else {}
        )
        outcome = self._with_sem(outcome, sem)
        if cost is None and (paid := self._paid(about, outcome.realised)) is not None:
            outcome = replace(outcome, cost=paid)
        if outcome.cost is None and self.history.budget is not None:
            raise InvalidOutcome(
                "cost",
                None,
                "a number not below 0",
                "The study has a budget, so every round's cost counts.",
            )
        return outcome


def _otherwise(before: Outcome, now: Outcome) -> str:
    """Logged value of an outcome; where that is the same, with whatever else is different."""
    if before.value != now.value:
        return str(before.value)
    old, new = ({"sem": x.sem, "cost": x.cost, **x.realised} for x in (before, now))
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    parts = [
        f"no {name}" if old.get(name) is None else f"{name} = {short_repr(old[name])}"
        for name in names
    ]
    return f"{before.value}, with {', '.join(parts)}" if parts else str(before.value)


def _kept(reason: object) -> str:
    """Shorten and escape a reason for the log, whatever its type."""
    try:
        text = str(reason)  # an exception says its own
    except Exception:  # a number of too many digits, data that is too deep
        text = short_repr(reason)
    return shortened(escape_unprintable(text), LONGEST_REASON)


def _adds_nothing(told: Failed, about: Round, realised: Realised) -> bool:
    """Whether a repeated failure adds nothing on costs and realised values; reasons may differ."""
    known = {name: value for name, value in told.realised.items() if name in _mapping(realised)}
    return (
        told.cost in (None, about.paid)
        and told.charge in (None, about.charge)
        and all(
            name in about.realised and about.realised[name] == value
            for name, value in known.items()
        )
    )


def _check_undecided(about: Round, measured: Mapping[str, Any]) -> None:
    """Refuse the outcome of a round that ended before all was set, unless it names the settings and the looks.

    Raises:
        InvalidOutcome: a variable that the scope sets or looks at has no value.
    """
    asked = about.suggestion
    if not asked.observe:
        return
    part_of = (*(name for seen in asked.scope.look.values() for name in seen), *asked.scope.set)
    known = {**asked.context, **asked.values, **measured}
    if missing := [name for name in dict.fromkeys(part_of) if name not in known]:
        hint = f"Round {about.number} ended before all was looked at and set: say what was really seen and set"
        raise InvalidOutcome(
            f"realised.{missing[0]}",
            None,
            f"values of {', '.join(missing)}",
            f"{hint}, or leave it.",
        )


def _chargeable(data: Outcome, charge: Any) -> None:
    if not isinstance(charge, bool):
        raise InvalidOutcome(
            "charge",
            charge,
            "true or false: whether the cost of this data is charged to the budget",
        )
    if charge and data.cost is None:
        raise InvalidOutcome(
            "cost", None, "a number not below 0", "It is to be charged to the budget."
        )


def _mapping(realised: Realised) -> Mapping[str, Any]:
    if realised is not None and not isinstance(realised, Mapping):
        raise InvalidOutcome("realised", realised, "values by variable name, such as {'ph': 6.4}")
    return realised or {}
