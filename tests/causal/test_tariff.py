"""What prices may say, what they say at values, and what is refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.money import read_tariff
from steerbo.causal.tariff import OUT_OF_REACH, Tariff
from steerbo.core import Scope
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Space

GRAPH = sb.CausalGraph.from_text(
    "wind -> y; lab -> y; metal -> y; dose -> y", target="y", intervenable=["dose", "metal"]
)
SPACE = Space([
    sb.Float("dose", 0, 100), sb.Categorical("metal", ["steel", "wood"]), sb.Float("lab", 0, 1),
    sb.Float("wind", 0, 10, seen=True),
])  # fmt: skip


def tariff(**prices: Any) -> Tariff:
    found = read_tariff(GRAPH, SPACE, prices, 1.0, None)
    assert found is not None
    return found


def test_a_price_is_paid_at_the_value_that_is_set() -> None:
    found = tariff(dose="0.1 * dose + wind", metal="3 if metal == 'steel' else 1", lab=2.0)
    scope = Scope.of({"dose": ["lab"], "metal": []})
    known = {"dose": 20.0, "metal": "steel", "wind": 0.5, "lab": 0.3}
    assert found.paid(scope, known) == 1 + 2.5 + 3 + 2
    assert found.paid(Scope.of({"dose": []}), known) == 3.5
    assert found.fixed(scope) == 3.0
    assert found.text(scope) == "3 a play, and 0.1 * dose + wind for dose, and 3 if metal == 'steel' else 1 for metal"
    assert found.along("dose", np.array([0.0, 1.0, 0.0]), known).tolist() == [0.5, 10.5, 0.5]
    assert found.values("metal") == ["steel", "wood"]


def test_what_is_learned_has_no_price_yet() -> None:
    found = tariff(dose="learned", lab=2.0)
    assert found.learned == ("dose",)
    assert found.paid(Scope.of({"dose": ["lab"]}), {"dose": 3.0}) is None
    assert found.paid(Scope.of({"metal": ["lab"]}), {}) == 3.0
    assert found.text(Scope(["dose"])) == "1 a play, and a learned price for dose"


@pytest.mark.parametrize(
    ("prices", "complaint"),
    [
        ({"dose": "lab"}, r"prices\.dose: 'lab' .* reads one of dose, wind\. It reads 'lab'"),
        ({"lab": "2 * lab"}, r"prices\.lab: .* reads .*wind.* It reads 'lab'"),
        ({"dose": "dose - 1"}, r"prices\.dose: .* a price from 0 .* At \{'dose': 0\.0\} it gives -1"),
        ({"dose": "1e300 * dose"}, r"prices\.dose: .* a price from 0"),
        ({"dose": "1 / dose"}, "it fails: ZeroDivisionError"),
        ({"dose": "wind - 1"}, r"At \{'wind': 0\.0\} it gives -1"),
        ({"metal": "metal"}, "it gives 'steel'"),
        ({"dose": True}, r"prices\.dose: True"),
        ({"dose": [1]}, r"prices\.dose: \[1\] .* a formula, a function, or 'learned'"),
        ({"wind": "1"}, r"prices\.wind: .* it is seen before choosing"),
    ],
)
def test_what_is_no_price_is_refused_by_name(prices: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidProblem, match=complaint):
        tariff(**prices)


def test_where_a_formula_gives_nothing_it_is_never_chosen() -> None:
    found = tariff(dose="1 / abs(dose - 30)")
    assert found.along("dose", np.array([0.3]), {}).tolist() == [OUT_OF_REACH]
    beyond = tariff(dose="wind")  # what is seen may lie beyond its bounds, and no price is below 0
    assert beyond.price("dose", {"wind": -3.0}) == 0.0


def test_prices_are_written_down_and_read_back() -> None:
    problem = sb.Causal(GRAPH, list(SPACE), prices={"dose": "0.1 * dose", "metal": 2, "lab": "learned"}, base=1)
    assert problem.prices == {"dose": "0.1 * dose", "metal": 2.0, "lab": "learned"}
    assert from_dict(sb.Causal, to_dict(problem)) == problem
    assert type(to_dict(problem)["prices"]["metal"]) is float
    kept = sb.Causal(GRAPH, list(SPACE), prices={"dose": lambda dose: dose}, base=1)
    with pytest.raises(InvalidProblem, match="data that can be written as JSON"):
        to_dict(kept)
    said = "1 a round, 0.1 * dose to set dose, 2 to set metal, a learned price to look at lab"
    assert dict(problem.describe())["prices"] == said
