"""Tables that are imported again: every kind's own export is known, nothing is charged twice, what is new completes."""

from __future__ import annotations

import csv
import io
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import now, time_of
from steerbo.errors import InvalidOutcome
from steerbo.study import BY_HAND, MemoryLog, Study
from steerbo.study.files.export import rounds_csv, suggestions_csv
from steerbo.study.files.import_csv import Line, as_data, import_csv, read_results, take
from tests.study.write_formats import CASES, lived

PROBLEM = sb.CostVarying(
    [sb.Float("t", 10, 35, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())], [["t"], ["ph"], ["t", "ph"]]
)
pytestmark = pytest.mark.filterwarnings("ignore::steerbo.timevarying.PriorWarning")


def begin(problem: Any = PROBLEM, method: Any = "random", **more: Any) -> Study:
    return Study.create(MemoryLog(), problem, method, budget=100.0, holder=BY_HAND, **more)


@pytest.fixture
def study() -> Iterator[Study]:
    with begin() as going:
        yield going


def rows(study: Study) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(rounds_csv(study.problem, study.history))))


def table(lines: list[dict[str, str]]) -> str:
    written = io.StringIO()
    writer = csv.DictWriter(written, lines[0])
    writer.writeheader()
    writer.writerows(lines)
    return written.getvalue()


def messages(lines: list[Line]) -> list[str]:
    assert all(line.taken for line in lines), list(map(str, lines))
    return [line.message for line in lines]


@pytest.mark.parametrize("name", CASES)
def test_its_own_export_changes_nothing(name: str) -> None:
    case = CASES[name]
    with begin(case.problem, case.method, options=case.options) as study, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lived(case, study)
        if case.added is not None:
            study.amend("added-2", void=True)
        before = study.events
        text = rounds_csv(study.problem, study.history)
        lines = import_csv(study, text)
        assert not [line for line in lines if line.fate == "refused"], list(map(str, lines))
        assert sum(line.fate == "left" for line in lines) == len(study.pending)
        assert study.events == before
        charged = math.fsum(float(row["charged"]) for row in rows(study) if row["charged"])
        assert charged == pytest.approx(study.status.spent, rel=1e-12)


def test_a_distribution_that_came_out_otherwise_is_known_by_itself() -> None:
    """Whole agents that were suggested say nothing of what happened."""
    problem = sb.MeanField(("north", "south", "harbour"), agents=10, counts=True)
    with begin(problem) as one, begin(problem, seed=4) as other:
        played = {"everyone": {"north": 0.15, "south": 0.35, "harbour": 0.5}}
        one.tell(one.ask(), 3.5, cost=1, realised={"distribution": played})
        (row,) = rows(one)
        assert import_csv(one, table([row]))[0].message == "round 1 (it was there already)"
        for _ in range(2):
            messages(import_csv(other, table([{**row, "token": ""}])))
        (known,) = other.history.added
        assert known.realised["distribution"] == played


# -- data that nobody suggested ----------------------------------------------------------------------------------------

DATA = "t,ph,value,cost\n20,6,1.5,2\n21,6,2.5,3\n21,6,2.5,3\n"


def test_charging_later_charges_what_is_there_once(study: Study) -> None:
    assert messages(import_csv(study, DATA)) == [f"added as added-{k}" for k in (1, 2, 3)]
    assert study.status.spent == 0
    said = messages(import_csv(study, DATA, charge=True))
    assert said[1] == "added-2 (it was there already; now also: charged 3)"
    assert study.status.spent == 8
    events = study.events
    assert messages(import_csv(study, DATA, charge=True))[2] == "added-3 (it was there already, and is charged)"
    import_csv(study, DATA)
    assert (study.events, study.status.spent) == (events, 8)
    assert messages(import_csv(study, "t,ph,value,cost\n9,6,1.5,2\n", charge=True)) == ["added as added-4, and charged"]


def test_columns_that_come_later_complete_what_is_there(study: Study) -> None:
    import_csv(study, "t,ph,value\n20,6,1.5\n21,6,2.5\n")
    text = "t,ph,value,cost,scope\n20,6,1.5,2,ph+t\n21,6,2.5,3,t\n"
    assert messages(import_csv(study, text))[0] == "added-1 (it was there already; now also: cost 2, held t + ph)"
    both, alone = PROBLEM.scopes[2], PROBLEM.scopes[0]
    assert (study.history.mean_cost(both), study.history.mean_cost(alone)) == (2, 3)
    before = study.events
    messages(import_csv(study, text))
    messages(import_csv(study, "t,ph,value\n20,6,1.5\n21,6,2.5\n"))
    assert study.events == before
    (line,) = import_csv(study, "t,ph,value,cost,scope\n20,6,1.5,2,ph\n")
    assert line.fate == "refused"
    assert "there as added-1, a round of t + ph" in line.message
    (line,) = import_csv(study, "t,ph,value,cost\n20,6,1.5,9\n")
    assert line.message.startswith("added as added-3; added-1 is the same at another cost")


