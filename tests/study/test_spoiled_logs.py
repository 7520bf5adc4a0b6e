"""Logs that hold what nobody would write: whatever can be used is answered from, and what cannot is named."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Asked, Event, ReproducibilityWarning
from steerbo.core.events import read_event
from steerbo.errors import InvalidStudy
from steerbo.records import to_dict
from steerbo.storage.doctor import StoredStudy, fill
from steerbo.study import Study
from steerbo.timevarying import SquaredExponential
from tests.cli.calls import call

Events = list[dict[str, Any]]


def events_of(rounds: int = 3) -> Events:
    """Events of a short study in JSON's terms."""
    problem = sb.CostVarying([sb.Float("x", 0, 10)], [["x"]])
    optimizer = sb.Optimizer(problem, rounds=50, seed=0)
    for value in range(rounds):
        optimizer.tell(optimizer.ask(), float(value))
    plain: Events = [to_dict(event, Event) for event in optimizer.events]
    return plain


def spoiled(kind: str, change: Callable[[dict[str, Any]], None]) -> Events:
    """The events of a short study with a change in the last one of a kind."""
    events = events_of()
    change(next(event for event in reversed(events) if event["kind"] == kind))
    return events


def nested(depth: int) -> Any:
    inner: Any = "x"
    for _ in range(depth):
        inner = {"a": inner}
    return inner


