"""Every wing goes on after data that came all at once; what is measured becomes rows."""

from __future__ import annotations

import warnings

import pytest

from benchmarks.size import WINGS, ours, rows


@pytest.mark.parametrize("wing", WINGS)
def test_every_wing_suggests_after_data(wing: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ours(wing, 25)
    assert found.keys() == {"first_s", "later_s", "megabytes"}
    assert found["first_s"] > 0
    first, later = rows({"name": wing, "n": 25, **found})
    assert first["name"] == f"{wing}, first suggestion after 25 outcomes"
    assert later["ours_ms"] == 1e3 * found["later_s"]


def test_what_suggests_nothing_has_one_row() -> None:
    (only,) = rows({"name": "sklearn", "n": 30, "first_s": 0.5, "later_s": None, "megabytes": 3.2})
    assert only["name"] == "sklearn, fit of 30 outcomes"
    assert (only["ours_ms"], only["megabytes"]) == (500.0, 3)
