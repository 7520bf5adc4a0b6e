"""A scope: what it says of itself, when two are the same, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.core import Scope
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict

NAMES = st.sampled_from(["set", "look", "keep", "price", "ph", "°C", "a + b"])


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    """Any scope over a few names, those of its own fields among them."""
    names = draw(st.lists(NAMES, unique=True))
    held = draw(st.integers(0, len(names)))
    look = {name: draw(st.lists(NAMES, unique=True, max_size=3)) for name in names[:held]}
    return Scope(tuple(names[:held]), look, tuple(names[held:]), draw(st.none() | st.floats(0, 1e6)))


@given(scopes())
def test_its_plain_form_is_read_back_in_any_order(scope: Scope) -> None:
    plain = to_dict(scope)
    again = from_dict(Scope, json.loads(json.dumps(plain, sort_keys=True)))
    assert again == scope
    assert hash(again) == hash(scope)
    assert (str(again), again.price) == (str(scope), scope.price)
    assert list(to_dict(again)["look"]) == list(plain["look"])


@given(scopes(), st.randoms())
def test_order_and_price_make_no_other_scope(scope: Scope, random: Any) -> None:
    names, keep = list(scope.set), list(scope.keep)
    random.shuffle(names)
    random.shuffle(keep)
    other = Scope(names, {name: list(reversed(seen)) for name, seen in scope.look.items()}, keep, price=7.0)
    assert {scope: 1}[other] == 1
    assert Scope([*names, "another"], scope.look, keep) != scope
    if scope.look:
        assert Scope(names, {}, keep) != scope
    assert Scope(names, scope.look, [*keep, "another"]) != scope
    assert scope != names


def test_its_words() -> None:
    assert str(Scope(["rw", "L"])) == "rw + L"
    assert str(Scope()) == "nothing"
    assert str(Scope.of({"x1": ["c", "d"], "x2": []})) == "x1 after looking at c and d, and x2 without looking"
    assert str(Scope(["x"], keep=["a", "b", "c"])) == "x, keeping a, b and c"
    assert Scope.of({"x1": ["c", "d"], "x2": ["c"], "x3": []}).contexts == ("c", "d")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"set": ["a", "a"]}, "set"),
        ({"set": ["a"], "keep": ["a"]}, "set"),
        ({"set": "ph"}, "set"),
        ({"set": ["a"], "look": {"b": ["c"]}}, "look"),
        ({"set": ["a"], "look": {"a": ["c", "c"]}}, "look.a"),
        ({"set": ["a"], "look": {"a": "c"}}, "look"),
        ({"set": ["a"], "look": ["a"]}, "look"),
        ({"set": [1]}, "set"),
        ({"price": -1.0}, "price"),
        ({"price": float("nan")}, "price"),
    ],
)
def test_what_is_no_scope_is_refused_by_name(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidProblem, match=rf"^Scope\.{field}"):
        Scope(**given)