WHOLE = 10**400
UNREADABLE = {
    "outcome": ("told", lambda event: event["outcome"].update(value=WHOLE), "outcome.value"),
    "text": ("told", lambda event: event["outcome"].update(value="1.5"), "outcome.value"),
    "nothing": ("told", lambda event: event["outcome"].update(value=None), "outcome.value"),
    "cost": ("told", lambda event: event["outcome"].update(cost=WHOLE), "outcome.cost"),
    "settings": ("asked", lambda event: event["values"].update(x=-WHOLE), "values.x"),
    "seed": ("created", lambda event: event.update(seed=10**4200), "seed"),
    "seed below 0": ("created", lambda event: event.update(seed=-1), "seed"),
    "note": ("asked", lambda event: event["note"].update(deep=nested(900)), "note.deep"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_no_arithmetic_takes_is_refused_by_event_and_field(tmp_path: Path, case: str) -> None:
    kind, change, field = UNREADABLE[case]
    events = spoiled(kind, change)
    at = max(position for position, event in enumerate(events) if event["kind"] == kind)
    with pytest.raises(InvalidStudy, match=rf"events\.{at}\.{field}"):
        sb.load(json.dumps({"events": events}))
    place = tmp_path / "study.db"
    fill(place, (StoredStudy("study", tuple(map(json.dumps, events))),))
    with pytest.raises(InvalidStudy, match=rf"event {at + 1}\.{field}"):
        Study.open(place)
    said = call("doctor", place)
    assert said.exit_code == 1
    assert f"event {at + 1}.{field}" in said.stdout


def test_an_outcome_of_another_kind_is_refused_by_event() -> None:
    events = spoiled("told", lambda event: event["outcome"].update(value={"a": [1.0]}))
    with pytest.raises(InvalidStudy, match=r"events\.\d+\.outcome\.value: .* changed by hand"):
        sb.load(json.dumps({"events": events}))


def test_a_seed_of_thousands_of_digits_is_refused_by_field() -> None:
    text = json.dumps({"events": events_of()}).replace('"seed": 0', '"seed": ' + "1" * 5000)
    with pytest.raises(InvalidStudy, match=r"events\.0\.seed"):
        sb.load(text)


@pytest.mark.parametrize("depth", [1, 50, 97])
def test_notes_of_usual_depth_are_read(depth: int) -> None:
    (asked,) = spoiled("asked", lambda event: event["note"].update(deep=nested(depth)))[-2:-1]
    event = read_event(asked, "event 1")
    assert isinstance(event, Asked)
    assert event.note["deep"] == nested(depth)


@pytest.mark.parametrize("values", [(1e308,), (1e308, -1e308), (-1.7e308, 1e-300), (1.7e308, -1.7e308, 1.7e308)])
def test_the_largest_outcomes_are_answered_from_and_reported(tmp_path: Path, values: tuple[float, ...]) -> None:
    events = events_of(7)
    told = [event for event in events if event["kind"] == "told"]
    for event, value in zip(told, values, strict=False):
        event["outcome"]["value"] = value
    place = tmp_path / "study.db"
    fill(place, (StoredStudy("study", tuple(map(json.dumps, events))),))
    with Study.open(place) as study:
        assert "x" in str(study.recommend())
        study.explain()
        study.ask()
    for words in (("show", place), ("report", place, "--out", tmp_path / "report.html")):
        said = call(*words)
        assert said.exit_code == 0
        assert "overflow" not in said.stderr, "what NumPy warns of helps nobody"
    assert "<svg" in (tmp_path / "report.html").read_text()


PRIOR = sb.Prior(SquaredExponential(0.3), noise=0.1)
EVERY_KIND = {
    "cost-varying": sb.CostVarying([sb.Float("x", 0, 10)], [["x"]]),
    "time-varying": sb.TimeVarying([sb.Float("x", 0, 1)]),
    "priors": sb.TimeVarying([sb.Float("x", 0, 1)], [PRIOR]),
    "causal": sb.Causal(sb.CausalGraph.from_text("x -> y", target="y", intervenable=["x"]), [sb.Float("x", 0, 1)]),
    "mean-field": sb.MeanField(["a", "b"], 10),
}


@pytest.mark.parametrize("kind", EVERY_KIND)
@pytest.mark.parametrize("values", [(1e308,), (1.7e308, -1.7e308)])
def test_outcomes_beyond_what_a_door_takes_are_left_out_in_every_kind(kind: str, values: tuple[float, ...]) -> None:
    optimizer = sb.Optimizer(EVERY_KIND[kind], rounds=50, seed=0)
    for value in range(7):
        optimizer.tell(optimizer.ask(), float(value))
    events: Events = [to_dict(event, Event) for event in optimizer.events]
    told = [event for event in events if event["kind"] == "told"]
    for event, far in zip(told, values, strict=False):
        event["outcome"]["value"] = far
    again = sb.load(json.dumps({"events": events}))
    assert any(each.kind == "codes" for each in again.status.findings)
    assert "nan" not in str(again.recommend())
    again.tell(again.ask(), 1.0)
    assert again.ask() is not None


def test_fits_of_another_kernel_are_made_again_and_the_doctor_names_them(tmp_path: Path) -> None:
    events = spoiled("refitted", lambda event: event["hyperparameters"]["objective"].update(theta=["0x1.0p+0"]))
    at = 1 + max(position for position, event in enumerate(events) if event["kind"] == "refitted")
    place = tmp_path / "study.db"
    fill(place, (StoredStudy("study", tuple(map(json.dumps, events))),))
    said = call("doctor", place)
    assert said.exit_code == 0, "its checksums are right, and it can be used"
    assert f"the fit of event {at} cannot be used" in said.stdout
    with pytest.warns(ReproducibilityWarning, match=f"event {at} cannot be used"):
        study = Study.open(place)
    with study:
        assert study.recommend().mean is not None
        assert f"event {at} cannot be used" in study.explain().text
        study.tell(study.ask(), 1.0)
        study.ask()
        assert "cannot be used" not in study.explain().text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Study.open(place).close()


EDITED: dict[str, tuple[Any, dict[str, Any], str, Callable[[dict[str, Any]], None]]] = {
    "a text as what was measured": (
        sb.CostVarying([sb.Float("x", 0, 10), sb.Float("w", 0, 1, law=sb.Uniform())], [["x"]]),
        {"w": 0.5},
        r"outcome\.w",
        lambda event: event["outcome"]["realised"].update(w="half"),
    ),
    "a table as what is limited": (
        sb.CostVarying([sb.Float("x", 0, 10)], [["x"]], limits=[sb.OutcomeConstraint("pressure", at_most=9)]),
        {"pressure": 1.0},
        r"outcome\.(realised\.)?pressure",
        lambda event: event["outcome"]["realised"].update(pressure={"bar": 1.0}),
    ),
    "a text as a share of a fleet": (
        EVERY_KIND["mean-field"],
        {},
        r"outcome\..*everyone",
        lambda event: event["outcome"]["realised"]["distribution"]["everyone"].update(a="most"),
    ),
    "a list as a share of a fleet": (
        EVERY_KIND["mean-field"],
        {},
        r"outcome\..*distribution",
        lambda event: event["outcome"]["realised"].update(distribution=[0.5, [0.5]]),
    ),
    "a text as a cost": (
        EVERY_KIND["causal"],
        {},
        r"outcome\.cost",
        lambda event: event["outcome"].update(cost="much"),
    ),
}


@pytest.mark.parametrize("case", EDITED)
def test_what_is_no_number_is_refused_by_event_and_field(case: str) -> None:
    """It failed in a model, many events later, as a fault of steerbo's own."""
    problem, realised, field, change = EDITED[case]
    optimizer = sb.Optimizer(problem, rounds=50, seed=0)
    for value in range(3):
        optimizer.tell(optimizer.ask(), float(value), realised=realised)
    events: Events = [to_dict(event, Event) for event in optimizer.events]
    at = max(position for position, event in enumerate(events) if event["kind"] == "told")
    change(events[at])
    with pytest.raises(InvalidStudy, match=rf"events\.{at}\.{field}"):
        sb.load(json.dumps({"events": events}))


@pytest.mark.parametrize("kind", ["time-varying", "priors"])
@pytest.mark.parametrize("time", ["noon", [1.0], {"hour": 1}])
def test_a_time_that_is_no_number_is_refused_by_event(kind: str, time: Any) -> None:
    optimizer = sb.Optimizer(EVERY_KIND[kind], rounds=50, seed=0)
    optimizer.tell(optimizer.ask(time=1.0), 1.0)
    events: Events = [to_dict(event, Event) for event in optimizer.events]
    at = next(position for position, event in enumerate(events) if event["kind"] == "asked")
    events[at]["request"]["time"] = time
    with pytest.raises(InvalidStudy, match=rf"events\.{at}\.request\.time"):
        sb.load(json.dumps({"events": events}))


STAGED = sb.Causal(
    sb.CausalGraph.from_text("age -> dose -> health; age -> health", target="health", intervenable=["dose"]),
    [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)],
)
COUNTED = sb.MeanField(["a", "b"], 10, counts=True)
LAB = sb.CostVarying([sb.Float("ph", 4, 8), sb.Float("w", 0, 1, law=sb.Uniform())], [["ph"]], costs=[1.0])
MEASURED = {"cost-varying": {"w": 0.5}}
READ: dict[str, tuple[Any, Any, str, str, Callable[[dict[str, Any]], object]]] = {
    "a text as a share that was suggested": (
        COUNTED, None, "asked", "values.*a", lambda e: e["values"]["distribution"]["everyone"].update(a="most")
    ),
    "a table as a share that was suggested": (
        COUNTED, None, "asked", "values.*a", lambda e: e["values"]["distribution"]["everyone"].update(a={"x": 1})
    ),
    "a text as a number of agents": (
        COUNTED, None, "asked", "values.*counts", lambda e: e["values"]["counts"]["everyone"].update(a="x")
    ),
    "nothing set": (COUNTED, None, "asked", "values.distribution", lambda e: e["values"].clear()),
    "a number as a distribution": (
        COUNTED, None, "told", "outcome.distribution", lambda e: e["outcome"]["realised"].update(distribution=1e-320)
    ),
    "a setting that the reader of a report fills in": (
        LAB, None, "told", "outcome.ph: missing", lambda e: e["outcome"]["realised"].pop("ph")
    ),
    "a coordinate that the reader of a report fills in": (
        EVERY_KIND["time-varying"], None, "told", "outcome.x", lambda e: e["outcome"]["realised"].clear()
    ),
    "a number under a wrong name": (
        EVERY_KIND["time-varying"], None, "told", "outcome.*y", lambda e: e["outcome"].update(realised={"y": 1})
    ),
    "a setting under a wrong name": (
        EVERY_KIND["time-varying"], None, "asked", "values.*x", lambda e: e.update(values={"y": 1})
    ),
    "a prior beyond all priors": (
        EVERY_KIND["priors"], "prior-elimination", "asked", "note.prior", lambda e: e["note"].update(prior=9)
    ),
    "a name to look at that no graph has": (
        STAGED, None, "decided", "observe", lambda e: e.update(observe=["weather"])
    ),
    "a scope that no graph has": (
        STAGED, None, "asked", "scope", lambda e: e.update(scope={"set": ["age"]})
    ),
    "bounds of fewer sets than there are": (
        LAB, "cheap-first", "asked", "note.upper", lambda e: e["note"].update(upper=[], width=1.0)
    ),
    "agents that cannot be unpacked": (
        EVERY_KIND["mean-field"], "gp-ucb", "asked", "note.agents", lambda e: e["note"].update(agents="x")
    ),
    "an unreadable width of a bound": (
        EVERY_KIND["mean-field"], None, "asked", "note.beta", lambda e: e["note"].update(phase="model", beta="wide")
    ),
    "no time where it matters": (
        EVERY_KIND["time-varying"],
        None,
        "asked",
        "request.time: missing",
        lambda e: e["request"].clear(),
    ),
    "a limit that was none before": (
        LAB,
        None,
        "revised",
        "changes.rounds",
        lambda e: e["changes"].update(rounds=["many", 60]),
    ),
    "a limit that is none": (
        LAB, None, "revised", "changes.rounds", lambda e: e["changes"].update(rounds=[50, "many"])
    ),
    "a list of one number as an outcome": (
        LAB, None, "told", "outcome.value", lambda e: e["outcome"].update(value=[1.0])
    ),
    "a setting of a failure that was corrected": (
        LAB, None, "amended", "failure.realised.ph", lambda e: e["failure"]["realised"].update(ph="high")
    ),
}  # fmt: skip


def lab(problem: Any, method: Any) -> Events:
    """Events of some rounds, one of which failed, at a cost that was corrected."""
    optimizer = sb.Optimizer(problem, method, rounds=50, seed=0)
    measured = MEASURED.get(problem.kind, {})
    for value in range(5):
        suggestion = optimizer.ask()
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 44.0))
        optimizer.tell(suggestion, float(value % 2), realised=measured)
    last = optimizer.ask()
    optimizer.fail(last, "broke") if not last.observe else optimizer.abandon(last)
    if not last.observe:
        optimizer.amend(last, cost=0.5)
    optimizer.revise(rounds=60)
    optimizer.ask()
    return [to_dict(event, Event) for event in optimizer.events]


