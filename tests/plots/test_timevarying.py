"""The pictures show what the optimizer did."""

from __future__ import annotations

from pathlib import Path

import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.plots import save, timevarying
from steerbo.timevarying import SquaredExponential
from tests.core.stub import Nearest, Stub
from tests.timevarying.cases import case

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("method", ["prior-elimination", "fully-bayesian", "random"])
@pytest.mark.parametrize("rounds", [0, 6])
def test_a_study(method: str, rounds: int, tmp_path: Path) -> None:
    world = case(method)
    optimizer = world.play(world.start(), rounds)
    shown = timevarying.figure(optimizer, "clarity")
    top, bottom = shown.axes
    found = {line.get_label(): line for line in top.get_lines()}
    outcomes = found["outcome"]
    if rounds and method != "random":
        notes = [r.suggestion.note for r in optimizer.history]
        assert list(found["expected"].get_ydata()) == [note["mean"] for note in notes], "the mean, not a band alone"
    assert [float(y) for y in outcomes.get_ydata()] == [r.outcome.value for r in optimizer.history if r.outcome]
    believed = "learned drift" if method == "random" else "hill"  # `random` compares no priors
    assert next(iter(bottom.get_yticklabels())).get_text().startswith(believed)
    marks = sum(len(line.get_xdata()) for line in bottom.get_lines() if line.get_marker() == "|")
    assert marks == (rounds if method != "random" else 0)
    assert save(shown, tmp_path / "new" / "study.png").stat().st_size > 1000


def test_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidProblem, match="a TimeVarying problem"):
        timevarying.figure(Optimizer(Stub(), Nearest))
    world = case("random")
    with pytest.raises(InvalidOption, match="picture file"):
        save(timevarying.figure(world.start()), tmp_path / "picture.docx2")


def test_priors_whose_names_begin_alike_are_told_apart() -> None:
    names = [f"believes in hills that move slowly with the weather, of width {w}" for w in ("one", "two")]
    priors = [sb.Prior(SquaredExponential(w), noise=0.1, name=name) for w, name in zip((0.1, 0.3), names, strict=True)]
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)], priors), seed=0)
    shown = [label.get_text() for label in timevarying.weights(optimizer).get_yticklabels()]
    assert len(set(shown)) == 2
