"""Methods of a kind from outside that know of no limits: no answer, by any way out, breaks one."""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import steerbo as sb
from steerbo.errors import LimitBroken
from steerbo.extending import (
    Choice,
    ConstrainedProblem,
    Decision,
    Explanation,
    Limits,
    Method,
    PolicyStep,
    Problem,
    Recommendation,
    Space,
    record,
)
from steerbo.study import MemoryLog, Study
from tests.serve.players import served

_DRAW = random.Random(11)


@record
class Ward(ConstrainedProblem, Problem):
    """Doses after a look at the age, with limits on both, a sum and a measured outcome."""

    limits: Limits | None = None
    minimize: bool = False
    kind: Literal["ward"] = "ward"

    @property
    def space(self) -> Space:
        """An age that is looked at, two doses, a route and a time of day."""
        routes = sb.Categorical("route", ["oral", "iv"]), sb.Categorical("slot", ["day", "night"])
        return Space((sb.Float("age", 20, 90), sb.Float("a", 0, 10), sb.Float("b", 0, 10), *routes))


DATA = {"value": 1.0, "realised": {"age": 50.0, "a": 1.0, "b": 1.0, "route": "oral", "slot": "day", "bleeding": 1.0}}
NEAR = 0.02
"""By how much the numbers of a page, which are rounded, may be beyond a limit."""
LIMITS = (
    sb.LinearConstraint({"a": 1, "b": 1}, at_most=6),
    sb.space.ForbiddenCombination({"route": "iv", "slot": "night"}),
    sb.LinearConstraint({"a": 1, "age": 0.1}, at_most=12),
    sb.OutcomeConstraint("bleeding", at_most=3, probability=0.9),
)


def _any() -> dict[str, Any]:
    words = {"route": ["oral", "iv"], "slot": ["day", "night"]}
    names = _DRAW.sample(["a", "b", *words], _DRAW.randint(1, 4))
    return {name: _DRAW.choice(words[name]) if name in words else _DRAW.uniform(0, 10) for name in names}


_NAMES = ["a", "b", "route", "slot"]
_SCOPE = sb.core.Scope(_NAMES)


class Careless(Method[Ward, Any]):
    """Answers anything."""

    name = "careless"
    solves = Ward

    def _advice(self, depth: int = 1) -> Recommendation:
        others = tuple(self._advice(0) for _ in range(_DRAW.randint(0, 2) if depth else 0))
        return Recommendation(_SCOPE, _any(), alternatives=others, context={"age": _DRAW.uniform(20, 90)})

    def choose(self, request: Any) -> Choice:
        """Look first, now and then."""
        if _DRAW.random() < 0.5:
            return Choice(_SCOPE, {}, observe=("age",))
        return Choice(_SCOPE, _any())

    def decide(self, pending: Any, context: Any) -> Decision:
        """Set anything."""
        return Decision(_any())

    def recommend(self) -> Recommendation:
        """Recommend anything; of one answer for each context hardly ever all keep the limits."""
        return self._advice()

    def recommend_at(self, context: Any) -> Recommendation:
        """Recommend anything."""
        return self._advice()

    def policy(self, context: Any, request: Any) -> PolicyStep:
        """Set anything."""
        return PolicyStep(_SCOPE, _any())

    def explain(self) -> Explanation:
        """Say nothing."""
        return Explanation("because")


