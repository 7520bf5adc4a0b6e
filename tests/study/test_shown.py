"""Answers as people read them: units, plain numbers, nothing that says nothing."""

from __future__ import annotations

import re

import pytest

import steerbo as sb
from steerbo.core import Recommendation, Scope, Status, Table, numeral, reason
from steerbo.study import MemoryLog, Study
from steerbo.study.formatting import advised, alternatives, rounds_table, shown_rounds, timeline, with_units
from tests import hostile
from tests.study.sheets import begin

GREENHOUSE = sb.CostVarying(
    [sb.Float("temperature", -10, 35, law=sb.Uniform(), unit="°C"), sb.Float("ph", 4, 8, law=sb.Uniform())],
    [["temperature"], ["ph"]],
)


def test_a_recommendation_has_units() -> None:
    advice = Recommendation(
        Scope(["temperature"]),
        {"temperature": 23.0456789012345},
        7.4,
        7.0,
        7.8,
        12345.6,
        (reason("said", text="a note"),),
    )
    assert advised(GREENHOUSE, advice) == [
        "hold temperature",
        "temperature = 23.05 °C",
        "expected value 7.4 (between 7.0 and 7.8), cost 12346 a round",
        "a note",
    ]
    table = with_units(GREENHOUSE, Table("Policy", ("ph", "temperature"), ((6.1, {"temperature": 23.0}),)))
    assert table.columns == ("ph", "temperature (°C)")
    assert table.rows == ((6.1, "temperature = 23 °C"),)


def test_next_to_nothing_is_nought() -> None:
    advice = Recommendation(Scope(["temperature"]), {"temperature": -2.4123456789012e-11}, -2.4e-11, -0.5, 0.5)
    assert advised(GREENHOUSE, advice)[1:3] == ["temperature = 0 °C", "expected value 0.0 (between -0.5 and 0.5)"]
    assert Table("t", ("gap",), ((-2.4e-11,), (1.0,), (float("nan"),))).cells() == [["0"], ["1"], ["nan"]]
    assert Table("t", ("share",), ((2.4e-11,), (3e-11,))).cells() == [["2.4e-11"], ["3e-11"]], "small, and no rest"
    small = sb.CostVarying([sb.Float("iron", 1e-12, 1e-9, law=sb.Uniform(), unit="mol/l")], [["iron"]])
    assert small.shown({"iron": 2.5e-11}) == {"iron": "2.5e-11 mol/l"}


@pytest.mark.parametrize(("x", "text"), [(1234.5, "1234"), (99999.9, "100000"), (1.2e10, "1.2e+10"), (-0.0, "0")])
def test_large_numbers_are_written_out(x: float, text: str) -> None:
    assert numeral(x) == text


def test_priors_are_named_beside_what_each_would_give() -> None:
    kernel = sb.timevarying.SquaredExponential
    problem = sb.TimeVarying([sb.Float("x", 0, 1)], [sb.Prior(kernel(0.1), name="rough"), sb.Prior(kernel(0.5))])
    study = Study.create(MemoryLog(), problem, "fully-bayesian", rounds=3, seed=1)
    study.tell(study.ask(), 1.0)
    table = alternatives(problem, study.recommend())
    assert table.columns == ("hold", "settings", "expected value", "reasons")
    assert {row[-1].split("; ")[-1] for row in table.rows} == {"believing rough", "believing prior 2"}


def test_before_anything_is_measured_alternatives_keep_their_notes() -> None:
    study = Study.create(MemoryLog(), GREENHOUSE, rounds=3, seed=1)
    assert "nothing is measured yet" in study.recommend().why
    assert "reasons" not in alternatives(GREENHOUSE, study.recommend()).columns


def test_rounds_show_what_varies() -> None:
    study = Study.create(MemoryLog(), GREENHOUSE, "random", rounds=9, seed=1)
    for _ in range(6):
        suggestion = study.ask()
        nature = {name: 1.0 if name == "temperature" else 6.0 for name in GREENHOUSE.space.names}
        study.tell(suggestion, 1.0, realised={**nature, **suggestion.values})
    shown, whole = shown_rounds(study), rounds_table(study)
    assert shown.columns == ("round", "token", "hold", "set", "nature", "value", "state"), "no costs, reasons, contexts"
    assert any(row[4] == "temperature = 1 °C" for row in shown.rows)
    assert isinstance(whole.rows[0][4], dict), "as data they stay as they are"
    fleet = hostile.study("mean-field", hostile.SEEN)
    assert "hold" not in shown_rounds(fleet).columns, "where it is always the same"


def test_one_thing_is_no_things() -> None:
    assert str(Status(rounds=1, told=1, failed=0)) == "1 round"
    assert str(Status(rounds=1, told=1, failed=0, limit=1)) == "1 of 1 round"


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("kind", hostile.KINDS)
def test_no_answer_speaks_of_one_things(kind: str) -> None:
    study = hostile.study(kind, hostile.SEEN)
    said = f"{study.explain()}\n{study.recommend()}\n{study.status}"
    assert not re.search(r"\b1 (\w+ )?(rounds|outcomes|scopes|observations|cells|distributions|agents)\b", said)


def test_the_timeline_says_what_a_correction_corrected() -> None:
    with begin() as study:
        asked = study.ask()
        study.tell(asked, 7.4, cost=400.0, realised={"temperature": 21.0, "ph": 6.0} | asked.values)
        study.amend(asked, cost=4.0)
        corrected, told, *_ = [row[-1] for row in timeline(study).rows]
    assert told.startswith("round 1 gave 7.4, cost 400, at ")
    assert corrected.startswith("round 1 corrected: 7.4, cost 4, at ")
