"""A study from a form: its study file as text, and which field of the form a complaint about that file speaks of."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._parsing import commas_of, parse_value, read_number
from .._text import unsafe
from .._wording import MISSING
from ..errors import InvalidInput, InvalidStudy, combine, one_of
from .wording import labelled

Form = Mapping[str, str]
KINDS: tuple[tuple[str, str], ...] = (
    (
        "cost-varying",
        "Holding things costs money; nature does the rest. Which are worth holding, and where?",
    ),
    ("time-varying", "Everything can be set, and the best setting moves with time."),
    ("causal", "You know what causes what, and can look at some things before you set others."),
    ("mean-field", "Many agents, all alike, are sent to places or given tasks."),
)
"""Every kind of study, and when it is the right one."""
LAWS: tuple[tuple[str, str], ...] = (
    ("", "always set"),
    ("uniform", "anything in range"),
    ("truncated-normal", "about a mean"),
    ("learned", "to be learned"),
    ("seen", "seen before, never set"),
)
"""Laws that a form offers for a variable: kind, and its description."""
_LEFT = tuple(law for law, _ in LAWS)
_LAWS_OF = {"time-varying": ("seen",), "causal": ()}  # kinds that have no place for some of them
LABELS: Mapping[str, str] = {
    "name": "Name",
    "kind": "Kind",
    "value": "What is measured",
    "unit": "Its unit",
    "others": "Other outcomes",
    "sets": "Sets",
    "arrows": "Arrows",
    "target": "Measured in the end",
    "settable": "Can be set",
    "look": "Can be looked at before",
    "prices": "Prices of setting or looking",
    "base": "Fixed price of every round",
    "actions": "Places or tasks",
    "agents": "How many agents",
    "move": "Share that may move each round",
    "capacity": "No more agents than",
    "money": "Money is counted in",
    "most-budget": "Budget",
    "most-rounds": "Rounds",
    "good": "Good enough within",
    "worth": "What one unit is worth",
    "limits": "Sums that may not be exceeded",
    "kept": "Measured values that may not be exceeded",
    "paste": "Lines of a spreadsheet",
}
"""Labels of the form's fields."""
OF_A_ROW: Mapping[str, str] = {
    "name": "Name",
    "low": "From",
    "high": "To",
    "unit": "Unit",
    "choices": "or choices",
    "law": "When not held",
    "mean": "Mean",
    "sd": "Spread",
}
"""Labels of the fields of a variable."""
_FIELD_OF_A_ROW = re.compile(r"v(\d+)-(\w+)")
_LEAST_ROWS, _MOST_ROWS = 4, 60  # of variables in the form
_TERM = re.compile(r"\s*([+-]?)\s*(\d+(?:[.,]\d+)?)?\s*\*?\s*(.*?)\s*")
_SUM = re.compile(r"(?<=[\w)])\s+(?=[+-]\s)")
_BETTER = re.compile(r"(smaller|less|minimi[sz]e)|(larger|more|maximi[sz]e)", re.IGNORECASE)
_SIGN = re.compile(r"(<=|>=|≤|≥|<|>)")
_CALCULATES = re.compile(
    r"[*/()]|[\w.]\s*\+\s*[^\d\s]|\bif\b"
)  # a formula, with names right or wrong
_PRICE_BEHIND = re.compile(r"(.+?)[\s=]+(\d[\d.,]*)")  # a price without its colon
EXAMPLES: Mapping[str, tuple[str, Form]] = {
    "greenhouse": (
        "Greenhouse: what is worth holding?",
        {
            "kind": "cost-varying",
            "value": "Yield",
            "unit": "kg",
            "v0-name": "temperature",
            "v0-low": "10",
            "v0-high": "35",
            "v0-unit": "°C",
            "v0-law": "truncated-normal",
            "v0-mean": "22",
            "v0-sd": "3",
            "v1-name": "ph",
            "v1-low": "4",
            "v1-high": "8",
            "v1-law": "uniform",
            "sets": "temperature: 1\nph: 1.5\ntemperature + ph: 3",
            "money": "EUR",
            "most-budget": "40",
            "good": "1",
        },
    ),
    "heating": (
        "Heating: what is best now?",
        {
            "kind": "time-varying",
            "value": "Energy",
            "unit": "kWh",
            "minimize": "yes",
            "v0-name": "supply",
            "v0-low": "30",
            "v0-high": "60",
            "v0-unit": "°C",
            "v1-name": "outdoor",
            "v1-low": "-10",
            "v1-high": "25",
            "v1-unit": "°C",
            "v1-law": "seen",
            "most-rounds": "60",
        },
    ),
    "dose": (
        "Dose: what to look at first?",
        {
            "kind": "causal",
            "value": "Recovery",
            "v0-name": "dose",
            "v0-low": "0",
            "v0-high": "1",
            "v0-unit": "mg",
            "v1-name": "age",
            "v1-low": "20",
            "v1-high": "90",
            "v1-unit": "years",
            "arrows": "age -> dose -> recovery\nage -> recovery",
            "target": "recovery",
            "settable": "dose",
            "prices": "dose: 0.5\nage: 2",
            "base": "1",
            "money": "EUR",
            "most-budget": "60",
        },
    ),
    "vans": (
        "Vans: how many where?",
        {
            "kind": "mean-field",
            "value": "Payoff",
            "unit": "EUR",
            "actions": "north, south, harbour",
            "agents": "40",
            "capacity": "harbour: 12",
            "most-rounds": "20",
        },
    ),
}
"""Studies to load into the form and change, one of each kind: its question, and its fields."""


