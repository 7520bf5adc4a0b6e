"""The page of a study, as data for its templates."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..core import (
    SEEN,
    Asked,
    BaseStudy,
    Decided,
    Explanation,
    Problem,
    Recommendation,
    Round,
    Suggestion,
    Table,
    numeral,
    revised_text,
)
from ..records import to_dict
from ..study.formatting import in_words, with_units
from ..wording import counted
from .archive import SHOWN, Line, Part, added, rounds_before
from .card import Card, advice_of, card
from .chart import Chart
from .edit import number_text
from .fields import Field, ask_fields, fields_of, policy_fields
from .learned import along
from .progress import progress
from .settings import Setting, settings_of
from .undo import Undo, last_said
from .wording import Words, amount_text

_FEW = 3  # values from which on their range is shown


@dataclass(frozen=True)
class PendingRound:
    """A round that is out: what to look at, what to set, what to report.

    `last_look` has the fields of the look that can still be taken back, as they were filled in; `asked_for` says
    whether values seen before choosing are behind the round; `mark` is another for other settings.
    """

    token: str
    number: int
    scope: str
    seen: str
    settings: tuple[Setting, ...]
    look: tuple[Field, ...]
    fields: tuple[Field, ...]
    otherwise: tuple[Field, ...]
    counts_money: bool
    change_cost: str
    charge: str
    stated: bool
    last_look: tuple[Field, ...]
    asked_for: bool
    mark: str


@dataclass(frozen=True)
class Meter:
    """How much of a limit is used: from 0 to 1, and in words."""

    share: float
    text: str


@dataclass(frozen=True)
class View:
    """Everything on the page but the pictures.

    Args:
        words: the study's own.
        meters: of money and of rounds.
        status: the same in one line, for a screen reader.
        notices: what ought to be known: laws that nature does not keep, limits that were changed.
        rounds: how many there are.
        finished: why no more are suggested; "" while they are.
        out: rounds that are out.
        ask: what has to be said before the next is chosen.
        at_once: whether nothing has to be.
        advice: what is best now; None: it takes its time, and is computed when somebody looks at it.
        learned: variables along which something was learned.
        progress: how far it has come.
        why, tables: the reasons.
        latest, data: rounds, and data that was added.
        last: what was said last, where it can be taken back.
        last_text: the same in words.
        policy: what the policy may depend on.
    """

    words: Words
    meters: tuple[Meter, ...]
    status: str
    notices: tuple[str, ...]
    rounds: int
    finished: str
    out: tuple[PendingRound, ...]
    ask: tuple[Field, ...]
    at_once: bool
    advice: Card | None
    learned: tuple[str, ...]
    progress: Chart | None
    why: str
    tables: tuple[Table, ...]
    latest: Part
    data: tuple[Line, ...]
    last: Undo | None
    last_text: str
    policy: tuple[Field, ...]


def view(
    study: BaseStudy, most: int | None = SHOWN, advice: Recommendation | None = None, *, later: bool = False
) -> View:
    """Compute all of it anew.

    Args:
        study: whose page.
        most: rounds in the table, the latest ones; None: all.
        advice: what `recommend` says, where that is known already.
        later: leave out what is best, and why.
    """
    problem, status, words = study.problem, study.status, Words.of(study)
    ask, last = ask_fields(problem), last_said(study)
    advice = None if later else advice or advice_of(study)
    why = study.explain() if advice is not None else Explanation("")
    policy = getattr(advice, "table", None)
    meters = _meters(study, words)
    return View(
        words=words,
        meters=meters,
        status=", ".join(meter.text for meter in meters),
        notices=_notices(study),
        rounds=len(study.history),
        finished=status.finished,
        out=tuple(_out(study, words, played) for played in study.history.pending),
        ask=ask,
        at_once=not any(field.needed or field.name.startswith("seen:") for field in ask),
        advice=card(study, advice, why) if advice is not None else None,
        learned=along(study, advice) if advice is not None else (),
        progress=progress(study),
        why=_sentences(why.summary),
        tables=tuple(with_units(problem, table) for table in why.tables if table != policy),
        latest=rounds_before(study, most=most),
        data=added(study),
        last=last,
        last_text=_last_text(last, words),
        policy=policy_fields(problem),
    )


def _meters(study: BaseStudy, words: Words) -> tuple[Meter, ...]:
    """Money where it is counted, and rounds."""
    status, found = study.status, []
    if status.budget is not None:
        text = f"{amount_text(status.spent, status.budget)} of {words.paid(status.budget)} spent"
        found.append(Meter(min(status.spent / status.budget, 1.0) if status.budget else 1.0, text))
    elif status.spent:
        found.append(Meter(0.0, f"{words.paid(status.spent)} spent"))
    made = counted(status.rounds, "round")
    share = 0.0
    if status.limit is not None:
        made = f"{status.rounds} of {counted(status.limit, 'round')}"
        share = min(status.rounds / status.limit, 1.0) if status.limit else 1.0
    broken = f", {status.failed} broke" if status.failed else ""
    given_up = f", {status.abandoned} given up" if status.abandoned else ""
    found.append(Meter(share, f"{made}{broken}{given_up}"))
    return tuple(found)


def _notices(study: BaseStudy) -> tuple[str, ...]:
    """What ought to be known beside the figures, in sentences."""
    status = study.status
    said = [*status.warnings]
    if status.unpriced and (status.budget is not None or status.spent):
        these = "The cost of 1 round is" if status.unpriced == 1 else f"The costs of {status.unpriced} rounds are"
        charged = f"; {numeral(status.estimated)} is counted" if status.estimated else ""
        said.append(f"{these} unknown{charged}.")
    if status.remark:
        said.append(status.remark)
    if status.gain is not None and not status.finished:
        said.append(f"At most {numeral(status.gain)} can still be gained.")
    said += [line for event in study.history.revisions for line in revised_text(event)][-1:]
    return tuple(_sentences(text) for text in said)


def _last_text(last: Undo | None, words: Words) -> str:
    """What was said last, in words."""
    if last is None:
        return ""
    now = "is taken out" if last.now == "void" else f"gave {words.worth(last.now)}"
    return f"Saved: round {last.number} {now}."


def _out(study: BaseStudy, words: Words, played: Round) -> PendingRound:
    problem, suggestion, history = study.problem, study.history[played.suggestion.token].suggestion, study.history
    nature = problem.unmeasured(suggestion)
    estimate = history.estimate(suggestion.token)
    counts = history.budget is not None or history.spent > 0 or problem.priced
    price = problem.price(suggestion)
    needed = history.budget is not None and price is None
    value = Field("value", words.value_label, hint=_usual_text(study, words), decimal=True)
    stated = f"left out: {words.paid(price)}, as stated" if price is not None else ""
    hint = stated or _usual_cost_text(study, words, needed)
    cost = Field("cost", words.cost_label, hint=hint, needed=needed, decimal=True)
    measured = [replace(field, label=f"{field.label}, as measured") for field in fields_of(problem, nature, "realised")]
    moving = "" if not suggestion.change_cost else words.paid(suggestion.change_cost)
    return PendingRound(
        token=suggestion.token,
        number=suggestion.round,
        scope=str(suggestion.scope),
        seen=in_words(problem, suggestion.context),
        settings=settings_of(problem, suggestion.values, suggestion.scope.keep),
        look=fields_of(problem, suggestion.observe, "context"),
        fields=(value, *measured, *((cost,) if counts else ())),
        otherwise=fields_of(problem, _otherwise(problem, played, nature), "realised", needed=False),
        counts_money=counts,
        change_cost=moving,
        charge="" if estimate is None or price is not None else number_text(estimate),
        stated=price is not None,
        last_look=_last_look(study, suggestion.token),
        asked_for=bool(played.request.get(SEEN.name)),
        mark=mark_of(suggestion),
    )


def mark_of(suggestion: Suggestion) -> str:
    """A text that is another for other settings: outcomes are sent with it, lest they are taken for those of others."""
    return hashlib.sha256(json.dumps(to_dict(suggestion)["values"], sort_keys=True).encode()).hexdigest()[:16]


def _last_look(study: BaseStudy, token: str) -> tuple[Field, ...]:
    """The fields of a round's last look, filled in."""
    for event in reversed(study.events):
        if isinstance(event, Decided) and event.token == token:
            fields = fields_of(study.problem, event.context, "context")
            return tuple(replace(f, value=number_text(event.context[f.name.partition(":")[2]])) for f in fields)
        if isinstance(event, Asked) and event.token == token:
            break
    return ()


