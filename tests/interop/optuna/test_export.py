"""The export: Optuna reads from it what our log says, in all four wings."""

from __future__ import annotations

import gc
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import steerbo as sb
from steerbo.costvarying import CostVarying
from steerbo.errors import InvalidOption
from steerbo.meanfield import MeanField
from steerbo.space import Categorical, Float, Integer, Uniform
from steerbo.study import MemoryLog, Study
from steerbo.testing import Case
from tests.cli.calls import call, refused
from tests.core.stub import Stub
from tests.meanfield import worlds as meanfield
from tests.study.files import MEASURE, write_function
from tests.torture.kills import WINGS

optuna = pytest.importorskip("optuna")
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402

from steerbo.interop.optuna.export import distribution  # noqa: E402

COMPLETE, FAIL, RUNNING = (optuna.trial.TrialState[name] for name in ("COMPLETE", "FAIL", "RUNNING"))


def played(case: Case) -> Study:
    """Rounds told, failed, voided, abandoned and open, and added data."""
    method = case.method if isinstance(case.problem, Stub) else "random"
    study = Study.create(MemoryLog(), case.problem, method, rounds=9, seed=3)
    case.play(study.optimizer, 3)
    study.fail(case.ask(study.optimizer), "the pump broke", cost=2.0)
    case.play(study.optimizer, 1)
    study.amend(list(study.history)[-1].suggestion, void=True)
    study.abandon(case.ask(study.optimizer))
    case.ask(study.optimizer)
    if case.added is not None:
        value = case.outcome(next(iter(study.history)).suggestion)["value"]
        study.add(value, case.added)
    return study


@pytest.mark.parametrize("wing", WINGS)
def test_every_wing(wing: str) -> None:
    case, _ = WINGS[wing]
    study = played(case)
    exported = study.to_optuna()
    assert exported.direction.name == ("MINIMIZE" if case.problem.minimize else "MAXIMIZE")
    rounds, trials = list(study.history), exported.trials
    assert [t.state for t in trials[:7]] == [COMPLETE] * 3 + [FAIL, FAIL, FAIL, RUNNING]
    assert [t.user_attrs["state"] for t in trials[:7]] == [r.state for r in rounds]
    assert [t.user_attrs["token"] for t in trials[:7]] == [r.suggestion.token for r in rounds]
    assert [t.value for t in trials[:3]] == [r.outcome.value for r in rounds[:3] if r.outcome]
    assert trials[3].user_attrs["reason"] == "the pump broke"
    assert trials[3].user_attrs["cost"] == 2.0
    assert [t.value for t in trials[3:7]] == [None] * 4
    assert len(trials) == 7 + len(study.history.added)
    for trial, r in zip(trials, rounds, strict=False):
        assert trial.user_attrs.get("context", {}) == dict(r.suggestion.context)
        if wing != "mean-field":
            assert trial.params == r.suggestion.values
    best = max((t for t in trials if t.value is not None), key=lambda t: case.problem.sign * t.value)
    assert exported.best_value == best.value
    assert exported.user_attrs["method"] == study.history.created.method
    assert exported.user_attrs["problem"]["kind"] == case.problem.kind


def test_shares_are_parameters() -> None:
    case = meanfield.case("random", meanfield.crowd(feedback="agents"))
    study = Study.create(MemoryLog(), case.problem, "random", rounds=9)
    case.play(study.optimizer, 1)
    (trial,) = study.to_optuna().trials
    (r,) = study.history
    assert isinstance(case.problem, MeanField)
    assert r.outcome is not None
    assert trial.value == case.problem.average(r.outcome)
    assert trial.user_attrs["outcome"] == r.outcome.value
    night = r.suggestion.values["distribution"]["night"]
    assert {a: trial.params[f"night/{a}"] for a in "abcd"} == {a: night.get(a, 0.0) for a in "abcd"}


def test_kinds_of_variables() -> None:
    variables: list[Any] = [
        Float("t", 1, 100, scale="log", law=Uniform()),
        Integer("n", 1, 9, law=Uniform()),
        Categorical("line", ["a", "b"], law=Uniform()),
    ]
    problem = CostVarying(variables, [["t", "n", "line"], ["n"]], minimize=True)
    study = Study.create(MemoryLog(), problem, "random", rounds=9)
    study.add(1.0, {"t": 0.5, "n": 12, "line": "b"})
    for _ in range(5):
        suggestion = study.ask()
        study.tell(suggestion, 2.0, realised={"t": 3.0, "n": 2, "line": "a", **suggestion.values})
    *trials, added = study.to_optuna().trials
    assert {frozenset(t.params) for t in trials} == {frozenset({"t", "n", "line"}), frozenset({"n"})}
    full = next(t for t in trials if len(t.params) == 3)
    assert full.distributions["t"] == optuna.distributions.FloatDistribution(1, 100, log=True)
    assert full.distributions["n"] == optuna.distributions.IntDistribution(1, 9)
    assert added.params == {"line": "b"}, "the others lie beyond what can be set"
    assert added.user_attrs["realised"] == {"t": 0.5, "n": 12, "line": "b"}


