"""Listed settings within a limit on an outcome."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steerbo as sb
from partial_control_bench.limited import WHO, Table, drawn, main, page, played

pytestmark = pytest.mark.few_draws


def small(noise: float = 0.0) -> Table:
    """Four settings, of which the second and third keep the limit."""
    variables = (sb.Integer("a", 0, 3),)
    points = np.linspace(0, 1, 4)[:, None]
    outcomes = np.array([[5.0, 7.0], [0.0, 2.0], [1.0, 1.0], [9.0, 9.0]])
    return Table(variables, points, np.array([4.0, 1.0, 2.0, 3.0]), outcomes, 1.0, 0.8, (0.0, noise))


def test_a_play_is_worth_the_settings_within_the_limit_that_it_is_no_worse_than() -> None:
    assert [small().worth(k) for k in range(4)] == [0.0, 0.5, 1.0, 0.0]
    assert [small().probability(k) for k in range(4)] == [0.0, 0.5, 1.0, 0.0]
    assert small(noise=1.0).probability(2) == 0.5
    assert [small().number({"a": a}) for a in range(4)] == [0, 1, 2, 3]


def test_a_drawn_table_is_the_same_again_and_some_of_it_keeps_the_limit() -> None:
    for seed in range(12):
        one, other = drawn(seed), drawn(seed)
        np.testing.assert_array_equal(one.outcomes, other.outcomes)
        kept = float((one.outcomes[:, 0] <= one.at_most).mean())
        assert 0.15 < kept < 0.8
        best = int(np.where(one.outcomes[:, 0] <= one.at_most, one.values, -np.inf).argmax())
        assert one.worth(best) == 1.0


def test_what_was_played_is_not_played_again_and_the_page_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    for more in ([], [], ["--page"]):
        monkeypatch.setattr("sys.argv", ["limited", str(out), "--seeds", "4:6", "--worlds", "drawn", *more])
        main()
    assert len(out.read_text().splitlines()) == 1 + 2 * len(WHO)
    shown = capsys.readouterr().out
    assert [line.split(" | ")[:3] for line in shown.splitlines()[2:]] == [
        ["| drawn", "default", "2"],
        ["| drawn", "one moved", "2"],
    ]
    assert page(out) in shown


@pytest.mark.parametrize("who", WHO)
def test_a_study_is_played_again_to_the_same_worth(who: str) -> None:
    row = played("drawn", 2, who)
    assert row == played("drawn", 2, who)
    assert 0.0 <= row["plays"] <= 1.0
    assert 0.0 <= row["kept"] <= 1.0
