"""The part of the page of results on the Intel lab's temperatures."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partial_control_bench.picture import save, style
from steerbo.plots.drawing import bare, new_figure

from .experiments import CHOOSERS, CHOOSERS_AND_OURS, FORGETTING, OURS, PAPERS, READINGS, RIVALS
from .rows import Runs, figure, pick, ratio, shares, table, totals

_AT = range(6, 145, 6)
_EARLY = 36
CSV, PICTURE = "timevarying-intel.csv", "timevarying-intel.png"
_AVERAGE = "average regret up to step"


def _averages(regret: Sequence[float]) -> np.ndarray:
    """Of the first step, of the first two, and so on."""
    return np.cumsum(regret) / np.arange(1, len(regret) + 1)


@dataclass(frozen=True)
class Day:
    """What was played on one day.

    Attributes:
        number: of the day in March.
        average: by method, the average regret up to each step, (seeds, steps).
        found: by method, its runs.
    """

    number: int
    average: dict[str, np.ndarray]
    found: dict[str, Runs]

    @classmethod
    def of(cls, rows: Runs, number: int) -> Day:
        """The runs of a day, of every method that was played on it."""
        found = {method: pick(rows, "intel", method, day=number) for method in (*RIVALS, *FORGETTING)}
        found = {method: runs for method, runs in found.items() if runs}
        average = {method: np.array([_averages(r["regret"]) for r in runs]) for method, runs in found.items()}
        return cls(number, average, found)

    @property
    def name(self) -> str:
        """For headings."""
        return f"{self.number} March"

    @property
    def order(self) -> list[str]:
        """The paper's methods and `random` by their average regret at the end, best first."""
        ends = {m: float(average[:, -1].mean()) for m, average in self.average.items()}
        return sorted((m for m in (*CHOOSERS, "random") if m in ends), key=lambda m: ends[m])

    @property
    def first(self) -> str:
        """The best of the paper's methods early on."""
        starts = {m: float(average[:, _EARLY - 1].mean()) for m, average in self.average.items()}
        return min(CHOOSERS, key=lambda m: starts.get(m, np.inf))

    def lines(self) -> list[str]:
        """Average regrets up to some steps, and how often each earlier day's prior was played, comma-separated."""
        ends = [(m, t, average[:, min(t, average.shape[1]) - 1]) for m, average in self.average.items() for t in _AT]
        regrets = [f"{self.number},{m},{_AVERAGE},{t},{figure(of.tolist(), 2)}" for m, t, of in ends]
        behind = [shares(m, self.found[m]) for m in (*CHOOSERS, OURS) if m in self.found]
        return regrets + [
            f"{self.number},{m},share of rounds behind the prior of March,{day},{share}"
            for m, *each in behind
            for day, share in enumerate(each, start=1)
        ]

    def against(self) -> str:
        """Our regret as a share of prior elimination's."""
        r, error = ratio(totals(self.found.get(OURS, [])), totals(self.found.get(PAPERS, [])))
        return f"{r:.2f} ({error:.2f})"


