"""Which posterior is handed over, and what is refused by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidRequest
from steerbo.interop.posteriors import PosteriorQuery, posterior, posterior_of
from steerbo.study import Study
from steerbo.timevarying import Bumps
from tests.interop.examples import box, control_sets, drifting, played, scopes, seen
from tests.meanfield import worlds as meanfield
from tests.timevarying import cases


def found(optimizer: sb.Optimizer, **which: Any) -> Any:
    return posterior_of(optimizer._method, PosteriorQuery(**which))


def refused(optimizer: sb.Optimizer, field: str, **which: Any) -> str:
    with pytest.raises(InvalidRequest) as caught:
        found(optimizer, **which)
    assert str(caught.value).startswith(f"{field}: ")
    return str(caught.value)


def test_kinds_without_a_process_over_a_box_are_refused_by_name() -> None:
    assert "distribution" in refused(played(meanfield.case("mf-gp-ucb")), "method")
    assert "list of points" in refused(played(cases.case("prior-elimination")), "variables")


@pytest.mark.parametrize(
    ("optimizer", "field", "which"),
    [
        (control_sets, "time", {"time": 3.0}),
        (control_sets, "prior", {"prior": "smooth"}),
        (control_sets, "context", {"scope": ["t"], "context": {"weather": 3.0}}),
        (control_sets, "context", {"context": {"weather": 3.0}}),
        (box, "scope", {"scope": ["x"]}),
        (box, "prior", {"prior": "hill at 0.7"}),
        (scopes, "time", {"time": 3.0}),
        (scopes, "scope", {}),
        (scopes, "scope", {"scope": sb.core.Scope(["nothing"])}),
    ],
)
def test_what_a_kind_does_not_have_is_refused(optimizer: Any, field: str, which: dict[str, Any]) -> None:
    assert "expected" in refused(optimizer(), field, **which)


def test_a_control_set_that_is_none_is_refused() -> None:
    with pytest.raises(sb.SteerboError, match=r"humidity.*one of t, ph"):
        found(control_sets(), scope=["t", "humidity"])


def test_what_is_seen_is_needed_for_an_expected_value() -> None:
    with pytest.raises(sb.SteerboError, match=r"context\.weather"):
        found(seen(), scope=["temperature"])


def test_outcomes_without_noise_at_the_same_point() -> None:
    variables = [sb.Float("t", 0, 1, law=sb.Uniform()), sb.Float("ph", 0, 1, law=sb.Uniform())]
    optimizer = sb.Optimizer(sb.CostVarying(variables, [["t"], ["t", "ph"]]), seed=0)
    for k in range(12):
        optimizer.add(1.0 + (k % 3), realised={"t": 0.1 * (k % 3), "ph": 0.5})
    posteriors = [found(optimizer), found(optimizer, scope=["t"]), found(optimizer, scope=["t", "ph"])]
    for each in posteriors:
        mean, covariance = each.moments(np.linspace(0, 1, 7)[:, None] * np.ones(len(each.columns.names)))
        assert np.isfinite(mean).all()
        assert np.linalg.eigvalsh(covariance).min() > -1e-6 * covariance.max()


def test_a_study_is_read_as_others_have_left_it(tmp_path: Path) -> None:
    problem = sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])
    with Study.create(tmp_path / "study.db", problem) as mine, Study.open(tmp_path / "study.db") as other:
        other.add(3.0, realised={"ph": 5.0})
        assert posterior(mine, PosteriorQuery()).inputs.shape == (1, 1)


def test_a_scope_can_be_said_in_words() -> None:
    optimizer = scopes()
    scope = optimizer.recommend().scope
    assert found(optimizer, scope=str(scope)).columns.names == found(optimizer, scope=scope).columns.names


def test_priors_see_a_box_as_they_believe() -> None:
    optimizer = box()
    early, late = (found(optimizer, prior="hill at 0.9", time=t).moments(np.array([[0.5]])) for t in (16.0, 1e6))
    assert early[1] < late[1], "what was seen is forgotten"
    hill = Bumps(centres=[[0.1], [0.5], [0.9]], heights=[0.1, 0.1, 0.3], width=0.1)
    assert late[0] == pytest.approx(hill(np.array([[0.5]])), abs=1e-6)
    assert late[1] == pytest.approx(1.0, abs=1e-6)


def test_a_control_set_whose_optimum_moves() -> None:
    optimizer = drifting()
    for advice in (optimizer.recommend(), *optimizer.recommend().alternatives):
        alone = found(optimizer, scope=advice.scope)
        point = alone.columns.encode(advice.values)[None]
        assert alone.moments(point)[0] == pytest.approx(advice.mean, rel=1e-6)
        later = found(optimizer, scope=advice.scope, time=1e6)
        assert later.moments(point)[1] > alone.moments(point)[1]
    model, whole = optimizer._method.model, replace(found(optimizer), members=())  # type: ignore[attr-defined]
    points = np.random.default_rng(0).random((4, 2))
    mean, sd = model.predict(np.column_stack([points, np.full(4, 18.0)]))
    ours = whole.moments(points)
    assert ours[0] == pytest.approx(mean, rel=1e-6)
    assert np.sqrt(np.diag(ours[1])) == pytest.approx(sd, rel=1e-4)


def causal(**more: Any) -> sb.Optimizer:
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    return sb.Optimizer(sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)], **more), seed=0)


def test_effects_that_change_with_time_are_those_of_a_time() -> None:
    optimizer = causal(drift=sb.Decay(0.1))
    for time in range(6):
        suggestion = optimizer.ask(time=2.0 * time)
        assert suggestion is not None
        suggestion = optimizer.decide(suggestion, {"age": 30.0 + 5 * time})
        optimizer.tell(suggestion, float(time))
    scope, points = optimizer.recommend().scope, np.random.default_rng(0).random((4, 2))
    model: Any = optimizer._method.models[0]  # type: ignore[attr-defined]
    for when in (None, 10.0, 30.0):
        mean, covariance = replace(found(optimizer, scope=scope, time=when), members=()).moments(points)
        ours, sd = model.predict(np.column_stack([points, np.full(4, 10.0 if when is None else when)]))
        assert mean == pytest.approx(ours, rel=1e-9)
        assert np.sqrt(np.diag(covariance)) == pytest.approx(sd, rel=1e-6)


def test_forgetting_methods_hand_over_what_they_remember() -> None:
    optimizer = played(cases.case("sw-gp-ucb", cases.box(), confidence=2.0, window=3, prior="hill at 0.5"))
    assert found(optimizer).inputs.shape == (3, 1)