@pytest.mark.parametrize("case", READ)
def test_what_an_answer_would_stumble_over_is_refused_when_the_log_is_opened(case: str, tmp_path: Path) -> None:
    """Each was a fault of steerbo's own, of `show`, `ask` or `report`; the doctor says the same."""
    problem, method, kind, field, change = READ[case]
    events = lab(problem, method)
    sb.load(json.dumps({"events": events}))
    at = max(position for position, event in enumerate(events) if event["kind"] == kind)
    change(events[at])
    with pytest.raises(InvalidStudy, match=rf"events\.{at}\.{field}") as refused:
        sb.load(json.dumps({"events": events}))
    assert "use a backup" in str(refused.value)
    place = tmp_path / "study.db"
    fill(place, (StoredStudy("study", tuple(map(json.dumps, events))),))
    assert f"events.{at}." in call("doctor", place).stdout


def test_events_in_another_order_or_twice_are_refused_by_their_place() -> None:
    events = lab(LAB, None)
    at = next(position for position, event in enumerate(events) if event["kind"] == "told")
    moved = [*events[: at - 1], events[at], events[at - 1], *events[at + 1 :]]
    with pytest.raises(InvalidStudy, match=rf"events\.{at - 1}: 'told'.*follow from one another"):
        sb.load(json.dumps({"events": moved}))
    with pytest.raises(InvalidStudy, match=rf"events\.{at}\.token"):
        sb.load(json.dumps({"events": [*events[:at], *events[at - 1 :]]}))


SEEN_AND_LOOKED_AT = sb.Causal(
    sb.CausalGraph.from_text("weather -> y; a -> x; a -> y; x -> y; weather -> x", target="y", intervenable=["x"]),
    [sb.Float("x", 0, 1), sb.Float("weather", 0, 30, seen=True), sb.Float("a", 0, 1)],
)


def test_an_own_play_that_looked_at_more_than_what_is_seen_is_opened_again() -> None:
    """Its context was read as that of an ask, and a study that steerbo had written was refused."""
    optimizer = sb.Optimizer(SEEN_AND_LOOKED_AT, rounds=50, seed=0)
    optimizer.tell(optimizer.attach({"x": 0.5}, context={"weather": 12.0, "a": 0.3}), 1.0)
    again = sb.load(optimizer.to_json())
    assert again.to_json() == optimizer.to_json()
    events: Events = [to_dict(event, Event) for event in optimizer.events]
    events[1]["request"]["context"]["a"] = "low"
    with pytest.raises(InvalidStudy, match=r"events\.1\.request\.context\.a"):
        sb.load(json.dumps({"events": events}))
