"""What is known of a problem, as a problem of steerbo's."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

import steerbo as sb
from steerbo.timevarying import SquaredExponential


def problem_of(known: Mapping[str, Any]) -> Any:
    """The same, in our words."""
    return _PROBLEMS[known["wing"]](known)


def _time_varying(known: Mapping[str, Any]) -> sb.TimeVarying:
    variables = [_levelled(variable) for variable in known["variables"]]
    if "history" in known:
        history = known["history"]
        days = [_learned(np.ascontiguousarray(day).tobytes(), day.shape, name)
                for day, name in zip(history["panel"], history["names"], strict=True)]  # fmt: skip
        return sb.TimeVarying(variables, days)
    if known["priors"] is None:
        return sb.TimeVarying(variables)
    return sb.TimeVarying(variables, [_prior(told) for told in known["priors"]])


def _levelled(variable: Mapping[str, Any]) -> Any:
    levels = variable["levels"]
    if isinstance(levels[0], str):
        return sb.Categorical(variable["name"], levels)
    low, high = variable["low"], variable["high"]
    return sb.Float(variable["name"], low, high, step=(high - low) / (len(levels) - 1))


def _prior(told: Mapping[str, Any]) -> sb.Prior:
    kernel = SquaredExponential(told["kernel"]["lengthscale"], told["kernel"]["variance"])
    mean = told["mean"] if isinstance(told["mean"], float) else tuple(told["mean"])
    return sb.Prior(kernel, mean, _drift(told["drift"]), told["noise"], told["name"])


def _drift(told: Mapping[str, Any] | None) -> Any:
    if told is None:
        return None
    if told["kind"] == "decay":
        return sb.Decay(told["rate"])
    return sb.gp.Periodic(told["period"], told["lengthscale"])


@functools.lru_cache(maxsize=32)
def _learned(panel: bytes, shape: tuple[int, ...], name: str) -> sb.Prior:
    """A prior from one day; a fit of each is enough for all runs of a process."""
    return sb.Prior.from_panel(np.frombuffer(panel).reshape(1, *shape), [name])[0]


def _cost_varying(known: Mapping[str, Any]) -> sb.CostVarying:
    variables = [_with_law(variable) for variable in known["variables"]]
    variables += [
        sb.Float(seen["name"], seen["low"], seen["high"], seen=True)
        for seen in known.get("seen", ())
    ]
    tolerance, nature = None if "worth" in known else known.get("tolerance"), known.get("nature")
    worth = {"value_of_one": known["worth"]} if "worth" in known else {}
    return sb.CostVarying(
        variables,
        known["control_sets"],
        costs=known["costs"],
        tolerance=None if tolerance is None else sb.Absolute(tolerance),
        nature=None if nature is None else sb.space.JointRows(nature["rows"], nature["names"]),
        drift=known.get("drift"),
        limits=_limits(known),
        **worth,
    )


def _limits(known: Mapping[str, Any]) -> list[Any] | None:
    """A sum that has a bound, or shares that sum to 1."""
    if "mixture" in known:
        one = dict.fromkeys(known["mixture"], 1.0)
        return [sb.LinearConstraint(one, at_most=1.0, at_least=1.0)]
    return [sb.LinearConstraint(**known["limit"])] if "limit" in known else None


def _with_law(variable: Mapping[str, Any]) -> sb.Float | sb.Categorical:
    law, change = variable["law"], variable.get("change")
    moved = (
        None
        if change is None
        else sb.SwitchingCost(**{name: price for name, price in change.items() if price})
    )
    of: Any = None
    if law is not None:
        uniform = law["kind"] == "uniform"
        of = (
            sb.Uniform()
            if uniform
            else sb.TruncatedNormal(law["mean"], law["sd"], moments=law["moments"])
        )
    if "choices" in variable:
        return sb.Categorical(variable["name"], variable["choices"], law=of, change=moved)
    ends, step = (variable["low"], variable["high"]), variable.get("step")
    return sb.Float(variable["name"], *ends, step=step, law=of, change=moved)


def _causal(known: Mapping[str, Any]) -> sb.Causal:
    graph = sb.CausalGraph(
        [tuple(edge) for edge in known["directed"]],
        [tuple(edge) for edge in known["bidirected"]],
        target=known["target"],
        intervenable=known["settable"],
        contexts=known["contexts"],
        variables=known["variables"],
    )
    variables = [sb.Float(name, low, high) for name, (low, high) in known["ranges"].items()]
    if "prices" not in known:
        return sb.Causal(graph, variables, minimize=known["minimise"])
    of = sb.Absolute(known["tolerance"])
    return sb.Causal(graph, variables, prices=known["prices"], base=known["base"], tolerance=of)


def _mean_field(known: Mapping[str, Any]) -> sb.MeanField:
    features = known["features"]
    return sb.MeanField(
        known["actions"], known["agents"], contexts=known["contexts"], action_features=features
    )


_PROBLEMS = {
    "cost-varying": _cost_varying,
    "time-varying": _time_varying,
    "causal": _causal,
    "mean-field": _mean_field,
}
