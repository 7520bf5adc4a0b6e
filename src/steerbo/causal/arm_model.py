"""What models the outcomes of an arm."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import numpy as np

from ..errors import InvalidOption
from ..gp import Constant, Course, Kernel, Linear, Matern32, Matern52, Regression, SlantedRegression
from ..record import record
from ..space import Space

_LINEAR = 0.1  # variance of the linear part to begin with
LIKELY_NOISE = 1.0  # of standardised outcomes: what is neither set nor seen varies, and its effect is noise


@record
class ModelOptions:
    """How every arm is modelled.

    Args:
        kernel: ``"matern-5/2"`` or ``"matern-3/2"``, plus a linear kernel over the columns that are numbers.
        slanted: whether what is best may move with what is seen along a line, as a dose with the weight. Slopes are
            learned from 100 outcomes of an arm on, where they are worth it; see `SlantedRegression`. Not where effects
            change with time, nor where observations are checked.
        warp: whether inputs are bent by a learned Kumaraswamy warp.
        transform: ``"yeo-johnson"`` for skewed outcomes.
        observations: ``"checked"``: observations without intervention may be off, by a smooth function that plays find
            out; see `Watching`. ``"trusted"``: they are as good as plays where the graph says so, and exact: slow
            beyond some hundreds.
        beta: β of `μ + sqrt(β) σ`.
        initial: plays of each arm at random actions before its model counts; None: one more than it has columns.
    """

    kernel: Literal["matern-5/2", "matern-3/2"] = "matern-5/2"
    slanted: bool = False
    warp: bool = False
    transform: Literal["yeo-johnson"] | None = None
    observations: Literal["checked", "trusted"] = "trusted"
    beta: float = 4.0
    initial: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 <= self.beta < np.inf:
            raise InvalidOption("beta", self.beta, "a finite number not below 0")
        if self.initial is not None and self.initial < 1:
            raise InvalidOption("initial", self.initial, "a whole number from 1, or none")

    @property
    def checking(self) -> ModelOptions | None:
        """How observations are checked; None: they are trusted."""
        return self if self.observations == "checked" else None

    def model(self, space: Space | None, course: Course | None, actions: Collection[str] = ()) -> ArmModel:
        """An empty model over these variables (None: over none), and over the time where there is a course.

        `actions` are the variables that can be set.
        """
        pairs = slants(space, actions) if self.slanted and course is None else []
        return slanted_model(space, self, pairs) if space is not None and pairs else arm_model(space, self, course)


ArmModel = Regression[Kernel]


def numbers_of(space: Space | None) -> list[int]:
    """The columns that are numbers, no categories."""
    return [] if space is None else np.flatnonzero(~space.categorical).tolist()


def kernel_of(space: Space | None, options: ModelOptions) -> Kernel:
    """Covariances of outcomes over these variables; None: over none."""
    if space is None:
        return Constant()
    matern, numbers = _matern(options).over(space.categorical), numbers_of(space)
    return matern + Linear(numbers, variance=_LINEAR) if numbers else matern


def discrepancy_kernel(space: Space | None, options: ModelOptions) -> Kernel:
    """Covariances of what observations are off by, as a share of a variance of about one."""
    return Constant() if space is None else _matern(options).over(space.categorical)


def _matern(options: ModelOptions) -> type[Matern32 | Matern52]:
    return Matern32 if options.kernel == "matern-3/2" else Matern52


def slants(space: Space | None, actions: Collection[str]) -> list[tuple[int, int]]:
    """Columns of numbers (i, j) where i can be set and j cannot."""
    numbers = numbers_of(space)
    set_there = [] if space is None else [i for i in numbers if space.names[i] in actions]
    return [(i, j) for i in set_there for j in numbers if j not in set_there]


def slanted_model(space: Space, options: ModelOptions, pairs: Sequence[tuple[int, int]]) -> ArmModel:
    """An empty model over these variables in which what is best in one may move with another."""
    numbers = numbers_of(space)
    return SlantedRegression(
        _matern(options).over(space.categorical),
        pairs,
        Linear(numbers, variance=_LINEAR),
        warp=numbers if options.warp else (),
        transform=options.transform,
        likely_noise=LIKELY_NOISE,
    )


def arm_model(space: Space | None, options: ModelOptions, course: Course | None = None) -> ArmModel:
    """An empty model over these variables (None: over none), and over the time after them where there is a course."""
    kernel, warped = kernel_of(space, options), numbers_of(space) if options.warp else ()
    if course is not None:
        kernel = course.over(kernel, 0 if space is None else space.dimension)
    transform = None if space is None else options.transform
    return Regression(kernel, warp=warped, transform=transform, likely_noise=LIKELY_NOISE)
