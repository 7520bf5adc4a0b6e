"""What a scope is worth, against averages of the model by brute force."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._arms import Arm
from steerbo.causal._contexts import ContextSample
from steerbo.causal._policy_value import CostedValue, PolicyValue, fitted_at, value_of
from steerbo.causal.cheap_first import CheapOptions
from steerbo.causal.models import ArmModel
from steerbo.core import Scope
from steerbo.gp import Averaged, DriftModel
from steerbo.surrogate import ProductKernelPosterior

GRAPH = sb.CausalGraph.from_text("a -> y; b -> y; x -> y", target="y", intervenable=["x"])
SPACE = sb.Causal(GRAPH, [sb.Float(name, 0, 1) for name in ("x", "a", "b")]).space
NOTHING = np.zeros((0, 3))
CONTEXTS = np.random.default_rng(3).random((24, 2))
LOOKS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "neither": ([], ("a", "b")),
    "a": (["a"], ("b",)),
    "both": (["a", "b"], ()),
}


@cache
def model() -> ArmModel:
    """x is best at a, and b matters by itself."""
    found, random = CheapOptions().model(SPACE, None), np.random.default_rng(0)
    for x, a, b in random.random((40, 3)):
        found.add(np.array([x, a, b]), float(-3 * (x - a) ** 2 + b))
    found.set(found.fit())
    return found


def worth(looks: str, **more: Any) -> PolicyValue:
    seen, beside = LOOKS[looks]
    arm = Arm(Scope.of({"x": seen}), GRAPH, SPACE, covariates=beside)
    realised = ContextSample(CONTEXTS, np.array([False, False]))
    return PolicyValue(arm, model(), NOTHING, [ProductKernelPosterior.of(model(), NOTHING)], realised, **more)


GRID = np.linspace(0, 1, 201)


def means(weights: np.ndarray) -> np.ndarray:
    """Posterior means over rows of contexts with these weights, for each of many x, standardised."""
    rows = np.column_stack([np.repeat(GRID, len(CONTEXTS)), np.tile(CONTEXTS, (len(GRID), 1))])
    return np.asarray(model().marginals(rows)[0].reshape(len(GRID), -1) @ weights)


def test_who_looks_at_all_has_the_best_action_in_every_context() -> None:
    rows = np.column_stack([np.repeat(GRID, len(CONTEXTS)), np.tile(CONTEXTS, (len(GRID), 1))])
    mean, variance = (part.reshape(len(GRID), -1) for part in model().marginals(rows))
    for root in (0.0, 2.0):
        found, sd, price, *_ = worth("both").bounds(root, 100)
        bounds = mean + root * np.sqrt(variance)
        np.testing.assert_allclose(found, bounds.max(axis=0), atol=0.02)
        assert (found <= bounds.max(axis=0) + 1e-3).all(), "of few actions none is better than of many"
        assert (sd > 0).all()
        assert set(price) == {1.0}


def test_who_looks_at_nothing_has_one_action_for_the_average() -> None:
    best = means(np.full(len(CONTEXTS), 1 / len(CONTEXTS))).max()
    found, *_ = worth("neither").bounds(0.0, 100)
    assert len(found) == len(CONTEXTS)
    np.testing.assert_allclose(found, best, atol=0.02)


def test_to_look_at_more_is_worth_more_and_only_where_it_changes_what_is_done() -> None:
    neither, a, both = (worth(looks).bounds(0.0, 100)[0].mean() for looks in ("neither", "a", "both"))
    assert neither < a - 0.2
    assert a == pytest.approx(both, abs=0.12), "b changes nothing of what x is best"


def test_points_without_an_outcome_make_it_surer_and_no_better() -> None:
    pending = np.column_stack([CONTEXTS[:, 0], CONTEXTS])
    for looks in LOOKS:
        plain = worth(looks)
        sure = PolicyValue(plain.arm, model(), pending, [ProductKernelPosterior.of(model(), pending)], plain.contexts)
        assert sure.bounds(0.0, 100)[0] == pytest.approx(plain.bounds(0.0, 100)[0], abs=1e-6)
        assert (sure.bounds(2.0, 100)[1] < plain.bounds(2.0, 100)[1]).all()


@pytest.mark.parametrize("weights", [None, np.full(12, 1 / 12)])
def test_a_policy_is_as_unsure_as_draws_disagree_of_its_value(weights: np.ndarray | None) -> None:
    rows, few = np.random.default_rng(1).random((12, 3)), CheapOptions().model(SPACE, None, seed=0)
    for row in rows[:8]:
        few.add(row, float(-3 * (row[0] - row[1]) ** 2 + row[2]))
    few.set(few.fit())
    each = [member.predict(rows) for member in few.members]
    means, deviations = (np.array([part.mean() for part in parts]) for parts in zip(*each, strict=True))
    sampled = np.mean([found.std(ddof=1) / 12**0.5 for found, _ in each])
    mean, deviation = value_of(Averaged(few), rows, weights)
    assert mean == pytest.approx(means.mean())
    assert deviation**2 == pytest.approx((deviations**2).mean() + means.var() + sampled**2)
    assert means.var() > 0.01 * deviation**2, "what would be missed without it"


def test_only_the_latest_contexts_are_compared_over() -> None:
    both = worth("both")
    np.testing.assert_allclose(both.bounds(1.0, 5)[0], both.bounds(1.0, 100)[0][:5])


def test_a_model_of_nothing_has_one_bound() -> None:
    arm = Arm(Scope(), GRAPH, SPACE)
    constant = CheapOptions().model(None, None)
    for value in (1.0, 2.0, 3.0):
        constant.add(np.zeros(0), value)
    found = PolicyValue(
        arm, constant, np.zeros((0, 0)), [], ContextSample(np.zeros((1, 0)), np.zeros(0, dtype=bool)), fixed=4.0
    )
    bound, sd, price, short, *_ = found.bounds(2.0, 100)
    assert short.tolist() == [0.0]
    mean, variance = constant.marginals(np.zeros((1, 0)))
    assert sd == pytest.approx(np.sqrt(variance))
    assert bound == pytest.approx(mean + 2 * np.sqrt(variance))
    assert price.tolist() == [4.0]


def test_posterior_means_are_moved_to_a_time() -> None:
    timed, random = CheapOptions().model(SPACE.subset(["x"]), DriftModel.of(sb.Decay(0.1))), np.random.default_rng(0)
    for t in range(12):
        timed.add(np.array([random.random(), float(t)]), float(t))
    assert fitted_at(timed, None) == pytest.approx(timed.fitted)
    later = np.column_stack([timed.inputs[:, 0], np.full(12, 11.0)])
    np.testing.assert_allclose(fitted_at(timed, 11.0), timed.means(later))
    assert timed.inputs[0, -1] == 0.0, "what it was told stays"


BOTH_SET = sb.CausalGraph.from_text("a -> y; b -> y; x -> y; z -> y", target="y", intervenable=["x", "z"])
BOTH_SPACE = sb.Causal(BOTH_SET, [sb.Float(name, 0, 1) for name in ("x", "z", "a", "b")]).space


@cache
def model_of_two() -> ArmModel:
    """x is best between a and b, and z near b, nearer to x."""
    found, random = CheapOptions().model(BOTH_SPACE, None), np.random.default_rng(4)
    for x, z, a, b in random.random((60, 4)):
        found.add(np.array([x, z, a, b]), float(-4 * (x - (a + b) / 2) ** 2 - 2 * (z - b) ** 2 - (z - x) ** 2))
    found.set(found.fit())
    return found


def by_hand(worth: PolicyValue, sees: dict[str, str], at: dict[str, float]) -> float:
    """The model's mean where each action is chosen by the average over what it does not see, who sees less first."""
    values: dict[str, float] = {}
    for name in sorted(sees, key=lambda name: len(sees[name])):
        known = {c: at[c] for c in sees[name]}
        known |= {other: x for other, x in values.items() if set(sees[other]) <= set(sees[name])}
        free = tuple(other for other in sees if other not in known)
        held, drawn = ([j for j, c in enumerate("ab") if (c in sees[name]) is seen] for seen in (True, False))
        law = worth.contexts.conditional(held, np.array([at["ab"[j]] for j in held]), drawn)
        tried = worth._grid(free, {})
        rows = np.zeros((len(tried), len(law.weights), 4))
        for k, column in enumerate(("x", "z", "a", "b")):
            if column in free:
                rows[:, :, k] = tried[:, [free.index(column)]]
            elif column in known:
                rows[:, :, k] = known[column]
            else:
                rows[:, :, k] = law.points[:, drawn.index("ab".index(column))]
        means = model_of_two().marginals(rows.reshape(-1, 4))[0].reshape(len(tried), -1) @ law.weights
        values[name] = float(tried[means.argmax(), free.index(name)])
    return float(model_of_two().marginals(np.array([[values["x"], values["z"], at["a"], at["b"]]]))[0][0])


