"""The structural causal models of Arsenyan et al. (2025), as they must be read, and what every policy is worth.

`N(m, s)` has standard deviation s. Every problem knows the largest expected target, by a formula or
by Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import expit

from .graph import Diagram
from .scm import StructuralCausalModel, Values
from .system import System

FIGURE_1 = Diagram(
    [("x1", "x2"), ("c", "x2"), ("x2", "y"), ("c", "y")],
    [("x1", "c"), ("x2", "y")],
    target="y",
    intervenable=("x1", "x2"),
)


def _uniform(low: float, high: float) -> Callable[[Values, np.random.Generator, int], np.ndarray]:
    return lambda v, r, n: r.uniform(low, high, n)


def figure_1(weight: float = 1.0) -> System:
    """Figure 1: `Y = U2 X2 + λ C`; only (x1; c) reaches 1/3. λ is 1 in the paper, .01 in the authors' program."""
    model = StructuralCausalModel(
        FIGURE_1,
        {
            "u1": _uniform(-1, 1),
            "u2": _uniform(-1, 1),
            "x1": lambda v, r, n: v["u1"],
            "c": lambda v, r, n: v["u1"],
            "x2": lambda v, r, n: v["u2"] * np.exp(-((v["x1"] + v["c"]) ** 2)),
            "y": lambda v, r, n: v["u2"] * v["x2"] + weight * v["c"],
        },
    )
    natural = _mean_over(lambda c: np.exp(-4 * c**2) / 3, -1, 1)

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        """`E[λ C]` is zero and the same for all: the context's own part is left out of the regret."""
        if "x2" in actions:
            return 0.0
        if "x1" not in actions:
            return natural
        if "c" in seen:
            return float(np.exp(-((actions["x1"] + seen["c"]) ** 2)) / 3)
        return _mean_over(lambda c: np.exp(-((actions["x1"] + c) ** 2)) / 3, -1, 1)

    ranges = dict.fromkeys(("x1", "x2", "c"), (-1.0, 1.0))
    return System("figure-1", FIGURE_1, ranges, model, 1 / 3, mean)


def cosine(noise: float = 0.01) -> System:
    """A.2: `Y = cos(C − X2) + .1 U2 + noise`, on Figure 1's graph; setting x2 to c reaches 1, and so does CoBO."""
    model = StructuralCausalModel(
        FIGURE_1,
        {
            "u1": _uniform(-1, 1),
            "u2": _uniform(-1, 1),
            "c": lambda v, r, n: v["u1"] + r.normal(0, 0.1, n),
            "x1": lambda v, r, n: v["u1"] + r.normal(0, 0.1, n),
            "x2": lambda v, r, n: np.abs(v["c"] - v["x1"]) + 0.2 * v["u2"],
            "y": lambda v, r, n: np.cos(v["c"] - v["x2"]) + 0.1 * v["u2"] + r.normal(0, noise, n),
        },
    )
    u2 = np.linspace(-1, 1, 201)[1::2]  # midpoints of 100 cells

    def given(c: float, actions: Mapping[str, Any]) -> float:
        if "x2" in actions:
            return float(np.cos(c - actions["x2"]))
        return float(np.cos(c - np.abs(c - actions["x1"]) - 0.2 * u2).mean())

    random = np.random.default_rng(0)
    typical = random.uniform(-1, 1, 2000) + random.normal(0, 0.1, 2000)

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        if "c" in seen:
            return given(seen["c"], actions)
        if "x2" in actions:
            return float(np.cos(typical - actions["x2"]).mean())
        away = (
            np.abs(typical - actions["x1"])
            if "x1" in actions
            else np.abs(random_normal - random_other)
        )
        return float(np.cos(typical[:, None] - away[:, None] - 0.2 * u2).mean())

    random_normal, random_other = random.normal(0, 0.1, 2000), random.normal(0, 0.1, 2000)
    ranges = dict.fromkeys(("x1", "x2", "c"), (-1.5, 1.5))
    return System(
        "cosine" if noise == 0.01 else f"cosine-{noise:g}", FIGURE_1, ranges, model, 1.0, mean
    )


