"""Five new problems, each solved from its description with what the site shows: one of each kind, and one of two kinds.

They are written as somebody would who has read one story, and nothing of the library's inside.
"""

from __future__ import annotations

import math
import random

import steerbo as sb
from steerbo.timevarying import SquaredExponential


def test_a_bakery_wants_to_know_whether_humidity_is_worth_a_machine() -> None:
    """Loaves rise best at 230 °C and 60 % humidity. The oven's heat wanders by 12 °C, the kitchen's humidity by 4 %.

    Holding the heat costs 1 a day, holding the humidity 3. Half a point of quality may be given up.
    """
    problem = sb.CostVarying(
        variables=[
            sb.Float("heat", 180, 260, law=sb.Normal(215, 12), unit="°C"),
            sb.Float("humidity", 40, 80, law=sb.Normal(58, 4), unit="%"),
        ],
        control_sets=[["heat"], ["humidity"], ["heat", "humidity"]],
        costs=[1, 3, 4],
        tolerance=sb.Absolute(0.5),
    )
    optimizer = sb.Optimizer(problem, budget=45, seed=0)
    chance = random.Random(0)
    while (suggestion := optimizer.ask()) is not None:
        day = {"heat": chance.gauss(215, 12), "humidity": chance.gauss(58, 4), **suggestion.values}
        quality = 10 - ((day["heat"] - 230) / 10) ** 2 - ((day["humidity"] - 60) / 10) ** 2 + chance.gauss(0, 0.1)
        optimizer.tell(suggestion, quality, realised=day)
    advice = optimizer.recommend()
    assert advice.scope.set == ("heat",)
    assert abs(advice.values["heat"] - 230) < 3
    assert advice.mean is not None
    assert abs(advice.mean - 9.8) < 0.2  # of the humidity's 4 % remain .2


def test_a_solar_panel_follows_a_sun_that_nobody_calculates() -> None:
    """Every quarter of an hour the panel may be turned, and says what power it had. The sun goes from -60° to 60°."""
    problem = sb.TimeVarying(
        [sb.Float("angle", -70, 70, step=5, unit="°")],
        [
            sb.Prior(SquaredExponential(w, 0.06), mean=0.5, drift=sb.Decay(0.05), noise=0.03, name=f"{w}°")
            for w in (10, 30)
        ],
    )
    optimizer = sb.Optimizer(problem, seed=0)
    chance, lost, blind = random.Random(0), 0.0, 0.0
    for t in range(50):
        sun = -60 + 120 * t / 49
        suggestion = optimizer.ask(time=float(t))
        assert suggestion is not None
        power = math.exp(-(((suggestion.values["angle"] - sun) / 30) ** 2))
        optimizer.tell(suggestion, power + chance.gauss(0, 0.02))
        lost += 1 - power
        blind += 1 - math.exp(-((sun / 30) ** 2))  # the best fixed angle
    assert lost < 0.5 * blind


def test_a_farmer_looks_at_the_soil_before_watering() -> None:
    """Dry soil wants much water, wet soil little. The soil can be looked at before; the colour of the tractor, too."""
    graph = sb.CausalGraph.from_text(
        "soil -> water; soil -> harvest; water -> harvest; tractor -> water",
        target="harvest",
        intervenable=["water"],
        contexts=["soil", "tractor"],
    )
    variables: list[sb.Float | sb.Integer | sb.Categorical] = [
        sb.Float("water", 0, 10),
        sb.Float("soil", 0, 1),
        sb.Integer("tractor", 1, 3),
    ]
    optimizer = sb.Optimizer(sb.Causal(graph, variables), seed=0)
    chance = random.Random(0)
    for _ in range(20):
        seen = {"soil": chance.random(), "tractor": chance.randint(1, 3)}
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {name: seen[name] for name in suggestion.observe})
        water = suggestion.values.get("water", chance.uniform(0, 10))
        optimizer.tell(suggestion, -(((water - 8 * (1 - seen["soil"])) / 4) ** 2) + chance.gauss(0, 0.02))
    assert str(optimizer.recommend().scope) == "water after looking at soil"
    for soil in (0.2, 0.8):
        assert abs(optimizer.policy({"soil": soil}).values["water"] - 8 * (1 - soil)) < 1.5


def test_a_supermarket_opens_tills_for_people_who_are_all_alike() -> None:
    """Sixty people choose among three tills. One is twice as fast; all want the shortest wait on average."""
    problem = sb.MeanField(("fast", "slow", "slower"), agents=60, minimize=True)
    optimizer = sb.Optimizer(problem, rounds=20, seed=0)
    speeds = {"fast": 2.0, "slow": 1.0, "slower": 0.5}

    def wait(shares: dict[str, float]) -> float:
        return sum(share * share / speeds[till] for till, share in shares.items())

    while (suggestion := optimizer.ask()) is not None:
        (shares,) = suggestion.values["distribution"].values()
        optimizer.tell(suggestion, wait(shares))
    (shares,) = optimizer.recommend().values["distribution"].values()
    best = 1 / sum(speeds.values())  # in proportion to the speeds
    assert wait(shares) < 1.02 * best
    assert wait(dict.fromkeys(speeds, 1 / 3)) > 1.15 * best


def test_a_pool_knows_the_weather_and_pays_for_what_it_holds() -> None:
    """Two kinds at once: heating and chlorine cost money to hold, and the forecast is known before it is decided.

    On warm days heating is wasted: the answer has to depend on the forecast.
    """
    problem = sb.CostVarying(
        [
            sb.Float("heating", 0, 12, law=sb.Uniform(), unit="°C"),
            sb.Float("chlorine", 0, 4, law=sb.Normal(2, 0.3), unit="mg/l"),
            sb.Float("outside", 10, 30, seen=True, unit="°C"),
        ],
        control_sets=[["chlorine"], ["heating", "chlorine"]],
        costs=[1, 4],
        tolerance=sb.Absolute(3.0),
    )
    optimizer = sb.Optimizer(problem, budget=90, seed=0)
    chance = random.Random(0)
    while True:
        outside = chance.uniform(10, 30)
        if (suggestion := optimizer.ask(context={"outside": outside})) is None:
            break
        day = {"heating": chance.uniform(0, 12), "chlorine": chance.gauss(2, 0.3), **suggestion.values}
        day["outside"] = outside
        need = max(0.0, 24 - outside)  # what heating should add; on warm days it matters little
        cold = (30 - outside) / 20
        guests = 20 - 0.15 * cold * (day["heating"] - need) ** 2 - (day["chlorine"] - 2) ** 2 + chance.gauss(0, 0.1)
        optimizer.tell(suggestion, guests, realised=day)
    assert optimizer.policy({"outside": 29.0}).scope.set == ("chlorine",)
    cold_day = optimizer.policy({"outside": 13.0})
    assert set(cold_day.scope.set) == {"heating", "chlorine"}
    assert abs(cold_day.values["heating"] - 11) < 1.5
