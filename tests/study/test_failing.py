"""Evaluations that failed: what the log keeps of them, and what is charged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Failed
from steerbo.errors import ObjectiveFailure
from steerbo.study import MemoryLog, Study, run_study
from tests.core.stub import EVERYTHING, Nearest, Stub, stub_case
from tests.study.files import (
    MEASURE,
    STUDY,
    Watcher,
    logged,
    write_function,
    write_plant,
)
from tests.study.runs import failures, run


def test_failed_evaluations_are_logged_and_the_study_goes_on(tmp_path: Path) -> None:
    body = f"if suggestion.round % 3:\n    raise RuntimeError('no flow')\n{MEASURE}"
    watcher = Watcher()
    path = write_function(tmp_path, body)
    path.write_text(path.read_text().replace("budget = 10", "budget = 30"))
    optimizer = run(path, rounds=9, watcher=watcher)
    assert (optimizer.status.told, optimizer.status.failed) == (3, 6)
    assert all("no flow" in event.reason for event in failures(optimizer))
    assert len([said for said in watcher.said if "failed: " in said]) == 6
    assert watcher.rounds == list(range(1, 10))


def test_three_failures_in_a_row_stop_the_run_and_a_new_run_goes_on(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    body = f"import pathlib\nif not pathlib.Path({str(mended)!r}).exists():\n    raise OSError('valve')\n{MEASURE}"
    path = write_function(tmp_path, body)
    with pytest.raises(ObjectiveFailure, match=r"^3 evaluations failed in a row, the last: .*OSError.*valve"):
        run(path)
    mended.touch()
    optimizer = run(path)
    assert optimizer.status.failed == 3
    assert optimizer.status.finished


REFUSED = {
    "NaN": ('"value": float("nan")', r"value: nan is not allowed; expected a finite number", "NaN"),
    "infinite": ('"value": float("inf")', r"value: inf", "Infinity"),
    "missing value": ('"valu": 1.0', r"unknown 'valu'", '"valu": 1.0'),
    "text": ('"value": "high"', r"value: 'high'", '"high"'),
    "negative cost": ('"value": 1.5, "cost": -1', r"cost: -1 .* not below 0", "1.5"),
    "unmeasured": ('"value": 1.5, "realised": {}', r"realised\.ph: missing; .* 'ph'", "1.5"),
    "unknown variable": ('"value": 1.5, "realised": {"acid": 3.0, "ph": 6.0}', r"acid: 3.0 .* temperature, ph", "1.5"),
    "no table": ('"value": 1.5, "realised": [1.0]', r"realised: \[1.0\]", "1.5"),
}


@pytest.mark.parametrize(("answer", "message", "raw"), REFUSED.values(), ids=REFUSED)
def test_refused_answers_are_in_the_log_with_their_cost(tmp_path: Path, answer: str, message: str, raw: str) -> None:
    study = STUDY.replace("[study]", "[study]\nfailures = 1").replace("random", "explore-then-commit")
    write_function(tmp_path, f'return {{"cost": 2.5, {answer}}}')
    path = tmp_path / "study.toml"
    path.write_text(path.read_text().replace(STUDY, study))
    with pytest.raises(ObjectiveFailure, match=message):
        run(path)
    failed = logged(path)[-1]
    assert isinstance(failed, Failed)
    assert raw in failed.reason
    assert failed.cost == (None if "cost" in answer else 2.5)


@pytest.mark.parametrize("kind", ["command", "function"])
def test_a_huge_answer_leaves_a_small_log(tmp_path: Path, kind: str) -> None:
    write = write_plant if kind == "command" else write_function
    path = write(tmp_path, "print('x' * 10**7)" if kind == "command" else "return 'x' * 10**7")
    run(path, rounds=2)
    reasons = [event.reason for event in logged(path) if isinstance(event, Failed)]
    assert len(reasons) == 2
    assert all(("more than 1048576 bytes" if kind == "command" else "cannot be used") in reason for reason in reasons)
    assert sum(map(len, reasons)) < 2 * 10_050
    assert path.with_suffix(".db").stat().st_size < 500_000


@pytest.mark.parametrize("known", [True, False])
def test_under_a_budget_failures_of_unknown_cost_are_charged_and_said(known: bool) -> None:
    """What a round was expected to cost; nothing as long as nobody knows, and the run ends all the same."""
    watcher = Watcher()
    study = Study.create(MemoryLog(), Stub(), Nearest, budget=20)
    world = stub_case()

    def objective(suggestion: Any) -> Any:
        if suggestion.observe:
            return {"context": world.seen(suggestion)}
        if suggestion.round % 2 or not known:
            raise RuntimeError("no flow")
        return {"value": 1.0, "cost": 3.0}

    if known:
        run_study(study, study.session, objective, watcher)
        assert study.status.finished
        assert study.status.unpriced == study.status.failed > 3
        assert study.history.mean_cost(EVERYTHING) == 3.0, "what is charged teaches nothing"
        assert study.status.estimated == study.status.failed, "the stub expects 1 a round"
        assert "its cost is unknown: 1, as" in " ".join(watcher.said)
    else:
        with pytest.raises(ObjectiveFailure, match="3 evaluations failed in a row"):
            run_study(study, study.session, objective, watcher)
        assert study.status.spent == 3.0
        assert str(study.status) == "3 rounds, 3 of 20 spent and 3 rounds of unknown cost (charged 3), 3 failed"
