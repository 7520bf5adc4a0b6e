"""A study from a form: its study file as text, and which field of the form a complaint about that file speaks of."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._parsing import parse_value, read_number
from .._text import unsafe
from ..errors import InvalidInput, InvalidStudy
from .wording import labelled

Form = Mapping[str, str]
KINDS: tuple[tuple[str, str], ...] = (
    (
        "cost-varying",
        "Some things can be held at a price; nature does the rest. Which are worth holding, and where?",
    ),
    ("time-varying", "Everything can be set, and the best moves with time."),
    ("causal", "It is known what causes what; some things can be looked at before others are set."),
    ("mean-field", "Many alike agents are sent to places or given tasks."),
)
"""Every kind of study, and when it is the right one."""
LAWS: tuple[tuple[str, str], ...] = (
    ("", "it is always set"),
    ("uniform", "anything in its range, if left alone"),
    ("truncated-normal", "about a mean, if left alone"),
    ("learned", "learned from what is measured"),
    ("seen", "it is seen before each choice, and never set"),
)
"""Laws that a form offers for a variable: kind, and its description."""
_LEFT = tuple(law for law, _ in LAWS)
_LAWS_OF = {"time-varying": ("seen",), "causal": ()}  # kinds that have no place for some of them
LABELS: Mapping[str, str] = {
    "name": "Name",
    "kind": "Kind",
    "value": "What is measured",
    "unit": "Its unit",
    "sets": "Sets",
    "arrows": "Arrows",
    "target": "Measured in the end",
    "settable": "Can be set",
    "look": "Can be looked at before",
    "prices": "Prices of setting or looking",
    "base": "Price of every round beside",
    "actions": "Places or tasks",
    "agents": "How many agents",
    "move": "Of them may change place in a round",
    "capacity": "No more agents than",
    "money": "Money is counted in",
    "most-budget": "Budget",
    "most-rounds": "Rounds",
    "good": "Good enough within",
    "limits": "Sums that may not be exceeded",
}
"""Labels of the form's fields."""
OF_A_ROW: Mapping[str, str] = {
    "name": "Name",
    "low": "From",
    "high": "To",
    "unit": "Unit",
    "choices": "or choices",
    "law": "Left alone",
    "mean": "Mean",
    "sd": "Spread",
}
"""Labels of the fields of a variable."""
_FIELD_OF_A_ROW = re.compile(r"v(\d+)-(\w+)")
_LEAST_ROWS, _MOST_ROWS = 4, 60
_TERM = re.compile(r"\s*([+-]?)\s*(\d+(?:[.,]\d+)?)?\s*\*?\s*(.*?)\s*")
_Read = Callable[[str, str], Any]  # of a text and its field
_SUM = re.compile(r"(?<=[\w)])\s+(?=[+-]\s)")


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


def written(form: Form, comma: bool = False) -> Written:
    """Study file of a filled-in form; values that do not fit are reported by the file's own checks.

    Args:
        form: as it was sent.
        comma: whether its reader writes decimal commas.
    """
    kind = form.get("kind") or KINDS[0][0]
    faults: dict[str, InvalidInput] = {}

    def read(text: str, field: str) -> Any:
        try:
            return _number(called(field, form), text, comma)
        except InvalidInput as error:
            faults.setdefault(field, error)
            return text

    places: dict[str, str] = {"problem.kind": "kind"}
    problem: dict[str, Any] = {"kind": kind}
    if form.get("minimize"):
        problem["minimize"] = True
    if kind == "mean-field":
        problem |= _agents(form, read)
        places |= {f"problem.{name}": name for name in ("actions", "agents", "capacity")}
        places["problem.largest_move"] = "move"
    else:
        problem["variables"] = list(_variables(form, places, faults, read))
    {"cost-varying": _sets, "causal": _graph}.get(kind, _nothing)(form, problem, places, read)
    if form.get("good", "").strip() and kind in ("cost-varying", "causal"):
        problem["tolerance"] = {"kind": "absolute", "difference": read(form["good"], "good")}
        places["problem.tolerance"] = "good"
    if limits := list(_limits(form.get("limits", ""), read)) if kind != "mean-field" else []:
        problem["limits"] = limits
        places["problem.limits"] = "limits"
    most = {name: f"most-{name}" for name in ("budget", "rounds")}
    study = {
        name: read(form[field], field)
        for name, field in most.items()
        if form.get(field, "").strip()
    }
    places |= {"study.budget": "most-budget", "study.rounds": "most-rounds"}
    columns = _columns(form)
    parts = [
        ("problem", problem),
        ("study", study),
        *([("study.columns", columns)] if columns else []),
    ]
    return Written("\n".join(_table(name, table) for name, table in parts), places, faults)


def _nothing(form: Form, problem: dict[str, Any], places: dict[str, str], read: _Read) -> None:
    """Kinds that need nothing else."""


def _agents(form: Form, read: _Read) -> dict[str, Any]:
    """Actions, and agents that are counted, not only shared out; with their limits."""
    found = {"actions": _names(form.get("actions", "")), "counts": True}
    found["agents"] = read(form.get("agents", ""), "agents")
    if room := _by_name(form.get("capacity", ""), "capacity", read):
        found["capacity"] = room
    if move := form.get("move", "").strip():
        found["largest_move"] = read(move, "move")
    return found