def _usual_text(study: BaseStudy, words: Words) -> str:
    """The range of outcomes so far, in words; empty while there are few."""
    scalar = study.problem.scalar
    low, high = _range(scalar(r.outcome) for r in study.history if r.state == "told" and r.outcome)
    ends = dict.fromkeys((numeral(low, beside=high), numeral(high, beside=low)))
    return "" if math.isnan(low) else f"so far {words.worth(' to '.join(ends))}"


def _usual_cost_text(study: BaseStudy, words: Words, needed: bool) -> str:
    least, most = _range(r.paid for r in study.history if r.paid is not None)
    low = f"{amount_text(least, most)} to " if least < most else ""
    said = "" if math.isnan(least) else f"so far {low}{words.paid(most)}"
    return said if needed else "; ".join(filter(None, [said, "may be left out"]))


def _range(values: Iterable[float]) -> tuple[float, float]:
    """The least and the largest of three values or more; of fewer, NaN."""
    known = list(values)
    return (min(known), max(known)) if len(known) >= _FEW else (math.nan, math.nan)


def _otherwise(problem: Problem, played: Round, nature: tuple[str, ...]) -> list[str]:
    """What was set or seen, and may have come out otherwise."""
    known = {**played.suggestion.values, **played.suggestion.context}
    return [name for name in problem.columns if name not in nature and name in known]


def _sentences(text: str) -> str:
    """A text that begins as sentences do, line by line, and ends as they do.

    >>> _sentences("each round plays the cheapest set")
    'Each round plays the cheapest set.'
    """
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return "\n".join(f"{line[:1].upper()}{line[1:]}{'' if line[-1] in '.:!?' else '.'}" for line in lines)
