"""``steerbo policy``: what was learned, applied to what is seen now. Nothing is logged by it."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import InvalidContext, InvalidInput
from ..redaction import to_type
from .arguments import AsJson, Place, cases, explain_credentials, open_study, pairs, request
from .commands import group
from .declared import Declaring, Given
from .instructions import line_by_policy, todo_by_policy
from .output import answer, echo, print_json

commands = group()

_CONTEXTS = "Many cases at once: a list of tables in JSON, or a file, JSON or CSV, with a column for every variable."


@commands.command(cls=Declaring)
def policy(
    study: Place,
    *,
    context: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What is seen; as often as needed.", show_default=False),
    ] = None,
    contexts: Annotated[
        str | None,
        typer.Option(help=_CONTEXTS),
    ] = None,
    given: Given = None,
    as_json: AsJson = False,
) -> None:
    """Apply what was learned: what to set, after looking at this. Nothing is logged."""
    with open_study(study) as going:
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
                echo(line_by_policy(going, step))
            if not steps:
                echo("no cases, so there is nothing to set")
