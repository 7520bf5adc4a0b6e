"""One long session: a study lives through many rounds, corrections, failures, kills, a full disk or restarts.

Nothing that was acknowledged is lost, what is read back is what was lived, and how long each ask took is kept for a
picture.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from steerbo.errors import OutcomeConflict
from steerbo.optim import sobol_points
from steerbo.study import Study
from steerbo.testing import Case
from steerbo.testing.case import changed
from tests.causal import worlds as causal
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.timevarying import cases as timevarying
from tests.torture.crew import work_through
from tests.torture.kills import in_child
from tests.torture.looking_back import looked_back
from tests.torture.server import Server

KINDS: dict[str, Callable[[], Case]] = {
    "cost-varying": lambda: costvarying.case("cheap-first"),
    "time-varying": lambda: timevarying.case("prior-elimination"),
    "causal": lambda: causal.staged("coca-bo", initial=2),
    "mean-field": lambda: meanfield.case("mf-gp-ucb"),
}
"""Studies by their kinds, each with a method that learns."""
QUICK: dict[str, Callable[[], Case]] = {
    "cost-varying at random": lambda: costvarying.case("random"),
    "time-varying": KINDS["time-varying"],
    "causal at random": lambda: causal.staged("random"),
    "mean-field at random": lambda: meanfield.case("random"),
}
"""The same with methods whose choices cost next to nothing, however many outcomes there are."""


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk of its own that can be filled; None where only root may make one, and this is another user."""
    place = folder / "disk"
    place.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(place)]
    try:
        made = os.name == "posix" and subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        made = False
    try:
        yield place if made else None
    finally:
        if made:
            subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)


def _fill(disk: Path, seconds: float) -> None:
    """There is no room left, for so long."""
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
    time.sleep(seconds)
    ballast.unlink()


def _live(place: str, kind: str, notes: Path) -> None:
    """One worker's life: what is written in `notes` was acknowledged."""
    case, chance, mine = (KINDS | QUICK)[kind](), random.Random(os.getpid()), os.getpid()
    if case.warns is not None:
        warnings.simplefilter("ignore", case.warns)
    with Study.open(place, name=kind, say=lambda said: None) as study, notes.open("a", buffering=1) as file:

        def note(call: str, token: str, **more: Any) -> None:
            file.write(json.dumps({"call": call, "token": token, "by": mine, **more}) + "\n")

        while True:
            began = time.perf_counter()
            suggestion = study.ask()
            if suggestion is None:
                return
            took, memory = time.perf_counter() - began, int(Path("/proc/self/statm").read_text().split()[1]) * 4096
            note("ask", suggestion.token, round=suggestion.round, ms=round(1000 * took, 1), mb=memory >> 20)
            while suggestion.observe:
                suggestion = study.decide(suggestion, case.seen(suggestion))
            outcome = case.outcome(suggestion)
            if chance.random() < 0.08:
                study.fail(suggestion, "it broke", cost=1.0)
                note("fail", suggestion.token)
                continue
            study.tell(suggestion, **outcome)
            note("tell", suggestion.token)
            if chance.random() < 0.08:
                with suppress(OutcomeConflict):  # another was quicker
                    study.amend(suggestion, **{**outcome, "value": changed(lambda v: v + 0.01, outcome["value"])})
                    note("amend", suggestion.token)


def lifetime(
    kind: str,
    place: str,
    folder: Path,
    *,
    workers: int,
    rounds: int,
    every: float,
    seconds: float,
    disk: Path | None = None,
    server: Server | None = None,
    pause: float = 3.0,
) -> dict[str, Any]:
    """Play a study of a kind by several workers, one of which is killed every so often and replaced.

    Args:
        kind: of problem.
        place: of the log.
        folder: for notes.
        workers: so many.
        rounds: so many altogether.
        every: seconds between two kills.
        seconds: limit of the whole.
        disk: where the log is, if it is to be full once.
        server: where the log is, if it is to be restarted twice.
        pause: seconds for which the disk stays full, and the server away.

    Raises:
        AssertionError: something that was acknowledged is not there, or what is read back is not what was lived.
    """
    case, notes = (KINDS | QUICK)[kind](), folder / f"{kind}.notes"
    notes.touch()
    sobol_points(1, 1, seed=0)  # what a first choice imports takes as long as some rounds
    Study.create(place, case.problem, case.method, options=case.options, name=kind, rounds=rounds, seed=1).close()
    ahead, due, told = _accidents(rounds, disk, server, pause), time.monotonic() + every, _counted(notes)
    before = 0

    def hire() -> int:
        return in_child(lambda: _live(place, kind, notes))

    def strikes(killed: int) -> bool:
        """Whether a kill is due; on a slow machine not before something was done since the last one."""
        nonlocal due, before
        done = told()
        if ahead and done > ahead[0][0]:
            ahead.pop(0)[1]()
        if time.monotonic() < due or done == before:
            return False
        due, before = time.monotonic() + every, done
        return True

    killed = len(work_through([hire() for _ in range(workers)], hire, strikes=strikes, seconds=seconds))
    found = {"kind": kind, "method": case.method, "workers": workers, "rounds": rounds, "killed": killed}
    found |= {"disk full": int(disk is not None), "restarts": 2 if server is not None else 0}
    return found | looked_back(place, kind, case, notes, rounds)


def _accidents(
    rounds: int, disk: Path | None, server: Server | None, pause: float
) -> list[tuple[float, Callable[[], None]]]:
    """What happens beside kills, and after how many outcomes."""

    def restart() -> None:
        assert server is not None
        server.stop("immediate")
        time.sleep(pause)
        server.start()

    full = [(rounds / 2, lambda: _fill(disk, pause))] if disk is not None else []
    return full + ([(rounds / 4, restart), (rounds / 1.6, restart)] if server is not None else [])


def _counted(notes: Path) -> Callable[[], int]:
    """How many outcomes were acknowledged by now; each look reads what is new."""
    seen, found = 0, 0

    def count() -> int:
        nonlocal seen, found
        with notes.open("rb") as file:
            file.seek(seen)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        seen, found = seen + len(whole), found + whole.count(b'"call": "tell"')
        return found

    return count


def long_sessions(
    folder: Path, server: Server | None, *, kinds: Iterable[str] = KINDS, seconds: float, **size: Any
) -> list[dict[str, Any]]:
    """A study of each kind on SQLite, whose disk is full once, and one on a server that is restarted twice."""
    found = []
    for kind in kinds:
        with small_disk(folder / kind) as disk:
            place = f"{disk or folder / kind}/study.db"
            found.append(lifetime(kind, place, folder / kind, disk=disk, seconds=seconds, **size))
        if server is not None:
            own = folder / f"{kind} on a server"
            own.mkdir()
            found.append(lifetime(kind, server.url, own, server=server, seconds=seconds, **size))
    return found
