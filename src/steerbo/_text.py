"""Unsafe characters in text: detection, escaping, and cells that no spreadsheet takes for a formula.

Control characters steer terminals, lone surrogates cannot be written as UTF-8, and marks that turn
the direction of writing make a text look like another. Names with an unsafe character are refused
when a study is created; reasons and texts of older logs are shown with the character escaped.
Letters of every script are safe, and so are the joiners that some scripts and emoji need.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

LONGEST_REASON = 10_000
"""Largest length of a reason, in characters: it may hold the output of a program that failed."""
_LINES = "\n\t"
# hyphens, dashes and minus signs
_MINUS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
_AT_ENDS = re.compile("^[\\s\u200b\u2060\ufeff]+|[\\s\u200b\u2060\ufeff]+$")
"""Blanks, and characters without a width that join nothing."""
_NO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
_SIGNED = re.compile(r"[-+\d.,]+(?:e[-+]?\d+)?", re.IGNORECASE)
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)"  # titles, links
    "|\x1b[ -/]*[0-~]"
)
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def normalised(text: str) -> str:
    r"""A text that people typed, in one form: composed letters, without blanks and invisible characters at its ends.

    >>> normalised("\ufeff Cafe\u0301\u200b "), normalised("6.5\xa0")
    ('Café', '6.5')
    """
    return _AT_ENDS.sub("", unicodedata.normalize("NFC", text))


def normalised_texts(plain: Any) -> Any:
    r"""Plain data in which every text, and every name, is in one form: see `normalised`.

    >>> normalised_texts({" x\u200b": ["Cafe\u0301", 3]})
    {'x': ['Café', 3]}
    """
    if isinstance(plain, str):
        return normalised(plain)
    if isinstance(plain, Mapping):
        return {normalised_texts(name): normalised_texts(value) for name, value in plain.items()}
    return [normalised_texts(each) for each in plain] if isinstance(plain, list | tuple) else plain


def as_name(text: str) -> str:
    r"""A name in one form: see `normalised`, with single blanks, and without zero-width characters that join nothing.

    >>> as_name(" pH\u200b  and\u00a0Cafe\u0301 ")
    'pH and Café'
    """
    return " ".join(_NO_WIDTH.sub("", normalised(text)).split())


def with_hyphen(text: str) -> str:
    r"""A number with the minus sign of keyboards for those of typesetting; any other text as it is.

    Word processors write an en dash for a minus, and East Asian keyboards a wide one.

    >>> with_hyphen("\u22125e\u22123"), with_hyphen("\u20135"), with_hyphen("a \u2212 b")
    ('-5e-3', '-5', 'a − b')
    """
    plain = text.translate(_MINUS)
    return plain if _SIGNED.fullmatch(plain) else text


def unsafe(text: str) -> str:
    r"""Name the unsafe character that keeps a text from being a name; empty where there is none.

    >>> unsafe("größe 😀"), unsafe("a\x1b[31m"), unsafe("caf\udce9")
    ('', 'the control character U+001B', 'half a character, U+DCE9')
    """
    found = _UNSAFE.search(text)
    if found is None:
        return ""
    code = ord(found[0])
    if 0xD800 <= code <= 0xDFFF:
        return f"half a character, U+{code:04X}"
    if code < 0x100:
        return f"the control character U+{code:04X}"
    return f"the invisible character U+{code:04X}"


def escape_unprintable(text: str) -> str:
    r"""Escape the unsafe characters of a text as Python does; new lines and tabs stay.

    >>> print(escape_unprintable("\x1b[31mred\ncaf\udce9"))
    \x1b[31mred
    caf\xe9
    """
    return _UNSAFE.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _LINES:
        return found[0]
    if 0xDC80 <= code <= 0xDCFF:  # a byte of an argument or a file name that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def plain(text: str) -> str:
    r"""Strip colours and cursor movements from the output of a program, and escape other unsafe characters.

    >>> plain("\x1b[31mtoo hot\x1b[0m\x07")
    'too hot\\x07'
    """
    return escape_unprintable(_SEQUENCE.sub("", text))


def shortened(text: str, most: int) -> str:
    """Shorten a text to `most` characters, and append its length.

    >>> shortened("x" * 500, 3)
    'xxx… (500 characters)'
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def escaped_json(document: str) -> str:
    r"""Escape the unsafe characters in the strings of a JSON document.

    >>> print(escaped_json('{"unit": "\x9b31m"}'))
    {"unit": "\u009b31m"}
    """
    return _UNSAFE.sub(lambda c: c[0] if c[0] in _LINES else f"\\u{ord(c[0]):04x}", document)


def to_cell(text: str) -> str:
    """Quote a text for a cell of a table, so that no spreadsheet takes it for a formula; `from_cell` is the inverse.

    >>> to_cell("=1+1"), to_cell("ph"), to_cell("'-x")
    ("'=1+1", 'ph', "''-x")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def from_cell(cell: str) -> str:
    """Read a cell written by `to_cell`; any other cell is returned as it stands.

    >>> from_cell("'=1+1"), from_cell("=1+1"), from_cell("'tis")
    ('=1+1', '=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
