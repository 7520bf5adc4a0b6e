"""Values as people read them."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.core._problem import with_unit
from steerbo.space import Categorical, Float, Space

SPACE = Space([Float("oven", 0, 200, unit="°C"), Float("ph", 4, 8), Categorical("metal", ["iron", "zinc"])])


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("oven", 151.23456, "151.2 °C"),
        ("oven", 1e-12, "0 °C"),
        ("oven", 150, "150 °C"),
        ("ph", 6.5, "6.5"),
        ("metal", "iron", "iron"),
        ("yield", 1e-12, "1e-12"),
    ],
)
def test_what_is_said(name: str, value: Any, said: str) -> None:
    assert with_unit(SPACE, name, value) == said
