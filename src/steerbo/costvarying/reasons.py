"""What the log keeps of a choice of `cheap-first`, and how that is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core import Suggestion, numeral
from ..records import record


@record
class Moving:
    """What was weighed before something hard to change was moved, or left where it was.

    Args:
        stay: the best expected value where nothing is moved, in the user's units.
        move: what the move that is most worth it is expected to give.
        price: what the change alone would cost.
        better: by how much a play there is expected to be better than staying: the mean of what is above it.
        needed: by how much it would have to be.
        plays: how many plays still to come that is held against, as far as drift lets them count.
    """

    stay: float
    move: float
    price: float
    better: float
    needed: float
    plays: float

    def said(self, asked: Suggestion) -> str:
        """Why a suggestion stays, or moves.

        >>> from steerbo.core import Scope
        >>> asked = Suggestion("t", 7, Scope(["speed"], keep=["oven"]), {"oven": 150.0, "speed": 0.3})
        >>> print(Moving(7.5, 7.4, 5.0, 0.02, 0.1, 40).said(asked))
        It moves nothing that is hard to change: that would cost 5, and a play there is expected to be better by 0.02; \
over the 40 plays still to come it would have to be 0.1.
        """
        better, needed = numeral(self.better, 3), numeral(self.needed, 3)
        held = f"over the {self.plays:.0f} plays still to come it would have to be {needed}."
        if asked.change_cost:
            paid = numeral(asked.change_cost, 4)
            return f"It pays {paid} to move: a play there is expected to be better by {better}; {held}"
        price = numeral(self.price, 4)
        return (
            f"It moves nothing that is hard to change: that would cost {price}, and a play there is expected to be "
            f"better by {better}; {held}"
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
