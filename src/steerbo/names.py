"""Names in messages: which there are, and which was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MOST = 30  # names that a message lists
_SEARCHED = 1000  # names among which a mistyped one is looked for
_LONGEST = 200  # characters of what is looked for


def one_of(names: Iterable[str], given: object) -> str:
    """The clause "one of a, b, c", with a guess at what was meant.

    >>> one_of(["temperature", "ph"], "temprature")
    "one of temperature, ph (did you mean 'temperature'?)"
    """
    known = list(names)
    close = guess(known, given)
    meant = f" (did you mean {close!r}?)" if close else ""
    listed = ", ".join(known[:_MOST]) + (f" and {len(known) - _MOST} more" * (len(known) > _MOST))
    return f"one of {listed or 'nothing'}{meant}"


def guess(names: Iterable[str], given: object) -> str:
    """Which of the names was probably meant; empty where none is near, or it is one of them."""
    if not isinstance(given, str) or len(given) > _LONGEST:
        return ""
    known = list(islice(names, _SEARCHED))
    close = [name for name in known if name.casefold() == given.casefold()] or get_close_matches(given, known, n=1)
    return close[0] if close and close[0] != given else ""
