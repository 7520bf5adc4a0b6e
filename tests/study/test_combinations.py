"""What real systems have, two at a time and all at once: each that goes together is played, replayed and reopened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Event, Suggestion, default_method
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.study import Study, read_study
from steerbo.testing import Case
from steerbo.testing.case import bits, values_of
from steerbo.timevarying import SquaredExponential
from tests.sizes import FULL, size

ROUNDS = size(9, 7)
CHANGE = sb.SwitchingCost(fixed=2, per_unit=0.05)
WEATHER = sb.Float("weather", 0, 1, seen=True)
LIMITS = [sb.LinearConstraint({"heat": 0.05, "light": 1, "water": 1}, at_most=2.5, probability=0.9)]
DAMP = sb.OutcomeConstraint("damp", at_most=1.6, probability=0.8)
MIX = np.random.default_rng(5).random((30, 2))


def greenhouse(*traits: str) -> Case:
    """Cost-varying: heat, light and water, and what nature does."""
    changes = {"heat": CHANGE} if "change" in traits else {}
    law = None if "nature" in traits else sb.Uniform()
    free: Any = sb.space.Learned() if "learned" in traits else sb.Uniform()
    variables: list[Any] = [
        sb.Float("heat", 10, 30, law=law, change=changes.get("heat")),
        sb.Float("light", 0, 1, law=law),
        sb.Float("water", 0, 1, law=free),
    ]
    rows = sb.space.JointRows([[10 + 20 * float(a), float(a + b) / 2] for a, b in MIX], ["heat", "light"])
    problem = sb.CostVarying(
        variables + ([WEATHER] if "seen" in traits else []),
        [["light"], ["heat", "water"], ["heat", "light", "water"]],
        costs=[1, 2, 3] if "costs" in traits else None,
        tolerance=sb.Absolute(0.1) if "tolerance" in traits else None,
        nature=rows if "nature" in traits else None,
        drift="learned" if "drift" in traits else None,
        limits=_limits(traits, LIMITS),
    )

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        a, b = MIX[int(random.integers(len(MIX)))]
        drawn = {"heat": 10 + 20 * a, "light": (a + b) / 2, "water": random.random()}
        x = {**drawn, **suggestion.values}
        wanted = 20 + 8 * suggestion.context.get("weather", 0.5) + 0.2 * suggestion.round
        value = -(((x["heat"] - wanted) / 10) ** 2) - (x["light"] - 0.6) ** 2 - (x["water"] - 0.3) ** 2
        return {"value": float(value + 0.05 * random.normal()), "realised": x | _damp(x["water"], traits)}

    return Case(problem, "cheap-first", evaluate, request=_asked(traits), rounds=ROUNDS)


def clinic(*traits: str) -> Case:
    """Causal: a dose after looking at the age, and the pulse that follows."""
    graph = sb.CausalGraph.from_text(
        "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; weather -> y",
        target="y",
        intervenable=["dose", "rest"],
    )
    variables: list[Any] = [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse")]
    weather = WEATHER if "seen" in traits else sb.Float("weather", 0, 1)
    prices: Any = {"prices": {"dose": 2, "rest": 1, "age": 0.5}, "base": 1}
    problem = sb.Causal(
        graph,
        [*variables, weather],
        drift="learned" if "drift" in traits else None,
        tolerance=sb.Absolute(0.2) if "tolerance" in traits else None,
        limits=_limits(traits, [sb.LinearConstraint({"dose": 1, "rest": 1}, at_most=1.5)]),
        **(prices if {"prices", "tolerance"} & set(traits) else {}),
    )

    def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        return {name: float(random.random()) for name in suggestion.observe}

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        x = {"dose": 0.5, "rest": 0.5, **suggestion.values, **suggestion.context}
        value = -((x["dose"] - x.get("age", 0.5)) ** 2) - (x["rest"] - x.get("weather", 0.5)) ** 2
        return {"value": float(value + 0.05 * random.normal()), "realised": _damp(x["dose"], traits)}

    options = {"initial": 1} if (method := default_method(problem)) == "coca-bo" else {}
    return Case(problem, method, evaluate, look, request=_asked(traits), options=options, rounds=ROUNDS)


def fleet(*traits: str) -> Case:
    """Mean-field: where forty vans should wait."""
    problem = sb.MeanField(
        ("north", "south", "harbour"),
        agents=40,
        variables=[WEATHER] if "seen" in traits else None,
        moving_cost=0.1 if "moving" in traits else 0.0,
        capacity={"harbour": 12} if "capacity" in traits else {},
        drift=sb.Decay(0.05) if "drift" in traits else None,
        limits=[sb.Share("south", at_least=0.1)] if "limits" in traits else None,
    )

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        share = next(iter(suggestion.values["distribution"].values())).get("north", 0.0)
        wanted = 0.3 + 0.4 * suggestion.context.get("weather", 0.5)
        return {"value": float(-((share - wanted) ** 2) + 0.02 * random.normal())}

    return Case(problem, "mf-gp-ucb", evaluate, request=_asked(traits), options={"starts": 4}, rounds=ROUNDS)


def stream(*traits: str) -> Case:
    """Time-varying: a sensor whose best place drifts."""
    priors = [sb.Prior(SquaredExponential(ell), drift=sb.Decay(0.05), noise=0.1) for ell in (0.2, 0.5)]
    variables = [sb.Float("place", 0, 1), *([WEATHER] if "seen" in traits else [])]
    limits = [sb.LinearConstraint({"place": 1, **({"weather": 0.2} if "seen" in traits else {})}, at_most=0.9)]
    problem = sb.TimeVarying(variables, "auto" if "unknown" in traits else priors, limits=_limits(traits, limits))

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        wanted = 0.5 + 0.3 * np.sin(0.2 * suggestion.round) * suggestion.context.get("weather", 1.0)
        place = suggestion.values["place"]
        value = float(-((place - wanted) ** 2) + 0.05 * random.normal())
        return {"value": value, "realised": _damp(place, traits)}

    asked = _asked(traits)

    def request(number: int) -> dict[str, Any]:
        available = {"available": {"place": (0.1 * (number % 3), 1.0)}} if "available" in traits else {}
        return {**asked(number), **available}

    return Case(problem, default_method(problem), evaluate, request=request, rounds=ROUNDS)


def _limits(traits: tuple[str, ...], linear: list[Any]) -> list[Any] | None:
    """On what is set together, and on what is measured."""
    found = (linear if "limits" in traits else []) + ([DAMP] if "OutcomeConstraint" in traits else [])
    return found or None


def _damp(water: float, traits: tuple[str, ...]) -> dict[str, float]:
    """What is measured beside, where that has a limit."""
    return {DAMP.name: 2 * float(water)} if "OutcomeConstraint" in traits else {}


def _asked(traits: tuple[str, ...]) -> Callable[[int], dict[str, Any]]:
    """What is seen, and what time it is."""

    def request(number: int) -> dict[str, Any]:
        seen = {"context": {"weather": round(number * 0.618 % 1, 3)}} if "seen" in traits else {}
        return {**seen, **({"time": 1.5 * number} if "drift" in traits or "time" in traits else {})}

    return request


@dataclass(frozen=True)
class Kind:
    """A world of a kind of problem, and which traits it has: all of them go together."""

    world: Callable[..., Case]
    traits: tuple[str, ...]


KINDS: Mapping[str, Kind] = {
    "cost-varying": Kind(
        greenhouse,
        ("seen", "costs", "change", "nature", "drift", "tolerance", "learned", "limits", "OutcomeConstraint"),
    ),
    "time-varying": Kind(stream, ("seen", "time", "available", "unknown", "limits", "OutcomeConstraint")),
    "causal": Kind(clinic, ("seen", "drift", "prices", "tolerance", "limits", "OutcomeConstraint")),
    "mean-field": Kind(fleet, ("seen", "drift", "moving", "capacity", "limits")),
}


def _pairs(chosen: frozenset[str], traits: tuple[str, ...]) -> set[tuple[str, str, bool, bool]]:
    """Every two traits, and which of them are chosen."""
    return {(one, two, one in chosen, two in chosen) for one, two in combinations(traits, 2)}


def _covering(traits: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All traits at once, and few further choices, found greedily: of every two traits both are there in one of them,
    each without the other, and neither."""
    sizes = range(len(traits), -1, -1)
    choices = [frozenset(chosen) for number in sizes for chosen in combinations(traits, number)]
    found, left = [traits], set().union(*(_pairs(chosen, traits) for chosen in choices)) - _pairs(choices[0], traits)
    while left:
        best = max(choices, key=lambda chosen: len(_pairs(chosen, traits) & left))
        found.append(tuple(trait for trait in traits if trait in best))
        left -= _pairs(best, traits)
    return found


