"""Numbers as the reader writes them: with a decimal comma where their language has one."""

from __future__ import annotations

import re
from typing import Any

from ..errors import InvalidRequest
from ..rounds import Problem
from ..typed import read_value
from ..words import decimal_readings

_COMMA = frozenset(
    """af be bg ca cs da de el es et eu fi fr gl hr hu id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tr
    uk uz vi""".split()  # noqa: SIM905  a list that people read
)
_NUMBER = re.compile(r"(?<![\w.,])([+-]?\d+)\.(\d+(?:e[+-]?\d+)?)(?![\w.])")


def writes_commas(languages: str) -> bool:
    """Whether a browser's first language has a decimal comma.

    >>> writes_commas("de-AT,en;q=0.5"), writes_commas("en-GB"), writes_commas("de-CH")
    (True, False, False)
    """
    first = languages.partition(",")[0].partition(";")[0].strip().lower()
    return first.partition("-")[0] in _COMMA and first not in ("de-ch", "de-li", "it-ch", "es-mx", "es-us")


def localised(text: str, comma: bool) -> str:
    """A text whose numbers have decimal commas, where `comma`.

    >>> localised("x = 1.5 mm, version 1.2.3", True)
    'x = 1,5 mm, version 1.2.3'
    """
    return _NUMBER.sub(r"\1,\2", text) if comma else text


def typed(field: str, text: str, comma: bool, problem: Problem | None = None, name: str = "") -> Any:
    """What a person typed into a field: a number, a choice, JSON; else the text, to be refused by whoever takes it.

    Raises:
        InvalidRequest: a number that can be read in two ways, since nobody knows whether they write commas.

    >>> typed("value", "1,5", False), typed("value", "1,234", True), typed("value", " 3 ", False)
    (1.5, 1.234, 3.0)
    """
    readings = decimal_readings(text)
    if len(readings) > 1 and not comma:
        raise InvalidRequest(field, text, f"a number that can be read in one way only: {' or '.join(readings)}")
    if readings:
        return float(readings[0])
    return problem.read_cell(name, text) if problem is not None else read_value(text)
