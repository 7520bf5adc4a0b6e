from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.records import from_dict, to_dict
from steerbo.space import Float, Integer, LogNormal, Normal, Uniform, Variable

from .strategies import few, floats, hostile, integers, settable

NAN, INF = float("nan"), float("inf")
Numeric = Float | Integer


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1, 0),
        (1, 1),
        (NAN, 1),
        (0, NAN),
        (-INF, 0),
        (0, INF),
        (-1e308, 1e308),
        (1e8, 1e8 + 1e-3),
        (0, 5e-324),
        ("0", 1),
        (False, True),
        (None, 1),
    ],
)
def test_bounds_that_are_refused(low: Any, high: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"Float\.(x\.)?(low|high): "):
        Float("x", low, high)
    with pytest.raises(InvalidProblem, match=r"Integer\.(x\.)?(low|high): "):
        Integer("x", low, high)


@pytest.mark.parametrize("low", [0, -1])
def test_log_scales_start_above_zero(low: int) -> None:
    for kind in (Float, Integer):
        with pytest.raises(InvalidProblem, match=r"x\.low: .*above 0 on a log scale"):
            kind("x", low, 10, scale="log")


def test_the_ratio_of_the_ends_of_a_log_scale_is_a_number() -> None:
    """It was infinite from 1e-300 to 1e50, and the first suggestion ended with a Python error."""
    with pytest.raises(InvalidProblem, match=r"x\.low: .*by at least 1e-100"):
        Float("x", 1e-300, 1e50, scale="log")
    assert Float("x", 1e-100, 1e100, scale="log").text(1.0) == "1"


@pytest.mark.parametrize("step", [0, -1, NAN, 11, 1e-12, "1", True])
def test_steps_that_are_refused(step: Any) -> None:
    with pytest.raises(InvalidProblem, match="step"):
        Float("x", 0, 10, step=step)


def test_whole_bounds() -> None:
    with pytest.raises(InvalidProblem, match="a whole number"):
        Integer("x", 0, 1.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidProblem, match="a whole number"):
        Integer("x", 0, 10**30)
    assert Integer("x", np.int64(0), 5.0).high == 5  # type: ignore[arg-type]


@few
@given(st.one_of(floats(), integers()))
def test_survives_a_file(variable: Numeric) -> None:
    again = from_dict(Variable, json.loads(json.dumps(to_dict(variable))))
    assert again == variable
    assert type(again) is type(variable)


@few
@given(st.data(), st.one_of(floats(), integers()))
def test_settable_values_survive_encoding(data: st.DataObject, variable: Numeric) -> None:
    value = data.draw(settable(variable))
    z = variable.encode([value])
    assert 0 <= z[0] <= 1
    back = variable.decode(z)[0]
    assert type(back) is type(value)
    assert back == pytest.approx(value, rel=1e-12, abs=1e-12 * (variable.high - variable.low))
    assert variable.check_setting(value) == pytest.approx(value)


@few
@given(st.one_of(floats(), integers()), st.lists(st.floats(-2, 3), max_size=9))
def test_whatever_is_decoded_can_be_set(variable: Numeric, z: list[float]) -> None:
    for value in variable.decode(z):
        assert variable.low <= value <= variable.high
        assert variable.check_setting(value) == pytest.approx(value, rel=1e-12)
        assert variable.check_measured(value) == value


