"""What the page shows, as data."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.page import view
from steerbo.rounds import Optimizer
from steerbo.study import MemoryLog, Study
from tests.serve.players import OVEN
from tests.torture.kills import WINGS


def test_what_to_do_next_has_units_and_what_is_to_be_measured() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0, seed=1)
    found = view(study)
    assert (found.out, found.rounds, found.finished) == ((), 0, "")
    assert [(f.name, f.unit, f.needed, f.extra) for f in found.ask] == [("seen:weather", "°C", False, False)]
    suggestion = study.ask(context={"weather": 4.0})
    (out,) = view(study).out
    assert out.seen == "weather = 4 °C"
    assert [s.name for s in out.settings] == list(suggestion.values)
    assert {f.name for f in out.measured} == {f"realised:{n}" for n in study.problem.unmeasured(suggestion)}
    assert out.cost_needed


def test_a_page_is_no_archive() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", seed=1)
    for _ in range(230):
        study.tell(study.ask(), 1.0)
    found = view(study)
    assert (len(found.history.rows), found.earlier, len(found.told)) == (200, 30, 30)
    assert found.told[-1][1] == 230


def test_what_stays_is_told_apart() -> None:
    oven = sb.Float("oven", 100, 200, law=sb.Uniform(), change=sb.Change(fixed=50))
    problem = sb.CostVarying([oven, sb.Float("speed", 0, 1, law=sb.Uniform())], [["oven", "speed"]], costs=[1])
    study = Study.create(MemoryLog(), problem, seed=1)
    kept = False
    for _ in range(12):
        suggestion = study.ask()
        (out,) = view(study).out
        assert {s.name for s in out.settings if s.kept} == set(suggestion.scope.keep)
        kept = kept or bool(suggestion.scope.keep)
        study.tell(suggestion, value=-(suggestion.values["speed"] ** 2), realised={})
    assert kept


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", [w for w in WINGS if w != "stub in stages"])
@pytest.mark.parametrize("rounds", [0, 3])
def test_every_kind_has_its_view(wing: str, rounds: int) -> None:
    case, _ = WINGS[wing]
    study = Study.create(MemoryLog(), case.problem, case.method, rounds=9, seed=7, options=case.options)
    assert isinstance(study.optimizer, Optimizer)
    case.play(study.optimizer, rounds)
    study.ask(**case.request(rounds + 1))
    found = view(study)
    assert len(found.out) == 1
    assert found.advice.scope
    assert len(found.told) == rounds
    assert len(found.history.rows) == rounds + 1
