"""Ziomek, Adachi & Osborne (2025): several candidate priors, of which one should hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..page import markdown
from ..record import Result
from ..statistics import by_entrant, by_seed, shown, summary
from ..timevarying.intel import TEST_DAYS
from .claim import DEPENDS, HOLDS, NOT, OPEN, Claim, Compared, compare, together
from .layout import Paper

PAPERS = "prior-elimination"
_TOY = "toy-h5-l0.5"
_RIVALS = {"fully Bayesian": "fully-bayesian", "MLE": "mle", "regret balancing": "regret-balancing"}
_ALL = (PAPERS, *_RIVALS.values())
_HORIZONS = (50.0, 100.0, 200.0, 400.0)


def claims(results: Sequence[Result]) -> list[Claim]:
    """The paper's, under both readings and along the horizon; ours."""
    rows = [_reading(results, "toy-h5-l0.5", " (confidence 2)", mark, "our") for mark in _HORIZONS]
    rows.append(
        _reading(results, "toy-empty-start", " (confidence 2, ties first)", 200.0, "the other")
    )
    rows += [
        _ours(results, "ours: tempered elimination loses less than prior elimination where priors hold",
              ("toy-h5-l0.5", "toy-h5-l0.05", "toy-drift", "daily"), "tempered-elimination", f"{PAPERS} (confidence 2)"),
        _ours(results, "ours: taking priors back loses less than tempered elimination where the truth changes for good",
              ("switch", "long"), "switching-elimination (confidence 1.5)", "tempered-elimination"),
        _ours(results, "ours: … and loses no more where it does not",
              ("rates", "moving"), "switching-elimination (confidence 1.5)", "tempered-elimination"),
        _intel(results),
    ]  # fmt: skip
    return rows


def _reading(results: Sequence[Result], name: str, told: str, mark: float, which: str) -> Claim:
    """Prior elimination against its three rivals: it holds where it surely loses less than each."""
    cases: dict[str, Compared | None] = {
        rival: compare(results, name, PAPERS + told, label + told, "cumulative", mark)
        for rival, label in _RIVALS.items()
    }
    words = f"prior elimination loses less than its rivals on the toy, after {mark:g} rounds ({which} reading)"
    options = "--option confidence=2.0" + (" --option ties=first" if "ties" in told else "")
    return together(words, cases, f"pcb run {PAPERS} {name} --seeds 1000-1199 {options}")


def _ours(
    results: Sequence[Result], words: str, names: Sequence[str], first: str, second: str
) -> Claim:
    marks = {name: 150.0 if name.startswith("toy") else None for name in names}
    cases: dict[str, Compared | None] = {}
    for name, mark in marks.items():
        runs = by_entrant(results, name)
        last = mark or (runs[first][0].curve.at[-1] if first in runs else 0.0)
        cases[name] = compare(results, name, first, second, "cumulative", last)
    return together(words, cases, f"pcb run {first.partition(' ')[0]} {names[0]}")


def _intel(results: Sequence[Result]) -> Claim:
    """On each day who loses least: seeds move the start alone, so that days are counted, not runs."""
    words = f"{PAPERS} loses least on the Intel days, with the theory's β as in the paper"
    command = f"pcb run {PAPERS} intel-14 --option confidence=theory"
    won, parts = [], []
    for day in TEST_DAYS:
        runs = by_entrant(results, f"intel-{day}")
        ends = {}
        for who, those in runs.items():
            values = [*by_seed(those, "cumulative", those[0].curve.at[-1]).values()]
            ends[who] = summary(values).mean / those[0].rounds
        mine = f"{PAPERS} (confidence theory)"
        if mine not in ends:
            continue
        best = min(ends, key=lambda who: ends[who])
        won.append(best == mine)
        parts.append(
            f"{day} March: {shown(ends[mine])} °C a round, least {best} {shown(ends[best])}"
        )
    if not parts:
        return Claim(words, OPEN, "–", "0", command)
    verdict = HOLDS if all(won) else DEPENDS if any(won) else NOT
    return Claim(
        words, verdict, "; ".join(parts), "6 starts a day; without noise they say little", command
    )


