"""Names and choices have one form, however they were typed, at every door."""

from __future__ import annotations

from pathlib import Path

import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem, InvalidStudy
from steerbo.serve.operations import Tell
from steerbo.storage.backup import rename
from steerbo.study import Study
from tests.cli.calls import call
from tests.serve.players import served

PARTS, WHOLE = "Cafe\u0301", "Caf\u00e9"
FILE = f"""
[study]
rounds = 9
[problem]
kind = "cost-varying"
control_sets = [["{WHOLE}"]]
variables = [{{ kind = "categorical", name = "{PARTS}", choices = ["{PARTS}\u200b", " bar "] }}]
"""


def begun(folder: Path) -> Path:
    place = folder / "study.toml"
    place.write_text(FILE, encoding="utf-8")
    assert call("new", place).exit_code == 0
    return place


@pytest.mark.parametrize("typed", [PARTS, WHOLE, f" {WHOLE}\u00a0", f"\ufeff{PARTS}\u200b"])
def test_a_study_file_and_a_command_mean_the_same_names(tmp_path: Path, typed: str) -> None:
    place = begun(tmp_path)
    with Study.open(place.with_suffix(".db")) as study:
        assert study.problem.space.names == (WHOLE,)
        study.add(1.0, {WHOLE: typed})
        asked = study.ask()
    assert call("tell", place, asked.token, "2", "--realised", f"{WHOLE}={typed}").exit_code == 0
    with Study.open(place.with_suffix(".db")) as study:
        assert [outcome.realised for _, outcome, _ in study.history.outcomes()] == [{WHOLE: WHOLE}] * 2


def test_bodies_over_http_mean_the_same_names(tmp_path: Path) -> None:
    with served(begun(tmp_path).with_suffix(".db"), name="oven") as client:
        token = client.post("/v1/studies/oven/ask", json={}).json()["suggestions"][0]["token"]
        body = {"value": 1.0, "realised": {f"{PARTS} ": f"{PARTS}\u200b"}}
        assert client.post(f"/v1/studies/oven/rounds/{token}/tell", json=body).status_code == 200
    assert Tell.model_validate(body).realised == {WHOLE: WHOLE}


def test_choices_that_look_alike_are_one() -> None:
    with pytest.raises(InvalidProblem, match="every choice once"):
        sb.Categorical("place", [PARTS, WHOLE])


@pytest.mark.parametrize("alike", [" my study", "my  study", "my\u200b study", "my\u00a0study\ufeff"])
def test_studies_whose_names_look_alike_are_one(tmp_path: Path, alike: str) -> None:
    place = tmp_path / "log.db"
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]])
    Study.create(place, problem, name="my study", rounds=3).close()
    Study.create(place, problem, name="other", rounds=3).close()
    with pytest.raises(InvalidStudy, match="a place without a study"):
        Study.create(place, problem, name=alike, rounds=3)
    with Study.open(place, name=alike) as study:
        assert study.ask() is not None
    with pytest.raises(InvalidStudy, match="a name that is not taken there"):
        rename(place, "other", alike)
