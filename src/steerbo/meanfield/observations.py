"""Conversion of outcomes to the observations that the Gaussian process is conditioned on, in standardised units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from ..gp import MOST, Output
from ..rounds import Outcome, Round, known_before
from .gp import Observations, informative
from .kernels import Inputs
from .problem import MeanField

Payoff = tuple[Float[np.ndarray, "C A"], Float[np.ndarray, "C A"], float, float, Float[np.ndarray, " c"], int]
"""Weights of the cells, the distribution, a payoff, the agents averaged over, the seen variables, and the outcome."""

_ROWS = 1200  # payoffs of cells that are kept; older rounds with feedback from all agents count by their average


def standardised(
    problem: MeanField,
    outcomes: Sequence[Outcome],
    tables: Sequence[Float[np.ndarray, "C A"]],
    averages: Float[np.ndarray, " n"],
    first: int,
) -> tuple[Observations, float, float]:
    """Standardise outcomes; return observations, and the offset and unit that undo it.

    Of more than `MOST` outcomes the `informative` ones are used. Disasters among a population's averages are
    `softened`: taken literally they would set the scale of everything. With seen variables they are not, because a low
    average may be due to a bad day and not to the distribution.

    Args:
        problem: kind of feedback.
        outcomes: n outcomes, at least one.
        tables: distribution played in each.
        averages: (n,) the population's averages, larger is better.
        first: number of outcomes played at random.
    """
    if len(outcomes) > MOST:
        kept = informative(tables, averages, first, MOST)
        outcomes, tables, averages = [outcomes[i] for i in kept], [tables[i] for i in kept], averages[kept]
    if problem.feedback == "population":
        known = np.array(tables)
        before = problem.before([outcome.realised for outcome in outcomes])
        y = averages if before.shape[1] else softened(averages, first)
        inputs, agents = Inputs(known * problem.shares[:, None], known, _or_none(before)), np.ones(len(known))
        number = np.arange(len(known))
    else:
        rows = _payoffs(problem, outcomes, tables, averages)
        weights, played, values, behind, seen_before, numbers = zip(*rows, strict=True)
        inputs = Inputs(np.array(weights), np.array(played), _or_none(np.array(seen_before)))
        y, agents, number = np.array(values), np.array(behind), np.array(numbers)
    output = Output.fitted(y)
    seen = np.array(tables[:first])
    return Observations(inputs, output.forward(y), agents, seen, number), output.offset, output.scale


def pending_inputs(problem: MeanField, rounds: Iterable[Round]) -> Inputs:
    """Return the inputs of rounds without an outcome."""
    realised = [{**known_before(played.request), **played.realised} for played in rounds]
    tables = np.array([problem.table(known["distribution"]) for known in realised]).reshape(-1, *problem.simplex.shape)
    return Inputs(tables * problem.shares[:, None], tables, _or_none(problem.before(realised)))


def _or_none(seen: Float[np.ndarray, "n c"]) -> Float[np.ndarray, "n c"] | None:
    """Return None if the problem has no seen variables and no drift."""
    return seen if seen.shape[1] else None


def softened(averages: Float[np.ndarray, " n"], first: int) -> Float[np.ndarray, " n"]:
    """Compress low averages logarithmically, beyond as far below the first rounds' median as the best is above it.

    Clipping them there would do without noise. With noise, in rounds with little gain so far, it would make disasters
    as large as the noise, and nothing could be learned from either.

    >>> softened(np.array([0.0, 1.0, 2.0, -1.0]), first=3)
    array([ 0.        ,  1.        ,  2.        , -0.69314718])
    """
    start = float(np.median(averages[:first]))
    gain = float(averages.max()) - start
    if gain <= 0:
        return averages
    beyond = np.maximum(start - gain - averages, 0.0)
    return np.asarray(averages + beyond - gain * np.log1p(beyond / gain))


def _payoffs(
    problem: MeanField,
    outcomes: Sequence[Outcome],
    tables: Sequence[Float[np.ndarray, "C A"]],
    averages: Float[np.ndarray, " n"],
) -> list[Payoff]:
    """List payoffs of single agents and cells, newest first."""
    rows: list[Payoff] = []
    sign, shares = problem.sign, problem.shares[:, None]
    newest_first = zip(reversed(outcomes), reversed(tables), averages[::-1].tolist(), strict=True)
    for number, (outcome, table, average) in zip(reversed(range(len(outcomes))), newest_first, strict=True):
        (before,) = problem.before([outcome.realised])
        if problem.feedback == "representative":
            c = problem.contexts.index(outcome.realised["context"])
            a = problem.actions.index(outcome.realised["action"])
            rows.append((_cell(table.shape, c, a), table, sign * outcome.value, 1.0, before, number))
        elif len(rows) >= _ROWS:
            rows.append((table * shares, table, average, float(problem.agents), before, number))
        else:
            paid = problem.table(outcome.value)
            agents = np.maximum(np.rint(table * problem.agents_in[:, None]), 1)
            rows.extend(
                (_cell(table.shape, c, a), table, float(sign * paid[c, a]), float(agents[c, a]), before, number)
                for c, a in np.argwhere(table > 0)
            )
    return rows


def _cell(shape: tuple[int, ...], c: int, a: int) -> Float[np.ndarray, "C A"]:
    """Return weights that are one in a single cell."""
    weights = np.zeros(shape)
    weights[c, a] = 1.0
    return weights
