"""The study's own words and units, and numbers with as many digits as mean something."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core import BaseStudy, Problem, Table, as_text, numeral
from ..space import Categorical, Integer

_UNIT = re.compile(r"(.+?)\s*[(\[]\s*([^()\[\]]+?)\s*[)\]]")
_CODE = re.compile(r"[A-Z]{3}|[€$£¥]|[A-Z]{0,3}[€$£¥]")  # what money is called alone
_STEPS = 100  # of a variable's range, at least, that its digits tell apart
_SHARES = 20  # of the distance between two bounds, at least, that their digits tell apart
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
    """

    value: str = "Value"
    unit: str = ""
    cost: str = "Cost"
    money: str = ""

    @classmethod
    def of(cls, study: BaseStudy) -> Words:
        """Names of a study: its table headers of value and cost; a causal outcome has its target's name."""
        headed = study.history.columns
        target = getattr(getattr(study.problem, "graph", None), "target", "")
        value, unit = parted(headed.get("value") or target or "Value")
        cost, money = parted(headed.get("cost") or "Cost")
        if not money and _CODE.fullmatch(cost):
            cost, money = "Cost", cost
        return cls(value, unit, cost, money)

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
        return f"{text} {self.unit}".rstrip()

    def expected(self, mean: float | None, lower: float | None, upper: float | None) -> str:
        """An expected value with its bounds, as a sentence; empty where it is unknown.

        >>> Words(unit="kg").expected(7.1234, 5.6789, 8.6111), Words().expected(7.0, None, None)
        ('7.1 kg is expected, 5.7 to 8.6.', '7 is expected.')
        """
        middle, low, high = within(mean, lower, upper)
        return f"{self.worth(middle)} is expected{f', {low} to {high}' if low and high else ''}." if middle else ""

    def paid(self, amount: float, beside: float = 0.0) -> str:
        """Format an amount of money to a hundredth of the amount beside it.

        >>> Words(money="EUR").paid(22.31, beside=90.0), Words().paid(0.5)
        ('22.3 EUR', '0.5')
        """
        return f"{amount_text(amount, beside)} {self.money}".rstrip()


def parted(header: str) -> tuple[str, str]:
    """A header's name and unit.

    >>> parted("Yield (kg)"), parted("Price [EUR]"), parted("EUR")
    (('Yield', 'kg'), ('Price', 'EUR'), ('EUR', ''))
    """
    found = _UNIT.fullmatch(header.strip())
    return (found[1], found[2]) if found else (header.strip(), "")


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


def within(mean: float | None, lower: float | None, upper: float | None) -> tuple[str, str, str]:
    """Mean and bounds with as many digits as the distance between the bounds justifies; "" for None.

    >>> within(7.1234, 5.6789, 8.6111), within(7.1234, None, None), within(1139.39, 1100.0, 1200.0)
    (('7.1', '5.7', '8.6'), ('7.123', '', ''), ('1139', '1100', '1200'))
    """
    known = [x for x in (mean, lower, upper) if x is not None]
    most = max(map(abs, known), default=0.0)
    width = max(known, default=0.0) - min(known, default=0.0)

    def text(x: float | None) -> str:
        if x is None:
            return ""
        if len(known) < 2 or width <= 1e-9 * most or not 1e-4 < most < 1e9:
            return numeral(x, beside=most)
        shown = f"{x:.{decimals(width, _SHARES)}f}"
        return shown.removeprefix("-") if float(shown) == 0 else shown

    return text(mean), text(lower), text(upper)


def in_step(values: Sequence[Any], alone: Callable[[float], str] | None = None) -> list[str]:
    """Numbers of a column with equally many decimals: as many as the longest has, of which range and size need no more.

    Args:
        values: of the column.
        alone: text of a number that stands alone, with the decimals that it needs; None: six digits.

    >>> in_step([6.1, 6.27, 12.0]), in_step([3.0, 3.1, None]), in_step([1 / 3, 20.0, "zinc"])
    (['6.10', '6.27', '12.00'], ['3.0', '3.1', '–'], ['0.333', '20.000', 'zinc'])
    """
    numbers = [float(x) for x in values if _plain(x)]
    most = max(map(abs, numbers), default=0.0)
    least = min((abs(x) for x in numbers if x), default=most)
    if not 1e-3 <= most < 1e9 or least < most / _FINEST:
        return [as_text(x) for x in values]
    digits = min(max(_decimals(alone(x) if alone else numeral(x, 6)) for x in numbers), decimals(most, _FINEST))
    texts = [f"{x:.{digits}f}" if _plain(x) else as_text(x) for x in values]
    return [text.removeprefix("-") if text.strip("-0.") == "" else text for text in texts]