def intel(rows: Runs, folder: Path) -> str:
    """What came of all days; a figure of them, and every number, in `folder`."""
    days = [Day.of(rows, day) for day in sorted({r["setting"]["day"] for r in rows if r["experiment"] == "intel"})]
    if not days:
        return ""
    as_published = [*CHOOSERS, "random"]
    same = sum(day.order == as_published for day in days)
    early = sum(day.first == PAPERS for day in days)
    orders = [(day.name, " < ".join(day.order), day.against()) for day in days]
    lines = ["day of March,method,what,at,value (standard error)", *(line for day in days for line in day.lines())]
    (folder / CSV).write_text("\n".join(lines) + "\n", encoding="utf-8")
    picture(folder)
    return f"""## Intel lab temperatures

The warmest of 52 motes every ten minutes; priors learned from each earlier day of March (`Prior.from_panel`), zero-mean
about the day's own average as in the paper. A mote without a reading is not available. Average regret in °C up to step
t. Methods that believe one prior (`gp-ucb` and the forgetting ones) get yesterday's: no oracle here.

![Average regret in °C against steps of ten minutes, a panel for each of five days: of the paper's four methods prior elimination has least for the first 36 steps on every day, and most at the end of 6 and 7 March; random plays end two to seven times as high as the best.]({PICTURE})

On one day seeds move nothing but the start: no errors are drawn. Ten seeds of the present version.

Every method on every day, and which day's prior it played: [{CSV}]({CSV}).

The paper's ordering, elimination < fully Bayesian < MLE < balancing < random, holds on {same} of {len(days)} days:

{table(("day", "order of average regret at the end", "ours / PE"), orders)}
What does hold is the paper's remark about the beginning: after {_EARLY} steps elimination is the best of the four on
{early} of {len(days)} days. Later in the day it loses, and the histograms say why: it spends most
rounds on one of the first days of March, whose standard deviations are the largest (about 3 °C, against 1 to 2 °C of 8
to 12 March). Day priors differ in output scale, the limit that the paper names in its section 6: a wide prior's own
band excuses its errors. Tempered elimination mends that on the days on which elimination is worst (last column). But
no day is exactly like another: where no candidate is true, a likelihood can settle on a wrong one, and on some days
both lose to averaging.
"""


def picture(folder: Path) -> None:
    """Of the methods that know all priors, drawn from the CSV: a panel for each day, and the legend in the last."""
    curves: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    with (folder / CSV).open(encoding="utf-8") as file:
        for day, method, what, at, value in list(csv.reader(file))[1:]:
            if what == _AVERAGE and method not in FORGETTING:
                curves[day][method].append((int(at), float(value.partition(" ")[0])))
    shown = new_figure((9.5, 6.0), dpi=110)
    panels = np.ravel(shown.subplots(2, 3, sharex=True))
    for axes, (day, methods) in zip(panels, curves.items(), strict=False):
        for k, (method, points) in enumerate(methods.items()):
            axes.plot(*zip(*points, strict=True), label=method, markevery=4, **style(k))
        axes.set(title=f"{day} March", ylim=(0, None))
        axes.grid(alpha=0.3)
        bare(axes)
    for k, axes in enumerate(panels):
        axes.set_ylabel("average regret, °C" if k % 3 == 0 else "")
        if k >= 2:
            axes.set_xlabel("steps of ten minutes")
            axes.tick_params(labelbottom=True)
    panels[len(curves)].legend(*panels[0].get_legend_handles_labels(), loc="center", frameon=False, fontsize=10)
    panels[len(curves)].set_axis_off()
    save(shown, folder / PICTURE)


def readings(rows: Runs) -> str:
    """Whether the paper's ordering hangs on what the paper does not say."""
    days = sorted({r["setting"]["day"] for r in rows if r["experiment"] == "readings"})
    lines = []
    for raw, width in READINGS:
        for day in days:
            found = {m: pick(rows, "readings", m, day=day, raw=raw, confidence=width) for m in CHOOSERS_AND_OURS}
            if not all(found.values()):
                continue
            average = {m: [r["total"] / sum(r["plays"]) for r in runs] for m, runs in found.items()}
            means = {m: float(np.mean(average[m])) for m in CHOOSERS}
            best = min(means, key=lambda m: means[m])
            cells = [f"**{figure(v, 2)}**" if m == best else figure(v, 2) for m, v in average.items()]
            lines.append(("0 °C" if raw else "the day's own", width, f"{day} March", *cells))
    if not lines:
        return ""
    firsts = sum("**" in str(line[3]) for line in lines)
    return f"""### Does the ordering hang on what the paper leaves open?

The paper says neither what its zero mean is measured from (raw temperatures, or about some average) nor β. Average
regret at the end of the day, ten seeds; bold: the best of the paper's four, which is prior elimination in {firsts} of
{len(lines)} rows.

{table(("prior mean", "β", "day", *CHOOSERS_AND_OURS), lines)}"""
