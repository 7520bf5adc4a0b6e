"""Studies whose experiments are people: new, ask, decide, tell, fail, abandon, amend, import, show and the like.

STUDY is a study file, whose log is the SQLite file beside it, or a log itself: an SQLite file or a database URL.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidContext, InvalidOption, InvalidOutcome, InvalidStudy, one_of

if TYPE_CHECKING:
    from ..optimizer import Suggestion
    from ..study import Study

Place = Annotated[str, typer.Argument(metavar="STUDY", help="The study file, or its log.", show_default=False)]
Token = Annotated[str, typer.Argument(help="The suggestion's token.", show_default=False)]
Value = Annotated[str, typer.Argument(help="A number; JSON where it takes more than one.", show_default=False)]
Cost = Annotated[float | None, typer.Option(help="What it cost.")]
Realised = Annotated[list[str] | None, typer.Option(help="What really happened: NAME=VALUE, as often as needed.")]
Reason = Annotated[str, typer.Option(help="Why, for the record.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document to standard output.")]
NEGATIVE = {"ignore_unknown_options": True}  # -1.5 is a value, not an option


def add_to(main: typer.Typer) -> None:
    """Add the commands."""
    for command in (new, ask, decide, fail, abandon, show, export, report, serve, doctor):
        main.command()(command)
    main.command(context_settings=NEGATIVE)(tell)
    main.command(context_settings=NEGATIVE)(amend)
    main.command("import")(import_)


def open_study(place: str) -> Study:
    """The study, for people."""
    from ..study import BY_HAND, DatabaseLog, Study, read_study, resume

    if not place.endswith(".toml"):
        return Study.open(place, holder=BY_HAND)
    specification = read_study(place)
    if not specification.log.exists():
        raise InvalidStudy("log", str(specification.log), "a study's log", f"`steerbo new {place}` makes one.")
    return resume(specification, DatabaseLog(specification.log), _Errors(), holder=BY_HAND)


class _Errors:
    """Warnings go to standard error."""

    def began(self, suggestion: Any) -> None:
        """Nothing."""

    def ended(self, study: Any) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """One line."""
        typer.echo(message, err=True)


def new(
    study: Annotated[Path, typer.Argument(metavar="STUDY.TOML", help="The study file.", show_default=False)],
    log: Annotated[
        str | None, typer.Option(help="An SQLite file or a database URL; default: STUDY.db beside the study file.")
    ] = None,
) -> None:
    """Begin a study that is played by hand."""
    from ..study import Study, read_study

    s = read_study(study)
    settings = s.settings
    limits = {"budget": settings.budget, "rounds": settings.rounds, "seed": settings.seed, "options": settings.options}
    with Study.create(log or s.log, s.problem, settings.method, **limits) as begun:  # type: ignore[arg-type]
        typer.echo(f"begun: {begun.log.place}. Next: steerbo ask {log or study}")


def ask(
    study: Place,
    *,
    batch: Annotated[int, typer.Option(min=1, help="So many suggestions at once.")] = 1,
    csv: Annotated[bool, typer.Option("--csv", help="As a table to fill in, for `steerbo import`.")] = False,
    time: Annotated[float | None, typer.Option(help="What time it is, in a time-varying study.")] = None,
    available: Annotated[str | None, typer.Option(help="What can be chosen now, as JSON.")] = None,
    current: Annotated[str | None, typer.Option(help="The present distribution, as JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say what to set next, and what to look at first."""
    from ..record import to_plain
    from ..study.table import read_value, suggestions_csv
    from .report import print_json

    given = {"time": time, "available": available, "current": current}
    request = {k: read_value(v) if isinstance(v, str) else v for k, v in given.items() if v is not None}
    with open_study(study) as going:
        before = going.pending
        suggestions = going.ask(batch, **request)
        if as_json:
            print_json([to_plain(suggestion) for suggestion in suggestions])
        elif csv:
            typer.echo(suggestions_csv(going.problem, suggestions), nl=False)
        else:
            for suggestion in suggestions:
                typer.echo(_todo(going, suggestion, study))
        others = [s.token for s in before if s.token not in {new.token for new in suggestions}]
        if others:
            typer.echo(f"still out: {', '.join(others)}", err=True)
        if len(suggestions) < batch:
            typer.echo(f"no more suggestions: {going.status}", err=True)


def _todo(study: Study, suggestion: Suggestion, place: str) -> str:
    from ..study.progress import scope_text

    def setting(name: str, value: Any) -> str:
        unit = getattr(study.problem.space[name], "unit", "") if name in study.problem.space else ""
        number = f"{value:.6g}" if isinstance(value, float) else str(value)
        return f"  set {name} = {number} {unit}".rstrip()

    lines = [f"round {suggestion.round}, token {suggestion.token}: steer {scope_text(suggestion.scope)}"]
    lines += [setting(name, value) for name, value in suggestion.values.items()]
    if suggestion.observe:
        looks = " ".join(f"--context {name}=…" for name in suggestion.observe)
        lines += [f"  look at {', '.join(suggestion.observe)}, then"]
        lines += [f"  steerbo decide {place} {suggestion.token} {looks}"]
    else:
        nature = study.problem.unmeasured(suggestion)
        measured = "".join(f" --realised {name}=…" for name in nature)
        if study.history.budget is not None and study.problem.price(suggestion) is None:
            measured += " --cost …"
        lines += [f"  then steerbo tell {place} {suggestion.token} VALUE{measured}"]
    return "\n".join(lines)


def decide(
    study: Place,
    token: Token,
    context: Annotated[list[str] | None, typer.Option(help="What was seen: NAME=VALUE, as often as needed.")] = None,
) -> None:
    """Give what was looked at; says what to set, and what to look at next."""
    with open_study(study) as going:
        seen = _pairs(going, "context", context, InvalidContext)
        typer.echo(_todo(going, going.decide(token, seen), study))


