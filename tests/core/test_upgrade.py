"""Events of an earlier format, as present ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from steerbo.core.events import upgrade_format
from tests.study.old_logs import each

pytestmark = pytest.mark.filterwarnings(
    "ignore::steerbo.timevarying.PriorWarning", "ignore::steerbo.core.ReproducibilityWarning"
)


@each
def test_reading_twice_changes_nothing_more(file: Path) -> None:
    for body in re.findall(r"VALUES\('study',\d+,'(.*)','[0-9a-f]{64}'\);", file.read_text()):
        once = upgrade_format(json.loads(body))
        assert upgrade_format(once) == once


def test_variables_that_are_called_as_parts_of_a_scope_are() -> None:
    asked = {"kind": "asked", "scope": {"set": ["look"], "look": [], "keep": ["set"]}}
    scope = {"set": ["set", "look", "keep"], "look": {"set": ["look"], "look": [], "keep": ["set"]}, "keep": []}
    assert upgrade_format(asked) == {**asked, "scope": scope}
