"""The page of results: every table is computed from the finished runs, every sentence with a number too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..runs import as_csv
from . import automatic, default, front, single, stream, switching
from .experiments import (
    CHOOSERS,
    FORGETTING,
    HEIGHTS,
    LENGTHSCALES,
    OURS,
    PAPERS,
    RIVALS,
    WIDTHS,
)
from .intel_page import intel, readings
from .rows import Runs, figure, pick, ratio, shares, table, totals
from .texts import AUTOMATIC, DEFAULT, EXACT, HEAD, SINGLE, STREAM, SWITCHING

GRID, CHOSEN = "timevarying-grid.csv", "timevarying-chosen.csv"
_TRUE = 2
"""Which prior of the toy is the true one."""


def write(place: Path, rows: Runs) -> None:
    """Write the page."""
    seeds = 1 + max((r["seed"] for r in rows if r["experiment"] == "grid"), default=0)
    parts = [
        HEAD.format(rounds=150, seeds=seeds),
        _default(place.parent),
        _switching(place.parent),
        _automatic(place.parent),
        _single(place.parent),
        _stream(place.parent),
        EXACT,
        _kept(rows),
        _grid(rows, place.parent),
        _histogram(rows, place.parent),
        _ours(rows),
    ]
    parts += [
        _drift(rows),
        intel(rows, place.parent),
        readings(rows),
        _speed(place.parent / "bench-timevarying.json"),
    ]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(part for part in parts if part))
    front.write(place.parent)


def _default(folder: Path) -> str:
    found = default.section(folder / default.KEPT)
    return DEFAULT.format(table=found, kept=default.KEPT) if found else ""


def _switching(folder: Path) -> str:
    found = switching.section(folder / switching.KEPT)
    return SWITCHING.format(table=found, kept=switching.KEPT) if found else ""


def _automatic(folder: Path) -> str:
    found = automatic.section(folder / automatic.KEPT)
    return AUTOMATIC.format(table=found, kept=automatic.KEPT, seeds=automatic.SEEDS) if found else ""


def _single(folder: Path) -> str:
    found = single.section(folder / single.KEPT)
    return SINGLE.format(table=found, kept=single.KEPT) if found else ""


def _stream(folder: Path) -> str:
    found = stream.section(folder / stream.KEPT)
    return STREAM.format(table=found, kept=stream.KEPT) if found else ""


def _kept(rows: Runs) -> str:
    lines = []
    for method in (PAPERS, OURS):
        for scale in (0.5, 0.05):
            found = pick(rows, "kept", method, lengthscale=scale)
            if found:
                kept = sum(r["kept"] for r in found)
                share = f"{kept} of {len(found)}"
                lines.append((method, scale, share, figure([r["left"] for r in found], 1), figure(totals(found), 1)))
    if not lines:
        return ""
    text = "## The true prior is kept\n\nThe toy, theory's ξ and β, seeds of their own; wanted: at least 95 %.\n\n"
    return text + table(("method", "lengthscale", "true prior kept", "priors left of 11", "regret"), lines)


def _grid(rows: Runs, folder: Path) -> str:
    lines, wins, clear, lost, total = [], 0, 0, 0, 0
    for tall, short in HEIGHTS:
        for scale in LENGTHSCALES:
            for width in WIDTHS:
                setting = {"tall": tall, "short": short, "lengthscale": scale, "confidence": width}
                cells = {m: totals(pick(rows, "grid", m, **setting)) for m in RIVALS}
                if not all(cells[m] for m in CHOOSERS):
                    continue
                total += 1
                means = {m: float(np.mean(cells[m])) for m in CHOOSERS}
                best = min(means, key=lambda m: means[m])
                wins += best == PAPERS
                rivals = [np.array(cells[m]) - np.array(cells[PAPERS]) for m in CHOOSERS if m != PAPERS]
                sure = [d.mean() / max(d.std(ddof=1) / np.sqrt(len(d)), 1e-12) for d in rivals]
                clear += min(sure) > 2
                lost += min(sure) < -2
                lines.append((f"{tall:g} / {short:g}", scale, width, best, *(figure(cells[m]) for m in RIVALS)))
    if not lines:
        return ""
    as_csv(table(("hills", "lengthscale", "β", "the best of the paper's four", *RIVALS), lines), folder / GRID)
    return f"""## The whole grid of toy settings

