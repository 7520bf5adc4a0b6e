"""Sequential tests of stated laws, and of independence between variables, against the realised values.

Every variable that a round leaves to nature is evidence on its law, and every pair of them on
whether they depend on each other. All tests share `ALPHA`: a study in which every law holds is ever
warned with at most that probability, however long it runs. The choice of variables that a round
leaves to nature may depend on the past; their values then still follow their laws, given everything
seen before choosing.

Evidence is the wealth of a bettor (testing by betting). Numbers that are uniform on (0, 1) under
the law fall into B bins of equal probability. The bet on the t-th is placed by the t − 1 before, at
odds that are fair under the law, and multiplies the stake by

    B (c_b + ½) / (t − 1 + B/2),    c_b: number of earlier ones in the bin of the t-th.

The evidence is the mean of such stakes over several B. Under the law its expectation stays 1, so it
*ever* reaches 1/α with probability at most α (Ville's inequality), however often it is looked at. A
draw known only to lie in an interval (a law with atoms, a rounded value) counts for every bin by
its share, which keeps the odds fair.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from .._arrays import Float
from .._evidence import ALPHA
from .._wording import numeral
from ..space import Categorical
from ._codes import FINEST, common_divisor
from ._doubtful import rank_correlation
from ._findings import Finding
from ._fold import Fold
from ._history import History, Result
from ._problem import Problem, StatedLaw

__all__ = ["MOST_PAIRED", "LawEvidence", "LawMonitor", "nature_draws"]

BINS = (2, 4, 8, 16)
"""Numbers of bins in the bets on one variable."""
_FIRST = [sum(BINS[:k]) for k in range(len(BINS))]
PAIR_BINS = 3
"""Bins of each of two variables in bets on their dependence."""
Interval = tuple[float, float]
_LARGEST_STAKE = 700.0  # of the logarithm of a stake: more is no number
_POINT = 1e-12  # an interval that is no wider is a number


def shares(interval: Interval, bins: Sequence[int]) -> Float[np.ndarray, " k"]:
    """Shares of an interval within [0, 1] in each of so many equal bins; several splits, one after another.

    >>> shares((0.25, 0.75), [2])
    array([0.5, 0.5])
    >>> shares((0.3, 0.3), [2, 4])
    array([1., 0., 0., 1., 0., 0.])
    """
    low, high = interval
    if high - low <= _POINT:
        found = np.zeros(sum(bins))
        for k, count in enumerate(bins):
            found[sum(bins[:k]) + min(int(low * count), count - 1)] = 1.0
        return found
    below, above = _edges(tuple(bins))
    return np.asarray((np.clip(above, low, high) - np.clip(below, low, high)) / (high - low))


@cache
def _edges(bins: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    edges = [np.arange(count + 1) / count for count in bins]
    return np.concatenate([each[:-1] for each in edges]), np.concatenate(
        [each[1:] for each in edges]
    )


class BettingTest:
    """Test of numbers being spread evenly over (0, 1).

    >>> evidence = BettingTest()
    >>> for _ in range(6):
    ...     evidence.take((0.99, 0.99))
    >>> evidence.value > 100
    True
    """

    def __init__(self) -> None:
        self._counts, self._logs, self._taken = np.zeros(sum(BINS)), np.zeros(len(BINS)), 0

    def take(self, interval: Interval) -> None:
        """Take in one more number, or the interval that it lies in."""
        share = shares(interval, BINS)
        won = np.add.reduceat(share * (self._counts + 0.5), _FIRST)
        self._logs += np.log(won * BINS / (self._taken + 0.5 * np.array(BINS)))
        self._counts += share
        self._taken += 1

    @property
    def value(self) -> float:
        """E: above 1 it speaks against the law."""
        return float(np.mean(np.exp(np.minimum(self._logs, _LARGEST_STAKE))))


class IndependenceTest:
    """Test of independence of pairs of numbers: bets on the bin of one, given the bin of the other.

    Args:
        pairs: how many pairs of them are watched at once, p.
    """

    def __init__(self, pairs: int = 1) -> None:
        self._counts = np.zeros((pairs, PAIR_BINS, PAIR_BINS))  # of the others, of the numbers
        self._logs = np.zeros(pairs)

    def take(self, share: Float[np.ndarray, "p 3"], beside: Float[np.ndarray, "p 3"]) -> None:
        """Take in one more number of each pair, as `shares` of bins; zeros for a pair without one."""
        odds = (self._counts + 0.5) / (self._counts.sum(axis=2, keepdims=True) + 0.5 * PAIR_BINS)
        won = PAIR_BINS * np.einsum("pb,pbs,ps->p", beside, odds, share)
        self._logs += np.log(np.where(won > 0.0, won, 1.0))
        self._counts += beside[:, :, None] * share[:, None]

    @property
    def values(self) -> Float[np.ndarray, " p"]:
        """E of each pair: above 1 it says that the two go together."""
        return np.asarray(np.exp(np.minimum(self._logs, _LARGEST_STAKE)))


class Ranks:
    """Ranks of values among the earlier ones: uniform if all are draws of one law, known or not.

    This is the conformal p-value (Vovk, Gammerman and Shafer 2005), with the interval that ties
    leave open.

    Args:
        before: values of that law that are known already, such as the rows of a log.

    >>> Ranks([1.0, 3.0]).take(2.0)
    (0.3333333333333333, 0.6666666666666666)
    """

    def __init__(self, before: Sequence[float] = ()) -> None:
        self._sorted = sorted(before)

    def take(self, value: float) -> Interval:
        """Return the next value's rank, as an interval."""
        less, most = bisect_left(self._sorted, value), bisect_right(self._sorted, value)
        count = len(self._sorted) + 1
        insort(self._sorted, value)
        return less / count, (most + 1) / count


