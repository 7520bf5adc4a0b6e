"""What runs say together: means with their errors, medians, tails, and differences paired by seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .record import Result

TAIL = 0.9
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Summary:
    """Of some runs: how many, mean with its standard error (NaN of one), median, and what one in ten exceeds."""

    runs: int
    mean: float
    error: float
    median: float
    tail: float

    def __str__(self) -> str:
        return f"{shown(self.mean)} ± {shown(self.error)}"


def shown(value: float) -> str:
    """Three digits, without powers of ten where that is readable.

    >>> shown(0.012345), shown(1234.5), shown(float("nan"))
    ('0.0123', '1234', '–')
    """
    if not np.isfinite(value):
        return "–"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def error_of(values: Sequence[float]) -> float:
    """The standard error of a mean, 0 where it is rounding alone; NaN of one value.

    >>> error_of([0.1 + 0.2, 0.3])
    0.0
    """
    if len(values) < 2:
        return float("nan")
    error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return error if error > _ROUNDING * float(np.max(np.abs(values))) else 0.0


def summary(values: Sequence[float]) -> Summary:
    """Of one number a run.

    >>> summary([1.0, 3.0]).mean
    2.0
    """
    tail, median = float(np.quantile(values, TAIL)), float(np.median(values))
    return Summary(len(values), float(np.mean(values)), error_of(values), median, tail)


def difference(values: Sequence[float]) -> str:
    """Mean of paired differences with its standard error, to two decimals; a dash where there are none.

    >>> difference([0.1, 0.3]), difference([])
    ('+0.20 ± 0.10', '–')
    """
    return f"{np.mean(values):+.2f} ± {error_of(values):.2f}" if values else "–"


def paired(first: Mapping[int, float], second: Mapping[int, float]) -> Summary | None:
    """First less second over the seeds that both have; None where there are none.

    >>> paired({1: 5.0, 2: 6.0}, {1: 4.0, 2: 5.0, 3: 0.0}).mean
    1.0
    """
    shared = sorted(first.keys() & second.keys())
    return summary([first[seed] - second[seed] for seed in shared]) if shared else None


def label(result: Result) -> str:
    """An entrant with its options.

    >>> label_of("mle", {"confidence": 2.0})
    'mle (confidence 2)'
    """
    return label_of(result.entrant, result.options)


def label_of(entrant: str, options: Mapping[str, object]) -> str:
    """The same for an entrant that has not played."""
    told = ", ".join(
        f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}" for k, v in sorted(options.items())
    )
    return f"{entrant} ({told})" if told else entrant


def by_entrant(results: Iterable[Result], problem: str) -> dict[str, list[Result]]:
    """The results of a problem, by label, in order of their seeds; of a seed that ran twice, the longer run."""
    found: dict[str, dict[int, Result]] = {}
    for each in results:
        if each.problem == problem:
            those = found.setdefault(label(each), {})
            if each.seed not in those or those[each.seed].budget.rounds < each.budget.rounds:
                those[each.seed] = each
    return {name: [those[seed] for seed in sorted(those)] for name, those in found.items()}


def by_seed(results: Iterable[Result], measure: str, mark: float) -> dict[int, float]:
    """A measure at a mark, by seed."""
    values = {r.seed: r.at(measure, mark) for r in results}
    return {seed: value for seed, value in values.items() if value is not None}
