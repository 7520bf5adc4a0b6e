"""Parsing of typed text and of tables into values. Text that is no value stays text; its reader refuses it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

from ._text import escape_unprintable, normalised, with_hyphen
from ._wording import decimal_readings, either_way, point_readings
from .errors import InvalidRequest

_GROUPED = re.compile(
    "(?<=[0-9])[\u202f\u2009\xa0](?=[0-9]{3}(?![0-9]))"
)  # narrow spaces, as pages part thousands
_NUMBER = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.IGNORECASE)
_SEPARATORS = ";,\t|"
_AMOUNT = re.compile(r"[-+.,'’_\s\d\u2010-\u2013\u2212]*\d[.,]?(?:e[-+\u2212]?\d+)?", re.IGNORECASE)
_ONE_SIGN = str.maketrans({"℃": "°C", "℉": "°F", "º": "°", "˚": "°", "μ": "µ"})  # of a unit
_CURRENCIES = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "€": "EUR"}
Rows = list[dict[str, str]]
"""Lines of a table, cells by column; empty cells are left out."""


def typed_number(text: str) -> float | None:
    """Read a number as people write it: digits from 0 to 9, a decimal point, an exponent.

    Every door that takes typed text reads numbers so.

    Args:
        text: typed by a person, or in a cell.

    Returns:
        None where the text is no such number, or one that no float holds: 1e-400 is not 0.

    >>> typed_number("1e3"), typed_number("\u2212.5"), typed_number("1_0"), typed_number("1e-400"), typed_number("nan")
    (1000.0, -0.5, None, None, None)
    """
    found = _NUMBER.fullmatch(with_hyphen(normalised(text)))
    if found is None:
        return None
    number, is_zero = float(found[0]), not found[1].strip("0.")
    return number if math.isfinite(number) and (is_zero or number) else None


def kept_number(text: str) -> float:
    """Read a number in JSON or TOML, where that has to be one.

    Raises:
        ValueError: no float holds it.
    """
    if not any(map(str.isdigit, text)):  # inf and nan, which a reader refuses by its field
        return float(text)
    if (number := typed_number(text.replace("_", ""))) is None:
        raise ValueError(f"no number can be kept that is as large, or as small, as {text}")
    return number


def parse_value(text: str) -> Any:
    """Parse a number, or a list or table in JSON; else return the text itself.

    >>> parse_value("1e3"), parse_value("[1, 2]"), parse_value("high")
    (1000.0, [1, 2], 'high')
    """
    text = with_hyphen(normalised(text))
    if (number := typed_number(text)) is not None:
        return number
    try:
        return json.loads(text, parse_float=kept_number)
    except (ValueError, RecursionError):
        return text


def without_unit(text: str, unit: str) -> str:
    """Leave out a unit before or behind a number, where it is its column's own; any other text stays as it is.

    >>> without_unit("4,00 €", "EUR"), without_unit("20°C", "°C"), without_unit("5 mm", "m"), without_unit("5 bar", "")
    ('4,00', '20', '5 mm', '5 bar')
    """
    if not unit:
        return text
    plain = normalised(text).translate(_ONE_SIGN)
    for own in filter(None, (normalised(unit).translate(_ONE_SIGN), _CURRENCIES.get(unit))):
        for rest in (plain.removesuffix(own).rstrip(), plain.removeprefix(own).lstrip()):
            joined = rest and plain.startswith(rest + own) and own[0].isdigit()  # 201/min
            if rest != plain and not joined and _AMOUNT.fullmatch(rest):
                return rest
    return text


def read_number(field: str, text: str, comma: bool | None) -> float | None:
    """Read a number with a decimal point or a decimal comma; None where the text is none.

    Args:
        field: named in the error.
        text: typed by a person.
        comma: whether that person writes decimal commas: then "1.250" may be 1250, and else "1,250"
            may. None: that is not known, and either may.

    Raises:
        InvalidRequest: the number can be read in two ways.

    >>> read_number("value", "1,5", False), read_number("value", "1.5", True), read_number("value", "high", True)
    (1.5, 1.5, None)
    >>> read_number("value", "12\u202f345,5", True)
    12345.5
    """
    text = _GROUPED.sub("", text)
    readings = decimal_readings(text)
    ways = point_readings(text) if comma is not False else []
    ways += readings if comma is not True and len(readings) > 1 else []
    if ways:
        raise _ambiguous(field, text, ways)
    return typed_number(readings[0] if readings else text)


def commas_of(comma: bool, texts: Iterable[str]) -> bool | None:
    """Whether a person writes decimal commas; None where they typed one, and their language has none.

    Args:
        comma: whether their language has decimal commas.
        texts: typed into the fields of a form.

    >>> commas_of(True, []), commas_of(False, ["1.200", "0.7", "a,b"]), commas_of(False, ["1.200", "0,7"])
    (True, False, None)
    """
    return comma or (None if any(len(decimal_readings(text)) == 1 for text in texts) else False)


def read_choice(choices: Iterable[Any], text: str) -> Any:
    """Find the choice that a text names: by its name, by its name in other capitals, or as an equal number.

    >>> read_choice(["North", "south"], "north"), read_choice([0.5, 1.0], "1"), read_choice([True, False], "1")
    ('North', 1.0, '1')
    """
    named = {escape_unprintable(str(choice)): choice for choice in choices}
    if text in named:
        return named[text]
    known = {normalised(name): choice for name, choice in named.items()}
    if (text := normalised(text)) in known:
        return known[text]
    alike = [name for name in known if folded(name) == folded(text)]
    if len(alike) == 1:
        return known[alike[0]]
    if (number := typed_number(text)) is None:
        return text
    return next((c for c in known.values() if is_number(c) and c == number), text)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is one of Python's numbers: a flag is none.

    >>> is_number(1), is_number(0.5), is_number(True), is_number("1")
    (True, True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def folded(label: str) -> str:
    """Normalise a label: lower case, single spaces.

    >>> folded(" Soil  pH ")
    'soil ph'
    """
    return " ".join(normalised(label).split()).casefold()


def read_rows(field: str, text: str) -> Rows:
    r"""Read a table in CSV, separated by commas, semicolons, tabs or bars; numbers may have decimal commas.

    Raises:
        InvalidRequest: naming `field`: the text is no table, or a number can be read in two ways.

    >>> read_rows("available", "x,y\n0.5,\n"), read_rows("available", "x;y\n0,5;1,25\n")
    ([{'x': '0.5'}], [{'x': '0.5', 'y': '1.25'}])
    """
    head = next((line for line in text.splitlines() if line.strip()), "")
    # the semicolon where there is none: a comma may be a decimal one
    separator = max(_SEPARATORS, key=head.count)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise InvalidRequest(field, text[:80], "a table in CSV", f"({error})") from None
    if any(None in row for row in rows):
        raise InvalidRequest(
            field, text[:80], "a table in CSV", "A line has more cells than the first."
        )
    found = [
        {name.strip(): cell.strip() for name, cell in row.items() if cell and cell.strip()}
        for row in rows
    ]
    cells = [cell for row in found for cell in row.values()]
    commas = any(map(_is_decimal, cells))
    points = separator == "," or any(map(_has_point, cells))
    return [
        {name: _pointed(f"{field}.{name}", cell, commas, points) for name, cell in row.items()}
        for row in found
    ]


def read_listed(field: str, text: str) -> list[str]:
    """Split a list at commas; or at semicolons, and then numbers may have decimal commas.

    Raises:
        InvalidRequest: naming `field`: a number can be read in two ways.

    >>> read_listed("available", "0.5, 0.75"), read_listed("available", "0,5; 0,75")
    (['0.5', '0.75'], ['0.5', '0.75'])
    """
    if ";" not in text:
        return [cell.strip() for cell in text.split(",") if cell.strip()]
    cells = [cell.strip() for cell in text.split(";") if cell.strip()]
    commas, points = any(map(_is_decimal, cells)), any(map(_has_point, cells))
    return [_pointed(field, cell, commas, points) for cell in cells]


def _is_decimal(cell: str) -> bool:
    """Whether the cell can only be read as a number with a decimal comma."""
    return len(decimal_readings(cell)) == 1


def _has_point(cell: str) -> bool:
    """Whether the cell can only be read as a number with a decimal point."""
    return "." in cell and not point_readings(cell) and typed_number(cell) is not None


def _pointed(field: str, cell: str, commas: bool, points: bool) -> str:
    """Replace a decimal comma by a point; `commas`, `points`: whether they are known to be decimal marks here."""
    readings = decimal_readings(cell)
    ways = [] if commas or len(readings) < 2 else readings
    ways += [] if points else point_readings(cell)
    if ways:
        raise _ambiguous(field, cell, ways)
    return readings[0] if readings else cell


def _ambiguous(field: str, text: str, ways: Sequence[str]) -> InvalidRequest:
    """Error of a number with a mark for decimals or for thousands, and its readings with one and the other."""
    allowed = f"what can be read in one way only: {' or '.join(ways)}"  # the hint says how
    return InvalidRequest(field, text, allowed, either_way(*ways))
