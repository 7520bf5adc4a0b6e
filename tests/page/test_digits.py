"""Settings and answers at every door are written in digits that can be set: to a thousandth of the range, within it."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

import steerbo as sb
from steerbo._wording import interval_texts
from steerbo.cli.instructions import todo
from steerbo.core import BaseStudy, Table, least_acceptable
from steerbo.page import archive, edit
from steerbo.page.report import report
from steerbo.page.view import advice_card
from steerbo.page.wording import Words
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import suggestions_csv
from steerbo.study.formatting import advised, shown_rounds

NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)"


def ranges() -> Iterator[tuple[float, float, str]]:
    """Ranges: wide ones, and narrow ones about numbers of any size; linear and logarithmic."""
    random = np.random.default_rng(54)
    yield from [(1550.10, 1550.12, "linear"), (1013.2, 1013.3, "linear"), (1e6, 1e6 + 100, "linear")]
    yield from [(0.999, 0.9991, "linear"), (273.15, 273.25, "linear"), (45000.0, 45001.0, "linear")]
    yield from [(10.0, 35.0, "linear"), (0.1234567891, 0.9876543219, "linear")]
    yield from [(1e-6, 1.0, "log"), (-1e-3, 1e-3, "linear")]
    while True:
        low = float(random.choice([-1, 1]) * 10 ** random.uniform(-5, 7)) * int(random.integers(0, 2)) + 0.0
        yield low, low + float(10 ** random.uniform(-6, 5)) * max(abs(low), 1e-3), "linear"
        low = float(10 ** random.uniform(-8, 5))
        yield low, low * float(10 ** random.uniform(0.001, 6)), "log"


RANGES = [found for found, _ in zip(ranges(), range(44), strict=False)]


@cache
def studied(low: float, high: float, scale: str) -> Study:
    """A study of one setting with an open round after three that were told, so that a mean has bounds."""
    variable = sb.Float("f", low, high, scale=scale, unit="nm")  # type: ignore[arg-type]
    study = Study.create(MemoryLog(), sb.CostVarying([variable], [["f"]]), "random", rounds=9, seed=3)
    for value in (1e6 - 20.0, 1e6 + 20.0, 1e6):
        study.tell(study.ask(), value)
    study.ask()
    return study


def _card(study: BaseStudy) -> str:
    advice = study.recommend()
    return str(advice_card(study, advice, study.explain())).replace(r"\u202f", "")  # parts thousands


def _csv(study: BaseStudy) -> str:
    (row,) = csv.DictReader(io.StringIO(suggestions_csv(study.problem, study.pending)))
    return f"f {row['f']}"


def _plain(page: str) -> str:
    """What a page says of rounds and of the answer: its head and its drawings' numbers are no settings."""
    return "\n".join(re.findall(r"\bf (?:at )?[-\d.e+]+ nm", re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))))


DOORS: dict[str, Callable[[Study], str]] = {
    "print(suggestion)": lambda study: str(study.pending[0]),
    "a suggestion in a notebook": lambda study: study.pending[0]._repr_html_(),
    "print(recommendation)": lambda study: str(study.recommend()),
    "a recommendation in a notebook": lambda study: study.recommend()._repr_html_(),
    "print(policy)": lambda study: str(study.policy()),
    "JSON": lambda study: f"f {study.pending[0].to_dict()['shown']['f']}",
    "steerbo ask": lambda study: todo(study, study.pending[0], "STUDY"),
    "steerbo ask --csv": _csv,
    "steerbo report": lambda study: "\n".join(advised(study.problem, study.recommend())),
    "steerbo show": lambda study: "\n".join(" ".join(row) for row in shown_rounds(study).cells()),
    "the page's card": _card,
    "the page's rounds": lambda study: "\n".join(line.set for line in archive.rounds_before(study).lines),
    "the report": lambda study: _plain(report(study, "A study")),
}


def written(text: str) -> list[str]:
    """Numbers that stand behind the name of the setting, as they are written."""
    text = text.replace("\u202f", "")  # thousands are parted
    return re.findall(rf"\bf\b(?:</td><td[^>]*>|[^\d<>-]{{1,20}}){NUMBER}", text)


def told(text: str) -> list[float]:
    """Numbers that stand behind the name of the setting."""
    return [float(number) for number in written(text)]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("low", "high", "scale"), RANGES)
