"""One worker, killed at random moments: what it acknowledged is there, and the events are those of a quiet run."""

from __future__ import annotations

import os
import random
import select
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steerbo.core import Suggestion
from steerbo.study import MemoryLog, Study
from steerbo.testing import Case
from steerbo.testing.case import values_of
from tests.causal import worlds as causal
from tests.core.stub import stub_case
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.timevarying import cases as timevarying

WINGS: dict[str, tuple[Case, int]] = {
    "cost-varying": (costvarying.case("explore-then-commit"), 24),
    "time-varying": (timevarying.case("prior-elimination"), 24),
    "causal": (causal.staged("coca-bo", initial=2), 12),
    "mean-field": (meanfield.case("mf-gp-ucb"), 12),
    "stub in stages": (stub_case(), 40),
}
"""A world, its method with learned hyperparameters where it has any, and rounds."""


def world(case: Case) -> Callable[[Suggestion], Any]:
    """An objective that answers the same for the same round."""

    def measure(suggestion: Suggestion) -> Any:
        return {"context": case.seen(suggestion)} if suggestion.observe else case.outcome(suggestion)

    return measure


def in_child(work: Callable[[], None]) -> int:
    """A forked process, ready at once; its number."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    return child


def _one_life(place: str, name: str, case: Case, acknowledged: Path, opened: int, runs: bool) -> None:
    measure = world(case)
    with Study.open(place, case.problem, name=name, lease=30.0) as study:
        os.write(opened, b"o")
        file = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        if runs:
            study.run(_noting(measure, file))
            return
        while (suggestion := study.ask()) is not None:
            while suggestion.observe:
                suggestion = study.decide(suggestion, measure(suggestion)["context"])
            study.tell(suggestion, **measure(suggestion))
            os.write(file, f"{suggestion.token}\n".encode())


def _noting(measure: Callable[[Suggestion], Any], file: int) -> Callable[[Suggestion], Any]:
    """The same objective; as the next round is measured, the last one was acknowledged: its token is noted."""
    last = ""

    def noting(suggestion: Suggestion) -> Any:
        nonlocal last
        if last and suggestion.token != last:
            os.write(file, f"{last}\n".encode())
        last = suggestion.token
        return measure(suggestion)

    return noting


def kill_often(
    place: str, wing: str, folder: Path, kills: int, seconds: float, rounds: int | None = None, seed: int = 7
) -> dict[str, Any]:
    """Studies in `place` of the wing's usual number of rounds, or of `rounds`, killed `kills` times altogether.

    Every other worker plays by `run`, the others by `ask` and `tell`.

    Raises:
        AssertionError: an outcome was lost, a round is stuck, or an event differs from the quiet run's.
    """
    case, usual = WINGS[wing]
    if case.warns is not None:
        warnings.simplefilter("ignore", case.warns)
    begin: dict[str, Any] = {"method": case.method, "options": case.options}
    rounds = rounds or usual
    chance, done, studies, lost, stuck, differing = random.Random(seed), 0, 0, 0, 0, 0
    end = time.monotonic() + seconds
    while done < kills and time.monotonic() < end:
        name = f"{wing} {seed} {studies}"
        quiet = Study.create(MemoryLog(), case.problem, rounds=rounds, seed=seed + studies, **begin)
        quiet.run(world(case))
        expected = quiet.events[0], values_of(quiet.events[1:])
        acknowledged = folder / f"{name}.acknowledged"
        Study.create(place, case.problem, name=name, rounds=rounds, seed=seed + studies, **begin).close()
        finished = False
        while not finished:
            hear, say = os.pipe()
            runs = chance.random() < 0.5
            child = in_child(lambda: _one_life(place, name, case, acknowledged, say, runs))  # noqa: B023
            os.close(say)
            wait = chance.uniform(0, 0.05)
            if chance.random() < 0.7 or done >= kills:
                select.select([hear], [], [], 60)
                wait = chance.uniform(0, 0.08) if done < kills else 60.0
            before = time.monotonic()
            while time.monotonic() - before < wait and not finished:
                gone, code = os.waitpid(child, os.WNOHANG)
                if gone:
                    assert code == 0, f"a worker of {name} ended with {code}"
                    finished = True
                time.sleep(0.001)
            if not finished:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                done += 1
            os.close(hear)
        with Study.open(place, case.problem, name=name) as study:
            found = study.events[0], values_of(study.events[1:])
            told = {r.suggestion.token for r in study.history if r.state == "told"}
            lost += len(set(acknowledged.read_text().split() if acknowledged.exists() else ()) - told)
            stuck += len(study.pending) + (rounds - study.status.rounds)
            differing += found != expected
        studies += 1
    assert (lost, stuck, differing) == (0, 0, 0), (wing, lost, stuck, differing)
    size = {"wing": wing, "seed": seed, "kills": done, "studies": studies, "rounds of each": rounds}
    return {**size, "lost": lost, "stuck": stuck, "differing": differing}
