"""The recommendation as a card."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.causal._arms import Arm
from steerbo.causal._policy_value import Policy, policy_table
from steerbo.core import BaseStudy, Explanation, Recommendation, good_enough, reason
from steerbo.costvarying.baselines import Random
from steerbo.page.view import AdviceCard, advice_card, advice_of, sets
from steerbo.study import MemoryLog, Study
from tests.serve.players import KINDS, OVEN
from tests.torture.kills import WINGS

CAPPED = sb.CostVarying([sb.Float("x", 0, 10)], [["x"]], limits=[sb.LinearConstraint({"x": 1}, at_most=6)])


class Forgetful(Random):
    """Forgets limits when it answers."""

    def recommend_at(self, context: object) -> Recommendation:
        return Recommendation(sb.core.Scope(["x"]), {"x": 9.0})


def shown(study: BaseStudy) -> AdviceCard:
    return advice_card(study, study.recommend(), study.explain())


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_every_kind_has_one(wing: str) -> None:
    case, _ = WINGS[wing]
    study = case.start(rounds=9)
    before = shown(study)
    assert (before.mean, before.bounds) == ("", "")
    case.play(study, 5)
    found = shown(study)
    assert found.scope
    assert found.mean
    assert " to " in found.bounds
    assert found.headline
    assert found.headline.startswith("Hold") or found.settings or found.policy
    assert found.why
    assert "\n" not in found.why


def test_the_steps_of_a_policy_stand_in_their_order() -> None:
    graph = sb.CausalGraph.from_text(
        "drug -> pressure -> y; drug -> y; diet -> y", target="y", intervenable=["drug", "diet"]
    )
    variables = [sb.Float(name, 0, 1) for name in ("drug", "diet", "pressure")]
    problem, scope = sb.Causal(graph, variables), sb.core.Scope(["drug", "diet"], {"diet": ["pressure"]})
    policy = policy_table(
        Arm(scope, graph, problem.space),
        lambda k: {"drug": 0.5, "diet": 0.1 * k},
        [{"pressure": 0.2}, {"pressure": 0.9}],
    )
    found = advice_card(sb.Optimizer(problem), Policy(scope, {}, 1.0, table=policy), Explanation(""))
    assert found.headline == "Set drug, then look at pressure, then set diet"
    assert found.policy is not None
    assert found.policy.columns == ("drug", "pressure", "diet")
    assert found.policy.rows == (("0.5", "0.2", "0"), ("0.5", "0.9", "0.1"))


def test_a_policy_names_each_context_once() -> None:
    """Patients of two wards and three ages, most of them of one kind, whose rows filled the table."""
    graph = sb.CausalGraph.from_text("ward -> y; age -> y; dose -> y", target="y", intervenable=["dose"])
    variables = sb.Float("dose", 0, 1), sb.Categorical("ward", ["west", "east"]), sb.Integer("age", 1, 3)
    problem, scope = sb.Causal(graph, variables), sb.core.Scope(["dose"], {"dose": ["age", "ward"]})
    ages = [1 + (k % 40) % 3 for k in range(80)]
    contexts = [{"age": age, "ward": "east" if k % 40 == 39 else "west"} for k, age in enumerate(ages)]
    found = policy_table(Arm(scope, graph, problem.space), lambda k: {"dose": 0.1 * ages[k]}, contexts)
    assert found is not None
    seen = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    assert sorted((row["age"], row["ward"]) for row in seen) == [(1, "east"), (1, "west"), (2, "west"), (3, "west")]
    assert all(row["dose"] == 0.1 * row["age"] for row in seen)


SO_FAR = reason("said", text="best so far")


def test_what_it_says() -> None:
    advice = Recommendation(
        sb.core.Scope(["oven"]), {"oven": 151.234567890123}, 1.5123, 1.0, 2.25, 3.0, (SO_FAR,), context={"weather": 4.0}
    )
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0)
    study.revise(columns={"value": "Yield (kg)", "cost": "EUR"})
    found = advice_card(study, advice, Explanation("why not\nand so on"))
    assert (found.seen, found.scope, found.mean, found.bounds) == ("weather 4 °C", "oven", "1.51 kg", "1.00 to 2.25")
    assert (found.headline, found.settings) == ("Hold oven at 151.2 °C", ())
    assert (found.price, found.why, found.policy, found.others) == ("3 EUR", "Best so far.", None, None)
    assert (
        advice_card(study, Recommendation(sb.core.Scope(["oven"]), {}), Explanation("why not\nand so on")).why
        == "Why not."
    )


def test_before_any_outcome_nothing_is_best() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("co2", 400, 900)], [["co2"]]), seed=1)
    found = advice_card(optimizer, optimizer.recommend(), Explanation(""))
    assert (found.headline, found.settings, found.mean) == ("Nothing is known yet", (), "")
    assert "nothing is measured yet" in found.why.lower()


def test_every_set_has_its_interval_and_what_is_good_enough_is_shaded() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0)
    other = Recommendation(sb.core.Scope(["oven", "speed"]), {}, 2.0, 1.0, 3.0, 5.5)
    said = (good_enough(1.9, False, ["oven + speed"]),)
    found = sets(study, Recommendation(sb.core.Scope(["oven"]), {}, 1.5, 1.0, 2.0, 3.0, said, alternatives=(other,)))
    assert [(row.name, row.mean, row.between, row.price, row.best) for row in found.rows] == [
        ("oven", "1.5", "1.0 to 2.0", "3.0", True),
        ("oven + speed", "2", "1 to 3", "5.5", False),
    ]
    assert found.chart is not None
    first, _ = found.chart.points
    assert (first.top, first.y, first.bottom) == ("50.00%", "71.55%", "93.10%")
    assert found.chart.good is not None
    assert (found.chart.good.y, found.chart.good.height) == ("0.00%", "54.31%"), "from what the answer says"
    assert found.chart.says.endswith("Shaded: good enough, at least 1.9.")


def test_of_very_many_sets_a_dozen_are_shown_and_the_recommended_one() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0)
    others = tuple(Recommendation(sb.core.Scope([f"x{k}"]), {}, 2.0, 1.0, 3.0, float(k)) for k in range(30))
    found = sets(study, Recommendation(sb.core.Scope(["oven"]), {}, 1.5, 1.0, 2.0, 99.0, alternatives=others))
    assert (len(found.rows), found.more) == (12, 19)
    assert found.rows[-1].name == "oven", "the dearest"


def test_an_answer_that_breaks_a_limit_is_not_called_leaving_everything_alone() -> None:
    optimizer = sb.Optimizer(CAPPED, Forgetful, rounds=9)
    found = advice_card(optimizer, advice_of(optimizer), Explanation(""))
    assert found.headline == "Nothing can be recommended"
    assert "which breaks a limit of the problem: x at most 6" in found.why


def test_no_set_is_the_best_before_anything_is_known() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 1, law=sb.Uniform()), sb.Float("y", 0, 1)], [["y"], ["x", "y"]], [1, 2])
    study = sb.Optimizer(problem, rounds=9, seed=0)
    assert not any(row.best for row in sets(study, study.recommend()).rows)
    for value in (1.0, 2.0, 3.0):
        suggestion = study.ask()
        assert suggestion is not None
        study.tell(suggestion, value, realised={"x": 0.5, "y": 0.5, **suggestion.values})
    assert sum(row.best for row in sets(study, study.recommend()).rows) == 1