@dataclass(frozen=True)
class Written:
    """A study file.

    Args:
        text: TOML.
        fields: the form's field by the place that a complaint about the file names.
        faults: errors of the form itself, which the file does not show, by the form's field.
    """

    text: str
    fields: Mapping[str, str]
    faults: Mapping[str, InvalidInput] = field(default_factory=dict)

    def field_of(self, place: str) -> str:
        """The form's field that a complaint about a place of the file speaks of; "" where there is none.

        >>> Written("", {"problem.variables.0": "v3-name"}).field_of("problem.variables.0.law.mean")
        'v3-name'
        """
        while place:
            if place in self.fields:
                return self.fields[place]
            place = place.rpartition(".")[0]
        return ""


def rows_of(form: Form) -> int:
    """Number of rows for variables in the form."""
    text = form.get("rows", "")
    wanted = int(text) if text.isdecimal() and len(text) < 4 else _LEAST_ROWS
    return min(max(wanted + (4 if form.get("then") == "rows" else 0), _LEAST_ROWS), _MOST_ROWS)


@dataclass(frozen=True)
class Row:
    """A variable's row in the form, which can be folded into a line.

    Args:
        line: what it says, such as "ph: 4 to 8".
        unheld: what its variable does when it is not held, behind the line; "" where it is always set.
        folds: whether it is one of many, which are folded once they are filled in.
        open: whether its fields are shown.
    """

    line: str
    unheld: str
    folds: bool
    open: bool


def lines_of(form: Form, wrong: Collection[str] = ()) -> list[Row]:
    """Rows of the form: where they are many, those that are filled in are folded unless something is wrong in them.

    The page's script words lines as they are typed in the same way.

    Args:
        form: as it was sent.
        wrong: fields that something is wrong with.

    >>> heat = {"v0-name": "heat", "v0-low": "10", "v0-high": "35", "v0-unit": "°C"}
    >>> rows = lines_of(heat | {"v0-law": "truncated-normal", "v0-mean": "22", "v0-sd": "3"})
    >>> rows[0].line + rows[0].unheld, rows[1].line
    ('heat: 10 to 35 °C, when not held: spread 3 about 22', 'Variable 2')
    """
    many = rows_of(form) > _LEAST_ROWS
    rows = []
    for row in range(rows_of(form)):
        said = {name: form.get(f"v{row}-{name}", "").strip() for name in OF_A_ROW}
        new = not any(text for name, text in said.items() if name != "law")
        faulty = any(field.startswith(f"v{row}-") for field in wrong)
        rows.append(Row(_line(row, said), _unheld(said), many, not many or new or faulty))
    return rows


