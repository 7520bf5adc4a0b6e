"""Studies of every kind by mouse alone, from the form that begins them to the report, on a desk and on a telephone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from steerbo.study import Study
from tests.serve.accessibility import AXE, SMALL, violations
from tests.serve.browser import CHROMIUM, Browser, Tab
from tests.serve.processes import Listening, commanded
from tests.sizes import FULL

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]
HEAT = {"v0-name": "heat", "v0-low": "1000", "v0-high": "1280", "v0-unit": "°C"}
FORMS: dict[str, dict[str, str]] = {
    "cost-varying": {**HEAT, "money": "EUR", "sets": "heat: 1"},
    "time-varying": HEAT,
    "causal": {
        **{"v0-name": "age", "v0-low": "20", "v0-high": "80", "v0-unit": "years"},
        **{"v1-name": "dose", "v1-low": "0", "v1-high": "10", "v1-unit": "mg"},
        **{"arrows": "age -> dose -> relief; age -> relief", "target": "relief", "settable": "dose", "look": "age"},
    },
    "mean-field": {"actions": "station, harbour, market", "agents": "60", "capacity": "harbour: 30"},
}
LEARNED = {
    "cost-varying": ".chart .band",
    "time-varying": ".chart .shade",
    "causal": ".graph .node.target",
    "mean-field": ".chart .band",
}
"""Parts of the drawing that is shown first."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Listening, Path]]:
    """A server that begins studies in a folder."""
    folder = tmp_path_factory.mktemp("studies")
    with commanded(folder=folder) as server:
        yield server, folder


def begin(tab: Tab, url: str, kind: str, name: str) -> None:
    """Fill in the form of a new study, with a typing error that is mended."""
    tab.open(f"{url}page")
    tab.click("a[href='/new']", mouse=True)
    tab.point(f"[name=kind][value={kind}]")
    for field, text in {"name": name, "value": "Yield", "unit": "kg", **FORMS[kind], "most-rounds": "2o"}.items():
        tab.write(f"[name='{field}']", text)
    tab.click("button[value=create]", mouse=True)
    assert tab.run("document.activeElement.name") == "most-rounds", "the error has the focus"
    assert tab.run("document.activeElement.getAttribute('aria-invalid')") == "true"
    assert tab.text("[name=unit]") == "kg", "nothing is typed again"
    tab.write("[name=most-rounds]", "20")
    tab.click("button[value=create]", mouse=True)
    tab.wait("!!document.querySelector('#ask')")


def looked(tab: Tab) -> None:
    """Say what is seen, where the round asks for a look."""
    if tab.has("form[action$=decide]"):
        tab.write("form[action$=decide] input:not([type=hidden])", "61")
        tab.click("form[action$=decide] button.main", mouse=True)


def pointed(tab: Tab, selector: str, script: str) -> None:
    """Point at an element until a script is true: as a person would where the page moves under the mouse."""
    for _ in range(5):
        tab.point(selector)
        with suppress(AssertionError):
            tab.wait(script, 12.0)
            break
    assert tab.run(script), (selector, script)


def saved(tab: Tab, text: str) -> None:
    """Say what came of the round."""
    tab.write(".round [name=value]", text)
    tab.click(".round form[action$=tell] button.main", mouse=True)


LOOKS = [(390, kind) for kind in FORMS] + [(1280, kind) for kind in (FORMS if FULL else [*FORMS][:1])]
"""Widths and kinds: by default every kind on a telephone, where there is least room, and one on a screen, too."""


@pytest.mark.parametrize(("width", "kind"), LOOKS)
def test_from_creation_to_report(width: int, kind: str, made: tuple[Listening, Path], chromium: Browser) -> None:
    """With a typing error, a round that broke, a second person who answers first, and an outcome that is mended."""
    (server, folder), name = made, f"{kind}-{width}"
    ann, bob = chromium.tab(), chromium.tab()
    for tab in (ann, bob):
        tab.size(width)
    begin(ann, server.url, kind, name)
    ann.click("#ask button.main", mouse=True)
    looked(ann)
    ann.write(".round [name=value]", "six")
    ann.click(".round form[action$=tell] button.main", mouse=True)
    assert ann.run("document.activeElement.name") == "value"
    assert "'six' is not allowed" in ann.text(".round .wrong")
    saved(ann, "6.1")
    assert "Saved: round 1 gave 6.1 kg." in ann.text("#saved")
    looked(ann)
    assert ann.run("document.activeElement.name") == "value", "the next round is there, and its field has the focus"
    ann.point(".round .broke summary")
    ann.write(".round form[action$=fail] [name=reason]", "a fuse")
    ann.click(".round form[action$=fail] button", mouse=True)
    ann.click("#ask button", mouse=True)
    looked(ann)
    bob.open(f"{server.url}page/{name}")
    ann.write(".round [name=value]", "5.5")
    saved(bob, "5.25")
    ann.wait("document.querySelector('.kept [name=value]')?.value === '5.5'")
    assert "It gave 5.25 kg" in ann.text(".kept")
    ann.point(".kept [data-let-go]")
    ann.wait("!document.querySelector('.kept')")
    pointed(ann, "#rounds tr.told:last-child [data-edit]", "!!document.querySelector('tr.editing [name=value]')")
    assert ann.text("tr.editing [name=value]") == "6.1", "the old value is there"
    ann.write("tr.editing [name=value]", "6.3")
    ann.click("tr.editing button.main", mouse=True)
    ann.wait("document.querySelector('#rounds tr.told:last-child td.n').innerText === '6.30'")
    assert "broke: a fuse" in ann.text("#rounds")
    ann.run("document.getElementById('learned').scrollIntoView()")  # it is drawn when it is looked at
    ann.wait("!!document.querySelector('#learned .tabs a')")
    pointed(ann, "#learned .tabs a", f"!!document.querySelector({'#learned ' + LEARNED[kind]!r})")
    assert ann.run("document.documentElement.scrollWidth") <= width
    assert ann.run(SMALL) == []
    if AXE is not None:
        assert violations(ann) == []
    ann.click("header a.button[href$=settings]", mouse=True)
    ann.point("#end summary")
    ann.write("#end [name=reason]", "the season is over")
    ann.click("#end button", mouse=True)
    ann.click("[role=status] a", mouse=True)
    ann.wait("!!document.querySelector('#finished')")
    ann.point(".round .broke summary")
    ann.click(".round form[action$=abandon] button", mouse=True)
    assert re.search("Finished: ended on [0-9-]+: the season is over", ann.text("#finished"))
    report = ann.run("fetch(document.querySelector('#finished a').href).then(answer => answer.text())")
    assert "6.30" in report
    with Study.open(folder / f"{name}.db") as played:
        states = [r.state for r in played.history]
        assert states == ["told", "failed", "told", "abandoned"][: len(states)]
        assert [r.outcome.value for r in played.history if r.outcome] == [6.3, 5.25]
