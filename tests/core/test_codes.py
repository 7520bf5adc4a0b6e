"""Codes for missing values: found where they come again, left out everywhere, and counted once they are confirmed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo._evidence import ALPHA
from steerbo.core._codes import Column, by_chance
from steerbo.core._implausible import unusual
from steerbo.page.edit import said_of
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import rounds_csv
from steerbo.study.files.import_csv import import_csv
from steerbo.study.formatting import data_table, rounds_table
from tests.torture.kills import WINGS

Outcomes = Callable[[np.random.Generator, int], Sequence[float]]
LINE = sb.CostVarying([sb.Float("x", 0, 10)], [["x"]])


def column_of(numbers: Sequence[float], places: Sequence[float] = ()) -> Column:
    """A column of numbers, at places drawn at random where none are given."""
    drawn = np.random.default_rng(7).uniform(0, 1, len(numbers))
    column = Column(unusual)
    for at, (number, place) in enumerate(zip(numbers, places or drawn, strict=True)):
        column.state(str(at), number, (float(place),))
    return column


def peak(x: float, random: np.random.Generator) -> float:
    return 5 - (x - 3) ** 2 / 4 + float(random.normal(0, 0.2))


@pytest.mark.parametrize("code", [-200.0, -999.0, -99.0, 0.0, 99.0, 9999.0])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_a_code_is_found_at_any_share_up_to_a_half(code: float, share: float) -> None:
    random = np.random.default_rng(1)
    numbers = [peak(x, random) for x in random.uniform(0, 10, 60)]
    for place in range(2, 60, round(1 / share)):
        numbers[place] = code
    assert column_of(numbers).codes == {code}


def test_two_codes_are_two() -> None:
    random = np.random.default_rng(2)
    numbers = [peak(x, random) for x in random.uniform(0, 10, 60)]
    numbers[10:40:2], numbers[11:41:2] = [-999.0] * 15, [0.0] * 15
    assert column_of(numbers).codes == {-999.0, 0.0}


@pytest.mark.parametrize("codes", [(-98.0, -99.0), (1e10, -1.0), (1e30, -1.0)])
def test_a_code_hides_no_other_one_beside_it_or_far_smaller(codes: tuple[float, float]) -> None:
    """-98 made an end of -99 that others reach; beside 1e10 what two decimals tell apart was one number."""
    random = np.random.default_rng(2)
    numbers = [round(peak(x, random), 2) for x in random.uniform(0, 10, 60)]
    numbers[10:14:2], numbers[14:30:2], numbers[30:40:2] = [codes[0]] * 2, [codes[1]] * 8, [codes[0]] * 5
    assert column_of(numbers).codes == {*codes}


@pytest.mark.parametrize("step", [0.001, 0.01, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("drawn", [lambda r, n: r.uniform(0, 30, n), lambda r, n: r.normal(0, 10, n)])
def test_rounding_makes_no_codes(step: float, drawn: Outcomes) -> None:
    """Of studies whose outcomes are rounded, few find a code in the whole of their course.

    If as many as the rule allows find one, more than eight of 200 do so with probability 2e-4.
    """
    random = np.random.default_rng(3)
    found = sum(bool(column_of(_rounded(drawn(random, 60), step)).codes) for _ in range(200))
    assert ALPHA == 0.01
    assert found <= 8


@pytest.mark.parametrize("step", [0.001, 0.01, 0.1, 1.0])
def test_rounded_outcomes_at_an_optimum_are_no_codes(step: float) -> None:
    random = np.random.default_rng(3)
    found = 0
    for _ in range(200):
        settings = [0.5 + 0.5 * float(x) ** 3 for x in random.uniform(-1, 1, 60)]  # near the optimum, mostly
        found += bool(column_of(_rounded([30 - 120 * (x - 0.5) ** 2 for x in settings], step), settings).codes)
    assert found <= 8


@pytest.mark.parametrize(
    "written",
    [
        lambda x: round(12 * x) / 30,  # trials of thirty that worked, as a share
        lambda x: round(8 * x) / 4,
        lambda x: 5 * round(12 + 3 * x) / 60,  # five minutes, in hours
        lambda x: round(180 + 5 * x) * 1.8 + 32,
    ],
)
def test_numbers_in_steps_of_any_size_make_no_codes(written: Callable[[float], float]) -> None:
    """Of 100 studies 14 to 19 found one on the way, by steps taken for tenths, hundredths or far less."""
    random, found = np.random.default_rng(13), 0
    for _ in range(100):
        column, codes = Column(unusual), False
        for k, (x, place) in enumerate(zip(random.normal(0, 1, 40), random.uniform(0, 1, 40), strict=True)):
            column.state(str(k), written(float(x)), (float(place),))
            codes = codes or bool(column.codes)
        found += codes
    assert found <= 5


def _rounded(numbers: Any, step: float) -> list[float]:
    return [round(float(x), 6) for x in np.round(np.asarray(numbers) / step) * step]


def test_scores_and_plateaus_of_most_outcomes_are_no_codes() -> None:
    random = np.random.default_rng(4)
    assert not column_of([float(x) for x in random.integers(0, 11, 100)]).codes
    for plateau in (2.0, 5.0, 8.0):
        settings = [float(x) for x in random.uniform(0, 10, 100)]
        assert not column_of([max(x - plateau, 0.0) for x in settings], settings).codes
        assert not column_of([min(x, plateau) for x in settings], settings).codes
    assert not column_of([1.0] * 30).codes


def test_a_code_beyond_scores_is_found() -> None:
    random = np.random.default_rng(5)
    scores = [float(x) for x in random.integers(1, 6, 60)]
    scores[7:60:9] = [99.0] * 6
    assert column_of(scores).codes == {99.0}


def test_repetitions_at_one_setting_are_no_code() -> None:
    numbers = [3.125, 4.5, 7.25, 7.25, 7.25, 7.25, 1.0625, 5.5, 9.75]
    assert not column_of(numbers, numbers).codes


@pytest.mark.parametrize("times", [3, 5, 50])
def test_probabilities_grow_with_outcomes_and_fall_with_cells(times: int) -> None:
    told = [by_chance(times, others, 0, 50.0) for others in (5, 20, 80)]
    assert told == sorted(told)
    told = [by_chance(times, 30, 0, cells) for cells in (1.0, 10.0, 1e3, 1e300)]
    assert told == sorted(told, reverse=True)
    assert told[0] == 1.0


def played(values: Sequence[float], problem: sb.CostVarying = LINE, **limits: Any) -> sb.Optimizer:
    optimizer = sb.Optimizer(problem, "random", seed=0, **limits)
    for value in values:
        optimizer.tell(optimizer.ask(), value)
    return optimizer


BEFORE = (3.92, 4.71, 1.25, 5.02, 2.88)


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_a_code_is_named_from_the_third_on_and_left_out_until_it_is_confirmed() -> None:
    optimizer = played((*BEFORE, -200.0, 3.31, -200.0))
    assert optimizer.status.told == 8
    with pytest.warns(match=r"value = -200 comes for the 3rd time, at different settings.*left out") as said:
        optimizer.tell(optimizer.ask(), -200.0)
    assert len(said) == 1
    with pytest.warns(match="for the 4th time"):
        optimizer.tell(optimizer.ask(), -200.0)
    assert optimizer.status.told == 6
    assert {value for _, outcome in optimizer.history.told for value in [outcome.value]} == {*BEFORE, 3.31}
    (found,) = (each for each in optimizer.status.findings if each.kind == "codes")
    assert found.values["times"] == 4
    assert found.values["outcomes"] == 10
    assert "4 outcomes of -200 look like codes for missing values" in str(optimizer.recommend())
    assert sb.load(optimizer.to_json()).status == optimizer.status
    latest = found.values["latest"]
    optimizer.tell(latest, -200.0)  # the same report again is fine, and confirms nothing
    assert optimizer.status.told == 6
    optimizer.amend(latest, -200.0)
    assert optimizer.status.told == 10
    assert "codes" not in [each.kind for each in optimizer.status.findings]
    assert sb.load(optimizer.to_json()).status == optimizer.status


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_a_corrected_or_voided_code_is_none_any_more() -> None:
    optimizer = played((*BEFORE, -200.0, 3.31, -200.0, -200.0))
    first, *_, last = [r.suggestion.token for r in optimizer.history if r.state == "void"]
    optimizer.amend(first, 4.4)
    assert optimizer.status.told == 9
    optimizer.amend(last, void=True)
    assert optimizer.status.told == 8


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_costs_that_are_codes_are_unknown() -> None:
    optimizer = sb.Optimizer(LINE, "random", seed=0, budget=1e5)
    for cost in (3.21, 2.87, 9999.0, 3.05, 9999.0, 2.64):
        optimizer.tell(optimizer.ask(), cost, cost=cost)
    with pytest.warns(match=r"cost = 9999 comes for the 3rd time"):
        optimizer.tell(optimizer.ask(), 1.0, cost=9999.0)
    assert optimizer.status.spent == pytest.approx(3.21 + 2.87 + 3.05 + 2.64 + optimizer.status.estimated)
    assert optimizer.status.told == 7
    (found,) = (each for each in optimizer.status.findings if each.kind == "codes")
    assert "cost = 9999 in 3 of 7 outcomes" in found.text


def test_a_cost_that_is_the_sum_of_all_prices_is_a_total() -> None:
    variables = [sb.Float("x", 0, 10, law=sb.Uniform()), sb.Float("z", 0, 10, law=sb.Uniform())]
    problem = sb.CostVarying(variables, [["x"], ["x", "z"]], costs=[1.0, 2.0])
    optimizer, total, said = sb.Optimizer(problem, "random", seed=0, budget=40), 0.0, []
    for _ in range(8):
        asked = optimizer.ask()
        total += len(asked.values)
        nature = {name: 5.0 for name in ("x", "z") if name not in asked.values}
        said.append(optimizer.tell(asked, 1.0 + total, cost=total, realised=nature))
        if said[-1] and "sum of all costs" in said[-1][0]:
            break
    assert len(said) == 3
    assert optimizer.status.spent == total
    assert "running total" in str(optimizer.status)
    last = [*optimizer.history][-1].suggestion.token
    optimizer.amend(last, cost=total)
    assert optimizer.status.spent > total


def test_costs_that_count_the_plays_of_one_set_are_a_total() -> None:
    variables = [sb.Float("x", 0, 10, law=sb.Uniform()), sb.Float("z", 0, 10, law=sb.Uniform())]
    problem = sb.CostVarying(variables, [["x"], ["x", "z"]], costs=[1.0, 2.0])
    optimizer = sb.Optimizer(problem, "random", seed=0, budget=40)
    said: list[bool] = []
    while len(said) < 4:
        asked = optimizer.ask()
        if len(asked.values) == 2:
            optimizer.abandon(asked)
            continue
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            optimizer.tell(asked, float(len(said) % 2), cost=len(said) + 1.0, realised={"z": 5.0})
        said.append(any("running total" in str(each.message) for each in noted))
    assert any(said[:3])
    assert optimizer.status.spent == 4.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("wing", WINGS)
def test_codes_are_left_out_in_every_kind(wing: str) -> None:
    case, _ = WINGS[wing]
    optimizer, random = case.start(), np.random.default_rng(6)
    for number in range(1, 13):
        asked = optimizer.ask(**case.request(number))
        while asked.observe:
            asked = optimizer.decide(asked, case.seen(asked))
        outcome = {**case.outcome(asked), "value": -200.0 if number % 3 == 0 else float(random.normal())}
        optimizer.tell(asked, **outcome)
    counted = [outcome.value for _, outcome, _ in optimizer.history.outcomes()]
    assert -200.0 not in counted
    assert len(counted) == 8
    answer = optimizer.recommend()
    assert answer.mean is None or abs(answer.mean) < 10
    again = sb.load(optimizer.to_json())
    assert again.recommend() == answer


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_what_is_left_out_is_shown_as_it_was_told() -> None:
    study = Study.create(MemoryLog(), LINE, "random", seed=0, rounds=30)
    for value in (*BEFORE, -200.0, 3.31, -200.0, -200.0):
        study.tell(study.ask(), value)
    for value in (-200.0, 4.2):
        study.add(value, {"x": 2 + value / 100})
    rounds, data = (
        [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for table in (rounds_table(study), data_table(study))
    )
    assert (rounds[8]["value"], rounds[8]["state"]) == (-200.0, "left out")
    assert [(row["value"], row["state"]) for row in data] == [(-200.0, "left out"), (4.2, "added")]
    table = rounds_csv(study.problem, study.history, {})
    assert table.count("-200.0") == 4
    assert "void" not in table
    before = study.events
    assert all(line.taken for line in import_csv(study, table))
    assert study.events == before, "the same table again changes nothing"
    last = [r for r in study.history if r.state == "void"][-1]
    assert "looks like a code for a missing value" in said_of(study, last)


@pytest.mark.filterwarnings("ignore")
@given(st.data())
def test_no_outcome_ends_a_study(data: st.DataObject) -> None:
    numbers = st.sampled_from([0.0, -0.0, -200.0, 5e-324, 1e-100, 1e100, -1e100, 1.5, 2.25, 1e15])
    column = Column(unusual)
    for at in range(data.draw(st.integers(3, 20))):
        number = data.draw(numbers | st.floats(-1e100, 1e100) | st.none())
        place = tuple(data.draw(st.lists(st.floats(-1, 2), max_size=2)))
        assert column.foresee(number or 0.0, place)[0] in ("", "code", "end")
        column.state(data.draw(st.sampled_from(["a", "b", str(at)])), number, place)
    assert column.codes | column.ends <= {column.number(name) for name in ("a", "b", *map(str, range(20)))}
    assert not column.codes & column.ends


@pytest.mark.filterwarnings("ignore")
def test_rounds_and_data_of_a_fleet_are_compared() -> None:
    problem = sb.MeanField(("south", "north"), agents=10, counts=True)
    optimizer, random = sb.Optimizer(problem, "random", seed=0), np.random.default_rng(8)
    for number in range(1, 16):
        value = -200.0 if number % 3 == 0 else float(random.normal())
        if number % 2:
            share = float(random.integers(0, 11)) / 10
            optimizer.add(value, {"distribution": {"south": share, "north": 1 - share}})
        else:
            optimizer.tell(optimizer.ask(), value)
    assert [found.values["value"] for found in optimizer.status.findings if found.kind == "codes"] == [-200.0]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
@pytest.mark.parametrize("penalty", [-1000.0, 0.0, 1e6])
def test_penalties_in_a_region_are_no_codes(share: float, penalty: float) -> None:
    """A region where a simulation breaks has its number: without it a search would go there again and again."""
    random = np.random.default_rng(9)
    settings = [float(x) for x in random.uniform(0, 10, 60)]
    values = [penalty if x > 10 * (1 - share) else peak(x, random) for x in settings]
    assert not column_of(values, settings).codes


def test_yields_of_nothing_are_no_codes() -> None:
    """Four settings, and 0 wherever too little of one is there: 34 of 40 such studies left outcomes out."""
    random, found = np.random.default_rng(11), 0
    for _ in range(40):
        column = Column(unusual)
        peaks = random.uniform(0, 1, (3, 4))
        for k, place in enumerate(random.uniform(0, 1, (40, 4))):
            worth = max(2 - 2 * np.abs(place - peak).sum() for peak in peaks) + random.normal(0, 0.1)
            column.state(str(k), max(0.0, float(worth)), (*place,))
        found += bool(column.codes)
    assert found <= 1


@pytest.mark.parametrize(("code", "sign"), [(-1.0, 1.0), (1.0, -1.0), (-9.0, 1.0)])
def test_a_number_of_another_sign_is_no_end_of_the_others(code: float, sign: float) -> None:
    """Among values from 0 to 100 a code of -1 was found in 14 of 100 studies, as it might be where they are cut off."""
    random, found = np.random.default_rng(12), 0
    for _ in range(40):
        column = Column(unusual)
        for k, place in enumerate(random.uniform(0, 1, (24, 2))):
            missing = random.random() < 0.3
            column.state(str(k), code if missing else sign * float(random.uniform(0, 100)), (*place,))
        found += column.codes == {code}
    assert found >= 30


@pytest.mark.parametrize("code", [0.0, 99.0, 100.0])
def test_a_code_at_an_end_of_the_others_is_asked_about(code: float) -> None:
    """Among values from 0 to 100 such a code was taken in without a word by four of five studies."""
    random, met = np.random.default_rng(12), 0
    for _ in range(40):
        column = Column(unusual)
        for k, place in enumerate(random.uniform(0, 1, (24, 2))):
            column.state(str(k), code if random.random() < 0.3 else float(random.uniform(0, 100)), (*place,))
        met += column.codes | column.ends == {code}
    assert met >= 30


def test_a_code_that_the_others_come_to_reach_is_asked_about_from_then_on() -> None:
    """It counted again, and nothing was said of it any more."""
    random, column = np.random.default_rng(3), Column(unusual)
    kinds = []
    for k in range(40):
        number = 0.0 if k in (3, 9, 14) else float(random.uniform(40.0 if k < 20 else 0.0, 60.0))
        column.state(str(k), number, (*random.uniform(0, 1, 2),))
        kinds.append("code" if 0.0 in column.codes else "end" if 0.0 in column.ends else "")
    assert kinds[14:20] == ["code"] * 6
    assert "end" in kinds
    assert "" not in kinds[14:]


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_an_end_of_the_others_is_asked_about_once_and_counts() -> None:
    optimizer = played((3.92, 4.71, 1.25, 0.0, 5.13, 2.88, 0.0, 0.43))
    with pytest.warns(match=r"value = 0 comes for the 3rd time, at different settings. It counts") as said:
        optimizer.tell(optimizer.ask(), 0.0)
    assert len(said) == 1
    asked = optimizer.ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.tell(asked, 0.0)
    assert optimizer.status.told == 10
    (found,) = (each for each in optimizer.status.findings if each.kind == "ends")
    assert "value = 0 in 4 of 10 outcomes" in found.text
    assert sb.load(optimizer.to_json()).status == optimizer.status
    optimizer.amend(found.values["latest"], 0.0)
    assert "ends" not in [each.kind for each in optimizer.status.findings]
    assert optimizer.status.told == 10


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_to_correct_something_else_confirms_no_end() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 10)], [["x"]], costs=[1.0])
    optimizer = played((3.92, 4.71, 1.25, 0.0, 5.13, 2.88, 0.0, 0.43, 0.0), problem, budget=100.0)
    (found,) = (each for each in optimizer.status.findings if each.kind == "ends")
    optimizer.amend(found.values["latest"], 0.0, cost=2.0)
    assert "ends" in [each.kind for each in optimizer.status.findings]


def test_an_instrument_that_is_stuck_is_a_code_also_where_a_search_stays() -> None:
    random = np.random.default_rng(10)
    settings = [*(float(x) for x in random.uniform(0, 10, 12)), *(3.0 + 0.01 * k for k in range(20))]
    values = [7.3 if k >= 12 else peak(x, random) for k, x in enumerate(settings)]
    assert column_of(values, settings).codes == {7.3}


@pytest.mark.filterwarnings("ignore")
def test_a_plateau_at_the_end_of_a_sorted_table_is_no_code() -> None:
    optimizer = sb.Optimizer(LINE, seed=0)
    for x in np.linspace(0, 10, 21):
        optimizer.add(min(100.0, float(12.5 * x + np.sin(9 * x))), {"x": float(x)})
    assert "codes" not in [found.kind for found in optimizer.status.findings]


def test_a_price_that_a_formula_gives_is_no_code() -> None:
    graph = sb.CausalGraph.from_text("dose -> y; weekday -> y", target="y", intervenable=["dose"])
    variables = [sb.Float("dose", 0, 1), sb.Float("weekday", 0, 6, seen=True)]
    problem = sb.Causal(graph, variables, prices={"dose": "1 if abs(weekday - 3) > 2.5 else dose"}, base=1)
    optimizer, noise = sb.Optimizer(problem, "random", rounds=28, seed=1), np.random.default_rng(0)
    for day in range(28):
        asked = optimizer.ask(context={"weekday": day % 7})
        nature = {} if "dose" in asked.values else {"dose": noise.uniform()}
        optimizer.tell(asked, noise.normal(), realised=nature)
    costs = [played.paid for played in optimizer.history if played.paid == 2.0]
    assert len(costs) >= 3, "the price of two days comes again, and no other does"
    assert not [each for each in optimizer.status.findings if each.kind == "codes"]


def test_the_price_of_a_move_is_no_code() -> None:
    """It was counted twice beside the price of the set, so that a round that paid it once seemed to be told a cost."""
    oven = sb.Float("oven", 10, 35, change=sb.SwitchingCost(fixed=2, per_unit=0.1))
    problem = sb.CostVarying([oven, sb.Float("fan", 0, 1)], [["oven", "fan"]], costs=[1])
    optimizer = sb.Optimizer(problem, seed=0)
    heats = (15.875, 33.978, 24.844, 11.13, 29.104, 29.104, 23.549, 26.049, 26.049, 23.549, 23.549, 26.049)
    for k, heat in enumerate(heats):
        optimizer.tell(optimizer.attach({"oven": heat, "fan": (k % 5) / 4}), np.sin(heat))
    costs = [played.paid or 0.0 for played in optimizer.history]
    assert np.isclose(costs, 3.25).sum() == 3
    assert not [each for each in optimizer.status.findings if each.kind == "codes"]


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_a_code_in_the_column_of_a_limit_counts_as_not_measured() -> None:
    problem = sb.CostVarying(
        [sb.Float("x", 0, 10)], [["x"]], limits=[sb.OutcomeConstraint("heat", at_most=5.0, probability=0.9)]
    )
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(3)
    for k in range(12):
        x = float(random.uniform(0, 10))
        heat = -200.0 if k % 3 == 2 else float(2 + x / 3 + random.normal(0, 0.1))
        said = optimizer.add(peak(x, random), {"x": x, "heat": heat})
        if k == 8:
            assert "heat = -200 comes for the 3rd time" in str(said)
    assert "heat = -200 in 4 of 12 outcomes" in str(optimizer.status)
    assert len(optimizer.history.added) == 12, "the values themselves count"
    assert [each.realised.get("heat") for each in optimizer.history.added].count(None) == 4
    told = optimizer.history.first_data["added-3"].outcome
    optimizer.amend("added-3", told.value, realised=told.realised)
    assert all(each.realised["heat"] for each in optimizer.history.added), "confirmed, it counts"