def _line(row: int, said: Mapping[str, str]) -> str:
    """Name and range, or choices, of a row; "…" stands where an end is missing."""
    ends = said["low"] or said["high"]
    span = f"{said['low'] or '…'} to {said['high'] or '…'} {said['unit']}".strip() if ends else ""
    name = said["name"] or f"Variable {row + 1}"
    return ": ".join(filter(None, (name, said["choices"] or span)))


def _unheld(said: Mapping[str, str]) -> str:
    """Describe a row's variable when it is not held, after a comma; empty where nothing is said."""
    law, words = said["law"], dict(LAWS).get(said["law"], "")
    if law in ("", "seen"):
        return f", {words}" if law else ""
    if law == "truncated-normal" and (said["mean"] or said["sd"]):
        words = f"spread {said['sd'] or '…'} about {said['mean'] or '…'}"
    return f", when not held: {words}" if words else ""


def called(field: str, form: Form) -> str:
    """A field of the form, as its reader sees it.

    >>> called("v0-high", {"v0-name": "ph"}), called("v1-name", {}), called("good", {})
    ('To of ph', 'Name of variable 2', 'Good enough within')
    """
    row = _FIELD_OF_A_ROW.fullmatch(field)
    if row is None:
        return LABELS.get(field, field)
    name = form.get(f"v{row[1]}-name", "").strip() if row[2] != "name" else ""
    return f"{OF_A_ROW.get(row[2], row[2])} of {name or f'variable {int(row[1]) + 1}'}"


class _Reading:
    """Reader of a form's texts, which collects their faults by field.

    Args:
        form: as it was sent.
        comma: whether its reader writes decimal commas.
    """

    def __init__(self, form: Form, comma: bool) -> None:
        numbers = (text for field, text in form.items() if not field.endswith("-choices"))
        self.form, self.comma = form, commas_of(comma, numbers)
        self.faults: dict[str, InvalidInput] = {}

    def __call__(self, text: str, field: str) -> Any:
        """Read a number; a text that is none is left to the checks of the file."""
        try:
            return _number(called(field, self.form), text, self.comma)
        except InvalidInput as error:
            self._add(field, error)
            return text

    def in_line(self, text: str, field: str, line: str, shape: str) -> Any:
        """Read the number of a line that has a shape, such as NAME: PRICE; the line is refused where it has none."""
        try:
            number = _number(called(field, self.form), text, self.comma)
        except InvalidInput as error:
            self._add(field, error)
            return text
        if not isinstance(number, int | float):
            self.refuse(field, line, shape)
        return number

    def price(self, text: str, field: str, line: str, shape: str) -> Any:
        """Read the price of a line, which may be a formula of variables: that is left to the checks of the file."""
        words = re.findall(r"[^\W\d]\w*", text)
        if not _CALCULATES.search(text) and not {*words} & {*self.variables()}:
            return self.in_line(text, field, line, shape)
        if self.comma and re.search(r"\d,\d", text):
            if {"max", "min"} & {*words}:
                allowed = "a formula that can be read in one way only"
                self.refuse(
                    field, text.strip(), allowed, "Beside max and min write 0.5 with a point."
                )
            text = re.sub(r"(?<=\d),(?=\d)", ".", text)
        return text.strip()

    def refuse(self, field: str, text: object, allowed: str, hint: str = "") -> None:
        """Add an error, in the words of the form."""
        self._add(field, InvalidStudy(called(field, self.form), text, allowed, hint))

    def _add(self, field: str, fault: InvalidInput) -> None:
        known = self.faults.get(field)
        self.faults[field] = fault if known is None else combine((*known.errors, fault))

    def variables(self) -> list[str]:
        """Names of the variables that are filled in."""
        rows = (self.form.get(f"v{row}-name", "").strip() for row in range(rows_of(self.form)))
        return [name for name in rows if name]


