"""Options of cheap-first, and how it models outcomes."""

from __future__ import annotations

import math

from ..errors import InvalidOption
from ..gp import AnovaKernel, Constant, DriftModel, GPRegression, Kernel
from ..records import record
from ..space import Space
from .arm_model import LIKELY_NOISE, ArmModel


@record
class CheapOptions:
    """Options of cheap-first.

    Args:
        beta: β of `μ + sqrt(β) σ`.
        patience: κ, how much of what a play may teach a cheap scope is given.
        alike: scopes whose prices differ by no more than this factor count as equally cheap. 1: only equal prices do.
        initial: plays of each model at random actions before it counts; None: twice one more than it has columns.
    """

    beta: float = 4.0
    patience: float = 1.0
    alike: float = 1.0
    initial: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field in ("beta", "patience"):
            if not 0 <= getattr(self, field) < math.inf:
                raise InvalidOption(field, getattr(self, field), "a finite number not below 0")
        if not 1 <= self.alike < math.inf:
            raise InvalidOption("alike", self.alike, "a finite number from 1 on")
        if self.initial is not None and self.initial < 1:
            raise InvalidOption("initial", self.initial, "a whole number from 1, or none")

    def model(self, space: Space | None, course: DriftModel | None, seed: int | None = None) -> ArmModel:
        """An empty model over these variables (None: over none), and over the time where there is a course."""
        kernel: Kernel = Constant() if space is None else AnovaKernel.over(space.categorical)
        if course is not None:
            kernel = course.over(kernel, 0 if space is None else space.dimension)
        return GPRegression(kernel, likely_noise=LIKELY_NOISE, seed=seed)
