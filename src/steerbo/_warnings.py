"""Warnings, which name the line of the program that called the library."""

from __future__ import annotations

import sys
import warnings


def warn(warning: Warning) -> None:
    """Warn at the nearest line of a caller outside the library.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     warn(UserWarning("far off"))
    >>> [str(each.message) for each in caught]
    ['far off']
    """
    frame, level = sys._getframe(1), 2
    while (back := frame.f_back) is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame, level = back, level + 1
    warnings.warn(warning, stacklevel=level)


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]