def horizon(results: Sequence[Result]) -> str:
    """The toy along T, under our reading: mean with its error, and at the end median and tail."""
    runs, rows = by_entrant(results, _TOY), []
    for who in (
        *(f"{name} (confidence 2)" for name in _ALL),
        "tempered-elimination",
        "optuna-tpe",
        "random",
    ):
        of = [by_seed(runs.get(who, []), "cumulative", mark) for mark in _HORIZONS]
        if all(of):
            found = [summary([*values.values()]) for values in of]
            last, seeds = found[-1], [each.runs for each in found]
            rows.append(
                (who, *map(str, found), shown(last.median), shown(last.tail), f"{min(seeds)}")
            )
    if not rows:
        return "## The horizon decides\n\nNot run.\n"
    columns = (
        "entrant",
        *(f"T = {mark:g}" for mark in _HORIZONS),
        "median at 400",
        "one in ten exceeds",
        "seeds",
    )
    return f"## The horizon decides\n\n{_horizon_words(runs)}\n\n{markdown(columns, rows)}"


def _horizon_words(runs: Mapping[str, Sequence[Result]]) -> str:
    """What each loses in every further round, from 200 on."""
    words = "The paper does not say when its toy ends, and that decides who wins. "
    slopes = []
    for who in (f"{name} (confidence 2)" for name in _ALL):
        ends = [by_seed(runs.get(who, []), "cumulative", mark) for mark in (200.0, 400.0)]
        if all(ends):
            early, late = (summary([*values.values()]).mean for values in ends)
            slopes.append(f"{who.partition(' ')[0]} {shown((late - early) / 200)}")
    if not slopes:
        return words.strip()
    return (
        words
        + "Prior elimination pays once for being thorough; who has settled on a wrong prior loses the same in every "
        f"further round: by T = 400 the others have lost linearly. Regret of a round between 200 and 400: {', '.join(slopes)}."
    )


PAPER = Paper(
    "unknown-priors",
    "Objectives that drift, and priors that may be wrong",
    "time-varying",
    "A finite domain, a truth that may change, and several opinions of it. Regret is summed over rounds, against the best that is "
    "available now.",
    claims,
    (
        (_TOY, (*(f"{name} (confidence 2)" for name in _ALL), "tempered-elimination")),
        ("toy-empty-start", tuple(f"{name} (confidence 2, ties first)" for name in _ALL)),
    ),
    (
        "The paper gives no heights, widths, lengthscale or horizon of its toy. *Our reading*: hills 5 and 1, lengthscale .5, noise "
        ".1, one outcome given at a random point, ties drawn. *The other reading*: lengthscale .2, nothing given, ties to the first "
        "index, 200 rounds. β is 2 in both.",
        "With ties to the first index fully Bayesian begins on the true hill: its average over all priors is the same on all inner hills, "
        "and the true one is the first of them. That is why it loses so little under the other reading.",
        "Tails are heavy: a few runs that never leave the wrong hill make the mean, so that thirty seeds say little about it.",
        "On the Intel days there is no noise: a seed moves the first outcome and the method's own draws, nothing else. No standard "
        "errors are shown there.",
        "With rough kernels or small hills every method explores every hill; the whole grid of sixteen settings is in `pcb list "
        "time-varying`.",
    ),
    ("tempered-elimination", "switching-elimination", "switching-elimination (confidence 1.5)"),
    ("toy-h5-l0.5", "toy-h5-l0.05", "toy-drift", "daily", "switch", "rates", "moving", "intel-14", "jumps", "still-branin"),
    "None can be told prior means or several opinions; BoTorch and Xopt have time as one more column, W-DBO has its own, the others none. "
    "Where not everything is available, the nearest point that is.",
    elsewhere=" Of `jumps` and `still-branin` nobody is told a prior: there the default is another, `learned-drift`, which "
    "[the core](../core.md) shows.",
    more=horizon,
)  # fmt: skip