def written(form: Form, comma: bool = False) -> Written:
    """Study file of a filled-in form; values that do not fit are reported by the file's own checks.

    Args:
        form: as it was sent.
        comma: whether its reader writes decimal commas.
    """
    kind = form.get("kind") or KINDS[0][0]
    read = _Reading(form, comma)
    places: dict[str, str] = {"problem.kind": "kind"}
    problem: dict[str, Any] = {"kind": kind}
    if form.get("minimize"):
        problem["minimize"] = True
    if others := _others(form, read):
        problem["outcomes"] = others
        _refuse_beside_others(form, kind, read)
    places["problem.outcomes"] = "others"
    if kind == "mean-field":
        problem |= _agents(form, read)
        places |= {f"problem.{name}": name for name in ("actions", "agents", "capacity")}
        places["problem.largest_move"] = "move"
    else:
        problem["variables"] = list(_variables(form, places, read))
        places["problem.variables"] = "v0-name"
    {"cost-varying": _sets, "causal": _graph}.get(kind, _nothing)(form, problem, places, read)
    if (worth := form.get("worth", "").strip()) and kind == "cost-varying":
        problem["value_of_one"] = read(worth, "worth")
        if good := form.get("good", "").strip():
            hint = "Beside it nothing else says when a dearer set is enough: empty one of the two."
            read.refuse("good", good, f"nothing beside “{LABELS['worth']}”", hint)
    places["problem.value_of_one"] = "worth"
    if form.get("good", "").strip() and kind in ("cost-varying", "causal"):
        problem["tolerance"] = {"kind": "absolute", "difference": read(form["good"], "good")}
        places["problem.tolerance"] = "good"
    if kind != "mean-field":
        sums, measured = list(_sums(form, read)), list(_measured(form, read))
        if sums or measured:
            problem["limits"] = [*sums, *measured]
        places["problem.limits"] = "limits" if sums else "kept"
        places |= {f"problem.limits.{len(sums) + i}": "kept" for i in range(len(measured))}
    most = {name: f"most-{name}" for name in ("budget", "rounds")}
    study = {
        name: read(form[field], field)
        for name, field in most.items()
        if form.get(field, "").strip()
    }
    places |= {"study.budget": "most-budget", "study.rounds": "most-rounds"}
    if not study:
        read.refuse("most-budget", MISSING, "a budget, or a number of rounds")
    columns = _columns(form)
    parts = [
        ("problem", problem),
        ("study", study),
        *([("study.columns", columns)] if columns else []),
    ]
    text = "\n".join(_table(name, table) for name, table in parts)
    return Written(text, places, read.faults)


def pasted(form: Form) -> dict[str, str]:
    r"""The form with a row for each line that was pasted: name, then from, to, unit, and mean and spread, or choices.

    Behind the unit may stand its law when it is not held, too, in the form's words.

    >>> rows = pasted({"v0-name": "ph", "paste": "heat;10;35;°C\nclay;red;white"})
    >>> [rows[f"v1-{part}"] for part in ("name", "low", "high", "unit")], rows["v2-choices"]
    (['heat', '10', '35', '°C'], 'red, white')
    >>> rows = pasted({"paste": "heat;10;35;°C;22;3\nph;4;8;;anything in range"})
    >>> rows["v0-law"], rows["v0-mean"], rows["v0-sd"], rows["v1-law"]
    ('truncated-normal', '22', '3', 'uniform')
    """
    rows = dict(form)
    lines = [_cells(line) for line in rows.pop("paste", "").splitlines() if line.strip()]
    free = [row for row in range(_MOST_ROWS) if not rows.get(f"v{row}-name", "").strip()]
    last = 0
    for row, (name, *rest) in zip(free, lines, strict=False):
        last = row + 1
        rows[f"v{row}-name"] = name
        if rest and re.match(r"[-+\d]", rest[0]):
            rows |= {
                f"v{row}-{part}": text
                for part, text in zip(("low", "high", "unit"), rest, strict=False)
            }
            rows |= {f"v{row}-{part}": text for part, text in _left(rest[3:]).items()}
        else:
            rows[f"v{row}-choices"] = ", ".join(filter(None, rest))
    return {**rows, "rows": str(max(rows_of(rows), last))}


def _left(cells: Sequence[str]) -> dict[str, str]:
    """Law of a pasted variable when it is not held: from a mean and a spread, or the form's words for a law."""
    said = [cell for cell in cells if cell]
    if said and re.match(r"[-+\d]", said[0]):
        return {
            "law": "truncated-normal",
            **dict(zip(("mean", "sd"), said, strict=False)),
        }
    laws = [law for law, words in LAWS if law and said and said[0].lower() in (law, words)]
    return {"law": laws[0]} if laws else {}


