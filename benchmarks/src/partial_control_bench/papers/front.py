"""The front page: what holds of every paper, with a picture each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..page import markdown
from ..record import read
from . import causal, costvarying, meanfield, timevarying
from .claim import DEPENDS, HOLDS, NOT, OPEN
from .layout import write

PAPERS = (costvarying.PAPER, timevarying.PAPER, causal.PAPER, meanfield.PAPER)
_COLUMNS = (HOLDS, DEPENDS, NOT, OPEN)

_HEAD = """# What holds

Four papers on systems that one can only partly steer, what they claim in our words, and whether that holds where it was
played again: one page each, ten minutes to read. Problems, runs and entrants are those of
[partial-control-bench](https://github.com/steerbo/steerbo/blob/main/benchmarks/README.md); anybody's method can be run, checked and drawn beside these.

"""


def write_all(folder: Path) -> Iterator[Path]:
    """All pages, from the runs in the folder's `runs`."""
    results = [result for file in sorted((folder / "runs").glob("*.jsonl")) for result in read(file)]
    rows, pictures = [], []
    for paper in PAPERS:
        claims = write(paper, results, folder)
        tally = Counter(claim.verdict.partition(":")[0] for claim in claims)
        rows.append((f"[{paper.title}]({paper.file}.md)", *(tally[verdict] or "" for verdict in _COLUMNS)))
        pictures.append(
            f"## {paper.title}\n\n[![{paper.title}: see the page]({paper.file}.png)]({paper.file}.md)\n\n{paper.about}\n"
        )
        yield folder / f"{paper.file}.md"
    note = (
        f"\n{len(results)} runs, in [runs](https://github.com/steerbo/steerbo/tree/main/docs/results/papers/runs). "
        "Most were kept before there was a benchmark, and put into its form by `python -m benchmarks.converted`. "
        "Every page and picture: `python -m partial_control_bench.papers docs/results/papers`.\n\n"
    )
    front = _HEAD + markdown(("claims of", *_COLUMNS), rows) + note + "\n".join(pictures)
    (folder / "index.md").write_text(front, encoding="utf-8")
    yield folder / "index.md"
