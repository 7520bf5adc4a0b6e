"""The tables of docs/results/simple.md, made of the kept runs of `pcb simple`."""

from __future__ import annotations

from pathlib import Path

from partial_control_bench.fresh import simple

from .runs import fill, finished, page

KEPT = "runs/simple.jsonl"


def write(folder: Path) -> str:
    """Fill in both tables; returns them as `pcb simple` prints them."""
    text = simple.table(list(finished(folder / KEPT).values()))
    for name, block in zip(simple.MEASURES, text.split("\n\n")[1::2], strict=True):
        fill(folder / "simple.md", name, block)
    return text


if __name__ == "__main__":
    page(__doc__, write)
