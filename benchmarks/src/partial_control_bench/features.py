"""What users of other libraries look for: each row is tried on steerbo by calling it, where it can be called.

    python -m partial_control_bench.features        # a table: the row, yes or no, and how

A row that fails says "no", with the error; one that has no call says "no" because there is none.
Needs steerbo; rows that need an extra of it say which.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import steerbo as sb
from steerbo.study import MemoryLog, Study

NONE = "there is no call for it"
"""How a row is tried that has no call."""
ROWS: dict[str, Callable[[], str] | None] = {}
"""Each row's name and what tries it, which returns how it is done; None: nothing does it."""


@dataclass(frozen=True)
class Tried:
    """A row that was tried: its name, whether it is there, and how, or why not."""

    row: str
    there: bool
    how: str


def row(name: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Decorator: the function tries the row of this name, and returns how it is done."""

    def added(attempt: Callable[[], str]) -> Callable[[], str]:
        ROWS[name] = attempt
        return attempt

    return added


def tried() -> list[Tried]:
    """All rows, tried one by one."""
    found = []
    for name, attempt in ROWS.items():
        if attempt is None:
            found.append(Tried(name, False, NONE))
            continue
        try:
            found.append(Tried(name, True, attempt()))
        except Exception as error:  # a row that breaks in whatever way is not there
            found.append(Tried(name, False, f"{type(error).__name__}: {error}"))
    return found


PLANT = sb.CostVarying(
    [sb.Float("t", 10, 35, law=sb.Normal(22, 3)), sb.Float("ph", 4, 8, law=sb.Uniform())],
    control_sets=[["ph"], ["t", "ph"]],
    costs=[1, 3],
)
FILE = """[problem]
kind = "time-varying"
variables = [{ kind = "float", name = "x", low = 0, high = 1 }]
[study]
rounds = 5
"""


def played(rounds: int = 6) -> Study:
    """A study of the plant with some outcomes."""
    study = Study.create(MemoryLog(), PLANT, budget=60, seed=1)
    for number in range(rounds):
        suggestion = study.ask()
        week = {"t": 20.0 + number, "ph": 5.0 + 0.3 * number, **suggestion.values}
        study.tell(
            suggestion, 10 - (week["ph"] - 6.5) ** 2 - (week["t"] - 26) ** 2 / 50, realised=week
        )
    return study


# -- playing ---------------------------------------------------------------------------------------


@row("go on after a crash")
def _resume() -> str:
    with tempfile.TemporaryDirectory() as folder:
        with Study.create(f"{folder}/a.db", PLANT, budget=9, seed=0) as study:
            first = study.ask()
        with Study.open(f"{folder}/a.db") as again:
            assert again.pending[0].values == first.values
    return "Study.open"


@row("many workers")
def _workers() -> str:
    study = Study.create(MemoryLog(), sb.TimeVarying([sb.Float("x", 0, 1)]), rounds=4)
    study.run(lambda suggestion: suggestion.values["x"], executor=ThreadPoolExecutor(2), parallel=2)
    assert study.status.told == 4
    return "study.run(objective, executor=…, parallel=2)"


@row("several suggestions at once, pending points")
def _batch() -> str:
    assert len(played().ask(3)) == 3
    return "ask(3)"


@row("several outcomes at once")
def _several_outcomes() -> str:
    x: list[sb.Float | sb.Integer | sb.Categorical] = [sb.Float("x", 0, 1)]
    graph = sb.CausalGraph.from_text("x -> y; x -> energy", target="y", intervenable=["x"])
    outcomes: dict[str, Literal["maximize", "minimize"]] = {"energy": "minimize"}
    for several in (
        sb.CostVarying(x, [["x"]], outcomes=outcomes),
        sb.TimeVarying(x, outcomes=outcomes),
        sb.Causal(graph, x, outcomes=outcomes),
    ):
        study = sb.Optimizer(several)
        for at in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
            study.add(at, {"x": at, "energy": at * at})
        assert len(study.tradeoff().plays) > 5
    fleet = sb.Optimizer(sb.MeanField(["a", "b"], agents=9, counts=True, outcomes=outcomes))
    for a in range(10):
        counts = {"a": a, "b": 9 - a}
        fleet.add(a * (18 - a), {"counts": counts, "energy": a * a})
    assert len(fleet.tradeoff().plays) > 5
    return "outcomes={…} of every kind; tradeoff()"


@row("a play of one's own as a round")
def _attach() -> str:
    study = played()
    own = study.attach({"ph": 6.0})
    study.tell(own, 9.0, realised={"t": 22.0})
    assert study.history[own.token].state == "told"
    return "attach(values)"


@row("known accuracy of one outcome")
def _sem() -> str:
    study = played()
    study.add(9.0, {"ph": 6.0, "t": 22.0}, sem=0.2)
    assert study.history.data["added-1"].outcome.sem == 0.2
    return "tell(…, sem=…), add(…, sem=…)"


@row("data of another site for what they are worth")
def _source() -> str:
    study = played()
    study.add(90.0, {"ph": 6.0, "t": 22.0}, source="other site")
    assert study.history.data["added-1"].source == "other site"
    assert study.ask() is not None
    return "add(…, source=…)"


@row("a failed evaluation")
def _fail() -> str:
    study = played()
    study.fail(study.ask(), "the pump broke", cost=1)
    assert study.status.failed == 1
    return "fail(suggestion, reason)"


@row("correct or withdraw an outcome")
def _amend() -> str:
    study = played()
    study.amend(study.history.last(1)[0].suggestion, void=True)
    return "amend(suggestion, …)"


@row("earlier data")
def _add() -> str:
    study = played()
    study.add(8.0, {"t": 21.0, "ph": 6.0})
    assert len(study.history.data) == 1
    return "add(value, realised)"


@row("contexts seen before choosing")
def _seen() -> str:
    problem = sb.TimeVarying([sb.Float("x", 0, 1), sb.Float("sun", 0, 9, seen=True)])
    assert sb.Optimizer(problem).ask(context={"sun": 3}).context == {"sun": 3}
    return "seen=True, ask(context=…)"


@row("an optimum that drifts")
def _drift() -> str:
    assert sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)])).ask(time=2.5) is not None
    return "TimeVarying, drift="


@row("constraints between settings")
def _limits() -> str:
    limit = sb.LinearConstraint({"x": 1, "y": 1}, at_most=1)
    values = (
        sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1), sb.Float("y", 0, 1)], limits=[limit]))
        .ask()
        .values
    )
    assert values["x"] + values["y"] <= 1
    return "limits=[LinearConstraint(…)]"


@row("constraints on outcomes, with probabilities")
def _outcomes() -> str:
    limit = sb.OutcomeConstraint("pressure", at_most=5)
    assert (
        "pressure"
        in sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)], limits=[limit])).ask().limits
    )
    return "limits=[OutcomeConstraint(…)]"


@row("stop when enough is known")
def _stop() -> str:
    return str(Study.create(MemoryLog(), PLANT, budget=9, stop=0.1).status) and "stop="


@row("the same again from a seed")
def _seed() -> str:
    assert played().ask().values == played().ask().values
    return "seed="


# -- knowing ---------------------------------------------------------------------------------------


@row("predict at settings of one's own")
def _predict() -> str:
    found = played().predict([{"ph": 6.0}, {"ph": 7.0}])
    assert all(each.mean is not None for each in found)
    return "predict(values)"


@row("the answer with bounds")
def _answer() -> str:
    advice = played().recommend()
    assert advice.lower is not None
    return "recommend()"


@row("why")
def _why() -> str:
    assert played().explain().tables
    return "explain()"


@row("probably wrong outcomes are named")
def _doubted() -> str:
    study = played()
    assert study.tell(study.ask(), 1e6, realised={"t": 22.0, "ph": 6.0})
    return "warnings of tell, status.findings"


@row("pictures of progress and answer")
def _pictures() -> str:
    from steerbo.plots import pictures

    study = played()
    assert [picture.title for picture in pictures(study, study.recommend())]
    return "steerbo.plots, gallery, page"


@row("contours, cross-validation and residuals")
def _pictures_of_trust() -> str:
    from matplotlib.figure import Figure

    from steerbo.plots import contour, cross_validation, residuals

    problem = sb.CostVarying([sb.Float("x", 0, 1), sb.Float("z", 0, 1)], [["x", "z"]])
    study = sb.Optimizer(problem, seed=0)
    for _ in range(9):
        suggestion = study.ask()
        study.tell(suggestion, suggestion.values["x"] - suggestion.values["z"] ** 2)
    for draw in (cross_validation, residuals):
        draw(study, Figure().subplots())
    contour(study)
    assert study.cross_validate()
    return "plots.contour, cross_validation, residuals"


@row("known noise of all outcomes")
def _noise() -> str:
    assert sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], noise=0.1).noise == 0.1
    return "noise="


# -- in and out ------------------------------------------------------------------------------------


@row("data frames of pandas and polars")
def _frames() -> str:
    from steerbo.study import add_frame

    for library in ("pandas", "polars"):
        frame = played().to_frame(library)[["value", "t", "ph"]]
        lines = add_frame(Study.create(MemoryLog(), PLANT, budget=60, seed=1), frame)
        assert all(line.taken for line in lines)
    return "to_frame(library), add_frame"


@row("workbooks in and out")
def _workbook() -> str:
    from steerbo.study.files.export import study_xlsx
    from steerbo.study.files.workbook import sheets_of

    assert set(sheets_of(study_xlsx(played()))) == {"rounds", "answers"}
    return "steerbo import table.xlsx, steerbo export --out table.xlsx"


@row("a dry run of an import, and of a study")
def _dry() -> str:
    said = _command("check", FILE)
    assert "to begin    round 3" in said
    return "steerbo import --dry-run, steerbo check"


@row("remarks and lot numbers beside outcomes")
def _remarks() -> str:
    study = played()
    study.remark(study.history.last(1)[0].suggestion, "lot 7")
    assert len(study.history.remarks) == 1
    return "remark(suggestion, text)"


@row("files beside outcomes, with their checksums")
def _files() -> str:
    with tempfile.TemporaryDirectory() as folder:
        photo = Path(folder) / "a7.jpg"
        photo.write_bytes(b"a crack")
        with Study.create(f"{folder}/a.db", PLANT, budget=9, seed=0) as study:
            suggestion = study.ask()
            study.remark(suggestion, file=photo)
            (kept,) = study.history.files[suggestion.token]
            assert study.read_file(kept) == b"a crack"
            assert len(kept.sha256) == 64
    return "remark(suggestion, file=…), read_file"


@row("a schema of study files")
def _schema() -> str:
    assert json.loads(_command("schema"))["title"]
    return "steerbo schema"


@row("types for editors")
def _types() -> str:
    assert "Unpack[Request]" in str(sb.Optimizer.ask.__annotations__["request"])
    return "typed arguments of ask, predict, attach, run"


@row("a page, HTTP and tools for assistants")
def _server() -> str:
    from steerbo.serve.operations import VERBS

    assert {"ask", "tell", "attach", "remark"} <= set(VERBS)
    return "steerbo serve, steerbo mcp"


@row("MLflow and other trackers")
def _trackers() -> str:
    from steerbo.study.trackers import AimObserver, MLflowObserver, WandbObserver

    for observer in (AimObserver, MLflowObserver, WandbObserver):
        assert callable(observer.ended)
    return "run(objective, observer=MLflowObserver())"


@row("a bar in Python")
def _bar() -> str:
    study = Study.create(MemoryLog(), sb.TimeVarying([sb.Float("x", 0, 1)]), rounds=2)
    study.run(lambda suggestion: 1.0, progress=True)
    return "run(objective, progress=True)"


@row("BoTorch's acquisition functions on the model")
def _botorch() -> str:
    from steerbo.interop.botorch import to_botorch

    assert to_botorch(played().optimizer) is not None
    return "to_botorch"


ROWS |= dict.fromkeys(
    (
        "several fidelities",
        "pruning of running evaluations",
        "conditional parameters",
        "GPU",
    )
)


def _command(word: str, file: str = "") -> str:
    """Output of a command, on a study file of this text if there is one."""
    from typer.testing import CliRunner

    from steerbo.cli.app import main

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "study.toml"
        place.write_text(file, encoding="utf-8")
        done: Any = CliRunner().invoke(main, [word, *([str(place)] if file else [])])
    assert done.exit_code == 0, done.output
    return str(done.stdout)


if __name__ == "__main__":
    for each in tried():
        print(f"{each.row:<48} {'yes' if each.there else 'no':<4} {each.how}")
