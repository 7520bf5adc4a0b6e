"""What is known: the fitted model along one variable, of every kind whose model is a Gaussian process over a box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InvalidOption, one_of
from ..interop.posteriors import Which, posterior
from ..rounds import Reading
from ..surrogate import Columns
from .drawing import BLUE, SKY, finished, on, words

_GRID = 161  # points of a line


def known(
    study: Reading,
    ax: Any = None,
    variable: str | None = None,
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
    value: str = "value",
) -> Any:
    """What is known of the objective along one variable: its mean and two standard deviations about it.

    The other variables are where the recommendation has them, else in the middle. Of a cost-varying problem it is what
    holding the recommended control set gives on average, nature doing the rest.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        variable: along which; None: the first that is set.
        scope: of a cost-varying or causal problem, which scope; None: the recommended one.
        context: what is seen before choosing; None: as in the recommendation.
        time: where the optimum moves; None: now.
        prior: of a time-varying problem, as which prior sees it; None: the most probable one.
        value: name and unit of the objective, for the labels.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the method keeps no Gaussian process over a box (mean-field methods, say), or not this one.
        InvalidOption: there is no such variable in the model.
    """
    axes, advice = on(ax), study.recommend()
    seen = advice.context if context is None else context
    if scope is None and study.problem.kind in ("cost-varying", "causal"):
        scope = advice.scope
    asked = Which(scope, seen if study.problem.kind == "cost-varying" else {}, time, prior)
    found = posterior(study, asked)
    names = found.columns.names
    if variable is not None and variable not in names:
        raise InvalidOption("variable", variable, one_of(names, variable))
    j = names.index(next((n for n in names if n in advice.values), names[0]) if variable is None else variable)
    points = _along(found.columns, j, {**seen, **advice.values})
    mean, covariance = found.moments(points)
    width = 2.0 * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    at = [found.columns.decode(point)[names[j]] for point in points]
    _line(axes, at, study.problem.sign * mean, width, continuous=found.columns.box.levels[j] is None)
    axes.set(xlabel=words(names[j]), ylabel=f"expected {words(value)}", title=f"What is known along {words(names[j])}")
    return finished(axes)


def _along(columns: Columns, j: int, values: Mapping[str, Any]) -> np.ndarray:
    """Points (r, d) along a column, all else at these values, or in the middle."""
    box = columns.box
    middle = box.place(np.full((1, box.dimension), 0.5))[0]
    fixed = {**columns.decode(middle), **{name: values[name] for name in columns.names if name in values}}
    levels = box.levels[j]
    grid = np.linspace(box.low[j], box.high[j], _GRID) if levels is None else np.asarray(levels)
    points = np.repeat(columns.encode(fixed)[None], len(grid), axis=0)
    points[:, j] = grid
    return points


def _line(axes: Any, at: list[Any], mean: np.ndarray, width: np.ndarray, continuous: bool) -> None:
    """A line with its band; of levels, points with bars."""
    if continuous:
        axes.fill_between(at, mean - width, mean + width, color=SKY, alpha=0.3, lw=0, label="two standard deviations")
        axes.plot(at, mean, color=BLUE, label="expected")
        return
    texts = isinstance(at[0], str)
    where = np.arange(len(at)) if texts else at
    axes.errorbar(where, mean, width, fmt="o", color=BLUE, capsize=4, label="expected, two standard deviations")
    if texts:
        axes.set_xticks(where, [words(each, 24) for each in at])
