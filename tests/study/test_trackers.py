"""A run in MLflow, in Weights & Biases and in Aim, and a bar in Python."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOption, MissingExtra
from steerbo.study import MemoryLog, Study
from steerbo.study.trackers import AimObserver, MLflowObserver, WandbObserver

PROBLEM = sb.TimeVarying([sb.Float("x", 0, 1)], minimize=True)


def study() -> Study:
    return Study.create(MemoryLog(), PROBLEM, rounds=4, seed=1)


def far(suggestion: Any) -> float:
    if suggestion.round == 2:
        raise ValueError("the pump broke")
    return float((suggestion.values["x"] - 0.3) ** 2)


def test_a_run_is_logged_to_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: pip install 'steerbo[mlflow]'")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with study() as played:
        with MLflowObserver("oven") as observer:
            played.run(far, observer=observer)
        history, answer = played.history, played.recommend()
    assert mlflow.active_run() is None
    (run,) = mlflow.search_runs(output_format="list")
    assert run.info.run_name == "oven"
    assert (run.info.status, run.data.params["kind"], run.data.params["rounds"]) == ("FINISHED", "time-varying", "4")
    values = mlflow.MlflowClient().get_metric_history(run.info.run_id, "value")
    told = {each.number: PROBLEM.scalar(each.outcome) for each in history if each.outcome is not None}
    assert {each.step: each.value for each in values} == told
    assert run.data.metrics["set.x"] == history.last(1)[0].suggestion.values["x"]
    text = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/answer.json")
    assert json.loads(text) == answer.to_dict()


class FakeRun:
    """What both packages document of a run, as far as it is used; it keeps what it is given."""

    def __init__(self, **named: Any) -> None:
        self.named, self.kept, self.ended = named, dict[str, Any](), ""
        self.rows: list[dict[str, Any]] = []
        self.tracked: list[tuple[str, int | None, Any]] = []
        self.axes: list[tuple[str, str | None]] = []
        self.config, self.summary = dict[str, Any](), dict[str, Any]()

    # wandb
    def define_metric(self, name: str, step_metric: str | None = None) -> None:
        self.axes.append((name, step_metric))

    def log(self, data: dict[str, Any], step: int | None = None) -> None:
        assert step is None, "its own steps only go forward: rounds that end in another order would be lost"
        self.rows.append(data)

    def finish(self, exit_code: int | None = None) -> None:
        self.ended = str(exit_code)

    # aim
    def __setitem__(self, key: str, value: Any) -> None:
        self.kept[key] = value

    def track(self, value: Any, name: str | None = None, step: int | None = None, *, context: Any = None) -> None:
        self.tracked.append((str(name), step, value))

    def add_tag(self, value: str) -> None:
        self.kept["tag"] = value

    def close(self) -> None:
        self.ended = "closed"


class FakePackage(types.ModuleType):
    """Module of a tracker: `wandb.run`, `wandb.init`, `aim.Run`, and their media."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.run: FakeRun | None = None
        self.began: list[FakeRun] = []

    def init(self, project: str | None = None, name: str | None = None) -> FakeRun:
        return self.Run(project=project, name=name)

    def Run(self, **named: Any) -> FakeRun:
        self.began.append(FakeRun(**named))
        return self.began[-1]

    def Image(self, image: Any, caption: str = "") -> Any:
        assert image.size > (0, 0)
        return ("image", caption)

    def Text(self, text: str) -> Any:
        return text


def test_a_run_is_logged_to_wandb_by_round(monkeypatch: pytest.MonkeyPatch) -> None:
    package = FakePackage("wandb")
    monkeypatch.setitem(sys.modules, "wandb", package)
    with study() as played:
        with WandbObserver("oven", project="lab") as observer:
            played.run(far, observer=observer)
        history, answer = played.history, played.recommend()
    (run,) = package.began
    assert run.named == {"project": "lab", "name": "oven"}
    assert run.axes == [("round", None), ("*", "round")]
    assert (run.config["rounds"], run.config["problem"]["kind"]) == (4, "time-varying")
    rows = [row for row in run.rows if "round" in row]
    assert [row["round"] for row in rows] == [1, 2, 3, 4]
    assert [row["failed"] for row in rows] == [0.0, 1.0, 0.0, 0.0]
    assert rows[3]["set.x"] == history.last(1)[0].suggestion.values["x"]
    assert run.summary["answer"] == answer.to_dict()
    assert run.summary["answer.mean"] == answer.mean
    assert run.ended == "0"


def test_an_active_run_of_wandb_is_used_and_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    package = FakePackage("wandb")
    package.run = FakeRun()
    monkeypatch.setitem(sys.modules, "wandb", package)
    with study() as played, WandbObserver() as observer:
        played.run(far, observer=observer)
    assert not package.began
    assert len([row for row in package.run.rows if "round" in row]) == 4
    assert package.run.ended == ""


def test_a_run_is_logged_to_aim_and_closed_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    package = FakePackage("aim")
    monkeypatch.setitem(sys.modules, "aim", package)

    def watched() -> None:
        with study() as played, AimObserver("oven") as observer:
            played.run(far, observer=observer)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watched()
    (run,) = package.began
    assert run.named == {"experiment": "oven", "repo": None}
    assert run.kept["study"]["kind"] == "time-varying"
    assert [step for name, step, _ in run.tracked if name == "value"] == [1, 3, 4]
    assert "scope" in run.kept["answer"]
    assert (run.kept["tag"], run.ended) == ("failed", "closed")


@pytest.mark.parametrize("kind", [WandbObserver, AimObserver])
def test_what_is_not_installed_is_named(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wandb", "aim"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'steerbo\[(wandb|aim)\]'"):
        kind()


def test_an_observer_that_is_no_context_is_refused_before_a_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aim", types.ModuleType("aim"))
    played = list[Any]()
    with study() as open_study, pytest.raises(InvalidOption, match=r"with AimObserver\(\) as observer"):
        open_study.run(played.append, observer=AimObserver())
    assert played == []


def test_a_bar_shows_how_far_it_has_come(capsys: pytest.CaptureFixture[str]) -> None:
    with study() as played:
        seen = []

        class Watcher:
            def began(self, suggestion: Any) -> None:
                seen.append(suggestion.round)

            def ended(self, study: Any) -> None: ...

            def say(self, message: str) -> None: ...

        played.run(far, observer=Watcher(), progress=True)
    assert "4 of 4 rounds" in capsys.readouterr().err
    assert seen == [1, 2, 3, 4], "an observer is told, too"
    with study() as played, pytest.raises(InvalidOption, match="progress"):
        played.run(far, progress="yes")  # type: ignore[arg-type]
