"""Optuna drives a cost-varying study: its trials are our rounds, and what it cannot say is refused by name."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidRequest
from steerbo.study import Study
from tests.causal.worlds import figure
from tests.costvarying.worlds import PROBLEM, SEEN
from tests.meanfield.worlds import crowd
from tests.timevarying.cases import box

optuna = pytest.importorskip("optuna")

from steerbo.interop.optuna import SteerboSampler  # noqa: E402

State = optuna.trial.TrialState


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def plant(minimize: bool = False, **more: Any) -> sb.CostVarying:
    variables = [sb.Float("t", 10, 35, law=sb.Normal(22, 3)), sb.Float("ph", 4, 8, law=sb.Uniform())]
    return sb.CostVarying(variables, [["t"], ["ph"], ["t", "ph"]], minimize=minimize, **more)


def nature(values: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    return {"t": draw.gauss(22, 3), "ph": draw.uniform(4, 8), **values}


def grown(x: dict[str, Any]) -> float:
    return float(10 - (x["t"] - 26) ** 2 / 50 - (x["ph"] - 6.5) ** 2)


def objective(sampler: SteerboSampler, seed: int = 0, sign: int = 1) -> Any:
    draw = random.Random(seed)

    def measured(trial: Any) -> float:
        values = sampler.suggest(trial)
        x = nature(values, draw)
        sampler.report(trial, cost=float(len(values)), realised=x)
        return sign * grown(x)

    return measured


def study_of(sampler: SteerboSampler, direction: str = "maximize", **more: Any) -> Any:
    return optuna.create_study(direction=direction, sampler=sampler, **more)


@pytest.mark.parametrize("minimize", [False, True])
def test_trials_are_rounds_and_end_with_the_money(minimize: bool) -> None:
    optimizer = sb.Optimizer(plant(minimize), budget=16, seed=1)
    sampler = SteerboSampler(optimizer)
    theirs = study_of(sampler, "minimize" if minimize else "maximize")
    theirs.optimize(objective(sampler, sign=-1 if minimize else 1), n_trials=100)
    assert "budget" in optimizer.status.finished
    rounds = list(optimizer.history)
    assert len(theirs.trials) == len(rounds) < 17
    for trial, played in zip(theirs.trials, rounds, strict=True):
        assert played.outcome is not None
        assert (trial.value, trial.user_attrs["cost"]) == (played.outcome.value, played.outcome.cost)
        assert trial.params == {"control set": str(played.suggestion.scope), **played.suggestion.values}
        assert played.outcome.realised == trial.user_attrs["realised"]
    with pytest.raises(InvalidRequest, match=r"budget.*revise"):
        sampler.suggest(theirs.ask())


def test_the_rounds_are_those_without_optuna() -> None:
    driven, alone = (sb.Optimizer(plant(), budget=14, seed=3) for _ in range(2))
    sampler = SteerboSampler(driven)
    study_of(sampler).optimize(objective(sampler, seed=5))
    draw = random.Random(5)
    while (suggestion := alone.ask()) is not None:
        x = nature(suggestion.values, draw)
        alone.tell(suggestion, grown(x), cost=float(len(suggestion.values)), realised=x)
    assert [r.suggestion.values for r in driven.history] == [r.suggestion.values for r in alone.history]


def test_every_kind_of_variable() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=20, seed=0)
    sampler = SteerboSampler(optimizer)

    def measured(trial: Any) -> float:
        values = sampler.suggest(trial)
        sampler.report(trial, realised={"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a", **values})
        return 1.0

    theirs = study_of(sampler)
    theirs.optimize(measured)
    assert len(theirs.trials) == 20
    full = next(t for t in theirs.trials if "plants" in t.params)
    assert isinstance(full.params["plants"], int)
    assert full.params["line"] in ("a", "b")


def test_failed_and_pruned_trials_cost_what_they_cost() -> None:
    optimizer = sb.Optimizer(plant(), budget=30, seed=1)
    sampler = SteerboSampler(optimizer)
    measured = objective(sampler)

    def breaks(trial: Any) -> float:
        if trial.number == 1:
            sampler.suggest(trial)
            sampler.report(trial, cost=2.5)
            raise optuna.TrialPruned
        if trial.number == 2:
            sampler.suggest(trial)
            raise RuntimeError("the pump broke")
        return float(measured(trial))

    study_of(sampler).optimize(breaks, n_trials=4, catch=RuntimeError)
    assert [played.state for played in optimizer.history] == ["told", "failed", "failed", "told"]
    _, pruned, broken, _ = optimizer.history
    assert (pruned.paid, broken.paid) == (2.5, None)
    assert broken.charged > 0, "nobody knows: what such a round usually costs"
    assert pruned.failure is not None
    assert pruned.failure.reason == "Optuna: pruned"


def test_what_nature_did_must_be_reported() -> None:
    optimizer = sb.Optimizer(plant(), seed=1)
    sampler = SteerboSampler(optimizer)

    def silent(trial: Any) -> float:
        return float(len(sampler.suggest(trial)))

    theirs = study_of(sampler)
    with pytest.raises(InvalidOutcome, match="realised"):
        theirs.optimize(silent)
    (trial,), (played,) = theirs.trials, optimizer.history
    assert (trial.value, played.state) == (1.0, "open"), "told by hand, nothing is lost"


def test_half_of_a_control_set_is_none() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("t", 0, 1), sb.Float("ph", 4, 8)], [["t", "ph"]]), seed=1)
    sampler = SteerboSampler(optimizer)

    def forgets(trial: Any) -> float:
        trial.suggest_categorical("control set", ["t + ph"])
        return float(trial.suggest_float("t", 0, 1))

    with pytest.raises(InvalidOutcome, match="ph"):
        study_of(sampler).optimize(forgets, n_trials=1)
    assert optimizer.status.told == 0


def test_enqueued_trials_are_data() -> None:
    optimizer = sb.Optimizer(plant(), budget=20, seed=1)
    sampler = SteerboSampler(optimizer)
    theirs = study_of(sampler)
    theirs.enqueue_trial({"control set": "ph", "ph": 6.25})
    theirs.optimize(objective(sampler), n_trials=2)
    (added,) = optimizer.history.added
    assert added.realised["ph"] == 6.25
    (data,) = optimizer.history.data.values()
    assert data.scope == sb.core.Scope(["ph"])
    assert optimizer.status.spent == 1.0 + float(len(theirs.trials[1].params) - 1)
    assert optimizer.status.told == 1


def test_a_parameter_that_is_left_to_nature_is_refused() -> None:
    sampler = SteerboSampler(sb.Optimizer(plant(), seed=1))
    trial = study_of(sampler).ask()
    values = sampler.suggest(trial)
    (left,) = {"t", "ph"} - set(values)
    with pytest.raises(InvalidRequest, match=f"parameter: '{left}'"):
        trial.suggest_float(left, *{"t": (10, 35), "ph": (4, 8)}[left])
    with pytest.raises(InvalidRequest, match="parameter: 'light'"):
        trial.suggest_float("light", 0, 1)


def test_other_bounds_are_refused() -> None:
    sampler = SteerboSampler(sb.Optimizer(plant(), seed=1))
    trial = study_of(sampler).ask()
    trial.suggest_categorical("control set", ["t", "ph", "t + ph"])
    (name,) = sampler._asked[0].values
    with pytest.raises(InvalidRequest, match=rf"parameter\.{name}.*FloatDistribution"):
        trial.suggest_float(name, 100, 200)


@pytest.mark.parametrize(
    ("problem", "why"),
    [(box(), "what time it is"), (figure("coca-bo").problem, "looked at"), (crowd(), "sum to one"), (SEEN, "weather")],
)
def test_what_trials_cannot_say_is_refused(problem: Any, why: str) -> None:
    with pytest.raises(InvalidOption, match=why):
        SteerboSampler(sb.Optimizer(problem))


def test_another_aim_is_refused() -> None:
    sampler = SteerboSampler(sb.Optimizer(plant()))
    with pytest.raises(InvalidOption, match="direction: 'minimize' is not allowed; expected 'maximize'"):
        study_of(sampler, "minimize").ask()
    with pytest.raises(InvalidOption, match="direction"):
        optuna.create_study(directions=["maximize", "maximize"], sampler=sampler).ask()
    with pytest.raises(InvalidOption, match="control_set"):
        SteerboSampler(sb.Optimizer(plant()), control_set="ph")


def test_sets_whose_names_read_alike_are_told_apart() -> None:
    names = ("a", "b", "a + b")
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=sb.Uniform()) for name in names], [["a", "b"], ["a + b"]])
    sampler = SteerboSampler(sb.Optimizer(problem, "random", rounds=6, seed=0))
    theirs = study_of(sampler)

    def measured(trial: Any) -> float:
        sampler.report(trial, realised={**dict.fromkeys(names, 0.5), **sampler.suggest(trial)})
        return 1.0

    theirs.optimize(measured)
    assert {t.params["control set"]: len(t.params) for t in theirs.trials} == {"1: a + b": 3, "2: a + b": 2}


def test_a_study_on_disk_goes_on_in_another_process(tmp_path: Path) -> None:
    place, problem = tmp_path / "study.db", plant()
    with Study.create(place, problem, budget=12, seed=2) as ours:
        sampler = SteerboSampler(ours)
        study_of(sampler).optimize(objective(sampler), n_trials=3)
    with Study.open(place) as ours:
        sampler = SteerboSampler(ours)
        study_of(sampler).optimize(objective(sampler, seed=1))
        assert ours.status.told == ours.status.rounds > 3
        assert "budget" in ours.status.finished


def test_a_report_that_cannot_be_used_does_not_hide_why_a_trial_failed() -> None:
    optimizer = sb.Optimizer(plant(), budget=9, seed=1)
    sampler = SteerboSampler(optimizer)

    def breaks(trial: Any) -> float:
        sampler.suggest(trial)
        sampler.report(trial, cost=-3, realised={"light": 1.0})
        raise RuntimeError("the pump broke")

    with pytest.raises(RuntimeError, match="pump"):
        study_of(sampler).optimize(breaks, n_trials=1)
    (played,) = optimizer.history
    assert (played.state, played.paid) == ("failed", None)


@pytest.mark.parametrize("on_disk", [False, True])
def test_threads_take_turns(on_disk: bool, tmp_path: Path) -> None:
    with ExitStack() as stack:
        study: Any = sb.Optimizer(plant(), "random", rounds=12, seed=1)
        if on_disk:
            study = stack.enter_context(Study.create(tmp_path / "study.db", plant(), "random", rounds=12, seed=1))
        sampler = SteerboSampler(study)
        theirs = study_of(sampler)
        measured = objective(sampler)

        def one(_: int) -> None:
            trial = theirs.ask()
            theirs.tell(trial, measured(trial))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(one, range(12)))
        assert study.status.told == 12
        assert len({played.suggestion.token for played in study.history}) == 12
