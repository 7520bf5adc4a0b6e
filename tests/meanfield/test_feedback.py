"""Outcomes as users report them: tables, counts, payoffs, and what was really played."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Outcome, Suggestion
from steerbo.errors import InvalidOutcome, InvalidRequest
from steerbo.meanfield import MeanField
from steerbo.page.edit import edit_of
from steerbo.study.files.export import rounds_csv
from steerbo.study.files.import_csv import import_csv
from steerbo.study.formatting import shown_rounds
from tests.meanfield.worlds import GOOD, crowd


def asked(problem: MeanField) -> tuple[Optimizer, Suggestion]:
    optimizer = Optimizer(problem, seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    return optimizer, suggestion


def outcome_of(optimizer: Optimizer, suggestion: Suggestion) -> Outcome:
    outcome = optimizer.history[suggestion.token].outcome
    assert outcome is not None
    return outcome


@pytest.mark.parametrize(
    ("realised", "row"),
    [
        ({"distribution": {**GOOD, "night": {"b": 0.5, "c": 0.4}}}, "realised.distribution.night"),
        ({"distribution": {**GOOD, "day": {"a": float("nan")}}}, "realised.distribution.day"),
        ({"distribution": {**GOOD, "day": {"z": 1.0}}}, "realised.distribution.day.z"),
        ({"distribution": {"day": {"a": 1.0}}}, "realised.distribution.night"),
        ({"distribution": {"day": {"a": 1.0}, "dawn": {"a": 1.0}}}, "realised.distribution.dawn"),
        ({"distribution": [[1.0, 0, 0, 0]]}, "realised.distribution"),
        ({"distribution": {**GOOD, "day": {"d": 1.0}}}, "realised.day.d"),
        ({"counts": {"day": {"a": 29}, "night": {"b": 10}}}, "realised.counts.day"),
        ({"counts": {"day": {"a": 30.0}, "night": {"b": 10}}}, "realised.counts.day.a"),
        ({"counts": {"day": {"a": 30}, "night": {"b": -1, "a": 11}}}, "realised.counts.night.b"),
        ({"counts": {"day": {"a": 30}, "dawn": {"b": 10}}}, "realised.counts.dawn"),
        ({"counts": 7}, "realised.counts"),
        ({"weather": "fine"}, "realised.weather"),
    ],
)
def test_bad_outcomes_name_the_row(realised: dict[str, Any], row: str) -> None:
    optimizer, suggestion = asked(crowd(allowed={"day": ("a", "b", "c")}))
    with pytest.raises(InvalidOutcome) as caught:
        optimizer.tell(suggestion, 1.0, realised=realised)
    assert caught.value.field == row


@pytest.mark.parametrize(
    "realised",
    [
        {"counts": {"day": {"a": 15, "b": 15}, "night": [0, 0, 0, 10]}},
        {"distribution": [[0.5, 0.5, 0, 0], [0, 0, 0, 1]]},
    ],
)
def test_counts_are_as_good_as_shares(realised: dict[str, Any]) -> None:
    optimizer, suggestion = asked(crowd())
    optimizer.tell(suggestion, 1.0, realised=realised)
    played = outcome_of(optimizer, suggestion).realised["distribution"]
    assert played == {
        "day": {"a": 0.5, "b": 0.5, "c": 0.0, "d": 0.0},
        "night": {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0},
    }


def test_a_number_of_agents_beyond_all_integers_of_a_machine_is_refused_by_its_row() -> None:
    optimizer, suggestion = asked(crowd())
    with pytest.raises(InvalidOutcome, match=r"counts\.day: 1000"):
        optimizer.tell(suggestion, 1.0, realised={"counts": {"day": {"a": 10**30}, "night": [0, 0, 0, 10]}})


def test_the_default_is_what_was_suggested_and_amending_goes_before_it() -> None:
    optimizer, suggestion = asked(crowd(counts=True))
    optimizer.tell(suggestion, 1.0)
    played = outcome_of(optimizer, suggestion).realised["distribution"]
    assert played["night"] == pytest.approx(suggestion.values["distribution"]["night"])
    optimizer.amend(suggestion, realised={"distribution": GOOD})
    problem = crowd()
    assert outcome_of(optimizer, suggestion).realised["distribution"] == problem.named(problem.table(GOOD))


def test_counts_on_request_add_up() -> None:
    _, suggestion = asked(crowd(counts=True))
    counts = suggestion.values["counts"]
    assert [sum(row.values()) for row in counts.values()] == [30, 10]
    for context, row in suggestion.values["distribution"].items():
        agents = sum(counts[context].values())
        assert all(share * agents == pytest.approx(counts[context][action]) for action, share in row.items())


def test_a_representative_agent_must_be_named() -> None:
    optimizer, suggestion = asked(crowd(feedback="representative"))
    with pytest.raises(InvalidOutcome, match="context of the representative"):
        optimizer.tell(suggestion, 1.0)
    with pytest.raises(InvalidOutcome, match="dawn"):
        optimizer.tell(suggestion, 1.0, realised={"context": "dawn", "action": "a"})
    with pytest.raises(InvalidOutcome, match="an action that agents of 'day' took"):
        optimizer.tell(suggestion, 1.0, realised={"distribution": GOOD, "context": "day", "action": "d"})
    optimizer.tell(suggestion, 1.0, realised={"context": "day", "action": "a"})


@pytest.mark.parametrize("value", [[2.0, 3.0], [[2.0, 3.0]], np.array([[2.0, 3.0]]), {"a": 2.0, "b": 3.0}])
def test_payoffs_of_one_context_need_not_name_it(value: Any) -> None:
    optimizer, suggestion = asked(sb.MeanField(["a", "b"], agents=10, feedback="agents"))
    optimizer.tell(suggestion, value)
    ((_, told, _),) = optimizer.history.outcomes()
    assert told.value == {"everyone": {"a": 2.0, "b": 3.0}}


@pytest.mark.parametrize(
    ("value", "row"),
    [
        ({"day": {"a": 1.0}, "night": {"b": 1.0}}, "value.night.c"),
        ({"day": {"a": 1.0, "b": 1.0}, "night": {"b": 1.0, "c": 0.0}}, "value.day.b"),
        ({"day": {"a": float("nan")}, "night": {"b": 1.0, "c": 0.0}}, "value.day.a"),
        ({"day": {"z": 1.0}}, "value.day.z"),
        (1.0, "value"),
    ],
)
def test_with_all_agents_every_played_cell_has_a_payoff(value: Any, row: str) -> None:
    optimizer, suggestion = asked(crowd(feedback="agents"))
    with pytest.raises(InvalidOutcome) as caught:
        optimizer.tell(suggestion, value, realised={"distribution": GOOD})
    assert caught.value.field == row


EVEN = {context: dict.fromkeys("abcd", 0.25) for context in ("day", "night")}


def test_without_a_word_it_is_what_was_suggested() -> None:
    problem = crowd()
    suggestion = Optimizer(problem, "random", seed=0).ask()
    assert suggestion is not None
    played = problem.read_realised(suggestion, {}, needed=True)
    assert problem.table(played["distribution"]) == pytest.approx(problem.table(suggestion.values["distribution"]))
    assert problem.read_realised(suggestion, {"distribution": GOOD}, needed=True)["distribution"] == problem.named(
        problem.table(GOOD)
    )


def test_counts_go_before_a_distribution_unless_they_are_those_that_were_suggested() -> None:
    problem = crowd(counts=True)
    suggestion = Optimizer(problem, "random", seed=0).ask()
    assert suggestion is not None
    counts = {"day": {"a": 30}, "night": {"b": 10}}
    other = problem.read_realised(suggestion, {"counts": counts, "distribution": EVEN}, needed=True)
    assert other["distribution"]["day"]["a"] == 1.0
    same = {"counts": suggestion.values["counts"], "distribution": EVEN}
    assert problem.read_realised(suggestion, same, needed=True)["distribution"] == EVEN, "a correction goes before them"


def test_a_distribution_goes_before_counts_that_it_rounds_to() -> None:
    """A table that is read back has both: the shares must not lose their digits."""
    problem = sb.MeanField(("a", "b", "c"), agents=10, counts=True)
    third = {"everyone": dict.fromkeys("abc", 1 / 3)}
    counts = {"everyone": {"a": 4, "b": 3, "c": 3}}
    (row,) = problem._read_played({"distribution": third, "counts": counts}, needed=True)["distribution"].values()
    assert list(row.values()) == pytest.approx([1 / 3] * 3, abs=1e-12)


def test_parts_of_an_agent_are_no_counts() -> None:
    """Of an average over a day: whole agents were shown that never stood there."""
    problem = sb.MeanField(("a", "b"), agents=4, counts=True, capacity={"a": 2})
    average = {"everyone": {"a": 0.3, "b": 0.7}}
    assert problem.completed({"distribution": average}) == {"distribution": average}
    assert problem.read_settings({"distribution": average}) == {"distribution": average}
    beyond = {"everyone": {"a": 3, "b": 1}}
    read = problem.read_settings({"counts": beyond})
    assert read["counts"] == beyond, "as asked, though it breaks a limit"
    assert read["distribution"] == {"everyone": {"a": 0.75, "b": 0.25}}
    assert problem.completed(read) == read


TOLD = {"day": {"a": 15, "b": 15, "c": 0, "d": 0}, "night": {"a": 0, "b": 0, "c": 0, "d": 10}}
SHARES = {"day": {"a": 0.5, "b": 0.5, "c": 0.0, "d": 0.0}, "night": {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0}}


@pytest.mark.parametrize("realised", [{"counts": TOLD}, {"distribution": SHARES}])
def test_counts_are_those_of_the_distribution_that_was_played(realised: dict[str, Any], tmp_path: Path) -> None:
    """Told, amended or failed, in the history, in the exported table, in `show`, in the form, and read from a log."""
    study = sb.Study.create(tmp_path / "study", crowd(counts=True), method="random", seed=0)
    told, amended, failed, as_asked = (study.ask() for _ in range(4))
    study.tell(told, 1.0, realised=realised)
    study.tell(amended, 1.0, realised={"counts": {"day": {"c": 30}, "night": {"c": 10}}})
    study.amend(amended, realised=realised)
    study.fail(failed, "snow", realised=realised)
    study.tell(as_asked, 2.0)
    study.add(3.0, realised=realised)
    known = {"distribution": SHARES, "counts": TOLD}
    for history in (study.history, sb.Study.open(tmp_path / "study").history):
        rounds = list(history)
        assert [{**each.realised} for each in rounds[:3]] == [known] * 3
        assert rounds[3].realised == rounds[3].suggestion.values
    rows = list(csv.DictReader(rounds_csv(study.problem, study.history).splitlines()))
    for row in (*rows[:3], rows[4]):
        assert {name: json.loads(row[name]) for name in known} == known
    assert json.loads(rows[3]["counts"]) == study.history[as_asked.token].suggestion.values["counts"]
    shown = str(shown_rounds(study))
    assert shown.count("a = 15, b = 15") == 4, shown
    assert "distribution" not in shown
    fields = {field.name: field.value for field in edit_of(study, told.token).fields}
    assert fields["realised:counts"] == json.dumps(TOLD)


def test_a_table_with_other_counts_is_read_back(tmp_path: Path) -> None:
    one, other = (sb.Study.create(tmp_path / name, crowd(counts=True), method="random", seed=0) for name in "ab")
    for study in (one, other):
        suggestion = study.ask()
    one.tell(suggestion, 1.0, realised={"counts": TOLD})
    import_csv(other, rounds_csv(one.problem, one.history))
    assert [each.realised for each in other.history] == [each.realised for each in one.history]


def test_what_is_seen_before_choosing_is_kept() -> None:
    problem = crowd(variables=[sb.Float("wind", 0, 9, seen=True)])
    assert problem._read_played({"distribution": EVEN, "wind": 3}, needed=True)["wind"] == 3.0
    with pytest.raises(InvalidOutcome, match=r"wind: .*'wind' is missing"):
        problem._read_played({"distribution": EVEN}, needed=True)


def test_the_representative_agent_is_asked_for_where_there_is_one() -> None:
    problem = crowd(feedback="representative")
    with pytest.raises(InvalidOutcome, match="representative"):
        problem._read_played({"distribution": EVEN}, needed=True)
    assert set(problem._read_played({"distribution": EVEN}, needed=False)) == {"distribution"}
    agent = {"context": "night", "action": "c"}
    assert problem._read_played({"distribution": EVEN, **agent}, needed=True) == {"distribution": EVEN, **agent}
    with pytest.raises(InvalidOutcome, match=r"realised\.action: 'c' .*one of distribution"):
        crowd()._read_played({"distribution": EVEN, "action": "c"}, needed=True)


@pytest.mark.parametrize(
    ("realised", "said"),
    [
        (7, "realised: 7 .*values by name"),
        ({"weather": "fine"}, r"realised\.weather: .*one of distribution, counts"),
        ({"distribution": EVEN}, r"realised\.night\.a: 0\.25 .*no agents here.*allows 'night' only b, c"),
    ],
)
def test_what_cannot_have_been_is_refused(realised: Any, said: str) -> None:
    problem = crowd(allowed={"night": ("b", "c")})
    suggestion = Optimizer(problem, "random", seed=0).ask()
    assert suggestion is not None
    with pytest.raises(InvalidOutcome, match=said):
        problem.read_realised(suggestion, realised, needed=True)


@pytest.mark.parametrize("field", ["counts", "distribution"])
def test_the_only_context_need_not_be_named(field: str) -> None:
    optimizer = sb.Optimizer(sb.MeanField(["a", "b"], agents=4, counts=True), "random", rounds=9, seed=0)
    whole = {"counts": {"a": 3, "b": 1}, "distribution": {"a": 0.75, "b": 0.25}}[field]
    played = {"distribution": {"everyone": {"a": 0.75, "b": 0.25}}}
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, 1.0, realised={field: whole})
    optimizer.add(2.0, realised={field: whole})
    outcome = optimizer.history[suggestion.token].outcome
    assert outcome is not None
    assert outcome.realised == optimizer.history.data["added-1"].outcome.realised == played


@pytest.mark.parametrize(
    ("present", "read"),
    [
        ({"a": 30, "b": 10}, [0.75, 0.25]),
        ({"everyone": {"a": 40.0}}, [1.0, 0.0]),
        ({"a": 0.75, "b": 0.25}, [0.75, 0.25]),
        ({"a": 1.0}, [1.0, 0.0]),
        ({"a": 1}, None),  # of forty
        ({"a": 30, "b": 9}, None),
        ({"a": 10**400}, None),
        ({"c": 40}, None),
        ({"a": float("nan")}, None),
        ({"a": 40.5, "b": -0.5}, None),
    ],
)
def test_the_present_distribution_may_be_numbers_of_agents(present: Any, read: list[float] | None) -> None:
    optimizer = sb.Optimizer(sb.MeanField(["a", "b"], agents=40, largest_move=0.3), "random", rounds=9, seed=0)
    if read is None:
        with pytest.raises(InvalidRequest, match=r"current\.everyone"):
            optimizer.ask(current=present)
    else:
        suggestion = optimizer.ask(current=present)
        assert suggestion is not None
        request = optimizer.history[suggestion.token].request
        assert request["current"] == {"everyone": dict(zip("ab", read, strict=True))}


@pytest.mark.parametrize("number", [Decimal, Fraction])
def test_exact_numbers_are_counts_and_shares(number: Any) -> None:
    for realised in (
        {"counts": {"everyone": {"a": number(3), "b": number(7)}}},
        {"distribution": {"everyone": {"a": number(3) / 10, "b": number(7) / 10}}},
    ):
        optimizer, suggestion = asked(MeanField(actions=["a", "b"], agents=10))
        optimizer.tell(suggestion, value=number(2), realised=realised)
        told = outcome_of(optimizer, suggestion).realised
        assert json.loads(json.dumps(told))["distribution"]["everyone"] == {"a": 0.3, "b": 0.7}


def test_half_an_agent_is_refused() -> None:
    optimizer, suggestion = asked(MeanField(actions=["a", "b"], agents=10))
    halves = {"everyone": {"a": Fraction(5, 2), "b": Fraction(15, 2)}}
    with pytest.raises(InvalidOutcome, match="a whole number of agents"):
        optimizer.tell(suggestion, value=1.0, realised={"counts": halves})
