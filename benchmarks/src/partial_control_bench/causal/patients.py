"""Ours: four scopes, thirty patients. `python -m partial_control_bench.causal.patients`.

A dose and a rest are set, or left to nature; the best dose rises with age. The gallery's graph had
no arrow from age to health, though the world has one: `forgets` is that graph, `right` has the
arrow. What an answer is worth is the mean of patients who were not in the study.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

import steerbo as sb

EDGES = "age -> dose -> y; age -> rest -> y; dose <-> y; rest <-> y"
GRAPHS = {"forgets": EDGES, "right": EDGES + "; age -> y"}
ROUNDS, ANSWERED = 30, 200


def problem(graph: str) -> sb.Causal:
    """What is told to the library."""
    edges = sb.CausalGraph.from_text(GRAPHS[graph], target="y", intervenable=["dose", "rest"])
    ranges = {"dose": (0, 1), "rest": (0, 1), "age": (20, 90)}
    return sb.Causal(edges, [sb.Float(name, *ends) for name, ends in ranges.items()])


def health(patient: Mapping[str, float], values: Mapping[str, Any]) -> float:
    """Outcome of a patient; what is not set is as nature has it."""
    of = {**patient, **values}
    return float(1 - 4 * (of["dose"] - of["age"] / 100) ** 2 - (of["rest"] - 0.5) ** 2)


def arrives(random: np.random.Generator) -> dict[str, float]:
    """A patient, with the dose and the rest that nature gives."""
    return {"age": random.uniform(20, 90), "dose": random.random(), "rest": random.random()}


def worth(policy: Any) -> float:
    """Mean outcome of a policy over patients who were not in the study."""
    random, values = np.random.default_rng(99), list[float]()
    for _ in range(ANSWERED):
        patient = arrives(random)
        step = policy({})
        if step.observe:
            step = policy({"age": patient["age"]})
        values.append(health(patient, step.values))
    return float(np.mean(values))


def played(graph: str, seed: int, method: str) -> Mapping[str, Any]:
    """What a study's answer is worth, what it states, and whether its bounds hold.

    Args:
        graph: key of `GRAPHS`.
        seed: of the study and of its patients.
        method: its name.
    """
    optimizer = sb.Optimizer(problem(graph), method, rounds=ROUNDS, seed=seed)
    random, values = np.random.default_rng([seed, 5]), list[float]()
    while (suggestion := optimizer.ask()) is not None:
        patient = arrives(random)
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": patient["age"]})
        values.append(health(patient, suggestion.values))
        optimizer.tell(suggestion, values[-1])
    advice = optimizer.recommend()
    true = worth(optimizer.policy)
    assert advice.mean is not None
    low = -np.inf if advice.lower is None else advice.lower
    high = np.inf if advice.upper is None else advice.upper
    return {
        "graph": graph,
        "seed": seed,
        "method": method,
        "scope": str(advice.scope),
        "true": true,
        "stated": advice.mean,
        "covered": bool(low <= true <= high),
        "play": float(np.mean(values)),
    }


def main() -> None:
    """Play studies; a line a study goes to standard error, means are printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="200-211", help="first and last")
    parser.add_argument("--methods", default="coca-bo,random,cobo")
    parser.add_argument("--graphs", default=",".join(GRAPHS), help="forgets, right")
    given = parser.parse_args()
    first, last = map(int, given.seeds.split("-"))
    for graph in given.graphs.split(","):
        for method in given.methods.split(","):
            lines = [played(graph, seed, method) for seed in range(first, last + 1)]
            for line in lines:
                print(json.dumps(line), file=sys.stderr, flush=True)
            said = [graph, method]
            for name in ("true", "stated", "play"):
                each = np.array([line[name] for line in lines])
                said.append(f"{name} {each.mean():.2f} ± {each.std(ddof=1) / len(each) ** 0.5:.2f}")
            said.append(f"bounds {np.mean([line['covered'] for line in lines]):.2f}")
            print(*said, sep="\t", flush=True)


if __name__ == "__main__":
    main()
