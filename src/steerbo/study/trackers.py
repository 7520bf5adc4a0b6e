"""Runs of a study in MLflow, Weights & Biases or Aim: its description, each round, the answer and its pictures.

Each needs its package (`steerbo[mlflow]`, `steerbo[wandb]`, `steerbo[aim]`). A tracker derives from
`Tracker` and says how its package keeps a number, a text and a picture; an object with the three
methods `began`, `ended` and `say` will do, too: see `Observer`.
"""

from __future__ import annotations

import io
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Self

from ..core import BaseStudy, Created, Suggestion
from ..errors import InvalidOption, MissingExtra, SteerboError
from ..plots import pictures


def _imported(name: str) -> Any:
    """Import a tracker's package, whose extra has its name.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(name, name) from None


class Tracker(ABC):
    """Observer that logs a run of a study to another program; use it as a context.

    Logged are, at first, the problem and its method; after each round its value, cost, settings and
    the money spent, at the round's number; and at the end the recommendation and its pictures,
    where matplotlib is installed.
    """

    def __init__(self) -> None:
        self._logged = set[str]()
        self._study: BaseStudy | None = None
        self._entered = False

    @abstractmethod
    def _begin(self) -> None:
        """Begin a run, or find the active one."""

    @abstractmethod
    def _end(self, worked: bool) -> None:
        """End a run that was begun here."""

    @abstractmethod
    def _describe(self, known: Mapping[str, Any], problem: Mapping[str, Any] | None) -> None:
        """Keep the study's description, and its problem as plain data; None: that has no plain form."""

    @abstractmethod
    def _measure(self, numbers: Mapping[str, float], number: int) -> None:
        """Keep the numbers of a round."""

    @abstractmethod
    def _answer(self, plain: Mapping[str, Any], text: str, numbers: Mapping[str, float]) -> None:
        """Keep the answer: as plain data, as text with its reasons, and its numbers."""

    @abstractmethod
    def _draw(self, name: str, title: str, figure: Any) -> None:
        """Keep a picture, a figure of matplotlib."""

    @abstractmethod
    def say(self, message: str) -> None:
        """Keep a message to the user as the run's note."""

    def __enter__(self) -> Self:
        self._begin()
        self._entered = True
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        try:
            if self._study is not None and self._study.history.n_completed:
                self._log_answer(self._study)
        finally:
            self._end(kind is None)

    def began(self, suggestion: Suggestion) -> None:
        """Log nothing: a round without an outcome is nothing to compare.

        Raises:
            InvalidOption: it is not used as a context, so that nothing would end its run.
        """
        if not self._entered:
            name = type(self).__name__
            hint = f"Write `with {name}() as observer: study.run(objective, observer=observer)`."
            raise InvalidOption("observer", f"{name}()", "an observer used as a context", hint)

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
            self._measure({**measured, **settings}, played.number)

    def _log_study(self, study: BaseStudy) -> None:
        created = study.events[0]
        assert isinstance(created, Created)
        history = study.history
        known = {
            "kind": study.problem.kind,
            "method": created.method,
            "seed": created.seed,
            "budget": history.budget,
            "rounds": history.limit,
            "stop": history.stop,
            **created.options,
        }
        stated = {name: value for name, value in known.items() if value is not None}
        self._describe(stated, created.problem)

    def _log_answer(self, study: BaseStudy) -> None:
        advice = study.recommend()
        expected = {"mean": advice.mean, "lower": advice.lower, "upper": advice.upper}
        numbers = {f"answer.{name}": x for name, x in expected.items() if x is not None}
        self._answer(advice.to_dict(), f"{advice}\n\n{study.explain()}", numbers)
        try:
            for number, picture in enumerate(pictures(study, advice), start=1):
                self._draw(f"pictures/{number}", picture.title, picture.figure)
        except SteerboError as error:  # without matplotlib, or where there is nothing to draw
            self.say(f"no pictures: {error}")


class MLflowObserver(Tracker):
    """Log a run of a study to MLflow's active run, or to one of its own: see `Tracker`.

    The answer is in the artifacts `answer.json` and `answer.txt`, the problem in `problem.json`.

    Args:
        run: the name of a new run; ignored where a run is active.

    Raises:
        MissingExtra: MLflow is not installed.

    Used so:
    `with MLflowObserver("greenhouse") as observer: study.run(objective, observer=observer)`.
    """

    def __init__(self, run: str | None = None) -> None:
        super().__init__()
        self._mlflow = _imported("mlflow")
        self._name, self._own = run, False

    def _begin(self) -> None:
        if self._mlflow.active_run() is None:
            self._mlflow.start_run(run_name=self._name)
            self._own = True

    def _end(self, worked: bool) -> None:
        if self._own:
            self._mlflow.end_run("FINISHED" if worked else "FAILED")

    def _describe(self, known: Mapping[str, Any], problem: Mapping[str, Any] | None) -> None:
        self._mlflow.log_params(dict(known))
        if problem is not None:
            self._mlflow.log_dict(problem, "problem.json")

    def _measure(self, numbers: Mapping[str, float], number: int) -> None:
        self._mlflow.log_metrics(dict(numbers), step=number)

    def _answer(self, plain: Mapping[str, Any], text: str, numbers: Mapping[str, float]) -> None:
        self._mlflow.log_dict(plain, "answer.json")
        self._mlflow.log_text(text, "answer.txt")
        self._mlflow.log_metrics(dict(numbers))

    def _draw(self, name: str, title: str, figure: Any) -> None:
        self._mlflow.log_figure(figure, f"{name}.png")

    def say(self, message: str) -> None:
        """See `Tracker.say`."""
        self._mlflow.set_tag("mlflow.note.content", message)


