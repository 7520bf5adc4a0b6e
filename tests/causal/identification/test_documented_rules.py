"""Plays follow the rules that the pages state: each default is held against its formula, round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.gp import Averaged
from tests.causal.priced import play
from tests.causal.priced_worlds import world
from tests.causal.published import figure_1


def rounds(optimizer: Optimizer) -> Any:
    """Every round's suggestion and context, with the method as it was before."""
    events = optimizer.events
    for number, event in enumerate(events):
        if event.kind == "asked":
            before = Optimizer.replay(optimizer.problem, events[:number])
            (played,) = [each for each in optimizer.history if each.suggestion.token == event.token]
            yield before, played


def test_coca_bo_plays_what_its_page_says() -> None:
    """docs/how-it-works/kinds.md: the largest mean and deviation over contexts; then the largest upper bound."""
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=3)
    environment.play(optimizer, 22, 3)
    judged, settings = 0, np.linspace(0, 1, 801)
    for before, played in rounds(optimizer):
        method, history = before._method, before.history
        if played.suggestion.note["phase"] != "paired":
            due = np.floor(np.log2(1 + len(history) / len(method.arms)))
            assert method.needs_initial_plays(np.arange(len(method.arms))) is not None or min(method.plays) < due
            continue
        index = []
        contexts = [each.suggestion.context["c"] for each in reversed(list(history)) if "c" in each.suggestion.context]
        for i, arm in enumerate(method.arms):
            assert arm.names[1:] == ("c",)
            bounds = []
            for seen in contexts[:16]:
                mean, sd = Averaged(method.models[i]).predict(np.array([[x, (seen + 1) / 2] for x in settings]))
                bounds.append(float((mean + sd).max()))
            index.append(np.mean(bounds))
        i = int(np.argmax(index))
        assert method.arms[i].scope == played.suggestion.scope or np.ptp(index) < 0.02 * abs(max(index))
        i = method.models.number[played.suggestion.scope]
        rows = np.array([[x, (played.suggestion.context["c"] + 1) / 2] for x in settings])
        mean, sd = method.models[i].predict(rows)
        own = played.suggestion.scope.set[0]
        (played_at,) = environment.problem.space.subset([own]).encode([{own: played.realised[own]}])[0]
        bound = mean + 2.0 * sd
        assert float(np.interp(played_at, settings, bound)) >= bound.max() - 1e-3 * np.ptp(bound)
        judged += 1
    assert judged > 8


def test_cheap_first_plays_what_its_page_says() -> None:
    """docs/how-to/value.md: the cheapest scope whose bound lags behind what is acceptable by what a play may teach."""
    of = world("looks")
    optimizer = play(of, sb.Optimizer(of.problem, seed=4, initial=5), 18)
    judged = 0
    for before, played in rounds(optimizer):
        method, number, note = before._method, len(before.history) + 1, played.suggestion.note
        if note["phase"] != "cheap first":
            continue
        worths = list(method.policy_values(range(len(method.arms)), {}, choosing=True))
        drawn = [method.models[i].member(method.streams.integer(number, "hyperparameters")) for i in range(len(worths))]
        assert [worth.model for worth in worths] == drawn, "by a draw of the hyperparameters"
        found = [worth.bounds(2.0, 32) for worth in worths]
        upper = np.array(
            [float(worth.model.unstandardise(each[0]).mean()) for worth, each in zip(worths, found, strict=True)]
        )
        width = np.array([2.0 * w.model.scale * each[1].mean() for w, each in zip(worths, found, strict=True)])
        np.testing.assert_allclose(np.array(note["upper"]), upper, rtol=1e-9)
        least = upper.max() - of.tolerance
        enough = [i for i in range(len(worths)) if upper[i] + width[i] >= least]
        i = method.models.number[played.suggestion.scope]
        assert i in enough
        assert method.costs.minima[i] <= 1.5 * min(method.costs.minima[k] for k in enough)
        judged += 1
    assert judged > 5


@pytest.mark.parametrize("method", ["cabo", "cobo"])
def test_published_methods_choose_by_the_likeliest_hyperparameters(method: str) -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, method, seed=0)
    environment.play(optimizer, 8, 0)
    bandit: Any = optimizer._method
    i = max(range(len(bandit.arms)), key=lambda i: len(bandit.models[i]))
    assert len(bandit.models[i].members) > 1
    assert bandit.model_to_play(i, 9) is bandit.models[i]
