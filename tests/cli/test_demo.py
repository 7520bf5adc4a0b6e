"""The demonstration, checked against the simulator."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from steerbo.cli import main
from steerbo.cli.demo import borehole, flow, true_mean
from steerbo.core import Recommendation, Scope
from steerbo.plots import drawing


def demo(*arguments: str) -> Any:
    result = CliRunner().invoke(main, ["demo", *arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.all_draws
def test_the_demo_recommends_what_the_simulator_confirms(tmp_path: Path) -> None:
    answer = json.loads(demo("--json", "--out", str(tmp_path / "pictures")).stdout)
    advice, truth = answer["recommendation"], answer["truth"]
    assert advice["scope"]["set"] == ["rw", "L"]
    assert advice["lower"] - 4 * truth["standard_error"] < truth["mean"] < advice["upper"] + 4 * truth["standard_error"]
    assert answer["status"]["spent"] <= 45 * 1.1
    assert Path(answer["picture"]).read_bytes().startswith(b"\x89PNG")


def test_in_words_and_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    drawing._figure_class.cache_clear()  # as in a process that has drawn nothing yet
    result = demo("--out", str(tmp_path))
    for words in (
        "Recommended: hold rw + L",
        " m\n",
        "Expected outcome of each",
        "Was the model right?",
        "Money spent",
    ):
        assert words in result.stdout
    assert "pip install 'steerbo[plots]'" in result.stdout
    assert max(map(len, result.stdout.partition("Picture")[0].splitlines())) <= 80
    assert "round " in result.stderr
    assert not list(tmp_path.iterdir())


def test_the_true_mean_is_that_of_the_simulator() -> None:
    problem = borehole()
    everything = {v.name: float(v.distribution.ppf(0.5)) for v in problem.variables}
    mean, error = true_mean(problem, Recommendation(Scope(), everything))
    assert mean == pytest.approx(flow(everything))
    assert error == pytest.approx(0, abs=1e-9)
    # with only H_u left to nature a 64-node Gauss rule is exact to many digits
    nodes, weights = np.polynomial.legendre.leggauss(64)
    rest = {name: value for name, value in everything.items() if name != "Hu"}
    law = problem.space["Hu"].distribution
    exact = sum(w / 2 * flow({**rest, "Hu": float(law.ppf((z + 1) / 2))}) for z, w in zip(nodes, weights, strict=True))
    mean, error = true_mean(problem, Recommendation(Scope(), rest))
    assert error > 0
    assert abs(mean - exact) < 4 * error, "4 standard errors: a false alarm in 16 000, with a fixed seed never"