class WandbObserver(Tracker):
    """Log a run of a study to the active run of Weights & Biases, or to one of its own: see `Tracker`.

    The study's description, its problem included, is the run's config; the answer is in its
    summary.

    Args:
        run: the name of a new run; ignored where a run is active.
        project: of a new run.

    Raises:
        MissingExtra: wandb is not installed.

    Used so:
    `with WandbObserver("greenhouse") as observer: study.run(objective, observer=observer)`.
    """

    def __init__(self, run: str | None = None, project: str | None = None) -> None:
        super().__init__()
        self._wandb = _imported("wandb")
        self._name, self._project, self._own = run, project, False

    def _begin(self) -> None:
        self._run: Any = self._wandb.run
        if self._run is None:
            self._run = self._wandb.init(project=self._project, name=self._name)
            self._own = True
        # its own steps only go forward, and rounds may end in any order
        self._run.define_metric("round")
        self._run.define_metric("*", step_metric="round")

    def _end(self, worked: bool) -> None:
        if self._own:
            self._run.finish(exit_code=0 if worked else 1)

    def _describe(self, known: Mapping[str, Any], problem: Mapping[str, Any] | None) -> None:
        self._run.config.update({**known, **({} if problem is None else {"problem": problem})})

    def _measure(self, numbers: Mapping[str, float], number: int) -> None:
        self._run.log({"round": number, **numbers})

    def _answer(self, plain: Mapping[str, Any], text: str, numbers: Mapping[str, float]) -> None:
        self._run.summary.update({"answer": dict(plain), "answer.text": text, **numbers})

    def _draw(self, name: str, title: str, figure: Any) -> None:
        self._run.log({name: self._wandb.Image(_as_image(figure), caption=title)})

    def say(self, message: str) -> None:
        """See `Tracker.say`."""
        self._run.notes = message


class AimObserver(Tracker):
    """Log a run of a study to a run of Aim: see `Tracker`.

    The study's description is in the run's `study` and `problem`, the answer in `answer`.

    Args:
        experiment: the name of the run's experiment.
        repo: Aim's folder or server; None: of the working folder.

    Raises:
        MissingExtra: aim is not installed.

    Used so:
    `with AimObserver("greenhouse") as observer: study.run(objective, observer=observer)`.
    """

    def __init__(self, experiment: str | None = None, repo: str | None = None) -> None:
        super().__init__()
        self._aim = _imported("aim")
        self._experiment, self._repo = experiment, repo

    def _begin(self) -> None:
        self._run: Any = self._aim.Run(experiment=self._experiment, repo=self._repo)

    def _end(self, worked: bool) -> None:
        if not worked:
            self._run.add_tag("failed")
        self._run.close()

    def _describe(self, known: Mapping[str, Any], problem: Mapping[str, Any] | None) -> None:
        self._run["study"] = dict(known)
        if problem is not None:
            self._run["problem"] = problem

    def _measure(self, numbers: Mapping[str, float], number: int) -> None:
        for name, value in numbers.items():
            self._run.track(value, name=name, step=number)

    def _answer(self, plain: Mapping[str, Any], text: str, numbers: Mapping[str, float]) -> None:
        self._run["answer"] = dict(plain)
        self._run.track(self._aim.Text(text), name="answer")
        for name, value in numbers.items():
            self._run.track(value, name=name)

    def _draw(self, name: str, title: str, figure: Any) -> None:
        self._run.track(self._aim.Image(_as_image(figure), caption=title), name=name)

    def say(self, message: str) -> None:
        """See `Tracker.say`."""
        self._run.description = message


def _as_image(figure: Any) -> Any:
    """A figure as an image of Pillow, which matplotlib brings."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return import_module("PIL.Image").open(stream)


def _numbers(place: str, values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Numbers among values by name, those of tables too, with the names of metrics."""
    for name, value in values.items():
        key = f"{place}.{name}"
        if isinstance(value, Mapping):
            yield from _numbers(key, value)
        elif isinstance(value, int | float) and math.isfinite(value):
            yield key, float(value)
