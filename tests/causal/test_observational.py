"""Observations without intervention."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steerbo.causal import Causal, CausalGraph
from steerbo.causal._arms import Arm
from steerbo.causal._observational import (
    AdjustedData,
    adjustment_set,
    informs,
    nearest,
    read_trial,
    teaches,
    trials_explained,
)
from steerbo.causal.models import ModelOptions
from steerbo.core import DataAdded, Fit, Optimizer, Outcome, Result, Scope, Suggestion, load
from steerbo.errors import InvalidOutcome
from steerbo.space import Float
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import rounds_csv
from steerbo.study.files.import_csv import import_csv
from tests.causal.published import FIGURE_1, figure_1
from tests.causal.worlds import FIGURE


def test_which_scopes_observations_identify() -> None:
    space = FIGURE.space
    assert adjustment_set(Arm(Scope.of({"x1": ["c"]}), FIGURE_1, space)) == ()
    assert adjustment_set(Arm(Scope.of({"x1": []}), FIGURE_1, space)) == ("c",)
    assert adjustment_set(Arm(Scope.of({"x2": ["c"]}), FIGURE_1, space)) is None, "x2 and y are confounded"


def test_observations_feed_identified_scopes_only_and_are_no_plays() -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=0)
    drawn = environment.model.sample(30, np.random.default_rng(0))
    for k in range(30):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x1", "x2", "c")})
    method = optimizer._method
    assert [len(model) for model in method.models.regressions] == [30, 0]  # type: ignore[attr-defined]
    assert not method.plays.any()  # type: ignore[attr-defined]
    assert "30 observations without intervention are used for: set x1 after looking at c" in optimizer.explain().text


def _confounded() -> tuple[Causal, dict[str, np.ndarray]]:
    """Those with a large z get a large x and do well anyway: x itself does harm, y = 3 z − x + noise."""
    graph = CausalGraph.from_text("z -> x -> y; z -> y", target="y", intervenable=["x"])
    problem = Causal(graph, [Float("x", 0, 1), Float("z", 0, 1)])
    random = np.random.default_rng(1)
    z = random.random(120)
    x = np.clip(z + 0.2 * random.standard_normal(120), 0, 1)
    return problem, {"x": x, "z": z, "y": 3 * z - x + 0.1 * random.standard_normal(120)}


def test_observations_are_adjusted_for_what_is_beside_a_scope() -> None:
    """CaBO does not look at z. Unadjusted, watching would tell it to set x to one; the effect of x is −1."""
    problem, drawn = _confounded()
    optimizer = Optimizer(problem, "cabo", seed=0)
    for k in range(120):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "z")})
    optimizer.ask()
    assert "set x (adjusted for z)" in optimizer.explain().text
    method = optimizer._method
    model = next(m for m, arm in zip(method.models.regressions, method.arms, strict=True) if arm.names == ("x",))  # type: ignore[attr-defined]
    low, high = model.predict([[0.1], [0.9]])[0]
    assert high - low == pytest.approx(-0.8, abs=0.2)
    assert low == pytest.approx(1.4, abs=0.15)
    assert np.polyfit(drawn["x"], drawn["y"], 1)[0] > 1.0, "watching alone misleads"


@pytest.mark.parametrize("looks", [True, False])
def test_adjusting_variables_are_averaged_where_the_other_columns_are_alike(looks: bool) -> None:
    """E[y | do(x), c] = x c, whether c is looked at or shared with a scope that does.

    The slope of adjusted outcomes on x c is .983 ± .026 over 40 seeds; .75 to 1.2 are eight deviations away. By all
    rows instead of those near c it was .13.
    """
    graph = CausalGraph.from_text("c -> z -> x -> y; z -> y", target="y", intervenable=["x"], contexts=["c"])
    space = Causal(graph, [Float("x", -1, 1), Float("c", -1, 1), Float("z", -1.5, 1.5)]).space
    arm = Arm(Scope.of({"x": ["c"] if looks else []}), graph, space, covariates=() if looks else ("c",))
    data, random = AdjustedData(arm, ("z",), ModelOptions().model), np.random.default_rng(0)
    c = random.uniform(-1, 1, 100)
    z = c + 0.1 * random.normal(size=100)
    x = np.clip(0.3 * z + 0.4 * random.normal(size=100), -1, 1)
    results: tuple[Result, ...] = ()
    for row in zip(x, c, z, x * z + 0.05 * random.normal(size=100), strict=True):
        told = dict(zip(("x", "c", "z", "y"), map(float, row), strict=True))
        added = DataAdded(Outcome(value=told.pop("y"), realised=told))
        results += (Result.of_data(f"added-{len(results) + 1}", added, 0, 0.0),)
    learned = data.fit(results, None)
    adjusted = [each.outcome.value for each in data.of(results, Fit(1, learned, results)) if each.outcome is not None]
    assert (x * c) @ adjusted / ((x * c) @ (x * c)) == pytest.approx(1.0, abs=0.2)


def test_neighbours_are_of_the_same_category() -> None:
    """Five of 100 rows are rare: they had been averaged with five others, and the other 95 with the oldest ten."""
    rare = np.arange(100) % 20 == 3
    kinds = rare.astype(float)[:, None]
    unordered = np.array([True])
    assert nearest(kinds - 1.0, unordered).tolist() == [3, 23, 43, 63, 83]
    common = nearest(kinds - 0.0, unordered)
    assert len(common) == 64
    assert not rare[common].any()
    assert np.diff(np.sort(common)).max() <= 3, "spread evenly"


def test_neighbours_in_numbers_are_within_their_categories() -> None:
    dose = np.linspace(0, 1, 100)
    rows = np.column_stack([dose, np.arange(100) % 50 == 7])
    near = nearest(rows - rows[40], np.array([False, True]))
    assert len(near) in {10, 11}, "the root of 100, and one as near as the tenth"
    assert np.abs(near - 40).max() <= 6
    assert sorted(nearest(rows - rows[7], np.array([False, True]))) == [7, 57]


def test_one_alone_in_its_categories_is_averaged_with_those_that_differ_least() -> None:
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
    assert nearest(rows - rows[2], np.array([True, True])).tolist() == [1, 2]
    assert nearest(rows[:1] - rows[0], np.array([True, True])).tolist() == [0], "there is no other"


def test_adjusted_observations_survive_replay_and_amendments() -> None:
    problem, drawn = _confounded()
    optimizer = Optimizer(problem, "cabo", seed=0)
    suggestion = None
    for k in range(30):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "z")})
        if k % 6 == 5:
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, 1.5 - suggestion.values.get("x", 0.5), realised={"x": 0.5, **suggestion.values})
    assert suggestion is not None
    optimizer.amend(suggestion, value=0.7)
    again = Optimizer.replay(problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    for ours, theirs in zip(optimizer._method.models.regressions, again._method.models.regressions, strict=True):  # type: ignore[attr-defined]
        np.testing.assert_array_equal(ours.outcomes, theirs.outcomes)
        assert len(ours) >= 30 or not len(ours)


def _world(a: float, n: int) -> tuple[Causal, dict[str, np.ndarray], Any]:
    """What is observed where a hidden cause of strength a moves x and y, and what a play gives."""
    graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    problem = Causal(graph, [Float("x", 0, 1), Float("c", 0, 1)])
    random = np.random.default_rng(1)
    c, u = random.random(n), random.standard_normal(n)
    x = np.clip(0.5 + 0.25 * u, 0, 1)
    y = -((x - c) ** 2) + a * u + 0.05 * random.standard_normal(n)

    def play(x: float, c: float) -> float:
        return float(-((x - c) ** 2) + a * random.standard_normal() + 0.05 * random.standard_normal())

    return problem, {"x": x, "c": c, "y": y}, play


def observed(a: float, n: int, rounds: int) -> Optimizer:
    problem, drawn, play = _world(a, n)
    optimizer = Optimizer(problem, "coca-bo", seed=0)
    for k in range(n):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "c")})
    for k in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        suggestion = optimizer.decide(suggestion, {"c": (0.37 * k) % 1.0})
        optimizer.tell(suggestion, play(suggestion.values["x"], suggestion.context["c"]))
    return optimizer


def _model(optimizer: Optimizer) -> Any:
    return optimizer._method.models.regressions[0]  # type: ignore[attr-defined]


@pytest.mark.parametrize("rows", [1, 3])
def test_a_few_observations_and_constant_columns(rows: int) -> None:
    problem, _, play = _world(0.0, 1)
    optimizer = Optimizer(problem, "coca-bo", seed=0)
    for _ in range(rows):
        optimizer.add(1.0, {"x": 0.5, "c": 0.5})
    assert optimizer.recommend().mean is not None
    for k in range(6):
        suggestion = optimizer.decide(optimizer.ask(), {"c": 0.2 * k})
        optimizer.tell(suggestion, play(suggestion.values["x"], 0.2 * k))
    assert np.isfinite(optimizer.recommend().mean or np.nan)


def test_observations_may_come_after_plays() -> None:
    optimizer = observed(0.0, 0, 6)
    problem, drawn, _ = _world(0.0, 40)
    for k in range(40):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "c")})
    assert len(_model(optimizer)) == 46
    pending = optimizer.ask(batch=2)
    assert len(pending) == 2
    optimizer.amend(next(iter(optimizer.history)).suggestion.token, value=0.0)
    again = Optimizer.replay(problem, optimizer.events)
    np.testing.assert_array_equal(_model(again).weights, _model(optimizer).weights)
    assert again.ask() == optimizer.ask()


def test_what_is_no_number_is_refused_by_name() -> None:
    optimizer = observed(0.0, 0, 0)
    with pytest.raises(InvalidOutcome, match=r"realised\.c|c"):
        optimizer.add(1.0, {"x": 0.1, "c": float("nan")})


SPACE = [Float("dose", 0, 1), Float("rest", 0, 1), Float("age", 20, 90)]


def clinic(**more: Any) -> Causal:
    """Who is ill gets much and does badly, and nobody writes down how ill: only trials tell what the dose does."""
    graph = CausalGraph.from_text("age -> dose -> y; age -> y; dose <-> y", target="y", intervenable=["dose"])
    return Causal(graph, [Float("dose", 0, 1), Float("age", 20, 90)], **more)


def asked(optimizer: Optimizer) -> Suggestion:
    suggestion = optimizer.ask()
    assert suggestion is not None
    return suggestion


def models(optimizer: Any) -> dict[str, int]:
    method = optimizer._method
    return {str(arm.scope): len(method.models[i]) for i, arm in enumerate(method.arms)}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (None, None),
        ([], None),
        (["dose"], Scope(["dose"])),
        (["dose (age)", "rest"], Scope(["dose", "rest"], {"dose": ["age"]})),
        ({"set": ["dose"], "look": {"dose": ["age"]}}, Scope(["dose"], {"dose": ["age"]})),
        (Scope(["dose"], price=3.0), Scope(["dose"])),
    ],
)
def test_what_was_set_is_read(given: Any, wanted: Scope | None) -> None:
    graph = CausalGraph.from_text("age -> dose -> y; rest -> y", target="y", intervenable=["dose", "rest"])
    problem = Causal(graph, SPACE)
    assert read_trial(given, problem.graph, problem.space) == wanted


def test_a_variable_may_have_parentheses_itself() -> None:
    graph = CausalGraph([("dose (mg)", "y")], target="y", intervenable=["dose (mg)"])
    problem = Causal(graph, [Float("dose (mg)", 0, 1)])
    assert read_trial(["dose (mg)"], problem.graph, problem.space) == Scope(["dose (mg)"])


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (["age"], "scope: 'age' is not allowed; expected a variable that can be set, one of dose"),
        (["dose (pulse)"], "scope: 'pulse' is not allowed; expected a variable that can be looked at before"),
        (["dose (dose)"], "scope: 'dose' is not allowed"),
        (["dose", "dose (age)"], "every variable once"),
        ("dose", "scope: 'dose' is not allowed; expected variables that were set"),
        (3, "scope: 3 is not allowed"),
        ([1], "expected variables that were set"),
        ({"sets": ["dose"]}, "scope"),
        (Scope((), keep=["dose"]), "scope.keep"),
    ],
)
def test_what_cannot_have_been_set_is_refused(scope: Any, said: str) -> None:
    with pytest.raises(InvalidOutcome, match=said.replace("(", "\\(").replace(")", "\\)")):
        Optimizer(clinic(), seed=0).add(1.0, {"dose": 0.5, "age": 40.0}, scope=scope)


def test_a_trial_that_lacks_what_was_set_is_refused() -> None:
    optimizer = Optimizer(clinic(), seed=0)
    with pytest.raises(InvalidOutcome, match=r"realised.dose: missing.*was set"):
        optimizer.add(1.0, {"age": 40.0}, scope=["dose"])
    with pytest.raises(InvalidOutcome, match=r"realised.age: missing.*looked at"):
        optimizer.add(1.0, {"dose": 0.4}, scope=["dose (age)"])
    with pytest.raises(InvalidOutcome, match=r"realised.time: missing.*when it was"):
        Optimizer(clinic(drift="learned"), seed=0).add(1.0, {"dose": 0.4, "age": 40.0}, scope=["dose"])
    assert not optimizer.history.data


def test_it_teaches_scopes_that_set_just_this_and_see_all_that_was_looked_at() -> None:
    graph = CausalGraph.from_text("age -> dose -> y; age -> y; rest -> y", target="y", intervenable=["dose", "rest"])
    problem = Causal(graph, SPACE)

    def arm(contexts: dict[str, list[str]]) -> Arm:
        return Arm.of(Scope.of(contexts), [problem.graph], problem.space)

    blind, looking, both = arm({"dose": []}), arm({"dose": ["age"]}), arm({"dose": ["age"], "rest": []})
    fed = {scope: [informs(scope, each) for each in (blind, looking, both)] for scope in (
        Scope(["dose"]), Scope(["dose"], {"dose": ["age"]}), Scope(["dose", "rest"]), Scope(["rest"]))}  # fmt: skip
    assert [*fed.values()] == [[True, True, False], [False, True, False], [False, False, True], [False] * 3]
    whole, part = (Outcome(1.0, None, known) for known in ({"dose": 0.5, "age": 40.0}, {"dose": 0.5}))
    one, other, lacking = (
        DataAdded(whole, scope=Scope(["dose"])),
        DataAdded(part, scope=Scope(["rest"])),
        DataAdded(part),
    )
    lacking = replace(lacking, scope=Scope(["dose"]))
    assert [teaches(lacking, each) for each in (blind, looking)] == [True, False]
    assert trials_explained([one, other, lacking], [blind, looking]) == (
        " 2 trials from elsewhere that set dose are used for: set dose; set dose after looking at age (1 of them, "
        "the others lack values)."
        " 1 trial from elsewhere that set rest is used for: no scope."
    )


def test_trials_teach_where_observations_mislead() -> None:
    """y = 2 dose − 3 illness, and doses follow illness: those who get most do worst. Trials say that most is best."""
    random = np.random.default_rng(0)
    trial, watched = (Optimizer(clinic(), "cheap-first", seed=0, initial=3) for _ in range(2))
    for optimizer, scope in ((trial, ["dose"]), (watched, None)):
        for _ in range(30):
            ill, age = random.random(), float(random.uniform(20, 90))
            dose = float(random.random() if scope else np.clip(ill + 0.05 * random.standard_normal(), 0, 1))
            optimizer.add(2 * dose - 3 * ill, {"dose": dose, "age": age}, scope=scope)
    looking = "dose after looking at age"
    assert models(watched) == {"nothing": 30, looking: 0}, "a hidden common cause: they tell nothing of what doses do"
    assert models(trial) == {"nothing": 0, looking: 30}
    trial.refit()
    step = trial.policy({"age": 40.0})
    assert step.values["dose"] > 0.8
    said = trial.explain().text
    assert "30 trials from elsewhere that set dose are used for: set dose after looking at age." in said
    assert "without intervention" not in said
    assert not trial._method.plays.any()  # type: ignore[attr-defined]


def test_trials_survive_replay_amendments_and_voids() -> None:
    graph = CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    problem = Causal(graph, [Float("dose", 0, 1), Float("age", 20, 90)])
    optimizer = Optimizer(problem, "coca-bo", seed=0)
    random = np.random.default_rng(1)
    for k in range(24):
        dose, age = float(random.random()), float(random.uniform(20, 90))
        optimizer.add(dose, {"dose": dose, "age": age}, scope=["dose"] if k % 2 else None)
        if k % 6 == 5:
            suggestion = asked(optimizer)
            while suggestion.observe:
                suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, age))
            optimizer.tell(suggestion, 0.3, realised={"dose": 0.3, "age": age})
    optimizer.amend("added-1", scope=["dose"])  # it was a trial after all
    optimizer.amend("added-2", value=7.0)
    optimizer.amend("added-4", void=True, reason="mixed up")
    again = load(optimizer.to_json())
    assert models(again) == models(optimizer)
    assert again.explain() == optimizer.explain()
    assert again.ask() == optimizer.ask()
    plays = optimizer._method.models  # type: ignore[attr-defined]
    k = next(k for k, arm in enumerate(plays.typical) if arm.actions == ("dose",))
    told = plays.rows[k].told
    assert sum(each.played is not None or each.scope is not None for each in told) == 12 + 4, (
        "twelve trials, one void, one observation that was a trial; and four plays"
    )


def test_a_table_says_what_was_set() -> None:
    """What one study has exported teaches another the same: what was set is no observation there."""
    first = Optimizer(clinic(), "cheap-first", seed=0)
    for k in range(6):
        suggestion = asked(first)
        while suggestion.observe:
            suggestion = first.decide(suggestion, dict.fromkeys(suggestion.observe, 30.0 + k))
        first.tell(suggestion, 0.1 * k, realised={"dose": 0.2, "age": 30.0 + k} | suggestion.values)
    header, *lines = rounds_csv(clinic(), first.history).splitlines()
    assert header == "token,round,state,value,cost,charged,scope,dose,age,reason"
    scopes = [line.split(",")[6:-3] for line in lines]
    assert ["dose (age)"] in scopes
    table = "\n".join([header, *("," + line.partition(",")[2] for line in lines)])
    with Study.create(MemoryLog(), clinic(), "cheap-first") as second:
        assert [line.fate for line in import_csv(second, table)] == ["taken"] * 6
        told = [played.suggestion.scope for played in first.history]
        assert [data.scope or Scope() for data in second.history.data.values()] == told
        assert next(line.message for line in import_csv(second, table)) == "added-1 (it was there already)"
        refused = import_csv(second, "value,scope,dose,age\n1,age,0.5,40\n1,dose,,40\n1,dose (age),0.5,41\n")
        assert [line.fate for line in refused] == ["refused", "refused", "taken"]


def test_explain_says_which_scopes_observations_feed() -> None:
    said = observed(0.0, 80, 3).explain()
    assert "80 observations without intervention are used for: set x after looking at c." in said.summary
    assert said.tables[0].title == "Scopes"
