"""The study's own words and units, and numbers with as many digits as mean something."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._parsing import is_number
from .._wording import interval_texts, parted, parted_price, spread_step
from ..core import (
    BaseStudy,
    ExpectedOutcome,
    Problem,
    Recommendation,
    Table,
    as_text,
    numeral,
)

_NUMBER = re.compile(r"((?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_WHOLE = re.compile(r"(?<![\w.,-])[1-9]\d{4,14}(?![\w-])")
_FINEST = 10_000  # parts of the range of a column, at most, that its digits tell apart
_FULLEST = 4  # actions that a line names


@dataclass(frozen=True)
class Words:
    """Names that a study gives to its outcome and its money.

    Args:
        value: the outcome's name.
        unit: its unit; "" where none is stated.
        cost: the name of the cost.
        money: its unit.
        step: difference of two outcomes that is still written.
    """

    value: str = "Value"
    unit: str = ""
    cost: str = "Cost"
    money: str = ""
    step: float = 0.0

    @classmethod
    def of(cls, study: BaseStudy) -> Words:
        """Names of a study: its table headers of value and cost; a causal outcome has its target's name."""
        headed = study.history.columns
        target = getattr(getattr(study.problem, "graph", None), "target", "")
        value, unit = parted(headed.get("value") or target or "Value")
        cost, money = parted_price(headed.get("cost") or "Cost")
        step = spread_step(study.problem.scalar(outcome) for _, outcome in study.history.told)
        return cls(value, unit, cost, money, step)

    @property
    def value_label(self) -> str:
        """The outcome with its unit, as a field or an axis is labelled."""
        return labelled(self.value, self.unit)

    @property
    def cost_label(self) -> str:
        """Label of the cost, with its unit."""
        return labelled(self.cost, self.money)

    def worth(self, text: str) -> str:
        """A number of outcomes, with its unit.

        >>> Words(unit="kg").worth("7.1"), Words().worth("7.1"), Words(unit="%").worth("7")
        ('7.1 kg', '7.1', '7 %')
        """
        return f"{grouped(text)} {self.unit}".rstrip()

    def outcome(self, value: float) -> str:
        """One outcome with its unit, told apart from the others.

        >>> Words(unit="hPa", step=0.002).outcome(1013.2531), Words().outcome(7.1)
        ('1013.253 hPa', '7.1')
        """
        return self.worth(numeral(value, step=self.step))

    def expected(
        self,
        mean: float | None,
        lower: float | None,
        upper: float | None,
        further: Mapping[str, Any] | None = None,
    ) -> str:
        """An expected value with its bounds, as a sentence; empty where it is unknown. Further outcomes follow.

        >>> Words(unit="kg").expected(7.1234, 5.6789, 8.6111), Words().expected(7.0, None, None)
        ('7.1 kg is expected, 5.7 to 8.6.', '7 is expected.')
        """
        middle, low, high = interval_texts(mean, lower, upper)
        if not middle:
            return ""
        value = f"{self.worth(middle)} is expected{f', {low} to {high}' if low and high else ''}."
        more = []
        for name, each in (further or {}).items():
            ends = each.get("lower"), each.get("upper")
            more.append(f"{name}: {Words().expected(each.get('mean'), *ends) or 'unknown.'}")
        return " ".join([value, *more])

    def paid(self, amount: float, beside: float = 0.0) -> str:
        """Format an amount of money to a hundredth of the amount beside it.

        >>> Words(money="EUR").paid(22.31, beside=90.0), Words().paid(0.5)
        ('22.3 EUR', '0.5')
        """
        return self.with_money(amount_text(amount, beside))

    def with_money(self, text: str) -> str:
        """Add the currency to an amount in digits.

        >>> Words(money="EUR").with_money("12345.50")
        '12\u202f345.50 EUR'
        """
        return f"{grouped(text)} {self.money}".rstrip()


def grouped(text: str) -> str:
    """Part the thousands of numbers of five digits and more, by a narrow space that breaks no line.

    >>> grouped("12345.6789 to 2000000"), grouped("1139"), grouped("1.23456"), grouped("x12345")
    ('12\u202f345.6789 to 2\u202f000\u202f000', '1139', '1.23456', 'x12345')
    """
    return _WHOLE.sub(lambda found: f"{int(found[0]):,}".replace(",", "\u202f"), text)


def labelled(name: str, unit: str) -> str:
    """A name with its unit.

    >>> labelled("Yield", "kg"), labelled("Yield", "")
    ('Yield (kg)', 'Yield')
    """
    return f"{name} ({unit})" if unit else name


