"""Many runs: what is missing is played, and each is written as a line as soon as it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .errors import BenchError
from .kept import made_plain, there
from .playing import run
from .problem import Problem
from .record import Key, Result, lines, parse, plain
from .registry import Contender, problem

DASK = "dask://"


class Playable(Protocol):
    """A run that is wanted: its key, and its result as a line, in whichever process."""

    @property
    def key(self) -> Key:
        """What tells runs apart."""

    def play(self) -> str:
        """Play."""


@dataclass(frozen=True)
class Job:
    """One run that is wanted; `until` is where it ends, if that is before the problem's budget is spent."""

    contender: Contender
    problem: str
    seed: int
    until: float | None = None

    @property
    def about(self) -> Problem:
        """What is played."""
        return problem(self.problem).until(self.until)

    @property
    def key(self) -> Key:
        """As a result's."""
        about = self.about
        return Result.key_of(
            self.problem, about.version, self.contender.name, plain(self.contender.options), self.seed,
            about.budget.rounds, about.budget.money,
        )  # fmt: skip

    def play(self) -> str:
        """Its result as a line; in whichever process."""
        who = self.contender
        return run(self.about, who.name, who.load(), self.seed, who.options, who.packages).line()


def done(file: Path) -> set[Key]:
    """Keys of what a file has, which is made plain; a last line that was cut off is cut away, and its run played anew.

    Raises:
        BenchError: another line is no result.
    """
    if not there(file):
        return set()
    made_plain(file)
    return {parse(line, f"{file}, line {number}").key for number, line in lines(file)}


def play_missing(
    jobs: Iterable[Playable], file: Path, executor: str | None = None, processes: int = 1
) -> Iterator[tuple[Result, int]]:
    """Play what a file lacks; yields each result once it is in the file, and how many are still to come.

    Args:
        jobs: what is wanted.
        file: JSON lines; it need not exist.
        executor: "dask://host:port" of a Dask scheduler; None: processes here.
        processes: how many, where they are here.

    Raises:
        BenchError: an entrant cannot be found, or answers what is no answer; what was done is in
            the file.
    """
    known = done(file)
    missing = [job for job in jobs if job.key not in known]
    file.parent.mkdir(parents=True, exist_ok=True)
    left = len(missing)
    with file.open("a", encoding="utf-8") as out:
        for line in _lines(missing, executor, processes):
            out.write(line + "\n")
            out.flush()
            left -= 1
            yield parse(line, str(file)), left


def _lines(missing: list[Playable], executor: str | None, processes: int) -> Iterator[str]:
    if executor is None and processes == 1:
        yield from (job.play() for job in missing)
        return
    with _executor(executor, processes) as pool:
        futures = [pool.submit(job.play) for job in missing]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise BenchError(
                "a process that played was ended from outside, or ran out of memory; call again"
            ) from None
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _executor(address: str | None, processes: int) -> Iterator[Executor]:
    if address is None:
        with ProcessPoolExecutor(processes) as pool:
            yield pool
        return
    if not address.startswith(DASK):
        raise BenchError(
            f"executor {address!r}: must be {DASK}host:port, or be left out for processes of this machine"
        )
    try:
        from distributed import Client  # optional: only clusters need it
    except ImportError:
        raise BenchError(
            f"executor {address!r}: needs Dask; pip install 'partial-control-bench[dask]'"
        ) from None
    try:
        client = Client(address.removeprefix(DASK), timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        raise BenchError(
            f"executor {address!r}: there is no scheduler that answers ({error})"
        ) from None
    with client:
        yield client.get_executor()
