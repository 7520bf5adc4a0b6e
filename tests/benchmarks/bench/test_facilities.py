"""Facilities among the places of a network that others made."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from partial_control_bench.errors import BenchError
from partial_control_bench.facilities import Network, main, page, played, ways

RING = "5 6 2\n1 2 3\n2 3 1\n3 4 1\n4 5 1\n5 1 1\n1 2 2\n"
"""Five places in a ring; the road between the first two is 2 long, as it is said last."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "ring.txt"
    found.write_text(RING)
    return found


def test_ways_are_the_shortest(file: Path) -> None:
    between = ways(file)
    np.testing.assert_array_equal(between, between.T)
    np.testing.assert_array_equal(between[0], [0, 2, 3, 2, 1])


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    for k, text in enumerate(("", "5 6\n1 2 3\n", "2 1 1\n1 7 3\n", "a b c\n")):
        wrong = tmp_path / f"{k}.txt"
        wrong.write_text(text)
        with pytest.raises(BenchError, match="places, roads and facilities"):
            ways(wrong)


def test_the_best_is_the_best_of_all(file: Path) -> None:
    world = Network(ways(file), 2)
    assert world.best() == min(world.cost([*pair]) for pair in itertools.product(range(5), repeat=2))


@pytest.mark.parametrize("who", ["default", "additive", "one moved"])
def test_a_study_is_played_again_to_the_same_losses(file: Path, who: str) -> None:
    row = played(ways(file), "2/5/6", 3, who)
    assert row == played(ways(file), "2/5/6", 3, who)
    assert 0 <= row["plays"] < 3
    assert row["answer"] >= 0


def test_what_was_played_is_not_played_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    asked = ["facilities", str(out), str(file), "--seeds", "0:2", "--only", "2/5/5", "--who", "default", "one moved"]
    for _ in range(2):
        monkeypatch.setattr("sys.argv", asked)
        main()
    assert len(out.read_text().splitlines()) == 1 + 2 * 2
    assert "| 2/5/5 | one moved |" in page(out)
    monkeypatch.setattr("sys.argv", ["facilities", str(out)])
    with pytest.raises(SystemExit):
        main()
    assert "pmed1.txt" in capsys.readouterr().err
