"""Decision arithmetic runs on one BLAS thread: the same wheels give the same bits, and the log says which wheels."""

from __future__ import annotations

import functools
import platform
from contextlib import AbstractContextManager
from typing import Any

import numpy
import scipy
from threadpoolctl import ThreadpoolController

from .. import __version__


@functools.cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  its own BLAS must be loaded before the controller looks around

    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS uses one thread.

    >>> with one_blas_thread():
    ...     pass
    """
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context


def fingerprint(packages: str = "") -> dict[str, str]:
    """What decides the last bits of a computation: the wheels' versions, the BLAS and its kernel for this processor.

    `packages` are those of others, with their versions.
    """
    blas = sorted(
        f"{library['internal_api']} {library.get('version')} {library.get('architecture')}"
        for library in _controller().info()
        if library["user_api"] == "blas"
    )
    return {
        "steerbo": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "blas": ", ".join(blas),
        **({"packages": packages} if packages else {}),
    }
