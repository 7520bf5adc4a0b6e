"""Commands for scopes, policies and predictions: `steerbo scopes`, `steerbo policy` and `steerbo predict`.

`scopes` lists the scopes of a causal graph that are worth playing, with reasons for the others.
`policy` applies the learned policy to given context values; nothing is logged by it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .._redaction import to_type
from .._wording import counted
from ..causal import CausalGraph
from ..causal.graphs.graph import claims, doubts
from ..causal.identification.enumeration import found_scopes
from ..causal.identification.reasons import candidates, why_dropped
from ..causal.prices import in_words, price_of, varies
from ..core import Scope, finding
from ..errors import InvalidContext, InvalidInput, InvalidProblem, InvalidRequest
from ..plots.causal import draw_scopes
from .app import answer, echo, group, print_json
from .arguments import (
    AsJson,
    Declaring,
    Given,
    Place,
    cases,
    explain_credentials,
    open_study,
    pairs,
    request,
)
from .instructions import todo_by_policy
from .usage import number

commands = group()

_WORTH = " that may be worth their cost, the cheapest first"
READ = (
    "A file with the graph: lines such as 'soil pH -> yield', 'x <-> y', 'target: yield', 'intervenable: x, soil pH' "
    "and 'latent: u'; or dagitty, GML (.gml) or DOT (.dot, .gv; needs the extra graphs) with the same roles."
)


@commands.command()
def scopes(
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help=READ, show_default=False)],
    *,
    target: Annotated[
        str | None, typer.Option(help="The variable to optimise, if the file names none.")
    ] = None,
    intervenable: Annotated[
        list[str] | None,
        typer.Option(help="A variable that can be set, if the file names none; repeatable."),
    ] = None,
    contexts: Annotated[
        list[str] | None,
        typer.Option(help="A variable that can be observed; repeatable; default: all others."),
    ] = None,
    mode: Annotated[
        str, typer.Option(help="The scopes to keep: pruned, published or joint.")
    ] = "pruned",
    price: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PRICE",
            help="The price of setting or observing a variable: a number or a formula.",
        ),
    ] = None,
    base: Annotated[
        float,
        typer.Option(
            parser=number("--base"),
            metavar="NUMBER",
            help="What every round costs besides these prices.",
        ),
    ] = 0.0,
    why: Annotated[
        bool, typer.Option(help="Print the reason why each other scope was dropped.")
    ] = True,
    draw: Annotated[
        Path | None, typer.Option(help="Draw the graph for every scope into this folder (PNG).")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document to standard output.")
    ] = False,
) -> None:
    """Print the scopes of a causal graph that can be optimal."""
    if graph.suffix == ".toml":
        hint = "Of a study file give the file that its field `graph` names; `steerbo check` describes the study."
        raise InvalidProblem("graph", str(graph), "a file with a graph, and no study file", hint)
    said = {"target": target, "intervenable": intervenable, "contexts": contexts}
    roles: dict[str, Any] = {role: names for role, names in said.items() if names}
    known = CausalGraph.from_file(graph, **roles)
    prices = pairs(None, "price", price, InvalidContext)
    kept, complete = found_scopes(known, mode, prices=prices or None)  # type: ignore[arg-type]
    words, kept = _priced(kept, prices, base) if prices else ({}, kept)
    dropped = [
        (scope, fault)
        for scope in (candidates(known) if complete and not price else ())
        if scope not in kept and (fault := why_dropped(known, scope, mode))  # type: ignore[arg-type]
    ]
    pictures = draw_scopes(known, kept, draw) if draw is not None else []
    if as_json:
        answer = {
            "mode": mode,
            "complete": complete,
            "scopes": [scope.to_dict() for scope in kept],
            "dropped": [
                {"scope": s.to_dict(), "rule": f.rule, "reason": f.reason} for s, f in dropped
            ],
            "pictures": [str(path) for path in pictures],
        }
        echo(json.dumps(answer, indent=2))
        return
    words = {scope: f"; {text}" for scope, text in words.items()}
    _say(known, kept, words, dropped if why else [])
    if not complete:
        echo(f"\n{finding('scopes-left').text}")
    for path in pictures:
        echo(f"drew {path}")


def _say(
    known: CausalGraph,
    kept: Sequence[Scope],
    prices: Mapping[Scope, str],
    dropped: Sequence[tuple[Scope, Any]],
) -> None:
    """Roles, scopes with their prices, and why others are not worth trying."""
    can = [", ".join(names or ()) or "nothing" for names in (known.intervenable, known.contexts)]
    echo(f"target {known.target}; can be set: {can[0]}; can be looked at: {can[1]}")
    echo(f"the graph claims: {claims(known)}")
    if doubt := doubts(known):
        echo(f"doubt: {doubt}")
    echo(
        f"\n{counted(len(kept), 'scope' if prices else 'possibly-optimal scope')}{_WORTH * bool(prices)}:"
    )
    for scope in kept:
        echo(f"  set {scope}{prices.get(scope, '')}")
    if dropped:
        echo("\nnot worth trying:")
        for scope, fault in dropped:
            echo(f"  set {scope}\n    rule {fault.rule}: {fault.reason}")


def _priced(
    kept: Sequence[Scope], prices: Mapping[str, Any], base: float
) -> tuple[dict[Scope, str], tuple[Scope, ...]]:
    """Sentence on prices, and the scopes with their prices, cheapest first."""
    varying = {name: price for name, price in prices.items() if varies(price)}
    numbers = {name: price for name, price in prices.items() if name not in varying}
    fixed = {scope: price_of(scope, numbers, base) for scope in kept}
    ordered = sorted(kept, key=lambda scope: fixed[scope])
    priced = (
        replace(s, price=None if varying.keys() & {*s.set, *s.contexts} else fixed[s])
        for s in ordered
    )
    return {scope: in_words(scope, fixed[scope], varying) for scope in kept}, tuple(priced)


_CONTEXTS = "Observations of many cases: a JSON list, or a JSON or CSV file with a column for every variable."


@commands.command(cls=Declaring)
def policy(
    study: Place,
    *,
    context: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An observation; repeatable.", show_default=False),
    ] = None,
    contexts: Annotated[str | None, typer.Option(help=_CONTEXTS)] = None,
    given: Given = None,
    as_json: AsJson = False,
) -> None:
    """Print the learned policy's settings for given observations. Nothing is logged."""
    with open_study(study, tolerated="any") as going:
        asked = request(going.problem, given)
        if contexts is None:
            step = going.policy(pairs(going.problem, "context", context, InvalidContext), **asked)
            answer(as_json, step.to_dict(), todo_by_policy(going, step, to_type(study)))
            explain_credentials(study)
            return
        if context:
            raise InvalidContext("contexts", contexts, "either --context or --contexts")
        steps = []
        for number, case in enumerate(cases(going.problem, contexts), start=1):
            try:
                steps.append(going.policy(case, **asked))
            except InvalidInput as error:
                raise error.within(f"contexts, case {number}") from None
        if as_json:
            print_json([step.to_dict() for step in steps])
        else:
            for step in steps:
                echo(str(step))
            if not steps:
                echo("no cases, so there is nothing to set")


