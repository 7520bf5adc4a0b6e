"""What stands before the appendix of the page on drifting objectives: `python -m benchmarks.timevarying.front`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from partial_control_bench.kept import there

from ..front import DEPENDS, HOLDS, NOT, Claim, Panel, judged, mean, put, spots
from ..runs import finished, page
from . import automatic, default, single, stream, switching
from .entrants import CONSTANT, TPE
from .unknown import KINDS

PAGE, PICTURE = "timevarying.md", "timevarying.png"
_COMMAND = "python -m benchmarks.timevarying."
_SHOWN = (
    ("tempered-elimination", 1.5), ("prior-elimination", "theory"), ("prior-elimination", 2.0),
    ("fully-bayesian", 2.0), (CONSTANT, None),
)  # fmt: skip


def rows(folder: Path) -> Iterator[Claim]:
    """What was wanted of our own choices, and what came."""
    yield _default(default.read(folder / default.KEPT))
    cells = switching.read(folder / switching.KEPT)
    yield from _switching(cells)
    yield from _automatic(automatic.read(folder / automatic.KEPT))
    yield _in_vain(folder / single.KEPT)
    yield _stream(folder / stream.KEPT)


def _default(cells: default.Cells) -> Claim:
    worst = {(m, w): default.at_worst(cells, m, w) for m, w in _SHOWN}
    ours = worst.pop(("tempered-elimination", 1.5))
    others = ", ".join(f"{_called(m, w)} {share:.2f}" for (m, w), share in worst.items())
    count = {len(of) for (_, method, width), of in cells.items() if (method, width) == ("tempered-elimination", 1.5)}
    return Claim(
        "the default, `tempered-elimination` with β = 1.5, is the least bad where it does worst, over twelve cases",
        HOLDS if ours < min(worst.values()) else NOT,
        f"it loses at most {ours:.2f} of what a random play does; {others}",
        f"{min(count)} to {max(count)} a case",
        _COMMAND + "default",
    )


def _called(method: str, width: Any) -> str:
    return method if width is None else f"{method} (β {'of the theory' if width == 'theory' else f'= {width:g}'})"


def _switching(cells: switching.Cells) -> Iterator[Claim]:
    found = {case: against for case, _, against, _ in switching.against_the_better(cells)}
    told = {case: f"{case} {r:.2f} ± {error:.2f}" for case, (r, error) in found.items()}
    came = {case: found[case][0] <= limit for case, limit in switching.WANTED.items() if case in found}
    runs, program = f"{min(switching.SEEDS.values())} to {max(switching.SEEDS.values())} a case", _COMMAND + "switching"
    yield Claim(
        "taking dropped priors back has at most .75 of the regret of the better of `tempered-elimination` and "
        "`fully-bayesian` where the truth is drawn anew",
        judged(came.pop("switch")),
        f"{told['switch']}; over 1200 rounds {found['long'][0]:.2f} ± {found['long'][1]:.2f}",
        runs,
        program,
    )
    limits = "at most 1.1 where the truth drifts, 1.15 on toys whose truth stays"
    yield Claim(f"… and costs little elsewhere: {limits}", judged(*came.values()),
                "; ".join(told[case] for case in came), runs, program)  # fmt: skip


def _automatic(cells: automatic.Cells) -> Iterator[Claim]:
    found = list(automatic.against_the_best(cells))
    words = {
        True: "without priors, `switching-elimination` loses less than TPE and a Gaussian process on a window where "
        "things drift",
        False: "… and at most 1.25 of the better of TPE and a Gaussian process on all outcomes where nothing does",
    }
    for drifts, claim in words.items():
        these = [(kind, r, limit) for kind, _, r, limit in found if KINDS[kind].drifts == drifts]
        told = "; ".join(f"{kind} {r:.2f} ± {error:.2f}" for kind, (r, error), _ in these)
        verdict = judged(*(r[0] <= limit for _, r, limit in these))
        yield Claim(claim, verdict, told, f"{automatic.SEEDS} a kind", _COMMAND + "automatic")


def _in_vain(file: Path) -> Claim:
    done = finished(file)
    alarms = {}
    for delta in single.DELTAS:
        events = [run["events"] for key, run in done.items() if key.startswith(f"{single.STILL}/{delta}/")]
        alarms[delta] = sum(n > 0 for n in events), len(events)
    return Claim(
        "`et-gp-ucb` starts over in vain in at most δ_B / 2 of runs",
        judged(*(n <= of * delta / 2 for delta, (n, of) in alarms.items())),
        "; ".join(f"δ_B = {delta:g}: {n} of {of}" for delta, (n, of) in alarms.items()),
        f"{min(of for _, of in alarms.values())} each",
        _COMMAND + "single",
    )


def _stream(file: Path) -> Claim:
    times = {mark: ms for mark, ms, *_ in finished(file)["tempered-elimination/100000/0"]["marks"]}
    first, last = times[300], times[100_000]
    verdict = HOLDS if last <= 1.2 * first else DEPENDS
    return Claim("an ask costs the same after 100 000 rounds as after 300", verdict,
                 f"{first:.2f} ms and {last:.2f} ms of the processor", "one stream", _COMMAND + "stream")  # fmt: skip


def picture(folder: Path) -> None:
    """Left: the candidates for the default; right: without priors. Regret as a share of a random play's."""
    cells, given = default.read(folder / default.KEPT), {}
    for method, width in _SHOWN:
        given[_called(method, width)] = {
            case: _share(case, cells[case, method, width], mean(cells[case, "random", None])[0])
            for case in default.CASES
            if (case, method, width) in cells
        }
    without, names = (
        automatic.read(folder / automatic.KEPT),
        ("switching-elimination", *automatic.WINDOWS, TPE),
    )
    free = {name: {kind: mean(without[kind, name]) for kind in KINDS} for name in names}
    label = "regret, as a share of a random play's"
    spots([Panel(label, given)], folder / PICTURE)
    spots([Panel(label, free)], folder / "timevarying-without.png")


def _share(case: str, regrets: Sequence[float], random: float) -> tuple[float, float]:
    """On an Intel day seeds move nothing but the start: no error is shown."""
    middle, error = mean([regret / random for regret in regrets])
    return middle, 0.0 if case.startswith("Intel") else error


def write(folder: Path) -> str:
    """The pictures beside the runs, and the claims on the page; returns these, or nothing where runs are missing."""
    if not all(there(folder / each.KEPT) for each in (automatic, default, single, stream, switching)):
        return ""
    picture(folder)
    return put(folder, PAGE, rows(folder))


if __name__ == "__main__":
    page(__doc__, write)