def decimals(width: float, parts: int) -> int:
    """Number of decimals that distinguish a number of parts of a width; 0 for a width of 0.

    >>> decimals(280.0, 100), decimals(2.0, 100), decimals(25.0, 100)
    (0, 2, 1)
    """
    if not 0.0 < width < math.inf:
        return 0
    return min(max(-math.floor(math.log10(width / parts)), 0), 15)


def amount_text(amount: float, beside: float = 0.0) -> str:
    """Money, with no more digits than a hundredth of a larger amount needs.

    >>> amount_text(1139.0), amount_text(22.31, 90.0), amount_text(3.0, 90.0)
    ('1139', '22.3', '3')
    """
    largest = max(abs(amount), abs(beside))
    if largest >= 1e9 or 0 < largest < 1e-3:
        return numeral(amount, beside=largest)
    text = f"{amount:.{min(decimals(largest, 100), 6)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-0", "0") or "0"


def in_step(values: Sequence[Any], alone: Callable[[float], str] | None = None) -> list[str]:
    """Numbers of a column with equally many decimals: as many as the longest has, of which range and size need no more.

    Args:
        values: of the column.
        alone: text of a number that stands alone, with the decimals that it needs; None: six
            digits.

    >>> in_step([6.1, 6.27, 12.0]), in_step([3.0, 3.1, None]), in_step([1 / 3, 20.0, "zinc"])
    (['6.10', '6.27', '12.00'], ['3.0', '3.1', '–'], ['0.333', '20.000', 'zinc'])
    """
    numbers = [float(x) for x in values if _plain(x)]
    most = max(map(abs, numbers), default=0.0)
    least = min((abs(x) for x in numbers if x), default=most)
    if not 1e-3 <= most < 1e9 or least < most / _FINEST:
        return [as_text(x) for x in values]
    step = spread_step(numbers)
    written = [alone(x) if alone else numeral(x, 6, step=step) for x in numbers]
    digits = min(max(map(_decimals, written)), max(decimals(most, _FINEST), decimals(step, 1)))
    texts = [f"{x:.{digits}f}" if _plain(x) else as_text(x) for x in values]
    return [text.removeprefix("-") if text.strip("-0.") == "" else text for text in texts]


