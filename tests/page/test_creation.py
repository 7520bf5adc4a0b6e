"""A study from a form."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from steerbo.errors import SteerboError
from steerbo.page.creation import EXAMPLES, Written, rows_of, written
from steerbo.serve.managing import _faults
from steerbo.study import read_study
from steerbo.study.files.study_file import StudyFile
from tests.page.examples import KILN, OTHERS


def read(form: dict[str, str], folder: Path) -> tuple[Written, StudyFile]:
    file = written(form)
    (folder / "study.toml").write_text(file.text, encoding="utf-8")
    return file, read_study(folder / "study.toml")


def test_a_form_is_a_study_file(tmp_path: Path) -> None:
    _, found = read(KILN, tmp_path)
    problem = found.problem
    assert problem.space.names == ("temperature", "glaze", "clay")
    assert [scope.price for scope in problem.scopes] == [1.0, 0.5]  # type: ignore[attr-defined]
    assert [str(limit) for limit in problem.every_limit] == [
        "−100 glaze + temperature at most 1250, with probability 0.9 where nature has a part"
    ]
    assert found.settings.columns == {"value": "Yield (kg)", "cost": "Cost (EUR)"}
    assert found.settings.budget == 90.0


def test_what_is_measured_may_have_limits(tmp_path: Path) -> None:
    kept = "cracks <= 3: 0.9\ngloss >= 40: 0.8\ngloss <= 60"
    _, found = read({**KILN, "kept": kept}, tmp_path)
    assert [str(limit) for limit in found.problem.every_limit][1:] == [
        "cracks at most 3 with probability 0.9",
        "gloss at least 40 and at most 60 with probability 0.8",
    ]
    found.optimizer().ask()


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"limits": "cracks <= 3: 0.9"}, "limits", "If it is measured afterwards, write .*“Measured values"),
        ({"kept": "temperature <= 1200"}, "kept", "Write the limit of a variable into “Sums that"),
    ],
)
def test_a_limit_in_the_wrong_field_is_sent_to_the_right_one(
    changed: dict[str, str], field: str, said: str, tmp_path: Path
) -> None:
    form = {**KILN, **changed}
    with pytest.raises(SteerboError) as caught:
        read(form, tmp_path)
    _, at = _faults(form, written(form), caught.value.errors)
    assert set(at) == {field}, at
    assert re.search(said, at[field]), at[field]
    assert len(at[field]) < 250, "said once"


@pytest.mark.parametrize("kind", OTHERS)
def test_every_kind_has_a_form(kind: str, tmp_path: Path) -> None:
    _, found = read({"kind": kind, **OTHERS[kind]}, tmp_path)
    assert found.problem.kind == kind
    found.optimizer().ask()


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"v2-low": "abc"}, "v2-low"),
        ({"v2-low": "3"}, "v2-low"),
        ({"v2-sd": "-1"}, "v2-sd"),
        ({"sets": "temperature + glaz: 1"}, "sets"),
        ({"sets": "temperature: 1\nglaze: dear"}, "sets"),
        ({"limits": "tempreature <= 3"}, "limits"),
        ({"most-budget": ""}, "most-budget"),
        ({"most-budget": "1,500"}, "most-budget"),
        ({"v0-name": ""}, "v0-name"),
        ({"good": "-1"}, "good"),
        ({"v0-high": "nan"}, "v0-high"),
        ({"v0-low": "-inf"}, "v0-low"),
        ({"v2-mean": "NaN"}, "v2-mean"),
        ({"sets": "temperature: 1\nglaze: inf"}, "sets"),
        ({"limits": "temperature <= inf"}, "limits"),
        ({"kept": "cracks <= 3: 1.5"}, "kept"),
        ({"kept": "cracks <= 3: 0.9\nwarp <= 2: 7"}, "kept"),
        ({"most-budget": "Infinity"}, "most-budget"),
        ({"most-rounds": "nan"}, "most-rounds"),
        ({"good": "1e999"}, "good"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(changed: dict[str, str], field: str, tmp_path: Path) -> None:
    with pytest.raises(SteerboError) as caught:
        read({**KILN, **changed}, tmp_path)
    file = written({**KILN, **changed})
    fields = {file.field_of(each.field.partition(": ")[2]) for each in caught.value.errors}  # type: ignore[attr-defined]
    assert field in fields, str(caught.value)


NET = {"good": "", "worth": "2.5", "sets": "temperature + glaze: 1 + 0.002 * temperature\nglaze: 0.5"}


def test_costs_may_be_formulas_where_one_unit_has_a_worth(tmp_path: Path) -> None:
    _, found = read({**KILN, **NET}, tmp_path)
    problem: Any = found.problem
    assert (problem.costs, problem.value_of_one, problem.tolerance) == (("1 + 0.002 * temperature", 0.5), 2.5, None)
    commas = {**NET, "worth": "2,5", "sets": "temperature + glaze: 1 + 0,002 * temperature\nglaze: 0,5"}
    assert written({**KILN, **commas}, comma=True).text == written({**KILN, **NET}).text
    assert "max(1, 0.5 * glaze)" in written({**KILN, **NET, "sets": "glaze: max(1, 0.5 * glaze)"}, comma=True).text
    dose = {"kind": "causal", **OTHERS["causal"], "base": "1", "prices": "dose: 1 + 4 * dose\nage: learned"}
    _, priced = read(dose, tmp_path)
    assert priced.problem.prices == {"dose": "1 + 4 * dose", "age": "learned"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"worth": ""}, "worth", "What one unit is worth: missing; expected a number of money"),
        ({"good": "1"}, "good", "expected nothing beside “What one unit is worth”"),
        ({"others": "energy: smaller"}, "worth", "expected nothing beside “Other outcomes”"),
        ({"worth": "-1"}, "worth", "expected a finite number above 0"),
        ({"sets": "glaze: 1 + 0.1 * glase"}, "sets", "a formula that reads .*It reads 'glase'"),
        ({"sets": "glaze: 1 + clay * 2"}, "sets", "It reads 'clay'"),
        ({"sets": "glaze: 1 - glaze"}, "sets", "a cost above 0"),
        ({"sets": "glaze: 1 + 0,1 * glaze"}, "sets", "Write 0.5 with a point"),
        ({"sets": "glaze: 1.5 EUR"}, "sets", "NAME: PRICE, such as glaze: 1.5"),
    ],
)
def test_a_formula_that_is_wrong_is_said_at_its_field(
    changed: dict[str, str], field: str, said: str, tmp_path: Path
) -> None:
    form = {**KILN, **NET, **changed}
    file = written(form)
    errors: tuple[SteerboError, ...] = ()
    try:
        read(form, tmp_path)
    except SteerboError as error:
        errors = error.errors
    _, at = _faults(form, file, errors)
    assert set(at) == {field}, at
    assert re.search(said, at[field]), at[field]


def test_a_formula_with_commas_of_two_meanings_is_refused() -> None:
    file = written({**KILN, **NET, "sets": "glaze: max(1, 0,5 * glaze)"}, comma=True)
    assert "Beside max and min write 0.5 with a point" in str(file.faults["sets"])


def test_numbers_are_read_as_the_reader_writes_them(tmp_path: Path) -> None:
    commas = {"v2-mean": "1,5", "sets": "temperature + glaze: 12,5\nglaze: 0,5", "good": "0,25", "most-budget": "90,5"}
    limits = {"limits": "temperature - 100,5 glaze <= 1250,5: 0,9"}
    file, found = read({**KILN, **commas, **limits}, tmp_path)
    assert [scope.price for scope in found.problem.scopes] == [12.5, 0.5]  # type: ignore[attr-defined]
    assert found.settings.budget == 90.5
    assert "weights = { temperature = 1, glaze = -100.5 }" in file.text
    assert file.faults == {}


@pytest.mark.parametrize(
    ("comma", "changed", "field", "said"),
    [
        (True, {"v0-high": "1.280"}, "v0-high", "To of temperature: '1.280' .* 1,280 or 1280"),
        (False, {"v0-high": "1,280"}, "v0-high", "To of temperature: '1,280' .* 1.280 or 1280"),
        (True, {"sets": "temperature: 1.500"}, "sets", "Sets: '1.500'"),
        (True, {"limits": "temperature - 1.500 glaze <= 3"}, "limits", "Sums that may not be exceeded: '-1.500'"),
        (False, {"v0-mean": "22"}, "v0-mean", "Mean of temperature: '22' .*“When not held” says “anything in range"),
        (False, {"v0-law": ""}, "v0-law", "When not held of temperature: 'always set' .* holds only glaze"),
        (False, {"v3-low": "4"}, "v3-low", "From of clay: '4' .*“or choices” says red, white.* empty one of the two"),
        (False, {"v3-unit": "kg"}, "v3-unit", "Unit of clay"),
        (False, {"v3-sd": "4"}, "v3-sd", "Spread of clay: '4' .* it has choices"),
        (
            False,
            {"kept": "cracks"},
            "kept",
            "Measured values that may not be exceeded: 'cracks' .* pressure <= 5: 0.95",
        ),
    ],
)
def test_nothing_is_dropped_or_guessed(comma: bool, changed: dict[str, str], field: str, said: str) -> None:
    faults = written({**KILN, **changed}, comma).faults
    assert [*faults] == [field]
    assert re.search(said, str(faults[field]))


def test_a_point_among_decimal_commas_is_not_guessed() -> None:
    """12.000 of somebody who writes 0,5 are twelve thousand, whatever the language of the browser."""
    faults = written({**KILN, "most-budget": "12.000", "good": "0,5"}).faults
    assert "12,000 or 12000" in str(faults["most-budget"])
    assert "most-budget" not in written({**KILN, "most-budget": "12.000", "good": "0.5"}).faults


def test_a_law_that_is_missing_is_asked_for_at_its_row_alone(tmp_path: Path) -> None:
    changed = {**KILN, "v0-law": ""}
    with pytest.raises(SteerboError) as caught:
        read(changed, tmp_path)
    errors: list[Any] = [*caught.value.errors]
    (error,) = errors
    assert written(changed).field_of(error.field.partition(": ")[2]) == "v0-law"


def test_a_row_without_a_name_is_asked_for_it(tmp_path: Path) -> None:
    with pytest.raises(SteerboError, match=r"problem\.variables\.1\.name"):
        read({**KILN, "v1-high": "4"}, tmp_path)


def test_the_file_is_written_as_people_write() -> None:
    assert 'unit = "°C"' in written(KILN).text


def test_rows_grow_when_they_are_asked_for() -> None:
    assert (rows_of({}), rows_of({"rows": "4", "then": "rows"}), rows_of({"rows": "999"})) == (4, 8, 60)
    assert rows_of({"rows": "-3"}) == 4


def test_texts_are_texts(tmp_path: Path) -> None:
    nasty = 'a"b\\ ]\n[study]'
    with pytest.raises(SteerboError):
        read({"kind": nasty, "most-rounds": "3"}, tmp_path)
    _, found = read({**KILN, "v3-name": 'a "clay" \\', "value": "Yield\n[x]"}, tmp_path)
    assert found.problem.space.names[-1] == 'a "clay" \\'


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_kind_takes_several_outcomes(example: str, tmp_path: Path) -> None:
    """What they have no use for is refused at its field, in the form's words."""
    form = dict(EXAMPLES[example][1])
    more = {"others": "energy: smaller is better", "arrows": f"{form.get('arrows', '')}; dose -> energy"}
    file = written({**form, **more})
    assert set(file.faults) == {"greenhouse": {"good"}, "heating": {"v1-law"}, "dose": {"prices"}}.get(example, set())
    assert all("nothing beside “Other outcomes”" in str(each) for each in file.faults.values())
    with pytest.raises(SteerboError) if file.faults else nullcontext() as caught:
        read({**form, **more}, tmp_path)
    errors: list[Any] = [*caught.value.errors] if caught else []
    places = [each.field.partition(": ")[2] for each in errors]
    assert {file.field_of(place) for place in places} <= {*file.faults}, "nothing is said twice, at another field"
    alone = {"heating": {"v1-law": ""}, "dose": {"prices": "", "base": ""}}.get(example, {"good": ""})
    _, found = read({**form, **more, **alone}, tmp_path)
    assert found.problem.traded == {"energy": -1.0}
    found.optimizer().ask()


@pytest.mark.parametrize("line", ["energy", "energy: cheap", ": smaller", "glaze: smaller", "a: larger\na: smaller"])
def test_outcomes_that_are_none_are_refused_at_their_field(line: str) -> None:
    assert set(written({**KILN, "good": "", "others": line}).faults) == {"others"}
