"""What goes wrong, for people: every message says what was found, what is allowed, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BenchError(ValueError):
    """Something given to the benchmark is not allowed, or not there."""


def unknown(what: str, name: str, known: Iterable[str]) -> BenchError:
    """That there is no such thing, and which one may have been meant.

    >>> str(unknown("problem", "swam", ["swarm", "arena"]))
    "problem 'swam': there is none of this name; did you mean 'swarm'? `pcb list` lists all"
    """
    near = get_close_matches(name, list(known), n=1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    return BenchError(f"{what} {name!r}: there is none of this name{meant} `pcb list` lists all")
