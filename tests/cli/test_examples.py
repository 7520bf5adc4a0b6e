"""Every study in `examples/` is valid, runs, and finds what it should; `check` says in words what each one is."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import call
from tests.sizes import size

EXAMPLES = Path(__file__).parents[2] / "examples"
RUN = ("greenhouse", "dose", "fleet", "kiln", "polytunnel", "clinic-prices", "clinic-by-the-milligram")


def copied(name: str, folder: Path, budget: float | None = None) -> Path:
    """A copy of an example's study file, which its programs run under this Python; its budget may be another."""
    shutil.copytree(EXAMPLES / name, folder / "copy", ignore=shutil.ignore_patterns("study.db*"))
    study = folder / "copy" / "study.toml"
    text = study.read_text(encoding="utf-8").replace('"python3"', json.dumps(sys.executable))
    if budget is not None:
        text, times = re.subn(r"(?m)^budget = .*$", f"budget = {budget}", text)
        assert times == 1
    study.write_text(text, encoding="utf-8")
    return study


@pytest.fixture
def example(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """An example that has not begun."""
    return copied(request.param, tmp_path)


@dataclass(frozen=True)
class Run:
    """A study file whose study has been run to its end, and what the command said of it."""

    study: Path
    said: dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """Examples that were run to their ends, each once: tests only read them."""
    runs: dict[str, Run] = {}

    def run_once(name: str) -> Run:
        if name not in runs:
            study = copied(name, tmp_path_factory.mktemp(name), size(90, 45) if name == "kiln" else None)
            if name == "polytunnel":  # one round with a forecast of the heat
                said("run", study, "--quiet", "--rounds", 1, "--context", "temperature=28")
            runs[name] = Run(study, json.loads(said("run", study, "--json", "--quiet")))
        return runs[name]

    return run_once


def said(*words: Any) -> str:
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_kind_of_problem_has_an_example() -> None:
    kinds = {json.loads(said("check", file, "--json"))["problem"]["kind"] for file in EXAMPLES.glob("*/study.toml")}
    assert kinds == {"cost-varying", "time-varying", "causal", "mean-field"}


@pytest.mark.parametrize("folder", [file.parent for file in EXAMPLES.glob("*/study.toml")], ids=lambda f: f.name)
def test_an_example_says_what_it_is_for(folder: Path) -> None:
    lines = (folder / "study.toml").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("# ") for line in lines[:2])
    assert f"#     steerbo run examples/{folder.name}/study.toml" in "\n".join(lines) or "steerbo new" in "\n".join(
        lines
    )


@pytest.mark.parametrize("example", RUN)
def test_examples_run(example: str, run: Callable[[str], Run]) -> None:
    status = run(example).said["status"]
    assert status["finished"]
    assert status["failed"] == 0
    assert status["told"] >= 12


def test_a_morning_begins_with_a_forecast(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "greenhouse-forecast", tmp_path / "copy")
    study = tmp_path / "copy" / "study.toml"
    study.write_text(study.read_text(encoding="utf-8").replace('"python3"', json.dumps(sys.executable)))
    for outside, sky in ((4, "grey"), (25, "clear")):
        words = ("run", study, "--rounds", 1, "--quiet", "--context", f"outside={outside}", "--context", f"sky={sky}")
        said(*words)
    assert "outside" in call("run", study, "--rounds", 1).stderr
    assert "outside = 12 °C, sky = grey: hold" in said(
        "policy", study, "--context", "outside=12", "--context", "sky=grey"
    )


def test_a_log_of_the_weather_and_a_forecast_say_how_far_to_open_the_vents(run: Callable[[str], Run]) -> None:
    example, vents = run("polytunnel").study, []
    for temperature in (8, 28):
        step = json.loads(said("policy", example, "--context", f"temperature={temperature}", "--json"))
        vents.append(step["values"]["vent"])
    assert vents[0] < vents[1], "the warmer it will be, the more they are open"
    assert json.loads(said("show", example, "--json"))["status"]["findings"] == []


@pytest.mark.parametrize("example", ["kiln"], indirect=True)
def test_four_tiles_share_a_firing(example: Path) -> None:
    said("new", example)
    for _ in range(2):
        firing = example.parent / "firing.csv"
        firing.write_text(said("ask", example, "--batch", 4, "--csv"))
        with firing.open() as file:
            tiles = list(csv.DictReader(file))
        assert len({tile["temperature"] for tile in tiles}) == 1
        filled = [{**tile, "value": f"{number}.5", "iron": tile["iron"] or "3"} for number, tile in enumerate(tiles)]
        with firing.open("w") as file:
            writer = csv.DictWriter(file, list(tiles[0]))
            writer.writeheader()
            writer.writerows(filled)
        said("import", example, firing)
    status = json.loads(said("show", example, "--json"))["status"]
    assert status["told"] == 8
    assert 8 + 6 < status["spent"] < 12 + 6 + 5.6, "one firing was moved"