@few
@given(st.one_of(floats(), integers()), st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_decoding_goes_to_a_nearest_level(variable: Numeric, chosen: list[float]) -> None:
    levels = variable.levels
    if levels is None:
        return
    assert (np.diff(levels) > 0).all()
    settable_values = np.array(variable.decode(levels))
    assert len(set(settable_values.tolist())) == len(levels)
    wanted = Float("x", variable.low, variable.high, scale=variable.scale).decode(chosen)
    for value, x in zip(variable.decode(chosen), wanted, strict=True):
        nearest = np.abs(settable_values - x).min()
        assert abs(value - x) <= nearest + 1e-9 * (variable.high - variable.low)


def test_levels_are_what_a_person_would_write() -> None:
    variable = Float("x", 0, 1, step=0.1)
    assert variable.decode([0.3, 0.6, 0.7]) == [0.3, 0.6, 0.7]
    assert Float("x", 1, 2, step=0.3).decode([1.0]) == [1.9]
    assert Float("x", 0, 1, step=1).levels == pytest.approx([0, 1])
    assert Integer("k", 1, 4).levels == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert Integer("k", 1, 100, scale="log").decode([0.0, 0.5, 1.0]) == [1, 10, 100]


def test_very_many_levels_count_as_continuous() -> None:
    assert Integer("k", 0, 10**9).levels is None
    fine = Float("x", 0, 1, step=1e-6)
    assert fine.levels is None
    assert fine.check_setting(fine.decode([0.1234567])[0]) == pytest.approx(0.123457)


@few
@given(hostile)
def test_what_is_no_number_is_neither_set_nor_measured(value: Any) -> None:
    for variable in (Float("x", 0, 2), Float("x", 0, 2, step=1), Integer("x", 0, 2)):
        with pytest.raises(InvalidRequest, match="x: "):
            variable.check_setting(value)
        with pytest.raises(InvalidOutcome, match="x: "):
            variable.check_measured(value)
        with pytest.raises(InvalidOutcome, match="x: "):
            variable.encode([value, "text"])


def test_settings_keep_to_bounds_and_steps() -> None:
    ph = Float("ph", 4, 8, step=0.5)
    assert ph.check_setting(8 + 1e-12) == 8
    assert ph.check_setting(np.float32(4.5)) == 4.5
    with pytest.raises(InvalidRequest, match=r"ph: 8.5 .*from 4 to 8"):
        ph.check_setting(8.5)
    with pytest.raises(InvalidRequest, match=r"multiple of 0\.5 above 4\.0.*The nearest is 4\.5"):
        ph.check_setting(4.6)
    with pytest.raises(InvalidRequest, match=r"The nearest is 1.9"):
        Float("x", 1, 2, step=0.3).check_setting(2)
    with pytest.raises(InvalidRequest, match="a whole number from 1 to 3"):
        Integer("k", 1, 3).check_setting(1.5)
    with pytest.raises(InvalidRequest, match="from 1 to 3"):
        Integer("k", 1, 3).check_setting(4)


def test_measurements_may_lie_outside() -> None:
    assert Float("ph", 4, 8, step=0.5).check_measured(9.13) == 9.13
    assert Float("ph", 4, 8).encode([2, 10]) == pytest.approx([-0.5, 1.5])
    assert Integer("k", 1, 3).check_measured(7) == 7
    with pytest.raises(InvalidOutcome, match="whole"):
        Integer("k", 1, 3).check_measured(1.5)
    dose = Float("dose", 0.1, 10, scale="log")
    assert dose.encode([0.01, 100]) == pytest.approx([-0.5, 1.5])
    for value in (0, -1):
        with pytest.raises(InvalidOutcome, match=r"dose: .*above 0"):
            dose.check_measured(value)
        with pytest.raises(InvalidOutcome, match=r"dose: .*above 0"):
            dose.encode([1.0, value])


@pytest.mark.parametrize("values", [[NAN], [1.0, INF], ["1"], [None], [[1.0]], [[1], [1, 2]], [10**400], [1j]])
def test_encoding_refuses_rubbish(values: Any) -> None:
    with pytest.raises(InvalidOutcome, match="x: "):
        Float("x", 0, 1).encode(values)


@pytest.mark.parametrize("value", [1e300, -1.1e100])
def test_what_is_measured_too_far_out_for_any_model_is_refused_at_the_gate(value: float) -> None:
    with pytest.raises(InvalidOutcome, match="less far from"):
        Float("x", 0, 1).check_measured(value)
    assert Float("x", 0, 1).check_measured(value / 1e201) == value / 1e201


def test_encoding_refuses_what_overflows() -> None:
    with pytest.raises(InvalidOutcome, match="less far from"):
        Float("x", 0, 1e-99).encode([1e300])


@pytest.mark.parametrize("z", [[NAN], [INF], ["a"], None, [[0.5]], [None]])
def test_decoding_refuses_rubbish(z: Any) -> None:
    for variable in (Float("x", 0, 1), Integer("x", 0, 5)):
        with pytest.raises(InvalidProblem, match="encoded values"):
            variable.decode(z)


def test_nothing_is_encoded_to_nothing() -> None:
    assert Float("x", 0, 1).encode([]).shape == (0,)
    assert Float("x", 0, 1).decode([]) == []


@pytest.mark.parametrize("law", [Normal(22, 3), LogNormal(3, 0.1), Uniform(10, 35)])
def test_a_law_that_is_nowhere_within_the_bounds_is_asked_for_its_unit(law: Any) -> None:
    """To truncate it was advised."""
    with pytest.raises(InvalidProblem, match=r"The law is about 2[0-9.]+, the bounds are 283 to 308: are both in K\?"):
        Float("t", 283, 308, unit="K", law=law)
    with pytest.raises(InvalidProblem, match="TruncatedNormal"):
        Float("t", 20, 308, unit="K", law=Normal(22, 3))
