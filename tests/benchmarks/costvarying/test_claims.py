"""What the page of cost-varying results says is computed from the runs: differences, ties, counts."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.costvarying.claims import Difference, Regrets, difference, margin, page, strongest
from benchmarks.costvarying.problems import World
from benchmarks.costvarying.runner import SPENDS

SEEDS = range(3)


def constant(value: float, shift: float = 0.0) -> dict[int, list[float]]:
    """The same regret at every spend, `shift` more with every seed."""
    return {seed: [value + shift * seed] * len(SPENDS) for seed in SEEDS}


REGRETS: Regrets = {
    "explore-then-commit": constant(1.0, 0.1),
    "ucb-psq": constant(2.0, 0.2),
    "ts-psq": constant(1.0, 0.1),
    "cheap-first tolerance=0": constant(1.5),
}


def test_a_paired_difference() -> None:
    found = difference(REGRETS, "explore-then-commit", "ucb-psq", 40, tie=0.5)
    gaps = np.array([-1.0, -1.1, -1.2])
    assert found.mean == pytest.approx(gaps.mean())
    assert found.error == pytest.approx(gaps.std(ddof=1) / 3**0.5)
    assert found.verdict == "ahead"
    assert found.sure


def test_differences_within_the_margin_are_ties_and_others_need_two_errors_to_be_sure() -> None:
    assert Difference(0.4, 0.01, margin=0.5).verdict == "tied"
    assert Difference(0.6, 0.4, margin=0.5).verdict == "behind"
    assert not Difference(0.6, 0.4, margin=0.5).sure
    assert not Difference(0.6, float("nan"), margin=0.5).sure  # one seed is sure of nothing


def test_only_seeds_that_both_have_count() -> None:
    fewer: Regrets = {**REGRETS, "ucb-psq": {0: [5.0] * len(SPENDS)}}
    assert difference(fewer, "explore-then-commit", "ucb-psq", 40, tie=0.5).mean == pytest.approx(-4.0)


def test_the_strongest_other_method() -> None:
    assert strongest(REGRETS, "explore-then-commit", 20) == "ts-psq"
    assert strongest(REGRETS, "ts-psq", 20) == "explore-then-commit"


def test_the_page_counts_its_own_cells() -> None:
    text = page({"toy, moderate, 0.02": (REGRETS, 0.01)})
    assert "ahead in 4 of 4 (4 \\*), tied in 0, behind in 0" in text  # ucb-psq at 40 to 100
    assert "ahead in 0 of 4 (0 \\*), tied in 4, behind in 0" in text  # ts-psq
    assert "All cells: ahead in 0 of 5 (0 \\*), tied in 0, behind in 5 (5 \\*)." in text  # cheap-first
    assert "| ucb-psq | ahead in 0 of 5 (0 \\*), tied in 0, behind in 5 (5 \\*) |" in text  # against the best other


def test_the_margin_is_a_share_of_what_control_gains() -> None:
    world = World("hartmann")
    nothing = margin(world, 3.322) / 0.005
    assert 2.5 < nothing < 3.3  # the best is 3.322; uncontrolled it is about .3
