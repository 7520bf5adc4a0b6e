"""The tables of the paper's draft, from the store: written by `python -m benchmarks.store`, none by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from partial_control_bench import core_page
from partial_control_bench.core_table import standing_table
from partial_control_bench.fresh import coverage
from partial_control_bench.kept import kept_in, there
from partial_control_bench.page import markdown
from partial_control_bench.papers.front import PAPERS
from partial_control_bench.record import read

from .costvarying import front as costvarying
from .front import Claim
from .runs import HOME, fill
from .traits import front as traits

_COUNTED = "cells surely less/neither/surely more: "
DRAFT = HOME.parents[1] / "paper" / "paper.md"
_PAYS = (
    "losing less while learning than",
    "half the regret of plots",
    "within tolerance on 95",
    "learned: less loss than",
)


def claims(folder: Path) -> str:
    """The papers' own claims: what holds, in numbers."""
    results = [result for file in kept_in(folder / "runs", "papers-") for result in read(file)]
    rows = [
        (claim.words, claim.verdict, claim.number.replace(_COUNTED, ""))
        for paper in PAPERS
        for claim in paper.claims(results)
        if not claim.words.startswith("ours")
    ]
    columns = ("claim, in our words", "", "loss of the one against the other (paired difference ± standard error)")
    return markdown(columns, rows)


def bounds(folder: Path) -> str:
    """How often 95 % bounds of the answer cover, before and now, over functions and noise that no model assumes."""
    sides = [coverage.read(folder / "runs" / name) for name in ("coverage-before.jsonl", "coverage.jsonl")]
    horizons = sorted({row["rounds"] for row in sides[0][0]["rows"]})
    rows = []
    told = ("a point of hyperparameters, small noise expected", "drawn and averaged")
    for words, lines in zip(told, sides, strict=True):
        cells = []
        for horizon in horizons:
            by: dict[str, list[bool]] = {}
            for line in lines:
                by.setdefault(line["noise"], []).extend(
                    r["covered"] for r in coverage.bounded(line["rows"]) if r["rounds"] == horizon
                )
            shares = [float(np.mean(of)) for of in by.values()]
            cells.append(f"{100 * np.mean(shares):.0f}, {100 * min(shares):.0f}")
        rows.append((words, len(lines), *cells))
    return markdown(("covered % on average, at worst", "runs", *(f"after {h} rounds" for h in horizons)), rows)


def paying(folder: Path) -> str:
    """What was wanted of paying for less, and what came."""
    return markdown(("claim", "", "numbers", "runs"), _paying(folder))


def _paying(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    yield from map(_cells, costvarying.told_nothing(folder))
    yield from (_cells(claim) for claim in traits.rows(folder) if any(part in claim.words for part in _PAYS))


def _cells(claim: Claim) -> tuple[str, str, str, str]:
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", claim.words).removeprefix("… ")
    return words, claim.verdict, claim.numbers.replace("**", ""), claim.runs


def core(folder: Path) -> str:
    """One row an entrant, from the core."""
    if not there(file := folder / core_page.RUNS):
        return "The core has not been played yet."
    results = list(read(file))
    registration = core_page.registration_of(results)
    return "" if registration is None else standing_table(results, registration)


def write(folder: Path, draft: Path = DRAFT) -> None:
    """All tables of the draft."""
    for name, table in (("claims", claims), ("bounds", bounds), ("paying", paying), ("core", core)):
        fill(draft, name, table(folder))
