"""What was found to be otherwise than a law says, in words: what was expected, what was seen, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..space import Categorical
from .answers import numeral
from .problem import Problem
from .stated_law import StatedLaw

_NEEDED = 4  # rounds before a rank correlation is said


def alone_in_words(problem: Problem, law: StatedLaw, values: Iterable[Any]) -> str:
    """That a variable does not follow its law: what was expected, what was seen, what to do."""
    name, seen = law.variable.name, list(values)
    rounds = f"Seen in the first {len(seen)} rounds that left it to nature"
    if isinstance(law.variable, Categorical):
        commonest = max(law.variable.choices, key=seen.count)
        told = f"Expected: {commonest} in {100 * _share(law, commonest):.0f} % of all rounds. "
        told += f"{rounds}: in {100 * seen.count(commonest) / len(seen):.0f} %."
    else:
        low, middle, high = (problem.shown({name: float(x)})[name] for x in _quantiles(law))
        least, half, most = (problem.shown({name: float(x)})[name] for x in np.quantile(seen, [0, 0.5, 1]))
        told = f"Expected: half of all values above {middle}, nine in ten from {low} to {high}. "
        told += f"{rounds}: half above {half}, all from {least} to {most}."
    source = "the data it comes from" if law.sample is not None else "its law"
    others = ", ".join(other for other in problem.space.seen if other != name)
    given = f"It may also be that it goes with {others}: then rows of data for both say so. " if others else ""
    return (
        f"{name} is not as {source} says. {told} What is expected of scopes that leave it to nature is wrong then. "
        f"{given}A new study may have what was seen as its law, or learn it; these rounds are past data there."
    )


def pair_in_words(problem: Problem, a: str, b: str, codes: Iterable[tuple[float, float]]) -> str:
    """That two variables go together: what was expected, what was seen, what to do."""
    pairs = np.array(list(codes))
    left = f"{len(pairs)} rounds that left {a} to nature" if problem.space[b].seen else f"{len(pairs)} rounds with both"
    how = ""
    if not any(isinstance(problem.space[name], Categorical) for name in (a, b)) and len(pairs) >= _NEEDED:
        how = f", with a rank correlation of {numeral(_rank_correlation(pairs), 2)}"
    return (
        f"{a} goes with {b}. Expected: {a} is as it is whatever {b} is. Seen: in the first {left} that is not so{how}. "
        f"What is expected of scopes that leave {a} to nature is wrong, and its bounds are too sure. A new study may "
        f"have rows of data for both in the place of their laws; these rounds are past data there."
    )


def _quantiles(law: StatedLaw) -> Any:
    if law.sample is not None:
        return np.quantile(np.array(law.sample, dtype=float), [0.05, 0.5, 0.95])
    return law.variable.distribution.ppf([0.05, 0.5, 0.95])


def _share(law: StatedLaw, choice: Any) -> float:
    if law.sample is not None:
        return list(law.sample).count(choice) / len(law.sample)
    atoms = law.variable.distribution.atoms
    assert atoms is not None
    code = float(law.variable.encode([choice])[0])
    return float(atoms[1][atoms[0] == code].sum())


def _rank_correlation(pairs: np.ndarray) -> float:
    """Spearman's; 0 where one of the two never changes."""
    ranks = np.array([np.searchsorted(np.sort(column), column) + 0.5 * _ties(column) for column in pairs.T])
    spread = ranks - ranks.mean(axis=1, keepdims=True)
    size = np.sqrt((spread**2).sum(axis=1)).prod()
    return float(spread[0] @ spread[1] / size) if size else 0.0


def _ties(column: np.ndarray) -> np.ndarray:
    return (column[:, None] == column).sum(axis=1) - 1.0
