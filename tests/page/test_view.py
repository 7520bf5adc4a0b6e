"""What the page shows, as data."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.page import view
from steerbo.page.archive import takes_its_time
from steerbo.page.view import advice_of, crowd, progress, status_text
from steerbo.plots.policies import settings_of
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
    assert out.seen == "weather 4 °C"
    assert [s.name for s in out.settings] == list(suggestion.values)
    assert [f.name for f in out.fields] == [
        "value",
        *(f"realised:{n}" for n in study.problem.unmeasured(suggestion)),
        "cost",
    ]
    assert out.fields[-1].needed
    assert not found.at_once, "the weather has to be said"


def test_the_words_are_the_study_s_own() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", budget=90.0, rounds=9)
    study.revise(columns={"value": "Yield (kg)", "cost": "EUR"})
    for value in (3.0, 10.0, 5.0):
        study.tell(study.ask(), value, cost=7.44)
    study.ask()
    found = view(study)
    assert [meter.text for meter in found.meters] == ["22.3 of 90 EUR spent", "4 of 9 rounds"]
    assert [(f.label, f.hint) for f in found.out[0].fields] == [
        ("Yield (kg)", "so far 3 to 10 kg"),
        ("Cost (EUR)", "so far 7.44 EUR"),
    ]
    assert found.last_text == "Saved: round 3 gave 5 kg."
    assert found.at_once


def test_the_usual_range_is_that_of_added_data_too() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", rounds=9)
    for value in (3.0, 10.0):
        study.add(value, {"x": value / 20})
    study.tell(study.ask(), 5.0)
    study.ask()
    assert view(study).out[0].fields[0].hint == "so far 3 to 10"


def test_the_usual_range_is_that_of_outcomes_that_are_not_doubted() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), rounds=40)
    for k in range(20):
        suggestion = study.ask()
        outcome = 8 - 5 * (suggestion.values["x"] - 0.4) ** 2
        study.tell(suggestion, outcome * 10 if k == 9 else outcome)
    study.ask()
    assert len(study.doubted) == 1
    (field,) = [field for field in view(study).out[0].fields if field.name == "value"]
    assert field.hint.endswith(" to 8.00")
    chart = progress(study, None, advice_of(study))
    assert chart is not None
    assert max(float(text) for _, text in chart.up) < 10
    (doubted,) = [dot for dot in chart.dots if dot.kind == "off"]
    assert doubted.y == "0.00%"
    assert doubted.text.endswith("probably wrong")
    assert chart.says.endswith("hollow ones: probably wrong; at the edge: beyond it."), "it is drawn where it is not"
    assert settings_of(study, advice_of(study), "x").outcomes[1] < 10


def test_a_page_is_no_archive() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", seed=1)
    for _ in range(230):
        study.tell(study.ask(), 1.0)
    found = view(study)
    assert [line.number for line in found.latest.lines] == list(range(230, 210, -1))
    assert (found.latest.before, found.latest.total) == (211, 230)
    assert len(view(study, None).latest.lines) == 230


def test_contexts_are_rows_where_they_are_many() -> None:
    regions = [f"region {k}" for k in range(5)]
    problem = sb.MeanField(("a", "b"), agents=50, contexts=regions, weights=[1] * 5, counts=True)
    found = crowd(problem, "counts", sb.Optimizer(problem, "random", seed=0).ask().values["counts"])
    assert (found.title, found.heads, [name for name, _ in found.rows]) == ("context", ("a", "b"), regions)
    few = sb.MeanField(("a", "b"), agents=50, contexts=regions[:2], weights=[1, 1], counts=True)
    found = crowd(few, "counts", sb.Optimizer(few, "random", seed=0).ask().values["counts"])
    assert (found.title, found.heads, [name for name, _ in found.rows]) == ("action", tuple(regions[:2]), ["a", "b"])


def test_what_is_given_up_is_called_so_everywhere() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0, rounds=4)
    study.abandon(study.ask(context={"weather": 1.0}).token)
    study.ask(context={"weather": 1.0})
    assert status_text(study) == "2 of 4 rounds, 1 given up, 0 of 9 spent, 1 open"


def test_past_data_are_counted_beside_the_rounds() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", budget=9.0)
    for value in (3.0, 10.0, 4.0):
        study.add(value, {"x": value / 20})
    study.amend("added-2", void=True)
    assert study.status.to_dict()["added"] == 2
    assert str(study.status) == "0 rounds, 2 rows of past data, 0 of 9 spent"
    assert status_text(study) == "0 rounds, 2 rows of past data, 0 of 9 spent"
    assert [meter.text for meter in view(study).meters] == ["0 of 9 spent", "0 rounds", "2 rows of past data"]


def test_what_stays_is_told_apart() -> None:
    oven = sb.Float("oven", 100, 200, law=sb.Uniform(), change=sb.SwitchingCost(fixed=50))
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
    assert found.advice is not None
    assert found.advice.scope
    assert [line.state for line in found.latest.lines] == ["open", *["told"] * rounds]


def test_of_many_outcomes_what_is_best_is_computed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", seed=1)
    study.tell(study.ask(), 1.0)
    assert not takes_its_time(study)
    monkeypatch.setattr("steerbo.page.archive.MANY", 0)
    assert takes_its_time(study)
    monkeypatch.setattr(type(study), "recommend", None)
    found = view(study, later=True)
    assert (found.advice, found.learned, found.why) == (None, (), "")
    assert [line.number for line in found.latest.lines] == [1]
