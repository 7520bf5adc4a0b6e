"""A round to be corrected: what stands, and who said it."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.errors import UnknownSuggestion
from steerbo.page.edit import edit_of, labels, unchanged
from steerbo.study import MemoryLog, Study


@pytest.fixture
def study() -> Study:
    variables = [sb.Float("heat", 0, 100, law=sb.Uniform()), sb.Float("glaze", 0, 2, law=sb.Uniform())]
    made = Study.create(MemoryLog(), sb.CostVarying(variables, [["heat"]]), "random", budget=99.0, seed=1)
    made.revise(columns={"value": "Yield (kg)", "cost": "EUR"})
    return made


def test_the_old_values_are_there_and_by_whom(study: Study) -> None:
    token = study.ask().token
    with study.said_by("bob"):
        study.tell(token, 3.0, cost=1.0, realised={"glaze": 0.123456789})
    found = edit_of(study, token)
    assert (found.title, found.state, found.call, found.times) == ("Round 1", "told", "amend", 1)
    assert found.said == "It gave 3 kg for 1 EUR (entered by bob)."
    assert found.why.startswith("Set: heat = ")
    assert "Why: " in found.why
    values = {field.name: field.value for field in found.fields}
    assert (values["value"], values["cost"], values["realised:glaze"]) == ("3", "1", "0.123457")
    assert unchanged(study, token) == values


def test_every_state_has_its_sentence_and_what_can_be_said(study: Study) -> None:
    token = study.ask().token
    assert (edit_of(study, token).said, edit_of(study, token).call) == ("Nothing was said of it yet.", "tell")
    study.abandon(token, "no time.")
    assert (edit_of(study, token).said, edit_of(study, token).call) == ("It was given up: no time.", "tell")
    study.fail(token, "it leaked", cost=1.0)
    assert (edit_of(study, token).said, edit_of(study, token).call) == ("It broke: it leaked.", "amend")
    study.amend(token, void=True)
    assert edit_of(study, token).said == "It was taken out: nothing is learned from it."
    with pytest.raises(UnknownSuggestion):
        edit_of(study, "9-none")


def test_added_data_can_be_corrected(study: Study) -> None:
    study.add(3.0, {"heat": 20.0, "glaze": 1.5}, cost=2.0)
    found = edit_of(study, "added-1")
    assert (found.title, found.said, found.call) == ("Data 1", "Added: 3 kg for 2 EUR.", "amend")


def test_what_was_typed_is_called_as_its_field(study: Study) -> None:
    typed = {"value": "5", "cost": "1", "realised:glaze": "2", "reason": "late"}
    assert labels(study, typed) == [("Yield (kg)", "5"), ("Cost (EUR)", "1"), ("glaze", "2"), ("Why", "late")]


def test_how_a_fleet_was_spread_stands_as_it_is_typed() -> None:
    made = Study.create(MemoryLog(), sb.MeanField(["Nord", "Süd"], agents=40, counts=True), "random", rounds=9, seed=1)
    token = made.ask().token
    made.tell(token, 3.0, realised={"counts": {"Nord": 30, "Süd": 10}})
    fields = {field.name: field for field in edit_of(made, token).fields}
    counts = fields["realised:counts"]
    assert counts.value == '{"everyone": {"Nord": 30, "Süd": 10}}'
    assert counts.hint == 'such as {"Nord": 20, "Süd": 20}; those left out are 0'
    assert made.problem.read_cell("counts", counts.value) == {"everyone": {"Nord": 30, "Süd": 10}}
    assert fields["realised:distribution"].hint == 'such as {"Nord": 0.5, "Süd": 0.5}; those left out are 0'
