"""What candidate priors have in common: kernels, drifts and noise that are computed with once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from .kernels import Covariance, spatial
from .priors import Prior


def sharing(priors: Sequence[Prior]) -> tuple[list[Prior], Int[np.ndarray, " P"]]:
    """One prior of each set that has kernel, drift and noise in common, and which set each prior is in."""
    found: list[Prior] = []
    group = []
    for prior in priors:
        for g, other in enumerate(found):
            same = prior.kernel is other.kernel or prior.kernel == other.kernel
            if prior.noise == other.noise and prior.drift == other.drift and same:
                group.append(g)
                break
        else:
            group.append(len(found))
            found.append(prior)
    return found, np.array(group)


def covariance_between(
    kernel: Any, points: Float[np.ndarray, "X d"], categorical: Sequence[bool]
) -> Float[np.ndarray, "X X"]:
    """A kernel's covariances between all points, (X, X), symmetric."""
    K = np.array(kernel.matrix) if isinstance(kernel, Covariance) else spatial(kernel, categorical)(points, points)
    return (K + K.T) / 2


def scale_only(means: Float[np.ndarray, "P X"], tables: Sequence[np.ndarray], drifts: Sequence[Any]) -> bool:
    """Whether priors differ in output scale and in nothing else."""
    if len(tables) < 2 or np.ptp(means, axis=0).max() > 0 or any(drift != drifts[0] for drift in drifts):
        return False
    shapes = [K / np.diag(K).mean() for K in tables]
    scales = [float(np.diag(K).mean()) for K in tables]
    return all(np.allclose(shape, shapes[0], atol=1e-9) for shape in shapes) and max(scales) > min(scales) * (1 + 1e-9)
