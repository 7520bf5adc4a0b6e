"""Numbers that depend on variables: a formula as text, which a file can hold, or a Python function.

The grammar is our own and small: a study file may come from somebody else, and only arithmetic may run.
"""

from __future__ import annotations

import ast
import inspect
import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import CodeType
from typing import Any

import numpy as np

from ..errors import InvalidProblem, one_of
from ._space import Space

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs, "cos": math.cos, "exp": math.exp, "log": math.log, "max": max, "min": min, "sin": math.sin,
    "sqrt": math.sqrt,
}  # fmt: skip
_LONGEST = 1000  # characters
_GRID = 33  # values of a variable at which a formula is checked
_CORNERS = 256  # combinations of further variables at which it is checked as well
_SPREAD = 4096  # combinations at which it is checked where even their ends are more than these
_GRAMMAR = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Constant,
    ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd, ast.And, ast.Or, ast.Not,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)  # fmt: skip
_ALLOWED = f"a formula of numbers, names, + - * / **, comparisons, ‹a if b else c› and {', '.join(FUNCTIONS)}"


class _Floats(ast.NodeTransformer):
    """Whole numbers become floats: these overflow at once, where whole ones would grow for ever."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Replace a whole number by a float."""
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return ast.copy_location(ast.Constant(float(node.value)), node)
        return node


