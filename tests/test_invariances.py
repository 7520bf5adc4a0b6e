"""What must not matter: units, names, signs. Studies that differ in nothing else choose the same, to the last bit.

Factors are powers of two, so that rounding is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Problem, Suggestion

pytestmark = pytest.mark.few_draws

ROUNDS, FACTOR = 8, 1024.0
OTHER_NAMES = {"x": "температура", "z": "湿度", "heat": "الحرارة", "north": "nord-été", "south": "süd"}


@dataclass(frozen=True)
class Units:
    """Unit and origin of outcomes; units of x, the limited outcome, money and time; a sign, and names."""

    value: float = 1.0
    origin: float = 0.0
    x: float = 1.0
    heat: float = 1.0
    money: float = 1.0
    time: float = 1.0
    minimize: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """Name in this study."""
        return self.names.get(name, name)

    def told(self, value: float) -> float:
        """Outcome as this study is told it."""
        return (-1.0 if self.minimize else 1.0) * (self.value * value + self.origin)

    def of_one(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of this study in the units and names of the plain one."""
        plain = {name: own for own, name in self.names.items()}
        found = {plain.get(name, name): x for name, x in values.items()}
        return {**found, **({"x": found["x"] / self.x} if "x" in found else {})}


def _limits(units: Units, most: float = 0.6) -> list[Any]:
    return [sb.OutcomeConstraint(units.name("heat"), at_most=most * units.heat, probability=0.9)]


def _x(units: Units, **more: Any) -> sb.Float:
    return sb.Float(units.name("x"), 0, units.x, **more)


def _cost_varying(units: Units, **more: Any) -> Problem:
    x, z = units.name("x"), units.name("z")
    return sb.CostVarying(
        [_x(units, law=sb.Uniform()), sb.Float(z, 2, 4, law=sb.Uniform())],
        [[x], [x, z]],
        costs=[units.money, 2 * units.money],
        minimize=units.minimize,
        **more,
    )


KINDS: dict[str, Callable[[Units], Problem]] = {
    "cost-varying": lambda u: _cost_varying(u, tolerance=sb.Absolute(0.25 * u.value), limits=_limits(u)),
    "cost-varying, out of reach": lambda u: _cost_varying(
        u, tolerance=sb.Absolute(0.5 * u.value), limits=_limits(u, -1)
    ),
    "cost-varying, net": lambda u: _cost_varying(u, value_of_one=u.money / u.value, drift="learned"),
    "time-varying": lambda u: sb.TimeVarying(
        [_x(u), sb.Float(u.name("z"), 2, 4)], minimize=u.minimize, limits=_limits(u)
    ),
    "time-varying, current": lambda u: sb.TimeVarying(
        [_x(u), sb.Float(u.name("z"), 2, 4)],
        minimize=u.minimize,
        current={u.name("x"): 0.25 * u.x, u.name("z"): 3},
    ),
    "causal": lambda u: sb.Causal(
        sb.CausalGraph.from_text("z -> x -> y; z -> y", target="y", intervenable=["x"]),
        [_x(u), sb.Float("z", 2, 4)],
        minimize=u.minimize,
        prices={"x": u.money, "z": u.money},
        base=u.money,
        tolerance=sb.Absolute(0.25 * u.value),
    ),
    "mean-field": lambda u: sb.MeanField([u.name("north"), u.name("south"), "harbour"], agents=20, minimize=u.minimize),
}


def _world(known: Mapping[str, Any], number: int) -> tuple[float, dict[str, float], float]:
    """Value, variables and heat of a round, in plain units, in multiples of 1/1024."""
    nature = np.random.default_rng(number)
    if "distribution" in known:
        (shares,) = known["distribution"].values()
        first, *_ = shares.values()
        return round(1024 * (first - first**2 + 0.02 * nature.normal())) / 1024, {}, 0.0
    x = {"x": nature.integers(1024) / 1024, "z": 2 + nature.integers(2048) / 1024, **known}
    value = 1 - (x["x"] - 0.7) ** 2 - (x["z"] - 2.8) ** 2 + 0.05 * nature.normal()
    heat = 0.6 * x["x"] + 0.1 * x["z"] + 0.02 * nature.normal()
    return round(1024 * value) / 1024, x, round(1024 * heat) / 1024


def _told(study: sb.Optimizer, asked: Suggestion, units: Units) -> Suggestion:
    """Play a suggestion; returns it with all settings."""
    while asked.observe:
        _, x, _ = _world(units.of_one(asked.values), asked.round)
        asked = study.decide(asked, {name: x[name] for name in asked.observe})
    plain = units.of_one({**asked.context, **asked.values})
    value, x, heat = _world(plain, asked.round)
    left = {units.name(n): v * (units.x if n == "x" else 1.0) for n, v in x.items() if n not in plain}
    given = {n: v for n, v in left.items() if n in study.problem.space}
    if any(name == units.name("heat") for name in getattr(study.problem, "further", {})):
        given[units.name("heat")] = units.heat * heat
    study.tell(asked, units.told(value), realised=given or None)
    return asked


