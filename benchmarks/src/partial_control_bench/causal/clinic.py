"""Ours: do records, or the policy in use, take away what plays say? `python -m partial_control_bench.causal.clinic`.

A clinic sets a dose and a rest, after looking at the patient. How ill somebody is who has a hidden
frailty u shows in the dose that doctors gave, and in the outcome: the graph says so by `dose <->
health`, but in each last world of five, where u does nothing and the graph has no such edge. Each
world is drawn, and played with the same patients: by plays alone, with 200 records of what doctors
did before, or with a dose and a rest for everybody stated as the policy in use.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import steerbo as sb

STRENGTHS = (0.0, 0.5, 1.0, 2.0, None)
"""What u does to health, by the number of the world modulo five; None: nothing, and the graph says so."""
RECORDS, ROUNDS, NOISE = 200, 40, 0.55
EDGES = (
    "age -> severity; age -> lab; severity -> dose; severity -> y; age -> dose; dose -> pressure; "
    "pressure -> rest; dose -> y; rest -> y; season -> severity; lab -> dose; pressure -> y"
)
TODAY = {"dose": 0.45, "rest": 2.5}
"""The policy in use, where one is stated."""
STATED = {"current": TODAY, "bad": {**TODAY, "dose": 0.9}}
"""What is stated of it, by the name of what is known."""
ANSWERED = 30
"""Patients over which an answer is averaged."""

Row = dict[str, float]


@dataclass(frozen=True)
class Clinic:
    """What helps, and what doctors do.

    Attributes:
        strength: of u on health; its effect on the dose is the same in all worlds.
        told: whether the graph says that u may exist.
        dose: best dose of the least ill, and how it rises with severity.
        curvature: what a wrong dose costs.
        rest: what a wrong rest costs.
        habit: doctors' dose of the least ill, and how theirs rises.
    """

    strength: float
    told: bool
    dose: tuple[float, float]
    curvature: float
    rest: float
    habit: tuple[float, float]

    @classmethod
    def drawn(cls, world: int) -> Clinic:
        """Draw a world."""
        random, strength = np.random.default_rng([world, 54]), STRENGTHS[world % len(STRENGTHS)]
        low, rise = random.uniform(0.05, 0.3), random.uniform(0.4, 0.8)
        habit = (low + random.uniform(-0.1, 0.15), rise * random.uniform(0.4, 1.0))
        return cls(
            0.0 if strength is None else strength,
            strength is not None,
            (low, rise),
            random.uniform(3.0, 6.0),
            random.uniform(0.6, 1.8),
            habit,
        )

    def problem(self, **more: Any) -> sb.Causal:
        """What is told to the library."""
        edges = EDGES + ("; dose <-> y" if self.told else "")
        ranges = {"dose": (0, 1), "rest": (0, 8), "age": (20, 90), "severity": (0, 1.2)}
        ranges |= {"lab": (-2, 8), "season": (0, 1), "pressure": (70, 150)}
        graph = sb.CausalGraph.from_text(edges, target="y", intervenable=["dose", "rest"])
        return sb.Causal(graph, [sb.Float(name, *ends) for name, ends in ranges.items()], **more)

    def arrives(self, random: np.random.Generator) -> Row:
        """A patient, with frailty u and the blood's own moods, which nobody sees."""
        age, season, u = random.uniform(20, 90), random.uniform(), random.normal()
        severity = 0.2 + 0.5 * (age - 20) / 70 + 0.2 * season + 0.12 * random.normal()
        lab = age / 20 + 0.7 * random.normal()
        patient = {"age": age, "season": season, "lab": lab, "u": u, "blood": random.normal()}
        return patient | {"severity": float(np.clip(severity, 0, 1.2))}

    def usual_dose(self, patient: Row) -> float:
        """Dose that a doctor gives."""
        low, rise = self.habit
        return float(np.clip(low + rise * patient["severity"] + 0.25 * patient["u"], 0, 1))

    @staticmethod
    def pressure(patient: Row, dose: float) -> float:
        """Blood pressure after a dose."""
        return 120 - 25 * dose + 6 * patient["blood"]

    @staticmethod
    def usual_rest(pressure: float) -> float:
        """Rest that a doctor prescribes."""
        return float(np.clip((pressure - 70) / 8, 0, 8))

    def health(self, patient: Row, dose: float, rest: float) -> float:
        """Expected outcome, u left out: it adds nothing on average that a choice could change."""
        low, rise = self.dose
        wrong = dose - (low + rise * patient["severity"])
        tired = (rest - (self.pressure(patient, dose) - 92) / 6) / 4
        return 2 - 2.2 * patient["severity"] - self.curvature * wrong**2 - self.rest * tired**2

    def best(self, patient: Row) -> float:
        """Outcome of the best dose with the best rest, to which there is always one."""
        dose = float(np.clip(self.dose[0] + self.dose[1] * patient["severity"], 0, 1))
        rest = float(np.clip((self.pressure(patient, dose) - 92) / 6, 0, 8))
        return self.health(patient, dose, rest)

    def usual(self, patient: Row) -> float:
        """Outcome of what doctors do."""
        dose = self.usual_dose(patient)
        return self.health(patient, dose, self.usual_rest(self.pressure(patient, dose)))

    def records(self, world: int) -> Iterator[tuple[float, Row]]:
        """What doctors did, and what became of it."""
        random = np.random.default_rng([world, 55])
        for _ in range(RECORDS):
            patient = self.arrives(random)
            dose = float(np.clip(self.usual_dose(patient) + 0.05 * random.normal(), 0, 1))
            pressure = self.pressure(patient, dose)
            rest = float(np.clip(self.usual_rest(pressure) + random.normal(), 0, 8))
            y = self.health(patient, dose, rest) - 0.5 * self.strength * patient["u"]
            seen = {name: patient[name] for name in ("age", "season", "lab", "severity")}
            yield (
                y + 0.2 * random.normal(),
                {**seen, "dose": dose, "rest": rest, "pressure": pressure},
            )


