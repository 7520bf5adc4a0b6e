"""Options that the kinds of problem declare: problems know what `ask` and `policy` take, the commands do not."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ..core import SEEN, TIME, kinds, problem_class
from ..errors import SteerboError

Given = Annotated[list[str] | None, typer.Option("--given", hidden=True)]
"""What was typed of them, as NAME=TEXT."""


class Declaring(TyperCommand):
    """A command with a parameter `Given`: where some kind of problem takes a time, `--time 8` is `--given time=8`."""

    def declares(self) -> list[str]:
        """The names of these options."""
        return [name for name, _ in self._theirs()]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put what is declared into `Given`."""
        names = {f"--{name}": name for name in self.declares()}
        found, rest = list[str](), iter(args)
        for word in rest:
            option, equals, text = word.partition("=")
            if word == "--":
                found += [word, *rest]
            elif option not in names:
                found.append(word)
            else:
                value = text if equals else next(rest, "")
                found += ["--given", f"{names[option]}={value}"]
        return super().parse_args(ctx, found)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """All options, and then those of some kinds of problem."""
        super().format_options(ctx, formatter)
        with formatter.section("Options of some kinds of problem"):
            formatter.write_dl([(f"--{name} TEXT", help) for name, help in self._theirs()])

    def _theirs(self) -> list[tuple[str, str]]:
        """What is declared, but for options that the command has itself."""
        own = {option for parameter in self.params for option in parameter.opts}
        return [(name, help) for name, help in _declared() if f"--{name}" not in own]


def _declared() -> list[tuple[str, str]]:
    """Names, and what they are, by kind; a kind whose class cannot be imported is left to the study that needs it."""
    found: dict[str, list[str]] = defaultdict(list)
    found[TIME.name].append(TIME.help)
    for kind in kinds():
        with suppress(SteerboError):
            for field in problem_class(kind).takes:
                found[field.name].append(f"{field.help} ({kind})")
    found[SEEN.name].append(SEEN.help)
    return [(name, "; ".join(said)) for name, said in found.items()]
