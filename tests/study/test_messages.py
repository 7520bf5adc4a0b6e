"""What a study file's errors say: the field as the file has it, what is allowed in a file's words, the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.cli import usage
from steerbo.errors import SteerboError
from steerbo.study import read_study
from tests.study.files import PROBLEM, STUDY

TOLERANCE = PROBLEM.replace("control_sets", "tolerance = {}\ncontrol_sets", 1)
LAW = '{ kind = "uniform" }'
DRIFTING = """
[problem]
kind = "time-varying"
variables = [{ kind = "float", name = "x", low = 0, high = 1 }]
[[problem.priors]]
kernel = { kind = "squared-exponential", lengthscale = 0.3 }
mean = MEAN
"""
BUMPS = '{ kind = "bumps", centres = [[0.5]], heights = [1, 2], width = 0.1 }'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TOLERANCE.replace("{}", "0.5"), '{ kind = "fraction", share = … }, { kind = "absolute", difference = … } or'),
        (TOLERANCE.replace("{}", "{ share = 0.1 }"),
         "problem.tolerance.kind: missing; expected one of"),
        (
            TOLERANCE.replace("{}", '{ kind = "fraction", fraction = 0.1 }'),
            "problem.tolerance.fraction: 0.1 is not allowed; expected one of share, worst, kind",
        ),
        (PROBLEM.replace('name = "ph"', 'name = "temperature"'), "problem.variables: 'temperature' is not allowed"),
        (PROBLEM.replace(LAW, '"unifrom"'), 'in a file { kind = "normal"'),
        (PROBLEM.replace(f", law = {LAW}", ""), 'Give it one, such as { kind = "uniform" }.'),
        (PROBLEM.replace(LAW, '{ kind = "normal", mean = 600, sd = 1 }'),
         '{"mean": 600.0, "sd": 1.0,'),
        (PROBLEM.replace("low = 4", "low = 4,5"), "The line is: "),
        (PROBLEM.replace('"cost-varying"', "cost-varying"), "(texts stand in double quotes)"),
        (PROBLEM.replace('"cost-varying"', "“cost-varying”"), '(quotes are straight: ")'),
        (PROBLEM.replace("low = 4", "bounds = [4, 8]"), "They are low = … and high = …."),
        (PROBLEM.replace(LAW, '{ kind = "normal", mu = 6, sigma = 1 }'), "It is called sd."),
        (TOLERANCE.replace("{}", '{ kind = "fraction", fraction = 10 }'), "10 % are share = 0.1."),
        (TOLERANCE.replace("{}", "[0]\nbudget = 4"), "It stands in the table [study]."),
        (DRIFTING.replace("MEAN", BUMPS),
         "problem.priors.0.mean.heights: [1.0, 2.0] is not allowed; expected 1 number,"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_files_words(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(text + STUDY, encoding="utf-8")
    with pytest.raises(SteerboError) as caught:
        read_study(file)
    said = "\n".join(usage.lines(caught.value))
    assert says in said
    assert "Space." not in said


def test_a_decimal_comma_is_pointed_at(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(PROBLEM + STUDY.replace("budget = 10", "budget = 10,5"), encoding="utf-8")
    with pytest.raises(SteerboError, match=r"The line is: budget = 10,5 \(numbers have decimal points\)"):
        read_study(file)


def test_a_field_of_the_other_table_is_sent_there(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(PROBLEM + STUDY.replace("[study]", "[study]\nminimize = true"), encoding="utf-8")
    with pytest.raises(SteerboError, match=r"study\.minimize: .* It stands in the table \[problem\]\."):
        read_study(file)
