"""What is drawn, and what counts as the same."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.replay import agreed, differences, drawn, main

RUNS: dict[str, dict[str, Any]] = {str(i): {"key": str(i), "seconds": float(i)} for i in range(40)}


def test_a_share_is_drawn_of_what_took_no_longer() -> None:
    some = drawn(RUNS | {"best/a": {"key": "best/a"}}, 0.25, seconds=19.0, seed=1)
    assert len(some) == 5
    assert all(run["seconds"] <= 19 for run in some)
    assert some == drawn(RUNS, 0.25, seconds=19.0, seed=1) != drawn(RUNS, 0.25, seconds=19.0, seed=2)


@pytest.mark.parametrize(
    ("kept", "now", "where"),
    [
        ({"a": 1.0, "seconds": 2.0}, {"a": 1.0 + 1e-5, "seconds": 3.0}, []),
        ({"a": {"20": 1.0}}, {"a": {"20": 1.002}}, ["a.20: 1.0, now 1.002"]),
        ({"plays": [[1, 2]]}, {"plays": [[1, 3]]}, ["plays.0.1: 2, now 3"]),
        ({"plays": [1]}, {"plays": [1, 2]}, ["plays: [1], now [1, 2]"]),
        ({"a": None}, {}, []),
        ({"a": 1.0}, {}, ["a: 1.0, now None"]),
    ],
)
def test_where_runs_differ(kept: Any, now: Any, where: list[str]) -> None:
    assert list(differences(kept, now)) == where


def test_a_wing_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["replay", "nothing"])
    with pytest.raises(SystemExit):
        main()


def test_where_two_curves_part() -> None:
    kept = {"curve": [0.12131708, 0.04244978, 0.0283987, 0.0228733]}
    assert agreed(kept, {"curve": [0.12131708, 0.04244978, 0.0283986, 0.0219081]}).startswith("3 of 4 marks")
    assert agreed(kept, {"curve": [0.2, 0.04244978, 0.0283986, 0.0219081]}) == ""
    assert agreed(kept, kept).startswith("4 of 4")
    assert agreed({"noisy": 1.0}, {"noisy": 2.0}) == ""
