"""Where things happened, as points of models: each encoded once for as long as its values stay what they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

Encode = Callable[[Mapping[str, Any]], Float[np.ndarray, "1 d"]]
"""Values by variable to a row."""


class Encoded:
    """Points by name, each with the values that it was encoded from: a correction asks for all, and changes one.

    Args:
        encode: the same values always give the same point, to the last bit.

    >>> found = Encoded(lambda values: np.array([[values["ph"] / 14]]))
    >>> found.of("0001", {"ph": 7.0})
    array([0.5])
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, tuple[Mapping[str, Any], Float[np.ndarray, " d"]]] = {}

    def of(self, name: str, values: Mapping[str, Any]) -> Float[np.ndarray, " d"]:
        """The point (d,) of a round's token, or of the name of data, and what is known of it; not to be written to.

        Raises:
            InvalidOutcome: a value is missing, or not one of its variable.
        """
        before = self._known.get(name)
        if before is None or before[0] != values:
            before = self._known[name] = values, self._encode(values)[0]
        return before[1]
