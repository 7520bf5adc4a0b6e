"""Drawn studies in which traits meet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from partial_control_bench.together import KINDS, PLACES, WHO, main, page, played, world

pytestmark = pytest.mark.few_draws


@pytest.mark.parametrize("kind", KINDS)
def test_a_world_closes_the_share_that_was_drawn_and_is_the_same_again(kind: str) -> None:
    for seed in range(20):
        one, other = world(kind, seed), world(kind, seed)
        np.testing.assert_array_equal(one.places, other.places)
        closed = 1.0 - one.working(one.places).mean(), 1.0 - one.keeping(one.places).mean()
        for share, end in zip(closed, (one.works[1], one.limit[1]), strict=True):
            assert 0.0 <= share < 1.0
            assert np.isfinite(end) or share == 0.0
        allowed = one.places[one.allowed(one.places)]
        if len(allowed):
            best = allowed[one.values(allowed, 0.0).argmax()]
            assert one.worth(best, 0.0) == 1.0
        closed_ones = one.places[~one.allowed(one.places)]
        assert all(one.worth(point, 0.0) == 0.0 for point in closed_ones[:5])
        assert len(one.places) == PLACES


def test_what_was_played_is_not_played_again_and_the_page_counts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    for more in ([], [], ["--page"]):
        monkeypatch.setattr("sys.argv", ["together", str(out), "--seeds", "3:5", "--kinds", "cost-varying", *more])
        main()
    assert len(out.read_text().splitlines()) == 1 + 2 * len(WHO)
    shown = capsys.readouterr().out
    assert shown.splitlines()[2].startswith("| cost-varying | default | 2 |")
    assert page(out) in shown


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("kind", KINDS)
def test_a_study_is_played_again_to_the_same_worth(kind: str, who: str) -> None:
    row = played(kind, 1, who)
    assert row == played(kind, 1, who)
    assert 0.0 <= row["last"] <= 1.0
    assert 0.0 <= row["random"] <= 0.5
    assert 1 <= row["repeats"] <= 30