def of_two(sees: dict[str, str]) -> PolicyValue:
    arm = Arm(Scope.of({name: list(seen) for name, seen in sees.items()}), BOTH_SET, BOTH_SPACE)
    realised = ContextSample(CONTEXTS, np.array([False, False]))
    return PolicyValue(
        arm, model_of_two(), np.zeros((0, 4)), [ProductKernelPosterior.of(model_of_two(), np.zeros((0, 4)))], realised
    )


@pytest.mark.parametrize("sees", [{"x": "a", "z": "b"}, {"x": "b", "z": "a"}, {"x": "a", "z": "ab"}])
def test_actions_that_see_different_contexts_are_each_chosen_by_what_they_see(sees: dict[str, str]) -> None:
    found, *_ = of_two(sees).bounds(0.0, 100)
    expected = [by_hand(of_two(sees), sees, {"a": a, "b": b}) for a, b in CONTEXTS]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_what_an_action_does_not_see_it_cannot_gain_by() -> None:
    apart, all_seen = (
        of_two(sees).bounds(0.0, 100)[0].mean() for sees in ({"x": "a", "z": "b"}, {"x": "ab", "z": "ab"})
    )
    assert apart < all_seen - 0.1


GRAPH_FRONTIER = sb.CausalGraph.from_text("blood -> y; dose -> y", target="y", intervenable=["dose"])