PSA = Diagram(
    [
        *((a, b) for a in ("age", "bmi") for b in ("aspirin", "statin", "cancer", "psa")),
        ("age", "bmi"),
        *((a, b) for a in ("aspirin", "statin") for b in ("cancer", "psa")),
        ("cancer", "psa"),
    ],
    [],
    target="psa",
    intervenable=("aspirin", "statin"),
    contexts=("age", "bmi"),
)


def _combined(v: Values) -> np.ndarray:
    """What age and BMI are together, in configuration 2."""
    return (v["age"] - 55) / 21 * np.abs((v["bmi"] - 27) / 4)


def _cancer(v: Values, configuration: int) -> np.ndarray:
    if configuration == 2:
        return v["statin"] ** 2 + _combined(v) ** 2 + 0.5 * v["aspirin"] ** 2
    return expit(2.2 - 0.05 * v["age"] + 0.01 * v["bmi"] - 0.04 * v["statin"] + 0.02 * v["aspirin"])


def _antigen(v: Values, configuration: int) -> np.ndarray:
    """The target without its noise."""
    if configuration == 2:
        both = _combined(v)
        return (
            v["cancer"]
            + 0.5 * v["aspirin"] ** 2
            + both**2
            - 2 * both * (v["aspirin"] + v["statin"])
        )
    return (
        6.8
        + 0.04 * v["age"]
        - 0.15 * v["bmi"]
        - 0.6 * v["statin"]
        + 0.55 * v["aspirin"]
        + v["cancer"]
    )


def _psa_model(configuration: int, authors: bool) -> StructuralCausalModel:
    spread = 0.7 if configuration == 1 or authors else 0.1
    noise = 0.4 if configuration == 1 else 0.01
    return StructuralCausalModel(
        PSA,
        {
            "age": _uniform(55, 76),
            "bmi": lambda v, r, n: r.normal(
                27.0 - (0.0 if authors else 0.01) * v["age"], spread, n
            ),
            "aspirin": lambda v, r, n: expit(-8.0 + 0.1 * v["age"] + 0.03 * v["bmi"]),
            "statin": lambda v, r, n: expit(-13.0 + 0.1 * v["age"] + 0.2 * v["bmi"]),
            "cancer": lambda v, r, n: _cancer(v, configuration),
            "psa": lambda v, r, n: _antigen(v, configuration) + r.normal(0, noise, n),
        },
    )


def psa(configuration: int = 1, authors: bool = False) -> System:
    """A.1: prostate-specific antigen, to be made small. In configuration 2 the best medication depends on age and BMI.

    `authors`: BMI ~ N(27, .7), whatever the age, as in the authors' program.
    """
    model = _psa_model(configuration, authors)
    fixed = np.random.default_rng(0)
    people = model.sample(4000, fixed)

    def expected(actions: Mapping[str, Any]) -> float:
        """The target, averaged over people."""
        v = {**people}
        for name, mechanism in model.mechanisms.items():
            if name in actions:
                v[name] = np.full(4000, float(actions[name]))
            elif name in ("aspirin", "statin", "cancer"):
                v[name] = mechanism(v, fixed, 4000)
        return float(_antigen(v, configuration).mean())

    best = 0.0 if configuration == 2 else expected({"aspirin": 0.0, "statin": 1.0})

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        """For configuration 1 the contexts' own part is averaged out, so that a lucky patient is no merit."""
        if configuration == 1 or not {"age", "bmi"} <= seen.keys():
            return expected(actions)
        v = {name: np.array([float(value)]) for name, value in {**seen, **actions}.items()}
        both = _combined(v)
        return float(((v["aspirin"] - both) ** 2 + (v["statin"] - both) ** 2)[0])

    ranges = {"aspirin": (0.0, 1.0), "statin": (0.0, 1.0), "age": (55.0, 76.0), "bmi": (23.0, 30.0)}
    return System(
        f"psa-{configuration}{'-authors' if authors else ''}",
        PSA,
        ranges,
        model,
        best,
        mean,
        minimise=True,
    )


def _mean_over(function: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> float:
    cells = np.linspace(low, high, 801)
    return float(function((cells[1:] + cells[:-1]) / 2).mean())