CHECKED = {
    "greenhouse": (
        "control set temperature + ph; 2.2 a round",
        "good enough within 0.5 of the best",
        "left to itself empirical (sample = 60 values, 1",
    ),
    "polytunnel": (
        "mist: float, 0 to 5 l/h; left to itself, as learned from each round",
        "temperature: float, 0 to 35 °C; seen before choosing, else as in 120 rows of temperature, humidity",
        "humidity: float, 0 to 1; left to itself as in 120 rows of temperature, humidity",
    ),
    "kiln": (
        "control set temperature + glaze; 1 a round",
        "changing    temperature: 6 a change and 0.02 a unit",
    ),
    "dose": ("graph       age -> dose, dose -> pulse", "can be looked at: age, pulse"),
    "fleet": (
        "agents      40, all alike",
        "actions     north, south, harbour",
        "limit       at most 12 agents in harbour",
        "at most 0.2 of a context's agents move in a round",
        "told back   the average payoff of all agents",
    ),
    "drifting-stream": (
        "prior       clear downstream, with the tide: squared-exponential (lengthscale 1, variance 1), mean bumps",
        "drifts by periodic (period 12.4, lengthscale 2), noise 0.3",
    ),
}


@pytest.mark.parametrize("name", CHECKED)
def test_check_says_what_a_study_is(name: str) -> None:
    text = " ".join(said("check", EXAMPLES / name / "study.toml").split())  # lines are no wider than the terminal
    for words in CHECKED[name]:
        assert " ".join(words.split()) in text


def test_the_cheap_control_is_enough(run: Callable[[str], Run]) -> None:
    advice = run("greenhouse").said["recommendation"]
    assert advice["scope"]["set"] == ["temperature"]
    assert advice["values"]["temperature"] == pytest.approx(24, abs=3)


@pytest.mark.parametrize("example", ["greenhouse-by-hand"], indirect=True)
def test_a_lab_goes_on_from_last_year(example: Path) -> None:
    said("new", example)
    for times in range(2):
        result = call("import", example, example.with_name("results.csv"))
        assert result.exit_code == 0, result.output
        assert "not read: 'Day', 'Who'" in result.stderr
        assert result.stdout.count("it was there already") == 4 * times
    (suggestion,) = json.loads(said("ask", example, "--json"))
    nature = [f"--realised={name}={value}" for name, value in (("temperature", 21), ("ph", 6))]
    nature = [option for option in nature if option.split("=")[1] not in suggestion["values"]]
    status = json.loads(said("tell", example, suggestion["token"], "9.1", "--cost", 1, *nature, "--json"))["status"]
    assert (status["told"], status["spent"]) == (1, 1.0), "last year's money is not this study's"
    assert "Recommended" in said("show", example)


def test_what_was_learned_is_applied(run: Callable[[str], Run]) -> None:
    example = run("dose").study
    step = json.loads(said("policy", example, "--json"))
    patient, seen = {"age": 61, "pulse": 80}, list[str]()
    while step["observe"]:
        seen += [f"--context={name}={patient[name]}" for name in step["observe"]]
        step = json.loads(said("policy", example, *seen, "--json"))
    assert set(step["values"]) == set(step["scope"]["set"])


def test_a_fleet_moves_step_by_step(run: Callable[[str], Run]) -> None:
    example = run("fleet").study
    current = '{"everyone": {"north": 1.0}}'
    (row,) = json.loads(said("policy", example, "--current", current, "--json"))["values"]["distribution"].values()
    assert list(row) == ["north", "south", "harbour"]
    assert row["north"] == pytest.approx(0.8)


@pytest.mark.parametrize("example", ["aging-catalyst"], indirect=True)
def test_a_catalyst_ages(example: Path) -> None:
    """Twenty-four batches are enough to see that the best temperature has risen from 200 °C."""
    assert "drift       learned" in said("check", example)
    said("run", example, "--rounds", "24", "--quiet")
    step = json.loads(said("policy", example, "--json"))
    assert step["reasons"][0]["text"] == "as of time 24"
    assert step["values"]["temperature"] > 204
