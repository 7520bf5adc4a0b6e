"""What is prepared is what `ask` would choose, or is thrown away: the log is the same as without."""

from __future__ import annotations

import logging
import os
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import steerbo as sb
from steerbo.core import BatchPosition, Choice, Optimizer, Suggestion
from steerbo.core.state import StudyState
from steerbo.errors import InvalidContext, InvalidRequest
from steerbo.study import Memory, MemoryLog, Study
from steerbo.study._prefetch import PrefetchProcess
from steerbo.testing import Case
from steerbo.testing.case import values_of
from tests.causal import limited as guarded
from tests.causal import worlds as causal
from tests.core.stub import Nearest, Stub
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.serve.players import OVEN
from tests.timevarying import cases as timevarying
from tests.torture.kills import in_child

CASES: dict[str, Callable[[], Case]] = {
    "cost-varying": lambda: costvarying.case("cheap-first"),
    "cost-varying, in phases": lambda: costvarying.case("explore-then-commit"),
    "time-varying": lambda: timevarying.case("prior-elimination"),
    "causal": lambda: causal.staged("coca-bo", initial=2),
    "causal, with limits": guarded.case,
    "mean-field": lambda: meanfield.case("mf-gp-ucb"),
}


def end(case: Case, study: Study, suggestion: Suggestion, how: str) -> None:
    outcome = case.outcome(suggestion)
    if how == "fail":
        study.fail(suggestion, "it broke", cost=1.0)
    elif how == "abandon":
        study.abandon(suggestion)
    elif how != "leave":
        study.tell(suggestion, **outcome)
        if how == "void":
            study.amend(suggestion, void=True)
        elif how == "amend":
            study.amend(suggestion, **{**outcome, "cost": 2.0})


HOW = st.sampled_from(["tell", "tell", "tell", "fail", "abandon", "leave", "void", "amend"])


class Here(PrefetchProcess):
    """The same in this process, before it returns."""

    begun: ClassVar[list[int]] = []

    def __init__(self, fold: StudyState, k: int, request: Mapping[str, object]) -> None:
        copy, asked = pickle.loads(pickle.dumps((fold, request)))
        self.k, self.base, self.events = k, len(fold.events), []
        self._over, self._news, self._since = True, threading.Condition(), time.monotonic()
        self.begun.append(k)
        optimizer = Optimizer._of(copy)
        for _ in range(k):
            if optimizer.ask_at(BatchPosition(), asked) is None:
                break
        self.events = copy.events[self.base :]

    def end(self) -> None:
        """There is nothing to end."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> type[Here]:
    monkeypatch.setattr("steerbo.study._prefetch.PrefetchProcess", Here)
    Here.begun.clear()
    return Here


class Counting(Nearest):
    """Counts its choices."""

    choices: ClassVar[list[int]] = []

    def choose(self, request: Mapping[str, Any]) -> Choice:
        self.choices.append(len(self.history))
        return super().choose(request)


def begin(log: MemoryLog | None = None, **limits: Any) -> Study:
    return Study.create(log or MemoryLog(), Stub(), Counting, **{"rounds": 9, **limits})


def asked_without_choosing(study: Study, **request: Any) -> bool:
    Counting.choices.clear()
    assert study.ask(**request) is not None
    return not Counting.choices


def open_case(case: Case) -> Study:
    if case.warns is not None:
        warnings.simplefilter("ignore", case.warns)
    return Study.create(MemoryLog(), case.problem, case.method, options=case.options, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rounds=st.lists(st.tuples(HOW, st.integers(0, 3)), min_size=3, max_size=7))
@pytest.mark.usefixtures("here")
def test_the_log_is_the_same_with_and_without(kind: str, rounds: list[tuple[str, int]]) -> None:
    """For every kind, whenever so many are prepared and whatever comes between, to the last bit."""
    case = CASES[kind]()
    without, with_it = open_case(case), open_case(case)
    for how, k in rounds:
        if k:
            with_it.prepare(k, **case.request(len(with_it.history) + 1))
        for study in (without, with_it):
            end(case, study, ask(case, study), how)
    assert values_of(with_it.events) == values_of(without.events)
    assert Optimizer.replay(case.problem, with_it.events).events == with_it.events


def ask(case: Case, study: Study) -> Any:
    suggestion = study.ask(**case.request(len(study.history) + 1))
    while suggestion.observe:
        suggestion = study.decide(suggestion, case.seen(suggestion))
    return suggestion


@pytest.mark.slow
@pytest.mark.all_draws  # another process takes them
@pytest.mark.parametrize("kind", ["cost-varying", "time-varying", "causal", "mean-field"])
def test_another_process_finds_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every wing: hyperparameters and two suggestions, to the last bit."""
    monkeypatch.setattr("steerbo.study._prefetch.NICE", 0)
    case = CASES[kind]()
    without, with_it = open_case(case), open_case(case)
    for study in (without, with_it):
        for _ in range(4):
            end(case, study, ask(case, study), "tell")
    request = case.request(5)
    with_it.prepare(2, **request)
    wait_until(lambda: with_it.prepared == 2)
    chosen = with_it.session.contention.cost = 0.0
    for study in (without, with_it):
        assert study.ask(**request) is not None
        assert study.ask(**request) is not None
    assert with_it.session.contention.cost == chosen, "nothing was chosen here"
    assert values_of(with_it.events) == values_of(without.events)
    with_it.close()