def _together() -> list[Any]:
    """Every pair of a kind's traits with and without others, and all at once; at full size every pair alone, too."""
    found = []
    for name, kind in KINDS.items():
        groups = dict.fromkeys([*_covering(kind.traits), *(combinations(kind.traits, 2) if FULL else ())])
        found += [pytest.param(kind.world, traits, id=f"{name}: {' + '.join(traits)}") for traits in groups]
    return found


def _play(case: Case, study: Any, until: int) -> None:
    """A batch, what was out before, and one that fails; then one by one."""
    while len(study.history) < until and not study.status.finished:
        number = len(study.history) + 1
        batch = 2 if number in (1, 6) else None
        asked = study.ask(batch=batch, **case.request(number))
        for suggestion in reversed(asked if batch else [asked]):
            decided = suggestion
            while decided.observe:
                decided = study.decide(decided, case.seen(decided))
            if suggestion.round == 4:
                study.fail(decided, "broke", cost=1.0)
            else:
                study.tell(decided, **case.outcome(decided))


@pytest.mark.few_draws
@pytest.mark.parametrize(("world", "traits"), _together())
def test_what_goes_together_is_played_replayed_and_reopened(
    world: Callable[..., Case], traits: tuple[str, ...], tmp_path: Path
) -> None:
    case = world(*traits)
    file = tmp_path / "study.toml"
    tables = {"problem": to_dict(case.problem), "study": {"rounds": ROUNDS, "seed": 7}}
    file.write_text("\n".join(f"{name} = {_toml(table)}" for name, table in tables.items()), encoding="utf-8")
    problem = read_study(file).problem
    assert problem == case.problem
    with Study.create(tmp_path / "log.db", problem, case.method, rounds=ROUNDS, seed=7, options=case.options) as study:
        assert study.events[0] == case.start(rounds=ROUNDS).events[0]
        _play(case, study, 5)
        begun = [from_dict(Event, to_dict(event)) for event in study.events]
    with Study.open(tmp_path / "log.db") as study:
        _play(case, study, ROUNDS)
        assert study.status.finished
        assert (study.status.told, study.status.failed) == (ROUNDS - 1, 1)
        events, answers = values_of(study.events), bits([study.recommend(), study.status])
        assert str(study.explain())

    straight = sb.Optimizer.replay(case.problem, begun)  # it goes on in this process, and was never reopened
    _play(case, straight, ROUNDS)
    assert values_of(straight.events[1:]) == events[1:]
    assert bits([straight.recommend(), straight.status]) == answers