def played(world: int, known: str) -> Mapping[str, Any]:
    """Shortfalls of a study: of a play, of the answer, of doctors and of the policy in use at the same patients.

    Args:
        world: number of the world; its patients are keyed on it.
        known: "plays", "records" before them, or a key of `STATED`.
    """
    clinic = Clinic.drawn(world)
    problem = clinic.problem(**({"current": STATED[known]} if known in STATED else {}))
    today = STATED.get(known, TODAY)
    optimizer = sb.Optimizer(problem, rounds=ROUNDS, seed=world)
    if known == "records":
        for value, row in clinic.records(world):
            optimizer.add(value, realised=row)
    random, lost = np.random.default_rng([world, 56]), list[float]()
    usual, hold = list[float](), list[float]()
    while (suggestion := optimizer.ask()) is not None:
        patient, noise = clinic.arrives(random), random.normal()
        row = dict[str, float]()
        while suggestion.observe:
            row = _measured(clinic, patient, suggestion.values)
            suggestion = optimizer.decide(suggestion, {n: row[n] for n in suggestion.observe})
        row = _measured(clinic, patient, suggestion.values)
        value = clinic.health(patient, row["dose"], row["rest"])
        lost.append(clinic.best(patient) - value)
        usual.append(clinic.best(patient) - clinic.usual(patient))
        hold.append(clinic.best(patient) - clinic.health(patient, **today))
        hidden = -0.5 * clinic.strength * patient["u"]
        realised = {n: v for n, v in row.items() if n not in suggestion.values}
        optimizer.tell(suggestion, value + hidden + NOISE * noise, realised=realised)
    answer, covered = _answer(clinic, optimizer)
    return {
        "world": world,
        "strength": clinic.strength if clinic.told else "none, told",
        "known": known,
        "play": float(np.mean(lost)),
        "first": float(np.mean(lost[:10])),
        "answer": answer,
        "covered": covered,
        "doctors": float(np.mean(usual)),
        "today": float(np.mean(hold)),
        "set": str(optimizer.recommend().scope),
    }