def test_the_same_at_another_cost_is_said_and_the_same_once_more_is_not(study: Study) -> None:
    assert len(messages(import_csv(study, "t,ph,value,cost\n20,6,1.5,2\n21,6,2.5,3\n"))) == 2
    (said,) = messages(import_csv(study, "t,ph,value,cost\n20,6,1.5,9\n"))
    assert said == "added as added-3; added-1 is the same at another cost: void one if it was one measurement"
    assert messages(import_csv(study, "t,ph,value,cost\n" + 2 * "21,6,2.5,3\n"))[1] == "added as added-4"


def test_a_corrected_line_is_taken_beside_the_wrong_one_and_says_so(study: Study) -> None:
    import_csv(study, "t,ph,value,cost\n20,6,98,2\n21,6,2.5,3\n")
    corrected = "t,ph,value,cost\n20,6,9.8,2\n21,6,2.5,3\n"
    said = messages(import_csv(study, corrected))
    twin = "the same settings as added-1 with another value: void one if it was one measurement"
    assert said == [f"added as added-3; {twin}", "added-2 (it was there already)"]
    assert messages(import_csv(study, corrected))[0] == "added-3 (it was there already)"
    twice = "t,ph,value,cost\n20,6,9.9,2\n20,6,9.8,2\n20,6,98,2\n"
    assert messages(import_csv(study, twice))[0] == "added as added-4", "measured again: the others are in the table"
    study.amend("added-1", void=True)
    study.amend("added-3", void=True)
    assert "the same settings as added-4" in messages(import_csv(study, "t,ph,value,cost\n20,6,9.7,1\n"))[0]
    assert messages(import_csv(study, "t,ph,value\n22,6,3\n22,6,4\n")) == ["added as added-6", "added as added-7"]


def test_rounds_count_on_from_the_outcomes_of_another_study_and_a_mistyped_time_is_said(tmp_path: Path) -> None:
    drifting = sb.CostVarying([sb.Float("t", 10, 35)], [["t"]], drift="learned")
    with begin(drifting) as old:
        for k in range(12):
            old.tell(old.ask(), 1.0 + k, cost=1)
        table = rounds_csv(old.problem, old.history)
    log = tmp_path / "log.db"
    with Study.create(log, drifting, "random", rounds=99, holder=BY_HAND) as new:
        take(new, as_data(read_results(drifting, table)))
        assert len(new.history.data) == 12
        assert now(new.history) == 12.0
        far = messages(import_csv(new, "time,t,value\n1300,20,13\n"))[0]
        assert "time = 1300 is 1288 after all others, and no step was larger than 1" in far
        assert "answers are as of 12" in str(new.status)
        with Study.open(log, holder=BY_HAND) as other:
            new.ask()
            other.ask()
        new.ask()
        assert [time_of(played) for played in new.history] == [13.0, 14.0, 15.0]


def test_an_empty_time_among_others_is_said_and_counts_as_now() -> None:
    drifting = sb.CostVarying([sb.Float("t", 10, 35)], [["t"]], drift="learned")
    with begin(drifting) as study:
        first = messages(import_csv(study, "time,t,value\n1,20,3\n,21,4\n"))[1]
        assert "it counts as measured at the time of the first round; if not, amend it with its time" in first
    with begin(drifting) as study:
        study.tell(study.ask(time=7.5), 1.0, cost=1)
        said = messages(import_csv(study, "time,t,value\n1,20,3\n,21,4\n2,22,5\n"))
        assert said == [
            "added as added-1",
            "added as added-2; its time is empty: it counts as measured now, at 7.5; if not, amend it with its time",
            "added as added-3",
        ]
        study.amend("added-2", realised={"time": 1.5})
        assert study.history.data["added-2"].outcome.realised["time"] == 1.5
        for text in ("t,value\n23,3\n", "time,t,value\n,24,3\n"):
            assert "empty" not in messages(import_csv(study, text))[0], "nothing says when"


def test_a_scope_by_headings_of_columns_is_refused_with_the_names(study: Study) -> None:
    study.revise(columns={"ph": "pH (-)"})
    (line,) = import_csv(study, "t,pH (-),value,scope\n20,6,3,pH (-) + t\n", {"ph": "pH (-)"})
    assert line.fate == "refused"
    assert line.message.endswith("'pH (-)' is the column of ph in tables: use ph here.")
    assert messages(import_csv(study, "t,pH (-),value,scope\n20,6,3,ph + t\n", {"ph": "pH (-)"}))


