"""`steerbo attach`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import DRUG, begin, call, refused, said
from tests.study.files import logged

DASH = """
[study]
rounds = 5
[problem]
kind = "cost-varying"
control_sets = [["-x", "--y"]]
variables = [{ kind = "float", name = "-x", low = 0, high = 1 }, { kind = "float", name = "--y", low = 0, high = 1 }]
"""


def test_a_play_of_ones_own_is_told_like_any_other(tmp_path: Path) -> None:
    study = begin(tmp_path, DRUG)
    text = said("attach", study, "dose=0.5", "--context", "age=61")
    assert text.startswith("round 1, token ")
    assert "set dose = 0.5 mg" in text
    assert f"then steerbo tell {study} " in text
    token = text.partition("token ")[2].partition(":")[0]
    said("tell", study, token, 2.5)
    own = json.loads(said("attach", study, "dose=0.25", "--json"))
    assert own["observe"] == ["age"]
    assert own["values"] == {"dose": 0.25}
    decided = json.loads(said("decide", study, own["token"], "--context", "age=40", "--json"))
    assert (decided["observe"], decided["values"]) == ([], {"dose": 0.25})


def test_a_variable_may_begin_with_a_dash(tmp_path: Path) -> None:
    study = begin(tmp_path, DASH)
    at = ("-x=0.25", "--y=0.5")
    assert "STUDY -- --y=0.5" in refused(call("attach", study, *at), 2), "words with two dashes are options"
    own = json.loads(said("attach", study, "-x=0.25", "--json", "--", "--y=0.5"))
    assert own["values"] == {"-x": 0.25, "--y": 0.5}
    said("tell", study, own["token"], -1.5, "--realised", "-x=0.2", "--realised", "--y=0.5")
    assert "-x" in said("predict", study, "-x=0.25", "--json", "--", "--y=0.5")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("dose=7",), "dose"),
        (("dosis=0.5",), "dosis"),
        ((), "settings of one scope"),
        (("dose=0.5", "--context", "wind=3"), "wind"),
    ],
)
def test_what_it_refuses_is_not_logged(given: tuple[str, ...], says: str, tmp_path: Path) -> None:
    study = begin(tmp_path, DRUG)
    before = logged(study)
    assert says in refused(call("attach", study, *given), 2)
    assert logged(study) == before
