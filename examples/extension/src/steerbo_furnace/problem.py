"""What: one temperature, which moves slowly."""

from __future__ import annotations

from typing import Literal

from steerbo.extending import (
    Float,
    History,
    InvalidProblem,
    Number,
    Positive,
    Problem,
    Space,
    record,
)


@record
class Furnace(Problem):
    """A furnace whose temperature changes by at most so much from one round to the next.

    Args:
        temperature: what is set.
        largest_step: by how much at most, in its unit.
        start: where it stands before the first round.
        minimize: whether smaller values are better.
    """

    temperature: Float
    largest_step: Positive
    start: Number
    minimize: bool = False
    kind: Literal["furnace"] = "furnace"

    def __post_init__(self) -> None:
        """Check where it starts."""
        low, high = self.temperature.low, self.temperature.high
        if not low <= self.start <= high:
            raise InvalidProblem("start", self.start, f"a temperature from {low:g} to {high:g}")

    @property
    def space(self) -> Space:
        """The temperature alone."""
        return Space((self.temperature,))

    def describe(self) -> tuple[tuple[str, str], ...]:
        """What `steerbo check` says beside the variable."""
        return (
            (
                "limit",
                f"at most {self.largest_step:g} from one round to the next, starting at {self.start:g}",
            ),
        )

    def reach(self, history: History) -> tuple[float, float]:
        """The lowest and the highest temperature of the next round."""
        last = history.latest
        now = last.suggestion.values[self.temperature.name] if last else self.start
        return max(self.temperature.low, now - self.largest_step), min(
            self.temperature.high, now + self.largest_step
        )
