"""A time-varying study in one picture: what each round gave, and which prior was behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import InvalidProblem
from ..rounds import Reading, Recommendation
from ..timevarying import TimeVarying
from ..timevarying.prediction import Prediction, predicted
from .drawing import (
    BLUE,
    COLOURS,
    SKY,
    VERMILION,
    Picture,
    bare,
    finished,
    new_figure,
    of_kind,
    on,
    save_file,
    words,
    wrapped,
)

DASHES = ("-", "--", ":", "-.")
_ROWS = 20  # priors shown


def figure(optimizer: Reading, value: str = "value") -> Any:
    """The picture as a matplotlib `Figure`.

    Top: what was expected in each round (with the band of the prior behind the choice) and what it gave, against time.
    Bottom: which prior was behind which choice, those played most first; a cross where a prior was dropped.

    Args:
        optimizer: of a `TimeVarying` problem.
        value: name and unit of the objective, for the labels.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    return _figure(optimizer, new_figure((10, 7), dpi=110), value)


def _figure(optimizer: Reading, shown: Any, value: str = "value") -> Any:
    problem = of_kind(optimizer, TimeVarying)
    top, bottom = shown.subplots(2, 1, sharex=True)
    _expected(top, optimizer, value)
    top.legend(frameon=False)
    _priors(bottom, _names(problem, optimizer), optimizer, _noted(optimizer))
    bare(top, bottom)
    return shown


def _noted(optimizer: Reading) -> list[tuple[float, Prediction]]:
    """The times of rounds that were chosen by a prior, and what that expected."""
    rounds = optimizer.history
    return [(r.request["time"], note) for r in rounds if (note := predicted(r.suggestion)) is not None]


def _expected(axes: Any, optimizer: Reading, value: str) -> None:
    told = [(r.request["time"], r.outcome.value) for r in optimizer.history if r.state == "told" and r.outcome]
    if noted := _noted(optimizer):
        times, notes = zip(*noted, strict=True)
        mean, band = np.array([note.mean for note in notes]), np.array([note.band for note in notes])
        axes.fill_between(times, mean - band, mean + band, color=SKY, alpha=0.3, lw=0, label="expected")
    axes.plot(*np.reshape(told, (-1, 2)).T, "o", ms=3, color=BLUE, label="outcome")
    axes.set(ylabel=words(value), title="What each round gave")


def expected(study: Reading, ax: Any = None, value: str = "value") -> Any:
    """What was expected in each round, with the band of the prior behind the choice, and what it gave, against time.

    Args:
        study: a study or an optimizer, of a `TimeVarying` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    of_kind(study, TimeVarying)
    axes = on(ax)
    _expected(axes, study, value)
    axes.set(xlabel="time")
    return finished(axes)


def believed(study: Reading, ax: Any = None) -> Any:
    """Which prior was behind which choice, and when one was dropped; see `expected`."""
    problem, axes = of_kind(study, TimeVarying), on(ax)
    _priors(axes, _names(problem, study), study, _noted(study))
    return finished(axes)


def weights(study: Reading, ax: Any = None) -> Any:
    """How probable each prior is by now, by all outcomes, heaviest first; see `expected`."""
    problem, axes = of_kind(study, TimeVarying), on(ax)
    method: Any = study._method
    if not hasattr(method, "weights"):
        raise InvalidProblem("method", method.name, "a method that weighs priors")
    heavy, names = np.asarray(method.weights()), _names(problem, study)
    order = np.argsort(-heavy, kind="stable")[:_ROWS]
    axes.barh(range(len(order)), heavy[order], color=BLUE)
    axes.set_yticks(range(len(order)), [wrapped(names[p], 18) for p in order], fontsize=9)
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set(xlabel="probability", xlim=(0, 1), title="How probable each prior is by now")
    return finished(axes)


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page."""
    text = "What each round gave, and which prior was behind each choice; a cross where one was dropped"
    yield Picture("Priors", text, _figure(optimizer, new_figure((5.6, 6.0), dpi=130)))


def regret(curves: Mapping[str, Mapping[str, Float[np.ndarray, "S T"]]]) -> Any:
    """Average regret against time, one panel for each case, one line (with its standard error) for each method.

    Args:
        curves: case, then method, to regrets of every round, one row a seed.
    """
    shown = new_figure((4 * min(len(curves), 3), 3.2 * -(-len(curves) // 3)), dpi=110)
    panels = np.ravel(shown.subplots(-(-len(curves) // 3), min(len(curves), 3), squeeze=False))
    for axes, (case, methods) in zip(panels, curves.items(), strict=False):
        for i, (method, regrets) in enumerate(methods.items()):
            t = np.arange(1, regrets.shape[1] + 1)
            average = np.cumsum(regrets, axis=1) / t
            centre, error = average.mean(axis=0), average.std(axis=0) / np.sqrt(len(average))
            colour = COLOURS[i % len(COLOURS)]
            axes.plot(t, centre, DASHES[i // len(COLOURS) % 4], color=colour, label=words(method))
            axes.fill_between(t, centre - error, centre + error, color=colour, alpha=0.2, lw=0)
        axes.set(title=words(case), xlabel="round", ylabel="average regret")
        bare(axes)
    for axes in panels[len(curves) :]:
        axes.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    shown.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return shown


def save(shown: Any, path: Path) -> Path:
    """Save a picture of `figure` or `regret`, making its folder; the suffix says the format.

    Raises:
        InvalidOption: the file cannot be written.
    """
    return save_file(shown, path)


def _names(problem: TimeVarying, optimizer: Reading) -> list[str]:
    """What the method calls its priors: those that it believes, or has made itself."""
    given = () if problem.automatic else problem.given
    named: list[str] = getattr(optimizer._method, "names", [p.name or f"prior {i + 1}" for i, p in enumerate(given)])
    return named


def _priors(axes: Any, names: Sequence[str], optimizer: Reading, noted: Sequence[tuple[float, Prediction]]) -> None:
    plays = np.bincount([note.prior for _, note in noted], minlength=len(names))
    order = [int(p) for p in np.argsort(-plays, kind="stable")[:_ROWS]]
    dropped = getattr(optimizer._method, "dropped", {})  # by the methods that drop priors, and when
    when = {r.number: r.request["time"] for r in optimizer.history}
    for row, p in enumerate(order):
        axes.plot([t for t, note in noted if note.prior == p], [row] * plays[p], "|", ms=9, color=BLUE)
        if p in dropped and dropped[p][0] in when:
            axes.plot(when[dropped[p][0]], row, "x", ms=8, mew=2, color=VERMILION)
    lines = 3 if len(order) < 6 else 1
    axes.set_yticks(range(len(order)), [wrapped(names[p], 18, lines) for p in order], fontsize=9)
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set(xlabel="time", title="The prior behind each choice (× dropped)")
