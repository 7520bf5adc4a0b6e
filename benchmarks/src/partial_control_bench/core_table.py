"""Tables of the core: how each entrant stands, in one row, and problem by problem, in percent of what chance loses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from .core import FAMILIES, OURS, PREFIX, PUBLISHED, measured
from .page import markdown
from .record import Result
from .statistics import error_of, paired, shown, summary

CHANCE = "random"
_CAPTION = "In percent of what playing at random loses: {ours}, and what others lose more, ± half a 95 % interval."
Losses = dict[str, dict[str, dict[int, float]]]


def losses(results: Sequence[Result], registration: str, measure: str) -> Losses:
    """By problem, entrant and seed."""
    found: Losses = defaultdict(lambda: defaultdict(dict))
    for each in results:
        value = measured(each, measure)
        if each.kept.get("registration") == registration and value is not None:
            found[each.problem][each.entrant][each.seed] = value
    return found


def half_width(n: int, error: float) -> float:
    """Half a 95 % interval of a mean: two standard errors, and more of few seeds, by Student's t; NaN of one.

    >>> half_width(1000, 1.0) < 2.0 < half_width(3, 1.0)
    True
    """
    return float(t.ppf(0.975, n - 1)) * error if n > 1 else float("nan")


def order_of(by: Losses, ours: str = OURS) -> list[str]:
    """Problems that ours has played, in the order of the core."""
    return [
        name
        for name in (*PUBLISHED, *(PREFIX + name for name in FAMILIES))
        if by.get(name, {}).get(ours)
    ]


def share(of: dict[str, dict[int, float]], who: str) -> float | None:
    """An entrant's loss on one problem as a share of what playing at random loses on the same seeds."""
    base, own = of.get(CHANCE, {}), of.get(who, {})
    shared = base.keys() & own.keys()
    whole = sum(base[seed] for seed in shared)
    return sum(own[seed] for seed in shared) / whole if whole > 0 else None


# -- one row an entrant ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """How one entrant stands: loss as a share of random's, over the problems that it has played.

    Attributes:
        shares, ours: of it, and of ours on the same problems and seeds.
        ahead, behind: on how many problems its 95 % interval is below ours, and above.
        seeds: the fewest and the most on a problem.
        seconds: of CPU, a run.
    """

    who: str
    shares: Sequence[float]
    ours: Sequence[float]
    ahead: int
    behind: int
    seeds: tuple[int, int]
    seconds: float

    @property
    def mean(self) -> float:
        """Over problems."""
        return float(np.mean(self.shares))

    @property
    def row(self) -> tuple[object, ...]:
        """Of the table."""
        least, most = self.seeds
        error = error_of(self.shares)
        against = (
            ("", "")
            if self.who == OURS
            else (f"{np.mean(self.ours):.2f}", f"{self.ahead} / {self.behind}")
        )
        seeds = str(least) if least == most else f"{least}–{most}"
        mean, worst = (
            f"{self.mean:.2f} ± {error:.2f}".replace("nan", "–"),
            f"{max(self.shares):.2f}",
        )
        return self.who, mean, *against, worst, len(self.shares), seeds, shown(self.seconds)


def standings(
    results: Sequence[Result], registration: str, measure: str = "play", ours: str = OURS
) -> list[Standing]:
    """Of all entrants, by how much more they lose than ours; none where playing at random has not been played."""
    by, seconds = losses(results, registration, measure), defaultdict[str, list[float]](list)
    for each in results:
        seconds[each.entrant].append(each.cpu_seconds or 0.0)
    found = []
    for who in dict.fromkeys(each.entrant for each in results):
        shares, own, ahead, behind, seeds = [], [], 0, 0, []
        for name in order_of(by, ours):
            of = by[name]
            both = {seed: value for seed, value in of[ours].items() if seed in of.get(who, {})}
            its, mine = share(of, who), share({**of, ours: both}, ours)
            if its is None or mine is None:
                continue
            shares.append(its)
            own.append(mine)
            seeds.append(len(both))
            sure = surely(of[who], of[ours])
            ahead += sure < 0
            behind += sure > 0
        if shares:
            taken = float(np.mean(seconds[who]))
            found.append(Standing(who, shares, own, ahead, behind, (min(seeds), max(seeds)), taken))
    return sorted(found, key=lambda each: each.mean - float(np.mean(each.ours)))


def surely(its: dict[int, float], ours: dict[int, float]) -> int:
    """−1 or 1 where a 95 % interval of the paired difference is below or above 0, else 0."""
    away = paired(its, ours)
    if away is None or away.runs < 2 or abs(away.mean) <= half_width(away.runs, away.error):
        return 0
    return 1 if away.mean > 0 else -1


def standing_table(results: Sequence[Result], registration: str, ours: str = OURS) -> str:
    """One row an entrant: peers may be many."""
    against = (f"{ours} on the same seeds", f"surely ahead of {ours} / behind")
    columns = (
        "entrant",
        "loss, random's is 1",
        *against,
        "at worst",
        "problems",
        "seeds",
        "CPU s a run",
    )
    return markdown(columns, (each.row for each in standings(results, registration, ours=ours)))


# -- problem by problem ----------------------------------------------------------------------------


def table(
    results: Sequence[Result],
    registration: str,
    others: Sequence[str],
    measure: str = "play",
    ours: str = OURS,
) -> str:
    """By problem, in percent of what playing at random loses: ours, and what others lose more, paired by seed.

    Half a 95 % interval stands behind; a star marks who is surely ahead of ours.
    """
    by = losses(results, registration, measure)
    rows = []
    for name in order_of(by, ours):
        of = by[name]
        if not of.get(CHANCE):
            continue
        whole = float(np.mean([*of[CHANCE].values()]))
        own = summary([*of[ours].values()])
        mine = f"{_percent(own.mean / whole)} ± {_percent(half_width(own.runs, own.error) / whole)}"
        cells = [name, shown(whole), mine]
        for who in others:
            away = paired(of.get(who, {}), of[ours])
            if away is None:
                cells.append("–")
                continue
            wide = (
                "" if away.runs < 2 else f" ± {_percent(half_width(away.runs, away.error) / whole)}"
            )
            star = "\\*" if surely(of[who], of[ours]) < 0 else ""
            cells.append(f"{_percent(away.mean / whole, '+')}{wide}{star}")
        rows.append(tuple(cells))
    return markdown(("problem", "random's loss", f"{ours}, %", *others), rows)


def _percent(part: float, sign: str = "") -> str:
    """Without a digit that nobody needs.

    >>> _percent(0.0123), _percent(1.5), _percent(0.2, "+"), _percent(float("nan"))
    ('1.2', '150', '+20', '–')
    """
    if not np.isfinite(part):
        return "–"
    return f"{100 * part:{sign}.{0 if abs(part) >= 0.1 else 1}f}"


def report(results: Sequence[Result], registration: str, ours: str = OURS) -> str:
    """Both measures, problem by problem, and one row an entrant."""
    others = [who for who in dict.fromkeys(each.entrant for each in results) if who != ours]
    parts = [
        "**Loss while playing** (the papers' measure; of drawn problems, of an average unit of money)"
    ]
    parts += [_CAPTION.format(ours=ours), table(results, registration, others, "play", ours)]
    parts += ["**Loss of what is recommended at the end** (drawn problems)"]
    parts += [table(results, registration, others, "answer", ours)]
    parts += ["**One row an entrant**", standing_table(results, registration, ours)]
    return "\n\n".join(part.strip() for part in parts) + "\n"
