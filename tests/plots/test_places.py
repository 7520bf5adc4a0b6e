"""Agents on a map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.plots import pictures

pytest.importorskip("matplotlib")
from steerbo.plots.meanfield import places

AT = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [5.0, 5.0]]


def played(**more: Any) -> sb.Optimizer:
    optimizer = sb.Optimizer(sb.MeanField(("a", "b", "c", "d"), agents=18, capacity={"d": 0}, **more), "random", seed=1)
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, 1.0)
    return optimizer


def test_the_area_of_a_mark_is_the_share_of_agents_there() -> None:
    optimizer = played(action_features=AT)
    empty, full = places(optimizer).collections
    shares = list(optimizer.recommend().values["distribution"]["everyone"].values())
    assert empty.get_offsets().tolist() == [[5.0, 5.0]]
    assert full.get_offsets().tolist() == AT[:3]
    np.testing.assert_allclose(full.get_sizes() / full.get_sizes().sum(), shares[:3])


@pytest.mark.parametrize(("contexts", "panels"), [(1, 1), (2, 2), (3, 4), (9, 1)])
def test_the_page_has_a_map_where_actions_have_places_and_bars_where_not(contexts: int, panels: int) -> None:
    names = [f"context {k}" for k in range(contexts)]
    with_places = played(action_features=AT, contexts=names)
    first, *_ = pictures(with_places)
    assert "map" in first.text
    assert len(first.figure.axes) == panels
    first, *_ = pictures(played(contexts=names))
    assert "every action" in first.text


def test_bars_it_is_where_places_are_on_no_plane() -> None:
    optimizer = played(action_features=[[1.0], [2.0], [3.0], [4.0]])
    first, *_ = pictures(optimizer)
    assert "every action" in first.text
    with pytest.raises(InvalidProblem, match="action_features"):
        places(optimizer)
