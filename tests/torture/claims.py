"""Claims of replayed studies, held against choice, model and each other: what is said to be better is chosen.

Usage: `python -m tests.torture.claims [MOST]`: studies of every kind, method and way; prints what contradicts.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import steerbo as sb
from steerbo.core import Optimizer, Reason, Recommendation, Suggestion
from steerbo.errors import InvalidOption, InvalidProblem
from tests.digests import play, studies


def contradictions(optimizer: Optimizer) -> Iterator[str]:
    """What a study says of its answer and of its latest suggestion that something else it says contradicts."""
    advice = optimizer.recommend()
    yield from _of_answer(optimizer, advice)
    waiting = [each.suggestion for each in optimizer.history if each.state == "open"]
    for suggestion in waiting:
        yield from _of_play(optimizer, suggestion)


def _by_kind(reasons: Any) -> dict[str, Reason]:
    return {each.kind: each for each in reasons}


def _of_answer(optimizer: Optimizer, advice: Recommendation) -> Iterator[str]:
    sign, reasons = optimizer.problem.sign, _by_kind(advice.reasons)
    every = (advice, *advice.alternatives)
    for each in every:
        yield from _of_bounds(each, f"answer {each.scope}")
        yield from _of_settings(optimizer, dict(each.values), f"answer {each.scope}")
    if advice.mean is None:
        return
    if (about := reasons.get("good-enough")) is not None:
        least, named = sign * float(about.values["least"]), set(about.values["scopes"])
        if named and str(advice.scope) not in named:
            yield f"recommended is {advice.scope}, good enough {named}"
        if named and sign * advice.mean < least - 1e-9:
            yield f"recommended {advice.mean} is not good enough, {least}"
    if (about := reasons.get("largest-net-value")) is not None:
        worth = getattr(optimizer.problem, "value_of_one", None) or 1.0
        nets = [sign * worth * (each.mean or 0.0) - (each.cost or 0.0) for each in every if each.mean is not None]
        if not math.isclose(nets[0], about.values["value"], rel_tol=1e-6, abs_tol=1e-6):
            yield f"net value {about.values['value']} is said, mean and cost give {nets[0]}"
        if max(nets) > nets[0] + 1e-6:
            yield f"net value {nets[0]} is said to be the largest, another has {max(nets)}"
    if (about := reasons.get("gain-over-current")) is not None:
        low, gain, high = (float(about.values[name]) for name in ("low", "gain", "high"))
        if not low <= gain <= high:
            yield f"gain {gain} is not between {low} and {high}"
    if (about := reasons.get("stay")) is not None and sign * advice.mean < -math.inf:
        yield "stays without a value"


def _of_bounds(said: Any, what: str) -> Iterator[str]:
    """Bounds are about the mean, and differ from it where they differ at all."""
    if said.mean is None or said.lower is None or said.upper is None:
        return
    if not said.lower <= said.mean <= said.upper:
        yield f"{what}: {said.mean} is not between {said.lower} and {said.upper}"


def _of_settings(optimizer: Optimizer, values: dict[str, Any], what: str) -> Iterator[str]:
    for name, value in values.items():
        if name not in optimizer.problem.space.names:
            continue
        variable = optimizer.problem.space[name]
        if isinstance(variable, sb.Categorical):
            if value not in variable.choices:
                yield f"{what}: {name} = {value} is no choice"
        elif not variable.low <= value <= variable.high:
            yield f"{what}: {name} = {value} is out of bounds"


def _of_play(optimizer: Optimizer, suggestion: Suggestion) -> Iterator[str]:
    card, sign = optimizer.card(suggestion), optimizer.problem.sign
    what, reasons = f"play {suggestion.token}", _by_kind(card.reasons)
    yield from _of_bounds(card, what)
    yield from _of_settings(optimizer, dict(suggestion.values), what)
    noted = suggestion.note.get("upper", suggestion.note.get("index", ()))  # of each scope, or of what is played
    uppers = [each for each in (noted if isinstance(noted, list | tuple) else [noted]) if each is not None]
    for kind in ("best-bound", "best-policy-bound"):
        if kind in reasons and uppers:
            bound = float(reasons[kind].values["bound"])
            if sign * bound < max(sign * each for each in uppers) - 1e-6 * max(1.0, abs(bound)):
                yield f"{what}: {bound} is said to be the best bound of {uppers}"
    if (about := reasons.get("cheaper")) is not None:
        bound, highest = float(about.values["bound"]), float(about.values["highest"])
        if sign * bound > sign * highest + 1e-9:
            yield f"{what}: a rival is dearer and said to reach less, {highest} beside {bound}"
    if (about := reasons.get("moving")) is not None:
        values = about.values
        if values["paid"] and values["better"] < values["needed"]:
            yield f"{what}: moves for {values['better']}, which is less than {values['needed']}"
    yield from _of_limits(optimizer, suggestion, card.kept)


def _of_limits(optimizer: Optimizer, suggestion: Suggestion, kept: tuple[str, ...]) -> Iterator[str]:
    """A limit that is kept less often than asked has its reason beside it."""
    for limit in getattr(optimizer.problem, "limits", None) or ():
        if not isinstance(limit, sb.OutcomeConstraint) or limit.name not in suggestion.limits:
            continue
        likely = suggestion.limits[limit.name]
        said = [text for text in kept if text.startswith(str(limit))]
        if len(said) != 1:
            yield f"{limit} is said {len(said)} times"
        elif likely is not None and likely < limit.probability - 0.01 and said[0].count(".") + said[0].count(":") < 2:
            yield f"{said[0]} is less than asked, without a reason"


def main(most: int) -> int:
    """Number of studies that contradict themselves; those of every kind are spread over `most`."""
    every = list(studies(few=False))
    chosen = every[:: max(1, len(every) // most)]
    wrong = number = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, case, way in chosen:
            try:
                found = list(contradictions(play(case, way)))
            except (InvalidOption, InvalidProblem):  # a method for other problems, or one that has to be told more
                continue
            number += 1
            wrong += bool(found)
            for line in found:
                print(f"{name}: {line}", flush=True)
    print(f"{number} studies, {wrong} that contradict themselves")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)))
