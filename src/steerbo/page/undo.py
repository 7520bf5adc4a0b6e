"""What was said last of a round, and what taking it back leaves, within the rules of `amend`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..core import Amended, BaseStudy, Event, Failed, Outcome, OutcomeTold, Problem, numeral

TAKEN_BACK = "taken back"
"""The reason that stands in the log."""


@dataclass(frozen=True)
class Undo:
    """A last word that can be taken back.

    Args:
        token, number: the round's.
        said: how often something was said of it: who takes back an older word is told so.
        now: what stands.
        then: what stands afterwards.
        outcome: the same; None: there is nothing to learn from the round.
    """

    token: str
    number: int
    said: int
    now: str
    then: str
    outcome: Outcome | None


def undo_of(study: BaseStudy, token: str) -> Undo | None:
    """What taking back the last word on a round leaves.

    What was told becomes void (what was spent is spent), what was corrected or void becomes what it was before. A round
    that broke is not made to be out again, nor is what it cost forgotten: None.
    """
    said = list(_said(study.events, token))
    if not said or isinstance(said[-1], Failed):
        return None
    now, before = said[-1], said[-2] if len(said) > 1 else None
    if isinstance(before, Failed) or now == before:
        return None
    if before is not None and before.cost is None and now is not None and now.cost is not None:
        return None  # a cost that was said late cannot be unsaid
    number = study.history[token].number
    return Undo(token, number, len(said), _shown(study.problem, now), _shown(study.problem, before), before)


def times_said(study: BaseStudy, token: str) -> int:
    """How often something was said of a round that has ended."""
    return sum(1 for _ in _said(study.events, token))


def last_said(study: BaseStudy) -> Undo | None:
    """The last word on any round, where it can be taken back."""
    rounds = study.history
    for event in reversed(study.events):
        if isinstance(event, OutcomeTold | Failed | Amended) and event.token not in {*rounds.data, *rounds.removed}:
            return undo_of(study, event.token)
    return None


def _said(events: tuple[Event, ...], token: str) -> Iterator[Outcome | Failed | None]:
    """All that was said of a round, in order; None: that it is void."""
    for event in events:
        match event:
            case OutcomeTold(token=name) | Failed(token=name) | Amended(token=name) if name != token:
                pass
            case OutcomeTold():
                yield event.outcome
            case Failed():
                yield event
            case Amended():
                yield event.outcome or event.failure


def _shown(problem: Problem, outcome: Outcome | None) -> str:
    return "void" if outcome is None else numeral(problem.scalar(outcome))