def test_a_causal_table_headed_by_its_target_is_told_how_to_say_so() -> None:
    graph = sb.CausalGraph.from_text("x -> y", target="y", intervenable=["x"])
    with begin(sb.Causal(graph, [sb.Float("x", 0, 1)])) as study:
        with pytest.raises(InvalidOutcome, match=r"Is it 'Y'\? Say in `headers`: value = \"Y\""):
            import_csv(study, "x,Y\n0.5,3\n")
        assert messages(import_csv(study, "x,Y\n0.5,3\n", {"value": "Y"})) == ["added as added-1"]


def test_data_is_exported_marked_and_comes_back(study: Study) -> None:
    import_csv(study, DATA + "19,6,7.5,\n", charge=True)
    study.amend("added-1", 1.25)
    study.amend("added-2", void=True)
    found = rows(study)
    assert [(r["token"], r["state"], r["value"], r["charged"]) for r in found] == [
        ("added-1", "added", "1.25", "2.0"), ("added-2", "void", "2.5", "3.0"),
        ("added-3", "added", "2.5", "3.0"), ("added-4", "added", "7.5", "0.0"),
    ]  # fmt: skip
    assert sum(float(r["charged"]) for r in found) == study.status.spent == 8
    before = study.events
    for charge in (False, True):
        messages(import_csv(study, table(found), charge=charge))
        assert study.events == before
    with begin() as other:
        lines = import_csv(other, table(found))
        assert [line.fate for line in lines] == ["refused"] * 4
        assert "empty its column token" in lines[0].message
        bare = table([{**r, "token": ""} for r in found])
        assert [line.fate for line in import_csv(other, bare)] == ["taken", "left", "taken", "taken"]
        assert other.status.spent == 0, "what others paid"


def test_a_piece_that_is_edited_in_a_table(study: Study) -> None:
    import_csv(study, DATA)
    first, second, _ = rows(study)
    (line,) = import_csv(study, table([{**first, "value": "9"}]))
    assert line.fate == "refused"
    assert "added-1" in line.message
    assert "amend" in line.message
    assert messages(import_csv(study, table([{**second, "state": "void", "reason": "spilt"}]))) == [
        "added-2 is void now"
    ]
    assert len(study.history.data) == 2
    (line,) = import_csv(study, table([{**first, "state": "failed"}]))
    assert line.fate == "refused"


def test_void_data_is_left_void_by_an_import_and_comes_back_by_a_correction(study: Study) -> None:
    import_csv(study, DATA)
    study.amend("added-2", void=True)
    found, before = rows(study), study.events
    assert found[1]["state"] == "void"
    assert messages(import_csv(study, table([found[1]]))) == ["added-2 (void: it was there already)"]
    (line,) = import_csv(study, table([{**found[1], "state": "added"}]))
    assert str(line) == "line 2: left, added-2 is void here; `steerbo amend STUDY added-2 VALUE` brings it back"
    assert study.events == before
    study.amend("added-2", 2.75)
    assert messages(import_csv(study, table([{**found[1], "state": "added", "value": "2.75"}]))) == [
        "added-2 (it was there already)"
    ]


def test_scopes_of_any_names() -> None:
    variables = [sb.Float(n, 0, 1, law=sb.Uniform()) for n in ("a + b", "c", "scope")]
    with begin(sb.CostVarying(variables, [["a + b"], ["c"], ["a + b", "scope"]])) as study:
        for scope in study.problem.scopes:  # type: ignore[attr-defined]
            study.add(1, {"a + b": 0.5, "c": 0.5, "scope": 0.25}, cost=1, scope=scope)
        found = rows(study)
        assert [row["variable scope"] for row in found] == ["0.25"] * 3
        with begin(study.problem) as other:
            messages(import_csv(other, table([{**row, "token": ""} for row in found])))
            assert [e.scope for e in other.history.data.values()] == [e.scope for e in study.history.data.values()]


# -- rounds ------------------------------------------------------------------------------------------------------------


def test_charges_go_round(study: Study) -> None:
    broken, left, told = study.ask(3)
    study.fail(broken, "pump", charge=2)
    study.abandon(left, charge=1)
    found = rows(study)
    assert [row["charged"] for row in found] == ["2.0", "1.0", ""]
    with begin() as other:
        other.ask(3)
        for _ in range(2):
            import_csv(other, table(found))
            assert (other.status.spent, other.status.estimated, other.status.unpriced) == (3, 3, 2)
    wrong = {**found[2], "state": "told", "value": "1", "cost": "2", "charged": "3", "t": "20", "ph": "6"}
    (line,) = import_csv(study, table([wrong]))
    assert "charged: 3.0 is not allowed; expected the cost, or nothing" in line.message
    (line,) = import_csv(study, table([{**found[0], "charged": "5"}]))
    assert line.fate == "refused", "another charge than the log's is not dropped"
    assert told.token in [s.token for s in study.pending]


