"""Messages that help: what is missing, what was meant, what is unlikely to be meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo._wording import SHELL
from steerbo.errors import InvalidOutcome, InvalidProblem, InvalidRequest, SteerboError
from steerbo.study import Study
from tests.cli.calls import call

NATURE = sb.Uniform()
TWO = [sb.Float("temperature", 0, 10, law=NATURE), sb.Float("ph", 0, 10, law=NATURE)]
FILE = """
[study]
LIMITS
[problem]
kind = "cost-varying"
control_sets = [["x"], ["x", "y"]]
variables = [
    { kind = "float", name = "x", low = 0, high = 10, law = "uniform" },
    { kind = "float", name = "y", low = 0, high = 10, law = { kind = "uniform" } },
]
"""


def written(folder: Path, more: str = "", limits: str = "budget = 20") -> Path:
    place = folder / "study.toml"
    place.write_text(FILE.replace("LIMITS", limits) + more)
    return place


def test_a_tolerance_that_is_a_number_is_shown_all_kinds(tmp_path: Path) -> None:
    said = call("check", written(tmp_path, "tolerance = 1.0")).stderr
    assert 'kind = "fraction", share = …' in said
    assert 'kind = "absolute", difference = …' in said


def test_the_word_uniform_is_a_law(tmp_path: Path) -> None:
    assert call("check", written(tmp_path)).exit_code == 0


def test_a_missing_variable_is_named_before_one_that_is_unknown() -> None:
    optimizer = sb.Optimizer(sb.CostVarying(TWO, [["ph"]]), "random", rounds=5)
    with pytest.raises(SteerboError) as caught:
        optimizer.tell(optimizer.ask(), 1.0, realised={"humidity": 70.0})
    assert str(caught.value).startswith("realised.temperature: missing; expected the measured value of 'temperature'")
    assert "realised.humidity: 70.0" in str(caught.value)


def test_what_is_unlikely_to_be_meant_is_said_by_check(tmp_path: Path) -> None:
    said = call("check", written(tmp_path, "costs = [3, 4]", "budget = 2"))
    assert said.exit_code == 2
    assert "enough for at least one round" in said.stderr
    said = call("check", written(tmp_path, "costs = [3, 1]"))
    assert "x + y costs 1 a round, and x, which is a part of it, 3" in " ".join(said.stdout.split())


@pytest.mark.parametrize(
    ("tolerance", "said"),
    [
        (
            '{ kind = "absolute", difference = 1000.0 }',
            "within 1000 of the best, and all 9 outcomes so far lie within",
        ),
        ('{ kind = "threshold", value = 50.0 }', "None of 9 outcomes is good enough, which takes 50; the best is 8"),
    ],
)
def test_a_tolerance_that_tells_nothing_apart_is_said(tmp_path: Path, tolerance: str, said: str) -> None:
    place = written(tmp_path, f"costs = [3, 4]\ntolerance = {tolerance}")
    call("new", place)
    with Study.open(place.with_suffix(".db")) as study:
        for k in range(9):
            study.add(float(k), {"x": float(k), "y": float(9 - k)})
        assert any(said in found.text for found in study.status.findings)
    assert said in call("check", place).stderr


@pytest.mark.parametrize("wing", ["cost-varying", "causal"])
def test_nothing_is_called_good_enough_where_a_threshold_is_out_of_reach(wing: str) -> None:
    tolerance = sb.costvarying.Threshold(50.0)
    problem: Any = sb.CostVarying(TWO, [["temperature"], ["ph"]], costs=[1, 2], tolerance=tolerance)
    if wing == "causal":
        graph = sb.CausalGraph([("temperature", "y"), ("ph", "y")], target="y", intervenable=["temperature", "ph"])
        problem = sb.Causal(graph, TWO, prices={"temperature": 1, "ph": 2}, base=1, tolerance=tolerance)
    optimizer = sb.Optimizer(problem, "cheap-first", rounds=30, seed=1)
    for k in range(8):
        optimizer.add(5.0 - (k - 3) ** 2 / 4, {"temperature": float(k), "ph": float(9 - k)})
    said = str(optimizer.recommend())
    assert "good enough is at least 50, which nothing is expected to reach: this comes nearest" in said


def test_a_limit_that_no_play_kept_may_be_out_of_reach() -> None:
    limit = sb.OutcomeConstraint("stress", at_most=0.5)
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 10)], [["x"]], limits=[limit]), "random", rounds=40)
    for _ in range(12):
        asked = optimizer.ask()
        optimizer.tell(asked, asked.values["x"], realised={"stress": 1 + asked.values["x"] // 2})
    assert "stress = 1 came nearest: the limit may be out of reach" in str(optimizer.status)


@pytest.mark.parametrize(("wrong", "meant"), [("realized", "realised"), ("costs", "cost")])
def test_an_argument_that_is_spelt_otherwise_is_guessed(wrong: str, meant: str) -> None:
    optimizer: Any = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 10)], [["x"]]), "random", rounds=40)
    with pytest.raises(InvalidRequest, match=f"did you mean '{meant}'"):
        optimizer.tell(optimizer.ask(), 1.0, **{wrong: {"x": 3}})


def test_options_are_arguments_of_their_own() -> None:
    begin: Any = sb.Optimizer
    with pytest.raises(SteerboError, match=r"each option as an argument of its own\. Write beta=0\.5"):
        begin(sb.CostVarying(TWO, [["ph"]]), rounds=3, options={"beta": 0.5})


def test_what_a_failure_cost_is_no_price() -> None:
    problem = sb.CostVarying(TWO, [["temperature"], ["ph"], ["temperature", "ph"]], tolerance=sb.Absolute(5.0))
    optimizer = sb.Optimizer(problem, "random", budget=200, seed=3)
    rows = [
        (1.0, 2.0, 3.0, "temperature"),
        (1.0, 7.0, 5.0, "temperature"),
        (1.5, 4.0, 8.0, "ph"),
        (2.5, 9.0, 1.0, "ph"),
    ]
    for cost, temperature, ph, scope in rows:
        optimizer.add(temperature + ph, {"temperature": temperature, "ph": ph}, cost=cost, scope=[scope])
    while len((asked := optimizer.ask()).values) < 2:
        optimizer.abandon(asked)
    optimizer.fail(asked, cost=1.0)
    answer = optimizer.recommend()
    costs = {str(each.scope): each.cost for each in (answer, *answer.alternatives)}
    assert costs["temperature + ph"] is None
    assert str(answer.scope) == "temperature"


@pytest.mark.parametrize("counts", [False, True])
def test_counts_of_a_fleet_that_do_not_add_up_are_no_shares(counts: bool) -> None:
    fleet = sb.MeanField(actions=["a", "b", "c"], agents=3, largest_move=0.5, counts=counts)
    optimizer = sb.Optimizer(fleet, "random", rounds=5)
    for current in ({"a": 1, "b": 1}, {"a": 1}):
        with pytest.raises(
            InvalidRequest, match=rf"add up to its 3 agents, not to {sum(current.values())}.*write 1 as 1\.0"
        ):
            optimizer.ask(current=current)
    optimizer.tell(optimizer.ask(current={"a": 1.0}), 2.0)
    with pytest.raises(InvalidOutcome, match="add up to its 3 agents"):
        optimizer.tell(optimizer.ask(), 2.0, realised={"counts": {"a": 1}})


def test_what_a_full_study_and_parts_of_an_agent_say() -> None:
    """Each door in its own words; a number of agents where a share is meant, and the other way round."""
    fleet = sb.Optimizer(sb.MeanField(["a", "b"], agents=12, counts=True), rounds=1, seed=0)
    asked = fleet.ask()
    with pytest.raises(InvalidOutcome, match=r"3\.4 .* told as shares, the `distribution`"):
        fleet.tell(asked, 1.0, realised={"counts": {"a": 3.4, "b": 8.6}})
    fleet.tell(asked, 1.0)
    with pytest.raises(InvalidRequest, match=r"by revise\(") as full:
        fleet.attach({"counts": {"a": 3, "b": 9}})
    assert "changing the study file, then `steerbo extend STUDY.TOML`" in full.value.worded(SHELL)
    with pytest.raises(InvalidProblem, match=r"share of a context's agents: 2 of 12 are 0\.167"):
        sb.MeanField(["a", "b"], agents=12, largest_move=2)
