"""A change is noticed, nothing else is; what is forgotten stays so after a restart, and what is told later is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield import MeanField
from steerbo.meanfield.embeddings import ROOT
from steerbo.meanfield.forgetting import outdated
from steerbo.meanfield.kernels import Inputs, PayoffKernel
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.meanfield.process import Observations, fit
from steerbo.meanfield.similarity import Similarity
from steerbo.rounds import Optimizer, Refitted

A = 4
BEFORE, AFTER = np.array([0.7, 0.1, 0.1, 0.1]), np.array([0.05, 0.05, 0.2, 0.7])


def payoff(table: np.ndarray, wanted: np.ndarray) -> float:
    return -float(((np.sqrt(table) - np.sqrt(wanted)) ** 2).sum())


def told(change_at: int, n: int = 30, seed: int = 0, newest_first: bool = False) -> tuple[PayoffKernel, Observations]:
    random = np.random.default_rng(seed)
    tables = random.dirichlet(np.ones(A), size=(n, 1))
    values = np.array([payoff(t[0], BEFORE if i < change_at else AFTER) for i, t in enumerate(tables)])
    values = (values - values.mean()) / values.std() + 0.05 * random.normal(size=n)
    order = np.arange(n)[::-1] if newest_first else np.arange(n)
    inputs = Inputs(tables[order], tables[order])
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    data = Observations(inputs, values[order], np.ones(n), tables[:5], order)
    return PayoffKernel("product", ROOT, np.ones(1), names, alone), data


@pytest.mark.parametrize("since", [5, 8, 12])
@pytest.mark.parametrize("newest_first", [False, True])
def test_a_change_is_found_where_it_was(since: int, newest_first: bool) -> None:
    kernel, data = told(30 - since, newest_first=newest_first)
    assert abs(outdated(data, kernel, fit(kernel, data, None, 30, thorough=True)[0]) - (30 - since)) <= 2


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_forgotten_where_nothing_changed(seed: int) -> None:
    kernel, data = told(0, seed=seed)
    assert outdated(data, kernel, fit(kernel, data, None, 30, thorough=True)[0]) == 0


def test_few_outcomes_are_all_kept() -> None:
    kernel, data = told(12, n=19)
    assert outdated(data, kernel, fit(kernel, data, None, 30, thorough=True)[0]) == 0
    none = Observations(Inputs(np.empty((0, 1, A)), np.empty((0, 1, A))), np.empty(0), np.empty(0), np.empty((0, 1, A)))
    assert outdated(none, kernel, fit(kernel, data, None, 3)[0]) == 0


def test_outcomes_that_are_all_alike_are_no_change() -> None:
    kernel, data = told(0)
    flat = Observations(data.inputs, np.zeros(30), data.agents, data.first)
    assert outdated(flat, kernel, fit(kernel, flat, None, 30, thorough=True)[0]) == 0


def played(rounds: int, change_at: int, **options: Any) -> Optimizer:
    problem = MeanField(("a", "b", "c", "d"), agents=60)
    optimizer = Optimizer(problem, seed=1, **options)
    go_on(optimizer, rounds, change_at)
    return optimizer


def go_on(optimizer: Optimizer, rounds: int, change_at: int = 0) -> None:
    problem: MeanField = optimizer.problem  # type: ignore[assignment]
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])[0]
        optimizer.tell(suggestion, payoff(table, BEFORE if suggestion.round <= change_at else AFTER))


def forgotten(optimizer: Optimizer) -> list[list[str]]:
    refits = [event for event in optimizer.events if isinstance(event, Refitted)]
    return [event.hyperparameters["forgotten"] for event in refits if "forgotten" in event.hyperparameters]


def test_a_demand_that_changed_is_followed() -> None:
    noticed, ignored = played(45, 25), played(45, 25, notice_changes=False)
    assert len(forgotten(noticed)) == 1
    assert 23 <= (old := len(forgotten(noticed)[0])) <= 25
    assert forgotten(ignored) == []
    problem: MeanField = noticed.problem  # type: ignore[assignment]
    reached = [payoff(problem.table(o.recommend().values["distribution"])[0], AFTER) for o in (noticed, ignored)]
    assert reached[0] > -0.02
    assert reached[0] >= reached[1]
    assert f"{old} older outcomes are forgotten since round" in noticed.explain().summary


def test_rounds_after_a_change_begin_at_random() -> None:
    optimizer = played(45, 25)
    (refit,) = [e for e in optimizer.events if isinstance(e, Refitted) and "forgotten" in e.hyperparameters]
    phases = {r.suggestion.round: r.suggestion.note["phase"] for r in optimizer.history}
    assert [phases[refit.round + k] for k in range(-1, 4)] == ["model", "start", "start", "start", "model"]


def test_what_is_forgotten_stays_so() -> None:
    """Read back from the log, after a correction of a forgotten outcome, and when data from before is added."""
    optimizer = played(45, 25)
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    one, other = optimizer._method, again._method
    assert isinstance(one, MFGPUCB)
    assert isinstance(other, MFGPUCB)
    assert one.names == other.names
    assert 20 <= (kept := len(one.names)) <= 22
    assert again.ask() == optimizer.ask()
    first, last = (list(optimizer.history)[i].suggestion for i in (0, 40))
    optimizer.amend(first, value=-0.5)
    assert len(one.names) == kept
    optimizer.amend(last, void=True)
    assert len(one.names) == kept - 1
    optimizer.add(value=-0.4, realised={"distribution": {"everyone": {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}}})
    assert one.names[-1] == "added-1"


def test_what_was_played_before_a_change_may_be_played_again() -> None:
    optimizer = played(45, 25)
    method = optimizer._method
    assert isinstance(method, MFGPUCB)
    tables = {method.key(method.counts_of(table)) for table in method.tables}
    assert tables <= method.keys
    assert len(method.keys) < 25


def test_where_not_all_outcomes_are_counted_no_change_is_noticed_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("steerbo.meanfield.method.MOST", 6)
    for notices in (True, False):
        optimizer = Optimizer(MeanField(("a", "b"), 10), "mf-gp-ucb", seed=0, notice_changes=notices)
        for _ in range(7):
            suggestion = optimizer.ask()
            assert suggestion is not None
            assert not optimizer.status.remark
            optimizer.tell(suggestion, 1.0)
        assert ("no longer noticed" in optimizer.status.remark) == notices
        assert ("no longer noticed" in str(optimizer.explain())) == notices
