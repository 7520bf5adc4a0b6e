"""Options that the kinds of problem declare: problems know what `ask` and `policy` take, the commands do not."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

Given = Annotated[list[str] | None, typer.Option("--given", hidden=True)]
"""What was typed of them, as NAME=TEXT."""


class Declaring(TyperCommand):
    """A command with a parameter `Given`: where some kind of problem takes a time, `--time 8` is `--given time=8`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put what is declared into `Given`."""
        names, found, rest = {f"--{name}": name for name, _ in _declared()}, list[str](), iter(args)
        for word in rest:
            option, equals, text = word.partition("=")
            if word == "--":
                found += [word, *rest]
            elif option not in names:
                found.append(word)
            else:
                value = text if equals else next(rest, None)
                if value is None:
                    ctx.fail(f"Option {option!r} requires an argument.")
                found += ["--given", f"{names[option]}={value}"]
        return super().parse_args(ctx, found)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """All options, and then those of some kinds of problem."""
        super().format_options(ctx, formatter)
        with formatter.section("Options of some kinds of problem"):
            formatter.write_dl([(f"--{name} TEXT", help) for name, help in _declared()])


def _declared() -> list[tuple[str, str]]:
    """Names, and of what kinds what they are."""
    from ..rounds import kinds

    fields = sorted(((f.name, f"{f.help} ({kind})") for kind, cls in kinds().items() for f in cls.takes))
    return [(name, "; ".join(said for _, said in same)) for name, same in groupby(fields, key=lambda f: f[0])]
