"""Hyperparameters in a log."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.errors import InvalidStudy
from steerbo.gp import Hyperparameters, Standardisation, from_hex, to_hex
from tests.sizes import examples

numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None, derandomize=True, max_examples=examples(50))
@given(st.lists(numbers).map(tuple), numbers)
def test_survive_json_to_the_last_bit(theta: tuple[float, ...], offset: float) -> None:
    given = Hyperparameters(theta, Standardisation(offset, 0.1))
    back = Hyperparameters.from_dict(json.loads(json.dumps(given.to_dict())))
    assert back == given
    assert np.array(back.theta).tobytes() == np.array(theta).tobytes()  # signs of zeros too


GOOD = Hyperparameters((0.5,)).to_dict()


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"theta": ["0x1p+0"]},
        {**GOOD, "theta": ["one"]},
        {**GOOD, "theta": [1.5]},
        {**GOOD, "theta": ["nan"]},
        {**GOOD, "theta": 3},
        {**GOOD, "output": {}},
        {**GOOD, "output": "0x1p+0"},
        {**GOOD, "output": {**GOOD["output"], "scale": ["0x1p+0"]}},
        {**GOOD, "output": {**GOOD["output"], "scale": "-0x1p+0"}},
        {**GOOD, "output": {**GOOD["output"], "power": "0x1p+4"}},
        {**GOOD, "output": {**GOOD["output"], "power": "0x1p-1"}},
        {**GOOD, "output": {**GOOD["output"], "centre": "0x1p-1"}},
        {**GOOD, "output": {**GOOD["output"], "spread": ["0x1p+0"]}},
    ],
)
def test_rubbish_is_refused(plain: dict[str, Any]) -> None:
    with pytest.raises(InvalidStudy, match="hyperparameters"):
        Hyperparameters.from_dict(plain)


def test_constants_of_a_power_transform_in_older_logs_are_read_where_there_was_none() -> None:
    given = Hyperparameters((0.5,), Standardisation(2.0, 0.1))
    plain = given.to_dict()
    assert plain["output"].keys() == {"offset", "scale"}
    older = {**plain["output"], "power": "0x1.0p+0", "centre": "0x0.0p+0", "spread": "0x1.0p+0"}
    assert Hyperparameters.from_dict({**plain, "output": older}) == given


@settings(deadline=None, derandomize=True, max_examples=examples(50))
@given(st.dictionaries(st.text(), numbers | st.lists(numbers).map(tuple)))
def test_numbers_by_name_survive_json_to_the_last_bit(given: dict[str, Any]) -> None:
    back = from_hex(json.loads(json.dumps(to_hex(given))))
    assert repr(back) == repr(given)  # signs of zeros too


@pytest.mark.parametrize("plain", [{"noise": "inf"}, {"noise": None}, {"noise": 1.5}, "much", ["0x1p+9999"]])
def test_no_other_text_is_a_number(plain: Any) -> None:
    with pytest.raises(InvalidStudy, match="hyperparameters"):
        from_hex(plain)
