"""Runs that are kept, one JSON line each: an experiment can be stopped, taken up again, and given more seeds later."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

from partial_control_bench.kept import made_plain, text_of, there

Job = TypeVar("Job")
HOME = Path("docs/results")


def finished(file: Path) -> dict[str, dict[str, Any]]:
    """Runs that are done, by their `key`."""
    lines = text_of(file).splitlines() if there(file) else []
    return {run["key"]: run for run in map(json.loads, lines)}


def line(run: Mapping[str, Any]) -> str:
    """A run as JSON without blanks, its numbers to nine digits: more than any page shows.

    >>> line({"key": "a/1", "regret": 0.1 + 0.2})
    '{"key":"a/1","regret":0.3}'
    """
    return json.dumps(_short(run), separators=(",", ":"), ensure_ascii=False)


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _short(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [_short(of) for of in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def keep(file: Path, run: Mapping[str, Any]) -> None:
    """Add a run at the end."""
    with made_plain(file).open("a", encoding="utf-8") as out:
        out.write(line(run) + "\n")


def play_missing(
    jobs: Mapping[str, Job], play: Callable[[Job], dict[str, Any]], file: Path, processes: int
) -> Iterator[dict[str, Any]]:
    """Play what is not done yet, in order, and yield each run once it is kept.

    Args:
        jobs: by key.
        play: from a job to its run, a dictionary with the job's key under "key".
        file: where runs are kept.
        processes: how many play at once.
    """
    known = finished(file)
    missing = [job for key, job in jobs.items() if key not in known]
    with ProcessPoolExecutor(processes) as pool:
        for done in as_completed([pool.submit(play, job) for job in missing]):
            keep(file, run := done.result())
            yield run


def arguments(what: str | None, kept: str) -> argparse.ArgumentParser:
    """What every program that plays can be told: where runs are kept, and how many play at once.

    Args:
        what: it does, for `--help`.
        kept: the file's name in `docs/results`.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--runs", type=Path, default=HOME / kept, help=f"where they are kept; default: {HOME / kept}")
    parser.add_argument("--processes", type=int, default=1, help="how many play at once")
    return parser


def command(
    what: str | None,
    kept: str,
    jobs: Iterable[Sequence[Any]],
    play: Callable[[Any], dict[str, Any]],
    section: Callable[[Path], str] | None = None,
    *,
    between: str = "/",
) -> None:
    """A program that plays what is missing and prints its tables.

    Args:
        what: it does, for `--help`.
        kept: the file's name in `docs/results`.
        jobs: each a few words and numbers, which are its key.
        play: as for `play_missing`.
        section: the tables of what is kept in a file; default: each run is printed once it is kept.
        between: what stands between words and numbers of a key.
    """
    given = arguments(what, kept).parse_args()
    for run in play_missing({between.join(map(str, job)): job for job in jobs}, play, given.runs, given.processes):
        if section is None:
            print(run["key"], flush=True)
    if section is not None:
        print(section(given.runs))


def page(what: str | None, write: Callable[[Path], str | None]) -> None:
    """A program that makes of the runs in a folder pictures beside them, and prints tables.

    Args:
        what: it does, for `--help`.
        write: from the folder to what is printed.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--folder", type=Path, default=HOME, help=f"of runs and pictures; default: {HOME}")
    print(write(parser.parse_args().folder) or "")


def as_csv(table: str, file: Path) -> None:
    """A Markdown table as CSV: for a table that is too long for a page."""
    head, _, *body = table.strip().splitlines()
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerows([cell.strip() for cell in each.strip("|").split("|")] for each in (head, *body))


def fill(page: Path, name: str, text: str) -> None:
    """Put a text between `<!-- NAME -->` and `<!-- /NAME -->` of a page; nothing where there is no such page."""
    if page.exists():
        before, _, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        page.write_text(f"{before}<!-- {name} -->\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def main() -> None:
    """Write files anew, as short as they would be if they were written now."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runs", description=main.__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    for file in parser.parse_args().files:
        told = [json.loads(each) for each in text_of(made_plain(file)).splitlines()]
        file.write_text("".join(line(run) + "\n" for run in told), encoding="utf-8")


if __name__ == "__main__":
    main()
