"""Runs of the authors' program are counted as everybody's."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from benchmarks.causal.authors import ENTRANT, result, results


def stored(rounds: int) -> dict[str, Any]:
    """One round sets x1 to minus what is seen, which is best; the next x2, which gains nothing; then nothing is set."""
    scopes = ["<X1, ['C']>", "<X2, ['C']>", "", "<X1, []>\t<X2, ['C']>"] * rounds
    columns = {"C": [0.3] * rounds, "X1": [-0.3] * rounds, "X2": [0.9] * rounds, "MPS": scopes[:rounds]}
    return {"meta": {"seed": 4}, "results": columns}


def test_regret_is_that_of_what_was_set_after_what_was_seen() -> None:
    found = result(stored(4))
    assert (found.entrant, found.seed, found.rounds) == (ENTRANT, 4, 4)
    curve = result(stored(120)).curve
    assert curve.simple == [0.0] * 4
    assert curve.cumulative is not None
    left_to_nature = 1 / 3 - 0.1472  # E[exp(−4 c²)] / 3 over c from −1 to 1
    assert curve.cumulative[-1] == pytest.approx(30 * (0 + 1 / 3 + left_to_nature + 1 / 3), rel=1e-3)


def test_whole_runs_are_taken(tmp_path: Path) -> None:
    for name, rounds in (("half", 60), ("whole", 120)):
        (tmp_path / f"{name}.pck").write_bytes(pickle.dumps(stored(rounds)))
    assert [each.rounds for each in results(tmp_path)] == [120]