def _measured(clinic: Clinic, patient: Row, values: Mapping[str, Any]) -> Row:
    """What is measured of a patient, where doctors set what was not set."""
    dose = float(values.get("dose", clinic.usual_dose(patient)))
    pressure = clinic.pressure(patient, dose)
    rest = float(values.get("rest", clinic.usual_rest(pressure)))
    seen = {name: patient[name] for name in ("age", "season", "lab", "severity")}
    return {**seen, "dose": dose, "rest": rest, "pressure": pressure}


def _answer(clinic: Clinic, optimizer: sb.Optimizer) -> tuple[float, bool]:
    """Mean shortfall of the recommended policy, and whether its bounds hold."""
    random, lost, values = np.random.default_rng(57), list[float](), list[float]()
    advice = optimizer.recommend()
    for _ in range(ANSWERED):
        patient, given = clinic.arrives(random), dict[str, Any]()
        row = _measured(clinic, patient, given)
        context: dict[str, Any] = {}
        while (step := optimizer.policy(context)).observe or step.values.keys() - given.keys():
            given |= step.values
            row = _measured(clinic, patient, given)
            if not step.observe:
                break
            context |= {name: row[name] for name in step.observe}
        row = _measured(clinic, patient, given)
        value = clinic.health(patient, row["dose"], row["rest"])
        values.append(value)
        lost.append(clinic.best(patient) - value)
    assert advice.lower is not None
    assert advice.upper is not None
    return float(np.mean(lost)), advice.lower <= float(np.mean(values)) <= advice.upper


def _compare(lines: Sequence[Mapping[str, Any]], first: str) -> None:
    """Print, by strength, what else is known changes beside `first`: paired means and their standard errors."""
    by = {(line["world"], line["known"]): line for line in lines}
    for other in dict.fromkeys(known for _, known in by if known != first):
        worlds = [world for world, known in by if known == other and (world, first) in by]
        print(f"{first} → {other}")
        _table(by, worlds, first, other)


def _table(
    by: Mapping[tuple[int, str], Mapping[str, Any]], worlds: Sequence[int], first: str, other: str
) -> None:
    for strength in dict.fromkeys(by[world, first]["strength"] for world in worlds):
        some = [world for world in worlds if by[world, first]["strength"] == strength]
        print(strength, len(some), *_row(by, some, first, other), sep="\t")
    print("all", len(worlds), *_row(by, worlds, first, other), sep="\t")


def _row(
    by: Mapping[tuple[int, str], Mapping[str, Any]], worlds: Sequence[int], first: str, other: str
) -> Iterator[str]:
    for measure in ("answer", "play", "first"):
        before = np.array([by[world, first][measure] for world in worlds])
        more = np.array([by[world, other][measure] for world in worlds])
        apart = more - before
        error = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.nan
        yield f"{measure} {before.mean():.2f} → {more.mean():.2f} ({apart.mean():+.2f} ± {error:.2f})"
    for known in (first, other):
        yield f"{known}: bounds {np.mean([by[world, known]['covered'] for world in worlds]):.2f}"
    yield f"today {np.mean([by[world, other].get('today', np.nan) for world in worlds]):.2f}"


def main() -> None:
    """Play worlds; a line a study goes to standard error, the comparisons are printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", default="0-29", help="first and last, such as 0-29")
    parser.add_argument(
        "--known",
        default="plays;records;current",
        help="what is known before; compared with the first",
    )
    parser.add_argument("--lines", nargs="*", default=[], help="files of lines played before")
    given = parser.parse_args()
    lines = []
    for name in given.lines:
        with open(name, encoding="utf-8") as file:
            lines += [json.loads(line) for line in file if line.startswith("{")]
    first, last = map(int, given.worlds.split("-"))
    for world in range(first, last + 1):
        for known in given.known.split(";"):
            if any(each["world"] == world and each["known"] == known for each in lines):
                continue
            lines.append(played(world, known))
            print(json.dumps(lines[-1]), file=sys.stderr, flush=True)
    _compare(lines, given.known.split(";")[0])


if __name__ == "__main__":
    main()