def test_the_command_makes_a_file(tmp_path: Path) -> None:
    study = write_function(tmp_path, MEASURE)
    assert call("run", study, "--quiet").exit_code == 0
    result = call("export", study, "--format", "optuna")
    assert result.exit_code == 0, result.output
    url = f"sqlite:///{tmp_path}/study-optuna.db"
    assert url in result.stdout
    storage = optuna.storages.RDBStorage(url)
    loaded = optuna.load_study(study_name="study", storage=storage)
    with Study.open(study.with_suffix(".db")) as ours:
        assert len(loaded.trials) == len(ours.history)
        assert [t.value for t in loaded.trials] == [r.outcome.value for r in ours.history if r.outcome]
    storage.remove_session()
    storage.engine.dispose()
    assert "new" in refused(call("export", study, "--format", "optuna"), 2)
    assert "storage" in refused(call("export", study, "--format", "optuna", "--out", tmp_path / "no" / "x.db"), 2)
    rows = call("export", study).stdout
    assert call("export", study, "--out", tmp_path / "rounds.csv").exit_code == 0
    assert (tmp_path / "rounds.csv").read_text() == rows
    assert "written" in refused(call("export", study, "--out", tmp_path / "no" / "x.csv"), 2)


@pytest.mark.parametrize("storage", ["nosql://x", "no url", 3])
def test_places_that_are_no_storages(storage: Any) -> None:
    study = Study.create(MemoryLog(), meanfield.crowd(), "random", rounds=1)
    with pytest.raises(InvalidOption, match="storage"):
        study.to_optuna(storage)


@pytest.mark.parametrize("name", ["study", "taken"])
def test_connections_are_closed_not_left_to_chance(tmp_path: Path, name: str) -> None:
    study = Study.create(MemoryLog(), meanfield.crowd(), "random", rounds=1)
    counts: Counter[str] = Counter()
    listeners = {event: lambda *_, event=event: counts.update([event]) for event in ("connect", "close")}
    for event, listener in listeners.items():
        sa.event.listen(sa.pool.Pool, event, listener)
    try:
        study.to_optuna(f"sqlite:///{tmp_path}/optuna.db", "taken")
        with suppress(InvalidOption):
            study.to_optuna(f"sqlite:///{tmp_path}/optuna.db", name)
        gc.collect()
    finally:
        for event, listener in listeners.items():
            sa.event.remove(sa.pool.Pool, event, listener)
    assert counts["connect"] == counts["close"] > 1


# -- distributions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "wanted"),
    [
        (None, FloatDistribution(0.0, 1.0)),
        (sb.Float("t", -1, 4), FloatDistribution(-1.0, 4.0)),
        (sb.Float("t", 1, 100, scale="log"), FloatDistribution(1.0, 100.0, log=True)),
        (sb.Float("t", 0, 1, step=0.3), FloatDistribution(0.0, 1.0)),
        (sb.Integer("n", 1, 9), IntDistribution(1, 9)),
        (sb.Integer("n", 1, 900, scale="log"), IntDistribution(1, 900, log=True)),
        (sb.Categorical("line", ["a", "b"]), CategoricalDistribution(("a", "b"))),
    ],
    ids=str,
)
def test_each_kind(variable: Any, wanted: Any) -> None:
    assert distribution(variable) == wanted


@pytest.mark.parametrize(
    "variable",
    [
        sb.Float("t", 0.1, 0.7, step=0.2),
        sb.Float("t", 1e-3, 1e3, scale="log"),
        sb.Integer("n", -3, 3),
        sb.Categorical("line", ["a", "b", "c"]),
    ],
    ids=str,
)
def test_every_value_that_can_be_set_is_contained(variable: Any) -> None:
    """Also the last step, which rounding may put a hair beside a multiple."""
    found = distribution(variable)
    points = variable.levels if variable.levels is not None else [0.0, 0.3, 1.0]
    for value in variable.decode([float(point) for point in points]):
        assert found._contains(found.to_internal_repr(value))
