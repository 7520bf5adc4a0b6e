"""What models the outcomes of an arm."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..errors import InvalidOption
from ..gp import Constant, Kernel, Linear, Matern32, Matern52, Regression
from ..record import record
from ..space import Space

_LIKELY_NOISE = 1.0  # of standardised outcomes: what is neither set nor seen varies, and its effect is noise


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


ArmModel = Regression[Kernel]


def arm_model(space: Space | None, options: ModelOptions) -> ArmModel:
    """An empty model over these variables; None: over none."""
    if space is None:
        return Regression(Constant(), likely_noise=_LIKELY_NOISE)
    categorical = space.categorical
    numbers = np.flatnonzero(~categorical).tolist()
    matern = (Matern32 if options.kernel == "matern-3/2" else Matern52).over(categorical)
    kernel: Kernel = matern + Linear(numbers, variance=0.1) if numbers else matern
    warped = numbers if options.warp else ()
    return Regression(kernel, warp=warped, transform=options.transform, likely_noise=_LIKELY_NOISE)
