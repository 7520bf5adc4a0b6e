"""The page of the core: what is played, how many seeds of how many are done, both tables, and a picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from . import picture
from .core import FAMILIES, OURS, PREFIX, PUBLISHED, WANTED, Losses, half_width, losses, share_of_random, table
from .fresh.registration import is_commit
from .kept import there
from .page import markdown
from .record import Result, read
from .statistics import error_of, shown

RUNS = "runs/core.jsonl"
PAGE = "core.md"
COMMAND = "make evidence"
_RULES = ("hold-the-middle", "best-of-five", "sweep", "one-at-a-time", "response-surface", "retune", "random")

_HEAD = f"""# The core

Fifteen problems that tell methods apart, frozen: six of the papers', one that drifts without priors, and eight
families of drawn problems in which every seed is another function, with noise from .05 to 1 of its standard deviation.
`{OURS}` is the default of each kind, which a user gets who chooses nothing; nothing of it was chosen for a problem.
What the papers' own methods do is [another page](as-published.md). Loss is regret without noise, in units of the
problem; of drawn problems in standard deviations of the function. Less is better.

"""


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
    rules = [r for r in results if r.entrant in (OURS, *_RULES)]
    peers = [r for r in results if r.entrant == OURS or r.entrant not in _RULES]
    answers = [r for r in results if r.problem.startswith(PREFIX)]
    seconds = sum(r.cpu_seconds or 0.0 for r in results if r.entrant == OURS)
    parts = [
        _HEAD + f"![{alt}](core.png)",
        f"## One number an entrant\n\nLoss as a share of what playing at random loses on the same seeds, averaged over "
        f"problems; its error is that between problems.\n\n{share_of_random(results, registration)}",
        "## Beside simple rules\n\nWhat each loses more than ours, paired by seed, ± half a 95 % interval (Student's "
        f"t: wide of few seeds); \\* marks who is surely ahead of ours.\n\n{table(rules, registration)}",
        f"## Beside peers\n\nHow each is set up, and what it cannot be told, stands with [the benchmark]"
        f"(../../benchmarks/README.md).\n\n{table(peers, registration)}",
        f"## What is recommended at the end\n\nDrawn problems; who has no answer of its own answers by the best it "
        f"saw.\n\n{table(answers, registration, 'answer')}",
        _where_ours_loses(results, registration),
        f"## Seeds and cost\n\n{_done(by)}\nSeeds were drawn by commit `{registration}`, which [says what would be run]"
        f"(core-registered.md). Ours took {seconds / 60:.0f} CPU minutes. Runs, with versions and times, are in "
        f"`docs/results/{RUNS}.gz`; `{COMMAND}` plays what is missing and writes this page, `pcb core --again 30` "
        f"plays thirty of them once more, `pcb enter FILE.py` sets your own method beside these.",
    ]
    (folder / PAGE).write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")
    return folder / PAGE


def _done(by: Losses) -> str:
    least: dict[str, list[int]] = defaultdict(list)
    for of in by.values():
        for who, values in of.items():
            least[who].append(len(values))
    rows = [(who, min(n), max(n), WANTED, len(n)) for who, n in least.items()]
    return markdown(("entrant", "seeds done, at least", "at most", "wanted", "problems"), rows)


def _where_ours_loses(results: Sequence[Result], registration: str) -> str:
    """The best other entrant of each problem where its mean is below ours, surely or not."""
    rows, sure = [], 0
    for measure, words in (("play", "while playing"), ("answer", "of what is recommended")):
        for name, of in losses(results, registration, measure).items():
            ours = of.get(OURS, {})
            gaps = {
                who: [values[seed] - ours[seed] for seed in sorted(values.keys() & ours.keys())]
                for who, values in of.items()
                if who != OURS and values.keys() & ours.keys()
            }
            best = min(gaps, key=lambda who: float(np.mean(gaps[who])), default=None)
            if best is None or np.mean(gaps[best]) >= 0:
                continue
            wide = half_width(len(gaps[best]), error_of(gaps[best]))
            sure += bool(np.mean(gaps[best]) < -wide)
            mine, less = float(np.mean([*ours.values()])), f"{np.mean(gaps[best]):+.3g} ± {shown(wide)}"
            rows.append((name, words, best, less, shown(mine), len(gaps[best])))
    if not rows:
        return "## Where ours loses\n\nOn no problem is the mean of another entrant below ours.\n"
    head = "## Where ours loses\n\nThe best other entrant where its mean is below ours; it is surely below in "
    head += f"{sure} of these {len(rows)}. The best of many is flattered, and few seeds say little.\n\n"
    return head + markdown(("problem", "loss", "ahead", "its loss less ours", "ours", "seeds"), rows)


def _draw(by: Losses, file: Path) -> str:
    """A row a problem, a mark an entrant: loss as a share of random's; returns the words for who cannot see it."""
    order = [name for name in (*PUBLISHED, *(PREFIX + name for name in FAMILIES)) if name in by]
    whole = {name: dict(by[name]) for name in order}
    means: dict[str, dict[str, float]] = defaultdict(dict)
    for name, of in whole.items():
        base = of.get("random", {})
        for who, values in of.items():
            shared = base.keys() & values.keys()
            if shared and (total := sum(base[s] for s in shared)) > 0:
                means[who][name] = sum(values[s] for s in shared) / total
    drawn = [who for who in (OURS, "botorch", "optuna-tpe", "cma-es", "one-at-a-time", "sweep") if who in means]
    figure, (ax,) = picture.axes(7.5, 0.32 * len(order) + 1.4)
    for k, who in enumerate(drawn):
        names = [name for name in order if name in means[who]]
        at = [order.index(name) for name in names]
        look = {**picture.style(k), "linestyle": "none", "markersize": 6}
        ax.plot([means[who][name] for name in names], at, label=who, **look)
    ax.axvline(1.0, color="0.6", linewidth=1)
    ax.set_yticks(range(len(order)), order)
    ax.invert_yaxis()
    ax.set_xlabel("loss while playing, as a share of what playing at random loses")
    ax.set_xlim(left=0.0)
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    picture.save(figure, file)
    told = ", ".join(f"{who} {np.mean([*means[who].values()]):.2f}" for who in drawn)
    return f"Spots of loss while playing, as a share of random's, by problem; on average {told}"
