"""Progress of a run on standard error: a live line on a terminal, an occasional plain line elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from .._text import escape_unprintable
from .._wording import counted
from ..core import (
    Amended,
    BaseStudy,
    BoundsExtended,
    OutcomeTold,
    Problem,
    Round,
    Suggestion,
    numeral,
)
from ..plots.drawing import BLUE, GREEN, ORANGE

_PARTS = 10  # plain lines a run


def literal(text: str, style: str = "") -> Text:
    r"""A text that a rich console shows as it stands: no markup, no emoji by name, no commands to the terminal.

    >>> literal("[red]a\x1b[0m").plain
    '[red]a\\x1b[0m'
    """
    return Text(escape_unprintable(text), style)


LATELY = 10
"""Outcomes among which there is a best one where the optimum moves: earlier optima are over."""


def best_round(rounds: Iterable[Round], problem: Problem) -> Round | None:
    """The round with the best single outcome; of the latest ones, where the optimum moves."""
    told = [
        (problem.sign * problem.scalar(r.outcome), r)
        for r in rounds
        if r.state == "told" and r.outcome
    ]
    told = told[-LATELY:] if problem.timed else told
    return max(told, key=lambda pair: pair[0], default=(0.0, None))[1]


class Display:
    """Watches a run; use it as a context.

    Args:
        console: where to write.
        quiet: write only the messages given to `say`.
    """

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self.console, self.quiet = console, quiet
        self._live = console.is_terminal and not quiet
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(None, complete_style=BLUE, finished_style=GREEN),
            TextColumn("{task.fields[used]}"),
            TextColumn("{task.fields[best]}", style=ORANGE),
            TimeElapsedColumn(),
            console=console,
            disable=not self._live,
        )
        self._task = self._bar.add_task("starting", total=1.0, used="", best="")
        self._part = -1
        self._best: Round | None = None
        self._seen = 0  # events of the study, by whomever

    def __enter__(self) -> Display:
        if self._live:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:  # rich 13 ends a line that it never began
            self._bar.stop()

    def say(self, message: str) -> None:
        """A message of its own line."""
        self.console.print(literal(message), soft_wrap=True, highlight=False)

    def began(self, suggestion: Suggestion) -> None:
        """Show the suggestion that is evaluated."""
        self._bar.update(
            self._task,
            description=escape_unprintable(f"round {suggestion.round}: {suggestion.scope}"),
        )

    def ended(self, study: BaseStudy) -> None:
        """Show how far it has come."""
        status = study.status
        if status.budget is not None:
            done = status.spent / status.budget
            used = f"spent {status.spent:.4g} of {status.budget:.4g}"
        else:
            played = status.told + status.failed
            done = played / (status.limit or played)
            used = f"{played} of {counted(status.limit or 0, 'round')}"
        best = self._best = best_round(self._new(study), study.problem)
        lately = "best of late" if study.problem.timed else "best"
        found = (
            f"{lately} {numeral(study.problem.scalar(best.outcome))}"
            if best and best.outcome
            else "nothing observed yet"
        )
        self._bar.update(self._task, completed=min(done, 1.0), used=used, best=found)
        part = int(_PARTS * done)
        if not self._live and not self.quiet and part > self._part:
            where = f" with {best.suggestion.scope}" if best else ""
            self.say(f"round {status.rounds}: {used}, {found}{where}")
            self._part = part

    def _new(self, study: BaseStudy) -> Iterable[Round]:
        """Best round so far and later ones: a scan of all rounds after each would slow a long stream."""
        events, history = study.events[self._seen :], study.history
        self._seen += len(events)
        if study.problem.timed:
            return history.last(5 * LATELY)  # not all of them are told
        if self._best is None or any(
            isinstance(event, Amended | BoundsExtended) for event in events
        ):
            return history
        return (
            history[self._best.suggestion.token],
            *(history[e.token] for e in events if isinstance(e, OutcomeTold)),
        )
