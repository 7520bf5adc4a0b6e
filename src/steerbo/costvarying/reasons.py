"""What the log keeps of a choice of `cheap-first`, and how that is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
        moving: whether to move what is hard to change; None: nothing is, or there was no choice.
        likely: how likely the play is to keep to each limit on an outcome; None: none is on average over plays.
        mean: of a play that is less likely to than was asked, what that leaves on average over plays, by outcome.
    """

    upper: Sequence[float | None]
    width: float
    moving: Moving | None = None
    likely: Mapping[str, float] | None = None
    mean: Mapping[str, float] | None = None

    def said_of_limits(self, ventures: int) -> str:
        """That a play is less likely to keep to limits than was asked; empty: it is not.

        Args:
            ventures: how many such plays there are, with this one.

        >>> text = Reasons([1.0], 0.5, likely={"heat": 0.4}, mean={"heat": 0.92}).said_of_limits(2)
        >>> "it keeps to that on heat with probability 0.4, and all plays with 0.92 on average" in text
        True
        """
        if self.mean is None or self.likely is None:
            return ""
        each = [
            f"it keeps to that on {name} with probability {numeral(self.likely[name], 2)}, and all plays with "
            f"{numeral(mean, 3)} on average"
            for name, mean in self.mean.items()
        ]
        return (
            f" In place of the play within limits that was to follow, to learn more, it may break one: "
            f"{'; '.join(each)} (such plays: {ventures})."
        )