def tell(study: Place, token: Token, value: Value, cost: Cost = None, realised: Realised = None) -> None:
    """Give the outcome of a suggestion."""
    from ..study.table import read_value

    with open_study(study) as going:
        going.tell(token, read_value(value), cost=cost, realised=_pairs(going, "realised", realised, InvalidOutcome))
        typer.echo(str(going.status))


def fail(study: Place, token: Token, reason: Reason = "", cost: Cost = None, realised: Realised = None) -> None:
    """The evaluation broke: its point and cost count, a value there is none."""
    with open_study(study) as going:
        going.fail(token, reason, cost=cost, realised=_pairs(going, "realised", realised, InvalidOutcome))
        typer.echo(str(going.status))


def abandon(study: Place, token: Token, reason: Reason = "") -> None:
    """Nobody evaluates it any more; an outcome that comes all the same is used."""
    with open_study(study) as going:
        going.abandon(token, reason)
        typer.echo(str(going.status))


def amend(
    study: Place,
    token: Token,
    value: Annotated[str | None, typer.Argument(help="The right value.", show_default=False)] = None,
    *,
    cost: Cost = None,
    realised: Realised = None,
    void: Annotated[bool, typer.Option("--void", help="There is no outcome to learn from after all.")] = False,
    reason: Reason = "",
) -> None:
    """Correct or void an outcome; the log keeps the old one."""
    from ..study.table import read_value

    with open_study(study) as going:
        right = None if value is None else read_value(value)
        measured = _pairs(going, "realised", realised, InvalidOutcome) or None
        going.amend(token, right, cost=cost, realised=measured, void=void, reason=reason)
        typer.echo(str(going.status))


def import_(
    study: Place, results: Annotated[Path, typer.Argument(metavar="RESULTS.CSV", help="The table.", show_default=False)]
) -> None:
    """Take outcomes from a table, line by line; each is taken, or refused and why. Exit code 2: some were refused."""
    from ..study.table import import_csv

    try:
        text = results.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOutcome("results", str(results), "a table in CSV that can be read", f"({error})") from None
    with open_study(study) as going:
        lines = import_csv(going, text)
    for line in lines:
        typer.echo(str(line))
    refused = sum(not line.taken for line in lines)
    typer.echo(f"{len(lines) - refused} taken, {refused} refused", err=True)
    if refused:
        raise typer.Exit(2)


def show(study: Place, as_json: AsJson = False) -> None:
    """Show the rounds, the recommendation, and why."""
    from ..record import to_plain
    from ..study.page import rounds_table
    from .report import console, print_answers, rich_table

    with open_study(study) as going:
        rows = rounds_table(going)
        if as_json:
            plain = to_plain(rows)
            print_answers(going, True, {"rounds": [dict(zip(rows.columns, r, strict=True)) for r in plain["rows"]]})
            return
        console().print(rich_table(rows))
        print_answers(going, False, {})


def export(
    study: Place, kind: Annotated[str, typer.Option("--format", help="csv: the rounds; jsonl: the events.")] = "csv"
) -> None:
    """Write the rounds as CSV, or every event as JSON lines, to standard output."""
    from ..study.table import events_jsonl, rounds_csv

    if kind not in ("csv", "jsonl"):
        raise InvalidOption("format", kind, one_of(("csv", "jsonl"), kind))
    with open_study(study) as going:
        typer.echo(rounds_csv(going.problem, going.history) if kind == "csv" else events_jsonl(going), nl=False)


def report(
    study: Place, out: Annotated[Path | None, typer.Option(help="The file; default: STUDY.html.")] = None
) -> None:
    """Write the study as one HTML page that needs no network."""
    from ..study.page import page

    file = out or (Path(study).with_suffix(".html") if "://" not in study else Path("study.html"))
    with open_study(study) as going:
        text = page(going, file.stem)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidOption("out", str(file), "a file that can be written", f"({error.strerror})") from None
    typer.echo(str(file))


def serve(
    study: Place,
    host: Annotated[str, typer.Option(help="Address to listen at; the default is this machine only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8000,
) -> None:
    """Show the same page live. Nothing can be written through it."""
    from ..study.page import page
    from ..study.serve import server

    def render() -> str:
        with open_study(study) as going:
            return page(going, Path(study).stem, every=10)

    render()
    with server(render, host, port) as listening:
        typer.echo(f"http://{host}:{listening.server_address[1]}/  (Ctrl-C ends it)", err=True)
        listening.serve_forever()


def doctor(
    study: Place,
    repair: Annotated[
        bool, typer.Option("--repair", help="Keep the events that are whole; the damaged file stays beside.")
    ] = False,
) -> None:
    """Verify every checksum of a log, and repair it on request. Exit code 1: it is damaged."""
    from ..study import doctor as medicine

    place = str(Path(study).with_suffix(".db")) if study.endswith(".toml") else study
    found = medicine.repair(place) if repair else medicine.examine(place)
    typer.echo(str(found))
    if found.complaint and not found.repaired:
        typer.echo(f"Keep what is whole: steerbo doctor {study} --repair", err=True)
        raise typer.Exit(1)


def _pairs(
    study: Study, field: str, given: list[str] | None, error: type[InvalidOutcome | InvalidContext]
) -> dict[str, Any]:
    """`NAME=VALUE` texts as values by name."""
    from ..study.table import read_cell

    found: dict[str, Any] = {}
    for text in given or []:
        name, sign, value = text.partition("=")
        name = name.strip()
        if not sign or not name or name in found:
            raise error(field, text, "NAME=VALUE, each name once")
        found[name] = read_cell(study.problem, name, value)
    return found
