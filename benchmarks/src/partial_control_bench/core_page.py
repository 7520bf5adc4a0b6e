"""The page of the core: how every entrant stands, tables problem by problem, and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from . import picture
from .core import OURS, WANTED
from .core_table import (
    Losses,
    half_width,
    losses,
    order_of,
    share,
    standing_table,
    standings,
    surely,
    table,
)
from .fresh.registration import is_commit
from .kept import there
from .page import markdown
from .record import Result, read
from .statistics import paired, shown

RUNS = "runs/core.jsonl"
PAGE = "core.md"
COMMAND = "make evidence"
_FAR = 1.6  # of random's loss: further right is written
_RULES = (
    "hold-the-middle",
    "best-of-five",
    "sweep",
    "one-at-a-time",
    "response-surface",
    "retune",
    "random",
)

_HEAD = f"""# The core

Fifteen problems that tell methods apart, frozen: six of the papers', one that drifts without priors, and eight
families of drawn problems in which every seed is another function, with noise from .05 to 1 of its standard deviation.
`{OURS}` is the default of each kind, which a user gets who chooses nothing; nothing of it was chosen for a problem.
What the papers' own methods do is [another page](as-published.md). Loss is regret without noise, in units of the
problem; of drawn problems in standard deviations of the function. Less is better.

"""
_STANDING = f"""Loss as a share of what playing at random loses on the same seeds, averaged over problems; its error is
that between problems. Who has few seeds, or lacks problems that it has no words for, is to be held against `{OURS}` on
the same seeds, in the next column, and rows are in that order. *Surely*: on how many problems the 95 % interval of the
paired difference leaves 0 out (Student's t: wide of few seeds)."""
_PAIRED = f"""In percent of what playing at random loses (less than 100 is better than chance): `{OURS}`, and what each
loses more, paired by seed, ± half a 95 % interval; \\* marks who is surely ahead."""


def registration_of(results: Sequence[Result]) -> str | None:
    """The commit that drew the seeds of these runs; None: they are no registered ones."""
    found = {str(each.kept.get("registration")) for each in results}
    return next((each for each in sorted(found) if is_commit(each)), None)


def write(folder: Path) -> Path | None:
    """The page and its picture from the folder's runs; None where there are none that were registered."""
    if not there(file := folder / RUNS):
        return None
    results = list(read(file))
    if (registration := registration_of(results)) is None:
        return None
    by = losses(results, registration, "play")
    alt = _draw(by, folder / "core.png")
    stand = [each.who for each in standings(results, registration)]
    peers = [who for who in stand if who not in (OURS, *_RULES)]
    seconds = sum(r.cpu_seconds or 0.0 for r in results if r.entrant == OURS)
    parts = [
        _HEAD + f"![{alt}](core.png)",
        f"## One row an entrant\n\n{_STANDING}\n\n{standing_table(results, registration)}",
        _where_ours_loses(results, registration),
        f"## Beside peers\n\n{_PAIRED} How each is set up, why so, and what it cannot be told, stands with [the "
        f"benchmark](../benchmarks/README.md).\n\n{table(results, registration, peers)}",
        f"## Beside simple rules\n\n{table(results, registration, _RULES)}",
        "## What is recommended at the end\n\nDrawn problems; who has no answer of its own answers by the best it saw."
        f"\n\n{table(results, registration, [who for who in stand if who != OURS], 'answer')}",
        f"## Seeds and cost\n\n{WANTED} seeds a problem are wanted of all, and five of who is slow; the first table "
        f"says how many there are. They were drawn by commit `{registration}`, which [says what would be run]"
        f"(core-registered.md). Ours took {seconds / 60:.0f} CPU minutes. CPU seconds are "
        "those of the machine that played a run, and ours may be played again on a faster one: they say little between "
        f"entrants. Runs, with versions and times, are in "
        f"`evidence/{RUNS}.gz`; `{COMMAND}` plays what is missing and writes this page, `pcb core --again 30` "
        f"plays thirty of them once more, `pcb enter FILE.py` sets your own method beside these.",
    ]
    (folder / PAGE).write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")
    return folder / PAGE


def _where_ours_loses(results: Sequence[Result], registration: str) -> str:
    """For each problem every other entrant whose mean is below ours on the seeds that both have, surely or not."""
    rows, sure, many = [], 0, 0
    for measure, words in (("play", "while playing"), ("answer", "of what is recommended")):
        by = losses(results, registration, measure)
        for name in order_of(by):
            of, told = by[name], []
            for who in of:
                away = None if who == OURS else paired(of[who], of[OURS])
                if away is None or away.mean >= 0:
                    continue
                certain = surely(of[who], of[OURS]) < 0
                sure, many = sure + certain, many + 1
                error = "" if away.runs < 2 else f" ± {shown(half_width(away.runs, away.error))}"
                told.append(
                    (away.mean, f"{who} {away.mean:+.3g}{error} ({away.runs})" + certain * "\\*")
                )
            if told:
                mine = shown(float(np.mean([*of[OURS].values()])))
                rows.append((name, words, mine, "; ".join(cell for _, cell in sorted(told))))
    if not rows:
        return "## Where ours loses\n\nOn no problem is the mean of another entrant below ours.\n"
    head = "## Where ours loses\n\nEverybody whose mean is below ours on the seeds that both have: their loss less "
    head += "ours, in units of the problem, with half a 95 % interval and seeds (of one seed, which says next to "
    head += f"nothing, there is no interval). {sure} of these {many} are surely below (\\*).\n\n"
    return head + markdown(("problem", "loss", OURS, "ahead in the mean"), rows)


def _draw(by: Losses, file: Path) -> str:
    """A row a problem, a mark an entrant: loss as a share of random's; returns the words for who cannot see it."""
    order = order_of(by)
    every = dict.fromkeys(who for name in order for who in by[name] if who not in _RULES)
    drawn = [OURS, *(who for who in (*every, "one-at-a-time", "sweep") if who != OURS)]
    shares = {
        who: {name: value for name in order if (value := share(by[name], who)) is not None}
        for who in drawn
    }
    shares = {who: of for who, of in shares.items() if of}
    figure, (ax,) = picture.axes(8.5, 0.36 * len(order) + 1.4)
    for k, (who, of) in enumerate(shares.items()):
        look = {**picture.style(k), "linestyle": "none", "markersize": 9 if who == OURS else 5}
        if k >= len(picture.COLOURS):  # the same colour and mark once more, empty
            look["markerfacecolor"] = "white"
        ax.plot(
            [*of.values()],
            [order.index(name) for name in of],
            label=who,
            zorder=9 if who == OURS else 2,
            **look,
        )
    ax.axvline(1.0, color="0.6", linewidth=1)
    ax.set_yticks(range(len(order)), order)
    ax.invert_yaxis()
    ax.set_xlabel("loss while playing, as a share of what playing at random loses")
    ax.set_xlim(0.0, _FAR)
    for who, of in shares.items():
        for name, value in of.items():
            if value > _FAR:
                ax.annotate(
                    f"{who} {value:.1f} →",
                    (_FAR, order.index(name)),
                    ha="right",
                    va="bottom",
                    fontsize=6,
                )
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    picture.save(figure, file)
    told = ", ".join(f"{who} {np.mean([*of.values()]):.2f}" for who, of in shares.items())
    return f"Spots of loss while playing, as a share of random's, by problem; on average {told}"
