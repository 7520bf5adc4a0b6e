"""What can be set, as the plain search space that general optimisers take, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .protocol import Outcome, Values

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Parameter:
    """One of the search space: from low to high; with `size` a whole number from 0 to size − 1."""

    name: str
    low: float = 0.0
    high: float = 1.0
    size: int | None = None
    categorical: bool = False
    only_in: tuple[int, ...] | None = None
    choices: tuple[str, ...] = ()

    def code(self, value: Any) -> Any:
        """A value as a number: of a choice its place."""
        return self.choices.index(value) if self.choices else value

    def word(self, code: Any) -> Any:
        """A number as a value."""
        return self.choices[int(code)] if self.choices else code

    def active(self, point: Point) -> bool:
        """Whether it counts where that control set is chosen."""
        return self.only_in is None or point.get("controls", 0) in self.only_in


@dataclass(frozen=True)
class Space:
    """What can be set in one wing's problems: parameters, and how a point becomes values.

    Attributes:
        parameters: all of them. In cost-varying problems "controls" is the number of the control
            set.
        contexts: names of what is seen before each choice.
        known: what the problem told.
    """

    parameters: tuple[Parameter, ...]
    contexts: tuple[str, ...]
    known: Mapping[str, Any]

    @property
    def sign(self) -> float:
        """−1 where the target is to be made small."""
        return -1.0 if self.known.get("minimise") else 1.0

    def values(self, point: Point, now: Mapping[str, Any]) -> dict[str, Any]:
        """A point as values to set; where it is not available, the nearest that is."""
        wing = self.known["wing"]
        if wing == "time-varying":
            return self._on_grid(point, now)
        if wing == "mean-field":
            return {"distribution": self._tables(point)}
        return {
            p.name: p.word(point[p.name])
            for p in self.parameters
            if p.name != "controls" and p.active(point)
        }

    def point(self, values: Values) -> dict[str, Any] | None:
        """Values as a point; None where that cannot be said."""
        wing = self.known["wing"]
        if wing == "time-varying":
            return {
                v["name"]: _nearest(v["levels"], values[v["name"]]) for v in self.known["variables"]
            }
        if wing == "mean-field":
            shares = np.ravel(values["distribution"]).tolist()
            return {p.name: share for p, share in zip(self.parameters, shares, strict=True)}
        if wing == "cost-varying":
            sets = [set(names) for names in self.known["control_sets"]]
            if set(values) not in sets:
                return None
            codes = {p.name: p.code(values[p.name]) for p in self.parameters if p.name in values}
            return {**({"controls": sets.index(set(values))} if len(sets) > 1 else {}), **codes}
        return dict(values) if {p.name for p in self.parameters} == set(values) else None

    def net(self, values: Values, outcome: Outcome) -> float:
        """What a play brought: its value, less the price of its control set where a unit of value is worth money."""
        if (worth := self.known.get("worth")) is None:
            return outcome.value
        number = [set(names) for names in self.known["control_sets"]].index(set(values))
        return float(outcome.value - self.known["costs"][number] / worth)

    def _on_grid(self, point: Point, now: Mapping[str, Any]) -> dict[str, Any]:
        variables = self.known["variables"]
        sizes = [len(v["levels"]) for v in variables]
        at = tuple(int(point[v["name"]]) for v in variables)
        available = now.get("available")
        if available is not None:
            places = np.array(np.unravel_index(np.flatnonzero(available), sizes)).T
            at = tuple(places[np.argmin(((places - np.array(at)) ** 2).sum(1))].tolist())
        return {v["name"]: v["levels"][i] for v, i in zip(variables, at, strict=True)}

    def _tables(self, point: Point) -> list[list[float]]:
        rows = len(self.known["contexts"] or ("",))
        shares = np.array([point[p.name] for p in self.parameters]).reshape(rows, -1) + 1e-9
        found: list[list[float]] = (shares / shares.sum(axis=1, keepdims=True)).tolist()
        return found


def space_of(known: Mapping[str, Any]) -> Space:
    """The search space of what is known.

    >>> told = {"wing": "time-varying", "variables": [{"name": "x", "levels": [0.0, 0.5, 1.0]}]}
    >>> space_of(told).values({"x": 1}, {"available": [True, False, False]})
    {'x': 0.0}
    """
    return Space(
        tuple(_PARAMETERS[known["wing"]](known)),
        tuple(seen["name"] for seen in known.get("seen", ())),
        known,
    )


def _of_sets(known: Mapping[str, Any]) -> list[Parameter]:
    sets: Sequence[Sequence[str]] = known["control_sets"]
    first = [Parameter("controls", size=len(sets), categorical=True)] if len(sets) > 1 else []
    in_sets = {
        v["name"]: tuple(i for i, s in enumerate(sets) if v["name"] in s)
        for v in known["variables"]
    }
    every = tuple(range(len(sets)))
    return first + [
        _of_variable(v, None if at == every else at)
        for v in known["variables"]
        if (at := in_sets[v["name"]])
    ]


def _of_variable(told: Mapping[str, Any], only_in: tuple[int, ...] | None) -> Parameter:
    if "choices" in told:
        choices = tuple(told["choices"])
        return Parameter(
            told["name"], size=len(choices), categorical=True, only_in=only_in, choices=choices
        )
    return Parameter(told["name"], told["low"], told["high"], only_in=only_in)


def _of_grid(known: Mapping[str, Any]) -> list[Parameter]:
    return [
        Parameter(v["name"], size=len(v["levels"]), categorical=isinstance(v["levels"][0], str))
        for v in known["variables"]
    ]


def _of_actions(known: Mapping[str, Any]) -> list[Parameter]:
    return [Parameter(name, *known["ranges"][name]) for name in known["settable"]]


def _of_shares(known: Mapping[str, Any]) -> list[Parameter]:
    contexts = known["contexts"] or ("",)
    return [Parameter(f"{c} {a}".strip()) for c in contexts for a in known["actions"]]


def _nearest(levels: Sequence[Any], value: Any) -> int:
    if isinstance(levels[0], str):
        return list(levels).index(value)
    return int(np.argmin(np.abs(np.asarray(levels) - float(value))))


_PARAMETERS = {
    "cost-varying": _of_sets,
    "time-varying": _of_grid,
    "causal": _of_actions,
    "mean-field": _of_shares,
}