def _cells(line: str) -> list[str]:
    """Cells of a line; a comma parts them only where no tab and no semicolon does."""
    sign = next((sign for sign in "\t;" if sign in line), ",")
    return [cell.strip() for cell in line.split(sign)]


def _nothing(form: Form, problem: dict[str, Any], places: dict[str, str], read: _Reading) -> None:
    """Kinds that need nothing else."""


def _others(form: Form, read: _Reading) -> dict[str, str]:
    r"""Further outcomes, one a line, behind a colon which way is better.

    >>> _others({"others": "Energy: smaller is better\npurity: larger"}, _Reading({}, comma=False))
    {'Energy': 'minimize', 'purity': 'maximize'}
    """
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, form.get("others", "").splitlines())):
        name, colon, way = line.rpartition(":")
        said, name = _BETTER.match(way.strip()), name.strip()
        if not colon or not name or said is None:
            such = (name if colon else line) or "energy"
            read.refuse("others", line, f"NAME: smaller, or NAME: larger, such as {such}: smaller")
        elif name in found:
            read.refuse("others", line, "every outcome once")
        elif name in read.variables():
            read.refuse("others", name, "a name that no variable has")
        else:
            found[name] = "minimize" if said[1] else "maximize"
    return found


def _refuse_beside_others(form: Form, kind: str, read: _Reading) -> None:
    """Refuse fields that several outcomes have no use for; the file's checks would name places of the file."""
    fields = {
        "good": ("cost-varying", "causal"),
        "worth": ("cost-varying",),
        "prices": ("causal",),
    }
    shown = [field for field, kinds in fields.items() if kind in kinds]
    if "seen" in _LAWS_OF.get(kind, _LEFT):
        rows = range(rows_of(form))
        shown += [f"v{row}-law" for row in rows if form.get(f"v{row}-law") == "seen"]
    for name in shown:
        if text := form.get(name, "").strip():
            said = dict(LAWS).get(text, text)
            hint = "With several outcomes the answer is a trade-off: empty one of the two."
            read.refuse(name, said, f"nothing beside “{LABELS['others']}”", hint)


def _agents(form: Form, read: _Reading) -> dict[str, Any]:
    """Actions, and agents that are counted, not only shared out; with their limits."""
    actions = _names(form.get("actions", ""))
    found: dict[str, Any] = {"actions": actions, "counts": True}
    found["agents"] = read(form.get("agents", ""), "agents")
    if room := _by_name(form.get("capacity", ""), "capacity", read, actions, read.in_line):
        found["capacity"] = room
    if move := form.get("move", "").strip():
        found["largest_move"] = read(move, "move")
    return found


def _by_name(
    text: str,
    field: str,
    read: _Reading,
    names: Collection[str],
    number_of: Callable[[str, str, str, str], Any],
) -> dict[str, Any]:
    """Numbers by name, one a line behind a colon, as `number_of` reads them."""
    shape = f"NAME: NUMBER, such as {next(iter(names), 'harbour')}: 2"
    found = {}
    for line in filter(str.strip, text.splitlines()):
        name, colon, number = line.rpartition(":")
        if colon:
            found[name.strip()] = number_of(number, field, line.strip(), shape)
        else:
            read.refuse(field, line.strip(), shape)
    return found


