"""Runs of a study in MLflow: what it is, each round, the answer and its pictures. Needs mlflow (`steerbo[mlflow]`).

Any other tracker is an object with the same three methods, `began`, `ended` and `say`: see
`Observer`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..core import BaseStudy, Created, Suggestion
from ..errors import MissingExtra, SteerboError
from ..plots import pictures

try:
    import mlflow
except ImportError:
    raise MissingExtra("mlflow", "mlflow") from None


class MLflowObserver:
    """Observer that logs a run of a study to MLflow's active run, or to one of its own; use it as a context.

    Logged are, at first, the problem and its method (params, and the problem as `problem.json`);
    after each round its value, cost, settings and the money spent (metrics, the round's number as
    the step); and at the end the recommendation (`answer.json`, `answer.txt`) and its pictures,
    where matplotlib is installed.

    Args:
        run: the name of a new run; ignored where a run is active.

    Used so:
    `with MLflowObserver("greenhouse") as observer: study.run(objective, observer=observer)`.
    """

    def __init__(self, run: str | None = None) -> None:
        self._name, self._own, self._logged = run, False, set[str]()
        self._study: BaseStudy | None = None

    def __enter__(self) -> MLflowObserver:
        if mlflow.active_run() is None:
            mlflow.start_run(run_name=self._name)
            self._own = True
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        try:
            if self._study is not None and self._study.history.n_completed:
                self._log_answer(self._study)
        finally:
            if self._own:
                mlflow.end_run("FINISHED" if kind is None else "FAILED")

    def began(self, suggestion: Suggestion) -> None:
        """Ignore it: what is not told yet is nothing to compare."""

    def ended(self, study: BaseStudy) -> None:
        """Log the rounds that have ended, also those of other workers."""
        if self._study is None:
            self._log_study(study)
            self._study = study
        spent = study.status.spent
        for played in study.history:
            token = played.suggestion.token
            if token in self._logged or played.state not in ("told", "failed"):
                continue
            self._logged.add(token)
            measured = {"failed": float(played.state == "failed"), "spent": spent}
            if played.outcome is not None:
                measured["value"] = study.problem.scalar(played.outcome)
            if played.paid is not None:
                measured["cost"] = played.paid
            settings = dict(_numbers("set", played.suggestion.values))
            mlflow.log_metrics({**measured, **settings}, step=played.number)

    def say(self, message: str) -> None:
        """Keep a message to the user as the run's note."""
        mlflow.set_tag("mlflow.note.content", message)

    @staticmethod
    def _log_study(study: BaseStudy) -> None:
        created = study.events[0]
        assert isinstance(created, Created)
        history = study.history
        limits = {"budget": history.budget, "rounds": history.limit, "stop": history.stop}
        known = {
            "kind": study.problem.kind,
            "method": created.method,
            "seed": created.seed,
            **limits,
        }
        mlflow.log_params(
            {
                name: value
                for name, value in {**known, **created.options}.items()
                if value is not None
            }
        )
        if created.problem is not None:
            mlflow.log_dict(created.problem, "problem.json")

    @staticmethod
    def _log_answer(study: BaseStudy) -> None:
        advice = study.recommend()
        mlflow.log_dict(advice.to_dict(), "answer.json")
        mlflow.log_text(f"{advice}\n\n{study.explain()}", "answer.txt")
        expected = {"mean": advice.mean, "lower": advice.lower, "upper": advice.upper}
        mlflow.log_metrics({f"answer.{name}": x for name, x in expected.items() if x is not None})
        try:
            for number, picture in enumerate(pictures(study, advice), start=1):
                mlflow.log_figure(picture.figure, f"pictures/{number}.png")
        except SteerboError as error:  # without matplotlib, or where there is nothing to draw
            mlflow.set_tag("pictures", str(error))


def _numbers(place: str, values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Numbers among values by name, those of tables too, with the names of metrics."""
    for name, value in values.items():
        key = f"{place}.{name}"
        if isinstance(value, Mapping):
            yield from _numbers(key, value)
        elif isinstance(value, int | float) and math.isfinite(value):
            yield key, float(value)