def _plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _decimals(text: str) -> int:
    """Decimals that are written there; of a number with an exponent those of its mantissa and more."""
    mantissa, _, exponent = text.partition("e")
    return max(len(mantissa.partition(".")[2]) - int(exponent or 0), 0)


def columns_in_step(table: Table) -> list[list[tuple[str, bool]]]:
    """Rows of a table as texts, each with whether its column is one of numbers, which have equally many decimals."""
    columns = []
    for cells in zip(*table.rows, strict=True):
        numeric = any(map(_plain, cells)) and all(x is None or _plain(x) for x in cells)
        columns.append(
            [(text, numeric) for text in in_step(cells)] if numeric else [(as_text(x), False) for x in cells]
        )
    return [list(row) for row in zip(*columns, strict=True)]


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
    return ", ".join(texts[:_FULLEST] if more > 1 else texts) + (f" and {more} more" if more > 1 else "")


def _agents(name: str, value: Mapping[str, Any]) -> str:
    """A distribution of agents in one line; an only context needs no name."""
    texts = {context: agents_text(row, counted=name == "counts") for context, row in value.items()}
    return next(iter(texts.values())) if len(texts) == 1 else "; ".join(f"{c}: {text}" for c, text in texts.items())


AGENTS = {"counts": "agents", "distribution": "share of agents"}
"""Names of the settings of a mean-field study."""


def with_resolution(problem: Problem, name: str, value: Any) -> str:
    """A value with its unit, in digits that tell a hundredth of the variable's range, or its step.

    >>> import steerbo as sb
    >>> kiln = sb.CostVarying([sb.Float("heat", 1000, 1280, unit="°C"), sb.Float("glaze", 0, 2)], [["heat", "glaze"]])
    >>> with_resolution(kiln, "heat", 1139.39), with_resolution(kiln, "glaze", 1.5)
    ('1139 °C', '1.50')
    """
    variable = problem.space[name] if name in problem.space else None  # noqa: SIM401  a space has no `get`
    if isinstance(variable, Integer) and isinstance(value, float) and value.is_integer():
        value = int(value)  # of a grid of floats
    plain = variable is None or isinstance(variable, Categorical) or getattr(variable, "scale", "") == "log"
    if plain or isinstance(value, bool) or not isinstance(value, float):
        return problem.shown({name: value})[name]
    step = getattr(variable, "step", None)
    digits = _of_step(step) if step else decimals(variable.high - variable.low, _STEPS)  # type: ignore[union-attr]
    text = f"{value:.{digits}f}"
    if abs(value) >= 1e9:
        return problem.shown({name: value})[name]
    return f"{text.removeprefix('-') if float(text) == 0 else text} {getattr(variable, 'unit', '')}".rstrip()


def in_resolution(problem: Problem, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Values by name as people read them, in the problem's order; a table in words."""
    return [(name, _in_words(problem, name, value)) for name, value in _once(problem.in_order(values)).items()]


def _once(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values without the shares of agents that are counted."""
    return {name: x for name, x in values.items() if name != "distribution" or "counts" not in values}


def _in_words(problem: Problem, name: str, value: Any) -> str:
    if not isinstance(value, dict):
        return with_resolution(problem, name, value)
    table = name in AGENTS and all(isinstance(row, dict) for row in value.values())
    return _agents(name, value) if table else as_text(value)


def in_one_line(problem: Problem, values: Mapping[str, Any]) -> str:
    """The same in one line.

    >>> import steerbo as sb
    >>> in_one_line(sb.CostVarying([sb.Float("glaze", 0, 2, unit="mm")], [["glaze"]]), {"glaze": 1.5})
    'glaze 1.50 mm'
    """
    found = in_resolution(problem, values)
    return ", ".join(text if name in AGENTS else f"{name} {text}" for name, text in found)


def as_seen(problem: Problem, values: Mapping[str, Any]) -> str:
    """Values that were read somewhere, in one line: with no more digits than were written down.

    >>> import steerbo as sb
    >>> as_seen(sb.CostVarying([sb.Float("age", 20, 80, unit="years")], [["age"]]), {"age": 61.0})
    'age 61 years'
    """
    exact = problem.shown(values)
    texts = {name: min(exact[name], text, key=len) for name, text in in_resolution(problem, values)}
    return ", ".join(f"{name} {text}" for name, text in texts.items())


def _of_step(step: float) -> int:
    """Decimals that a step has."""
    for digits in range(10):
        if abs(round(step, digits) - step) <= 1e-9 * step:
            return digits
    return 10
