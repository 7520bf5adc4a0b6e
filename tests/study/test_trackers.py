"""A run in MLflow, and a bar in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOption
from steerbo.study import MemoryLog, Study

PROBLEM = sb.TimeVarying([sb.Float("x", 0, 1)], minimize=True)


def study() -> Study:
    return Study.create(MemoryLog(), PROBLEM, rounds=4, seed=1)


def far(suggestion: Any) -> float:
    if suggestion.round == 2:
        raise ValueError("the pump broke")
    return float((suggestion.values["x"] - 0.3) ** 2)


def test_a_run_is_logged_to_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: pip install 'steerbo[mlflow]'")
    from steerbo.study.trackers import MLflowObserver

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