Shown = tuple[Collection[str], Collection[str], Mapping[str, Any]]
"""Names of the variables that a round sets, names of those known before, and the realised values."""


def nature_draws(result: Result) -> Shown | None:
    """Draws of nature in a result as it stands; None: it shows none.

    Failed rounds show their measurements, data theirs where their scope is stated. A corrected
    outcome shows the same as before where it is the objective alone that was wrong.
    """
    if result.scope is None or (result.outcome is None and not result.failed):
        return None
    if result.played is None:
        return result.scope.set, (), result.shown
    asked = result.played.suggestion
    return asked.values, asked.context, result.shown


class LawTest:
    """Test of one law: by probability integral transforms, or by ranks among the law's data.

    Attributes:
        law: the stated law.
        values: values seen, in the user's units.

    >>> import steerbo as sb
    >>> evidence = LawTest(StatedLaw.of(sb.Float("t", 0, 1, law=sb.Uniform())))
    >>> [evidence.take(0.99) > 100 for _ in range(6)]
    [False, False, False, False, True, True]
    """

    def __init__(self, law: StatedLaw) -> None:
        self.law = law
        self.values: list[Any] = []
        self._evidence = BettingTest()
        self._step = self._largest = 0.0  # that values are read off in, and their size
        sample = None if law.sample is None else law.variable.encode(list(law.sample)).tolist()
        self._ranks = None if sample is None else Ranks(sample)

    def take(self, value: Any) -> float:
        """Take in one more value; returns the evidence against the law by now."""
        self.values.append(value)
        if self._finer(value):
            self._evidence = BettingTest()
            for each in self.values:
                self._evidence.take(self._interval(each))
        else:
            self._evidence.take(self._interval(value))
        return self._evidence.value

    def _finer(self, value: Any) -> bool:
        """Find the step that values are read off in; returns whether it is another one than before."""
        if self._ranks is not None or self.law.variable.distribution.atoms is not None:
            return False
        first, before = self.values[0], self._step
        self._largest = max(self._largest, abs(value))
        self._step = common_divisor(before, abs(value - first), FINEST * self._largest)
        return self._step != before

    @property
    def value(self) -> float:
        """E: above 1 it speaks against the law."""
        return self._evidence.value

    def _interval(self, value: Any) -> Interval:
        """Position of a value in its law: between the probabilities of less, and of no more."""
        variable = self.law.variable
        if self._ranks is not None:
            return self._ranks.take(float(variable.encode([value])[0]))
        law = variable.distribution
        if law.atoms is not None:
            values, weights = law.atoms
            code = (
                float(variable.encode([value])[0])
                if isinstance(variable, Categorical)
                else float(value)
            )
            nearest = int(np.abs(values - code).argmin())
            return float(weights[:nearest].sum()), min(float(weights[: nearest + 1].sum()), 1.0)
        half = 0.5 * self._step
        low, high = np.clip(np.nan_to_num([law.cdf(value - half), law.cdf(value + half)]), 0.0, 1.0)
        return float(low), float(max(low, high))


