"""What nature draws together: joint rows in every method of the wing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core.events import Event
from steerbo.costvarying._nature import NatureModel
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.study import Study, read_study
from steerbo.surrogate import Expectation, ProductKernelPosterior, parts_of
from steerbo.testing import Case, TraitContract
from tests.costvarying.worlds import given_case, rows_case, sizes

pytestmark = pytest.mark.few_draws


class TestCheapFirst(TraitContract):
    @staticmethod
    def case() -> Case:
        return rows_case("cheap-first")


class TestGivenWhatIsSeen(TraitContract):
    @staticmethod
    def case() -> Case:
        return given_case("cheap-first")


class TestTsPsq(TraitContract):
    @staticmethod
    def case() -> Case:
        return rows_case("ts-psq")


def weather(rho: float, rows: int = 150) -> Any:
    drawn = np.random.default_rng(1).multivariate_normal([0, 0], [[1, rho], [rho, 1]], rows)
    return np.clip(0.5 + 0.15 * drawn, 0.01, 0.99)


def problem(rows: np.ndarray, joint: bool = True) -> sb.CostVarying:
    """Heat and damp, drawn together or each by itself, and a valve that can be set."""
    laws: list[Any] = [None if joint else sb.space.Empirical(column) for column in rows.T]
    return sb.CostVarying(
        [
            sb.Float("valve", 0, 1),
            sb.Float("heat", 0, 1, law=laws[0]),
            sb.Float("damp", 0, 1, law=laws[1]),
        ],
        [["valve"], ["valve", "heat"]],
        costs=[0.1, 1.0],
        nature=sb.space.JointRows(rows.tolist(), ["heat", "damp"]) if joint else None,
    )


def crop(valve: float, heat: float, damp: float) -> float:
    return 1 - 4 * (valve - 0.6) ** 2 + 8 * (heat - 0.5) * (damp - 0.5)


def informed(rows: np.ndarray, joint: bool = True) -> sb.Optimizer:
    """With forty plots elsewhere to learn from, so that what is unsure is the average."""
    optimizer = sb.Optimizer(problem(rows, joint), "cheap-first", seed=3, rounds=50)
    for valve, heat, damp in np.random.default_rng(2).random((40, 3)).tolist():
        realised = {"valve": valve, "heat": heat, "damp": damp}
        optimizer.add(crop(**realised), realised)
    optimizer.ask()  # so that the model is fitted
    return optimizer


@pytest.mark.parametrize("held", [("valve",), ("valve", "heat")])
def test_averages_are_those_over_the_rows(held: tuple[str, ...]) -> None:
    rows = weather(0.9)
    optimizer: Any = informed(rows)
    method: Any = optimizer._method
    process = ProductKernelPosterior.of(method.model, np.empty((0, 3)))
    laws = NatureModel(optimizer.problem.space, optimizer.problem.nature).at({}, True)
    expectation = Expectation.over(process, parts_of(method.problem.space.names, held, {}, laws))
    for setting in ([0.3, 0.2], [0.8, 0.7]):
        full = np.column_stack([np.full(len(rows), setting[0]), rows])
        if "heat" in held:
            full[:, 1] = setting[1]
        expected = process.mean + process.variance * np.mean(
            [
                np.prod([process.factor(d, row[d : d + 1], process.inputs[:, d])[0] for d in range(3)], axis=0)
                @ process.weights
                for row in full
            ]
        )
        assert expectation.mean(np.array([setting[: len(held)]]))[0] == pytest.approx(
            expected, abs=1e-7
        )  # without noise, weights cancel


@pytest.mark.parametrize("rho", [0.9, -0.9])
def test_bounds_cover_what_variables_that_go_together_give(rho: float) -> None:
    """Laws taken as independent miss it, and say that they are sure."""
    rows = weather(rho)
    truth = 1 + 8 * float(((rows - 0.5).prod(axis=1)).mean())
    for joint in (True, False):
        advice = informed(rows, joint).recommend()
        cheap: Any = next(row for row in (advice, *advice.alternatives) if row.scope.set == ("valve",))
        assert cheap.values["valve"] == pytest.approx(0.6, abs=0.03)
        assert (cheap.lower - 0.005 <= truth <= cheap.upper + 0.005) == joint


@pytest.mark.parametrize(("logs", "least"), sizes((8, 5), (24, 23)))
def test_answers_count_that_few_rows_know_little_and_choices_do_not(logs: int, least: int) -> None:
    """Of 24 logs of thirty days, each a draw from the same climate, all cover what that gives: without, 21 did.

    95 of 100 are meant to: with other seeds a false alarm in 2700 drawings of 8 logs, and in 3 of 24.
    """
    climate = weather(0.9, 4000)
    truth = 1 + 8 * float(((climate - 0.5).prod(axis=1)).mean())
    covered = []
    for seed in range(logs):
        log = climate[np.random.default_rng(seed).choice(len(climate), 30, replace=False)]
        optimizer: Any = informed(log)
        method, advice = optimizer._method, optimizer.recommend()
        cheap: Any = next(row for row in (advice, *advice.alternatives) if row.scope.set == ("valve",))
        covered.append(cheap.lower <= truth <= cheap.upper)
        choosing, answering = method.candidates({}), method.answers.candidates({})
        sd = [each.expectation(0).of_mean().moments(np.array([[0.6]]))[1][0] for each in (choosing, answering)]
        assert sd[1] > 1.2 * sd[0]
    assert sum(covered) >= least


def test_a_pending_point_is_imagined_as_a_whole_row() -> None:
    rows = weather(-0.9)
    optimizer: Any = informed(rows)
    optimizer.ask(batch=3)
    asked = optimizer.history.pending
    method: Any = optimizer._method
    points = method.surrogate.pending_points()
    assert len(points) == len(asked) == 4
    for suggestion, point in zip((each.suggestion for each in asked), points, strict=True):
        assert point[0] == suggestion.values["valve"]
        near = (
            np.abs(rows - point[1:]).max(axis=1) if "heat" not in suggestion.values else np.abs(rows[:, 1] - point[2])
        )
        assert near.min() < 1e-12


def test_a_long_log_is_thinned_and_goes_into_the_log_as_it_is() -> None:
    rows = weather(0.5, 2000)
    optimizer: Any = informed(rows)
    law: Any = NatureModel(optimizer.problem.space, optimizer.problem.nature).at({}, True)["heat"].law
    assert len(law.points) <= 200
    optimizer.ask()
    lines = json.loads(json.dumps([to_dict(event) for event in optimizer.events]))
    again = sb.Optimizer.replay(
        from_dict(sb.CostVarying, json.loads(json.dumps(to_dict(optimizer.problem)))),
        [from_dict(Event, line) for line in lines],
    )
    assert again.problem == optimizer.problem
    assert to_dict(again.recommend()) == to_dict(optimizer.recommend())


def test_without_rows_a_log_reads_as_it_did() -> None:
    assert "nature" not in to_dict(problem(weather(0.5), joint=False))


VALVE, HEAT, DAMP = sb.Float("valve", 0, 1), sb.Float("heat", 0, 1), sb.Float("damp", 0, 1)
GOOD = [[0.1, 0.2], [0.3, 0.4]]
REFUSED: dict[str, tuple[list[Any], Any, str]] = {
    "unknown": ([VALVE, HEAT, DAMP], (GOOD, ["heat", "dmp"]), r"nature\.columns\.1: 'dmp' .*mean 'damp'"),
    "both": (
        [VALVE, HEAT, sb.Float("damp", 0, 1, law=sb.Uniform())],
        (GOOD, ["heat", "damp"]),
        r"nature\.columns\.1: 'damp' .*without a law of its own",
    ),
    "seen": (
        [VALVE, sb.Float("heat", 0, 1, seen=True), sb.Float("damp", 0, 1, seen=True)],
        (GOOD, ["heat", "damp"]),
        r"nature\.columns: .*at least one that is not",
    ),
    "neither": (
        [VALVE, HEAT, DAMP],
        ([[0.1], [0.2]], ["heat"]),
        r"variables\.damp\.law: None .*leaves 'damp' to nature",
    ),
    "a text": (
        [VALVE, HEAT, DAMP],
        ([[0.1, "x"], [0.2, 0.3]], ["heat", "damp"]),
        r"nature\.rows\.0\.1: 'x' .*for damp",
    ),
    "no choice": (
        [VALVE, HEAT, sb.Categorical("damp", ["yes", "no"])],
        ([[0.1, "yes"], [0.2, "never"]], ["heat", "damp"]),
        r"nature\.rows\.1\.1: 'never'",
    ),
    "too far out": (
        [VALVE, HEAT, DAMP],
        ([[0.1, 0.2], [0.2, 1e9]], ["heat", "damp"]),
        r"nature\.rows\.1\.1: 1000000000",
    ),
    "out of bounds": (
        [VALVE, HEAT, DAMP],
        ([[0.1, 0.2], [0.2, 1.5]], ["heat", "damp"]),
        r"nature\.rows\.1\.1: 1\.5 .*at most 1 % of 'damp' outside \[0, 1\] \(here 1 of 2 rows\)",
    ),
    "no rows": ([VALVE, HEAT, DAMP], (3, ["heat", "damp"]), r"rows: 3 .*a list"),
}


@pytest.mark.parametrize(("variables", "given", "says"), REFUSED.values(), ids=REFUSED)
def test_rows_that_do_not_suit(variables: list[Any], given: Any, says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        sb.CostVarying(variables, [["valve"]], nature=sb.space.JointRows(*given))


def seeing(rows: np.ndarray) -> sb.CostVarying:
    """Damp follows heat, which the forecast says."""
    return sb.CostVarying(
        [sb.Float("valve", 0, 1), sb.Float("heat", 0, 1, seen=True), sb.Float("damp", 0, 1)],
        [["valve"]],
        nature=sb.space.JointRows(rows.tolist(), ["heat", "damp"]),
    )


def damp_at(optimizer: Any, answering: bool = False, **seen: float) -> Any:
    nature = optimizer._method.search_space.nature
    law = (nature.for_answers if answering else nature.at)(seen)["damp"].law
    nodes, weights = law.rule([1], np.ones(1))
    return float(weights @ nodes[:, 0]), law


def test_what_is_seen_says_what_the_other_columns_do() -> None:
    """Correlation .9, standard deviations .15 each: damp is expected at .5 + .9 (heat − .5)."""
    optimizer = sb.Optimizer(seeing(weather(0.9, 365)), "cheap-first", seed=0)
    for heat in (0.3, 0.5, 0.7):
        assert damp_at(optimizer, heat=heat)[0] == pytest.approx(0.5 + 0.9 * (heat - 0.5), abs=0.03)
    few, many = damp_at(optimizer, True, heat=0.5)[1].count, damp_at(optimizer, True)[1].count
    assert 20 < few < many == 365
    assert damp_at(optimizer, heat=0.5)[1].count is None, "choices take it for sure"


def test_answers_follow_the_forecast_and_where_there_is_none_the_rows() -> None:
    """The best valve is where damp is: high on a hot day, in the middle where nobody knows."""
    optimizer = sb.Optimizer(seeing(weather(0.9, 365)), "cheap-first", seed=0, rounds=40)
    days = np.random.default_rng(5).permutation(weather(0.9, 365))
    for number, (heat, damp) in enumerate(days[:40].tolist()):
        suggestion = optimizer.ask(context={"heat": heat} if number % 4 else {})
        assert suggestion is not None
        value = -((suggestion.values["valve"] - damp) ** 2)
        optimizer.tell(suggestion, value, realised={"heat": heat, "damp": damp})
    assert optimizer.status.findings == ()
    valves = [optimizer.policy({"heat": heat}).values["valve"] for heat in (0.25, 0.75)]
    assert valves == pytest.approx([0.275, 0.725], abs=0.06)
    assert optimizer.policy({}).values["valve"] == pytest.approx(0.5, abs=0.06)
    again = sb.load(optimizer.to_json())
    assert to_dict(again.recommend()) == to_dict(optimizer.recommend())


STUDY = """
[problem]
kind = "cost-varying"
control_sets = [["valve"], ["valve", "heat"]]
nature = { NATURE }
variables = [
  { kind = "float", name = "valve", low = 0, high = 1 },
  { kind = "float", name = "heat", low = -10, high = 40 },
  { kind = "categorical", name = "sky", choices = ["wet", "dry"] },
]
[study]
rounds = 3
"""


def test_rows_stand_in_a_file_beside_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "weather.csv").write_text("Heat;day;sky\n20,5;1;dry\n\n-3,5;2;wet\n20,5;3;dry\n")
    file = tmp_path / "study.toml"
    file.write_text(STUDY.replace("NATURE", 'file = "weather.csv", columns = ["heat", "sky"]'))
    stated: Any = read_study(file).problem
    assert stated.nature == sb.space.JointRows([[20.5, "dry"], [-3.5, "wet"], [20.5, "dry"]], ["heat", "sky"])
    assert stated.use(stated.space["heat"]) == "left to itself as in 3 rows of heat, sky"
    assert stated.use(stated.space["valve"]) == ""
    with Study.create(tmp_path / "study.db", stated, rounds=3):
        (tmp_path / "weather.csv").unlink()
    with Study.open(tmp_path / "study.db") as study:
        assert study.problem == stated, "the log says it all"
    file.write_text(STUDY.replace("NATURE", 'rows = [[20.5, "dry"], [-3.5, "wet"]], columns = ["heat", "sky"]'))
    in_place: Any = read_study(file).problem
    assert len(in_place.nature.rows) == 2


IN_FILES = {
    "no file": ('file = "none.csv", columns = ["heat"]', "nature.file: 'none.csv'.*beside the study file"),
    "no column": ('file = "w.csv", columns = ["heat", "humid"]', r"nature.columns: 'humid' .*a column of w\.csv"),
    "no columns": ('file = "w.csv"', "nature.columns: None .*a list of variables"),
    "both": ('file = "w.csv", columns = ["heat"], rows = [[1]]', "not both"),
    "a text": ('file = "w.csv", columns = ["day", "sky"]', r"w\.csv, line 2: 'Monday' .*a number in column 'day'"),
    "a gap": ('file = "w.csv", columns = ["heat", "sky"]', r"w\.csv, line 3: '' .*a value in column 'sky'"),
    "no such field": ('file = "w.csv", columns = ["heat"], weight = 3', "weight"),
}


@pytest.mark.parametrize(("nature", "says"), IN_FILES.values(), ids=IN_FILES)
def test_files_that_are_refused(tmp_path: Path, nature: str, says: str) -> None:
    (tmp_path / "w.csv").write_text("day;heat;sky\nMonday;20;wet\nTuesday;21;\n")
    (tmp_path / "study.toml").write_text(STUDY.replace("NATURE", nature))
    with pytest.raises(InvalidProblem, match=says) as caught:
        read_study(tmp_path / "study.toml")
    assert str(caught.value).startswith("study.toml: problem.")
