"""What a method of this wing remembers of a round beside its scope: the prior it believed, and what that expected."""

from __future__ import annotations

from ..record import record
from ..rounds import Asked, Suggestion


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
