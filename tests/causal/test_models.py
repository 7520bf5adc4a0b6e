"""One model for every class of arms: what each is told, when it learns, and the same from the beginning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._arms import Arm
from steerbo.causal.models import ArmModels, ModelOptions, _RowCache
from steerbo.core import Optimizer, Refitted, Scope
from steerbo.errors import InvalidOption
from steerbo.gp import Constant, DriftModel, Linear, Matern32, Matern52
from steerbo.space import Space
from steerbo.surrogate import MUCH_NOISE
from tests.causal.worlds import FIGURE

GRAPH = sb.CausalGraph.from_text("c -> x -> y; c -> y; z -> y; x <-> y; z <-> y", target="y", intervenable=["x", "z"])
IDENTIFIED = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
DATA = {"x": 0.5, "z": 0.5, "c": 0.25}


def problem(graph: sb.CausalGraph = GRAPH, **more: Any) -> sb.Causal:
    names = (*graph.intervenable, *(graph.contexts or ()))
    return sb.Causal(graph, [sb.Float(name, 0, 1) for name in names], **more)


def models(of: sb.Causal, *scopes: Scope, drift: Any = None, told: Optimizer | None = None) -> ArmModels:
    arms = [Arm(scope, of.graph, of.space, timed=drift is not None) for scope in scopes]
    history = (told or Optimizer(of, "random", seed=0)).history
    return ArmModels(arms, ModelOptions().model, of.sign, history, drift=drift)


def played(rounds: int = 12, **more: Any) -> Optimizer:
    """Rounds of all arms; in round k the value is k."""
    optimizer = Optimizer(problem(**more), "random", seed=0)
    for k in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, round(0.08 * k % 1, 3)))
        optimizer.tell(suggestion, float(k), realised={"c": suggestion.context.get("c", 0.5)})
    return optimizer


def of_played(optimizer: Optimizer) -> ArmModels:
    method: Any = optimizer._method
    return models(optimizer.problem, *(arm.scope for arm in method.arms), told=optimizer)  # type: ignore[arg-type]


def learn(optimizer: Optimizer, learned: Any) -> None:
    """Take a fit over, as the log does."""
    optimizer.history.apply(Refitted(len(optimizer.history) + 1, learned))


def test_arms_with_the_same_columns_share_one() -> None:
    staged = sb.CausalGraph.from_text("x -> c -> z -> y; c -> y; x -> y", target="y", intervenable=["x", "z"])
    early, late = Scope.of({"x": [], "z": ["c"]}), Scope.of({"z": ["c"]})
    other = Scope.of({"x": [], "z": []})
    found = models(problem(staged), early, late, other, Scope.of({"z": []}), Scope())
    assert found.model_of == [0, 1, 2, 3, 4]
    apart = sb.CausalGraph.from_text("a -> y; x -> y; z -> y", target="y", intervenable=["x", "z"])
    one, two = Scope.of({"x": ["a"], "z": []}), Scope.of({"x": [], "z": ["a"]})
    shared = models(problem(apart), one, two, Scope(["x"]))
    assert shared.model_of == [0, 0, 1]
    assert [shared.number[scope] for scope in (one, two)] == [0, 1]
    assert [arm.scope for arm in shared.typical] == [one, Scope(["x"])]


@pytest.mark.parametrize("minimize", [False, True])
def test_every_play_is_told_to_the_model_of_its_arm_in_units_that_are_better_when_larger(minimize: bool) -> None:
    optimizer = played(minimize=minimize)
    found = of_played(optimizer)
    sign = -1.0 if minimize else 1.0
    for k, model in enumerate(found.regressions):
        own = [each for each in optimizer.history if found.model_of[found.number[each.suggestion.scope]] == k]
        assert model.outcomes.tolist() == [sign * (each.suggestion.round - 1) for each in own]
        assert [each.played for each in found.rows[k].told] == own
        rows = [found.typical[k].encode({**each.suggestion.context, **each.suggestion.values})[0] for each in own]
        np.testing.assert_allclose(model.inputs, np.array(rows).reshape(model.inputs.shape))


def test_from_the_beginning_it_is_the_same_with_outcomes_as_they_stand_now() -> None:
    optimizer = played()
    found, again = of_played(optimizer), of_played(optimizer)
    learned = found.refit(float)
    assert learned is not None
    learn(optimizer, learned)
    assert sum(map(len, found.regressions)) == 12, "conditioned before the corrections"
    first, second, *_ = optimizer.history
    optimizer.amend(first.suggestion, value=40.0)
    optimizer.amend(second.suggestion, void=True)
    assert sorted(v for model in found.regressions for v in model.outcomes.tolist()) == [
        *map(float, range(2, 12)),
        40.0,
    ]
    for ours, theirs in zip(found.regressions, again.regressions, strict=True):
        np.testing.assert_array_equal(ours.inputs, theirs.inputs)
        if len(ours):
            np.testing.assert_allclose(ours.predict(ours.inputs), theirs.predict(ours.inputs), rtol=1e-6)


def test_it_learns_when_due_and_what_it_learns_is_taken_over() -> None:
    optimizer = played()
    found = of_played(optimizer)
    assert of_played(played(0)).refit(float) is None, "there is nothing to learn from"
    learned = found.refit(float)
    assert learned is not None
    assert set(learned) == {"models"}
    assert set(learned["models"]) == {str(k) for k, model in enumerate(found.regressions) if len(model)}
    learn(optimizer, learned)
    assert found.refit(float) is None, "it is known"
    for k, plain in learned["models"].items():
        theta = found.regressions[int(k)].hyperparameters.to_dict()["theta"]
        assert list(map(float.fromhex, theta)) == pytest.approx(list(map(float.fromhex, plain["theta"])))


def test_what_is_decided_and_has_no_outcome_is_pending_in_its_model_but_one() -> None:
    optimizer = played(4)
    found = of_played(optimizer)
    waiting = []
    for k in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.1 * k))
        waiting.append(suggestion)
    for k in range(len(found.regressions)):
        own = [s for s in waiting if found.model_of[found.number[s.scope]] == k]
        rows = [found.typical[k].encode({**s.context, **s.values}) for s in own]
        assert len(found.pending_points(optimizer.history.unresolved, k, None)) == len(own)
        for i, s in enumerate(own):
            but = found.pending_points(optimizer.history.unresolved, k, s.token)
            np.testing.assert_allclose(but, np.concatenate([but[:0], *rows[:i], *rows[i + 1 :]]))


# -- observations without intervention ---------------------------------------------------------------------------------


def test_an_observation_is_a_row_of_every_model_that_it_tells_of_and_no_play() -> None:
    of = problem(IDENTIFIED)
    looking, confounded = Scope.of({"x": ["c"]}), problem()
    optimizer = Optimizer(of, "coca-bo", seed=0)
    found = models(of, looking, told=optimizer)
    optimizer.add(3.0, {"x": 0.5, "c": 0.25})
    optimizer.add(4.0, {"x": 0.6})
    assert found.regressions[0].outcomes.tolist() == [3.0], "of the other one c is not known"
    np.testing.assert_allclose(found.regressions[0].inputs, [[0.5, 0.25]])
    assert [each.name for each in found.rows[0].told] == ["added-1"]
    other = Optimizer(confounded, "coca-bo", seed=0)
    silent = models(confounded, Scope.of({"x": ["c"]}), told=other)
    other.add(3.0, DATA)
    assert len(silent.regressions[0]) == 0, "x and y are confounded"


def test_where_effects_change_with_time_observations_say_nothing() -> None:
    of = problem(IDENTIFIED, drift=sb.Decay(0.1))
    assert models(problem(IDENTIFIED), Scope.of({"x": ["c"]})).adjusted_for == [()]
    assert models(of, Scope.of({"x": ["c"]}), drift=of.drift).adjusted_for == [None]


def test_bounds_mean_something_as_soon_as_outcomes_tell_a_scale() -> None:
    optimizer = played()
    found = of_played(optimizer)
    assert not any(found.scaled(k) for k in range(len(found.regressions)))
    learned = found.refit(float)
    assert learned is not None
    learn(optimizer, learned)
    assert [found.scaled(k) for k in range(len(found.regressions))] == [len(model) > 1 for model in found.regressions]


def test_outcomes_that_were_doubted_are_still_doubted_after_a_correction_of_another() -> None:
    """By number they are others then: one that was amended is the last of its model."""
    of = problem(IDENTIFIED)
    optimizer = Optimizer(of, "cobo", seed=0)
    for k in range(16):
        suggestion = optimizer.decide(optimizer.ask(), {"c": round(k / 16, 3)})
        x = suggestion.values["x"]
        optimizer.tell(suggestion, 500.0 if k == 9 else x + 0.01 * (k % 3), realised={"x": x, "c": round(k / 16, 3)})
    optimizer.refit()
    method: Any = optimizer._method
    (model,) = method.models.regressions
    first, *rest = model.outcomes.tolist()
    wrong = [value for value in model.outcomes[model.doubted].tolist() if value != first]
    assert 500.0 in wrong
    optimizer.amend(next(iter(optimizer.history)).suggestion, void=True, reason="mixed up")
    (model,) = method.models.regressions
    assert model.outcomes.tolist() == rest
    assert model.outcomes[model.doubted].tolist() == wrong
    assert all(member.outcomes[member.doubted].tolist() == wrong for member in model.members)
    assert Optimizer.replay(of, optimizer.events).ask() == optimizer.ask()


MIXED = Space([sb.Float("x", 0, 1), sb.Categorical("m", ["a", "b"]), sb.Integer("n", 1, 9)])
CHOICES = Space([sb.Categorical("m", ["a", "b"])])


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"beta": -1}, "beta"),
        ({"beta": float("inf")}, "beta"),
        ({"beta": float("nan")}, "beta"),
        ({"initial": 0}, "initial"),
        ({"kernel": "rbf"}, "kernel"),
        ({"transform": "log"}, "transform"),
        ({"observations": "checked"}, "observations"),
        ({"slanted": True}, "slanted"),
    ],
)
def test_options_that_are_none_are_refused_by_name(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidOption, match=field):
        sb.Optimizer(FIGURE, "coca-bo", **options)


def test_the_least_that_is_allowed_is_allowed() -> None:
    assert ModelOptions(beta=0.0, initial=1).initial == 1


@pytest.mark.parametrize(("name", "kind"), [("matern-5/2", Matern52), ("matern-3/2", Matern32)])
def test_the_kernel_is_the_one_named_and_a_line_along_what_is_a_number(name: Any, kind: type) -> None:
    """Against the sum worked out: categories have no slope."""
    options = ModelOptions(kernel=name)
    points = np.array([[0.2, 0.0, 0.5], [0.9, 1.0, 0.1], [0.2, 1.0, 0.5]])
    matern = kind.over(MIXED.categorical)  # type: ignore[attr-defined]
    line = Linear([0, 2], variance=0.1)
    kernel = options.model(MIXED).kernel
    np.testing.assert_allclose(kernel(points, points), matern(points, points) + line(points, points))


def test_of_choices_alone_there_is_no_line_and_of_nothing_a_constant() -> None:
    options = ModelOptions()
    assert isinstance(options.model(CHOICES).kernel, Matern52)
    assert isinstance(options.model(None).kernel, Constant)


def test_a_model_of_nothing_is_the_mean() -> None:
    model = ModelOptions().model(None)
    for value in (1.0, 2.0, 6.0):
        model.add(np.zeros(0), value)
    mean, sd = model.predict(np.zeros((1, 0)))
    assert 2.0 < mean[0] < 3.5
    assert sd[0] > 0


def test_where_there_is_a_course_the_last_column_is_the_time() -> None:
    steady, moving = ModelOptions().model(MIXED), ModelOptions().model(MIXED, DriftModel.of(sb.Decay(0.5)))
    now, later = np.array([[0.2, 0.0, 0.5, 0.0]]), np.array([[0.2, 0.0, 0.5, 4.0]])
    same = moving.kernel(now, now)[0, 0]
    assert moving.kernel(now, later)[0, 0] < 0.8 * same
    assert same == pytest.approx(steady.kernel(now[:, :3], now[:, :3])[0, 0])


def test_much_is_believed_to_be_noise() -> None:
    assert ModelOptions().model(MIXED).prior.likely_noise == MUCH_NOISE


CHAIN = sb.CausalGraph.from_text("c -> x -> y; c -> y; z -> y", target="y", intervenable=["x", "z"])
FAILED = (4, 5, 6, 7)
PROBLEM = sb.Causal(CHAIN, [sb.Float(name, 0, 1) for name in "xzc"])


@pytest.fixture
def ended() -> tuple[Optimizer, Any]:
    optimizer = Optimizer(PROBLEM, "random", seed=0)
    for k in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.08 * k))
        if suggestion.round in FAILED:
            optimizer.fail(suggestion, "it broke")
        else:
            optimizer.tell(suggestion, float(k))
    return optimizer, optimizer._method


def test_a_row_is_encoded_once_and_again_where_a_round_has_changed(
    ended: tuple[Optimizer, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer, method = ended
    encoded, plain = list[Arm](), Arm.encode_rows

    def counting(arm: Arm, several: Any) -> np.ndarray:
        encoded.extend([arm] * len(several))
        return plain(arm, several)

    monkeypatch.setattr(Arm, "encode_rows", counting)
    rows = _RowCache(method.arms, method.models.number)
    told = [each for each in optimizer.history if each.state == "told"]
    for each in (*told, *told):
        arm = method.arms[rows.arm_of(each)]
        assert arm.scope == each.suggestion.scope
        np.testing.assert_array_equal(rows.point(each), plain(arm, [{**each.suggestion.context, **each.realised}])[0])
    assert len(encoded) == len(told)
    first = told[0].suggestion
    name = next(iter(first.values))
    optimizer.amend(first, realised={name: 0.123})
    encoded.clear()
    for each in optimizer.history:
        if each.state == "told":
            rows.point(each)
    assert len(encoded) == 1
    assert 0.123 in rows.point(optimizer.history[first.token])


def test_what_nobody_measured_of_a_failure_is_in_the_middle(ended: tuple[Optimizer, Any]) -> None:
    optimizer, method = ended
    rows = _RowCache([replace(arm, covariates=("c",)) for arm in method.arms], method.models.number)
    failed = [each for each in optimizer.history if each.state == "failed"]
    assert len(failed) == len(FAILED)
    for each in failed:
        unseen = replace(
            each,
            suggestion=replace(each.suggestion, context={}),
            realised={name: value for name, value in each.realised.items() if name != "c"},
        )
        assert rows.point(unseen).tolist() == [each.suggestion.values["x"], each.suggestion.values["z"], 0.5]