def wait_until(true: Any) -> None:
    for _ in range(12000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


@pytest.mark.usefixtures("here")
def test_what_was_prepared_becomes_one_suggestion_after_the_other() -> None:
    study = begin()
    study.prepare(2)
    assert study.prepared == 2
    assert asked_without_choosing(study)
    assert study.prepared == 1
    assert asked_without_choosing(study)
    assert study.prepared == 0
    assert not asked_without_choosing(study)


SEEN = {"age": 0.5, "dose": 0.5, "pulse": 1.0, "rest": 0.5}
EVENTS: dict[str, Any] = {
    "an outcome": lambda study: study.tell(study.optimizer.pending[0], 1.0, realised=SEEN),
    "a failure": lambda study: study.fail(study.optimizer.pending[-1], "it broke", realised={"age": 0.5}),
    "nobody does it": lambda study: study.abandon(study.optimizer.pending[-1]),
    "a look": lambda study: study.decide(study.optimizer.pending[-1], {"age": 0.5}),
    "data": lambda study: study.add(1.0, realised=SEEN),
    "an amendment": lambda study: study.amend(next(iter(study.history)).suggestion, void=True),
    "a limit": lambda study: study.revise(rounds=10),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("what", EVENTS)
def test_whatever_comes_between_throws_it_away(what: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "steerbo.study")
    study = begin(rounds=20)
    for _ in range(2):
        study.tell(study.decide(study.decide(study.ask(), {"age": 0.5}), {"pulse": 0.5}), 1.0)
    study.decide(study.decide(study.ask(), {"age": 0.5}), {"pulse": 0.5})
    study.ask()
    study.prepare()
    assert study.prepared == 1
    EVENTS[what](study)
    assert "threw away" in caplog.text
    assert study.prepared == 0
    assert not asked_without_choosing(study)


@pytest.mark.usefixtures("here")
def test_what_another_worker_does_throws_it_away_unless_it_asks_for_the_same() -> None:
    memory = Memory()
    study = begin(MemoryLog(memory))
    other = Study.open(MemoryLog(memory), Stub())
    study.prepare(2)
    other.ask()
    assert asked_without_choosing(study), "the second one was chosen knowing of the first"
    study.prepare()
    other.abandon(other.ask())
    assert not asked_without_choosing(study)


@pytest.mark.usefixtures("here")
def test_who_asks_is_in_the_log_and_throws_nothing_away() -> None:
    study = begin()
    study.prepare(2)
    with study.said_by("ann"):
        assert asked_without_choosing(study)
    assert study.events[-1].by == "ann"  # type: ignore[union-attr]
    assert asked_without_choosing(study)


@pytest.mark.usefixtures("here")
def test_it_is_for_the_same_request_only() -> None:
    with Study.create(MemoryLog(), OVEN, "random", rounds=9, seed=1) as study:
        study.prepare(context={"weather": 3.0})
        assert study.prepared == 1
        assert study.ask(context={"weather": 4.0}).context == {"weather": 4.0}
        assert study.prepared == 0
        study.prepare(context={"weather": 3.0})
        base = len(study.events)
        assert study.ask(context={"weather": 3}).context == {"weather": 3.0}
        assert len(study.events) == base + 1
        study.prepare(context={"weather": 3.0})
        with pytest.raises(InvalidRequest):
            study.ask(time=1.0)


def test_where_something_must_be_seen_first_there_is_nothing_to_prepare(
    here: type[Here], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "steerbo.study")
    sun = sb.Float("sun", 0, 1, seen=True)
    problem = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform()), sun], [["ph"]])
    with Study.create(MemoryLog(), problem, "random", rounds=9) as study:
        study.prepare()
        with pytest.raises(InvalidRequest, match="nonsense"):
            study.prepare(nonsense=1)  # type: ignore[call-arg]
        with pytest.raises(InvalidContext, match="sun"):
            study.ask()
    assert not here.begun
    assert not caplog.text


