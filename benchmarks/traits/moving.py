"""Does it pay to follow an optimum that moves? `python -m benchmarks.traits.moving`.

What is run and what is wanted was written down before: `docs/results/traits-registered.md`. Finished runs are kept
beside the page of results, and are not run again. The rival's rows need `botorch`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Refitted, keyed
from steerbo.gp import DriftModel, GPRegression, Product, SquaredExponentialKernel, fit_drift

from ..runs import arguments, finished, keep
from .moving_worlds import ROUNDS, World

KEPT = "runs/traits-moving.jsonl"
BEFORE = "runs/traits-moving-second.jsonl"
"""Of the second registration, by the version before."""
SEEDS, SETS, RIVALS = 12, 100, 4
FRESH = 9200
"""The first seed of the registration."""
STILL, LEARNED, GIVEN, KNOWN = "no drift", "learned", "given", "known"
RIVAL, CUTS = "BoTorch, time as a column", "false cuts"
WORLDS = ("linear", "switch", "sine", "days", "still", "rough", "linear, aslant", "sine, aslant")
GIVENS = {"linear": sb.gp.Sliding(80.0), "sine": sb.gp.MaternInTime(25.0, 2.5), "days": sb.gp.Periodic(20.0)}
KNOWNS = ("linear", "sine", "days")
FROM, ASKED = 15, (20, 40, 60, 80)
"""The round from which on losses count, and those after which a recommendation is judged."""
Job = tuple[str, str, int]


def jobs() -> Iterator[Job]:
    """World, method and seed; by seeds, so that what is done so far is balanced. What is as it was comes last."""
    for seed in range(SEEDS):
        if seed == 4:
            yield from ((("still", "rough")[k % 2], CUTS, k) for k in range(SETS))
        for world in WORLDS[:-2]:
            yield from ((world, method, seed) for method in (STILL, LEARNED))
            if world in GIVENS:
                yield world, GIVEN, seed
    for seed in range(SEEDS):
        yield from ((world, KNOWN, seed) for world in KNOWNS)
        yield from ((world, method, seed) for world in WORLDS[-2:] for method in (STILL, LEARNED))
    if find_spec("botorch") is not None:
        yield from ((world, RIVAL, seed) for seed in range(RIVALS) for world in ("linear", "switch"))


def key_of(job: Job) -> str:
    """Of a run."""
    return f"{job[0]} / {job[1]} / {job[2]}"


def run(job: Job) -> dict[str, Any]:
    """One run."""
    name, method, seed = job
    began, world = time.process_time(), World(name, FRESH + seed)
    about = {"key": key_of(job), "world": name, "method": method, "seed": seed}
    if method == CUTS:
        return {**about, **_cuts(world)}
    found = _rival(world) if method == RIVAL else _play(world, method)
    return {**about, **found, "seconds": round(time.process_time() - began, 1)}


def _play(world: World, method: str) -> dict[str, Any]:
    drift = {LEARNED: "learned", GIVEN: GIVENS.get(world.name)}.get(method)
    optimizer = sb.Optimizer(world.problem(drift, cause=method == KNOWN), seed=world.seed, rounds=ROUNDS)
    losses, advised = [], []
    for number in range(1, ROUNDS + 1):
        seen = {"cause": world.cause(number)} if method == KNOWN else {}
        suggestion = optimizer.ask(context=seen) if seen else optimizer.ask()
        assert suggestion is not None
        losses.append(_loss(world, suggestion.scope.set, suggestion.values, number))
        value, realised = world.play(number, suggestion.values)
        optimizer.tell(suggestion, value, realised=realised | seen)
        if number in ASKED:
            advice = optimizer.policy(seen) if seen else optimizer.recommend()
            assert advice.scope is not None
            advised.append(_loss(world, advice.scope.set, advice.values, number))
    learned = [
        event.hyperparameters["objective"].get("drift") for event in optimizer.events if isinstance(event, Refitted)
    ]
    return {
        "loss": round(sum(losses[FROM:]), 4),
        "advice": [round(loss, 4) for loss in advised],
        "spent": round(optimizer.status.spent, 2),
        "fits": len(learned),
        "kinds": [each["kind"] for each in learned if each],
        "cuts": [float.fromhex(cut) for cut in (learned[-1] or {}).get("cuts", ())] if learned else [],
    }


def _loss(world: World, names: Sequence[str], values: Any, number: int) -> float:
    """How far below what is acceptable, in this round, the expected value of a play lies."""
    held, z = sorted(int(name[1:]) for name in names), world.seen(number)
    settings = np.array([[values[f"x{d}"] for d in held]])
    return max(0.0, world.oracle(z)[0] - float(world.expected(held, settings, z)[0]))


def _cuts(world: World) -> dict[str, Any]:
    """What is learned of random plays where nothing moves: whether there are cuts, and what is said to drift."""
    random = keyed(world.seed, 1, "plays")
    X = np.column_stack([random.random((60, 3)), np.arange(1.0, 61.0)])
    y = world.value(X[:, :3], 0.0) + 0.02 * random.normal(size=60)

    def fresh(course: DriftModel) -> GPRegression[Product]:
        return GPRegression(course.over(SquaredExponentialKernel.over([False] * 3), 3))

    model, course, kinds = fresh(DriftModel()), DriftModel(), []
    for n in (12, 20, 30, 40, 50, 60):
        model.replace(X[:n], y[:n])
        course, found = fit_drift(fresh, model, course, 60.0)
        model = fresh(course)
        model.replace(X[:n], y[:n])
        model.set(found)
        kinds.append(course.kind)
    return {"kinds": kinds, "cuts": list(course.cuts)}


def _rival(world: World) -> dict[str, Any]:
    from .fixed_features import play_rival

    losses, answer, spent = play_rival(world, ROUNDS)  # type: ignore[arg-type]
    held, settings = answer(world.seen(ROUNDS))
    expected = float(world.expected(world.sets[held], settings[None], world.seen(ROUNDS))[0])
    last = max(0.0, world.oracle(world.seen(ROUNDS))[0] - expected)
    return {"loss": round(sum(losses[FROM:]), 4), "advice": [round(last, 4)], "spent": spent, "cuts": [], "kinds": []}


def main() -> None:
    """Play what is missing, as long as there is time."""
    parser = arguments(__doc__, KEPT)
    parser.add_argument("--seconds", type=float, default=np.inf, help="begin no run after so many")
    parser.add_argument("--method", default="", help="this one alone")
    given = parser.parse_args()
    file, began = given.runs, time.monotonic()
    done = finished(file)
    for job in jobs():
        if key_of(job) not in done and given.method in ("", job[1]) and time.monotonic() - began < given.seconds:
            keep(file, found := run(job))
            print(found, flush=True)


if __name__ == "__main__":
    main()