def _variables(form: Form, places: dict[str, str], read: _Reading) -> Iterator[dict[str, Any]]:
    """The rows that are filled in."""
    rows: dict[str, int] = {}  # by name
    kind = form.get("kind") or KINDS[0][0]
    laws = _LAWS_OF.get(kind, _LEFT)
    number = 0
    for row in range(rows_of(form)):
        said = {name: form.get(f"v{row}-{name}", "").strip() for name in OF_A_ROW}
        said["law"] = said["law"] if said["law"] in laws else ""
        shown = [name for name in OF_A_ROW if kind == "cost-varying" or name not in ("mean", "sd")]
        if not any(said[name] for name in shown if name != "law"):
            continue
        place = f"problem.variables.{number}"
        number += 1
        places |= {
            f"{place}.{name}": f"v{row}-{name}"
            for name in ("name", "low", "high", "choices", "law")
        }
        places |= {
            place: f"v{row}-name",
            f"{place}.law.mean": f"v{row}-mean",
            f"{place}.law.sd": f"v{row}-sd",
        }
        places |= {
            f"{within}.{said['name']}.{name}": f"v{row}-{name}"
            for name in ("low", "high", "law", "choices")
            for within in (place, "problem.variables")
            if said["name"]
        }
        places |= {
            f"{said['name']}.{name}": f"v{row}-{name}"
            for name in ("low", "high", "law")
            if said["name"]
        }
        places[f"problem.variables.{said['name']}.seen"] = f"v{row}-law"
        for name, fault in _unused({name: said[name] for name in shown}).items():
            field = f"v{row}-{name}"
            read.faults.setdefault(field, fault.moved(called(field, form)))
        if (first := rows.setdefault(said["name"], row)) != row:
            read.refuse(
                f"v{row}-name", said["name"] or MISSING, f"not that of variable {first + 1}"
            )
        variable = _variable(said, _of_row(row, said, read))
        low, high = variable.get("low"), variable.get("high")
        if isinstance(low, int | float) and isinstance(high, int | float) and low >= high:
            allowed = f"less than “{OF_A_ROW['high']}”, which is {said['high']}"
            read.refuse(f"v{row}-low", said["low"], allowed)
        yield variable
    if not number:
        read.refuse("v0-name", MISSING, "at least one variable")


def _of_row(row: int, said: Mapping[str, str], read: _Reading) -> Callable[[str], Any]:
    """The reader of a row's numbers, by their parts."""
    return lambda part: read(said[part], f"v{row}-{part}")


def _unused(said: Mapping[str, str]) -> dict[str, InvalidInput]:
    """Errors of a row's fields that would have no effect beside the others that are filled in, by field."""
    faults: dict[str, InvalidInput] = {}
    law = said["law"]
    if said["choices"]:
        for name in filter(said.get, ("low", "high", "unit")):
            faults[name] = InvalidStudy(
                name,
                said[name],
                f"nothing here, since “{OF_A_ROW['choices']}” says {said['choices']}",
                "A variable has a range or choices: empty one of the two.",
            )
    if law != "truncated-normal":
        choices = (
            "it has choices" if said["choices"] else f"“{OF_A_ROW['law']}” says “{dict(LAWS)[law]}”"
        )
        instead = "" if said["choices"] else f", or choose “{dict(LAWS)['truncated-normal']}”"
        for name in filter(said.get, ("mean", "sd")):
            faults[name] = InvalidStudy(
                name, said[name], f"nothing here, since {choices}", f"Empty it{instead}."
            )
    return faults


