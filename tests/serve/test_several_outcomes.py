"""Several outcomes by the page, over HTTP and by assistants: all are asked for, and the trade-off is shown."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.serve import StudyPool
from steerbo.study import Study

from .players import Person, opener, served

HEAT = [sb.Float("heat", 0, 1)]
BOTH: dict[str, Any] = {"minimize": True, "outcomes": {"energy": "minimize"}}
GRAPH = sb.CausalGraph.from_text("heat -> waste; heat -> energy", target="waste", intervenable=["heat"])
PROBLEMS = {
    "cost-varying": sb.CostVarying(HEAT, [["heat"]], **BOTH),
    "time-varying": sb.TimeVarying(HEAT, **BOTH),
    "causal": sb.Causal(GRAPH, HEAT, **BOTH),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_both_outcomes_are_told_and_shown(kind: str, tmp_path: Path) -> None:
    """A study without outcomes has a page, too."""
    place = tmp_path / "oven.db"
    Study.create(place, PROBLEMS[kind], rounds=5, seed=0).close()
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
        rounds = client.get("/page/oven/rounds").text
        assert '<th scope="col" class="n"><button type="button">energy</button>' in rounds
        assert rounds.count(">0.5625</td>") == 2, "each outcome has a column: .25² and .75² of both"
        foreseen = client.get("/page/oven/predict", params={"what:heat": "0.5"}).text
        assert "energy: " in foreseen.partition(" is expected")[2]


@pytest.mark.parametrize("kind", PROBLEMS)
def test_an_assistant_tells_both_and_reads_the_trade_off(kind: str, tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp", reason="mcp is not installed (pip install mcp)")
    from steerbo.serve.tools import tools_server, with_key  # which needs it

    place = tmp_path / "oven.db"
    Study.create(place, PROBLEMS[kind], rounds=5, seed=0).close()

    async def play(pool: StudyPool) -> Any:
        async with mcp.Client(tools_server(pool, with_key(pool, ""))) as client:

            async def does(tool: str, **given: Any) -> Any:
                return (await client.call_tool(tool, given)).structured_content

            (asked,) = (await does("ask"))["suggestions"]
            assert "measure energy" in asked["do"]
            assert "realised.energy" in (await does("tell", token=asked["token"], value=0.5))["detail"]
            await does("tell", token=asked["token"], value=0.5, realised={"energy": 0.25})
            for heat in (0.0, 0.25, 0.75, 1.0):
                await does("add", value=(1 - heat) ** 2, realised={"heat": heat, "energy": heat**2})
            (foreseen,) = (await does("predict", values={"heat": 0.5}))["predictions"]
            assert foreseen["outcomes"].keys() == {"energy"}
            return await does("recommendation")

    with closing(StudyPool({"oven": (str(place), opener(place))}, False)) as pool:
        answer = asyncio.run(play(pool))
    assert all(play["outcomes"]["energy"]["lower"] for play in (answer, *answer["alternatives"]))
    assert len(answer["alternatives"]) > 2
