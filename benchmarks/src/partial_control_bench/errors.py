"""What goes wrong, for people: every message says what was found, what is allowed, and what to do."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path


class BenchError(ValueError):
    """Something given to the benchmark is not allowed, or not there."""


def unknown(what: str, name: str, known: Iterable[str]) -> BenchError:
    """That there is no such thing, and which one may have been meant.

    >>> str(unknown("problem", "swam", ["swarm", "arena"]))
    "problem 'swam': there is none of this name; did you mean 'swarm'? `pcb list` lists all"
    """
    near = get_close_matches(name, list(known), n=1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    yours = ", and yours is named FILE.py:Class" if what == "entrant" else ""
    return BenchError(
        f"{what} {name!r}: there is none of this name{meant} `pcb list` lists all{yours}"
    )


def told(error: Exception, file: str | None = None) -> str:
    """What somebody else's code raised, in a line, and where: the last place in `file`, if it was there at all.

    >>> told(KeyError("x"))
    "KeyError: 'x'"
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or frames
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{where}"


@contextmanager
def blamed(what: str, file: str | None = None) -> Iterator[None]:
    """Whatever is raised inside is an entrant's fault, and said in a line.

    Raises:
        BenchError: something was raised.
    """
    try:
        yield
    except BenchError:
        raise
    except Exception as error:
        raise BenchError(f"{what}: {told(error, file)}") from error
