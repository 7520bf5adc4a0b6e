"""Whether a prior fits a domain: tables of its size, functions that answer, kernels that are covariances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import InvalidInput, InvalidProblem
from ..words import counted
from .kernels import Covariance, check_covariance, spatial
from .priors import Bumps, Prior

_TRIED = 64  # points


def check_prior(prior: Prior, points: Float[np.ndarray, "n d"], finite: bool, categorical: Sequence[bool]) -> None:
    """Refuse a prior that does not fit.

    Args:
        prior: one candidate.
        points: all points of a finite domain, else some to try functions on.
        finite: which of both.
        categorical: (d,) which coordinates are numbers of categories.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.
    """
    have = len(points) if finite else "infinitely many"
    if isinstance(prior.kernel, Covariance):
        if not finite or len(prior.kernel.matrix) != len(points):
            raise InvalidProblem("kernel.matrix", len(prior.kernel.matrix), f"one row a point, and there are {have}")
    else:
        few = points[:_TRIED]
        K = _called("kernel", spatial(prior.kernel, categorical), (few, few), (len(few), len(few)))
        check_covariance("kernel", K)
    if isinstance(prior.mean, tuple):
        if not finite or len(prior.mean) != len(points):
            raise InvalidProblem("mean", len(prior.mean), f"one number a point, and there are {have}")
    elif isinstance(prior.mean, Bumps) and len(prior.mean.centres[0]) != points.shape[1]:
        allowed = f"{counted(points.shape[1], 'coordinate')} each"
        raise InvalidProblem("mean.centres", prior.mean.centres[0], allowed)
    elif callable(prior.mean):
        _called("mean", prior.mean, (points,), (len(points),))


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
