"""The page: it needs no network, and nothing a user wrote becomes markup."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from base64 import b64encode
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from steerbo._text import unsafe
from steerbo.core import Optimizer, Recommendation, Scope, cached_until_next_event
from steerbo.page import report as page
from steerbo.page.learned import learned, tabs_of
from steerbo.space import LinearConstraint
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import events_jsonl, rounds_csv
from steerbo.study.files.import_csv import import_csv
from steerbo.testing import Case
from tests import hostile
from tests.cli.calls import call
from tests.core.stub import Nearest, Stub, evaluate, look
from tests.page.examples import NASTY, nasty
from tests.study.files import MEASURE, write_function
from tests.torture.kills import WINGS


class Tags(HTMLParser):
    """Counts tags, and checks that they close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes |= {name for name, _ in attributes}
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "action")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attributes}
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_what_users_wrote_is_text() -> None:
    text = page(nasty(), NASTY)
    tags = Tags(text)
    assert tags.seen.count("script") == 1
    assert tags.seen.count("tr") > 6
    assert "onerror=1>" not in text
    assert text.count('class="dot"') >= 4


def test_it_opens_without_a_network_and_is_small() -> None:
    text = page(nasty(), "a study")
    tags = Tags(text)
    assert not tags.addresses, "nothing beside it"
    assert not re.search(r"https?://|@import|url\(", text)
    assert len(text) < 2_000_000


def test_a_browser_needs_to_be_allowed_nothing_else() -> None:
    """The page's own policy names its script and style by their digests, and no element has one of its own."""
    text = page(nasty(), "a study")
    (policy,) = re.findall('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    for tag in ("script", "style"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in unescape(policy)
    assert not [name for name in Tags(text).attributes if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("told", [0, 1, 3])
def test_little_data_of_another_wing(told: int) -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=9)
    for _ in range(told):
        suggestion = study.ask()
        while suggestion.observe:
            suggestion = study.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        study.tell(suggestion, 1.0)
    text = page(study, "stub")
    Tags(text)
    assert ("Nothing observed yet" in text) == (told == 0)


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("rounds", [0, 1, 3])
@pytest.mark.parametrize("wing", ["cost-varying", "time-varying", "causal", "mean-field"])
def test_every_wing_has_its_drawings(wing: str, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the page's own: nothing is loaded, and matplotlib is not asked."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    case, _ = WINGS[wing]
    study = Study.create(MemoryLog(), case.problem, case.method, rounds=9, options=case.options)
    case.play(study.optimizer, rounds)
    text = page(study, wing)
    tags = Tags(text)
    advice = study.recommend()
    found = [learned(study, advice, tab.draw, tab.along) for tab in tabs_of(study, advice)]
    labels = [each.chosen.label for each in found if each.chosen and (each.slice or each.graphs)]
    assert "img" not in tags.seen
    assert text.count("<h2>What was learned") == len(labels), labels
    assert all(label in unescape(text) for label in labels if len(labels) > 1)
    assert labels or rounds < 2, "no time has passed yet, and nothing is known of noise"
    assert len(text) < 2_000_000
    assert "{&#x27;" not in text, "words, not Python"


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    assert call("run", path, "--quiet").exit_code == 0
    result = call("report", path)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "study.html").read_text(encoding="utf-8")
    assert "Best now" in text
    assert "temperature" in text
    assert call("report", path, "--out", tmp_path / "no" / "folder.html").exit_code == 2


def test_the_command_draws_every_picture_into_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = write_function(tmp_path, MEASURE)
    assert call("run", path, "--quiet").exit_code == 0
    result = call("plot", path, "--json")
    assert result.exit_code == 0, result.output
    files = json.loads(result.output)["files"]
    assert len(files) > 2
    assert {Path(file).parent.name for file in files} == {"study-pictures"}
    assert all(Path(file).read_bytes().startswith(b"\x89PNG") for file in files)


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("kind", hostile.KINDS)
def test_older_logs_with_characters_that_cannot_be_shown(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("steerbo.core._creation.unsafe", lambda text: "")
        before.setattr("steerbo.core.reports._kept", lambda reason: reason)
        names = [name for name in hostile.HIDDEN if kind != "mean-field" or "caf" not in name]
        begun = hostile.study(kind, names, tmp_path / "study.db")  # an action called caf\udce9 was never written
        begun.fail(begun.ask(), "caf\udce9")
        begun.close()
    with Study.open(tmp_path / "study.db") as study:
        assert study.events[-1].reason == "caf\udce9"  # type: ignore[union-attr]
        text = page(study, "caf\udce9")
        Tags(text)
        assert unsafe(text.replace("\n", "")) == ""
        assert "caf\\xe9" in text
        table = rounds_csv(study.problem, study.history)
        assert unsafe(table.replace("\n", "")) == ""
        events_jsonl(study.events).encode("ascii")
        lines = import_csv(study, table)
        assert [line.taken for line in lines] == [True] * 6, lines


def test_a_kind_from_outside_has_it_all_by_default() -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=3)
    world = Case(Stub(), Nearest, evaluate, look)
    for _ in range(2):
        world.play(study, 1)  # type: ignore[arg-type]
    assert "2 outcomes, the last" in page(study, "outside")
    table = rounds_csv(study.problem, study.history).splitlines()
    assert table[0] == "token,round,state,value,cost,charged,age,dose,pulse,rest,reason"


class Bold(Nearest):
    """Recommends what a limit forbids."""

    def recommend_at(self, context: Any) -> Recommendation:
        return Recommendation(Scope(["dose"]), {"dose": 0.9})


def test_an_answer_that_breaks_a_limit_is_a_sentence_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stub, "every_limit", (LinearConstraint({"dose": 1}, at_most=0.5),))
    assert "breaks a limit of the problem: dose at most 0.5" in page(Optimizer(Stub(), Bold), "a study")


@pytest.mark.parametrize("kind", hostile.KINDS)
def test_recommend_is_searched_for_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = hostile.study(kind, hostile.SEEN)
    method: Any = study.optimizer._method
    name = "_ranked_now" if kind == "causal" else "recommend"
    searched: list[int] = []
    inner = getattr(type(method), name)
    inner = getattr(inner, "__wrapped__", inner)

    @cached_until_next_event
    def counting(method: Any) -> Any:
        searched.append(method.history.event_count)
        return inner(method)

    counted = counting if hasattr(getattr(type(method), name), "__wrapped__") else counting.__wrapped__  # type: ignore[attr-defined]
    monkeypatch.setattr(type(method), name, counted)
    page(study, "once")
    assert len(searched) == 1