@dataclass(frozen=True)
class Formula:
    """A number as a function of some variables' values.

    Args:
        given: a text such as ``"1 + 0.02 * dose"`` or ``"3 if metal == 'steel' else 1"``, or a
            Python function whose arguments have the names of variables. Files and logs hold texts
            only.
        names: the variables that it may read.
        place: its name in messages.

    Raises:
        InvalidProblem: it is neither, or reads something else.

    >>> Formula("1 + 0.02 * dose", ["dose"], "prices.dose")({"dose": 50.0})
    2.0
    >>> Formula(lambda dose, clinic: dose if clinic == "north" else 0, ["dose", "clinic"], "prices.dose").reads
    ('dose', 'clinic')
    """

    given: str | Callable[..., Any]
    names: Sequence[str]
    place: str
    reads: tuple[str, ...] = field(init=False)
    _call: Callable[[Mapping[str, Any]], Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read it."""
        reads, call = (
            self._text(self.given) if isinstance(self.given, str) else self._function(self.given)
        )
        for name in reads:
            if name not in self.names:
                writable = [each for each in self.names if _writable(each)]
                allowed = f"a formula that reads {one_of(writable, name)}"
                raise InvalidProblem(self.place, self.given, allowed, f"It reads {name!r}.")
        object.__setattr__(self, "reads", reads)
        object.__setattr__(self, "_call", call)

    def _text(self, text: str) -> tuple[tuple[str, ...], Callable[[Mapping[str, Any]], Any]]:
        for name in self.names:
            if not _writable(name) and name in text:
                allowed = "a formula of names of letters, digits and _"
                hint = (
                    f"It cannot name {name!r}: give that variable another name, or pass a function."
                )
                raise InvalidProblem(self.place, text, allowed, hint)
        try:
            tree = ast.parse(" ".join(text.split()), mode="eval") if len(text) <= _LONGEST else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = None
        if tree is None or not all(isinstance(node, _GRAMMAR) for node in ast.walk(tree)):
            raise InvalidProblem(self.place, text, _ALLOWED, _slip(text))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        called = {id(node.func) for node in calls}
        if any(
            not isinstance(c.func, ast.Name) or c.func.id not in FUNCTIONS or c.keywords
            for c in calls
        ):
            raise InvalidProblem(self.place, text, _ALLOWED)
        named = [
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and id(node) not in called
        ]
        code: CodeType = compile(
            ast.fix_missing_locations(_Floats().visit(tree)), "<formula>", "eval"
        )
        beside = {"__builtins__": {}, **FUNCTIONS}
        # Python reads look-alike letters as one, such as the two signs for micro
        given = {unicodedata.normalize("NFKC", name): name for name in self.names}
        reads = tuple(dict.fromkeys(given.get(name, name) for name in named))

        def call(values: Mapping[str, Any]) -> Any:
            read = {unicodedata.normalize("NFKC", name): value for name, value in values.items()}
            return eval(code, beside, read)  # its grammar was checked

        return reads, call

    def _function(self, given: Any) -> tuple[tuple[str, ...], Callable[[Mapping[str, Any]], Any]]:
        if not callable(given):
            raise InvalidProblem(self.place, given, f"a number, a function, or {_ALLOWED}")
        try:
            parameters = inspect.signature(given).parameters.values()
        except (TypeError, ValueError):
            raise InvalidProblem(
                self.place, given, "a function whose arguments have the names of variables"
            ) from None
        if any(p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) for p in parameters):
            raise InvalidProblem(
                self.place, given, "a function whose arguments have the names of variables"
            )
        everything = any(p.kind is p.VAR_KEYWORD for p in parameters)
        read = [p.name for p in parameters if p.name in self.names or p.default is p.empty]
        return tuple(self.names if everything else read), lambda values: given(**values)

    def __call__(self, values: Mapping[str, Any]) -> float:
        """The number at these values, of which those are read that it reads.

        Raises:
            InvalidProblem: there is none: it fails, or gives no finite number.
        """
        at = {name: values[name] for name in self.reads}
        try:
            found = self._call(at)
            number = math.nan if isinstance(found, complex | str) else float(found)
        except Exception as error:  # whatever a user's function raises, or gives
            hint = f"At {at} it fails: {type(error).__name__}: {error}."
            raise InvalidProblem(
                self.place, self.given, "a finite number everywhere", hint
            ) from None
        if not math.isfinite(number):
            raise InvalidProblem(
                self.place, self.given, "a finite number everywhere", f"At {at} it gives {found!r}."
            )
        return number

    def __str__(self) -> str:
        """Text of the formula as given; of a function its name."""
        return (
            self.given
            if isinstance(self.given, str)
            else getattr(self.given, "__name__", "a function")
        )


def _writable(name: str) -> bool:
    """Whether a text may read a variable by its name."""
    return name.isidentifier() and not keyword.iskeyword(name) and name not in FUNCTIONS


def _slip(text: str) -> str:
    """Hint for a formula with a comma in a number, or with the sign of other programs for a power."""
    if re.search(r"\d,\d", text):
        return "Write 0.5 with a point."
    return "Write ** for a power." if "^" in text else ""


def values_of(space: Space, name: str, most: int = _GRID) -> list[Any]:
    """Values that cover the range of a variable, its ends included; all of a category."""
    variable = space[name]
    levels = variable.levels
    column = (
        np.linspace(0.0, 1.0, most)
        if levels is None or len(levels) > most
        else np.asarray(levels, float)
    )
    return list(dict.fromkeys(variable.decode(column)))


def grid_of(space: Space, names: Sequence[str]) -> list[dict[str, Any]]:
    """Combinations of values that cover the ranges of some variables, the first one most densely.

    Of very many variables they are drawn, beside those where all are at one end.
    """
    if 2 ** len(names) > _SPREAD:
        return _drawn(space, names)
    few = max(2, int(_CORNERS ** (1 / max(len(names) - 1, 1)))) if len(names) > 1 else _GRID
    columns = [
        values_of(space, name, _GRID if i == 0 else min(few, _GRID)) for i, name in enumerate(names)
    ]
    return [dict(zip(names, row, strict=True)) for row in product(*columns)]


def _drawn(space: Space, names: Sequence[str]) -> list[dict[str, Any]]:
    codes = np.random.default_rng(0).random((_SPREAD, len(names)))
    codes[0], codes[1] = 0.0, 1.0
    columns = [space[name].decode(codes[:, j]) for j, name in enumerate(names)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
