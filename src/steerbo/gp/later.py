"""What a regression expects at a point by the outcomes that it has now, computed when somebody wants to know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from .conditioned import Conditioned
from .factor import REBUILD
from .process import GaussianProcess
from .regression import Regression
from .transforms import Output


@dataclass(eq=False)
class Later:
    """A prediction of an outcome that is put off. It is the same to the last bit, whoever asks for it, and when.

    Args:
        given: what the model knows. It may grow meanwhile; its outcomes must not be revised.
        rows: how much of that it knew when this began.
        point: (1, d), bent.
        process: the model's beliefs.
        output: the model's units.

    Attributes:
        found: mean, and deviation with noise, in the model's units of outcomes; None: nobody has asked.
    """

    given: Conditioned[Any] | None
    rows: int
    point: Float[np.ndarray, "1 d"]
    process: GaussianProcess[Any]
    output: Output
    found: tuple[float, float] | None = None

    @classmethod
    def of(cls, model: Regression[Any], x: Float[np.ndarray, " d"]) -> Later:
        """What a model expects at x (d,)."""
        process, given = model.process, model._given
        return cls(given, len(given), process.warp(model._read(x[None])), process, model.output)

    @property
    def worth(self) -> bool:
        """Whether it saves anything: nobody has asked for the factor, and who does begins it anew no more than once."""
        given = self.given
        return given is not None and given._factor is None and len(given) - given._built < REBUILD

    def settle(self, whole: Conditioned[Any]) -> None:
        """Compute it from what the model knows, where no more of that is factorised than was known."""
        n = self.rows
        then = Conditioned(whole.kernel, whole.points[:n], whole.residuals[:n], whole.noise[:n], whole.grown(n))
        mean, variance = then.marginals(self.point)
        expected, deviation = self.output.moments(self.process.mean + mean[0], np.sqrt(variance))
        spread = np.hypot(deviation[0], self.output.scale * np.sqrt(self.process.noise))
        self.found, self.given = (float(expected[0]), float(spread)), None


def settle(some: Iterable[Later]) -> None:
    """Compute predictions that were put off: a factor for each model as it was, which grows from one to the next.

    >>> from steerbo.gp import Regression, SquaredExponentialKernel
    >>> model = Regression(SquaredExponentialKernel([0.3]), noise=0.25)
    >>> later = Later.of(model, np.array([0.2]))
    >>> model.add([0.2], 5.0)
    >>> settle([later])
    >>> later.found
    (0.0, 1.118033988749895)
    """
    models: dict[int, list[Later]] = {}
    for each in some:
        if each.given is not None:
            models.setdefault(id(each.given), []).append(each)
    for together in models.values():
        together.sort(key=lambda later: later.rows)
        given, least = together[0].given, together[0].rows
        assert given is not None
        whole = given if _factorised(given) <= least else _afresh(given)
        for later in together:
            if later.given is not None:  # it may be there twice
                later.settle(whole)


def _factorised(given: Conditioned[Any]) -> int:
    """How many rows are factorised, or will be at once when somebody asks."""
    return given._built if given._factor is None else len(given._factor)


def _afresh(given: Conditioned[Any]) -> Conditioned[Any]:
    """The same rows, come in the same steps, of which none are factorised."""
    n = given._begun
    again = Conditioned(given.kernel, given.points[:n], given.residuals[:n], given.noise[:n])
    again.append(given.points[n:], given.residuals[n:], given.noise[n:])
    return again
