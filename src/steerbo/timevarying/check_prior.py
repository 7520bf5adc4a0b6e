"""Whether a prior fits a domain: tables of its size, functions that answer, kernels that are covariances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import InvalidInput, InvalidProblem, one_of
from ..wording import counted
from .kernels import Covariance, check_covariance, spatial
from .priors import Bumps, Prior

_TRIED = 64  # points


def check_prior(
    prior: Prior, points: Float[np.ndarray, "n d"], finite: bool, categories: Sequence[tuple[Any, ...] | None]
) -> None:
    """Refuse a prior that does not fit.

    Args:
        prior: one candidate.
        points: all points of a finite domain, else some to try functions on.
        finite: which of both.
        categories: (d,) of each coordinate that is a number of one; None of others.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.
    """
    have = len(points) if finite else "infinitely many"
    if isinstance(prior.kernel, Covariance):
        if not finite or len(prior.kernel.matrix) != len(points):
            raise InvalidProblem("kernel.matrix", len(prior.kernel.matrix), f"one row a point, and there are {have}")
    else:
        few = points[:_TRIED]
        K = _called(
            "kernel",
            spatial(prior.kernel, [known is not None for known in categories]),
            (few, few),
            (len(few), len(few)),
        )
        check_covariance("kernel", K)
    if isinstance(prior.mean, tuple):
        if not finite or len(prior.mean) != len(points):
            raise InvalidProblem("mean", len(prior.mean), f"one number a point, and there are {have}")
    elif isinstance(prior.mean, Bumps):
        if len(prior.mean.centres[0]) != points.shape[1]:
            allowed = f"{counted(points.shape[1], 'coordinate')} each"
            raise InvalidProblem("mean.centres", prior.mean.centres[0], allowed)
        for centre in prior.mean.centres:
            for x, known in zip(centre, categories, strict=True):
                _check_coordinate(x, known)
    elif callable(prior.mean):
        _called("mean", prior.mean, (points,), (len(points),))


def _check_coordinate(x: float | str, names: Sequence[Any] | None) -> None:
    """Refuse the coordinate of a hill that is no number where there are no categories, or none of these."""
    if names is None and isinstance(x, str):
        raise InvalidProblem("mean.centres", x, "a number: this coordinate is no category")
    if names is not None and x not in (range(len(names)) if not isinstance(x, str) else names):
        raise InvalidProblem("mean.centres", x, f"{one_of(names, x)}, or a number from 0 to {len(names) - 1}")


def _called(field: str, function: Any, arguments: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> np.ndarray:
    try:
        found = np.asarray(function(*arguments), dtype=np.float64)
    except InvalidInput:
        raise
    except Exception as error:
        width = arguments[0].shape[1]
        raise InvalidProblem(field, function, f"a function of points (n, {width})", f"It failed ({error}).") from None
    if found.shape != shape or not np.isfinite(found).all():
        got = found.shape if found.shape != shape else "values that are not finite"
        raise InvalidProblem(field, got, f"an array of finite numbers of shape {shape}")
    return found
