"""What was set, and when: only where it matters, and as it was."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.plots import costvarying
from steerbo.plots.moving import moving
from tests.costvarying.worlds import DRIFTING, PROBLEM, drifting_case

pytest.importorskip("matplotlib")


def titles(optimizer: Any) -> list[str]:
    return [picture.title for picture in costvarying.draw(optimizer, optimizer.recommend())]


def test_settings_stand_at_their_time_and_a_ring_at_what_is_recommended() -> None:
    world = drifting_case("random")
    optimizer = world.play(world.start(), 8)
    optimizer.fail(world.ask(optimizer), cost=1)
    advice = optimizer.recommend()
    (picture,) = moving(optimizer, advice)
    name = next(name for name in advice.values if name != "line")
    axes = picture.figure.axes[0]
    marks = [(r.request["time"], r.suggestion.values[name]) for r in optimizer.history
             if name in r.suggestion.values and r.state == "told"]  # fmt: skip
    assert axes.collections[0].get_offsets().tolist() == [list(map(float, mark)) for mark in marks]
    (ring,) = axes.get_lines()
    assert optimizer.history.latest
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (optimizer.history.latest.request["time"], advice.values[name])
    best = max((r for r in optimizer.history if r.outcome), key=lambda r: r.outcome.value if r.outcome else 0.0)
    if name in best.suggestion.values:
        assert max(axes.collections[0].get_sizes()) == pytest.approx(72)
    assert titles(optimizer)[-1] == "What was set, and when"


def test_where_nothing_drifts_or_nothing_is_told_there_is_no_such_picture() -> None:
    still = drifting_case("random", PROBLEM)
    optimizer = still.start()
    for suggestion in optimizer.ask(batch=3):
        optimizer.tell(suggestion, **still.outcome(suggestion))
    assert "What was set, and when" not in titles(optimizer)
    assert "What was set, and when" not in titles(sb.Optimizer(DRIFTING, "random"))