_NEEDED = 4  # rounds before a rank correlation is said


def alone_in_words(problem: Problem, law: StatedLaw, values: Iterable[Any]) -> str:
    """Sentence that a variable does not follow its law: expected and observed values, and the next step."""
    name, seen = law.variable.name, list(values)
    rounds = f"Seen in the first {len(seen)} rounds that left it to nature"
    if isinstance(law.variable, Categorical):
        commonest = max(law.variable.choices, key=seen.count)
        told = f"Expected: {commonest} in {100 * _share(law, commonest):.0f} % of all rounds. "
        told += f"{rounds}: in {100 * seen.count(commonest) / len(seen):.0f} %."
    else:
        low, middle, high = (problem.shown({name: float(x)})[name] for x in _quantiles(law))
        least, half, most = (
            problem.shown({name: float(x)})[name] for x in np.quantile(seen, [0, 0.5, 1])
        )
        told = f"Expected: half of all values above {middle}, nine in ten from {low} to {high}. "
        told += f"{rounds}: half above {half}, all from {least} to {most}."
    source = "the data it comes from" if law.sample is not None else "its law"
    others = ", ".join(other for other in problem.space.seen if other != name)
    given = f"If it only goes with {others}, state rows of data for both. " if others else ""
    return (
        f"{name} is not as {source} says. {told} So the expected values of scopes that leave it to nature are wrong. "
        f"{given}Begin a new study whose law for it is what was seen, or is learned, and add these rounds as data."
    )


