"""One number in several views: what page, text, JSON and pictures of a study say of the same thing must agree.

Usage: `python -m tests.torture.one_number [MOST [AFTER]]`: replayed studies of every kind, method and way, those after
the first AFTER ones; prints what differs.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from itertools import islice

from steerbo.core import Optimizer, least_acceptable, past_answers
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.page.view import advice_card, progress
from steerbo.plots.rounds import progress_of
from steerbo.records import to_dict
from tests.digests import play, studies

_NUMBER = r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?"


def differing(optimizer: Optimizer) -> Iterator[str]:
    """What two views of a study say differently."""
    advice = optimizer.recommend()
    card, text, plain = advice_card(optimizer, advice, optimizer.explain()), str(advice), to_dict(advice)
    again = optimizer.recommend()
    if to_dict(again) != plain:
        yield "two recommendations"
    if advice.mean is not None:
        first = text.splitlines()[0] if not advice.context else text
        for what, shown in (("mean", card.mean), ("bounds", card.bounds)):
            for number in re.findall(_NUMBER, shown):
                if number not in first:
                    yield f"{what}: {number} on the page, in text: {first}"
    for row in card.sets.rows if card.sets else ():
        if row.best and (row.mean != card.mean.split()[0] or row.between != card.bounds):
            yield f"which to hold: {row.mean}, {row.between}; best now: {card.mean}, {card.bounds}"
    least = least_acceptable(advice.reasons)
    if least is not None and advice.mean is not None:
        sign = optimizer.problem.sign
        if sign * advice.mean < sign * least - 1e-9:
            yield f"recommended is {advice.mean}, good enough from {least}"
    yield from _of_progress(optimizer)


def _of_progress(optimizer: Optimizer) -> Iterator[str]:
    """The drawn line ends at what is recommended now, and the page draws what matplotlib draws."""
    found, chart, advice = progress_of(optimizer), progress(optimizer, None), optimizer.recommend()
    if chart is not None and len(chart.dots) > len(found.told):
        yield f"progress: {len(chart.dots)} dots of {len(found.told)} outcomes"
    if found.reached and advice.mean is not None and found.reached[-1][1:] != (advice.mean, advice.lower, advice.upper):
        yield f"progress ends at {found.reached[-1]}, recommended is {advice.mean}"
    if past_answers(optimizer) != past_answers(Optimizer.replay(optimizer.problem, optimizer.events)):
        yield "past answers differ after a replay"


def main(most: int, after: int = 0) -> int:
    """Number of studies with views that differ, of so many after the first ones."""
    wrong = number = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, case, way in islice(studies(few=False), after, after + most):
            try:
                found = list(differing(play(case, way)))
            except (InvalidOption, InvalidProblem):  # a method for other problems, or one that has to be told more
                continue
            number += 1
            wrong += bool(found)
            for line in found:
                print(f"{name}: {line}", flush=True)
    print(f"{number} studies, {wrong} with views that differ")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:] or ["200"]))))
