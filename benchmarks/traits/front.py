"""What stands before the appendix of the page on what real systems have: `python -m benchmarks.traits.front`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..front import DEPENDS, HOLDS, NOT, Claim, Panel, judged, mean, put, spots, told
from ..runs import finished, page
from . import changing_page, context, context_page, hanging, laws, laws_checks, laws_page, moving, moving_page, prices
from .fixed_features import RIVALS

PAGE, PICTURE = "traits.md", "traits.png"
Runs = Sequence[Mapping[str, Any]]
_DRAWN = ("oven", "two of four", "by the way")
_TWIN, _PLOTS, _EI = "twin arms", "plots of five", "EI per cost"


def rows(folder: Path) -> Iterator[Claim]:
    """Trait by trait, what was wanted of it and what came."""
    yield from _known(context_page.grouped(folder / context.KEPT))
    yield from _changing(changing_page.grouped(folder / changing_page.KEPT))
    yield from _drift(moving_page.grouped(folder / moving.KEPT))
    yield from _prices(prices.grouped(folder / prices.FIRST), prices.grouped(folder / prices.KEPT))
    yield _hanging(list(finished(folder / hanging.KEPT).values()))
    yield from _laws(laws_page.grouped(folder / laws.KEPT))
    yield _doubted(list(finished(folder / laws_checks.KEPT).values()))


def _by_seed(runs: Runs, what: str) -> dict[int, float]:
    return {run["seed"]: run[what] for run in runs}


def _gaps(ours: Runs, theirs: Runs, what: str) -> list[float]:
    here, there = _by_seed(ours, what), _by_seed(theirs, what)
    return [here[seed] - there[seed] for seed in here if seed in there]


def _known(groups: Mapping[tuple[str, str], Runs]) -> Iterator[Claim]:
    seen, ignored, all_ = (groups["drawn", m] for m in (context.OURS, context.IGNORED, context.EVERYTHING))
    within, program = [r["within"] for r in seen], "python -m benchmarks.traits.context"
    trait = "[known before choosing](#known-before-choosing): "
    yield Claim(
        trait + "answers are right for 93 % of the contexts",
        HOLDS if mean(within)[0] >= 0.93 else DEPENDS if sum(mean(within)) >= 0.93 else NOT,
        f"{told(within)}; who ignores the context {told([r['within'] for r in ignored])}; on the airfoil "
        f"{np.mean([r['within'] for r in groups['airfoil', context.OURS]]):.2f} and none",
        f"{len(seen)}",
        program,
    )
    price = [r["price"] / r["oracle"] for r in seen]
    yield Claim(
        "… at most 5 % dearer than from one who knows the function",
        judged(mean(price)[0] <= 1.05),
        f"{told(price, 2)} of that price",
        f"{len(seen)}",
        program,
    )
    names = {"holding everything": all_, **{m.partition(",")[0]: groups["drawn", m] for m in RIVALS}}
    gaps = {name: _gaps(seen, those, "loss") for name, those in names.items()}
    yield Claim(
        "… losing less while learning than who holds everything, for equal money",
        judged(*(mean(of)[0] < -2 * mean(of)[1] for of in gaps.values())),
        "; ".join(f"{name} {told(of, 3, '+')}" for name, of in gaps.items())
        + f". Their answers are as good, at {min(_dear(of) for of in names.values()):.0f} to {max(_dear(of) for of in names.values()):.0f} times the price",
        f"{len(seen)}, rivals {len(groups['drawn', next(iter(RIVALS))])}",
        program,
    )
    off = _gaps(groups["not there", context.OURS], groups["not there", context.ABSENT], "loss")
    yield Claim(
        "… and at no loss where it does not matter",
        judged(mean(off)[0] <= mean(off)[1]),
        told(off, 3, "+"),
        f"{len(off)}",
        program,
    )


def _dear(runs: Runs) -> float:
    return float(np.mean([r["price"] / r["oracle"] for r in runs]))


def _changing(groups: Mapping[tuple[str, str], Mapping[int, Mapping[str, Any]]]) -> Iterator[Claim]:
    def late(method: str, worlds: Sequence[str], k: int = 1) -> list[float]:
        return [run["regret"][k] for world in worlds for run in groups[world, method].values()]

    program, runs = (
        "python -m benchmarks.traits.changing",
        f"{len(late(_TWIN, _DRAWN))}, airfoil {len(late(_TWIN, ['airfoil']))}",
    )
    ours, wing = (mean(late(_TWIN, worlds))[0] for worlds in (_DRAWN, ["airfoil"]))
    for words, share, rivals in (
        ("[the price of changing](#the-price-of-changing): half the regret of plots of five and of improvement per cost", 0.5, (_PLOTS, _EI)),
        ("… a tenth of the regret of who does not say what changes cost", 0.1, ("blind",)),
    ):  # fmt: skip
        there, far = ([mean(late(rival, worlds))[0] for rival in rivals] for worlds in (_DRAWN, ["airfoil"]))
        came = judged(ours <= share * min(there), wing <= share * min(far))
        yield Claim(
            words + (", at 75 % of the money" if share > 0.1 else ""),
            came,
            f"drawn worlds {ours:.3f} against {' and '.join(f'{x:.3f}' for x in there)}; airfoil {wing:.3f} against "
            f"{' and '.join(f'{x:.3f}' for x in far)}",
            runs,
            program,
        )
    batch = [
        b["regret"][1] - groups["oven", _TWIN][seed]["regret"][1]
        for seed, b in groups["oven", "batches of four"].items()
    ]
    still = [
        run["regret"][1] - groups["not there", "blind"][seed]["regret"][1]
        for seed, run in groups["not there", _TWIN].items()
    ]
    yield Claim(
        "… batches of four cost nothing visible; nor does declaring what is not there",
        judged(*(mean(of)[0] <= 2 * mean(of)[1] for of in (batch, still))),
        f"{told(batch, 3, '+')}; {told(still, 3, '+')}",
        f"{len(batch)}; {len(still)}",
        program,
    )


def _drift(groups: Mapping[tuple[str, str], Mapping[int, Mapping[str, Any]]]) -> Iterator[Claim]:
    def share(method: str, world: str) -> float:
        ours, plain = groups[world, method], groups[world, moving.STILL]
        return sum(ours[s]["loss"] for s in ours if s in plain) / sum(plain[s]["loss"] for s in ours if s in plain)

    def gaps(method: str, other: str, world: str) -> list[float]:
        return _gaps(list(groups[world, method].values()), list(groups[world, other].values()), "loss")

    program, learned = "python -m benchmarks.traits.moving", moving.LEARNED
    wanted = {"linear": 0.5, "switch": 0.65, "sine": 0.7}
    yield Claim(
        "[drift](#drift), learned: half of the loss without it where the optimum slides, .65 where it jumps, .7 where it swings",
        judged(*(share(learned, world) <= bar for world, bar in wanted.items())),
        "; ".join(f"{world} {share(learned, world):.2f}" for world in (*wanted, "days")),
        f"{len(groups['linear', learned])}",
        program,
    )
    still = {world: gaps(learned, moving.STILL, world) for world in ("still", "rough")}
    cut = [run for (_, method), those in groups.items() if method == moving.CUTS for run in those.values()]
    false = sum(bool(run["cuts"]) for run in cut)
    yield Claim(
        "… and no worse where nothing moves",
        judged(*(mean(of)[0] <= mean(of)[1] for of in still.values()), not false),
        "; ".join(f"{world} {told(of, 2, '+')}" for world, of in still.items())
        + f"; {false} false cuts in {len(cut)} sets of plays",
        f"{len(still['still'])}",
        program,
    )
    given = {world: share(moving.GIVEN, world) for world in ("days", "sine", "linear")}
    yield Claim(
        "… given: a fifth of the loss without it",
        judged(*(x <= 0.2 for x in given.values())),
        "; ".join(f"{world} {x:.2f}" for world, x in given.items()),
        f"{len(groups['days', moving.GIVEN])} to {len(groups['sine', moving.GIVEN])}",
        program,
    )
    rival = {world: gaps(learned, moving.RIVAL, world) for world in ("linear", "switch")}
    yield Claim(
        "… learned: less loss than BoTorch with time as a column, which holds everything for twice the money",
        judged(*(mean(of)[0] < 0 for of in rival.values())),
        "; ".join(f"{world} {told(of, 1, '+')}" for world, of in rival.items()),
        f"{len(rival['linear'])}",
        program,
    )


def _prices(first: Mapping[tuple[str, str], Runs], second: Mapping[tuple[str, str], Runs]) -> Iterator[Claim]:
    def right(groups: Mapping[tuple[str, str], Runs], worlds: Sequence[str], method: str) -> tuple[int, int]:
        found = [run["answers"][-1]["within"] for world in worlds for run in groups[world, method]]
        return int(sum(found)), len(found)

    def price(groups: Mapping[tuple[str, str], Runs], worlds: Sequence[str]) -> float:
        paid = [
            [np.mean([r["answers"][-1]["price"] for r in groups[w, m]]) for w in worlds]
            for m in (prices.SHARED, prices.BLIND)
        ]
        return float(np.sum(paid[0]) / np.sum(paid[1]))

    trait, program = "[prices on scopes](#prices-on-scopes): ", "python -m benchmarks.traits.prices"
    for worlds, bar, words in (
        (("chain", "looks"), 0.95, trait + "answers within tolerance on 95 % of the runs of chain and looks, at a third of the price"),
        (("figure 1",), 0.85, "… on 85 % of those of Figure 1"),
    ):  # fmt: skip
        (good, of), (again, them), (theirs, its) = (
            right(first, worlds, prices.SHARED), right(second, worlds, prices.SHARED), right(first, worlds, prices.BLIND))  # fmt: skip
        came = judged(
            good >= bar * of and price(first, worlds) <= 1 / 3, again >= bar * them and price(second, worlds) <= 1 / 3
        )
        yield Claim(
            words,
            came,
            f"{good} of {of} at {price(first, worlds):.2f} of the price, who never sees prices {theirs} of {its}; "
            f"with wider bounds, on fresh seeds, {again} of {them} at {price(second, worlds):.2f}",
            f"{of}; {them}",
            program,
        )


def _hanging(runs: Runs) -> Claim:
    of = {
        method: [r for r in runs if r["method"] == method]
        for method in (hanging.FORMULA, hanging.LEARNED, hanging.FLAT)
    }
    good = {method: int(sum(r["within"] for r in those)) for method, those in of.items()}
    shares = {
        method: [{"seed": r["seed"], "share": r["price"] / r["oracle"]} for r in those] for method, those in of.items()
    }
    gaps = _gaps(shares[hanging.FORMULA], shares[hanging.FLAT], "share")
    came = min(good.values()) >= good[hanging.FLAT], mean(gaps)[0] < -2 * mean(gaps)[1]
    told_ = "; ".join(
        f"{method} {good[method]} of {len(of[method])} at {mean([r['share'] for r in shares[method]])[0]:.2f}"
        for method in of
    )
    return Claim(
        "[prices that hang on what is set](#prices-that-hang-on-what-is-set), stated or learned: within tolerance as often as with a flat price, and cheaper",
        judged(*came),
        f"{told_} of the least price; stated less flat {told(gaps, 3, '+')}",
        f"{len(gaps)}",
        "python -m benchmarks.traits.hanging",
    )


def _laws(groups: Mapping[tuple[str, str], Runs]) -> Iterator[Claim]:
    def loss(world: str, method: str) -> float:
        return mean([run["loss"] for run in groups[world, method]])[0]

    def covered(world: str, method: str) -> float:
        each = [
            [float(h["covered"]) for h in run["horizons"] if h["covered"] is not None] for run in groups[world, method]
        ]
        return float(np.mean([np.mean(of) for of in each if of]))

    program, logs = "python -m benchmarks.traits.laws", ("rho 0.9", "rho -0.9", "airfoil")
    held, apart = ([covered(world, method) for world in logs] for method in ("rows", "independent"))
    yield Claim(
        "[laws from data](#laws-from-data): with a log's rows, bounds hold 93 times in a hundred",
        judged(*(x >= 0.93 for x in held)),
        f"{', '.join(f'{x:.2f}' for x in held)}; with independent columns {', '.join(f'{x:.2f}' for x in apart)}",
        f"{sum(len(groups[world, 'rows']) for world in logs)}",
        program,
    )
    gaps = {
        world: _gaps(groups[world, "learned"], groups[world, "stated"], "loss") for world in ("elsewhere", "shifted")
    }
    yield Claim(
        "… learned laws lose less where the stated law is wrong",
        judged(*(mean(of)[0] < -2 * mean(of)[1] for of in gaps.values())),
        "; ".join(
            f"{world} {loss(world, 'stated'):.1f} → {loss(world, 'learned'):.1f} ({told(of, 1, '+')}), who is told the truth {loss(world, 'true'):.1f}"
            for world, of in gaps.items()
        ),
        "20 each",
        program,
    )
    bar = 1.1 * loss("right", "stated")
    yield Claim(
        "… and at most a tenth more where it is right",
        judged(loss("right", "doubted") <= bar, loss("right", "learned") <= bar),
        f"with the stated law as a prior {loss('right', 'doubted'):.2f} against {loss('right', 'stated'):.2f}; **without one {loss('right', 'learned'):.2f}**",
        "20",
        program,
    )


def _doubted(runs: Runs) -> Claim:
    draws = {
        kind: [d for run in runs if run["key"].startswith(f"checks / {kind} / ") for d in run["found"]]
        for kind in laws_checks.BLOCKS
    }
    said = {kind: [d for d in of if d is not None] for kind, of in draws.items()}
    alarms = {kind: 100 * len(said[kind]) / len(draws[kind]) for kind in ("laws hold", "selected", "selected, given")}
    share = len(said["rho 0.5"]) / len(draws["rho 0.5"])
    came = [np.median(said["elsewhere"]) <= 8, np.median(said["rho 0.9"]) <= 8, *(x <= 1 for x in alarms.values())]
    return Claim(
        "… a law that is wrong is doubted after 8 draws, one that is right in at most 1 % of studies",
        judged(*map(bool, came)),
        f"a wrong mean after {np.median(said['elsewhere']):g}; **correlation .9 after {np.median(said['rho 0.9']):g}, .5 in {share:.0%} of studies only**; "
        f"false alarms {', '.join(f'{x:.1f}' for x in alarms.values())} %",
        f"{sum(map(len, draws.values()))} studies",
        "python -m benchmarks.traits.laws_checks",
    )


def picture(folder: Path) -> None:
    """For each trait, the loss of who declares it as a share of the loss of who does not."""
    known, moved = context_page.grouped(folder / context.KEPT), moving_page.grouped(folder / moving.KEPT)
    costs, law = changing_page.grouped(folder / changing_page.KEPT), laws_page.grouped(folder / laws.KEPT)
    shares = {
        "seen, against holding everything": _ratio(known["drawn", context.OURS], known["drawn", context.EVERYTHING]),
        "… where it does not matter": _ratio(known["not there", context.OURS], known["not there", context.ABSENT]),
        **{f"changing, {world}": _ratio(*([{**run, "loss": run["regret"][1]} for run in costs[world, m].values()] for m in (_TWIN, "blind")))
           for world in (*_DRAWN, "airfoil", "not there")},
        **{f"drift, {world}": _ratio(*(list(moved[world, m].values()) for m in (moving.LEARNED, moving.STILL)))
           for world in ("linear", "switch", "sine", "days", "still", "rough")},
        **{f"law, {world}": _ratio(law[world, "learned"], law[world, "stated"]) for world in ("elsewhere", "shifted", "right")},
        "law, right, as a prior": _ratio(law["right", "doubted"], law["right", "stated"]),
    }  # fmt: skip
    spots(
        [Panel("loss of who declares it, as a share of who does not (1: no gain)", {"mean of the runs": shares})],
        folder / PICTURE,
    )


def _ratio(ours: Runs, theirs: Runs) -> tuple[float, float]:
    """Of mean losses, paired by seed, with its standard error by linearisation."""
    here, there = _by_seed(ours, "loss"), _by_seed(theirs, "loss")
    a, b = (np.array([side[seed] for seed in here if seed in there]) for side in (here, there))
    share = a.mean() / b.mean()
    return float(share), float(np.std(a - share * b, ddof=1) / np.sqrt(len(a)) / b.mean())


def write(folder: Path) -> str:
    """The picture beside the runs, and the claims on the page; returns these."""
    picture(folder)
    return put(folder, PAGE, rows(folder))


if __name__ == "__main__":
    page(__doc__, write)
