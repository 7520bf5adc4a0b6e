"""Wording of messages for their reader: calls and Python literals in a program, commands and TOML in a shell.

A message names an action as ‹tell› and a kind of data as ‹TruncatedNormal›; both are replaced when
the message is read. A name that is the same for every reader, such as a field's, is marked in the
same way: ‹drift› becomes `drift`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from reprlib import Repr
from typing import Any

from ._redaction import redact
from ._text import normalised, with_hyphen

_SHOWN = 120  # characters of a value that a message shows
_SEARCHED = 10_000  # characters of a text in which passwords are looked for
_FULL = 15  # significant digits that every number has
_PLAIN = 1e-4, 1e9  # sizes between which numbers are written without an exponent
_SHARES = 20  # of the distance between two bounds, at least, that their digits tell apart
_FEW_DIGITS = 1000  # parts of a number that stands alone
_MARK = re.compile("‹([^‹›\n]{1,40})›")
_KIND = re.compile("[A-Z][A-Za-z]+")
_UNIT = re.compile(r"(.+?)\s*[(\[]\s*([^()\[\]]+?)\s*[)\]]")
_CURRENCY = re.compile(r"[A-Z]{3}|[€$£¥]|[A-Z]{0,3}[€$£¥]")
_COMMA = re.compile(r"[+-]?[0-9]{0,30},[0-9]{1,30}")
_BLANK_OF_THOUSANDS = re.compile(r"(?<=[0-9])\s(?=[0-9]{3}(?![0-9]))")
_THOUSAND = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")


class _Missing:
    """Placeholder in messages for a value that was not given."""

    def __repr__(self) -> str:
        return "leaving it out"


MISSING = _Missing()


class _Short(Repr):
    """A `repr` of limited length, which never fails and never reads more of a value than it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 10
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = (
            self.maxarray
        ) = _SHOWN
        self.maxdict = self.maxlong = self.maxstring = self.maxother = _SHOWN

    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write integers of very many digits."""
        return repr(x) if x.bit_length() < 4 * _SHOWN else f"<an integer of {x.bit_length()} bits>"

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        """Show a dict in its own order."""
        if level <= 0:
            return "{…}"
        shown = [
            f"{self.repr1(key, level - 1)}: {self.repr1(x[key], level - 1)}"
            for key in islice(x, self.maxdict)
        ]
        return "{" + ", ".join([*shown, *(["…"] if len(x) > len(shown) else [])]) + "}"

    def repr_str(self, x: str, level: int) -> str:
        """Show the beginning of a text, redacted as a whole first."""
        return repr(redact(str(x[:_SEARCHED]))[: self.maxstring + 1])

    def repr_instance(self, x: Any, level: int) -> str:
        """Show any other value; its class where its own `repr` fails."""
        try:
            return repr(x)
        except Exception:
            return f"<{type(x).__name__}>"


def counted(number: int, thing: str, things: str = "") -> str:
    """Write a number of things in English.

    >>> counted(1, "round"), counted(2, "round"), counted(0, "study", "studies")
    ('1 round', '2 rounds', '0 studies')
    """
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def ordinal(number: int) -> str:
    """Write a number as a place in an order.

    >>> [ordinal(number) for number in (1, 3, 12, 22, 40)]
    ['1st', '3rd', '12th', '22nd', '40th']
    """
    endings = {1: "st", 2: "nd", 3: "rd"} if number // 10 % 10 != 1 else {}
    return f"{number}{endings.get(number % 10, 'th')}"


_NEGLIGIBLE = 1e-9  # of the largest number beside it: rounding error of a difference of zero


def numeral(x: float, digits: int = 4, beside: float = 0.0, step: float = 0.0) -> str:
    """Format a number to a few digits, in full up to a thousand million; 0 where it is negligible `beside` another.

    More digits are written where numbers that differ by `step` are to differ in writing.

    >>> numeral(12345.6), numeral(0.0312349), numeral(-2.4e-11, beside=7.0), numeral(float("nan"))
    ('12346', '0.03123', '0', 'nan')
    >>> numeral(1013.2534, step=0.001), numeral(1e6, step=0.1)
    ('1013.253', '1000000')
    """
    if abs(x) < _NEGLIGIBLE * abs(beside) or x == 0:
        return "0"
    if math.isfinite(x) and step > 0:
        needed = math.floor(math.log10(abs(x))) - math.floor(math.log10(step)) + 1
        digits = min(max(digits, needed), _FULL)
    return f"{x:.0f}" if 10**digits <= abs(x) < 1e9 else f"{x:.{digits}g}"


def spread_step(values: Iterable[float | None]) -> float:
    """Difference that matters among numbers: a twentieth of their range; 0 where they are equal but for rounding.

    >>> spread_step([10.0, 30.0]), spread_step([7.0, 7.0]), spread_step([])
    (1.0, 0.0, 0.0)
    """
    finite = [x for x in values if x is not None and math.isfinite(x)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    step = high / _SHARES - low / _SHARES  # divided first: the largest floats have no difference
    return step if step > _NEGLIGIBLE * max(abs(low), abs(high)) else 0.0


def listed(names: Sequence[str], joint: str = " and ") -> str:
    """Join names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a", "b"], " or "), listed(["a"]), listed([])
    ('a, b and c', 'a or b', 'a', '')
    """
    return joint.join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


_IN_A_SENTENCE = 3  # names; more of them are counted


def joined(names: Sequence[str]) -> str:
    """Join names by commas, or by semicolons where a name has a comma of its own.

    >>> joined(["a", "b"]), joined(["a", "b, and c"])
    ('a, b', 'a; b, and c')
    """
    return ("; " if any(", " in name for name in names) else ", ").join(names)


def first_of(names: Sequence[str]) -> str:
    """Join names; of many the first ones, and the number of the others.

    >>> first_of(["a", "b", "c", "d"]), first_of(["a", "b", "c", "d", "e"])
    ('a, b, c, d', 'a, b, c, and 2 more')
    """
    more = len(names) - _IN_A_SENTENCE
    return joined(names if more <= 1 else [*names[:_IN_A_SENTENCE], f"and {more} more"])


def parted(header: str) -> tuple[str, str]:
    """A header's name and unit.

    >>> parted("Yield (kg)"), parted("Price [EUR]"), parted("EUR")
    (('Yield', 'kg'), ('Price', 'EUR'), ('EUR', ''))
    """
    found = _UNIT.fullmatch(header.strip())
    return (found[1], found[2]) if found else (header.strip(), "")


def parted_price(header: str) -> tuple[str, str]:
    """A cost's name and currency; a header may be the currency alone.

    >>> parted_price("Price [EUR]"), parted_price("EUR"), parted_price("Price")
    (('Price', 'EUR'), ('Cost', 'EUR'), ('Price', ''))
    """
    name, unit = parted(header)
    return ("Cost", name) if not unit and _CURRENCY.fullmatch(name) else (name, unit)


def number_text(x: float, resolution: float = 0.0) -> str:
    """Write a number so that it tells steps of `resolution` apart; in full where that is 0.

    >>> number_text(1139.394, 0.28), number_text(21.930350776, 0.025), number_text(6.5, 0.004)
    ('1139.4', '21.93', '6.5')
    >>> number_text(1e6), number_text(4.7312e-7, 1e-9), number_text(-1e-14, 0.1)
    ('1000000', '4.73e-07', '0')
    """
    if not math.isfinite(x) or x == 0:
        return "0" if x == 0 else str(x)
    plain = _PLAIN[0] <= abs(x) < _PLAIN[1]
    digits = _FULL
    if resolution > 0:
        # place of the last digit; whole numbers keep all of theirs
        last = math.floor(math.log10(resolution))
        digits = math.floor(math.log10(abs(x))) - (min(last, 0) if plain else last) + 1
        if digits < 1:
            return "0"
    mantissa, exponent = f"{x:.{min(digits, _FULL) - 1}e}".split("e")
    if plain:
        return _without_zeros(f"{Decimal(mantissa).scaleb(int(exponent)):f}")
    return f"{_without_zeros(mantissa)}e{exponent}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def interval_texts(
    mean: float | None, lower: float | None, upper: float | None
) -> tuple[str, str, str]:
    """Write a mean and its bounds to a twentieth of their distance; different ones stay different. "" for None.

    >>> interval_texts(7.1234, 5.6789, 8.6111), interval_texts(7.1234, None, None)
    (('7.1', '5.7', '8.6'), ('7.123', '', ''))
    >>> interval_texts(1e6, 1e6 - 20, 1e6 + 20), interval_texts(1.0, 0.9999, 2.0)
    (('1000000', '999980', '1000020'), ('1.0000', '0.9999', '2.0000'))
    """
    known = [x for x in (mean, lower, upper) if x is not None]
    most = max(map(abs, known), default=0.0)
    # Each end is divided first: the distance of two numbers near the largest float is none.
    share = max(known, default=0.0) / _SHARES - min(known, default=0.0) / _SHARES
    resolution = share if share > 0 else most / _FEW_DIGITS
    texts = _equally_long(known, resolution, most)
    while len(set(texts)) < len(set(known)) and resolution > most * 10.0**-_FULL:
        resolution /= 10.0
        texts = _equally_long(known, resolution, most)
    written = dict(zip(known, texts, strict=True))
    middle, low, high = ("" if x is None else written[x] for x in (mean, lower, upper))
    return middle, low, high


def _equally_long(numbers: Sequence[float], resolution: float, most: float) -> list[str]:
    """Write numbers with the same number of decimals."""
    texts = [number_text(x, resolution) for x in numbers]
    if len(set(numbers)) < 2 or not _PLAIN[0] <= most < _PLAIN[1]:
        return texts
    decimals = min(max(-math.floor(math.log10(resolution)), 0), _FULL)
    texts = [f"{x:.{decimals}f}" for x in numbers]
    while decimals and all(text.endswith("0") for text in texts):
        decimals -= 1
        texts = [text[:-1] for text in texts] if decimals else [text[:-2] for text in texts]
    return [text.removeprefix("-") if not text.strip("-0.") else text for text in texts]


# a number with the sign of a currency, of a share or of degrees beside it, or with its error
_SIGNED = re.compile(
    r"([€$£]\s*)?([-+]?\d+(?:[.,]\d+)?)\s*(%|°\s?[CFK]?|[€$£])?(\s*(?:±|\+/-)\s*\d+(?:[.,]\d+)?)?"
)

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"  # 3 Nov is a date
_WITH_UNIT = re.compile(
    rf"([-+]?\d+(?:[.,]\d+)?)\s*(?!{_MONTH})[^\W\d_][^\W\d_/]*(?:/[^\W\d_]+)?", re.IGNORECASE
)
_BOUND = re.compile(r"[<>≤≥]=?\s*[-+]?\d+(?:[.,]\d+)?")


def number_hint(value: object) -> str:
    """Hint how to write a number that has a comma; empty where `value` is no such number.

    >>> number_hint("1,5"), number_hint("1,234"), number_hint("x,y"), number_hint(1.5)
    ('Write 1.5, with a decimal point.', 'Is it 1234? Then write 1234. Is it 1.234? Then write 1.234.', '', '')
    """
    if not isinstance(value, str):
        return ""
    readings = decimal_readings(value)
    if not readings:
        return _unusual_number(value)
    if len(readings) > 1:
        return either_way(*readings)
    return f"Write {readings[0]}, with a decimal point."


def either_way(small: str, large: str) -> str:
    """Hint how to write a number whose mark may be one of decimals or of thousands: its two readings.

    >>> either_way("1,200", "1200")
    'Is it 1200? Then write 1200. Is it 1,2? Then write 1,2.'
    """
    small = small.rstrip("0").rstrip(".,")
    return f"Is it {large}? Then write {large}. Is it {small}? Then write {small}."


def _unusual_number(text: str) -> str:
    r"""Hint how to write a number plainly, of a text that programs or typesetters write so; empty for all others.

    >>> _unusual_number("1_0"), _unusual_number("1e-400"), _unusual_number("nan"), _unusual_number("x")
    ('Is it 10? Write 10.', 'Is it 0? Write 0.', '', '')
    >>> _unusual_number("-3")
    ''
    >>> _unusual_number("\u22125"), _unusual_number("1\u2009250")
    ('Is it -5? Write -5.', 'Is it 1250? Write 1250.')
    >>> _unusual_number("50 %"), _unusual_number("2.0 \u00b1 0.1")
    ('Write 50 alone.', 'Write 2.0 alone; its standard error is ‹sem›.')
    >>> _unusual_number("7.2 kg"), _unusual_number("70 \u00b0F")
    ('Write the number alone, in the unit that is expected.', 'Write the number alone, in the unit that is expected.')
    >>> _unusual_number("<0.1")
    'It is a bound: write the number that was measured, or leave it out.'
    """
    if _BOUND.fullmatch(text.strip()):
        return "It is a bound: write the number that was measured, or leave it out."
    in_a_unit = "Write the number alone, in the unit that is expected."
    if (signed := _SIGNED.fullmatch(text.strip())) and (signed[1] or signed[3] or signed[4]):
        if (signed[3] or "").startswith("°"):
            return in_a_unit
        return f"Write {signed[2]} alone{'; its standard error is ‹sem›' * bool(signed[4])}."
    try:
        number = float(with_hyphen(_BLANK_OF_THOUSANDS.sub("", normalised(text))))
    except Exception:  # a text of a class that has ideas of its own
        return in_a_unit if _WITH_UNIT.fullmatch(text.strip()) else ""
    plain = f"{number:.15g}"
    written_so = plain == text.strip()
    return f"Is it {plain}? Write {plain}." if math.isfinite(number) and not written_so else ""


def decimal_readings(text: str) -> list[str]:
    """Possible readings of a number with one comma: as decimal mark first, then as thousands separator.

    >>> decimal_readings("1,5"), decimal_readings("1,234"), decimal_readings("1.5")
    (['1.5'], ['1.234', '1234'], [])
    """
    plain = text.strip()
    if not _COMMA.fullmatch(plain):
        return []
    return [
        plain.replace(",", "."),
        *([plain.replace(",", "")] if _THOUSAND.fullmatch(plain) else []),
    ]


def point_readings(text: str) -> list[str]:
    """Possible readings of a number with one point by a person who writes decimal commas; empty where there is one.

    >>> point_readings("1.250"), point_readings("1.25"), point_readings("0.125")
    (['1,250', '1250'], [], [])
    """
    plain = text.strip()
    if "." not in plain or not _THOUSAND.fullmatch(plain):
        return []
    return [plain.replace(".", ","), plain.replace(".", "")]


def short_repr(value: object) -> str:
    """`repr(value)` without passwords, cut to a length that still fits an error message.

    >>> short_repr("x" * 500).endswith("…")
    True
    """
    try:
        text = redact(_Short().repr(value))
    except Exception:  # a class that only pretends to be a list, say
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def show_plain(value: object) -> str:
    """Write a value as in a study file or an answer: true, nan.

    >>> show_plain({"a": [True, "x"]}), show_plain(None), show_plain(float("nan"))
    ('{"a": [true, "x"]}', 'nothing', 'nan')
    """
    if value is None or value is MISSING:
        return "nothing"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    names = getattr(type(value), "__pydantic_fields__", None)
    if names:  # a record, as a file has it
        value = {name: getattr(value, name) for name in names if getattr(value, name) is not None}
    short = short_repr(value)
    if short.endswith("…") or not isinstance(value, bool | int | float | list | tuple | dict):
        return short
    try:
        return redact(json.dumps(value, ensure_ascii=False, default=short_repr))
    except (TypeError, ValueError, RecursionError):
        return short


@dataclass(frozen=True)
class Wording:
    """Names of actions, kinds of data and values for one kind of reader.

    Args:
        actions: wording of each action, by its mark in messages.
        kind: wording of a kind of data, from the name of its class.
        value: writes a value.

    >>> PYTHON.text("To void it, use ‹void›."), SHELL.text("To void it, use ‹void›.")
    ('To void it, use amend(suggestion, void=True).', 'To void it, use `steerbo amend STUDY TOKEN --void`.')
    """

    actions: Mapping[str, str] = field(repr=False)
    kind: Callable[[str], str]
    value: Callable[[object], str]

    def text(self, template: str) -> str:
        """Replace the marks of a message's template."""
        return _MARK.sub(lambda found: self._named(found[1]), template)

    def _named(self, mark: str) -> str:
        return self.kind(mark) if _KIND.fullmatch(mark) else self.actions.get(mark, f"`{mark}`")


