"""What a method of this wing remembers of a round beside its scope: the prior it believed, and what that expected."""

from __future__ import annotations

from collections.abc import Sequence

from ..core import Asked, History, Suggestion, Table
from ..records import record


@record
class Prediction:
    """What was expected when a point was chosen, in the user's units; it is logged as the round's note.

    Args:
        prior: the number of the prior behind the choice.
        mean: what it expected.
        band: give or take: β posterior standard deviations.
        upper: the score that won.
    """

    prior: int
    mean: float
    band: float
    upper: float


def predicted(asked: Asked | Suggestion) -> Prediction | None:
    """What was expected of a round; None where no prior was behind it."""
    return Prediction(**asked.note) if asked.note else None


def table_of_last(history: History, names: Sequence[str]) -> Table:
    """The prior behind the present choice, and what it expected."""
    rows = []
    if (last := history.latest) is not None and (told := predicted(last.suggestion)) is not None:
        rows.append((last.number, last.suggestion.values, names[told.prior], told.mean, told.band))
    return Table("Present choice", ("round", "values", "prior", "expected", "give or take"), tuple(rows))