def pair_in_words(problem: Problem, a: str, b: str, codes: Iterable[tuple[float, float]]) -> str:
    """Sentence that two variables depend on each other: expectation, observation, and the next step."""
    pairs = np.array(list(codes))
    left = (
        f"{len(pairs)} rounds that left {a} to nature"
        if problem.space[b].seen
        else f"{len(pairs)} rounds with both"
    )
    how = ""
    if (
        not any(isinstance(problem.space[name], Categorical) for name in (a, b))
        and len(pairs) >= _NEEDED
    ):
        how = f", with a rank correlation of {numeral(rank_correlation(*pairs.T), 2)}"
    return (
        f"{a} goes with {b}. Expected: {a} does not depend on {b}. Seen in the first {left}: it does{how}. "
        f"Expected values of scopes that leave {a} to nature are wrong, and their bounds too narrow. Begin a new "
        f"study with rows of data for both instead of their laws, and add these rounds as data."
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


MOST_PAIRED = 40
"""Number of variables, the first ones, whose pairs are tested for dependence."""


class LawMonitor:
    """Monitor of all laws of a problem: the evidence of the results as they stand against each law."""

    def __init__(self, problem: Problem) -> None:
        self._evidence = Fold(LawEvidence.take, partial(LawEvidence, problem))

    def findings(self, history: History) -> tuple[Finding, ...]:
        """Laws that nature violates, in the order in which it was found."""
        return self._evidence.of(history.results).findings


class LawEvidence:
    """Evidence against each law of a problem, from realised values.

    Attributes:
        findings: laws that nature violates, in the order in which it was found.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.findings = problem, tuple[Finding, ...]()
        laws = problem.stated_laws
        checked = {name: law for name, law in laws.items() if not (law.given or law.learned)}
        self._alone = {name: LawTest(law) for name, law in checked.items()}
        self._found: set[Any] = set()
        self._pairs = _pairs(problem, laws)
        self._together = IndependenceTest(len(self._pairs))
        # of every round the values of paired variables that it showed, encoded
        self._rows: list[dict[str, float]] = []
        self._ranks = {name: Ranks() for pair in self._pairs for name in pair}
        kinds = bool(self._alone) + bool(self._pairs)
        self._alone_from = kinds * len(self._alone) / ALPHA
        self._pair_from = kinds * len(self._pairs) / ALPHA

    def take(self, result: Result) -> LawEvidence:
        """Add the values that one round or data showed."""
        if (shown := nature_draws(result)) is not None:
            self.shown(*shown)
        return self

    def shown(
        self, held: Collection[str], known: Collection[str], realised: Mapping[str, Any]
    ) -> None:
        """Names of the variables that nature drew in a round with these `held` and `known` variables."""
        there = {name: value for name, value in realised.items() if name not in held}
        codes = {
            name: float(self.problem.space[name].encode([there[name]])[0])
            for name in self._ranks
            if name in there
        }
        ranks = {name: self._ranks[name].take(code) for name, code in codes.items()}
        for name, alone in self._alone.items():
            if name not in there or name in known:
                continue
            if alone.take(there[name]) >= self._alone_from and name not in self._found:
                self._find(name, alone_in_words(self.problem, alone.law, alone.values))
        if self._pairs:
            self._rows.append(codes)
            self._pair_up(ranks)

    def _pair_up(self, ranks: Mapping[str, Interval]) -> None:
        """Test each pair of variables for dependence, by the ranks of their values."""
        nothing = np.zeros(PAIR_BINS)
        bins = {
            name: shares(ranks[name], (PAIR_BINS,)) if name in ranks else nothing
            for name in self._ranks
        }
        first, second = (np.array([bins[pair[k]] for pair in self._pairs]) for k in (0, 1))
        self._together.take(first, second)
        for k in np.flatnonzero(self._together.values >= self._pair_from).tolist():
            a, b = pair = self._pairs[k]
            if pair not in self._found:
                both = [(row[a], row[b]) for row in self._rows if a in row and b in row]
                self._find(pair, pair_in_words(self.problem, a, b, both))

    def _find(self, about: str | tuple[str, str], said: str) -> None:
        self._found.add(about)
        names = [about] if isinstance(about, str) else list(about)
        found = Finding("law", " and ".join(names), values={"variables": names}, text=said)
        self.findings = (*self.findings, found)


def _pairs(problem: Problem, laws: Mapping[str, StatedLaw]) -> list[tuple[str, str]]:
    """Pairs to test: a variable with the same law in every round, and another that must not matter for it.

    The other one is drawn, too, or seen. A law that is conditional on seen values changes with
    them, so that two such laws, or one and a seen value, cannot be tested against each other.
    """
    named = [*list(laws)[:MOST_PAIRED], *(name for name in problem.space.seen if name not in laws)]
    steady = {
        name
        for name in named
        if name in laws and not problem.space[name].seen and not laws[name].given
    }
    pairs = [
        (a, b) if a in steady else (b, a)
        for a, b in combinations(named, 2)
        if a in steady or b in steady
    ]
    groups = {name: law.group for name, law in laws.items()}
    return [(a, b) for a, b in pairs if groups[a] is None or groups[a] != groups.get(b)]