def _by_name(text: str, field: str, read: _Read) -> dict[str, Any]:
    """Numbers by name, one a line behind a colon."""
    lines = [line.rpartition(":") for line in text.splitlines() if line.strip()]
    return {name.strip(): read(number, field) for name, _, number in lines}


def _variables(
    form: Form, places: dict[str, str], faults: dict[str, InvalidInput], read: _Read
) -> Iterator[dict[str, Any]]:
    """The rows that are filled in."""
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
            f"{place}.{said['name']}.{name}": f"v{row}-{name}"
            for name in ("low", "high", "law", "choices")
        }
        places |= {
            f"{said['name']}.{name}": f"v{row}-{name}"
            for name in ("low", "high", "law")
            if said["name"]
        }
        for name, fault in _unused({name: said[name] for name in shown}).items():
            field = f"v{row}-{name}"
            faults.setdefault(field, fault.moved(called(field, form)))
        yield _variable(said, _of_row(row, said, read))


def _of_row(row: int, said: Mapping[str, str], read: _Read) -> Callable[[str], Any]:
    """The reader of a row's numbers, by their parts."""
    return lambda part: read(said[part], f"v{row}-{part}")


def _unused(said: Mapping[str, str]) -> dict[str, InvalidInput]:
    """Errors of a row's fields that nothing would come of beside what else is filled in, by field."""
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


def _sets(form: Form, problem: dict[str, Any], places: dict[str, str], read: _Read) -> None:
    """One control set a line, its price behind a colon."""
    lines = [line for line in form.get("sets", "").splitlines() if line.strip()]
    parted = [line.partition(":") if ":" in line else (line, "", "") for line in lines]
    problem["control_sets"] = [_names(names.replace("+", ",")) for names, _, _ in parted]
    if any(price.strip() for _, _, price in parted):
        problem["costs"] = [read(price.strip() or names, "sets") for names, _, price in parted]
    places |= {"problem.control_sets": "sets", "problem.costs": "sets"}


def _graph(form: Form, problem: dict[str, Any], places: dict[str, str], read: _Read) -> None:
    """Arrows from cause to effect, one a line or several with semicolons; prices by name."""
    directed: list[list[str]] = []
    bidirected: list[list[str]] = []
    for chain in re.split(r"[;\n]", form.get("arrows", "")):
        names = re.split(r"(<?->)", chain)
        for cause, arrow, effect in zip(names[0::2], names[1::2], names[2::2], strict=False):
            (bidirected if arrow == "<->" else directed).append([cause.strip(), effect.strip()])
    problem["graph"] = {
        "directed": directed,
        **({"bidirected": bidirected} if bidirected else {}),
        "target": form.get("target", "").strip(),
        "intervenable": _names(form.get("settable", "")),
        **({"contexts": _names(form["look"])} if form.get("look", "").strip() else {}),
    }
    if prices := _by_name(form.get("prices", ""), "prices", read):
        problem["prices"] = prices
    if base := form.get("base", "").strip():
        problem["base"] = read(base, "base")
    graph = "problem.graph"
    places |= {
        graph: "arrows",
        f"{graph}.target": "target",
        f"{graph}.intervenable": "settable",
        f"{graph}.contexts": "look",
    }
    places |= {"problem.prices": "prices", "problem.base": "base"}


def _limits(text: str, read: _Read) -> Iterator[dict[str, Any]]:
    """Sums that may not be exceeded, one a line, behind a colon how surely where nature has a hand in them.

    >>> list(_limits("flow + 2,5 bypass <= 5", lambda text, field: _number(field, text, True)))
    [{'kind': 'linear', 'weights': {'flow': 1.0, 'bypass': 2.5}, 'at_most': 5.0}]
    """
    for line in text.splitlines():
        if not line.strip():
            continue
        left, sign, right = (
            re.split(r"(<=|>=|≤|≥)", line, maxsplit=1)
            if re.search("<=|>=|≤|≥", line)
            else (line, "", "")
        )
        weights: dict[str, Any] = {}
        for term in _SUM.split(left.strip()):
            found = _TERM.fullmatch(term)
            if found is not None:
                weight = read(f"{found[1]}{found[2] or '1'}", "limits")
                weights[found[3]] = weight
        most, _, sure = right.partition(":")
        end = "at_least" if sign in (">=", "≥") else "at_most"
        surely = {"probability": read(sure, "limits")} if sure.strip() else {}
        yield {
            "kind": "linear",
            "weights": weights,
            end: read(most if sign else line, "limits"),
            **surely,
        }


def _columns(form: Form) -> dict[str, str]:
    """Labels of outcome and money."""
    name, unit, money = (form.get(field, "").strip() for field in ("value", "unit", "money"))
    return {
        **({"value": labelled(name or "Value", unit)} if name or unit else {}),
        **({"cost": labelled("Cost", money)} if money else {}),
    }


def _names(text: str) -> list[str]:
    return [name.strip() for name in re.split(r"[,\n]", text) if name.strip()]


def _number(label: str, text: str, comma: bool) -> Any:
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
    return (
        _quoted(value)
        if isinstance(value, str)
        else json.dumps(value)
        if value is not None
        else '""'
    )


def _quoted(text: str) -> str:
    """Write a text in TOML, in which letters of every script stand as they are.

    >>> _quoted("°C")
    '"°C"'
    """
    return "".join(
        f"\\u{ord(x):04x}" if unsafe(x) else f"\\{x}" if x in '"\\' else x for x in text
    ).join('""')
