"""Hypothesis strategies for variables, their laws and their values."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from steerbo._text import normalised
from steerbo.space import (
    Beta,
    Categorical,
    Discrete,
    Empirical,
    Float,
    Integer,
    Law,
    LogNormal,
    Normal,
    Scipy,
    Space,
    TruncatedNormal,
    Uniform,
    Variable,
)
from tests.sizes import examples

few = settings(max_examples=examples(60), deadline=None, derandomize=True)
"""The settings of every property test here: deterministic, and no clock."""

names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)
probabilities = st.floats(0, 1)
hostile = st.sampled_from(
    [float("nan"), float("inf"), -float("inf"), None, True, False, "", "1", [], {}, object(), 10**400, 1j]
)
"""What is never a number."""


@st.composite
def bounds(draw: st.DrawFn, positive: bool = False) -> tuple[float, float]:
    """Bounds of any size, apart by enough for a float to have values in between."""
    size = 10.0 ** draw(st.integers(-8, 8))
    low = draw(st.floats(0.001, 10) if positive else st.floats(-10, 10)) * size
    return low, low + draw(st.floats(0.01, 10)) * size


@st.composite
def laws(draw: st.DrawFn, low: float, high: float) -> Law:
    """A law with practically all of its mass on [low, high]."""
    width = high - low
    share = draw(st.floats(0.1, 0.9))
    kind = draw(
        st.sampled_from(["uniform", "normal", "truncated", "moments", "beta", "discrete", "empirical", "scipy"])
    )
    if kind == "normal":
        return Normal(low + width * share, width * min(share, 1 - share) / draw(st.floats(3, 100)))
    if kind == "truncated":
        return TruncatedNormal(low + width * draw(st.floats(-2, 3)), width * draw(st.floats(0.05, 20)))
    if kind == "moments":
        return TruncatedNormal(
            low + width * share, width * min(share, 1 - share) * draw(st.floats(0.01, 0.5)), moments="truncated"
        )
    if kind == "beta":
        return Beta(draw(st.floats(0.2, 50)), draw(st.floats(0.2, 50)))
    if kind == "scipy":
        return Scipy("triang", [share], loc=low, scale=width)
    points = st.lists(probabilities, min_size=1, max_size=9, unique_by=lambda p: min(max(low + width * p, low), high))
    values = [min(max(low + width * p, low), high) for p in draw(points)]
    if kind == "discrete":
        return Discrete(values, draw(st.lists(st.floats(0.01, 5), min_size=len(values), max_size=len(values))))
    return Empirical(values) if kind == "empirical" else Uniform()


@st.composite
def floats(draw: st.DrawFn, steps: bool = True) -> Float:
    log = draw(st.booleans())
    low, high = draw(bounds(positive=log))
    step = (high - low) / draw(st.floats(1, 3000)) if steps and draw(st.booleans()) else None
    law = draw(st.none() | laws(low, high))
    if log and isinstance(law, Normal):  # its mass below 0 has no logarithm
        law = LogNormal(0.0, 0.1) if low < 0.5 and high > 2 else None
    return Float(draw(names), low, high, law, "log" if log else "linear", step, unit=draw(st.sampled_from(["", "°C"])))


@st.composite
def integers(draw: st.DrawFn) -> Integer:
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(2**30), 2**30))
    high = low + draw(st.integers(1, 5000))
    values = draw(st.lists(st.integers(low, high), min_size=1, max_size=6))
    law = draw(st.sampled_from([None, Uniform(), Empirical(values)]))
    return Integer(draw(names), low, high, law, "log" if log else "linear")


choices = st.lists(
    st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=4).filter(normalised),
    min_size=2,
    max_size=7,
    unique=True,
)


@st.composite
def categoricals(draw: st.DrawFn) -> Categorical:
    given = draw(choices)
    weights = draw(st.lists(st.floats(0.01, 5), min_size=len(given), max_size=len(given)))
    return Categorical(draw(names), given, draw(st.sampled_from([None, Uniform(), Discrete(given, weights)])))


variables: st.SearchStrategy[Variable] = floats() | integers() | categoricals()
spaces = st.lists(variables, max_size=5, unique_by=lambda variable: variable.name).map(Space)


@st.composite
def settable(draw: st.DrawFn, variable: Variable) -> Any:
    """A value that this variable can be set to."""
    if isinstance(variable, Categorical):
        return draw(st.sampled_from(list(variable.choices)))
    if isinstance(variable, Integer):
        return draw(st.integers(variable.low, variable.high))
    if variable.levels is not None:
        return variable.decode([draw(st.sampled_from(variable.levels.tolist()))])[0]
    return draw(st.floats(variable.low, variable.high))
