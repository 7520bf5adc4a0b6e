"""Numbers as the reader writes them."""

from __future__ import annotations

import pytest
from babel import Locale
from babel.localedata import locale_identifiers

import steerbo as sb
from steerbo.errors import InvalidRequest
from steerbo.serve.forms import localised, typed, writes_commas


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ("de", True),
        ("fr-FR,fr;q=0.8,en;q=0.5", True),
        ("en-US,de;q=0.9", False),
        ("", False),
        ("*", False),
        ("de-CH", False),
        ("es-PE,es;q=0.9", False),  # as in Mexico, and not as in Spain
        ("es-DO", False),
        ("es-419", False),
        ("es-Latn-PE", False),
        ("es-ES", True),
        ("bs", True),
        ("de-CH-1996", False),
        ("de-DE-u-co-phonebk", True),
        ("de-XX", True),
        ("../../de", False),
        ("x-" * 5000, False),
    ],
)
def test_the_first_language_counts(languages: str, expected: bool) -> None:
    assert writes_commas(languages) is expected


def test_every_language_of_cldr_has_its_own_mark() -> None:
    for name in locale_identifiers():
        mark = Locale.parse(name).number_symbols["latn"]["decimal"]
        assert writes_commas(name.replace("_", "-")) is (mark == ","), name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5", "1,5"),
        ("-0.25 °C, 3.5e-05", "-0,25 °C, 3,5e-05"),
        ("version 1.2.3", "version 1.2.3"),
        ("x1.5 and a.5b", "x1.5 and a.5b"),
        ("between 0.1 and 0.2", "between 0,1 and 0,2"),
        ("12", "12"),
        ('0.5 or {"x": [0.2, 0.3]}', '0,5 or {"x": [0.2, 0.3]}'),
        ("78.3 % is expected, 73.4 to 83.1.", "78,3 % is expected, 73,4 to 83,1."),
    ],
)
def test_numbers_get_commas_and_nothing_else(text: str, expected: str) -> None:
    assert localised(text, comma=True) == expected
    assert localised(text, comma=False) == text


def test_what_can_be_read_in_two_ways_is_asked_for_again() -> None:
    assert typed("value", "1,234", comma=True) == 1.234
    assert typed("value", "1,2345", comma=False) == 1.2345
    with pytest.raises(InvalidRequest, match=r"value: '1,234' .*1\.234 or 1234"):
        typed("value", "1,234", comma=False)
    assert typed("value", "1.25", comma=True) == 1.25
    assert typed("value", "0.125", comma=True) == 0.125
    assert typed("value", "1.234", comma=False) == 1.234
    with pytest.raises(InvalidRequest, match=r"value: '1\.250' .*1,250 or 1250"):
        typed("value", "1.250", comma=True)
    assert typed("value", "high", comma=True) == "high"


def test_a_choice_that_is_a_number_is_the_choice() -> None:
    levels = sb.CostVarying([sb.Categorical("level", ["1.250", "1,250"], law=sb.Uniform())], [["level"]])
    assert typed("realised.level", "1.250", True, levels, "level") == "1.250"
    assert typed("realised.level", "1,250", False, levels, "level") == "1,250"
