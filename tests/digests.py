"""Digests of studies of every kind with every method, to compare before and after a change of how state is made.

Prints one line a study: hashes of its events, answers and explanations, and whether its log read back says the same.
Usage: `python -m tests.digests [--few] [WORD ...] > after.txt`; a word keeps the studies whose name contains it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import steerbo as sb
from steerbo.core import Optimizer, Suggestion, load, methods
from steerbo.records import to_dict
from steerbo.testing import Case
from tests.causal import limited
from tests.causal import worlds as causal
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.timevarying import cases as timevarying

ROUNDS = 10
WAYS: dict[str, dict[int, str]] = {  # after which round something else happens
    "in-order": {3: "fail"},
    "corrected": {3: "fail", 5: "amend", 6: "void", 8: "revive"},
    "data": {0: "add", 3: "fail", 4: "add", 6: "amend-data", 7: "abandon", 8: "void-data"},
    "late": {2: "late", 4: "arrive", 5: "amend"},
}


def worlds() -> dict[str, tuple[str, Callable[[str], Case]]]:
    """Kind, and case of a method, by world."""
    return {
        "plain": ("cost-varying", costvarying.case),
        "seen": ("cost-varying", costvarying.seen_case),
        "learned-laws": ("cost-varying", costvarying.learned_laws_case),
        "drifting": ("cost-varying", costvarying.drifting_case),
        "given": ("cost-varying", costvarying.given_case),
        "sites": ("time-varying", timevarying.case),
        "no-priors": ("time-varying", lambda method: timevarying.case(method, sb.TimeVarying([sb.Float("x", 0, 1)]))),
        "figure": ("causal", causal.figure),
        "staged": ("causal", causal.staged),
        "limited": ("causal", lambda method: limited.case()),
        "crowd": ("mean-field", meanfield.case),
    }


def digest(*parts: Any) -> str:
    """Hash of plain data."""
    plain = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def answers(optimizer: Optimizer) -> tuple[str, ...]:
    """All that a study says, without addresses of objects."""
    said = repr(optimizer.recommend()), repr(optimizer.explain()), str(optimizer.status)
    return tuple(re.sub(r" at 0x[0-9a-f]+", "", text) for text in said)


def happen(what: str, case: Case, optimizer: Optimizer, told: list[Suggestion], late: list[Suggestion]) -> None:
    """Let something happen after a round."""
    match what:
        case "add" | "amend-data" | "void-data" if case.added is None:
            return
        case "add":
            optimizer.add(0.2, dict(case.added or {}))
        case "amend-data":
            optimizer.amend("added-2", 0.3)
        case "void-data":
            optimizer.amend("added-1", void=True)
        case "amend":
            optimizer.amend(told[1], **case.outcome(told[0]))
        case "void":
            optimizer.amend(told[2], void=True)
        case "revive":
            optimizer.amend(told[2], **case.outcome(told[2]))
        case "arrive":
            optimizer.tell(late[0], **case.outcome(late[0]))


def play(case: Case, way: dict[int, str]) -> Optimizer:
    """Play a case, with what happens on the way."""
    optimizer, told, late = case.start(), list[Suggestion](), list[Suggestion]()
    for number in range(ROUNDS):
        what = way.get(number, "")
        happen(what, case, optimizer, told, late)
        suggestion = case.ask(optimizer)
        if what == "fail":
            optimizer.fail(suggestion, "broke", cost=1.0)
        elif what == "abandon":
            optimizer.abandon(suggestion)
        elif what == "late":
            late.append(suggestion)
        else:
            optimizer.tell(suggestion, **case.outcome(suggestion))
            told.append(suggestion)
    case.ask(optimizer)
    return optimizer


def studies(few: bool) -> Iterator[tuple[str, Case, dict[int, str]]]:
    """Name, case and way of each study."""
    for world, (kind, of) in worlds().items():
        names = [row[1] for row in methods(kind).rows]
        if world == "sites":
            names.remove("learned-drift")  # it is for problems without priors
        chosen = names[:1] if few or world in ("limited", "no-priors") else names
        for method in chosen:
            for way, happens in WAYS.items():
                yield f"{kind} {world} {method} {way}", of(method), happens


def line(case: Case, way: dict[int, str]) -> str:
    """Digests of a study; a fault that a study ends with is one, too."""
    try:
        optimizer = play(case, way)
        events = [{**to_dict(event), "fingerprint": None} for event in optimizer.events]
        said = answers(optimizer)
        replayed = "same" if answers(load(optimizer.to_json())) == said else "OTHER"
    except sb.errors.SteerboError as error:
        return f"{type(error).__name__} {digest(str(error))}"
    return f"events {digest(events)} answers {digest(said[0])} said {digest(said[1:])} replayed {replayed}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    for name, case, way in studies("--few" in sys.argv):
        if all(word in name for word in words):
            print(name, line(case, way), flush=True)