_TABLE = (
    "Settings of many rounds: a JSON list, or a JSON or CSV file with a column for every variable, "
    "also for those that are seen."
)


@commands.command(cls=Declaring)
def predict(
    study: Place,
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="A setting; repeatable.", show_default=False),
    ] = None,
    *,
    context: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A value seen; repeatable.", show_default=False),
    ] = None,
    table: Annotated[str | None, typer.Option(help=_TABLE)] = None,
    given: Given = None,
    as_json: AsJson = False,
) -> None:
    """Predict the objective at settings of your own. Nothing is logged."""
    with open_study(study, tolerated="any") as going:
        asked = request(going.problem, given)
        asked["context"] = pairs(going.problem, "context", context, InvalidContext)
        if table is None:
            prediction = going.predict(
                pairs(going.problem, "values", settings, InvalidRequest), **asked
            )
            answer(as_json, prediction.to_dict(), str(prediction))
            explain_credentials(study)
            return
        if settings:
            raise InvalidRequest("table", table, "either NAME=VALUE or --table")
        predictions = []
        # the names of a table's columns are its first line
        first = 2 if table.strip().lower().endswith((".csv", ".xlsx")) else 1
        for number, row in enumerate(cases(going.problem, table, "table"), start=first):
            try:
                predictions += going.predict([row], **asked)
            except InvalidInput as error:
                raise error.within(f"table, line {number}") from None
        if as_json:
            print_json([each.to_dict() for each in predictions])
        else:
            for each in predictions:
                echo(str(each))
