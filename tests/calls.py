"""Calls of everything that is public, with what each is given when it is called right, and odd values."""

from __future__ import annotations

import datetime
import fractions
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Optimizer, Table
from steerbo.study import BY_HAND, Command, Function, MemoryLog, Settings, Study, read_study
from steerbo.timevarying import Bumps, Covariance, Matern, MaternInTime, Periodic, SquaredExponential
from tests.core.stub import Nearest, Stub


class Silent(str):
    """A text that does not want to be shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise RuntimeError("no")


class Number(float):
    """A number that is a float by name only."""

    def __float__(self) -> float:
        raise RuntimeError("no")


class Pretender:
    """It has all the methods and keeps no promise."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, key: object) -> object:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        raise RuntimeError("no")


def _itself() -> list[Any]:
    itself: list[Any] = []
    itself.append(itself)
    return itself


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    return deep


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "numpy bool": lambda: np.bool_(True),
    "0": lambda: 0,
    "-1": lambda: -1,
    "2**70": lambda: 2**70,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "0.5": lambda: 0.5,
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "Decimal": lambda: Decimal("0.5"),
    "Decimal NaN": lambda: Decimal("sNaN"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "complex": lambda: 1j,
    "numpy int": lambda: np.int64(3),
    "numpy float": lambda: np.float32(0.5),
    "numpy array": lambda: np.array([0.5, 0.25]),
    "numpy scalar array": lambda: np.array(0.5),
    "numpy objects": lambda: np.array([None, "a"], dtype=object),
    "numpy NaT": lambda: np.datetime64("NaT"),
    "": lambda: "",
    "x": lambda: "x",
    "long": lambda: "x" * 100_000,
    "NUL": lambda: "a\0b",
    "surrogate": lambda: "\udcff",
    "bytes": lambda: b"x",
    "empty list": list,
    "list": lambda: [1],
    "tuple": lambda: ("a", "b"),
    "nested": lambda: [[], [1, [2]]],
    "itself": _itself,
    "deep": _deep,
    "set": lambda: {1, "a"},
    "empty mapping": dict,
    "mapping": lambda: {"a": 1},
    "odd keys": lambda: {1: 2, None: 3, ("a",): float("nan")},
    "other mapping": lambda: UserDict({"x": 0.5}),
    "ordered": lambda: OrderedDict(age=0.5),
    "generator": lambda: (i for i in range(3)),
    "range": lambda: range(10**12),
    "object": object,
    "class": lambda: int,
    "function": lambda: lambda *_: 0,
    "raising function": lambda: lambda *_: 1 / 0,
    "date": lambda: datetime.date(2026, 1, 1),
    "Ellipsis": lambda: ...,
    "silent text": lambda: Silent("x"),
    "text's subclass": lambda: type("Text", (str,), {})("x"),
    "number's subclass": lambda: Number(0.5),
    "pretender": Pretender,
    "module": lambda: datetime,
    "exception": lambda: ValueError("no"),
}

SAME = object()
REQUEST = ("batch", "available", "time", "current", "context")
FLOAT = {"name": "x", "low": 0, "high": 1, "law": sb.Uniform(), "scale": "linear", "step": 0.1, "unit": "m"}
X = sb.Float("x", 0, 1, law=sb.Uniform())
TEXT = "age -> dose -> y; age -> y; target: y; intervenable: dose"
GRAPH = sb.CausalGraph.from_text(TEXT)
PRIOR = sb.Prior(SquaredExponential(0.2))
COSTLY = sb.CostVarying([X, sb.Float("z", 0, 1, law=sb.Uniform())], [["x"], ["x", "z"]])
DRIFTING = sb.TimeVarying([sb.Integer("x", 0, 5)], [PRIOR])
FLEET = sb.MeanField(("a", "b"), agents=4, largest_move=0.5)
SEEING = sb.Causal(GRAPH, [sb.Float("dose", 0, 1), sb.Float("age", 0, 90)])
LIMITS = {"budget": 5, "rounds": 3, "seed": 0}

MAKERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Float": (sb.Float, FLOAT),
    "Integer": (sb.Integer, {"name": "n", "low": 0, "high": 3, "law": sb.Uniform(), "scale": "linear", "unit": ""}),
    "Categorical": (sb.Categorical, {"name": "c", "choices": ["a", "b"], "law": sb.Uniform(), "unit": ""}),
    "Uniform": (sb.Uniform, {"low": 0, "high": 1}),
    "Normal": (sb.Normal, {"mean": 0, "sd": 1}),
    "TruncatedNormal": (sb.TruncatedNormal, {"mean": 0, "sd": 1, "low": -1, "high": 1, "moments": "parent"}),
    "LogNormal": (sb.space.LogNormal, {"mean": 0, "sd": 1}),
    "Beta": (sb.space.Beta, {"a": 1, "b": 2, "low": 0, "high": 1}),
    "Discrete": (sb.space.Discrete, {"values": [0, 1], "weights": [1, 2]}),
    "Empirical": (sb.space.Empirical, {"sample": [0.5, 0.2]}),
    "JointRows": (sb.space.JointRows, {"rows": [[0.5, 1], [0.2, 3]], "columns": ["a", "b"]}),
    "Linear": (sb.LinearConstraint, {"weights": {"x": 1}, "at_most": 2, "at_least": 0, "probability": 0.9}),
    "Measured": (sb.OutcomeConstraint, {"name": "p", "at_most": 2, "at_least": 0, "probability": 0.9}),
    "Share": (sb.Share, {"action": "a", "at_most": 0.5, "at_least": 0.1, "context": "day"}),
    "Headcount": (sb.meanfield.Headcount, {"action": "a", "at_most": 5, "at_least": 1, "context": "day"}),
    "Forbid": (sb.space.ForbiddenCombination, {"combination": {"x": ["a"], "n": 1}}),
    "Scipy": (sb.space.Scipy, {"name": "norm", "args": [], "loc": 0, "scale": 1}),
    "Change": (sb.SwitchingCost, {"fixed": 1, "per_unit": 0.1}),
    "Learned": (sb.space.Learned, {"prior": sb.Uniform()}),
    "Sliding": (sb.gp.Sliding, {"within": 9}),
    "Scope": (sb.core.Scope, {"set": ["x"], "look": {"x": ["z"]}, "keep": ["a"], "price": 1}),
    "Scope.of": (sb.core.Scope.of, {"contexts": {"x": ["z"]}}),
    "Recommendation": (
        sb.core.Recommendation,
        {
            "scope": sb.core.Scope(["x"]),
            "values": {"x": 1},
            "mean": 1,
            "lower": 0,
            "upper": 2,
            "cost": 1,
            "reasons": (),
        },
    ),
    "Explanation": (sb.core.Explanation, {"summary": "s", "tables": [Table("t", ("a",), ((1,),))]}),
    "Status": (
        sb.core.Status,
        {"rounds": 1, "told": 1, "failed": 0, "pending": ["a"], "spent": 1, "budget": 2, "gain": 1},
    ),
    "Suggestion": (sb.core.Suggestion, {"token": "1-a", "round": 1, "scope": sb.core.Scope(["x"]), "values": {"x": 1}}),
    "Fraction": (sb.costvarying.Fraction, {"share": 0.1, "worst": 0}),
    "Absolute": (sb.Absolute, {"difference": 1}),
    "Threshold": (sb.costvarying.Threshold, {"value": 1}),
    "CostVarying": (
        sb.CostVarying,
        {
            "variables": [X, sb.Float("y", 0, 1)],
            "control_sets": [["x"]],
            "costs": [1],
            "tolerance": sb.Absolute(1),
            "minimize": False,
            "nature": sb.space.JointRows([[0.1], [0.2]], ["y"]),
        },
    ),
    "TimeVarying": (
        sb.TimeVarying,
        {"variables": [sb.Integer("n", 0, 1)], "priors": [PRIOR], "coordinates": [[0], [1]], "minimize": False},
    ),
    "Prior": (sb.Prior, {"kernel": Matern(0.5), "mean": 0, "drift": sb.Decay(0.1), "noise": 0.1, "name": "p"}),
    "Decay": (sb.Decay, {"epsilon": 0.1}),
    "MaternInTime": (MaternInTime, {"lengthscale": 1, "nu": 1.5}),
    "Periodic": (Periodic, {"period": 1, "lengthscale": 1}),
    "SquaredExponential": (SquaredExponential, {"lengthscale": 1}),
    "Matern": (Matern, {"lengthscale": 1, "nu": 1.5}),
    "Covariance": (Covariance, {"matrix": [[1.0, 0.0], [0.0, 1.0]]}),
    "Bumps": (Bumps, {"centres": [[0.0]], "heights": [1], "width": 0.1, "base": 0}),
    "from_panel": (sb.Prior.from_panel, {"panel": np.arange(20.0).reshape(1, 10, 2) % 7, "names": ["a"]}),
    "Causal": (sb.Causal, {"graph": GRAPH, "variables": list(SEEING.variables), "minimize": False}),
    "CausalGraph": (
        sb.CausalGraph,
        {
            "directed": [("x", "y")],
            "bidirected": [("x", "y")],
            "target": "y",
            "intervenable": ["x"],
            "contexts": [],
            "variables": ["z"],
        },
    ),
    "from_text": (sb.CausalGraph.from_text, {"text": TEXT, "target": "y", "intervenable": ["dose"], "contexts": []}),
    "from_networkx": (sb.CausalGraph.from_networkx, {"graph": GRAPH.to_networkx(), "target": "y"}),
    "policy_scopes": (sb.causal.policy_scopes, {"graph": GRAPH, "mode": "pruned"}),
    "MeanField": (
        sb.MeanField,
        {
            "actions": ["a", "b"],
            "agents": 4,
            "contexts": ["c"],
            "weights": [1],
            "action_features": [[0], [1]],
            "context_features": [[0]],
            "feedback": "population",
            "rounding": "sampled",
            "counts": True,
            "allowed": {"c": ["a"]},
            "capacity": {"a": 4},
            "limits": [sb.Share("a", at_least=0.5)],
            "largest_move": 0.5,
            "moving_cost": 0,
            "minimize": False,
        },
    ),
    "Optimizer": (sb.Optimizer, {"problem": COSTLY, "method": "random", "log": None, **LIMITS}),
    "Optimizer's options": (lambda **o: Optimizer(COSTLY, "cheap-first", **o), {"beta": 1, "patience": 1}),
    "replay": (Optimizer.replay, {"problem": COSTLY, "events": Optimizer(COSTLY).events}),
    "load": (sb.load, {"text": Optimizer(COSTLY).to_json()}),
    "methods": (sb.methods, {"problem": COSTLY}),
    "Study.create": (
        lambda log=None, **more: Study.create(MemoryLog() if log is None else log, **more),
        {"log": None, "problem": COSTLY, "method": "random", "options": {}, **LIMITS},
    ),
    "Study.open": (Study.open, {"log": "none.db", "problem": COSTLY, "name": "study", "limits": {}}),
    "read_study": (read_study, {"path": "none.toml"}),
    "Settings": (Settings, {"method": "random", "failures": 3, "options": {}, **LIMITS}),
    "Command": (Command, {"command": ["python"], "folder": Path(), "timeout": 1}),
    "Function": (Function, {"name": "math:sin", "folder": Path()}),
    "drive": (
        lambda **more: Study.create(MemoryLog(), COSTLY, rounds=1).run(**{"objective": lambda s: 1 / 0, **more}),
        {"executor": None, "parallel": 1, "failures": 9, "retries": 0, "rounds": 1},
    ),
}


