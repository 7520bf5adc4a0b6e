"""Methods of steerbo, by their names: what is known of a problem becomes a problem of steerbo's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np

import steerbo as sb
from steerbo.timevarying import surrogates

from ..protocol import Look, Outcome, Values
from ..timevarying import rivals
from .told import problem_of


class Steerbo:
    """An `Optimizer`, asked and told.

    Args:
        known: what is known of the problem.
        seed: of the method.
        method: its name; None: the default of the problem's kind.
        net: whether it is told what a unit of value is worth in money, where that is known; else a
            tolerance alone.
        tolerance: what is not worth a dearer control set, in units of the objective; None: what the
            problem says.
        ties: "drawn", as steerbo does, or "first", the first of those that are equal: one reading
            of Ziomek et al.
        options: of the method.
    """

    def __init__(
        self,
        known: Mapping[str, Any],
        seed: int,
        method: str | None = None,
        ties: str = "drawn",
        tolerance: float | None = None,
        net: bool = True,
        **options: Any,
    ) -> None:
        self.known, self.ties = (
            known if tolerance is None else {**known, "tolerance": tolerance},
            ties,
        )
        if not net or tolerance is not None:
            self.known = {name: value for name, value in self.known.items() if name != "worth"}
        if options.get("prior") == "true":
            options["prior"] = known["true_prior"]
        self.problem = problem_of(self.known)
        limits = known["budget"] if known["wing"] == "cost-varying" else {}
        given = {name: limits[name] for name in ("rounds",) if limits} | (
            {"budget": limits["money"]} if limits and limits["money"] is not None else {}
        )
        with _quiet():
            self.optimizer = sb.Optimizer(self.problem, method, seed=seed, **given, **options)
        self.suggestion: Any = None

    def ask(self, now: Mapping[str, Any]) -> Values | Look | None:
        """What the method suggests: values, or what to look at first."""
        told = {name: now[name] for name in ("context",) if name in now}
        if "available" in now:
            told["available"] = np.array(now["available"])
        with _quiet(), self._ties():
            self.suggestion = self.optimizer.ask(**told)
        return None if self.suggestion is None else self._answer()

    def decide(self, seen: Values) -> Values | Look:
        """What follows from what was seen."""
        with _quiet():
            self.suggestion = self.optimizer.decide(self.suggestion, dict(seen))
        return self._answer()

    def tell(self, values: Values, outcome: Outcome) -> None:
        """The outcome; what was not asked for is data from elsewhere."""
        with _quiet():
            if self.suggestion is None:
                self.optimizer.add(outcome.value, {**values, **outcome.realised})
            elif self.known["wing"] == "cost-varying":
                self.optimizer.tell(
                    self.suggestion, outcome.value, cost=outcome.cost, realised=outcome.realised
                )
            else:
                self.optimizer.tell(self.suggestion, outcome.value, realised=outcome.realised)
        self.suggestion = None

    def answer(self, now: Mapping[str, Any]) -> Values:
        """What it recommends: where this is seen, if something is."""
        with _quiet():
            context = now.get("context", {})
            values = dict(
                (self.optimizer.policy(context) if context else self.optimizer.recommend()).values
            )
        if self.known["wing"] == "mean-field":
            return {"distribution": self.problem.table(values["distribution"]).tolist()}
        return {name: value for name, value in values.items() if name not in context}

    def _answer(self) -> Values | Look:
        values = dict(self.suggestion.values)
        if self.known["wing"] == "mean-field":
            return {"distribution": self.problem.table(values["distribution"]).tolist()}
        return Look(self.suggestion.observe, values) if self.suggestion.observe else values

    def _ties(self) -> AbstractContextManager[Any]:
        return nullcontext() if self.ties == "drawn" else _first_of_equals()


def _quiet() -> AbstractContextManager[Any]:
    return warnings.catch_warnings(action="ignore")


@contextmanager
def _first_of_equals() -> Iterator[None]:
    """Methods take the first of what is equal where they would draw."""
    with ExitStack() as stack:
        for module in (surrogates, rivals):
            stack.enter_context(
                patch.object(module, "draw_largest", lambda scores, random: int(np.argmax(scores)))
            )
        yield
