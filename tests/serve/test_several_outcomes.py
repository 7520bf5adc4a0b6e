"""Several outcomes by the page and over HTTP: both are asked for, and the trade-off is shown."""

from __future__ import annotations

from pathlib import Path

import steerbo as sb
from steerbo.study import Study

from .players import Person, served


def test_both_outcomes_are_told_and_shown(tmp_path: Path) -> None:
    """A study without outcomes has a page, too."""
    place = tmp_path / "oven.db"
    problem = sb.CostVarying([sb.Float("heat", 0, 1)], [["heat"]], minimize=True, outcomes={"energy": "minimize"})
    Study.create(place, problem, rounds=5, seed=0).close()
    with served(place) as client:
        person = Person(client)
        person.send("ask")
        (token,) = person.open
        assert {"value", "realised:energy"} <= set(person.fields(f"{token}/tell"))
        refused = person.send(f"rounds/{token}/tell", value="0.5")
        assert refused.status_code == 422
        assert "realised.energy" in refused.text
        assert person.send(f"rounds/{token}/tell", value="0.5", **{"realised:energy": "0.25"}).status_code == 303
        for heat in (0.0, 0.25, 0.75, 1.0):
            told = {"value": (1 - heat) ** 2, "realised": {"heat": heat, "energy": heat**2}}
            assert client.post("/v1/studies/oven/data", json=told).status_code == 200
        answer = client.get("/v1/studies/oven/recommendation").json()
        assert answer["alternatives"]
        assert all(play["outcomes"].keys() == {"energy"} for play in (answer, *answer["alternatives"]))
        table = person.read().partition("<summary>Trade-off</summary>")[2].partition("</table>")[0]
        assert table.count("<tr") == 2 + len(answer["alternatives"])
        foreseen = client.get("/page/oven/predict", params={"what:heat": "0.5"}).text
        assert "energy: " in foreseen.partition(" is expected")[2]
