"""The problems of other people's data by name; `pcb data --fetch` brings their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from .. import data
from ..problem import Budget, Problem
from ..protocol import World
from . import proteins, series
from .places import AMBULANCES, VOLUNTEERS, Ithaca
from .settings import Barrels, Blends, Reactions

_BMS = ("base", "ligand", "solvent", "concentration", "temperature")
_ARYL = ("base", "ligand", "additive", "halide")
_SETS = (("ligand",), ("base", "ligand"), ("base", "ligand", "additive"))
_PRICES = (1.0, 2.0, 4.0)
_MADE: dict[str, tuple[str, str, Callable[[int], World], int, str, str]] = {
    "bms": (
        "cost-varying", "1728 direct arylations, five categories",
        partial(Reactions, "bms", _BMS, (_BMS,), None), 60, "Torres et al. (2022)", "",
    ),
    "aryl": (
        "cost-varying", "4132 couplings in control sets with prices; the halide is nature's",
        partial(Reactions, "aryl", _ARYL, _SETS, _PRICES), 60, "Ahneman et al. (2018)", "",
    ),
    "barrel": (
        "cost-varying", "600 printed barrels, crushed three times each",
        Barrels, 60, "Gongora et al. (2020)", "",
    ),
    "opv": (
        "cost-varying", "a blend of four polymers that lasts in light",
        Blends, 60, "Langner et al. (2020)", "",
    ),
    "ambient": (
        "time-varying", "a set-point that follows an office's temperature",
        series.office, series.ROUNDS, "the Numenta Anomaly Benchmark", "",
    ),
    "taxi": (
        "cost-varying", "seats for the next two hours of New York's taxis",
        series.Taxis, series.ROUNDS, "the Numenta Anomaly Benchmark", "cumulative",
    ),
    "sachs": (
        "causal", "proteins of single cells: two are set, after looking at others",
        proteins.world, 50, "Sachs et al. (2005)", "",
    ),
    "ithaca-few": (
        "mean-field", "four ambulances at twenty places of Ithaca",
        partial(Ithaca, AMBULANCES), 60, "ORSuite", "",
    ),
    "ithaca-many": (
        "mean-field", "a hundred volunteers at twenty places of Ithaca",
        partial(Ithaca, VOLUNTEERS), 60, "ORSuite", "",
    ),
}  # fmt: skip


def problems() -> Iterator[Problem]:
    """All of them."""
    for name, (wing, title, make, rounds, source, measure) in _MADE.items():
        marks = tuple(float(rounds * k // 5) for k in range(1, 6))
        table = (data.measured(name.partition("-")[0]),)
        budget = Budget(rounds, marks=marks)
        yield Problem(
            f"real-{name}", wing, title, make, budget, source, data=table, measure=measure
        )
