"""What users of other libraries look for is there, but for what the table of features says is not."""

from __future__ import annotations

import pytest

from partial_control_bench.features import NONE, ROWS, tried

EXTRAS = {
    "data frames of pandas and polars": ("pandas", "polars"),
    "workbooks in and out": ("openpyxl",),
    "a page, HTTP and tools for assistants": ("fastapi",),
    "MLflow and other trackers": ("mlflow",),
    "BoTorch's acquisition functions on the model": ("botorch",),
    "pictures of progress and answer": ("matplotlib",),
    "contours, cross-validation and residuals": ("matplotlib",),
}


def test_only_what_has_no_call_is_missing() -> None:
    for names in EXTRAS.values():
        for name in names:
            pytest.importorskip(name)
    found = tried()
    assert {each.row: each.how for each in found if not each.there and each.how != NONE} == {}
    assert {each.row for each in found if not each.there} == {name for name, attempt in ROWS.items() if attempt is None}
