"""What is known is the model that the recommendation rests on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.errors import InvalidOption, InvalidRequest
from tests.interop.examples import box, control_sets, mixed_control_sets, scopes, seen
from tests.meanfield import worlds as meanfield

pytest.importorskip("matplotlib")


def line(axes: Any) -> tuple[np.ndarray, np.ndarray]:
    """What is expected, and where."""
    shown = next(each for each in axes.get_lines() if each.get_label() == "expected")
    return np.array(shown.get_xdata(), dtype=float), np.array(shown.get_ydata(), dtype=float)


@pytest.mark.parametrize("minimize", [False, True])
def test_the_best_of_what_is_known_is_what_is_recommended(minimize: bool) -> None:
    optimizer = control_sets(minimize)
    for advice in (optimizer.recommend(), *optimizer.recommend().alternatives):
        axes = plots.known(optimizer, scope=advice.scope)
        at, mean = line(axes)
        best = int(mean.argmin() if minimize else mean.argmax())
        name = axes.get_xlabel()
        assert mean[best] == pytest.approx(advice.mean, rel=1e-2)
        assert at[best] == pytest.approx(advice.values[name], abs=0.2)
        (band,) = axes.collections
        assert band.get_label() == "two standard deviations"


def test_of_the_recommended_scope_if_nothing_is_said() -> None:
    optimizer = control_sets()
    assert plots.known(optimizer).get_xlabel() in optimizer.recommend().values
    whole = plots.known(optimizer, variable="ph", scope=["t", "ph"], value="yield (kg)")
    assert (whole.get_xlabel(), whole.get_ylabel()) == ("ph", "expected yield (kg)")


def test_axes_go_in_and_out() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert plots.known(control_sets(), axes) is axes
    with pytest.raises(InvalidOption, match=r"^ax: "):
        plots.known(control_sets(), "here")


def test_categories_and_whole_numbers_are_points() -> None:
    optimizer = mixed_control_sets()
    everything = ["temperature", "ph", "plants", "line"]
    letters = plots.known(optimizer, variable="line", scope=everything)
    assert [text.get_text() for text in letters.get_xticklabels()] == ["a", "b"]
    whole = plots.known(optimizer, variable="plants", scope=everything)
    assert list(whole.containers[0].lines[0].get_xdata()) == [1, 2, 3, 4]


def test_every_kind_with_a_model_of_a_box() -> None:
    assert plots.known(seen(), context={"weather": 12.0}).get_lines()
    assert plots.known(box(), time=20.0, prior="hill at 0.9").get_lines()
    assert plots.known(scopes()).get_lines()
    with pytest.raises(InvalidRequest, match="distribution"):
        plots.known(sb.Optimizer(meanfield.crowd()))


def test_a_variable_that_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidOption, match="variable: 'light'"):
        plots.known(control_sets(), variable="light")
