"""Runs are kept, taken up again, and told as they are."""

from __future__ import annotations

import json

from benchmarks.meanfield.results import jobs, label, page
from benchmarks.meanfield.runner import Job, play


def test_scores_are_noise_free() -> None:
    """The best so far never falls, though what is told is noisy."""
    clear, noisy = (play(Job("swarm", "random", 3, rounds=40, noise=noise)) for noise in (0.0, 5.0))
    assert clear["best"] == noisy["best"]
    assert clear["best"]["20"] <= clear["best"]["40"]


def test_the_page_says_what_was_met_and_missed() -> None:
    marks = ("20", "40", "80", "160", "250")
    run = {
        "key": Job("swarm", "mf-gp-ucb", 10).key,
        "seconds": 1.0,
        "distinct": 250,
        **{what: dict.fromkeys(marks, 0.995) for what in ("best", "worst", "now", "answer", "payoff")},
    }
    text = page([run])
    assert "| swarm | 80 | 0.99 | 0.9950 (1) | 0.9950 | met |" in text
    assert "missed by 0.0040" in text


def test_rows_are_told_apart() -> None:
    rows = {(job.problem, label(json.loads(job.key))) for job in jobs(full=True)}
    assert ("swarm", "mf-gp-ucb, 2 % noise") in rows
    assert ("swarm", "mf-gp-ucb (paper's acquisition and kernel, β = 2)") in rows
    assert ("arena", "mf-gp-ucb (paper's acquisition and kernel, β = 2), one agent's payoff") in rows
    assert ("new-york-394", "mf-gp-ucb, 2 % noise") in rows


def test_one_agent_tells_less_than_the_population() -> None:
    """The same random tables are played; only what is told of them differs."""
    whole, one = (Job("arena", "random", 4, rounds=20, feedback=kind) for kind in ("population", "representative"))
    assert play(whole)["best"] == play(one)["best"]
    assert play(whole)["worst"]["20"] <= play(whole)["now"]["20"]
