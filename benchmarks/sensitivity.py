"""How much the numbers of `evidence/constants.md` matter: short studies with each halved, and doubled.

Every study is small, has a truth that is known here, and fixed seeds. A number is changed in a copy
of the source, so that copies and defaults of it change, too; the studies of its kind are played with
it as it is, halved and doubled, and compared seed by seed. Of a share between a half and one, the
distance from one is halved and doubled.

Usage, in the checkout: `python -m benchmarks.sensitivity OUT.jsonl [WORD …]`. One process; a line for
each number, value and study; what is in OUT already is not played again. `--page OUT.jsonl` prints
the table of `evidence/sensitivity.md`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SEEDS = range(3)

# -- what is changed: file, names, and studies that it may matter in -------------------------------

LISTED: list[tuple[str, str, str]] = [
    ("_evidence.py", "COMPARABLE", "outliers limit panel change"),
    ("_evidence.py", "ALIKE", "limit traded narrow"),
    ("_evidence.py", "FALSE_ALARM", "told dates outliers plain"),
    ("bandit.py", "RECENT", "surprised"),
    ("bandit.py", "TRUSTED", "surprised"),
    ("core/_codes.py", "_SETTINGS", "told"),
    ("space/variables.py", "NEAR", "outliers reach reach-nearly seen changes today"),
    ("surrogate/_reach.py", "FURTHER", "today"),
    ("core/_implausible.py", "_FACTOR", "told"),
    ("gp/_draws.py", "DRAWS", "plain"),
    ("gp/_hyperparameters.py", "LIKELY_NOISE", "plain"),
    ("gp/outliers.py", "MOST_OUTLIERS", "outliers"),
    ("gp/_regression.py", "_EXPECTED", "batches"),
    ("gp/_learning.py", "_KNOWN", "stated"),
    ("gp/_standardisation.py", "_ELSEWHERE", "graph prices"),
    ("timevarying/_doubts.py", "_SPEAKS_AGAINST, _TAILS", "priors jump"),
    ("timevarying/_doubts.py", "_WINDOW, _ENOUGH", "priors jump"),
    ("timevarying/_validation.py", "_SHORT, _LONG", "priors"),
    ("timevarying/elimination.py", "_SELDOM", "switching"),
    ("costvarying/_explore_then_commit.py", "_WITHOUT_LIMIT", "commit"),
    ("costvarying/method.py", "_SEVERAL, _OFF", "costs"),
    ("costvarying/method.py", "_FAILS", "failing"),
    ("costvarying/search_space.py", "TRUST_RADII", "distances"),
    ("causal/_acting.py", "_NUDGE", "graph"),
    ("causal/_observational.py", "_NEIGHBOURS", "observed"),
    ("causal/models.py", "_LINEAR", "graph"),
    ("surrogate/_conditional.py", "AT_FIRST", "seen"),
    ("surrogate/_conditional.py", "_REACH", "seen"),
    ("surrogate/_feasibility.py", "SHARE, OF_ANSWERS", "failing"),
    ("surrogate/_feasibility.py", "PLACE, SCOPES", "failing"),
    ("surrogate/_feasibility.py", "REACHES, NOISES", "failing"),
    ("surrogate/_feasibility.py", "_HOPE", "failing"),
    ("surrogate/_feasibility.py", "_LUCK", "failing"),
    ("surrogate/_feasibility.py", "_END", "failing"),
    ("surrogate/_feasibility.py", "FADES", "failing-drift"),
    ("surrogate/_feasibility.py", "FEWEST", "failing"),
    ("surrogate/_model.py", "STARTLED, WITHIN", "outliers"),
    ("timevarying/surrogates.py", "FORGETS_AT, KEPT", "long"),
    ("timevarying/surrogates.py", "FORGOTTEN", "long"),
    ("timevarying/surrogates.py", "_SAME_FUNCTION", "long"),
    ("gp/_learned_drift.py", "ODDS", "change slide"),
    ("gp/_learned_drift.py", "_SLOW", "slide season"),
    ("gp/_learned_drift.py", "_LIKELY", "slide"),
    ("gp/_drift_signs.py", "_REPEATED", "season"),
    ("gp/kernels/_temporal.py", "LIKELY_VELOCITY, LARGEST_VELOCITY", "slide"),
    ("costvarying/_switching.py", "ASSUMED", "endless"),
    ("surrogate/_constraints.py", "_ABSURD", "limit limit-slips limit-large-slips"),
    ("gp/kernels/_unseen.py", "CATEGORIES", "safe-kinds"),
    ("gp/_draws.py", "DRAWN_UP_TO", "many"),
    ("gp/_posterior.py", "_ABOUT_THE_BEST", "crowded"),
    ("gp/_posterior.py", "_LATEST, _NEAREST", "crowded"),
    ("meanfield/_gp.py", "_UNKNOWN", "fleet-slips"),
    ("meanfield/_gp.py", "_LIKELY_NOISE, _LEAST_NOISE, _NOISE_SPREAD", "fleet fleet-slips fleet-change"),
    ("meanfield/_gp.py", "_PLAIN, _ROOT", "fleet fleet-seen"),
    ("meanfield/_gp.py", "_SPREAD", "fleet fleet-seen"),
    ("meanfield/mf_gp_ucb.py", "_WORTH_TRYING", "fleet"),
    ("meanfield/mf_gp_ucb.py", "_ANEW", "fleet-change"),
    ("meanfield/mf_gp_ucb.py", "_LATE", "fleet-late fleet-very-late"),
    ("meanfield/mf_gp_ucb.py", "_ANSWER", "fleet fleet-noisy fleet-loud"),
]  # fmt: skip


def changed(value: Any, factor: float) -> Any:
    """A value, or all parts of it, times a factor; of a share above a half, its distance from one."""
    if isinstance(value, tuple):
        return tuple(changed(part, factor) for part in value)
    if isinstance(value, int):
        return max(1, int(value * factor))
    return 1.0 - (1.0 - value) * factor if 0.5 < value < 1.0 else value * factor


def edited(file: Path, names: str, factor: float) -> str:
    """Change an assignment in a file; returns its new value."""
    source = file.read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign):
            continue
        found = ast.unparse(node.targets[0]).strip("()")
        if found == names:
            value = changed(eval(ast.unparse(node.value), {"math": math}), factor)
            lines = source.splitlines()
            lines[node.lineno - 1 : node.end_lineno] = [f"{names} = {value!r}"]
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            return repr(value)
    raise SystemExit(f"{file}: {names} is not there")


# -- studies: each returns what is compared --------------------------------------------------------


class Record:
    """What a study said and did: its events and answers as hashes, plays' and answer's regret, alarms and hits."""

    def __init__(self) -> None:
        self.plays: list[float] = []
        self.answer: list[float] = []
        self.events = self.said = ""
        self.alarms: list[str] = []
        self.hits: list[str] = []
        self.planted = self.clean = 0

    def told(self, found: Any, planted: bool) -> None:
        """Count what was said of a value."""
        self.planted += planted
        self.clean += not planted
        (self.hits if planted else self.alarms).extend(["tell"] if found else [])

    def end(self, optimizer: Any, planted: bool = False) -> Record:
        """Take in what a study has logged, answers and notices."""
        from steerbo.records import to_dict

        events = [{**to_dict(event), "fingerprint": None} for event in optimizer.events]
        found = [f"{each.kind} {each.where}" for each in optimizer.status.findings]
        self.events = _hash(events)
        answer = re.sub(r" at 0x[0-9a-f]+", "", repr(optimizer.recommend()))
        self.said = _hash([answer, found])
        (self.hits if planted else self.alarms).extend(found)
        return self

    def plain(self) -> dict[str, Any]:
        """As data."""
        return {**vars(self), "plays": _mean(self.plays), "answer": _mean(self.answer)}


def _mean(numbers: list[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]


def hill(a: Any, b: Any, at: tuple[float, float] = (0.62, 0.35)) -> Any:
    """A ridge and a hill, from 0 to 1."""
    import numpy as np

    return np.exp(-(((a - at[0]) / 0.22) ** 2) - ((b - at[1]) / 0.35) ** 2)


def costvarying(
    seed: int,
    *,
    rounds: int = 16,
    method: str | None = None,
    noise: float = 0.03,
    moves: Callable[[int], tuple[float, float]] = lambda t: (0.62, 0.35),
    slips: tuple[int, ...] = (),
    fails: Callable[[float, float, Any], bool] = lambda a, b, random: False,
    cost: Callable[[Any, float], float | None] = lambda names, a: None,
    costs: Any = (1.0, 1.0, 2.0),
    limit: bool = False,
    change: dict[str, float] | None = None,
    kinds: bool = False,
    spread: float = 0.1,
    learned: bool = False,
    seen: bool = False,
    rows: int = 0,
    digits: int = 12,
    batch: int = 1,
    stuck: float = 2.0,
    start: dict[str, Any] | None = None,
    loud: bool = False,
    told_noise: float | None = None,
    most: int | None = None,
    factor: float = 100.0,
    **more: Any,
) -> Record:
    """A cost-varying study: set a, b or both; nature draws what is left; the truth is `hill`."""
    import numpy as np

    import steerbo as sb

    variables = _variables(change, learned, seen, kinds)
    limits = [sb.OutcomeConstraint("strain", at_most=1.2, probability=0.9)] if limit else None
    sets = [["a"], ["b"], ["a", "b"]]
    sets = [[*names, "kind"] for names in sets] if kinds else sets
    problem = sb.CostVarying(
        variables, sets, costs=list(costs), limits=limits, noise=told_noise, **more
    )
    if most is not None:
        _count_at_most(most)
    optimizer: Any = sb.Optimizer(problem, method, seed=seed, **(start or {"rounds": rounds}))
    random = np.random.default_rng(seed)
    nature = np.random.default_rng(99).random((128, 2))
    nature[:, 0] = np.clip(0.5 + 0.2 * np.random.default_rng(98).normal(size=128), 0, 1)
    record = Record()

    def truth(values: Any, at: tuple[float, float], shift: float) -> float:
        a, b = values.get("a", nature[:, 0]), values.get("b", nature[:, 1])
        return float(np.mean(hill(a - shift, b, at)))

    _add_rows(optimizer, random, (rows, spread), limit, kinds)
    t = 0
    while t < rounds:
        context: dict[str, Any] = {"w": float(random.random()), "k": "uv"[t % 2]} if seen else {}
        shift = 0.3 * (context["w"] - 0.5) if seen else 0.0
        asked = [optimizer.ask(context=context) if seen else optimizer.ask() for _ in range(batch)]
        for suggestion in asked:
            t += 1
            if suggestion is None:
                return record.end(optimizer, bool(slips))
            at = moves(t)
            drawn = {
                "a": float(np.clip(0.5 + 0.2 * random.normal() + shift, 0, 1)),
                "b": float(random.random()),
            }
            real = {**drawn, **suggestion.values, **context}
            real["a"] = min(real["a"], stuck)
            record.plays.append(1.0 - truth(suggestion.values, at, shift))
            if fails(real["a"], real["b"], random):
                optimizer.fail(suggestion, "broke")
                continue
            loudness = noise * (6.0 * real["a"] ** 3 if loud else 1.0)
            value = round(
                float(hill(real["a"] - shift, real["b"], at) + loudness * random.normal()), digits
            )
            if limit:
                at_kind = 0.2 * "uvwx".index(suggestion.values["kind"]) if kinds else 0.0
                record.plays[-1] += float(real["a"] + real["b"] + at_kind > 1.2)
                real["strain"] = real["a"] + real["b"] + at_kind + 0.03 * float(random.normal())
            slip = t in slips
            if slip and limit:
                real["strain"] *= factor
            elif slip:
                value = value * 10.0 + 3.0 * (-1.0) ** t
            if "outcomes" in more:
                real |= {name: float(real["b"] ** 2) for name in more["outcomes"]}
            told = optimizer.tell(
                suggestion, value, cost=cost(tuple(suggestion.values), real["a"]), realised=real
            )
            record.told(told, slip)
    record.answer.append(1.0 - truth(optimizer.recommend().values, moves(rounds), 0.0))
    return record.end(optimizer, bool(slips))


def _variables(
    change: dict[str, float] | None, learned: bool, seen: bool, kinds: bool
) -> list[Any]:
    """Two variables that may be left to nature; weather and a kind of day where they are seen."""
    import steerbo as sb

    laws: list[Any] = [sb.TruncatedNormal(0.5, 0.2), sb.Uniform()]
    if learned:
        laws = [sb.space.Learned(law) for law in laws]
    hard = sb.SwitchingCost(**change) if change else None
    variables: list[Any] = [
        sb.Float("a", 0, 1, law=laws[0], change=hard),
        sb.Float("b", 0, 1, law=laws[1]),
    ]
    if seen:
        variables.append(sb.Float("w", 0, 1, seen=True))
        variables.append(sb.Categorical("k", ["u", "v"], seen=True))
    if kinds:
        variables.append(sb.Categorical("kind", ["u", "v", "w", "x"], law=sb.Uniform()))
    return variables


def _add_rows(
    optimizer: Any, random: Any, rows_spread: tuple[int, float], limit: bool, kinds: bool
) -> None:
    """Add data of a corner of the range, and of one kind."""
    rows, spread = rows_spread
    for _ in range(rows):
        a, b = spread * random.random(2) + 0.3
        realised: dict[str, Any] = {"a": float(a), "b": float(b)}
        realised |= {"strain": float(a + b)} if limit else {}
        realised |= {"kind": "u"} if kinds else {}
        optimizer.add(float(hill(a, b)), realised)


def _count_at_most(most: int) -> None:
    """Let posteriors count so many outcomes, where they count 5000."""
    from steerbo.gp import _posterior

    for each in vars(_posterior).values():
        if isinstance(each, types.FunctionType) and 5000 in (each.__defaults__ or ()):
            each.__defaults__ = tuple(most if x == 5000 else x for x in each.__defaults__ or ())


def told(seed: int) -> Record:
    """Values as people tell them, without a model: right ones of four laws, and slips of the pen in five places."""
    import numpy as np

    import steerbo as sb

    laws: list[Callable[[Any], float]] = [
        lambda random: 20.0 + 3.0 * random.normal(),
        lambda random: random.exponential(4.0),
        lambda random: math.exp(random.normal()),
        lambda random: round(60.0 + 20.0 * random.random()),
    ]
    record = Record()
    for number, law in enumerate(laws):
        for planted in (False, True):
            random = np.random.default_rng(100 * seed + number)
            variables = [sb.Float("x", 10, 30), sb.Float("h", 20, 90, law=sb.Uniform())]
            limits = [sb.OutcomeConstraint("p", at_most=1e6)]
            problem = sb.CostVarying(
                variables, [["x"]], costs=[4.0] if number % 2 else None, limits=limits
            )
            optimizer: Any = sb.Optimizer(problem, "random", rounds=40, seed=seed)
            for t in range(24):
                asked = optimizer.ask()
                value, cost = law(random), 4.0 * math.exp(0.3 * random.normal())
                x, h = asked.values["x"] + 0.3 * random.normal(), 20.0 + 70.0 * random.random()
                real = {"x": x, "h": h, "p": law(random)}
                slip = planted and t in (5, 9, 13, 17, 21)
                if slip and t == 5:
                    value *= 100.0
                elif slip and t == 9:
                    cost *= 100.0
                elif slip and t == 13:
                    real["h"] *= 10.0
                elif slip and t == 17:
                    real["p"] *= 100.0
                elif planted and t in (20, 21, 22):
                    value, slip = -9.0, t == 22
                record.told(optimizer.tell(asked, value, cost=cost, realised=real), slip)
            record.end(optimizer, planted)
    return record


def dates(seed: int) -> Record:
    """Times of rounds, one of them a Unix time, without its decimal point, or of another year."""
    import numpy as np

    import steerbo as sb

    record = Record()
    for pattern in ("days", "random", "holidays"):
        for slip in ("", "unix", "point", "year"):
            problem, random = sb.TimeVarying([sb.Float("x", 0, 1)]), np.random.default_rng(seed)
            optimizer: Any = sb.Optimizer(problem, "random", seed=seed)
            time_now = 1.0
            for t in range(30):
                step = {
                    "days": 3.0 if t % 5 == 4 else 1.0,
                    "random": random.exponential(2.0),
                    "holidays": 1.0,
                }[pattern]
                time_now += step + 20.0 * (pattern == "holidays" and t == 15)
                said = time_now
                if slip and t == 25:
                    said = {"unix": 1.7e9, "point": 10.0 * time_now, "year": time_now + 365.0}[slip]
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    asked = optimizer.ask(time=said)
                record.told([w for w in caught if "time" in str(w.message)], bool(slip) and t == 25)
                optimizer.abandon(asked) if said != time_now else optimizer.tell(
                    asked, float(random.normal())
                )
            record.events += _hash([len(record.alarms), len(record.hits)])
    record.said = record.events
    return record


def timevarying(
    seed: int,
    *,
    priors: bool = True,
    rounds: int = 30,
    method: str | None = None,
    move: Callable[[float], float] = lambda t: 0.5 + 0.003 * t,
    slips: tuple[int, ...] = (),
    box: bool = False,
    added: int = 0,
    panel: bool = False,
    noise: float = 0.1,
    **options: Any,
) -> Record:
    """A time-varying study on [0, 1]: a hill that moves."""
    import numpy as np

    import steerbo as sb
    from steerbo.timevarying import Matern, SquaredExponential

    x = sb.Float("x", 0, 1, step=None if box else 0.05)
    opinions: Any = [
        sb.Prior(SquaredExponential(0.15), 0.0, sb.Decay(0.01), 0.1, name="slow"),
        sb.Prior(Matern(0.04), 0.0, sb.Decay(0.2), 0.1, name="fast"),
        sb.Prior(SquaredExponential(0.02), 0.5, None, 0.1, name="rough"),
    ]
    random, record = np.random.default_rng(seed), Record()

    def truth(place: Any, t: float) -> Any:
        return np.exp(-(((place - move(t)) / 0.15) ** 2))

    variables: list[Any] = [x]
    if panel:
        sites = np.linspace(0, 1, 12)
        past = np.array([truth(sites, -t) + 0.1 * random.normal(size=12) for t in range(12)])
        past[random.random(past.shape) < 0.3] = np.nan
        variables = [sb.Float("x", 0, 1, step=1 / 11)]
        opinions = [*sb.Prior.from_panel(np.stack([past, past[::-1]]), means="sites")]
    problem = sb.TimeVarying(variables, opinions) if priors else sb.TimeVarying(variables)
    optimizer: Any = sb.Optimizer(problem, method, seed=seed, **options)
    for k in range(added):
        place = float(random.random())
        optimizer.add(
            float(truth(place, k - added) + 0.1 * random.normal()),
            {"x": place, "time": float(k - added)},
        )
    for t in range(1, rounds + 1):
        asked = optimizer.ask(time=float(t))
        place = asked.values["x"]
        record.plays.append(1.0 - float(truth(place, t)))
        value = float(truth(place, t) + noise * random.normal()) + 30.0 * (t in slips)
        record.told(optimizer.tell(asked, value), t in slips)
    record.answer.append(1.0 - float(truth(optimizer.recommend().values["x"], rounds)))
    return record.end(optimizer, bool(slips))


def causal(
    seed: int,
    *,
    rounds: int = 14,
    method: str | None = None,
    priced: bool = False,
    kinds: bool = False,
    observed: int = 0,
    budget: float | None = None,
    learned: bool = False,
) -> Record:
    """A dose after a look at age, and a rest; age acts on both."""
    import numpy as np

    import steerbo as sb

    graph = sb.CausalGraph.from_text(
        "age -> dose -> y; age -> y; rest -> y", target="y", intervenable=["dose", "rest"]
    )
    age: Any = sb.Categorical("age", ["young", "mid", "old"]) if kinds else sb.Float("age", 0, 1)
    variables = [sb.Float("dose", 0, 1), sb.Float("rest", 0, 1), age]
    prices: Any = {"dose": 1.0, "rest": 1.0, "age": 0.2} if priced else None
    if learned:
        prices |= {"dose": "learned", "rest": "learned"}
    problem = sb.Causal(graph, variables, prices=prices, base=1.0 if priced else None)
    optimizer: Any = sb.Optimizer(problem, method, seed=seed, budget=budget)
    random, record = np.random.default_rng(seed), Record()

    def value(dose: Any, rest: Any, at: Any) -> Any:
        return np.exp(-(((dose - 0.2 - 0.6 * at) / 0.25) ** 2)) * (1.0 - (rest - 0.7) ** 2)

    for _ in range(observed):
        at: float = float(random.random())
        dose, rest = float(np.clip(at + 0.3 * random.normal(), 0, 1)), float(random.random())
        optimizer.add(
            float(value(dose, rest, at) + 0.05 * random.normal()),
            {"dose": dose, "rest": rest, "age": at},
        )
    for _ in range(rounds):
        asked, kind = optimizer.ask(), int(random.integers(3))
        if asked is None:
            break
        at = kind / 2.0 if kinds else float(random.random())
        said = ["young", "mid", "old"][kind] if kinds else at
        while asked.observe:
            asked = optimizer.decide(asked, dict.fromkeys(asked.observe, said))
        dose = asked.values.get("dose", float(np.clip(at + 0.3 * random.normal(), 0, 1)))
        rest = asked.values.get("rest", float(random.random()))
        record.plays.append(1.0 - float(value(dose, rest, at)))
        set_dose = 1.0 + 0.5 * dose if "dose" in asked.values else 0.0
        paid = 1.0 + set_dose + 0.1 * random.random() if priced else None
        outcome = float(value(dose, rest, at) + 0.05 * random.normal())
        realised = {"dose": dose, "rest": rest, "age": said}
        record.told(optimizer.tell(asked, outcome, cost=paid, realised=realised), False)
    return record.end(optimizer)


def fleet(
    seed: int,
    *,
    rounds: int = 30,
    slips: tuple[int, ...] = (),
    changes: int | None = None,
    seen: bool = False,
    noise: float = 0.02,
    late: int = 0,
) -> Record:
    """A crowd of 24 over four places, whose averages may change, or depend on the weather.

    The outcome of the third round may come `late` by some rounds.
    """
    import numpy as np

    import steerbo as sb

    places = ("a", "b", "c", "d")
    variables = [sb.Float("rain", 0, 1, seen=True)] if seen else []
    problem = sb.MeanField(places, agents=24, variables=variables)
    optimizer: Any = sb.Optimizer(problem, seed=seed, rounds=rounds)
    random, record = np.random.default_rng(seed), Record()

    def average(shares: Any, t: int, rain: float) -> float:
        rewards = np.array([1.0, 0.6, 0.3 + rain, 0.1])
        if changes is not None and t > changes:
            rewards = rewards[::-1]
        return float(shares @ (rewards - shares))

    tables = [np.array([i, j, k, 24 - i - j - k]) / 24 for i in range(25) for j in range(25 - i)
              for k in range(25 - i - j)]  # fmt: skip

    def best(t: int, rain: float) -> float:
        return max(average(each, t, rain) for each in tables)

    def shares_of(values: Any) -> Any:
        (shares,) = values["distribution"].values()
        return np.array([shares.get(place, 0.0) for place in places])

    held: tuple[Any, float] | None = None
    for t in range(1, rounds + 1):
        rain = float(random.random()) if seen else 0.0
        asked = optimizer.ask(context={"rain": rain}) if seen else optimizer.ask()
        shares = shares_of(asked.values)
        record.plays.append(best(t, rain) - average(shares, t, rain))
        value = average(shares, t, rain) + noise * float(random.normal())
        value += 3.0 * (t in slips)
        if late and t == 3:
            held = asked, value
            continue
        if held is not None and t == 3 + late:
            optimizer.tell(*held)
        record.told(optimizer.tell(asked, value), t in slips)
    answer = optimizer.recommend()
    at = 0.5 if seen else 0.0
    record.answer.append(best(rounds, at) - average(shares_of(answer.values), rounds, at))
    return record.end(optimizer, bool(slips))


def wall(a: float, b: float, random: Any) -> bool:
    """Plays break beyond a line."""
    return bool(a + 0.5 * b > 0.85)


def luck(a: float, b: float, random: Any) -> bool:
    """One play in five breaks, wherever it is."""
    return bool(random.random() < 0.2)


STUDIES: dict[str, Callable[[int], Record]] = {
    "plain": lambda seed: costvarying(seed, rounds=18),
    "noisy": lambda seed: costvarying(seed, rounds=18, noise=0.3),
    "few": lambda seed: costvarying(seed, rounds=5, noise=0.2),
    "outliers": lambda seed: costvarying(seed, rounds=20, slips=(10, 15)),
    "costs": lambda seed: costvarying(seed, rounds=16, cost=lambda names, a: len(names) * (1.5 + a)),
    "reach": lambda seed: costvarying(seed, rounds=16, stuck=0.45),
    "reach-nearly": lambda seed: costvarying(seed, rounds=16, stuck=0.52),
    "limit": lambda seed: costvarying(seed, rounds=14, limit=True, slips=(12,)),
    "limit-slips": lambda seed: costvarying(seed, rounds=14, limit=True, slips=(7,), factor=15.0),
    "limit-large-slips": lambda seed: costvarying(seed, rounds=14, limit=True, slips=(7,), factor=30.0),
    "failing": lambda seed: costvarying(seed, rounds=18, fails=wall),
    "unlucky": lambda seed: costvarying(seed, rounds=18, fails=luck),
    "failing-drift": lambda seed: costvarying(seed, rounds=18, fails=wall, drift=_slow()),
    "changes": lambda seed: costvarying(seed, rounds=18, change={"fixed": 1.0}),
    "today": lambda seed: costvarying(seed, rounds=16, current={"a": 0.3, "b": 0.6}),
    "seen": lambda seed: costvarying(seed, rounds=16, learned=True, seen=True),
    "safe": lambda seed: costvarying(seed, rounds=6, limit=True, rows=8),
    "batches": lambda seed: costvarying(seed, rounds=15, batch=3),
    "stated": lambda seed: costvarying(seed, rounds=16, noise=0.1, told_noise=0.05),
    "elsewhere": lambda seed: costvarying(seed, rounds=14, rows=10),
    "rounded": lambda seed: costvarying(seed, rounds=18, digits=1),
    "louder": lambda seed: costvarying(seed, rounds=40, noise=0.1, loud=True),
    "many": lambda seed: costvarying(seed, rounds=4, rows=230),
    "crowded": lambda seed: costvarying(seed, rounds=4, rows=230, most=100),
    "commit": lambda seed: costvarying(seed, rounds=36, method="explore-then-commit", start={"alpha": 0.1}),
    "endless": lambda seed: costvarying(seed, rounds=24, start={"rounds": None}, change={"fixed": 1.0}),
    "distances": lambda seed: costvarying(seed, rounds=24, change={"per_unit": 5.0}),
    "narrow": lambda seed: costvarying(seed, rounds=8, limit=True, rows=8, spread=0.01),
    "safe-kinds": lambda seed: costvarying(seed, rounds=8, limit=True, rows=8, kinds=True),
    "traded": lambda seed: costvarying(seed, rounds=14, outcomes={"waste": "minimize"}),
    "change": lambda seed: costvarying(
        seed, rounds=32, noise=0.05, drift="learned",
        moves=lambda t: (0.62, 0.35) if t <= 16 else (0.25, 0.7),
    ),
    "season": lambda seed: timevarying(seed, priors=False, rounds=36, move=lambda t: 0.5 + 0.3 * math.sin(t * 0.7)),
    "slide": lambda seed: timevarying(seed, priors=False, rounds=32, box=True, move=lambda t: 0.2 + 0.02 * t),
    "priors": lambda seed: timevarying(seed, rounds=40, slips=(20,)),
    "jump": lambda seed: timevarying(seed, rounds=40, move=lambda t: 0.2 if t <= 20 else 0.8),
    "switching": lambda seed: timevarying(
        seed, rounds=40, method="switching-elimination", move=lambda t: 0.2 if t <= 20 else 0.8
    ),
    "long": lambda seed: timevarying(seed, rounds=10, box=True, added=340),
    "panel": lambda seed: timevarying(seed, rounds=30, panel=True),
    "graph": causal,
    "kinds": lambda seed: causal(seed, kinds=True),
    "prices": lambda seed: causal(seed, priced=True),
    "observed": lambda seed: causal(seed, rounds=10, observed=150),
    "spent": lambda seed: causal(seed, priced=True, rounds=40, budget=24.0),
    "learned-prices": lambda seed: causal(seed, priced=True, learned=True, rounds=40, budget=36.0),
    "surprised": lambda seed: timevarying(seed, rounds=40, noise=0.5),
    "fleet": fleet,
    "fleet-slips": lambda seed: fleet(seed, slips=(12, 18)),
    "fleet-change": lambda seed: fleet(seed, changes=16),
    "fleet-seen": lambda seed: fleet(seed, seen=True),
    "fleet-late": lambda seed: fleet(seed, late=15),
    "fleet-very-late": lambda seed: fleet(seed, late=25),
    "fleet-noisy": lambda seed: fleet(seed, noise=0.1),
    "fleet-loud": lambda seed: fleet(seed, noise=0.3),
    "told": told,
    "dates": dates,
}  # fmt: skip


def _slow() -> Any:
    import steerbo as sb

    return sb.gp.MaternInTime(40.0)


# -- playing and comparing -------------------------------------------------------------------------


def play(names: list[str]) -> None:
    """Play studies with every seed; prints a line of JSON for each."""
    warnings.simplefilter("ignore")
    for name in names:
        for seed in SEEDS:
            began = time.process_time()
            try:
                record = STUDIES[name](seed).plain()
            except Exception as error:  # a study that ends with a fault is a result, too
                record = {"error": f"{type(error).__name__}: {error}"[:200]}
            spent = time.process_time() - began
            row = {"study": name, "seed": seed, "seconds": spent, **record}
            print(json.dumps(row), flush=True)


def played(source: Path, names: list[str]) -> list[dict[str, Any]]:
    """Play studies in a process of their own, with the package in a folder."""
    paths = os.pathsep.join([str(source)])
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    out = subprocess.run(
        [sys.executable, __file__, "--play", *names],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [json.loads(line) for line in out.splitlines()]


def run(out: Path, words: list[str]) -> None:
    """Play all that is listed and not yet in a file."""
    done = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    known = {(each["file"], each["names"], each["factor"], each["study"]) for each in done}
    for file, names, studies in LISTED:
        if words and not any(word in f"{file} {names} {studies}" for word in words):
            continue
        for factor in (1.0, 0.5, 2.0):
            where = (file, names) if factor != 1.0 else ("", "")
            left = [study for study in studies.split() if (*where, factor, study) not in known]
            if not left:
                continue
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder)
                shutil.copytree(ROOT / "src" / "steerbo", source / "steerbo")
                value = "" if factor == 1.0 else edited(source / "steerbo" / file, names, factor)
                found = played(source, left)
            with out.open("a", encoding="utf-8") as lines:
                for each in found:
                    row = {
                        "file": where[0],
                        "names": where[1],
                        "factor": factor,
                        "value": value,
                        **each,
                    }
                    lines.write(json.dumps(row) + "\n")
            known |= {(*where, factor, study) for study in left}


def page(out: Path) -> None:
    """Print the table: of each number halved and doubled, how many studies differ, and what that costs."""
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    base = {(row["study"], row["seed"]): row for row in rows if row["factor"] == 1.0}
    print("| constant | as | differ | plays lose | answers lose | alarms | hits |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for file, names, _ in LISTED:
        for factor in (0.5, 2.0):
            key = (file, names, factor)
            mine = [row for row in rows if (row["file"], row["names"], row["factor"]) == key]
            if mine:
                print(_line(file, names, mine, base))


def _line(
    file: str, names: str, mine: list[dict[str, Any]], base: dict[tuple[str, int], dict[str, Any]]
) -> str:
    pairs = [(row, base[row["study"], row["seed"]]) for row in mine]
    name = f"`{file}` `{names}` | {mine[0]['value']}"
    if any("error" in one or "error" in other for one, other in pairs):
        return f"| {name} | error |"
    differ = sum(any(one[k] != other[k] for k in ("events", "said")) for one, other in pairs)
    lost = [_difference([(one[k], other[k]) for one, other in pairs]) for k in ("plays", "answer")]
    found = [
        f"{sum(len(other[k]) for _, other in pairs)} → {sum(len(one[k]) for one, _ in pairs)}"
        for k in ("alarms", "hits")
    ]
    return f"| {name} | {differ} of {len(pairs)} | {' | '.join([*lost, *found])} |"


def _difference(pairs: list[tuple[float | None, float | None]]) -> str:
    """Mean difference and its standard error."""
    found = [one - other for one, other in pairs if one is not None and other is not None]
    if len(found) < 2:
        return "–"
    mean = sum(found) / len(found)
    error = math.sqrt(sum((each - mean) ** 2 for each in found) / (len(found) - 1) / len(found))
    return f"{mean:+.3f} ± {error:.3f}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--play", *names]:
            play(names)
        case ["--page", out]:
            page(Path(out))
        case [out, *words]:
            run(Path(out), words)
