"""What the log keeps of a choice of `cheap-first`, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence

from ..record import record
from ..rounds import Suggestion, numeral


@record
class Moving:
    """What was weighed before something hard to change was moved, or left where it was.

    Args:
        stay: the largest upper bound where nothing is moved, in the user's units.
        move: the same where something is.
        price: what the change alone would cost there.
    """

    stay: float
    move: float
    price: float

    def said(self, asked: Suggestion) -> str:
        """Why a suggestion stays, or moves.

        >>> from steerbo.rounds import Scope
        >>> asked = Suggestion("t", 7, Scope(["speed"], keep=["oven"]), {"oven": 150.0, "speed": 0.3})
        >>> print(Moving(7.5, 7.6, 5.0).said(asked))
        It moves nothing that is hard to change: that would cost 5 and could reach 7.6 at best, staying 7.5.
        """
        stay, move = numeral(self.stay, 4), numeral(self.move, 4)
        if asked.change_cost:
            return f"It pays {numeral(asked.change_cost, 4)} to move: that could reach {move} at best, staying {stay}."
        price = numeral(self.price, 4)
        return (
            f"It moves nothing that is hard to change: that would cost {price} and could reach {move} at best, "
            f"staying {stay}."
        )


@record
class Reasons:
    """What the log keeps of a choice.

    Args:
        upper: the upper bound of each set, in the user's units; None for one that is not affordable.
        width: what is not known yet about the play.
        calibration: how far off the model has been of late.
        moving: whether to move what is hard to change; None: nothing is, or there was no choice.
    """

    upper: Sequence[float | None]
    width: float
    calibration: float
    moving: Moving | None = None
