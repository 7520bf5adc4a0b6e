"""The table of rounds: newest first, a part at a time."""

from __future__ import annotations

import steerbo as sb
from steerbo.page.archive import added, rounds_before
from steerbo.study import MemoryLog, Study


def played(count: int) -> Study:
    variables = [sb.Float("heat", 0, 100, unit="°C", law=sb.Uniform()), sb.Float("glaze", 0, 2, law=sb.Uniform())]
    study = Study.create(MemoryLog(), sb.CostVarying(variables, [["heat"], ["glaze"]], costs=[1, 2]), "random", seed=1)
    for k in range(count):
        suggestion = study.ask()
        study.tell(suggestion, float(k), realised={"heat": 20.0, "glaze": 1.0, **suggestion.values})
    return study


def test_the_latest_rounds_first_and_more_on_demand() -> None:
    study = played(25)
    first = rounds_before(study, most=10)
    assert [line.number for line in first.lines] == list(range(25, 15, -1))
    assert (first.before, first.total, first.scoped, first.priced, first.more) == (16, 25, True, True, True)
    second = rounds_before(study, first.before, most=10)
    assert [line.number for line in second.lines] == list(range(15, 5, -1))
    assert rounds_before(study, most=25).before == 0
    assert len(rounds_before(study, most=None).lines) == 25
    assert rounds_before(played(0)).lines == ()


def test_a_line_says_what_was_set_and_what_nature_did() -> None:
    study = played(1)
    (line,) = rounds_before(study).lines
    set_, nature = {"heat 20 °C", "glaze 1"}, {line.set, line.also}
    assert (line.value, line.state, line.note, line.ended) == ("0", "told", "", True)
    assert nature & set_, "what nature did"
    assert line.cost in ("1", "2")
    study.fail(study.ask(), "it leaked", cost=3.0)
    study.abandon(study.ask(), "no time")
    study.ask()
    notes = [(line.note, line.cost, line.ended) for line in rounds_before(study).lines]
    assert notes[:3] == [("open", "", False), ("given up", "", False), ("broke: it leaked", "3", True)]


def test_a_cost_beside_smaller_ones_has_its_own_digits() -> None:
    study = played(0)
    for cost in (22.34, 0.55):
        study.fail(study.ask(), cost=cost)
    assert [line.cost for line in rounds_before(study).lines] == ["0.55", "22.34"], "and no 0 in the place of one"


def test_rounds_are_searched() -> None:
    study = played(12)
    study.fail(study.ask(), "It leaked", cost=1.0)
    found = rounds_before(study, text="leaked")
    assert ([line.number for line in found.lines], found.total, found.before) == ([13], 1, 0)
    assert rounds_before(study, text="no such thing").lines == ()
    some = rounds_before(study, text="glaze", most=2)
    assert len(some.lines) == 2
    assert some.total > 2


def test_added_data_are_there() -> None:
    study = played(0)
    study.add(3.0, {"heat": 20.0, "glaze": 1.5}, cost=2.0)
    (line,) = added(study).lines
    assert (line.title, line.also, line.value, line.cost, line.note) == (
        "added 1",
        "heat 20 °C, glaze 1.5",
        "3",
        "2",
        "added",
    )


def test_long_data_are_shown_in_part_and_searched() -> None:
    study = played(0)
    for heat in range(30):
        study.add(3.0, {"heat": 20.0 + heat, "glaze": 1.5}, cost=2.0)
    data = added(study)
    assert (len(data.lines), data.total, data.lines[0].title) == (20, 30, "added 30")
    assert len(added(study, None).lines) == 30
    found = added(study, 3, "heat 2")
    assert ([line.title for line in found.lines], found.total) == (["added 10", "added 9", "added 8"], 10)