def test_what_is_to_be_looked_at_is_filled_in() -> None:
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)])
    with begin(problem) as study:
        while not (suggestion := study.ask()).observe:
            study.tell(suggestion, 1, cost=1)
        sheet = suggestions_csv(problem, [suggestion])
        (line,) = import_csv(study, sheet)
        assert (line.fate, "fill in age" in line.message) == ("left", True)
        (row,) = csv.DictReader(io.StringIO(sheet))
        filled = table([{**row, "age": "44"}])
        (said,) = messages(import_csv(study, filled))
        decided = study.history[suggestion.token].suggestion
        assert decided.context == {"age": 44.0}
        assert said == f"round {decided.round} is decided: set dose = {decided.values['dose']:.4g}"
        assert [line.fate for line in import_csv(study, filled)] == ["left"]
        row = rows(study)[-1]
        messages(import_csv(study, table([{**row, "value": "2", "cost": "1"}])))
        assert study.history[suggestion.token].realised == {"age": 44.0, **decided.values}


def test_a_line_may_have_looks_settings_and_outcome() -> None:
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)])
    with begin(problem) as study:
        while not (suggestion := study.ask()).observe:
            study.tell(suggestion, 1, cost=1)
        (row,) = csv.DictReader(io.StringIO(suggestions_csv(problem, [suggestion])))
        whole = {**row, "age": "44", "dose": "0.25", "value": "2", "cost": "1"}
        for wrong, match in (({"dose": ""}, "filled in: dose"), ({"value": "nan"}, "value: 'nan'")):
            (line,) = import_csv(study, table([{**whole, **wrong}]))
            assert line.fate == "refused"
            assert match in line.message
            assert study.history[suggestion.token].suggestion.observe == ("age",), "nothing is entered"
        messages(import_csv(study, table([whole])))
        played = study.history[suggestion.token]
        assert played.suggestion.context == {"age": 44.0}
        assert played.realised == {"age": 44.0, "dose": 0.25}, "the dose that was set, not the one that is suggested"
        assert "it was there already" in messages(import_csv(study, table([whole])))[0]


def test_an_unknown_state_of_a_round_is_refused() -> None:
    problem = sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])
    with begin(problem) as study:
        token = study.ask().token
        for wrong in ({"state": "broken", "cost": "2"}, {"state": "broken", "value": "0", "cost": "2"}):
            (line,) = import_csv(study, table([{"token": token, "value": "", **wrong}]))
            assert line.fate == "refused", "a failure is neither dropped nor taken for an outcome of 0"
            assert "'broken' is not allowed; expected one of open, told, failed, void, abandoned" in line.message
        messages(import_csv(study, table([{"token": token, "value": "", "state": "failed", "cost": "2"}])))
        assert study.history[token].state == "failed"


def test_data_that_look_like_an_open_round_are_pointed_out() -> None:
    """A play whose line lacks its token is not charged, and its round stays open."""
    problem = sb.CostVarying([sb.Float("ph", 4, 8), sb.Categorical("pot", ["a", "b"])], [["ph", "pot"]])
    with begin(problem) as study:
        asked = study.ask()
        row = {"ph": f"{asked.values['ph']:.3g}", "pot": asked.values["pot"], "value": "2", "cost": "1"}
        (said,) = messages(import_csv(study, table([row])))
        assert "its settings are those of round 1, which has no outcome yet: if it is that round, void" in said
        assert f"import the line with {asked.token} in a column token" in said
        other = "b" if row["pot"] == "a" else "a"
        for changed in ({"pot": other}, {"ph": "4.5" if asked.values["ph"] > 5 else "7"}):
            (said,) = messages(import_csv(study, table([{**row, **changed}])))
            assert "its settings" not in said
        study.amend("added-1", void=True)
        messages(import_csv(study, table([{**row, "token": asked.token}])))
        assert not study.pending
        assert study.status.spent == 1.0


def test_commas_between_the_names_of_a_scope() -> None:
    graph = sb.CausalGraph.from_text(
        "age -> dose -> y; age -> y; sex -> dose; sex -> y; rest -> y", target="y", intervenable=["dose", "rest"]
    )
    problem = sb.Causal(
        graph, [sb.Float("dose", 0, 1), sb.Float("rest", 0, 8), sb.Float("age", 20, 90), sb.Float("sex", 0, 1)]
    )
    row = {"dose": "0.5", "rest": "2", "age": "44", "sex": "1", "value": "1"}
    with begin(problem) as study:
        (line,) = import_csv(study, table([{**row, "scope": "dose (age, sex), rest"}]))
        assert line.fate == "refused"
        assert "expected names with + between them. Write dose (age, sex) + rest." in line.message
        messages(import_csv(study, table([{**row, "scope": "dose (age, sex) + rest"}])))
