"""Who can be named on the command line: methods of steerbo, and peers by adapters of a page each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..problem import WINGS


@dataclass(frozen=True)
class BuiltIn:
    """Where an entrant is, what it is given beside the problem, what it needs, and which wings it plays in.

    Attributes:
        more: traits of drawn problems of other wings that it can play, too.
    """

    place: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    wings: tuple[str, ...] = WINGS
    about: str = ""
    more: tuple[str, ...] = ()


def _peer(
    module: str,
    name: str,
    packages: tuple[str, ...],
    about: str,
    wings: tuple[str, ...] = WINGS,
    more: tuple[str, ...] = (),
) -> BuiltIn:
    return BuiltIn(f"{__name__}.{module}:{name}", {}, packages, wings, about, more)


_METHODS = {
    "cost-varying": ("cheap-first", "explore-then-commit", "ucb-cvs", "etc-groups", "ucb-psq", "ts-psq"),
    "time-varying": (
        "tempered-elimination", "switching-elimination", "prior-elimination", "mle", "fully-bayesian",
        "regret-balancing", "gp-ucb", "r-gp-ucb", "sw-gp-ucb", "w-gp-ucb",
    ),
    "causal": (
        "coca-bo", "coca-bo-no-context", "coca-bo-ucb-mean", "coca-bo-reward-mean", "cabo", "cobo", "cheap-first",
    ),
    "mean-field": ("mf-gp-ucb", "gp-ucb", "add-gp-ucb", "turbo", "genetic", "annealing"),
}  # fmt: skip
_RIVALS = {  # methods of this package, which steerbo is told by their places
    "coca-bo-ucb-mean": "partial_control_bench.causal.rivals:CoCaBOByMeanBound",
    "coca-bo-reward-mean": "partial_control_bench.causal.rivals:CoCaBOByMeanOutcome",
    "add-gp-ucb": "partial_control_bench.meanfield.rivals:AddGPUCB",
    "genetic": "partial_control_bench.meanfield.rivals:Genetic",
    "annealing": "partial_control_bench.meanfield.rivals:Annealing",
}
OURS = {
    name: BuiltIn(
        f"{__name__}.ours:Steerbo",
        {"method": _RIVALS.get(name, name)},
        ("steerbo",),
        tuple(wing for wing in WINGS if name in _METHODS[wing]),
        "steerbo",
    )
    for wing in WINGS
    for name in _METHODS[wing]
}
OURS["steerbo"] = BuiltIn(
    f"{__name__}.ours:Steerbo", {}, ("steerbo",), WINGS, "its default: nothing is chosen"
)
OURS["random-steerbo"] = BuiltIn(
    f"{__name__}.ours:Steerbo", {"method": "random"}, ("steerbo",), WINGS, "its baseline"
)
PEERS = {
    "random": _peer("random", "Random", (), "uniform draws of what can be set"),
    "hold-the-middle": _peer("rules", "HoldMiddle", (), "the middle of the cheapest set, for ever"),
    "best-of-five": _peer("rules", "BestOfFive", (), "five plays by chance, then the best of them"),
    "sweep": _peer(
        "rules", "Sweep", (), "seven levels of each set, then the cheapest good set at its best"
    ),
    "one-at-a-time": _peer("rules", "OneAtATime", (), "each variable alone, kept where better"),
    "response-surface": _peer(
        "rules", "ResponseSurface", (), "a quadratic fit to all that was measured"
    ),
    "retune": _peer("rules", "Retune", (), "a sweep, then held; tuned again every twelve plays"),
    "optuna-tpe": _peer("optuna", "TPE", ("optuna",), "Optuna's default sampler, asked and told"),
    "optuna-gp": _peer(
        "optuna", "GPSampler", ("optuna", "torch"), "Optuna's Gaussian process sampler"
    ),
    "sklearn-gp-ei": _peer(
        "sklearn",
        "GPEI",
        ("scikit-learn",),
        "scikit-learn's Gaussian process, expected improvement",
    ),
    "cma-es": _peer("pycma", "CMAES", ("cma",), "pycma"),
    "botorch": _peer(
        "botorch", "BoTorch", ("botorch", "torch"), "BoTorch, qLogNEI averaged over nature's law"
    ),
    "ax": _peer("ax", "Ax", ("ax-platform", "botorch"), "Ax, its own choice of method"),
    "baybe": _peer("baybe", "BayBE", ("baybe", "botorch"), "BayBE's default recommender"),
    "smac": _peer("smac", "SMAC", ("smac",), "SMAC3's black-box facade"),
    "xopt": _peer("xopt", "Xopt", ("xopt", "botorch"), "Xopt, upper bound with fixed features"),
    "wdbo": _peer(
        "wdbo",
        "WDBO",
        ("wdbo-algo", "botorch"),
        "W-DBO, an optimum that moves",
        ("time-varying",),
        ("drift",),
    ),
}
BUILT_IN: dict[str, BuiltIn] = {**OURS, **PEERS}
