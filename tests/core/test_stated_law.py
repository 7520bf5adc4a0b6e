"""What a variable states of nature: the values that a law comes from, and what it is learned given."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.core._problem import StatedLaw


def test_a_sample_is_that_of_data_and_of_nothing_else() -> None:
    data = StatedLaw.of(sb.Float("t", 0, 10, law=sb.space.Empirical([1.0, 4.0, 4.0])))
    assert list(data.sample or ()) == [1.0, 4.0, 4.0]
    assert not data.learned
    for law in (sb.Uniform(), sb.TruncatedNormal(3, 1)):
        assert StatedLaw.of(sb.Float("t", 0, 10, law=law)).sample is None


def test_what_is_learned_is_learned_given_what_is_seen_and_a_stated_law_is_as_it_is() -> None:
    learned = StatedLaw.of(sb.Float("t", 0, 10, law=sb.space.Learned()), ["sky", "wind"])
    assert (learned.learned, learned.given, learned.sample) == (True, ("sky", "wind"), None)
    stated = StatedLaw.of(sb.Float("t", 0, 10, law=sb.Uniform()), ["sky", "wind"])
    assert (stated.learned, stated.given) == (False, ())


def test_nothing_is_learned_given_itself() -> None:
    assert StatedLaw.of(sb.Float("sky", 0, 1, law=sb.space.Learned(), seen=True), ["sky", "wind"]).given == ("wind",)


@pytest.mark.parametrize("seen", [(), ("sky",)])
def test_a_learned_law_begins_with_what_is_said_of_it(seen: tuple[str, ...]) -> None:
    began = StatedLaw.of(sb.Float("t", 0, 10, law=sb.space.Learned(sb.space.Empirical([2.0, 3.0]))), seen)
    assert list(began.sample or ()) == [2.0, 3.0]
    assert began.learned