def worths(price: Any) -> list[PolicyValue]:
    """After thirty plays of which dose helps how much: what helps best is the blood's own value."""
    problem = sb.Causal(
        GRAPH_FRONTIER, [sb.Float("dose", 0, 1), sb.Float("blood", 0, 1)], prices={"dose": price, "blood": 1}, base=1
    )
    optimizer, random = sb.Optimizer(problem, seed=0, initial=15), np.random.default_rng(0)
    for _ in range(30):
        suggestion, blood = optimizer.ask(), float(random.random())
        assert suggestion is not None
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"blood": blood})
        value = -((suggestion.values.get("dose", 0.0) - blood) ** 2)
        optimizer.tell(suggestion, value, realised={"blood": blood})
    method: Any = optimizer._state.method
    found = list(method.policy_values(range(len(method.arms)), {}))
    return [worth for worth in found if worth.arm.actions]


def reaches(least: float, found: CostedValue) -> bool:
    return found.bound >= least


def test_the_dearer_a_unit_of_money_the_cheaper_and_the_less() -> None:
    for worth in worths("4 * dose"):
        offers = [worth.at_rate(0.0, 50, rate) for rate in (0.0, 0.02, 0.1, 0.5, 10.0)]
        prices, bounds = [each.price for each in offers], [each.bound for each in offers]
        assert prices == sorted(prices, reverse=True)
        assert bounds == sorted(bounds, reverse=True)
        assert prices[-1] == worth.fixed, "nothing is set at last"


def test_the_cheapest_that_is_enough() -> None:
    """Where blood is looked at, a loss of .02 is best had where the dose is highest: brute force over what is tried."""
    for worth in worths("4 * dose"):
        best = worth.at_rate(0.0, 50)
        wanted = partial(reaches, best.bound - 0.02)
        found = worth.cheapest(0.0, 50, wanted)
        assert best.bound - 0.02 <= found.bound < best.bound - 0.005
        assert found.price < best.price - 0.3
        last, after = worth.bisect_rate(0.0, 50, wanted)
        assert after is not None
        assert after.bound < best.bound - 0.02 <= last.bound
        assert after.price == pytest.approx(last.price, abs=0.2)


def test_where_nothing_is_enough_or_nothing_varies_it_is_the_first() -> None:
    for worth in worths("4 * dose"):
        first = worth.at_rate(0.0, 50)
        assert worth.cheapest(0.0, 50, lambda each: False) == first
        assert worth.bisect_rate(0.0, 50, lambda each: True)[1] is None
    for worth in worths(2.0):
        assert worth.cheapest(0.0, 50, lambda each: True) == worth.at_rate(0.0, 50)
        assert worth.at_rate(0.0, 50).price == worth.fixed


@pytest.mark.all_draws
def test_what_is_recommended_is_what_is_set() -> None:
    """Also where at the rate that money has another hill, cheaper and not good enough, is as good."""

    def value(dose: float) -> float:
        return float(0.6 * np.exp(-(((dose - 0.2) / 0.1) ** 2)) + np.exp(-(((dose - 1.0) / 0.12) ** 2)))

    graph = sb.CausalGraph.from_text("dose -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(
        graph, [sb.Float("dose", 0, 1)], prices={"dose": "4 * dose"}, base=1, tolerance=sb.Absolute(0.1)
    )
    optimizer = sb.Optimizer(problem, seed=0, initial=1)
    for dose in np.linspace(0, 1, 21):
        optimizer.add(value(dose), realised={"dose": dose})
    for _ in range(4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, value(suggestion.values.get("dose", 0.0)))
    advice = optimizer.recommend()
    assert value(advice.values["dose"]) >= 0.89
    assert advice.cost == pytest.approx(1 + 4 * advice.values["dose"], abs=0.1)
    assert advice.mean == pytest.approx(value(advice.values["dose"]), abs=0.03)
