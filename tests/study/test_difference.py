"""A log that belongs to another study is refused, and how it differs is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from tests.study.files import (
    MEASURE,
    write_function,
)
from tests.study.runs import run


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("seed = 3", "seed = 4", "seed"),
        ('"random"', '"explore-then-commit"', "method"),
        ("low = 4", "low = 5", "problem"),
    ],
)
def test_the_log_of_another_study_is_refused(tmp_path: Path, old: str, new: str, name: str) -> None:
    path = write_function(tmp_path, MEASURE)
    run(path, rounds=1)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InvalidStudy, match=rf"study\.db: {name}.*: .* another study"):
        run(path)
