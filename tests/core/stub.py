"""A wing with staged contexts: it keeps the protocol honest. Look at `age`, set `dose`, look at `pulse`, set `rest`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from steerbo.core import (
    Choice,
    Decision,
    Explanation,
    Method,
    Problem,
    Recommendation,
    Round,
    Scope,
    Suggestion,
    Table,
)
from steerbo.records import record
from steerbo.space import Float, Space
from steerbo.testing import Case

EVERYTHING = Scope.of({"dose": ["age"], "rest": ["pulse"]})


@record
class Stub(Problem):
    """Two actions, two contexts; the second context descends from the first action."""

    minimize: bool = False
    kind: Literal["stub"] = "stub"

    @property
    def space(self) -> Space:
        return Space((Float("age", 0, 1), Float("dose", 0, 1), Float("pulse", 0, 2), Float("rest", 0, 1)))


class Nearest(Method[Stub, Any]):
    """Perturb the actions of the best round whose contexts were near; the step is 'learned' and logged."""

    name: ClassVar[str] = "nearest"
    solves = Stub

    @record
    class Options:
        step: float = 0.3

    @property
    def step(self) -> float:
        fit = self.history.fit()
        return self.options.step if fit is None else float.fromhex(fit.hyperparameters["step"])

    @property
    def asked(self) -> int:
        return len(self.history)

    @property
    def fitted(self) -> int:
        fit = self.history.fit()
        return 0 if fit is None else sum(bool(each.outcome and each.played) for each in fit.results)

    def check_fit(self) -> None:
        _ = self.step

    def refit(self) -> Mapping[str, Any] | None:
        if self.history.n_completed < self.fitted + 3:
            return None
        spread = np.std([r.outcome.value / 1e12 for r in self.history if r.outcome])
        return {"step": float(0.3 / (1 + spread)).hex()}

    def choose(self, request: Mapping[str, Any]) -> Choice:
        return Choice(EVERYTHING, {}, ("age",), expected_cost=1.0)

    def decide(self, pending: Round, context: Mapping[str, Any]) -> Decision:
        action = "rest" if "pulse" in context else "dose"
        near = min(
            (r for r in self.history if r.state == "told"),
            key=lambda r: abs(r.suggestion.context["age"] - context["age"]),
            default=None,
        )
        centre = near.suggestion.values[action] if near else 0.5
        draw = self.streams(pending.number, action).normal(centre, self.step)
        return Decision({action: float(np.clip(draw, 0, 1))}, () if action == "rest" else ("pulse",))

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        best = max((r for r in self.history if r.state == "told"), key=lambda r: r.outcome.value, default=None)  # type: ignore[union-attr]
        return Recommendation(EVERYTHING, dict(best.suggestion.values) if best else {})

    def explain(self) -> Explanation:
        return Explanation(
            f"step {self.step:.3g}", (Table("Rounds", ("asked", "fitted"), ((self.asked, self.fitted),)),)
        )


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The age is anything; the pulse follows the dose."""
    drawn = {"age": random.random(), "pulse": suggestion.values.get("dose", 0.0) + 0.1 * random.random()}
    return {name: drawn[name] for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Best with a dose like the age and little rest."""
    values = {**suggestion.context, **suggestion.values}
    return {"value": 1.0 - (values["dose"] - values["age"]) ** 2 - values["rest"] + 0.01 * random.normal()}


def stub_case() -> Case:
    return Case(
        Stub(), Nearest, evaluate, look, added={"age": 0.4, "dose": 0.4, "pulse": 0.5, "rest": 0.0}, predicts=False
    )
