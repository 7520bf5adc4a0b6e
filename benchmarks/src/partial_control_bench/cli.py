"""`pcb`: list, data, run, check, page; core and enter; simple and coverage."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from . import checking, core, core_table, data, page
from .entrants import BUILT_IN
from .errors import BenchError
from .fresh import coverage, simple
from .fresh.noise import NOISES
from .fresh.registration import refuse_unregistered
from .measured import fetch as measured
from .problem import WINGS, Problem, Seeds
from .record import Result, read, schema
from .registry import contender, problem, problems
from .running import Job, play_missing

app = typer.Typer(
    help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)
OUT = Path("runs.jsonl")


@app.command("list")
def list_(
    what: Annotated[
        str, typer.Argument(help="a wing, such as causal; or the name of a problem; default: all")
    ] = "",
) -> None:
    """What is played, and who can be named to play it."""
    if what and what not in WINGS:
        return _describe(what)
    for wing in (what,) if what else WINGS:
        print(f"{wing}\n  problems")
        for each in (p for p in problems().values() if p.wing == wing):
            missing = "" if data.there(each.data) else "; its data are not at hand (pcb data)"
            print(f"    {each.name:24} {each.title}{missing}")
        print("  entrants")
        print("    " + ", ".join(name for name, built in BUILT_IN.items() if wing in built.wings))
        print("    or yours: FILE.py:Class, module:Class")
    return None


def _describe(name: str) -> None:
    about = problem(name)
    money = "" if about.budget.money is None else f", {about.budget.money:g} of money"
    print(
        f"{about.name} (version {about.version}, {about.wing}): {about.title}\nfrom {about.source}"
    )
    print(
        f"budget: at most {about.budget.rounds} rounds{money}; regret is kept at {_numbers(about.budget.marks)}"
    )
    print(
        f"seeds: {_range(about.seeds.reported)} to report; others, such as {_range(about.seeds.tuning)}, to tune on"
    )
    print(f"a seed moves {about.seed_moves}; data: {', '.join(about.data) or 'none'}")
    if data.there(about.data):
        print("an entrant is told:")
        for key, value in about.make(about.seeds.tuning.start).known.items():
            print(f"  {key}: {repr(value)[:300]}")


def _numbers(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _range(values: range) -> str:
    return f"{values.start} to {values.stop - 1}"


@app.command("data")
def data_(
    fetch: Annotated[
        Path | None,
        typer.Option(help="put the tables of the problems `real-…` into this folder: from the net"),
    ] = None,
) -> None:
    """Which files problems need, their checksums, and whether they are at hand."""
    if fetch is not None:
        for path in measured.fetch(fetch):
            print(f"wrote {path}")
        print(f"next: export {data.VARIABLE}={fetch}")
        return
    users = {file: [p.name for p in problems().values() if file in p.data] for file in data.SUMS}
    print(f"{data.VARIABLE} names the folder that holds them; it is {data.folder() or 'not set'}.")
    for file, digest in data.SUMS.items():
        state = "there" if data.path_of(file) else "not there"
        print(f"{file}: {state}\n  SHA-256 {digest}\n  for {', '.join(users[file]) or 'nothing'}")


@app.command("schema")
def schema_() -> None:
    """The JSON Schema of a line of results."""
    print(json.dumps(schema(), indent=1))


@app.command("run")
def run_(
    entrant: Annotated[
        str, typer.Argument(help="a name of `pcb list`, or FILE.py:Class, or module:Class")
    ],
    problem_name: Annotated[str, typer.Argument(metavar="PROBLEM", help="a name of `pcb list`")],
    seeds: Annotated[
        str, typer.Option(help="such as 1000-1019 or 3,7; default: the first ten that are reported")
    ] = "",
    option: Annotated[
        list[str] | None, typer.Option(help="of the entrant, such as confidence=2; again for more")
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(help="end after so many rounds (or so much money): of slow entrants"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="how many processes play at once")] = 1,
    executor: Annotated[
        str | None, typer.Option(help="dask://HOST:PORT plays on a cluster")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="where results go; runs that it has are not played again")
    ] = OUT,
) -> None:
    """Play an entrant on a problem; stopped and called again, it goes on where it was."""
    about, who = problem(problem_name), contender(entrant, _options(option or []))
    _plays(entrant, about)
    who.load()
    wanted = [Job(who, about.name, seed, until) for seed in _seeds(seeds, about.seeds)]
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    played = 0
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task(f"{who.name} on {about.name}", total=len(wanted))
        try:
            for result, left in play_missing(wanted, out, executor, jobs):
                played += 1
                progress.update(bar, completed=len(wanted) - left)
                if not console.is_terminal:
                    print(
                        f"seed {result.seed}: {_ended(result)}; {left} to go",
                        file=sys.stderr,
                        flush=True,
                    )
        except KeyboardInterrupt:
            progress.stop()
            print(
                f"stopped; {out} has what was played, and the same command goes on from there",
                file=sys.stderr,
            )
            raise typer.Exit(130) from None
    print(
        f"{len(wanted)} runs are in {out}: {played} played now, {len(wanted) - played} were there"
    )
    print(f"next: pcb check {out}; pcb page {out}")


def _ended(result: Result) -> str:
    simple, summed = result.last("simple"), result.last("cumulative")
    parts = (("best so far", simple), ("summed", summed))
    return "regret " + ", ".join(
        f"{name} {value:.4g}" for name, value in parts if value is not None
    )


def _options(given: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise BenchError(f"--option {each!r}: must be NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def _plays(entrant: str, about: Problem) -> None:
    built = BUILT_IN.get(entrant)
    if built is not None and about.wing not in built.wings:
        these = ", ".join(built.wings)
        raise BenchError(
            f"{entrant}: plays {these} problems; {about.name} is {about.wing} (`pcb list {about.wing}`)"
        )


def _seeds(given: str, split: Seeds) -> list[int]:
    return _numbers_of("--seeds", given) if given else list(split.reported[:10])


def _numbers_of(option: str, given: str) -> list[int]:
    found: list[int] = []
    for part in given.split(","):
        first, dash, last = part.strip().partition("-")
        if (
            not first.isdigit()
            or (dash and not last.isdigit())
            or (dash and int(last) < int(first))
        ):
            raise BenchError(
                f"{option} {given!r}: must be whole numbers and ranges of them, such as 1000-1019,1050"
            )
        found += range(int(first), int(last or first) + 1)
    return list(dict.fromkeys(found))


_ALIKE = {
    True: "the same",
    False: "NOT the same",
    None: "not played: nobody here has this name; if it is yours, say where it is, --entrant FILE.py:Class",
}


@app.command("check")
def check_(
    file: Annotated[Path, typer.Argument(help="of results")],
    again: Annotated[
        int, typer.Option(min=0, help="play so many of them again, drawn at random")
    ] = 0,
    entrant: Annotated[
        list[str] | None,
        typer.Option(help="where yours is, FILE.py:Class, for --again; again for more"),
    ] = None,
) -> None:
    """Whether a file can be believed; ends with 1 where it cannot."""
    found = checking.check(file)
    for (name, who, split), count in sorted(found.runs.items()):
        print(f"{name}: {who}, {count} {'run' if count == 1 else 'runs'} on {split} seeds")
    for complaint in found.complaints:
        print(complaint, file=sys.stderr)
    bad = len(found.complaints)
    for name, alike in checking.again(file, again, entrant or ()) if again else ():
        print(f"again: {name}: {_ALIKE[alike]}")
        bad += alike is False
    print("all is well" if not bad else "1 fault" if bad == 1 else f"{bad} faults")
    if not bad and not again:
        print("no run was played again: whether seeds and figures are true, --again 3 says")
    if bad:
        raise typer.Exit(1)


@app.command("page")
def page_(
    files: Annotated[list[Path], typer.Argument(help="of results")],
    out: Annotated[Path, typer.Option(help="a folder")] = Path("page"),
    title: Annotated[str, typer.Option(help="of the page")] = "Results",
) -> None:
    """Tables and pictures of results: index.md, PNGs and runs.csv."""
    results = [result for file in files for result in read(file)]
    if not results:
        raise BenchError(f"{', '.join(map(str, files))}: no results are in there")
    print(f"wrote {page.write(results, out, title)}")


@app.command("coverage")
def coverage_(
    registration: Annotated[
        str, typer.Option(help="the whole commit id that draws the functions, or a word")
    ] = "tuning",
    functions: Annotated[
        str, typer.Option(help="which, such as 0-19 or 3,7; default: 0-19")
    ] = "0-19",
    noise: Annotated[
        str, typer.Option(help=f"some of {', '.join(NOISES)}, with commas; default: all")
    ] = "",
    horizons: Annotated[
        str, typer.Option(help="rounds after which answers are looked at")
    ] = "10,20,40,80",
    method: Annotated[str, typer.Option(help="of steerbo; default: its default")] = "",
    wing: Annotated[str, typer.Option(help=f"one of {', '.join(coverage.WINGS)}")] = coverage.WINGS[
        0
    ],
    jobs: Annotated[int, typer.Option(min=1, help="how many processes play at once")] = 1,
    out: Annotated[
        Path, typer.Option(help="where lines go; runs that it has are not played again")
    ] = Path("coverage.jsonl"),
    against: Annotated[
        Path | None,
        typer.Option(help="a file of another version, whose runs are paired with these"),
    ] = None,
) -> None:
    """How often bounds of the recommended value cover the truth; PYTHONPATH says which steerbo plays."""
    refuse_unregistered(registration)
    kinds = [each.strip() for each in noise.split(",")] if noise else list(NOISES)
    for kind in kinds:
        if kind not in NOISES:
            raise BenchError(f"--noise {kind!r}: must be some of {', '.join(NOISES)}")
    if wing not in coverage.WINGS:
        raise BenchError(f"--wing {wing!r}: must be one of {', '.join(coverage.WINGS)}")
    marks = tuple(sorted(_numbers_of("--horizons", horizons)))
    runs = [
        coverage.Run(registration, index, kind, marks, method or None, wing)
        for index in _numbers_of("--functions", functions)
        for kind in kinds
    ]
    for line in coverage.play_missing(runs, out, jobs):
        print(f"{line['key']}: {line['seconds']:.1f} s", file=sys.stderr, flush=True)
    wanted = {run.key for run in runs}
    lines = [line for line in coverage.read(out) if line["key"] in wanted]
    print(coverage.table(lines))
    if against is not None:
        print("\n" + coverage.compared(coverage.read(against), lines))


@app.command("simple")
def simple_(
    registration: Annotated[
        str, typer.Option(help="the whole commit id that draws the problems, or a word")
    ] = "tuning",
    problems_: Annotated[
        str, typer.Option("--problems", help="how many, from the first; or which, such as 0-5,9")
    ] = "12",
    seeds: Annotated[
        int, typer.Option(min=2, help="draws of noise and nature for each problem")
    ] = 4,
    entrants: Annotated[str, typer.Option(help="who plays, with commas; names of `pcb list`")] = "",
    option: Annotated[
        list[str] | None, typer.Option(help="of the default, such as beta=1; again for more")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="how many processes play at once")] = 1,
    out: Annotated[
        Path, typer.Option(help="where lines go; runs that it has are not played again")
    ] = Path("simple.jsonl"),
) -> None:
    """Simple rules beside the default on problems drawn afresh: equal money, the same noise and nature."""
    refuse_unregistered(registration)
    which = range(int(problems_)) if problems_.isdigit() else _numbers_of("--problems", problems_)
    names = (
        [each.strip() for each in entrants.split(",")]
        if entrants
        else [simple.DEFAULT, *simple.RULES]
    )
    for name in names:
        if name != simple.DEFAULT:
            contender(name)
    runs = [
        simple.Run(
            registration,
            index,
            draws,
            name,
            _options(option or []) if name == simple.DEFAULT else {},
        )
        for index in which
        for draws in range(seeds)
        for name in names
    ]
    for line in coverage.play_missing(runs, out, jobs):
        print(
            f"{line['key']}: play {line['play']:.3f}, answer {line['answer']:.3f}",
            file=sys.stderr,
            flush=True,
        )
    wanted = {run.key for run in runs}
    print(
        simple.table([line for line in coverage.read(out) if line["key"] in wanted], runs[0].label)
    )


@app.command("core")
def core_(
    registration: Annotated[
        str,
        typer.Option(
            help="the whole commit id that draws the seeds; it must be an ancestor of HEAD; or a word"
        ),
    ] = "tuning",
    seeds: Annotated[int, typer.Option(min=1, help="of every problem")] = core.WANTED,
    entrants: Annotated[
        str, typer.Option(help="who plays, with commas; NAME=3 plays three seeds alone")
    ] = "",
    minutes: Annotated[
        float | None, typer.Option(help="end after so many minutes; called again, it goes on")
    ] = None,
    again: Annotated[
        int, typer.Option(min=0, help="play so many of what is there again, and nothing new")
    ] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="how many processes play at once")] = 1,
    out: Annotated[
        Path, typer.Option(help="where runs go; those that it has are not played again")
    ] = Path("evidence/runs/core.jsonl"),
) -> None:
    """The frozen core: fifteen problems, our defaults, simple rules and peers; prints the table."""
    refuse_unregistered(registration)
    if again:
        _core_again(out, again)
        return
    many = {}
    for each in entrants.split(",") if entrants else core.ENTRANTS:
        name, _, count = each.strip().partition("=")
        many[name] = int(count) if count.isdigit() else seeds
    whom = [contender(name) for name in many]
    _play_core(list(core.jobs(registration, whom, many)), out, jobs, minutes)
    shown = {*many, core.OURS, core_table.CHANCE}  # against which the others are held
    print(core_table.report([r for r in read(out) if r.entrant in shown], registration))


def _play_core(
    wanted: list[core.CoreJob], out: Path, processes: int, minutes: float | None = None
) -> None:
    until = None if minutes is None else time.monotonic() + 60 * minutes
    for result, left in play_missing(wanted, out, None, processes):
        print(
            f"{result.entrant} on {result.problem}: {result.cpu_seconds} s; {left} to go",
            file=sys.stderr,
            flush=True,
        )
        if until is not None and time.monotonic() > until:
            print(f"time is up, {left} runs are missing; the same command goes on", file=sys.stderr)
            break


def _core_again(out: Path, count: int) -> None:
    bad = 0
    for name, alike in core.again(list(read(out)), count):
        bad += not alike
        print(f"again: {name}: {_ALIKE[alike]}", flush=True)
    print(f"{count - bad} of {count} agree")
    if bad:
        raise typer.Exit(1)


@app.command("enter")
def enter_(
    place: Annotated[
        str, typer.Argument(metavar="FILE.py[:Class]", help="your method, in one file")
    ],
    seeds: Annotated[int, typer.Option(min=1, help="of every problem")] = 3,
    whole: Annotated[
        bool, typer.Option("--whole", help="all of the core, in place of a small part")
    ] = False,
    wings: Annotated[
        str, typer.Option(help=f"some of {', '.join(WINGS)}, with commas, if yours plays no others")
    ] = "",
    registration: Annotated[str, typer.Option(help="a whole commit id, or a word")] = "tuning",
    jobs: Annotated[int, typer.Option(min=1, help="how many processes play at once")] = 1,
    out: Annotated[
        Path, typer.Option(help="where runs go; those that it has are not played again")
    ] = Path("entered.jsonl"),
) -> None:
    """Your method beside ours and two peers on a part of the core: under five minutes, if yours is quick."""
    refuse_unregistered(registration)
    whom = [core.entrant_of(place), *(contender(name) for name in (core.OURS, "random", "sweep"))]
    many = {who.name: seeds for who in whom}
    some = tuple(wing.strip() for wing in wings.split(",")) if wings else WINGS
    for wing in some:
        if wing not in WINGS:
            raise BenchError(f"--wings {wing!r}: must be some of {', '.join(WINGS)}, with commas")
    wanted = list(core.jobs(registration, whom, many, small=not whole, wings=some))
    _play_core(wanted, out, jobs)
    keys = {job.key for job in wanted}
    print(core_table.report([r for r in read(out) if r.key in keys], registration))


def main() -> None:
    """The command; what is not allowed is said in a line, and ends with 2."""
    try:
        app(standalone_mode=True)
    except BenchError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
