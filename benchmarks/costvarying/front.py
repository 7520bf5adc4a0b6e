"""What stands before the appendix of the page on control sets: `python -m benchmarks.costvarying.front`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..front import Claim, Panel, judged, mean, put, spots, told
from ..runs import page
from . import nested
from .claims import OURS, against_the_best
from .results import METHODS, compared, grouped

PAGE, PICTURE, KEPT = "costvarying.md", "costvarying.png", "runs/costvarying-runs.jsonl"
_NESTED = "python -m benchmarks.costvarying.nested"


def rows(folder: Path) -> Iterator[Claim]:
    """What was wanted of `cheap-first`, and what came."""
    yield from _cells(folder / KEPT)
    yield from told_nothing(folder)


def _cells(file: Path) -> Iterator[Claim]:
    settings, program = compared(grouped(file)), "python -m benchmarks.costvarying.results"
    names = [OURS, *(method for method in METHODS if method not in ("cheap-first", "random"))]
    tallies = {name: against_the_best(settings, name) for name in names}
    level = {name: tally["ahead"] + tally["tied"] for name, tally in tallies.items()}
    sure = {name: tally["sure behind"] for name, tally in tallies.items()}
    ours, total = tallies[OURS], level[OURS] + tallies[OURS]["behind"]
    runs = f"10 in each of {len(settings)} settings"
    yield Claim("`cheap-first`, told to forgive nothing, is ahead of or tied with the best other method of each cell in "
                "three cells of four", judged(level[OURS] >= 0.75 * total),
                f"ahead in {ours['ahead']}, tied in {ours['tied']}, behind in {ours['behind']} of {total}, surely in "
                f"{sure[OURS]}", runs, program)  # fmt: skip
    best = all(level[OURS] > level[name] and sure[OURS] < sure[name] for name in names[1:])
    others = ", ".join(f"`{name}` {level[name]} and {sure[name]}" for name in names[1:])
    yield Claim("… but judged alike no other method comes as far", judged(best),
                f"ahead or tied {level[OURS]}, surely behind {sure[OURS]}; {others}", runs, program)  # fmt: skip


def told_nothing(folder: Path) -> Iterator[Claim]:
    """What forgiving a twentieth of the range saves, and costs."""
    figures = nested.figures(folder / nested.KEPT)
    ours, present = figures["all", nested.CANDIDATE]
    (simple, _, answer, _, larger) = (mine - theirs for mine, theirs in zip(ours, present, strict=True))
    full, full_before = figures["the full set is better", nested.CANDIDATE]
    full_simple = full[0] - full_before[0]
    less, (lost, error), (worse, its) = mean(larger), mean(simple), mean(answer)
    came = (less[0] < -2 * less[1], lost <= error, worse <= its, mean(full_simple)[0] <= 2 * mean(full_simple)[1])
    yield Claim("taking a twentieth of the range as good enough spends less on sets that are larger than needed, at no "
                "cost in regret or answers", judged(*came),
                f"{told(larger, 2, '+')} of 6 in money; simple regret {told(simple, 3, '+')}, of the answer "
                f"{told(answer, 3, '+')}; where the full set is needed {told(full_simple, 3, '+')}",
                f"{len(larger)}", _NESTED)  # fmt: skip


def picture(folder: Path) -> None:
    """What each rule spends on sets that are larger than needed, and its simple regret."""
    figures, rules = nested.figures(folder / nested.KEPT), {nested.PRESENT: "forgives nothing"}
    rules = {rule: rules.get(rule, f"forgives {rule}") for rule in nested.METHODS} | {
        "patience 2": "twice the patience"
    }
    groups = {"a smaller set is as good": "smaller as good", "the full set is better": "full set better"}
    spent, regret = (
        {
            name: {short: mean(figures[group, rule][0][k]) for group, short in groups.items()}
            for rule, name in rules.items()
        }
        for k in (4, 0)
    )
    panels = [Panel("spent on larger sets than needed,\nsecond half of the money (6)", spent),
              Panel("simple regret, as a share of what\ncan be gained over nature", regret)]  # fmt: skip
    spots(panels, folder / PICTURE, 8.5)


def write(folder: Path) -> str:
    """The picture beside the runs, and the claims on the page; returns these."""
    picture(folder)
    return put(folder, PAGE, rows(folder))


if __name__ == "__main__":
    page(__doc__, write)
