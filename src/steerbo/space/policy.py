"""How a system is run today: a value of each variable that is set, or a formula of values known before choosing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InvalidProblem, InvalidRequest, one_of
from ._space import Space
from .formula import Formula
from .variables import Categorical, Float, Integer


class CurrentPolicy:
    """Settings of today, as a function of values known before choosing.

    A formula that leads beyond a variable's bounds, or between its steps, means the nearest
    setting: a heating curve ends where the boiler does.

    Args:
        given: setting of each variable by name: a value, or a formula of the variables in `reads`
            (a text, or a Python function).
        space: the problem's variables.
        reads: names that formulas may read.

    Raises:
        InvalidProblem: naming the variable whose setting is not allowed.

    >>> space = Space([Float("supply", 30, 60), Float("outdoor", -10, 30, seen=True)])
    >>> CurrentPolicy({"supply": "55 - 1.1 * outdoor"}, space, ["outdoor"])({"outdoor": 10.0})
    {'supply': 44.0}
    """

    def __init__(self, given: Mapping[str, Any], space: Space, reads: Sequence[str]) -> None:
        self._space, self._names = space, tuple(given)
        self._formulas: dict[str, Formula] = {}
        self._values: dict[str, Any] = {}
        for name, setting in given.items():
            if name not in space.names:
                raise InvalidProblem(f"current.{name}", setting, one_of(space.names, name))
            if not isinstance(space[name], Categorical) and (
                isinstance(setting, str) or callable(setting)
            ):
                self._formulas[name] = Formula(setting, reads, f"current.{name}")
            else:
                self._values[name] = self._checked(name, setting)
        self._try()

    def _checked(self, name: str, setting: Any) -> Any:
        try:
            return self._space[name].check_setting(setting)
        except InvalidRequest as error:
            raise InvalidProblem(f"current.{name}", setting, error.allowed) from None

    def _try(self) -> None:
        """Evaluate the formulas at both ends and in the middle of the variables that they read."""
        for share in (0.0, 0.5, 1.0) if self._formulas else ():
            known = {
                v.name: v.decode(_code(v, share))[0] for v in self._space if v.name in self.reads
            }
            self({"time": share, **known})

    @property
    def formulas(self) -> Mapping[str, Formula]:
        """Formulas by variable."""
        return self._formulas

    @property
    def reads(self) -> tuple[str, ...]:
        """Names that the formulas read."""
        return tuple(dict.fromkeys(name for each in self._formulas.values() for name in each.reads))

    def __call__(
        self, known: Mapping[str, Any], names: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Settings by variable, given values known before choosing; of some `names` alone, if given.

        Raises:
            InvalidProblem: a formula has no value there.
        """
        wanted = self._names if names is None else [name for name in self._names if name in names]
        found = {
            name: _settable(self._space[name], formula(known))
            for name, formula in self._formulas.items()
            if name in wanted
        }
        return {name: found[name] if name in found else self._values[name] for name in wanted}

    def in_words(self) -> dict[str, Any]:
        """Values, and formulas as text, by variable."""
        said = {name: str(formula) for name, formula in self._formulas.items()}
        return {name: said[name] if name in said else self._values[name] for name in self._names}


def _code(variable: Float | Integer | Categorical, share: float) -> list[float]:
    """An encoded value, at a share of all."""
    levels = variable.levels
    return [share if levels is None else float(levels[round(share * (len(levels) - 1))])]


def _settable(variable: Any, number: float) -> Any:
    """Nearest setting of a variable to a number."""
    within = min(max(number, float(variable.low)), float(variable.high))
    if isinstance(variable, Float) and variable.step is None:
        return within
    return variable.decode(variable.encode([within]))[0]
