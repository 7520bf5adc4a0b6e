"""The front page: what holds of every paper, with a picture each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .. import core_page
from ..kept import kept_in
from ..page import markdown
from ..record import read
from ..registry import problems
from . import causal, costvarying, meanfield, timevarying
from .claim import DEPENDS, HOLDS, NOT, OPEN, RULE, table
from .layout import COMMAND, HERE, write

PAPERS = (costvarying.PAPER, timevarying.PAPER, causal.PAPER, meanfield.PAPER)
PUBLISHED = "as-published.md"
_COLUMNS = (HOLDS, DEPENDS, NOT, OPEN)
_NOT_THEIRS = ("ours", f"… {causal.PAIRED}")
_VARIED = re.compile(
    r"-(cheap|moderate|off|noisy|shuffled|map|authors|weight|no-|h?[0-9]|l[0-9]|[hl][0-9]).*"
)

_HEAD = """# What holds

Four papers on systems that one can only partly steer, what they claim in our words, and whether that holds where it was
played again: [all claims on one page](as-published.md), ten minutes to read, and a page for each paper. How our defaults, simple rules and peers do on
fifteen frozen problems stands apart: [the core](core.md); and seven [simple rules](simple.md) on 24 problems drawn afresh. Problems, runs and entrants are those of
[partial-control-bench](../benchmarks/README.md); anybody's method can be run, checked and drawn beside these.

"""

_PUBLISHED = f"""# The papers' claims, and ours about their methods

Each method here is played as its paper has it, with the options that the command names. Rows that begin with *ours* are claims of ours. What somebody gets who types nothing is compared on [another page](core.md).

{RULE}

"""

_OTHERS = """Beside the papers: [other people's data](other-peoples-data.md), [data of another year or site](sources.md), [whether bounds hold](calibration.md), [whether limits are kept](limits.md), [where evaluations fail](failing.md), [what traits of real systems gain](traits.md),
[thousands of outcomes](size.md), [limits and traits beside the plain problem](speed.md), [long sessions](long-session.md), [numbers that steer, and who measured them](constants.md), and our own figures before there was this benchmark, with speed and registrations: [cost-varying](costvarying.md), [time-varying](timevarying.md),
[causal](causal.md), [mean-field](meanfield.md).

"""


def write_all(folder: Path) -> Iterator[Path]:
    """The front page, and the papers' in a folder of their own, from the runs in the folder's `runs`."""
    home = folder / HERE
    results = [result for file in kept_in(folder / "runs", "papers-") for result in read(file)]
    rows, pictures, published = [], [], []
    for paper in PAPERS:
        claims, alt = write(paper, results, home)
        published.append(
            f"## {paper.title}\n\n{paper.about} [Pictures, readings, tables]({HERE}/{paper.file}.md).\n\n{table(claims)}"
        )
        tally = Counter(
            claim.verdict.partition(":")[0]
            for claim in claims
            if not claim.words.startswith(_NOT_THEIRS)
        )
        page, image = f"{HERE}/{paper.file}.md", f"{HERE}/{paper.file}.png"
        rows.append((f"[{paper.title}]({page})", *(tally[verdict] or "" for verdict in _COLUMNS)))
        pictures.append(
            f"## {paper.title}\n\n{paper.about}\n\n[![{alt}]({image})]({page})\n\nMade by `{COMMAND}`.\n"
        )
        yield home / f"{paper.file}.md"
    timed = [r.cpu_seconds for r in results if r.cpu_seconds is not None]
    note = (
        f"\n{len(results)} runs, in `evidence/runs`. "
        "Most were kept before there was a benchmark, and put into its form by `benchmarks.converted`; programs that pages call `benchmarks.…` are in the repository at the tag `evidence-2026`. "
        f"The {len(timed)} of them whose times were kept, ours, published methods and peers, took {sum(timed) / 3600:.1f} CPU hours.\n\n"
    )
    every, played = problems(), {r.problem for r in results}
    note += (
        f"Of the benchmark's {len(every)} problems {len(played & every.keys())} have runs there; many are one problem at another price "
        f"list, variance, height or noise: {len({_VARIED.sub('', name) for name in every})} differ in more than that. The rest are for who "
        "wants to play them (`pcb list`).\n\n"
    )
    front = (
        _HEAD
        + markdown(("the papers' claims", *_COLUMNS), rows)
        + note
        + _OTHERS
        + "\n".join(pictures)
    )
    (folder / PUBLISHED).write_text(_PUBLISHED + "\n".join(published), encoding="utf-8")
    yield folder / PUBLISHED
    if (core := core_page.write(folder)) is not None:
        yield core
    (folder / "index.md").write_text(front, encoding="utf-8")
    yield folder / "index.md"
