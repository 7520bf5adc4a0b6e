"""Runs of the authors' own program on Figure 1 as lines of results: `python -m benchmarks.causal.authors FOLDER`.

Their program (github.com/VahanArsenian/POMPSBO, commit a304f43) is not copied, and needs an environment of its own, of
Python 3.10. In its folder:

    pip install HEBO==0.3.2 pymoo==0.5.0 GPy==1.10.0 numpy==1.23.5 scipy==1.9.3 'pandas<2' 'matplotlib<3.8'
    pip install 'setuptools<66' pyro-ppl networkx
    pip install cma==3.2.2                       # newer than pymoo asks for, which does not run without it
    pip install --no-build-isolation ./scmmab

and for each seed, which takes about five minutes of a processor:

    PYTHONPATH=. python experiments/pomps_paper_example_impossible_for_contextual.py --no-smoke --n_iter 120 --seed 0

It draws its own rounds, so that its seeds are none of ours; regret is counted as for everybody, without noise.
"""

from __future__ import annotations

import argparse
import pickle
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.playing import Played, curve
from partial_control_bench.record import Result, Spent
from partial_control_bench.registry import problem

PROBLEM = "figure-1-120"
ENTRANT = "coca-bo, the authors' program"
_COMPONENT = re.compile(r"<(\w+), \[(.*?)\]>")


def result(stored: Mapping[str, Any]) -> Result:
    """A run of theirs.

    Args:
        stored: "meta" with the seed, "results" with a column for each variable, and the scopes in words in "MPS".
    """
    about, columns = problem(PROBLEM), stored["results"]
    world = about.make(about.seeds.reported.start)
    regrets = []
    for number, scope in enumerate(columns["MPS"][: about.budget.rounds], start=1):
        told = {action: re.findall(r"\w+", looks) for action, looks in _COMPONENT.findall(scope)}
        actions = {action.lower(): float(columns[action][number - 1]) for action in told}
        looks = {look for seen in told.values() for look in seen}
        seen = {look.lower(): float(columns[look][number - 1]) for look in looks}
        regrets.append(world.regret(number, actions, seen))
    played = Played(np.array(regrets), np.ones(len(regrets)), np.zeros(len(regrets)))
    return Result(
        schema_version=1, problem=PROBLEM, version=about.version, entrant=ENTRANT, seed=int(stored["meta"]["seed"]),
        budget=Spent(rounds=about.budget.rounds), rounds=len(regrets), money=float(len(regrets)),
        curve=curve(played, about.budget), kept={"from": "github.com/VahanArsenian/POMPSBO, commit a304f43"},
    )  # fmt: skip


def results(folder: Path) -> Sequence[Result]:
    """All whole runs in a folder, by seed."""
    found = [result(pickle.loads(file.read_bytes())) for file in folder.rglob("*.pck")]
    return sorted((r for r in found if r.rounds == r.budget.rounds), key=lambda r: r.seed)


def main() -> None:
    """Write the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="their `experiment_results`; only read what you made yourself")
    parser.add_argument("--out", type=Path, default=Path("docs/results/runs/papers-authors.jsonl"))
    given = parser.parse_args()
    lines = [each.line() for each in results(given.folder)]
    given.out.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    print(f"{given.out}: {len(lines)} runs")


if __name__ == "__main__":
    main()