def broken(values: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Whether values break a limit, reckoned here, and not by the library."""
    corner = (values.get("route"), values.get("slot")) == ("iv", "night")
    wide = {"a", "b"} <= values.keys() and values["a"] + values["b"] > 6 + NEAR
    aged = "a" in values and "age" in known and values["a"] + 0.1 * known["age"] > 12 + NEAR
    return bool(corner or wide or aged)


Answer = list[tuple[Mapping[str, Any], Mapping[str, Any]]]
"""What an answer sets, each with what was seen before."""


def _library(study: Study) -> dict[str, Callable[[], Answer]]:
    """Every word of the library that answers with values."""

    def ask() -> Answer:
        suggestion = study.ask()
        if not suggestion.observe:
            study.tell(suggestion, _DRAW.random(), realised={"bleeding": 1.0, "age": 50.0})
            return [(suggestion.values, {})]
        age = _DRAW.uniform(20, 90)
        try:
            decided = study.decide(suggestion, {"age": age})
        except LimitBroken:
            study.abandon(suggestion)
            raise
        study.tell(decided, _DRAW.random(), realised={"bleeding": 1.0})
        return [(decided.values, decided.context)]

    def recommend() -> Answer:
        advice = study.recommend()
        return [(each.values, each.context) for each in (advice, *advice.alternatives)]

    def policy() -> Answer:
        step = study.policy()
        return [(step.values, step.context)]

    def run() -> Answer:
        with Study.create(MemoryLog(), study.problem, Careless, rounds=1) as other:
            advice = other.run(
                lambda s: {"context": {"age": 50.0}} if s.observe else {"value": 1.0, "realised": {"bleeding": 1.0}}
            )
        return [(each.values, each.context) for each in (advice, *advice.alternatives)]

    return {"ask and decide": ask, "recommend": recommend, "policy": policy, "run": run}


def _server(client: Any) -> dict[str, Callable[[], Answer]]:
    """The same by HTTP, and by the page and the report, which show settings."""

    def got(path: str) -> Any:
        answer = client.get(path)
        if answer.status_code >= 400:
            assert "breaks a limit of the problem" in answer.text, answer.text
            raise LimitBroken(answer.text)
        return answer

    def recommendation() -> Answer:
        plain = got("/v1/studies/ward/recommendation").json()
        return [(each["values"], each["context"]) for each in (plain, *plain["alternatives"])]

    def policy() -> Answer:
        plain = got("/v1/studies/ward/policy").json()
        return [(plain["values"], plain["context"])]

    def shown(path: str) -> Callable[[], Answer]:
        def look() -> Answer:
            text = got(path).text.partition("Best now")[2].partition("Limits</summary>")[0]
            shown = [re.findall(r"(\w+) at ([\w.]+)", "".join(re.findall(r'class="what">([^<]*)', text)))]
            shown += [re.findall(r"(\w+) = ([\w.]+)", row) for row in re.findall(r"<tr>.*?</tr>", text, re.S)]
            return [({n: float(x) if n in "ab" else x for n, x in pairs if n in _NAMES}, {}) for pairs in shown]

        return look

    words = {"page": "/page/ward", "report": "/page/ward/report.html"}
    return {"GET recommendation": recommendation, "GET policy": policy} | {w: shown(p) for w, p in words.items()}


def _check(word: str, answer: Callable[[], Answer], found: Counter[str]) -> None:
    try:
        given = answer()
    except LimitBroken:
        found["refused"] += 1
        return
    for values, known in given:
        assert not broken(values, known), (word, values, known)
    found[word] += 1


def outside_limits(folder: Path, count: int) -> dict[str, Any]:
    """So many answers by every way out: the library's words, the server's, the page and the report.

    Raises:
        AssertionError: an answer broke a limit, or was refused by another error than `LimitBroken`.
    """
    folder.mkdir()
    found, place = Counter[str](), folder / "ward.db"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for log in (place, MemoryLog()):
            study = Study.create(log, Ward(limits=LIMITS), Careless, rounds=10**6)
            ways = _library(study)
            for word in ["ask and decide"] * 5 + (list(ways) if log is not place else []):
                for _ in range(count):
                    _check(word, ways[word], found)
            study.close()
        with served(place, name="ward") as client:
            for word, ask in _server(client).items():
                for _ in range(count // 4):
                    _check(word, ask, found)
                    client.post("/v1/studies/ward/data", json=DATA)  # the server keeps an answer until the next event
    refused = found.pop("refused")
    return {"kept": dict(found), "refused": refused, "limits broken": 0}
