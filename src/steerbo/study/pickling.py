"""Pickles of what is steerbo's own and of nothing else: nobody would see that the code of others has changed."""

from __future__ import annotations

import io
import pickle
from typing import Any

LARGEST = 2**28
"""Bytes of one: the posterior of a few thousand outcomes."""
_OURS = ("steerbo", "numpy", "builtins", "fractions", "collections", "datetime")


class Bounded(io.BytesIO):
    """Bytes that are not too many."""

    def write(self, data: Any, /) -> int:
        """More of them.

        Raises:
            ValueError: they would be too many.
        """
        if self.tell() + memoryview(data).nbytes > LARGEST:
            raise ValueError(f"it would have more than {LARGEST} bytes")
        return super().write(data)


class OwnPickler(pickle.Pickler):
    """Refuses what is not ours: nobody would see that its code has changed."""

    def reducer_override(self, thing: Any) -> Any:
        """Leave all to `pickle` but classes of others.

        Raises:
            PicklingError: there is one.
        """
        if isinstance(thing, type) and not _is_ours(thing.__module__):
            raise pickle.PicklingError(f"{thing.__module__}.{thing.__qualname__} is not steerbo's own")
        return NotImplemented


class OwnUnpickler(pickle.Unpickler):
    """Finds nothing but what is ours."""

    def find_class(self, module: str, name: str) -> Any:
        """What is ours, by its name.

        Raises:
            UnpicklingError: it is not.
        """
        if not _is_ours(module):
            raise pickle.UnpicklingError(f"{module}.{name} is not steerbo's own")
        return super().find_class(module, name)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in _OURS