Every method on {total} settings of tall and short hill, lengthscale and β: [{GRID}]({GRID}). Prior elimination is the
best of the paper's four in {wins} of them: in {clear} it beats each of the other three by more than two (paired)
standard errors, in {lost} one of the others beats it by as much.
"""


def _histogram(rows: Runs, folder: Path) -> str:
    every, true = [], []
    for method in (*CHOOSERS, OURS):
        found = []
        for width in WIDTHS:
            setting = {"tall": 5.0, "short": 1.0, "lengthscale": 0.5, "confidence": width}
            if line := shares(method, pick(rows, "grid", method, **setting)):
                every.append((f"β {width}", *line))
                found.append(line[1 + _TRUE])
        if found:
            true.append((method, *found))
    if not true:
        return ""
    as_csv(table(("β", "method", *(f"prior {p}" for p in range(11))), every), folder / CHOSEN)
    text = (
        "## Which priors were chosen\n\nShare of rounds behind the true one of eleven priors; hills 5 / 1, lengthscale "
    )
    text += f"0.5. All priors: [{CHOSEN}]({CHOSEN}).\n\n"
    return text + table(("method", *(f"β {width}" for width in WIDTHS)), true)


def _ours(rows: Runs) -> str:
    cases: dict[str, tuple[str, dict[str, Any], str]] = {
        "200 priors": ("many", {}, "at most 0.7"),
        "output scales × ¼, 1, 4": ("scales", {}, "at most 0.7"),
        "the toy, β from theory": ("grid", {"tall": 5.0, "lengthscale": 0.5, "confidence": "theory"}, "at most 1"),
        "the toy, β = 2": ("grid", {"tall": 5.0, "lengthscale": 0.5, "confidence": 2.0}, "at most 1"),
    }
    lines = []
    for name, (experiment, setting, bar) in cases.items():
        found = {m: pick(rows, experiment, m, **setting) for m in (PAPERS, OURS, "mle", "fully-bayesian", "gp-ucb")}
        if not found[OURS] or len(found[OURS]) != len(found[PAPERS]):
            continue
        r, error = ratio(totals(found[OURS]), totals(found[PAPERS]))
        kept = " / ".join(str(sum(row["kept"] for row in found[m])) for m in (PAPERS, OURS))
        cells = [figure(totals(found[m]), 1) for m in found]
        lines.append((name, *cells, f"{r:.2f} ({error:.2f})", bar, f"{kept} of {len(found[OURS])}"))
    if not lines:
        return ""
    columns = (
        "case",
        PAPERS,
        OURS,
        "mle",
        "fully-bayesian",
        "oracle",
        "ratio ours / PE",
        "wanted",
        "true prior kept, PE / ours",
    )
    return f"""## Many priors, and over-optimistic ones

`tempered-elimination` against prior elimination, paired by seed (same truth, same start).

{table(columns, lines)}
Why: prior elimination tests a prior only with the rounds in which that prior was the most optimistic, so every wrong
prior costs disappointments of its own, and a prior with a large output scale widens its own band. A likelihood tests
all priors with every outcome and punishes a scale that is too large as well as one that is too small. Averaging upper
bounds by the same likelihoods (`fully-bayesian`) is as good or better where the candidates hold the truth and the
likelihood finds it early; what it lacks is the guarantee, and it has bad runs (its standard errors in the grid).
"""


def _drift(rows: Runs) -> str:
    methods = (*RIVALS, *FORGETTING)
    cells = [(m, figure(totals(pick(rows, "drift", m)), 1)) for m in methods if pick(rows, "drift", m)]
    if not cells:
        return ""
    text = "## A toy that drifts\n\nThe toy with ε = 0.02 in truth and priors. The last three believe the true prior's"
    text += " mean and space, forget at their default rates, and know nothing of ε.\n\n"
    return text + table(("method", "regret"), cells)


def _speed(place: Path) -> str:
    if not place.is_file():
        return ""
    rows = json.loads(place.read_text())["rows"]
    lines = [
        (
            r["name"],
            f"{r['ours_ms']:.3f}",
            f"{r['rival_ms']:.3f}",
            f"{r['ratio']:.1f}",
            r["bar"] or "–",
            f"{r['value_gap']:.0e}",
        )
        for r in rows
    ]
    text = "## Speed\n\n`make bench-timevarying`: CPU time a round, one thread, both sides by turns,"
    text += " eight rounds each. For the stream the 'rival' is its own first tenth.\n\n"
    return text + table(("what", "ours, ms", "rival, ms", "ratio", "bar", "largest difference"), lines)
