"""What models the outcomes of an arm."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..errors import InvalidOption
from ..gp import Averaged, Constant, DriftModel, GPRegression, Kernel, Linear, Matern32, Matern52
from ..records import record
from ..space import Space

_LINEAR = 0.1  # variance of the linear part to begin with
LIKELY_NOISE = 1.0  # of standardised outcomes: what is neither set nor seen varies, and its effect is noise


@record
class ModelOptions:
    """How every arm is modelled.

    Args:
        kernel: ``"matern-5/2"`` or ``"matern-3/2"``, plus a linear kernel over the columns that are numbers.
        warp: whether inputs are bent by a learned Kumaraswamy warp.
        transform: ``"yeo-johnson"`` for skewed outcomes.
        beta: β of `μ + sqrt(β) σ`.
        initial: plays of each arm at random actions before its model counts; None: one more than it has columns.
    """

    kernel: Literal["matern-5/2", "matern-3/2"] = "matern-5/2"
    warp: bool = False
    transform: Literal["yeo-johnson"] | None = None
    beta: float = 4.0
    initial: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 <= self.beta < np.inf:
            raise InvalidOption("beta", self.beta, "a finite number not below 0")
        if self.initial is not None and self.initial < 1:
            raise InvalidOption("initial", self.initial, "a whole number from 1, or none")

    def model(self, space: Space | None, course: DriftModel | None, seed: int | None = None) -> ArmModel:
        """An empty model over these variables (None: over none), and over the time where there is a course.

        `seed` is that of draws of its hyperparameters; None: there are none.
        """
        return arm_model(space, self, course, seed)


ArmModel = GPRegression[Kernel]
Posterior = GPRegression[Kernel] | Averaged[Kernel]
"""A model as a choice sees it, with one draw of its hyperparameters; or averaged over all draws, as an answer does."""


def numbers_of(space: Space | None) -> list[int]:
    """The columns that are numbers, no categories."""
    return [] if space is None else np.flatnonzero(~space.categorical).tolist()


def kernel_of(space: Space | None, options: ModelOptions) -> Kernel:
    """Covariances of outcomes over these variables; None: over none."""
    if space is None:
        return Constant()
    matern, numbers = _matern(options).over(space.categorical), numbers_of(space)
    return matern + Linear(numbers, variance=_LINEAR) if numbers else matern


def _matern(options: ModelOptions) -> type[Matern32 | Matern52]:
    return Matern32 if options.kernel == "matern-3/2" else Matern52


def arm_model(
    space: Space | None, options: ModelOptions, course: DriftModel | None = None, seed: int | None = None
) -> ArmModel:
    """An empty model over these variables (None: over none), and over the time after them where there is a course."""
    kernel, warped = kernel_of(space, options), numbers_of(space) if options.warp else ()
    if course is not None:
        kernel = course.over(kernel, 0 if space is None else space.dimension)
    transform = None if space is None else options.transform
    return GPRegression(kernel, warp=warped, transform=transform, likely_noise=LIKELY_NOISE, seed=seed)
