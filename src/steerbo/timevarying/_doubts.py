"""Outcomes that are probably wrong, judged one by one as they come, where priors are given and nothing is fitted.

A prior that predicts an outcome with mean μ and variance σ² + R² would gain

    ½ (z² − 1 − ln z²),   z = (y − μ)/√(σ² + R²),

if the outcome had the likeliest noise variance of its own, (y − μ)² − σ² (see
`steerbo.gp.outliers`). An outcome that would gain more than `WORTH` by every prior that is believed
gets this noise, and so counts for little; of the priors, the least surprised one says how large it
is.

Outcomes of a function that has changed look alike, and so do those of a function that no prior
describes. Where more than a share `MOST_OUTLIERS` of the latest `COMPARABLE` outcomes would be
doubted, all later ones are taken as they are, until there are fewer.

Outcomes that contradict a prior are counted, too: comparing priors with each other tells nothing
where all are wrong. Residuals are measured against `√(σ² + (3 R)²)`, so that noise with heavy
tails, which is of the size of R, is none, and a residual far beyond the function's own doubt σ is.
A prior is contradicted for good where three of five outcomes in a row were beyond four of these
deviations, those that are doubted among them. The share of right priors for which that is so was
counted in simulated studies of 60 rounds: see `Misfit`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from .._arrays import Bool, Float
from .._evidence import COMPARABLE
from ..gp.outliers import MOST_OUTLIERS
from .data import Datum

WORTH = 40.0
"""Least gain of doubting an outcome, in nats: it is off by nine deviations.

Models that are fitted doubt from 6 nats on, four deviations, and think again at each fit. Here a
judgement stands, and a function that changes without notice gives outcomes that are off by four to
eight. At 6 nats average regret was .016 ± .009 higher on "rates" (of .200) and .022 ± .025 on
"intel-5" (of .685); at 40 nats .002 ± .001 on "rates", .012 ± .009 lower on "switch" (of .305), and
the same in all plays of ten further problems, 40 seeds each.
"""
# deviations beyond which an outcome speaks against a prior, and R's factor in them
_SPEAKS_AGAINST, _TAILS = 4.0, 3.0
_WINDOW, _ENOUGH = 5, 3  # outcomes that are looked back at, and how many of them contradict a prior


class Doubts:
    """Judge outcomes as they come, in order of time.

    Attributes:
        inflations: of the noise variances of outcomes that are probably wrong, by name: data that
            are added between two rounds share a number, and may share a value.

    >>> doubts, one = Doubts(), np.ones(1)
    >>> told = [Datum(t, t, 0, y) for t, y in enumerate([0.5, 12.0, -1.0, 12.0, 12.0])]
    >>> [doubts.judged(datum, 0 * one, 0 * one, one).inflation for datum in told]
    [1.0, 144.0, 1.0, 144.0, 1.0]
    """

    def __init__(self) -> None:
        self.inflations: dict[str, float] = {}
        self._latest: deque[bool] = deque(maxlen=COMPARABLE)  # whether an outcome was far off
        self._newest = -math.inf

    def is_late(self, datum: Datum) -> bool:
        """Whether a later outcome is known: then it is taken as it is, since posteriors are of now."""
        return datum.time < self._newest

    def judged(
        self,
        datum: Datum,
        mean: Float[np.ndarray, " k"],
        deviation: Float[np.ndarray, " k"],
        noise: Float[np.ndarray, " k"],
    ) -> Datum:
        """The outcome, with more noise if it is probably wrong.

        Args:
            datum: the outcome, in units of sign · value, as all that follows.
            mean: (k,) of the objective there, by each prior that is believed.
            deviation: (k,) standard deviation σ of the objective there.
            noise: (k,) standard deviation R, above 0.
        """
        variance = deviation**2 + noise**2 + datum.stated
        squares = (datum.value - mean) ** 2 / variance
        least = int(squares.argmin())
        z2 = max(float(squares[least]), 1.0)
        far = 0.5 * (z2 - 1.0 - math.log(z2)) > WORTH
        doubted = far and sum(self._latest) < MOST_OUTLIERS * COMPARABLE
        self._newest = datum.time
        self._latest.append(far)
        if not doubted:
            return datum
        beyond = z2 * variance[least] - deviation[least] ** 2 - datum.stated
        inflation = float(beyond / noise[least] ** 2)
        self.inflations[datum.name] = inflation
        return datum._replace(inflation=inflation)


class Misfit:
    """Record of the priors that outcomes contradict, whatever other priors there are.

    Of simulated studies of 60 rounds whose prior is right it ever said so of none of 3000 with
    normal, Laplace or Student's noise of three or five degrees of freedom, each with and without a
    drift; of one where noise of three degrees was 1.7 times as large as stated; and of none of 400
    where one outcome in a hundred was off by a thousand deviations of the noise. Where one in a
    hundred is off by 50, twice the function's own deviation, it is believed and the outcomes near
    it contradict it: 4 % of studies, at three in a hundred 15 %.

    Attributes:
        since: time of the outcome that contradicted a prior first, by its number.

    >>> misfit, one = Misfit(), np.ones(1)
    >>> for time, value in enumerate([0.3, 9.0, -1.0, 9.0, -9.0]):
    ...     misfit.compare(Datum(time, time, 0, value), 0 * one, one, 0.1 * one)
    >>> misfit.since
    {0: 4}
    """

    def __init__(self) -> None:
        self.since: dict[int, float] = {}
        self._latest: deque[Bool[np.ndarray, " P"]] = deque(maxlen=_WINDOW)

    def compare(
        self,
        datum: Datum,
        mean: Float[np.ndarray, " P"],
        deviation: Float[np.ndarray, " P"],
        noise: Float[np.ndarray, " P"],
    ) -> None:
        """Compare an outcome with every prior's expectation: arguments are as for `Doubts.judged`."""
        spread = np.hypot(np.hypot(deviation, _TAILS * noise), math.sqrt(datum.stated))
        self._latest.append(np.abs(datum.value - mean) > _SPEAKS_AGAINST * spread)
        for p in np.flatnonzero(np.sum(self._latest, axis=0) >= _ENOUGH):
            self.since.setdefault(int(p), datum.time)

    def reset(self, priors: Sequence[int]) -> None:
        """Begin anew with priors that outcomes favour again."""
        for p in priors:
            self.since.pop(p, None)
