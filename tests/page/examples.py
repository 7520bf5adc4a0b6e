"""Problems for the page, and texts that must not become markup."""

from __future__ import annotations

from steerbo.costvarying import CostVarying
from steerbo.space import Float, Uniform
from steerbo.study import MemoryLog, Study

KILN = {
    "kind": "cost-varying",
    "value": "Yield",
    "unit": "kg",
    "money": "EUR",
    "v0-name": "temperature",
    "v0-low": "1000",
    "v0-high": "1280",
    "v0-unit": "°C",
    "v0-law": "uniform",
    "v2-name": "glaze",
    "v2-low": "0",
    "v2-high": "2",
    "v2-law": "truncated-normal",
    "v2-mean": "1",
    "v2-sd": "0.3",
    "v3-name": "clay",
    "v3-choices": "red, white",
    "v3-law": "uniform",
    "sets": "temperature + glaze: 1\nglaze: 0.5\n",
    "good": "0.3",
    "limits": "temperature - 100 glaze <= 1250: 0.9",
    "most-budget": "90",
}
OTHERS = {
    "time-varying": {"v0-name": "place", "v0-low": "0", "v0-high": "10", "most-rounds": "20"},
    "causal": {
        "v0-name": "dose",
        "v0-low": "0",
        "v0-high": "1",
        "v1-name": "age",
        "v1-low": "20",
        "v1-high": "90",
        "arrows": "age -> dose -> pain\nage -> pain; dose <-> pain",
        "target": "pain",
        "settable": "dose",
        "prices": "dose: 0.5\nage: 2",
        "base": "1",
        "minimize": "yes",
        "most-budget": "60",
    },
    "mean-field": {"actions": "north, south", "agents": "40", "most-rounds": "12"},
}
NASTY = '<script>alert("x")</script><img src=x onerror=1>&'


def nasty() -> Study:
    variables = [Float(NASTY, 0, 1, law=Uniform()), Float("ph", 4, 8, law=Uniform(), unit=NASTY)]
    study = Study.create(MemoryLog(), CostVarying(variables, [[NASTY], ["ph"]]), "random", rounds=6, seed=0)
    study.fail(study.ask(), NASTY)
    for i in range(4):
        suggestion = study.ask()
        study.tell(suggestion, float(i), realised={NASTY: 0.5, "ph": 5.0, **suggestion.values})
    study.ask()
    return study
