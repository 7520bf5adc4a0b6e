"""Hoang et al. (2025) and Tay et al. (2023): which control sets to buy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..costvarying.problems import VARIANCES, plant_name
from ..costvarying.world import BEST, COSTS, PUBLISHED, Plant
from ..record import Result
from .claim import Claim, Compared, compare, counted
from .layout import Paper

_FROM_40, _ALL = (40.0, 60.0, 80.0, 100.0), (20.0, 40.0, 60.0, 80.0, 100.0)


@cache
def _margin(name: str, variance: float) -> float:
    """Half a percent of what the best setting gains over leaving everything to nature: smaller differences are ties."""
    return 0.005 * (BEST[name, variance] - Plant(name, variance=variance).nothing)


def claims(results: Sequence[Result]) -> list[Claim]:
    """Algorithm 1's, those of Tay et al., and ours."""

    def row(words: str, first: str, second: str, marks: Sequence[float]) -> Claim:
        cases: dict[str, Compared | None] = {
            f"{name}, {costs}, {variance:g}, {mark:g}": compare(
                results,
                plant_name(name, costs, variance),
                first,
                second,
                "simple",
                mark,
                _margin(name, variance),
            )
            for name in PUBLISHED
            for costs in COSTS
            for variance in VARIANCES
            for mark in marks
        }
        who = first.replace(" (tolerance 0)", " --option tolerance=0")
        return counted(words, cases, f"pcb run {who} PROBLEM --seeds 10-19")

    first, strict = "explore-then-commit", "cheap-first (tolerance 0)"
    return [
        row(
            "Hoang et al.: Algorithm 1 has less simple regret than UCB-PSQ from 40 spent on",
            first,
            "ucb-psq",
            _FROM_40,
        ),
        row("Hoang et al.: … and less than TS-PSQ", first, "ts-psq", _FROM_40),
        row(
            "Tay et al.: going up in groups of sets beats UCB-PSQ, which ignores costs",
            "etc-groups",
            "ucb-psq",
            _FROM_40,
        ),
        row("Tay et al.: so does UCB-CVS", "ucb-cvs", "ucb-psq", _FROM_40),
        row(
            "ours: cheap-first, told to forgive nothing, has less than Algorithm 1",
            strict,
            first,
            _ALL,
        ),
        row("ours: … and less than going up in groups", strict, "etc-groups", _ALL),
        row("ours: … and less than UCB-CVS", strict, "ucb-cvs", _ALL),
        row(
            "ours: … and less than told nothing, when it forgives a twentieth of the range",
            strict,
            "cheap-first",
            _ALL,
        ),
    ]


PAPER = Paper(
    "cost-varying",
    "Control sets with prices",
    "cost-varying",
    "Some variables can be held, at a price, and nature draws the others: which set of them is worth its price? Five problems, two "
    "price lists, two variances of nature, four or five sums of money: a *cell* is one of each. Differences up to half a percent of what the "
    "best setting gains over leaving everything to nature are ties.",
    claims,
    (
        (
            "hartmann-moderate-0.02",
            (
                "cheap-first (tolerance 0)",
                "cheap-first",
                "explore-then-commit",
                "etc-groups",
                "ucb-cvs",
                "ucb-psq",
                "ts-psq",
                "random-steerbo",
            ),
        ),
    ),
    (
        "Laws are normal about .5 and truncated; the variance is that of the truncated law. Costs have noise of standard deviation .02 "
        "where their mean is at least .1; outcomes one of .01. Five uniform points are given. A run ends when its next play "
        "would cost more than is left, or after 400 plays.",
        "On Ackley the optimum is where nature draws: cheap plays are good data there. On airfoil no set lies in another, and "
        "methods that ignore costs may play the best one, which is cheap.",
        "Where something is seen first, BoTorch and Xopt lose less in as many rounds, for they hold nearly everything, at twice the money; `cheap-first` goes on with what is "
        "good enough and cheap. They were played on three seeds for 50 rounds.",
        "These are ten seeds of each cell, the same in all cells of a problem: cells are not independent.",
        "Some runs were made before changes that move the last digits of the model; `pcb check --again` shows which come out anew.",
    ),
    ("cheap-first",),
    (
        *(plant_name(name, "moderate", 0.02) for name in (*PUBLISHED, "ackley-off")),
        "seen-first",
        "drift-slides",
        "change-oven",
        "weather-together",
    ),
    "None can be told what a control set costs, nor what nature's law is: the set is a category, a condition or a loop over searches.",
)