def _plain(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _decimals(text: str) -> int:
    """Decimals that are written there; of a number with an exponent those of its mantissa and more."""
    mantissa, _, exponent = text.partition("e")
    return max(len(mantissa.partition(".")[2]) - int(exponent or 0), 0)


class Cell(NamedTuple):
    """A cell of a table: text, whether its column is one of numbers, place when sorted, and bounds."""

    text: str
    numeric: bool
    place: int
    bounds: str = ""


def columns_in_step(table: Table) -> list[list[Cell]]:
    """Rows of a table as texts; numbers have equally many decimals.

    >>> [tuple(cell) for [cell] in columns_in_step(Table("t", ("gap",), ((-10.0,), (1.0,), (-0.5,))))]
    [('-10.0', True, 0, ''), ('1.0', True, 2, ''), ('-0.5', True, 1, '')]
    >>> columns_in_step(Table("t", ("kg",), ((ExpectedOutcome(1.0, 0.5, 1.5),),)))[0][0].bounds
    '0.5 to 1.5'
    """
    columns = []
    for cells in zip(*table.rows, strict=True):
        plain = all(x is None or _plain(x) for x in cells)
        pairs = [_expected_texts(x) for x in cells]
        texts = in_step(cells) if plain else [text for text, _ in pairs]
        numeric = any(_NUMBER.fullmatch(text) for text in texts) and all(
            x is None or _NUMBER.fullmatch(text) for x, text in zip(cells, texts, strict=True)
        )
        columns.append(
            [
                Cell(text, numeric, place, bounds)
                for text, place, (_, bounds) in zip(texts, places(texts), pairs, strict=True)
            ]
        )
    return [list(row) for row in zip(*columns, strict=True)]


_TELEPHONE = 44
"""Letters beside one another on a telephone."""
_FOLDED = 14
"""Letters of a column at least where its texts are broken into lines."""


def too_wide(table: Table) -> bool:
    """Whether a table with texts is too wide for a telephone, however its texts are broken into lines.

    >>> too_wide(Table("t", ("hold", "cost"), (("temperature + ph", 1.5),)))
    False
    >>> row = "12 °C", "vent + mist", "vent = 0.23, mist = 1", 8.4
    >>> too_wide(Table("t", ("temperature", "hold", "settings", "expected"), (row,)))
    True
    """
    rows, width, texts = columns_in_step(table), 0, False
    for head, *cells in zip(table.columns, *rows, strict=True):
        longest = max((max(len(each.text), len(each.bounds)) for each in cells), default=0)
        words = max(map(len, f"{head} -".split()))
        texts = texts or not cells[0].numeric if cells else texts
        width += max(min(longest, _FOLDED), words) + 2
    return texts and width > _TELEPHONE


_UNIT_APART = re.compile(r"(?<=\d) (?=[^\s\d,;=+(][^\s,;]*(?:[,;]|$))|(?<==) (?=-?\d)")


def glued(text: str) -> str:
    r"""Keep numbers and their units together in one line; "= 5", too.

    >>> glued("dose = 0.5 mg, rest 2 h").split(" ")
    ['dose', '=\xa00.5\xa0mg,', 'rest', '2\xa0h']
    """
    return _UNIT_APART.sub("\u00a0", text)


def _expected_texts(cell: Any) -> tuple[str, str]:
    """Text of a cell, and its bounds where it is an expected value that has both."""
    if not isinstance(cell, ExpectedOutcome) or None in (cell.mean, cell.lower, cell.upper):
        return as_text(cell), ""
    mean, low, high = interval_texts(cell.mean, cell.lower, cell.upper)
    return mean, f"{low} to {high}"


def places(texts: Sequence[str]) -> list[int]:
    """Place of each text when they are sorted: by the numbers in them, else by alphabet; empty ones come last.

    >>> places(["-0.5", "-10", "3", "", "-0.50"]), places(["ph 10", "ph 9", "ph -1"])
    ([1, 0, 2, 3, 1], [2, 1, 0])
    """

    def key(text: str) -> tuple[Any, ...]:
        *pieces, last = _NUMBER.split(text.casefold())
        pairs = zip(pieces[::2], map(float, pieces[1::2]), strict=True)
        return text in ("", "–"), *pairs, (last,)

    order = {each: place for place, each in enumerate(sorted({key(text) for text in texts}))}
    return [order[key(text)] for text in texts]


def is_known(advice: Recommendation) -> bool:
    """Whether an answer rests on anything; nothing is the best now before that."""
    return not (advice.says("nothing-measured") or advice.says("nothing-known"))


def share_text(share: float) -> str:
    """A share of all agents.

    >>> share_text(0.25), share_text(0.004), share_text(0.0)
    ('25 %', '0.4 %', '0 %')
    """
    percent = 100.0 * share
    return f"{percent:.0f} %" if percent >= 10 or percent == round(percent) else f"{percent:.1f} %"


def agents_text(row: Mapping[str, float], *, counted: bool) -> str:
    """Actions with their agents in one line, the fullest first.

    >>> agents_text({"north": 2, "south": 30, "harbour": 0}, counted=True)
    'south 30, north 2'
    """
    full = sorted(((name, x) for name, x in row.items() if x), key=lambda pair: -pair[1])
    texts = [f"{name} {x:g}" if counted else f"{name} {share_text(x)}" for name, x in full]
    more = len(texts) - _FULLEST
    return ", ".join(texts[:_FULLEST] if more > 1 else texts) + (
        f" and {more} more" if more > 1 else ""
    )


def _agents(name: str, value: Mapping[str, Any]) -> str:
    """A distribution of agents in one line; an only context needs no name."""
    texts = {context: agents_text(row, counted=name == "counts") for context, row in value.items()}
    return (
        next(iter(texts.values()))
        if len(texts) == 1
        else "; ".join(f"{c}: {text}" for c, text in texts.items())
    )


AGENTS = {"counts": "agents", "distribution": "share of agents"}
"""Names of the settings of a mean-field study."""


def in_resolution(
    problem: Problem, values: Mapping[str, Any], shown: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """Values by name as people read them, or as they were `shown`, in the problem's order; a table in words."""
    ordered = _once(problem.in_order(values))
    numbers = {n: x for n, x in ordered.items() if not isinstance(x, dict)}
    texts = {**problem.shown(numbers), **{n: x for n, x in (shown or {}).items() if n in numbers}}
    return [
        (name, texts[name] if name in texts else _in_words(name, value))
        for name, value in ordered.items()
    ]


def _once(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values without the shares of agents that are counted."""
    return {
        name: x for name, x in values.items() if name != "distribution" or "counts" not in values
    }


def _in_words(name: str, value: Mapping[str, Any]) -> str:
    table = name in AGENTS and all(isinstance(row, dict) for row in value.values())
    return _agents(name, value) if table else as_text(value)


def in_one_line(
    problem: Problem, values: Mapping[str, Any], shown: Mapping[str, str] | None = None
) -> str:
    """The same in one line.

    >>> import steerbo as sb
    >>> in_one_line(sb.CostVarying([sb.Float("glaze", 0, 2, unit="mm")], [["glaze"]]), {"glaze": 1.5})
    'glaze 1.5 mm'
    """
    found = in_resolution(problem, values, shown)
    return ", ".join(text if name in AGENTS else f"{name} {text}" for name, text in found)
