"""The experiments of the paper: ``python -m benchmarks.causal.results`` runs what is missing and prints tables.

Finished runs are kept as lines of JSON, so that the command can be stopped and run again. Rows with BoTorch's model are
left out where it is not installed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.causal.rivals import CoCaBOByMeanBound, CoCaBOByMeanOutcome
from steerbo.causal.coca_bo import CoCaBO
from steerbo.core import Optimizer

from ..runs import finished, play_missing
from .coca_bo_botorch import CoCaBOOnBotorch
from .environment import Environment
from .plates import plates
from .problems import cosine, figure_1, psa

ROUNDS = 700
_TAIL = 100
_RULES: dict[str, type[CoCaBO]] = {"ucb-mean": CoCaBOByMeanBound, "reward-mean": CoCaBOByMeanOutcome}


@dataclass(frozen=True)
class Experiment:
    """A method on a problem: one row of a table."""

    section: str
    environment: str
    method: str
    label: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    rounds: int = ROUNDS

    def key(self, seed: int) -> str:
        """A name for one run."""
        return json.dumps([self.environment, self.method, self.options, self.rounds, seed], sort_keys=True)

    def entrant(self) -> tuple[str | type[CoCaBO], dict[str, Any]]:
        """Method and options for `Optimizer`. Runs are kept under `backend` and `arm_rule`, which choose the method."""
        options = {**self.options}
        if options.pop("backend", "own") == "botorch":
            return CoCaBOOnBotorch, options
        if rule := options.pop("arm_rule", None):
            return _RULES[rule], options
        return self.method, options


ENVIRONMENTS: dict[str, Callable[[], Environment]] = {
    "psa-1": lambda: psa(1),
    "psa-1-authors": lambda: psa(1, authors=True),
    "psa-2": lambda: psa(2),
    "psa-2-authors": lambda: psa(2, authors=True),
    "cosine": cosine,
    "figure-1": figure_1,
    "figure-1-authors": lambda: figure_1(0.01),
    **{f"cosine-{sd:g}": partial(cosine, sd) for sd in (0.05, 0.25, 1.25, 6.25)},
    "plates": plates,
}

_COCA = ("coca-bo", "CoCa-BO")
EXPERIMENTS = (
    *(
        Experiment("CaBO against CoCa-BO", environment, *method)
        for environment in ("psa-1", "psa-1-authors", "psa-2", "psa-2-authors")
        for method in (_COCA, ("cabo", "CaBO"))
    ),
    *(
        Experiment("CoBO against CoCa-BO", environment, *method)
        for environment in ("cosine", "figure-1", "figure-1-authors")
        for method in (_COCA, ("cobo", "CoBO"))
    ),
    Experiment("Rules for choosing the arm", "figure-1", *_COCA),
    Experiment(
        "Rules for choosing the arm", "figure-1", "coca-bo", "CoCa-BO, the paper's rule", {"arm_rule": "ucb-mean"}
    ),
    Experiment(
        "Rules for choosing the arm", "figure-1", "coca-bo", "CoCa-BO, the authors' rule", {"arm_rule": "reward-mean"}
    ),
    Experiment("Rules for choosing the arm", "figure-1", "cabo", "CaBO"),
    Experiment("Rules for choosing the arm", "figure-1", "random", "random"),
    *(
        Experiment("Noise", environment, *_COCA)
        for environment in ("cosine", "cosine-0.05", "cosine-0.25", "cosine-1.25", "cosine-6.25")
    ),
    Experiment("Context", "cosine", *_COCA),
    Experiment("Context", "cosine", "coca-bo-no-context", "CoCa-BO without context"),
    Experiment("Model", "cosine", *_COCA),
    Experiment("Model", "cosine", "coca-bo", "Matérn-3/2", {"kernel": "matern-3/2"}),
    *(
        Experiment("BoTorch's model (A.5)", environment, "coca-bo", label, {"backend": backend}, rounds=200)
        for environment in ("cosine", "figure-1")
        for label, backend in (("our own", "own"), ("BoTorch's SingleTaskGP", "botorch"))
    ),
    Experiment("Many variables (A.3)", "plates", *_COCA, rounds=200),
    Experiment("Many variables (A.3)", "plates", "cobo", "CoBO", rounds=200),
)


def run(job: tuple[Experiment, int]) -> dict[str, Any]:
    """One run, of an experiment with a seed: regrets, and how often each scope was chosen."""
    experiment, seed = job
    environment = ENVIRONMENTS[experiment.environment]()
    start = time.process_time()
    method, options = experiment.entrant()
    optimizer = Optimizer(environment.problem, method, seed=seed, **options)
    noisy, clean, scopes = environment.play(optimizer, experiment.rounds, seed)
    return {
        "key": experiment.key(seed),
        "noisy": float(noisy.mean()),
        "clean": float(clean.mean()),
        "last": float(clean[-_TAIL:].mean()),
        "curve": [float(clean[:t].mean()) for t in (50, 100, 200, 400, 700) if t <= len(clean)],
        "scopes": dict(Counter(scopes).most_common(6)),
        "last scopes": dict(Counter(scopes[-_TAIL:]).most_common(3)),
        "seconds": time.process_time() - start,
    }


def _mean(values: list[float]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{np.mean(values):.4f} ± {error:.4f}"


def page(done: dict[str, dict[str, Any]], seeds: int) -> str:
    """The tables, as markdown."""
    lines = []
    for section in dict.fromkeys(e.section for e in EXPERIMENTS):
        lines += [f"## {section}", ""]
        lines += [
            "| problem | method | rounds | seeds | regret | regret without noise | last 100 | scopes in the last 100 |"
        ]
        lines += ["|---|---|---|---|---|---|---|---|"]
        for e in (e for e in EXPERIMENTS if e.section == section):
            rows = [done[e.key(seed)] for seed in range(seeds) if e.key(seed) in done]
            if not rows:
                lines.append(f"| {e.environment} | {e.label} | {e.rounds} | 0 | not run | | | |")
                continue
            cells = [_mean([row[name] for row in rows]) for name in ("noisy", "clean", "last")]
            chosen: Counter[str] = Counter()
            for row in rows:
                chosen.update(row["last scopes"])
            total = sum(chosen.values())
            named = ((name[:40].replace("|", " after "), n) for name, n in chosen.most_common(3))
            shares = "; ".join(f"({name}) {100 * n / total:.0f} %" for name, n in named)
            lines.append(
                "| " + " | ".join([e.environment, e.label, str(e.rounds), str(len(rows)), *cells, shares]) + " |"
            )
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("docs/results/runs/causal-runs.jsonl"), help="what is kept")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="only problems whose name starts like this")
    parser.add_argument("--row", default="", help="only rows whose method is labelled like this")
    parser.add_argument("--tables", action="store_true", help="run nothing, write the tables of what is finished")
    parser.add_argument("--page", type=Path, help="where tables go; default: they are only printed")
    options = parser.parse_args()
    chosen = [
        e
        for e in EXPERIMENTS
        if e.environment.startswith(options.only)
        and e.label.startswith(options.row)
        and (e.options.get("backend") != "botorch" or find_spec("botorch"))
    ]
    jobs = {e.key(seed): (e, seed) for seed in range(options.seeds) for e in chosen}  # all first seeds first
    for done in play_missing({} if options.tables else jobs, run, options.runs, options.processes):
        print(f"{done['key']}: {done['clean']:.4f} without noise, {done['seconds']:.0f} s", flush=True)
    tables = page(finished(options.runs), options.seeds)
    print(tables)
    if options.page is not None:
        options.page.write_text(f"# Contextual causal Bayesian optimisation: tables\n\n{tables}")


if __name__ == "__main__":
    main()