_TABLES = {
    "table": "; or a table, CSV or JSON",
    "table of points": (
        ", or a file, CSV or JSON, with a column for every variable and a line for every point"
    ),
    "table of shares": (
        ", or a file, CSV or JSON, with a column for every action, and one called context where there are "
        "several"
    ),
}
"""Files that may stand in the place of what is typed, which only commands read."""
_KINDS = {
    "LinearConstraint": "linear",
    "ForbiddenCombination": "forbid",
    "OutcomeConstraint": "measured",
}
"""Kinds in study files that are called otherwise than their classes."""


def _kind_in_file(name: str) -> str:
    return f'"{_KINDS.get(name) or _HUMP.sub("-", name).lower()}"'


PYTHON = Wording(
    {
        "law": "Uniform()",
        "new": "Study.create(…)",
        "open": "Study.open(…)",
        "ask": "ask()",
        "decide": "decide(suggestion, context)",
        "again": "decide(suggestion, context, again=True)",
        "attach": "attach(values)",
        "tell": "tell(suggestion, value)",
        "fail": "fail(suggestion, reason)",
        "abandon": "abandon(suggestion)",
        "add": "add(value, realised)",
        "as data": "as_data=True",
        "missing": "by missing={column: [code]}",
        "repetitions": "repetitions=True",
        "told apart by": "id=column",
        "charge data": "charge=True",
        "heading": "in `headers`:",
        "is": "=",
        "charge": "fail(suggestion, reason, charge=amount)",
        "extend": "extend({name: (low, high)})",
        "revise": "revise(name=limit)",
        "amend": "amend(suggestion, value)",
        "amend cost": "amend(suggestion, cost=amount)",
        "void": "amend(suggestion, void=True)",
        "seen": "seen=True",
        "context": "context={name: value}",
        **dict.fromkeys(_TABLES, ""),
    },
    str,
    short_repr,
)
SHELL = Wording(
    {
        "law": '{ kind = "uniform" }',
        "new": "`steerbo new STUDY.TOML`",
        "open": "`steerbo run STUDY.TOML` or `steerbo ask STUDY`",
        "ask": "`steerbo ask STUDY`",
        "decide": "`steerbo decide STUDY TOKEN --context NAME=VALUE`",
        "again": "`steerbo decide STUDY TOKEN --context NAME=VALUE --again`",
        "attach": "`steerbo attach STUDY NAME=VALUE`",
        "tell": "`steerbo tell STUDY TOKEN VALUE`",
        "fail": "`steerbo fail STUDY TOKEN --reason WHY`",
        "abandon": "`steerbo abandon STUDY TOKEN`",
        "add": "`steerbo import STUDY TABLE`",
        "as data": "`steerbo import --as-data`",
        "missing": "by `--missing COLUMN=CODE`",
        "repetitions": "--repetitions",
        "told apart by": "--id COLUMN",
        "charge data": "--charge",
        "heading": "in the study file: [study.columns]",
        "is": "=",
        "charge": "`steerbo fail STUDY TOKEN --charge AMOUNT`",
        "extend": "`steerbo extend STUDY.TOML`",
        "revise": "changing the study file, then `steerbo extend STUDY.TOML`",
        "amend": "`steerbo amend STUDY TOKEN VALUE`",
        "amend cost": "`steerbo amend STUDY TOKEN --cost AMOUNT`",
        "void": "`steerbo amend STUDY TOKEN --void`",
        "seen": "seen = true",
        "context": "`--context NAME=VALUE`",
        **_TABLES,
    },
    _kind_in_file,
    show_plain,
)
PAGE = Wording(
    {
        **SHELL.actions,
        "ask": "“What next?”",
        "decide": "the fields under “Look first”",
        "again": "“Look again”",
        "attach": "“Settings of your own instead”",
        "tell": "“Save”",
        "fail": "“It broke”",
        "abandon": "“It broke, or is not done”",
        "add": "“Add past data”",
        "as data": "“It is another study's”",
        "missing": "under “Stands for a missing value”",
        "repetitions": "“Equal lines are repetitions”",
        "told apart by": "the column “id”",
        "charge data": "“Count their costs as spent”",
        "heading": "under “Columns”:",
        "is": "is",
        "revise": "“End or extend…”",
        "charge": "“It broke”, with what is to be counted",
        "amend": "“Edit”, beside the round",
        "amend cost": "“Edit”, beside the round",
        "void": "“Take it out”, under “Edit”",
        "context": "the fields above the button",
        **dict.fromkeys(_TABLES, ""),
    },
    SHELL.kind,
    show_plain,
)
"""Wording for a person at the page of a study."""
