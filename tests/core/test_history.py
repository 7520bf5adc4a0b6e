"""What a history answers at once, however long it is, is what its rounds say one by one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.core import Optimizer
from steerbo.testing import Case
from tests.core.stub import Nearest, Stub, evaluate, look
from tests.sizes import examples

WORLD = Case(Stub(), Nearest, evaluate, look)


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(["tell", "fail", "wait", "void", "mend"]), st.integers(0, 30)), max_size=12))
def test_counts_are_those_of_the_rounds(steps: list[tuple[str, int]]) -> None:
    optimizer = Optimizer(Stub(), Nearest, seed=1)
    history = optimizer.history
    assert history.latest is None
    for step, which in steps:
        suggestion = WORLD.ask(optimizer)
        if step != "wait":
            optimizer.fail(suggestion) if step == "fail" else optimizer.tell(suggestion, 1.0)
        done = [r for r in history if r.state != "open"]
        if done and step in ("void", "mend"):
            old = done[which % len(done)].suggestion
            optimizer.amend(old, void=True) if step == "void" else optimizer.amend(old, 2.0)
        rounds = list(history)
        assert history.latest == rounds[-1]
        assert history.pending == tuple(r for r in rounds if r.state == "open")
        assert {r.number for r in history.unresolved} == {r.number for r in rounds if r.state != "told"}
        assert history.failed == optimizer.status.failed == sum(r.state == "failed" for r in rounds)
        for n in (0, 1, 3, 99):
            assert history.last(n) == rounds[len(rounds) - min(n, len(rounds)) :]
        known = [(r.suggestion.token, r.outcome, r) for r in rounds if r.state == "told"]
        assert list(history.outcomes()) == known


def test_outcomes_begin_with_added_data_as_it_stands() -> None:
    optimizer = Optimizer(Stub(), Nearest, seed=1)
    optimizer.tell(WORLD.ask(optimizer), 1.0)
    point = {"age": 0.5, "dose": 0.5, "pulse": 1.0, "rest": 0.5}
    for value in (2.0, 3.0):
        optimizer.add(value, point)
    optimizer.amend("added-2", 4.0)
    optimizer.amend("added-1", void=True)
    found = [(name, outcome.value, played and played.number) for name, outcome, played in optimizer.history.outcomes()]
    (told,) = optimizer.history
    assert found == [("added-2", 4.0, None), (told.suggestion.token, 1.0, 1)]
