"""CoCa-BO's index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.causal import Causal, CausalGraph
from steerbo.core import Optimizer
from steerbo.errors import InvalidOption
from steerbo.space import Float
from tests.causal.many_arms import graph_of, model_of
from tests.causal.published import cosine, figure_1
from tests.causal.worlds import FIGURE

pytestmark = pytest.mark.few_draws


def test_no_arm_is_neglected_for_long() -> None:
    environment = cosine()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=100)
    environment.play(optimizer, 60, 100)
    plays = optimizer._method.plays  # type: ignore[attr-defined]
    assert plays.min() >= np.floor(np.log2(60 / 2))


def test_the_index_is_the_average_over_contexts_of_the_largest_bound() -> None:
    """One deviation of a mixture of draws, drawn up by hand."""
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=4)
    environment.play(optimizer, 30, 4)
    method: Any = optimizer._method
    for i in range(2):
        seen = [row["c"] for row in method.contexts(i, {})]
        bounds = []
        for c in seen:
            rows = np.array([[x, (c + 1) / 2] for x in np.linspace(0, 1, 201)])
            means, sds = np.array([each.predict(rows) for each in method.models[i].members]).transpose(1, 0, 2)
            mean = means.mean(axis=0)
            bounds.append((mean + np.sqrt((sds**2 + (means - mean) ** 2).mean(axis=0))).max())
        assert method.arm_value(i, {}) == pytest.approx(np.mean(bounds), rel=2e-3)


def test_the_logged_index_is_in_the_users_units() -> None:
    """Mirrored values, where smaller ones are better, have the mirrored index, that of the explanation."""
    graph, notes = CausalGraph.from_text("x -> y; x <-> y", target="y", intervenable=["x"]), []
    for sign in (1, -1):
        optimizer = Optimizer(Causal(graph, [Float("x", 0, 1)], minimize=sign < 0), "coca-bo", seed=0)
        for k in range(12):
            suggestion = optimizer.ask()
            x = suggestion.values.get("x", 0.1 * (k % 10))
            optimizer.tell(suggestion, sign * (5 - (x - 0.5) ** 2 + 0.01 * (-1) ** k), realised={"x": x})
        notes.append(optimizer.ask().note["index"])
    assert all(4 < each < 6 for each in notes[0])
    assert notes[1] == pytest.approx([-each for each in notes[0]])


def test_the_index_that_is_explained_is_that_of_the_next_choice() -> None:
    """It was called the policy's bound, and stood below the value that the answer states."""
    graph = CausalGraph.from_text("x -> y; x <-> y", target="y", intervenable=["x"])
    optimizer = Optimizer(Causal(graph, [Float("x", 0, 1)]), "coca-bo", seed=0)
    for k in range(12):
        suggestion = optimizer.ask()
        x = suggestion.values.get("x", 0.1 * (k % 10))
        optimizer.tell(suggestion, 5 - (x - 0.5) ** 2 + 0.01 * (-1) ** k, realised={"x": x})
    why = optimizer.explain()
    assert why.tables[0].columns == ("scope", "rounds", "index")
    assert "The next scope is the one with the best index: " in why.summary
    assert [row[2] for row in why.tables[0].rows] == pytest.approx(optimizer.ask().note["index"])


def test_one_scope_has_no_index() -> None:
    graph = CausalGraph.from_text("x -> y", target="y", intervenable=["x"])
    optimizer = Optimizer(Causal(graph, [Float("x", 0, 1)]), "coca-bo", seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    assert optimizer.explain().tables[0].columns == ("scope", "rounds")


MANY = graph_of(100)


def _many(**options: Any) -> Optimizer:
    variables = [Float(name, -1, 1) for name in MANY.names if name != MANY.target]
    return Optimizer(Causal(MANY, variables), "coca-bo", seed=0, **options)


def test_many_arms_share_first_plays() -> None:
    """Twenty variables and five actions: 18 arms, which would want 267 first plays."""
    optimizer, model = _many(), model_of(MANY, 100)
    played, phases = set(), []
    for t in range(60):
        suggestion = optimizer.ask()
        assert suggestion is not None
        nature = model.play(t)
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, nature.look(suggestion.observe, suggestion.values))
        optimizer.tell(suggestion, nature.outcome(suggestion.values))
        played.add(suggestion.scope)
        phases.append(suggestion.note["phase"])
    assert len(played) == 18
    first = phases.index("paired")
    assert first <= 44, "scopes with the same columns share a model, and what it was told"
    assert phases[first:].count("first plays") < 6, "an arm that is neglected"
    assert "44 initial rounds of the 267 asked for" in optimizer.explain().text


def test_an_arm_with_few_outcomes_is_as_unsure_as_their_mean_is() -> None:
    """It counts as their mean, that of all arms being one more outcome, and a standard deviation of such a mean."""
    optimizer, random, told = _many(first_plays=6), np.random.default_rng(0), []
    for _ in range(7):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.1))
        told.append(float(random.standard_normal()))
        optimizer.tell(suggestion, told[-1])
    index = [row[2] for row in optimizer.explain().tables[0].rows][1:]  # one outcome is enough for the first
    models, counts = [*optimizer._method.models][1:], set()  # type: ignore[attr-defined]
    for value, model in zip(index, models, strict=True):
        n = len(model.outcomes) + 1  # scopes with the same columns share a model
        mean = (model.outcomes.sum() + np.mean(told)) / n
        assert value == pytest.approx(mean + np.std(told) / np.sqrt(n), rel=1e-9)
        counts.add(n)
    assert len(counts) > 1, "with one count for all the order of arms would not tell"


def test_arms_that_nobody_has_played_yet_are_tried_where_there_are_more_than_first_plays() -> None:
    optimizer, random, scopes = _many(first_plays=6), np.random.default_rng(0), []
    for _ in range(30):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.1))
        optimizer.tell(suggestion, float(random.standard_normal()))
        scopes.append(suggestion.scope)
    assert len(set(scopes[:6])) == 6
    assert len(set(scopes)) > 9
    assert np.isfinite(optimizer.recommend().mean or np.nan)
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()


def test_what_is_run_says_how_many_plays_are_for_a_start() -> None:
    def said(optimizer: Optimizer) -> str:
        return dict(optimizer._method.describe())["arms"]

    assert said(Optimizer(FIGURE, "coca-bo")) == "2 policy scopes; 6 initial rounds"
    assert said(_many()) == "18 policy scopes; 44 initial rounds of the 267 asked for (first_plays = 50)"
    assert said(Optimizer(FIGURE, "random")) == "2 policy scopes; every round is drawn at random"


def test_the_search_for_scopes_has_a_limit() -> None:
    optimizer = _many(limit=3)
    assert [found.kind for found in optimizer.status.findings if found.kind == "scopes-left"] == ["scopes-left"]
    assert optimizer.ask() is not None
    for option in ("limit", "first_plays"):
        with pytest.raises(InvalidOption, match=option):
            _many(**{option: 0})