def _variable(said: Mapping[str, str], read: Callable[[str], Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "kind": "categorical" if said["choices"] else "float",
        "name": said["name"],
    }
    if said["choices"]:
        plain["choices"] = _names(said["choices"])
    else:
        plain |= {end: read(end) for end in ("low", "high")}
        plain |= {"unit": said["unit"]} if said["unit"] else {}
    law = said["law"]
    if law == "seen":
        plain["seen"] = True
    elif law == "truncated-normal":
        plain["law"] = {"kind": law, "mean": read("mean"), "sd": read("sd")}
    elif law:
        plain["law"] = {"kind": law}
    return plain


def _sets(form: Form, problem: dict[str, Any], places: dict[str, str], read: _Reading) -> None:
    """One control set a line, its price behind a colon."""
    variables = read.variables()
    lines = [line.strip() for line in form.get("sets", "").splitlines() if line.strip()]
    priced = any(":" in line for line in lines)
    example = f"{variables[0] if variables else 'ph'}: 1.5"
    if not lines:
        read.refuse("sets", MISSING, f"NAME: PRICE, such as {example}")
    sets, costs = [], []
    for line in lines:
        before, colon, after = line.rpartition(":")
        behind = None if colon else _PRICE_BEHIND.fullmatch(line)
        if behind and not set(_in_set(behind[1])) <= set(variables):
            behind = None  # the number is part of a name
        names = _in_set(before if colon else behind[1] if behind else line)
        sets.append(names)
        wrong = [name for name in names if name not in variables] if variables else []
        if behind:
            such = f"{behind[1]}: {behind[2].replace(',', '.')}"
            read.refuse("sets", line, f"NAME: PRICE, such as {such}")
        elif wrong:
            read.refuse("sets", wrong[0], one_of(variables, wrong[0]))
        elif priced and not colon:
            read.refuse("sets", line, f"a price, as the other lines have: {line}: 1.5")
        elif colon:
            shape = f"NAME: PRICE, such as {before.strip()}: 1.5"
            costs.append(read.price(after, "sets", line, shape))
    _laws_missing(form, sets, read)
    problem["control_sets"] = sets
    if priced:
        problem["costs"] = costs
    places |= {"problem.control_sets": "sets", "problem.costs": "sets"}
    formulas = [cost for cost in costs if isinstance(cost, str)]
    if formulas and "sets" not in read.faults and not form.get("worth", "").strip():
        allowed = "a number of money for one unit of what is measured"
        hint = f"It is needed where a cost is a formula: {formulas[0]}."
        read.refuse("worth", MISSING, allowed, hint)
        places["problem.costs"] = "worth"


def _laws_missing(form: Form, sets: Sequence[Sequence[str]], read: _Reading) -> None:
    """Refuse rows that say they are always set where a set does not hold them."""
    words = dict(LAWS)
    for row in range(rows_of(form)):
        name = form.get(f"v{row}-name", "").strip()
        without = [names for names in sets if names and name not in names]
        if name and without and not form.get(f"v{row}-law"):
            one = " + ".join(without[0])
            read.refuse(
                f"v{row}-law",
                words[""],
                f"what {name} does in a round that holds only {one}",
                f"Choose “{words['uniform']}” if you do not know, or “{words['truncated-normal']}”.",
            )


def _in_set(text: str) -> list[str]:
    return _names(text.replace("+", ","))


def _graph(form: Form, problem: dict[str, Any], places: dict[str, str], read: _Reading) -> None:
    """Arrows from cause to effect, one a line or several with semicolons; prices by name."""
    directed: list[list[str]] = []
    bidirected: list[list[str]] = []
    variables = read.variables()
    shape = f"CAUSE -> EFFECT, such as {variables[0] if variables else 'age'} -> y"
    drawn = form.get("arrows", "").replace("↔", "<->").replace("→", "->")
    chains = [chain.strip() for chain in re.split(r"[;\n]", drawn) if chain.strip()]
    if not chains:
        read.refuse("arrows", MISSING, shape)
    for chain in chains:
        names = [name.strip() for name in re.split(r"(<?->)", chain)]
        if len(names) == 1 or not all(names[0::2]):
            read.refuse("arrows", chain, shape)
        for cause, arrow, effect in zip(names[0::2], names[1::2], names[2::2], strict=False):
            (bidirected if arrow == "<->" else directed).append([cause, effect])
    problem["graph"] = {
        "directed": directed,
        **({"bidirected": bidirected} if bidirected else {}),
        "target": form.get("target", "").strip(),
        "intervenable": _names(form.get("settable", "")),
        **({"contexts": _names(form["look"])} if form.get("look", "").strip() else {}),
    }
    if prices := _by_name(form.get("prices", ""), "prices", read, variables, read.price):
        problem["prices"] = prices
    if base := form.get("base", "").strip():
        problem["base"] = read(base, "base")
    graph, faulty = "problem.graph", "arrows" in read.faults
    places |= {
        graph: "arrows",
        # a name missing in arrows that could not be read is no error of its own
        f"{graph}.target": "arrows" if faulty else "target",
        f"{graph}.intervenable": "arrows" if faulty else "settable",
        f"{graph}.contexts": "arrows" if faulty else "look",
    }
    places |= {
        "problem.prices": "prices",
        "problem.base": "prices" if "prices" in read.faults else "base",
    }


def _sums(form: Form, read: _Reading) -> Iterator[dict[str, Any]]:
    """Sums that may not be exceeded, behind a colon how surely where nature has a hand in them.

    >>> form = {"limits": "flow + 2,5 bypass <= 5", "v0-name": "flow", "v1-name": "bypass"}
    >>> list(_sums(form, _Reading(form, comma=True)))
    [{'kind': 'linear', 'weights': {'flow': 1.0, 'bypass': 2.5}, 'at_most': 5.0}]
    """
    shape, variables = "SUM <= NUMBER, such as flow + 2 bypass <= 5", read.variables()
    for left, ends in _bounded(form, "limits", shape, read):
        weights: dict[str, Any] = {}
        for term in _SUM.split(left):
            found = _TERM.fullmatch(term)
            if found is not None:
                weight = read(f"{found[1]}{found[2] or '1'}", "limits")
                weights[found[3]] = weight
        for name in weights.keys() - set(variables):
            hint = f"If it is measured afterwards, write its limit into “{LABELS['kept']}”."
            read.refuse("limits", name, one_of(variables, name), hint)
        yield {"kind": "linear", "weights": weights, **ends}


def _measured(form: Form, read: _Reading) -> Iterator[dict[str, Any]]:
    r"""Limits on further outcomes, behind a colon how surely; both ends of one may be on two lines.

    >>> list(_measured({"kept": "CO2 <= 0,5: 0,9\nCO2 >= 0,1"}, _Reading({}, comma=True)))
    [{'kind': 'measured', 'name': 'CO2', 'at_most': 0.5, 'probability': 0.9, 'at_least': 0.1}]
    """
    shape = "NAME <= NUMBER: HOW OFTEN, such as pressure <= 5: 0.95"
    found: dict[str, dict[str, Any]] = {}
    for name, ends in _bounded(form, "kept", shape, read):
        if name in read.variables():
            hint = f"Write the limit of a variable into “{LABELS['limits']}”."
            read.refuse("kept", name, "what is told beside the outcome", hint)
        found.setdefault(name, {"kind": "measured", "name": name}).update(ends)
    yield from found.values()


def _bounded(
    form: Form, field: str, shape: str, read: _Reading
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names of limited quantities with their limits, a line of the form each."""
    for line in filter(str.strip, form.get(field, "").splitlines()):
        left, *rest = _SIGN.split(line.strip(), maxsplit=1)
        if not rest:
            read.refuse(field, line.strip(), shape)
            continue
        sign, right = rest
        most, _, sure = right.partition(":")
        end = "at_least" if sign in (">=", "≥", ">") else "at_most"
        surely = {"probability": read.in_line(sure, field, line, shape)} if sure.strip() else {}
        limit = read.in_line(most, field, line.strip(), shape)
        yield left.strip(), {end: limit, **surely}


def _columns(form: Form) -> dict[str, str]:
    """Labels of outcome and money."""
    name, unit, money = (form.get(field, "").strip() for field in ("value", "unit", "money"))
    return {
        **({"value": labelled(name or "Value", unit)} if name or unit else {}),
        **({"cost": labelled("Cost", money)} if money else {}),
    }


def _names(text: str) -> list[str]:
    return [name.strip() for name in re.split(r"[,\n]", text) if name.strip()]


def _number(label: str, text: str, comma: bool | None) -> Any:
    """A number, whole where it is; else the text, to be refused.

    Raises:
        InvalidRequest: it can be read in two ways.
    """
    number = read_number(label, text.strip(), comma)
    return number if number is not None else parse_value(text.strip()) if text.strip() else ""


# -- TOML ------------------------------------------------------------------------------------------


def _table(name: str, table: Mapping[str, Any]) -> str:
    """Write a TOML table; lists of tables follow as tables of their own."""
    many = {
        key
        for key, value in table.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    lines = [
        f"[{name}]",
        *(f"{_key(key)} = {_value(value)}" for key, value in table.items() if key not in many),
    ]
    for key in (key for key in table if key in many):
        for each in table[key]:
            lines += [
                "",
                f"[[{name}.{_key(key)}]]",
                *(f"{_key(k)} = {_value(v)}" for k, v in each.items()),
            ]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # nan, inf: refused by the file's checks, which name the field
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if value is None:
        return '""'
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """Write a text in TOML, in which letters of every script stand as they are.

    >>> _quoted("°C")
    '"°C"'
    """

    def written(letter: str) -> str:
        if unsafe(letter):
            return f"\\u{ord(letter):04x}"
        return f"\\{letter}" if letter in '"\\' else letter

    return "".join(map(written, text)).join('""')