def _playing(problem: Any, told: dict[str, Any] | None = None) -> Optimizer:
    optimizer = Optimizer(problem, Nearest if isinstance(problem, Stub) else "random", rounds=9)
    asked = optimizer.ask()
    if told is not None:
        assert asked is not None
        optimizer.tell(asked, **told)
    return optimizer


def _informed() -> Optimizer:
    """A causal study with one outcome."""
    optimizer = _playing(SEEING)
    (asked,) = optimizer.pending
    if asked.observe:
        optimizer.decide(asked, {"age": 44.0})
    optimizer.tell(asked, 1.0)
    return optimizer


def _words() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """The round's words: a function that makes a fresh study and calls one, and what it is given."""
    outcome = {"value": 1.0, "cost": 1.0, "realised": {"x": 0.5, "z": 0.5}}
    yield (
        "ask",
        lambda **g: _playing(COSTLY).ask(**g),
        dict.fromkeys(REQUEST),
    )
    yield "ask drifting", lambda **g: _playing(DRIFTING).ask(**g), {"batch": 1, "available": [1, 2], "time": 9.0}
    yield "ask box", lambda **g: _playing(sb.TimeVarying([X], [PRIOR])).ask(**g), {"available": {"x": (0, 0.5)}}
    yield "ask fleet", lambda **g: _playing(FLEET).ask(**g), {"current": {"everyone": {"a": 1.0}}}
    yield (
        "decide",
        lambda **g: _about(_playing(Stub()), "decide", g),
        {
            "suggestion": SAME,
            "context": {"age": 0.5},
        },
    )
    yield "context", lambda **g: (o := _playing(Stub())).decide(o.pending[0], g), {"age": 0.5}
    yield (
        "tell",
        lambda **g: _about(_playing(COSTLY), "tell", g),
        {
            "suggestion": SAME,
            **outcome,
        },
    )
    yield (
        "fleet",
        lambda **g: (o := _playing(FLEET)).tell(o.pending[0], 1.0, realised=g),
        {
            "distribution": {"everyone": {"a": 1.0}},
            "counts": {"everyone": {"a": 4}},
        },
    )
    agents = sb.MeanField(("a",), agents=4, feedback="agents")
    yield "payoffs", lambda **g: (o := _playing(agents)).tell(o.pending[0], **g), {"value": {"everyone": {"a": 1}}}
    yield "row", lambda **g: (o := _playing(agents)).tell(o.pending[0], g), {"everyone": {"a": 1}}
    yield "realised", lambda **g: (o := _playing(COSTLY)).tell(o.pending[0], 1.0, realised=g), {"x": 0.5, "z": 0.5}
    yield (
        "fail",
        lambda **g: _about(_playing(COSTLY), "fail", g),
        {
            "suggestion": SAME,
            "reason": "",
            "cost": 1.0,
            "realised": {"x": 0.5},
        },
    )
    yield (
        "abandon",
        lambda **g: _about(_playing(COSTLY), "abandon", g),
        {
            "suggestion": SAME,
            "reason": "",
        },
    )
    yield (
        "amend",
        lambda **g: _about(_playing(COSTLY, outcome), "amend", g),
        {
            "suggestion": SAME,
            "void": False,
            "reason": "",
            **outcome,
        },
    )
    yield "add", lambda **g: _playing(COSTLY).add(**{"value": 1.0, "realised": {"x": 0.5, "z": 0.5}, **g}), outcome
    yield "add drifting", lambda **g: _playing(DRIFTING).add(1.0, g), {"x": 1, "time": 2.0}
    yield (
        "policy drifting",
        lambda **g: _playing(DRIFTING).policy(**g),
        {"time": 9.0, "available": None},
    )
    yield "extend", lambda **g: _playing(COSTLY).extend(**g), {"bounds": {"x": (-1, 2)}}
    yield "extend x", lambda **g: _playing(COSTLY).extend(bounds=g), {"x": (-1, 2)}
    yield "revise", lambda **g: _playing(COSTLY).revise(**g), {"budget": 9, "rounds": 9, "stop": 0.1, "columns": {}}
    yield "log_to", lambda **g: _playing(COSTLY).log_to(**g), {"log": MemoryLog()}
    yield (
        "Study.tell",
        lambda **g: _about(_costly(), "tell", g),
        {"suggestion": SAME, "value": 1.0, "cost": 1.0, "realised": {"x": 0.5, "z": 0.5}},
    )
    yield "Study.fail", lambda **g: _about(_costly(), "fail", g), {"suggestion": SAME, "reason": "", "cost": 1.0}
    yield "Study.add", lambda **g: _costly().add(**g), {"value": 1.0, "realised": {"x": 0.5, "z": 0.5}}
    yield "Study.revise", lambda **g: _costly().revise(**g), {"budget": 9, "rounds": 9}
    yield "Study.extend", lambda **g: _costly().extend(**g), {"bounds": {"x": (-1, 2)}}
    yield "Study.prepare", lambda **g: _costly().prepare(**g), {"k": 1}
    yield "Study.policy", lambda **g: _told().policy(**g), {"context": None}
    yield "policy", lambda **g: _informed().policy(**g), {"context": {"age": 0.5}}
    yield "Study.ask", lambda **g: _study().ask(**g), {"batch": 2, "context": {"age": 0.5}, "time": 1.0}
    yield (
        "Study.decide",
        lambda **g: _about(_study(), "decide", g),
        {
            "suggestion": SAME,
            "context": {"age": 0.5},
        },
    )


def _costly() -> Study:
    return Study.create(MemoryLog(), COSTLY, "random", rounds=9, holder=BY_HAND)


def _told() -> Study:
    study = _costly()
    study.tell(study.ask(), 1.0, realised={"x": 0.5, "z": 0.5})
    return study


def _study() -> Study:
    return Study.create(MemoryLog(), Stub(), Nearest, rounds=9, holder=BY_HAND)


def _about(played: Any, word: str, given: dict[str, Any]) -> Any:
    """Call a word about the first round, unless another suggestion is given."""
    if not len(played.history):
        played.ask()
    first = next(iter(played.history)).suggestion
    return getattr(played, word)(
        **{**given, "suggestion": first if given["suggestion"] is SAME else given["suggestion"]}
    )


CALLS = MAKERS | {name: (call, given) for name, call, given in _words()}
REFUSED = {"Study.open", "read_study", "Study.ask"}  # there is no such file; the problem takes no such request
CASES = [(name, argument) for name, (_, given) in CALLS.items() for argument in given]