def _choices(kind: str, units: Units) -> Iterator[Any]:
    """All that a study says, in plain units: choices, the answer with its bounds and costs, and the possible gain."""
    study = sb.Optimizer(KINDS[kind](units), rounds=ROUNDS + 1, seed=3)
    for number in range(ROUNDS):
        asked = study.ask(time=units.time * number if study.problem.timed else None)
        asked = _told(study, asked, units)
        yield units.of_one(asked.values), [*asked.limits.values()]
    for each in (answer := study.recommend(), *answer.alternatives):
        assert each.mean is not None
        assert each.lower is not None
        assert each.upper is not None
        bounds = [units.told(end) / units.value**2 for end in (each.lower, each.upper)]
        cost = None if each.cost is None else each.cost / units.money
        yield units.of_one(each.values), units.told(each.mean) / units.value**2, sorted(bounds), cost
    gain = study.status.gain
    yield None if gain is None else gain / units.value


SAME = [
    ("value", {"value": FACTOR}, [*KINDS]),
    ("tiny value", {"value": FACTOR**-4}, [*KINDS]),
    ("sign", {"minimize": True}, [*KINDS]),
    ("x", {"x": FACTOR}, [kind for kind in KINDS if kind != "mean-field"]),
    ("heat", {"heat": FACTOR}, ["cost-varying", "cost-varying, out of reach", "time-varying"]),
    ("money", {"money": FACTOR}, ["cost-varying", "cost-varying, net", "causal"]),
    # a causal study draws first settings by their names
    ("names", {"names": OTHER_NAMES}, [kind for kind in KINDS if kind != "causal"]),
]


@pytest.fixture(scope="module")
def plain() -> Callable[[str], list[Any]]:
    """What studies in plain units say, played once."""
    known: dict[str, list[Any]] = {}

    def of(kind: str) -> list[Any]:
        if kind not in known:
            known[kind] = list(_choices(kind, Units()))
        return known[kind]

    return of


@pytest.mark.parametrize(
    ("kind", "other"), [pytest.param(k, other, id=f"{what} of {k}") for what, other, kinds in SAME for k in kinds]
)
def test_units_signs_and_names_do_not_matter(
    plain: Callable[[str], list[Any]], kind: str, other: dict[str, Any]
) -> None:
    units = Units(**other)
    found = list(_choices(kind, units))
    if "names" in other and kind == "mean-field":
        found = [_renamed(each, units) for each in found]
    assert found == plain(kind)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mean-field"])
def test_the_origin_of_outcomes_does_not_matter_but_for_rounding(plain: Callable[[str], list[Any]], kind: str) -> None:
    """Climbs ended early where outcomes are far from 0, as temperatures in kelvin are."""
    shifted = list(_choices(kind, Units(origin=FACTOR)))[:ROUNDS]
    for (values, chances), (others, other_chances) in zip(shifted, plain(kind), strict=False):
        assert values == pytest.approx(others, abs=2e-3)
        assert chances == pytest.approx(other_chances, abs=2e-3)


def _renamed(said: Any, units: Units) -> Any:
    """The same with the plain names of places."""
    plain = {name: own for own, name in units.names.items()}
    if isinstance(said, dict):
        return {plain.get(name, name): _renamed(each, units) for name, each in said.items()}
    return type(said)(_renamed(each, units) for each in said) if isinstance(said, list | tuple) else said


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("causal", "mean-field")])
def test_answer_card_and_prediction_say_the_same_of_a_play(kind: str) -> None:
    study, units = sb.Optimizer(KINDS[kind](Units()), rounds=ROUNDS, seed=5), Units()
    timed = study.problem.timed
    for number in range(ROUNDS - 1):
        _told(study, study.ask(time=float(number) if timed else None), units)
    for answer in (study.recommend(), *study.recommend().alternatives):
        lower, mean, upper = _bounds(answer)
        assert lower <= mean <= upper
        assert _bounds(study.predict(answer.values)) == pytest.approx((lower, mean, upper), rel=1e-9)
    now = float(ROUNDS) if timed else None
    asked = study.ask(time=now)
    assert _bounds(study.card(asked)) == pytest.approx(_bounds(study.predict(asked.values, time=now)), rel=1e-9)


def _bounds(answer: Any) -> tuple[float, float, float]:
    return answer.lower, answer.mean, answer.upper