def test_what_is_under_way_is_not_begun_anew(here: type[Here]) -> None:
    study = begin()
    study.prepare()
    study.prepare()
    assert here.begun == [1]
    study.prepare(2)
    assert here.begun == [1, 2]
    study.ask()
    study.prepare(2)
    assert here.begun == [1, 2, 2]


@pytest.mark.parametrize("k", [0, -1, 1.5, "many", None, 10_001])
def test_so_many_must_be_a_number(k: Any) -> None:
    with begin() as study, pytest.raises(InvalidRequest, match="k"):
        study.prepare(k)


@pytest.mark.usefixtures("here")
def test_a_finished_study_has_nothing_to_prepare() -> None:
    with begin(rounds=1) as study:
        study.prepare(3)
        assert study.prepared == 1
        assert asked_without_choosing(study)
        study.prepare()
        assert study.prepared == 0
        assert study.ask() is None


class Locked(Counting):
    """A method that cannot be copied."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.lock = threading.Lock()


def test_of_what_cannot_be_copied_nothing_is_prepared(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "steerbo.study")
    with Study.create(MemoryLog(), Stub(), Locked, rounds=9) as study:
        study.prepare()
        assert "no suggestions are prepared" in caplog.text
        assert study.ask() is not None


@pytest.mark.usefixtures("here")
def test_an_outage_between_hyperparameters_and_suggestion_wastes_nothing() -> None:
    """What is logged already of what was prepared is not logged again."""
    study = begin(rounds=20)
    for _ in range(3):
        suggestion = study.ask()
        suggestion = study.decide(study.decide(suggestion, {"age": 0.5}), {"pulse": 0.5})
        study.tell(suggestion, 1.0)
    study.prepare()
    ahead = study.session.prepared._ahead
    assert ahead is not None
    assert [each.kind for each in ahead.events] == ["refitted", "asked"]
    study.optimizer.recorder(ahead.events[0])
    assert asked_without_choosing(study)
    assert [each.kind for each in study.events[-2:]] == ["refitted", "asked"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.usefixtures("here")
def test_a_forked_child_has_nothing_prepared(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Counting, rounds=9) as study:
        study.prepare()

        def play() -> None:
            assert study.prepared == 0
            assert not asked_without_choosing(study)

        ahead = study.session.prepared._ahead
        assert os.waitpid(in_child(play), 0)[1] == 0
        assert study.session.prepared._ahead is ahead, "it is the parent's"
