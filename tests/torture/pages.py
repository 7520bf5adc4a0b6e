"""Two people at one page, and a server that dies between them: every number typed is in the log or on a screen."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from steerbo.study import Study
from tests.serve.browser import CHROMIUM, Tab, browser
from tests.serve.players import oven
from tests.serve.processes import Serving, start

MOMENTS = ("never", "before anybody sends", "between the two", "before and between", "after the first, unseen")
"""When the server is killed."""
_LIVE = "document.getElementById('away').hidden"
_SEEN = """(text => document.body.innerText.split(/[\\s,;]/).includes(text)
  || [...document.querySelectorAll('input')].some(f => f.value === text && f.checkVisibility()))"""


def without_browser() -> str:
    """Why there can be no pages here; empty where there can."""
    return "" if CHROMIUM else "Chromium is not installed (Debian: apt-get install chromium)"


def pages(folder: Path, turns: int, seed: int = 5) -> dict[str, Any]:
    """Two browsers type different numbers for the same round, `turns` times; the server is killed at any moment.

    Args:
        folder: a new one.
        turns: how often.
        seed: of what happens.

    Raises:
        AssertionError: a number that was typed is neither in the log nor on the screen of whoever typed it.
    """
    folder.mkdir()
    draw, place = random.Random(seed), oven(folder, budget=1e9)
    running, kills, found = start(place), 0, Counter[str]()
    port = int(re.findall(r":(\d+)/", running.url)[0])

    def crash() -> Serving:
        nonlocal kills
        kills += 1
        running.kill()
        return running

    try:
        with browser(folder) as chromium:
            people = {name: chromium.tab() for name in ("ann", "bob")}
            for tab in people.values():
                tab.open(f"{running.url}page/oven")
            for turn in range(turns):
                token = _out(people, draw)
                typed = {name: f"{5 + turn}.{k}25" for k, name in enumerate(people, 1)}
                for name, tab in people.items():
                    _fill(tab, token, typed[name])
                moment = draw.choice(MOMENTS)
                first, second = draw.sample(list(people), 2)
                if "before" in moment:
                    crash()
                    running = _back(running, place, port, people, draw)
                _send(people[first], token)
                if moment == "after the first, unseen":
                    crash()
                if "between" in moment:
                    crash()
                    running = _back(running, place, port, people, draw)
                _send(people[second], token)
                if running.process.poll() is not None:
                    running = start(place, port=port)
                for tab in people.values():
                    tab.wait(_LIVE)
                for name, tab in people.items():
                    found[_where(place, tab, typed[name])] += 1
                _settle(people)
    finally:
        running.kill()
    assert sum(found.values()) == 2 * turns
    return {"numbers typed": 2 * turns, "kills of the server": kills, **dict(sorted(found.items()))}


def _out(people: dict[str, Tab], draw: random.Random) -> str:
    """A round that both see."""
    tab = people[draw.choice(list(people))]
    if not tab.has(".round"):
        tab.fill("[name='seen:weather']", "12")
        _click(tab, "#ask button")
    for each in people.values():
        each.wait("!!document.querySelector('.round')")
    token: str = tab.run("document.querySelector('.round').id.slice(6)")
    for each in people.values():
        each.wait(f"!!document.getElementById('round-{token}')")
    return token


def _fill(tab: Tab, token: str, value: str) -> None:
    for name, text in (("value", value), ("cost", "1"), ("realised:oven", "150"), ("realised:speed", "0.5")):
        if tab.has(field := f"#round-{token} form[action$=tell] [name='{name}']"):
            tab.fill(field, text)


def _send(tab: Tab, token: str) -> None:
    """Press the button, where the form is still there: else its owner has been told why it is not."""
    _click(tab, f"#round-{token} form[action$=tell] button")


def _click(tab: Tab, selector: str) -> None:
    """Click in one step what is there: the page follows the study, and may take a form away between two steps."""
    tab.run(f"document.querySelector({json.dumps(selector)})?.click()")


def _back(running: Serving, place: Path, port: int, people: dict[str, Tab], draw: random.Random) -> Serving:
    """Another server at the same address; somebody may have loaded the page anew when it is there again."""
    running = start(place, port=port)
    for tab in people.values():
        if draw.random() < 0.3:
            tab.run("window.before = {}; location.reload()")
            tab.wait("!window.before && document.readyState === 'complete' && !!document.querySelector('#next')")
        tab.wait(_LIVE)
    return running


def _where(place: Path, tab: Tab, number: str, seconds: float = 20.0) -> str:
    """Where a number is that somebody typed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with Study.open(place) as study:
            if any(outcome.value == float(number) for _, outcome, _ in study.history.outcomes()):
                return "in the log"
        if tab.run(f"{_SEEN}({number!r})"):
            return "on the screen"
        time.sleep(0.1)
    raise AssertionError(f"{number} is lost: {tab.run('document.body.innerText')}")


def _settle(people: dict[str, Tab]) -> None:
    """Let go of what is kept, and send what is still typed, so that the next round begins with empty hands."""
    for tab in people.values():
        while tab.has("#next .kept [data-let-go]"):
            tab.press("#next .kept [data-let-go]")
            time.sleep(0.2)
    for tab in people.values():
        tab.wait("!document.querySelector('[data-sending]')")
        if tab.has(".round form[action$=tell] [name=value]") and tab.text(".round form[action$=tell] [name=value]"):
            _click(tab, ".round form[action$=tell] button")
    for tab in people.values():
        tab.wait("!document.querySelector('.round') || !document.querySelector('.round [name=value]')?.value", 20)