def test_a_setting_is_within_its_bounds_and_within_a_thousandth_of_what_was_chosen(
    low: float, high: float, scale: str, door: str
) -> None:
    study = studied(low, high, scale)
    chosen = [r.suggestion.values["f"] for r in study.history] + [study.recommend().values["f"]]
    numbers = told(DOORS[door](study))
    assert numbers
    for number in numbers:
        assert low <= number <= high
        if scale == "log":
            away = min(abs(math.log(number / x)) for x in chosen) / math.log(high / low)
        else:
            away = min(abs(number - x) for x in chosen) / (high - low)
        assert away <= 1e-3


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("low", "high", "scale"), RANGES[:8])
def test_a_setting_has_no_more_digits_than_a_thousandth_of_its_range(
    low: float, high: float, scale: str, door: str
) -> None:
    most = max(0, math.ceil(-math.log10((high - low) / 1000)))
    for number in written(DOORS[door](studied(low, high, scale))):
        assert len(number.partition(".")[2]) <= most, number


@pytest.mark.parametrize("door", ["print(recommendation)", "a recommendation in a notebook", "steerbo report"])
def test_of_large_outcomes_that_hardly_differ_the_mean_and_its_bounds_are_told_apart(door: str) -> None:
    text = DOORS[door](studied(10.0, 35.0, "linear")).replace("\u202f", "")
    (numbers,) = re.findall(rf"{NUMBER}\W+\(?between {NUMBER} and {NUMBER}", text)
    mean, low, high = map(float, numbers)
    assert 1e6 - 100 < low < mean < high < 1e6 + 100


@pytest.mark.parametrize(("low", "high", "scale"), RANGES)
def test_a_hint_has_both_bounds_as_they_were_stated(low: float, high: float, scale: str) -> None:
    hint = edit.field_of(studied(low, high, scale).problem, "f", "set", True).hint
    found = re.fullmatch(rf"{NUMBER} to {NUMBER} nm", hint)
    assert found is not None
    assert [float(x) for x in found.groups()] == pytest.approx([low, high], rel=1e-14)


def test_bounds_differ_in_writing_where_they_differ() -> None:
    random = np.random.default_rng(5)
    for _ in range(500):
        mean = float(random.choice([-1, 1]) * 10 ** random.uniform(-8, 12))
        below, above = np.abs(mean) * 10 ** random.uniform(-11, 2, 2)
        numbers = mean, mean - float(below), mean + float(above)
        texts = interval_texts(*numbers)
        assert len(set(texts)) == len(set(numbers))
        assert float(texts[1]) < float(texts[0]) < float(texts[2])


def test_numbers_of_a_table_differ_in_writing_where_they_differ() -> None:
    random = np.random.default_rng(6)
    for _ in range(200):
        about = float(random.choice([-1, 1]) * 10 ** random.uniform(-8, 12))
        apart = abs(about) * float(10 ** random.uniform(-7, 2))
        column = [about, about + apart, about + 3.0 * apart]
        texts = [text for [text] in Table("t", ("outcome",), tuple((x,) for x in column)).cells()]
        assert sorted(texts, key=float) == texts
        assert len(set(texts)) == 3


def test_an_outcome_is_told_apart_from_the_others_and_what_is_good_enough_from_the_answer() -> None:
    pressures = sb.Optimizer(sb.CostVarying([sb.Float("f", 4, 8)], [["f"]]), rounds=9, seed=3)
    for pressure in (1013.24, 1013.26, 1013.25, 1013.252):
        pressures.tell(pressures.ask(), pressure)
    words = Words.of(pressures)
    assert len({words.outcome(x) for x in (1013.24, 1013.26, 1013.25, 1013.252)}) == 4
    advice = pressures.recommend()
    (least,) = re.findall(rf"good enough is at least {NUMBER}", advice.why)
    assert advice.mean is not None
    assert advice.lower is not None
    assert abs(float(least) - least_acceptable(advice.reasons)) < (advice.mean - advice.lower) / 10  # type: ignore[operator]


def test_the_page_writes_the_numbers_of_the_text() -> None:
    for low, high, scale in RANGES[:6]:
        study = studied(low, high, scale)
        text = study.pending[0].shown["f"]
        assert text in str(study.pending[0])
        assert text in report(study, "A study")


def test_tables_of_rounds_show_what_was_available() -> None:
    """The bounds of one round are finer than a thousandth of the range, and the settings within them too."""
    low, high = 3.0004123456789, 3.0004623456789
    study = Study.create(MemoryLog(), sb.TimeVarying([sb.Float("x", 0, 10)]), "random", rounds=2, seed=0)
    asked = study.ask(available={"x": (low, high)})
    study.tell(asked, value=1.0)
    table = shown_rounds(study)
    token = asked.token
    texts = [
        archive.rounds_before(study).lines[0].set,
        str(table.rows[0][table.columns.index("set")]),
        edit.edit_of(study, token).why,
    ]
    for text in texts:
        found = re.search(f"x (?:= )?{NUMBER}", text)
        assert found is not None, text
        assert low <= float(found[1]) <= high, text