def _toml(value: Any) -> str:
    """Plain data as TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


LEARNED, SEEN = sb.Float("x", 0, 1, law=sb.space.Learned()), sb.Float("w", 0, 1, law=sb.space.Learned(), seen=True)
CHANGING = sb.Float("x", 0, 1, change=CHANGE)
GRAPH = sb.CausalGraph([("x", "y")], target="y", intervenable=["x"])
ROWS = sb.space.JointRows([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], ["x", "z"])
X = sb.Float("x", 0, 1)
MADE: Mapping[str, Callable[..., Any]] = {
    "cost-varying": lambda **given: sb.CostVarying(**{"variables": [X], "control_sets": [["x"]], **given}),
    "time-varying": lambda **given: sb.TimeVarying(**{"variables": [X], **given}),
    "causal": lambda **given: sb.Causal(**{"graph": GRAPH, "variables": [X], **given}),
    "mean-field": lambda **given: sb.MeanField(**{"actions": ["a", "b"], "agents": 10, **given}),
}
APART: list[tuple[str, dict[str, Any], str]] = [
    ("time-varying", {"costs": [1]}, "all rounds cost alike.*cost-varying problem"),
    ("time-varying", {"prices": {"x": 1}}, "all rounds cost alike"),
    ("time-varying", {"control_sets": [["x"]]}, "Everything is set in every round"),
    ("time-varying", {"tolerance": sb.Absolute(0.1)}, "all rounds cost alike"),
    ("time-varying", {"variables": [CHANGING]}, "has no costs of changes.*cost-varying problem"),
    ("time-varying", {"nature": ROWS}, "Nature draws nothing here.*seen"),
    ("time-varying", {"variables": [LEARNED]}, "stated"),
    ("causal", {"variables": [LEARNED]}, "stated"),
    ("mean-field", {"variables": [SEEN]}, "no law"),
    ("time-varying", {"drift": "learned"}, "priors.*learned"),
    ("time-varying", {"graph": GRAPH}, "causal problems"),
    ("causal", {"variables": [CHANGING]}, "has no costs of changes.*cost-varying problem"),
    ("causal", {"costs": [1]}, "prices"),
    ("causal", {"control_sets": [["x"]]}, "intervenable.*scopes follow"),
    ("causal", {"nature": ROWS}, "follow from the graph.*add"),
    ("time-varying", {"value_of_one": 2.0}, "all rounds cost alike"),
    ("causal", {"value_of_one": 2.0}, "Only cost-varying problems take it"),
    ("mean-field", {"value_of_one": 2.0}, "Every distribution costs alike"),
    ("causal", {"moving_cost": 1}, "cost-varying problem.*change"),
    ("mean-field", {"costs": [1]}, "moving_cost"),
    ("mean-field", {"drift": "learned"}, "how payoffs change"),
    ("mean-field", {"change": CHANGE}, "moving_cost"),
    ("mean-field", {"tolerance": sb.Absolute(0.1)}, "Every distribution costs alike"),
    ("mean-field", {"prices": {"a": 1}}, "moving_cost"),
    ("mean-field", {"control_sets": [["x"]]}, "steered in every round"),
    ("mean-field", {"nature": ROWS}, "seen"),
    ("mean-field", {"graph": GRAPH}, "causal problems"),
    ("cost-varying", {"graph": GRAPH}, "nature.*causal problem"),
    ("cost-varying", {"prices": {"x": 1}}, "costs"),
    ("cost-varying", {"moving_cost": 1}, "change"),
    ("mean-field", {"limits": [DAMP]}, "Share or Headcount"),
    ("cost-varying", {"priors": "auto"}, "time-varying problems"),
]
"""What does not go together: the kind, what it is given, and what is said of it."""


def _name(given: Mapping[str, Any]) -> str:
    """The trait that is not taken."""
    for variable in given.get("variables") or ():
        return "change" if variable.change else "learned"
    return "OutcomeConstraint" if given.get("limits") == [DAMP] else next(iter(given))


@pytest.mark.parametrize(("kind", "given", "said"), APART, ids=[f"{kind}: {_name(given)}" for kind, given, _ in APART])
def test_what_does_not_go_together_is_refused_by_name(kind: str, given: dict[str, Any], said: str) -> None:
    field = {"learned": "law", "OutcomeConstraint": "limits"}.get(name := _name(given), name)
    with pytest.raises(InvalidProblem, match=rf"(?s){field}[.\d]*: .* is not allowed; .*{said}"):
        sb.Optimizer(MADE[kind](**given))


def test_variables_play_one_part() -> None:
    """What is seen is not moved and not in a control set; what is drawn together has no law of its own."""
    with pytest.raises(InvalidProblem, match=r"change.*seen before choosing, so it is never moved"):
        sb.Float("x", 0, 1, change=CHANGE, seen=True)
    others = [sb.Float("x", 0, 1), sb.Float("z", 0, 1), sb.Float("free", 0, 1)]
    for name, changes, said in (
        ("x", {"law": sb.Uniform()}, r"nature\.columns\.0.*without a law"),
        ("free", {"seen": True}, r"control_sets\.0.*seen before choosing, so it cannot be set"),
    ):
        variables = [replace(v, **changes) if v.name == name else v for v in others]
        with pytest.raises(InvalidProblem, match=said):
            sb.CostVarying(variables, [["free"]], nature=ROWS)


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "methods.md"


def test_the_page_says_what_goes_with_what() -> None:
    """Every yes is played here, every no is refused here, and nothing that is played is missing."""
    table = PAGE.read_text(encoding="utf-8").partition("## Several things at once")[2]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line[:1] == "|"]
    kinds = [cell.strip() for cell in rows[0][1:]]
    assert kinds == list(KINDS)
    refused = {(kind, _name(given)) for kind, given, _ in APART}
    told = 0
    for what, *cells in rows[2:]:
        trait = what.split("`")[1].partition("=")[0].strip('"')
        for kind, cell in zip(kinds, cells, strict=True):
            if cell.strip().startswith("yes"):
                assert trait in KINDS[kind].traits, f"{kind}: {trait} is not played"
            else:
                assert (kind, trait) in refused, f"{kind}: {trait} is not refused"
            told += 1
    assert told == len(kinds) * 10
