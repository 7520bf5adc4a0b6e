"""What was wanted of limits, and what came, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .comparing import CLOSE, Pair, Run, against, as_registered, listed, no_worse, of_arm, truly, truly_best
from .worlds import PROBABILITY, World

NOW, THIRD = 6, 4
"""The first seeds of the fourth and of the third registration; versions before played the others."""
LATE = 20
"""Plays after which outcome limits are to hold."""
ARMS = {"steerbo": "in each play", "average": "on average"}
"""Ours, and how outcome limits are meant."""
_SEEDS = 2
"""Of each registration."""
_WANTED = 7
"""Worlds of ten on which ours is to be no worse."""


def late(run: Run) -> list[int]:
    """Of every outcome limit and every play from the 21st on: whether it was kept to."""
    return [int(kept) for row in run["kept"][LATE:] for kept in row]


def share(runs: Sequence[Run]) -> tuple[float, int, float]:
    """How often outcome limits were kept to late in these runs, of how many, and the least that chance allows."""
    kept = [each for run in runs for each in late(run)]
    return sum(kept) / max(len(kept), 1), len(kept), least(len(kept))


def least(n: int) -> float:
    """The least share that chance allows of so many plays."""
    return PROBABILITY - 2.0 * math.sqrt(PROBABILITY * (1 - PROBABILITY) / max(n, 1))


def verdict(runs: Sequence[Run], known: Sequence[World]) -> str:
    """What was wanted of the version that there is, and of that before, and what came."""
    now, third = [run for run in runs if run["seed"] >= NOW], [run for run in runs if THIRD <= run["seed"] < NOW]
    before = share([*of_arm([run for run in runs if run["seed"] < NOW], "steerbo").values()])[0]
    broken, plays = _broken(runs)
    rows = [
        ("no suggestion breaks a linear limit", "holds" if not broken else "does not hold",
         f"{broken or 'none'} of {plays}"),
    ]  # fmt: skip
    for arm, meant in ARMS.items():
        found, n, fewest = share([*of_arm(now, arm).values()])
        earlier = f"; versions before {before:.3f}" if arm == "steerbo" else ""
        words = f"{meant}: outcome limits are kept to from the {LATE + 1}st on in at least {PROBABILITY:g} of plays"
        numbers = f"{found:.3f} of {n}; {fewest:.3f} is within two deviations of chance{earlier}"
        rows.append((words, _holds(n > 0, found >= fewest), numbers))
    for arm, meant in ARMS.items():
        words = f"{meant}: answers are no worse than BoTorch's best that truly keeps"
        rows.append((f"{words} {_by(known)}", *_compared(now, known, truly_best, arm)))
    held, numbers = _compared(third, known, as_registered, "steerbo")
    beside = against(third, known, truly)
    numbers += f". Where an answer that truly breaks a limit is none: no worse on {no_worse(beside)}; {listed(beside)}"
    rows.append((f"third registration, the version before: no worse than BoTorch's {_by(known)}", held, numbers))
    return as_claims(rows)


def _by(known: Sequence[World]) -> str:
    return f"by more than {CLOSE:g} deviations on {_WANTED} of {len(known)} problems"


def _compared(
    runs: Sequence[Run], known: Sequence[World], rule: Callable[[World, Sequence[Pair]], float], arm: str
) -> tuple[str, str]:
    """Whether ours is no worse on as many worlds as were wanted, and by how much on which."""
    gaps, played = against(runs, known, rule, arm), of_arm(runs, arm).keys() & of_arm(runs, "botorch").keys()
    good, whole = no_worse(gaps), [name for name in gaps if sum(at == name for at, _ in played) == _SEEDS]
    sure = no_worse({name: gaps[name] for name in whole})  # what is not played may turn it yet
    decided = sure >= _WANTED or len(whole) - sure > len(known) - _WANTED
    in_part = f" ({len(gaps) - len(whole)} in part)" if len(whole) < len(gaps) else ""
    numbers = f"no worse on {good} of the {len(gaps)} that both have played{in_part}; ours is worse by: {listed(gaps)}"
    return _holds(decided, sure >= _WANTED), numbers


def _holds(known: bool, holds: bool) -> str:
    return "open" if not known else "holds" if holds else "does not hold"


def _broken(runs: Sequence[Run]) -> tuple[int, int]:
    """How many plays of ours broke a linear limit, of how many."""
    ours = [run for run in runs if run["arm"] in ARMS]
    return sum(run["linear"] for run in ours), sum(len(run["kept"]) for run in ours)


def as_claims(rows: Sequence[tuple[str, str, str]]) -> str:
    """Claims, whether they hold, and numbers, as Markdown."""
    lines = ["| claim, in our words | | numbers |", "| --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {words} | **{verdict}** | {numbers} |" for words, verdict, numbers in rows)]) + "\n"
