"""The page in a real browser, where Chromium is installed: whole studies by clicking, by two at once, on any screen."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from steerbo.study import Study
from tests.serve.browser import CHROMIUM, Tab, browser
from tests.serve.players import KINDS, Person, _text, of_kind, oven
from tests.serve.processes import Serving, serving, start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]
PICTURES = os.environ.get("STEERBO_PICTURES")  # a folder for pictures of the pages, to be looked at


def tokens(tab: Tab) -> list[str]:
    found: list[str] = tab.run("[...document.querySelectorAll('.round')].map(r => r.id.slice(6))")
    return found


def suggestion(made: Serving, token: str) -> Any:
    with made.client() as client:
        return Person.suggestion(_Reader(client), token)  # type: ignore[arg-type]


class _Reader:
    """What `Person.suggestion` needs."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def rounds(self) -> Any:
        return self.client.get("/studies/study/rounds").json()["rounds"]


def measured(tab: Tab, token: str) -> None:
    """What nature did with the oven."""
    for name, text in (("oven", "150"), ("speed", "0.5")):
        if tab.has(field := f"#round-{token} [name='realised:{name}'][required]"):
            tab.fill(field, text)


def look(tab: Tab, name: str) -> None:
    """Nothing sticks out at any width; pictures where somebody wants to see them."""
    for width in (390, 1280):
        tab.size(width)
        assert tab.run("window.innerWidth") == width, (name, "a telephone makes room for what sticks out")
        assert tab.run("document.documentElement.scrollWidth") <= width, (name, width)
        if PICTURES:
            tab.picture(Path(PICTURES) / f"{name}-{width}.png")
    tab.size(1280)


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_a_whole_study_by_clicking(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing, rounds=3)
    with serving(place) as made, browser(tmp_path) as chromium:
        tab = chromium.tab()
        tab.open(f"{made.url}page/study")
        for number in range(1, 4):
            for name, value in case.request(number).items():
                tab.fill(f"[name='ask:{name}']", _text(value))
            tab.click("#ask button")
            (token,) = tokens(tab)
            look(tab, f"{wing}-{number}")
            while (asked := suggestion(made, token)).observe:
                for name, value in case.seen(asked).items():
                    tab.fill(f"[name='context:{name}']", _text(value))
                tab.click("form[action$=decide] button")
            outcome = case.outcome(asked)
            tab.fill("form[action$=tell] [name=value]", _text(outcome["value"]))
            for name, value in (outcome.get("realised") or {}).items():
                if tab.has(field := f'form[action$=tell] [name="realised:{name}"]'):
                    tab.fill(field, _text(value))
            if tab.has("form[action$=tell] [name=cost]"):
                tab.fill("form[action$=tell] [name=cost]", _text(outcome["cost"]))
            tab.click("form[action$=tell] button")
        assert "Finished: all rounds are made" in tab.run("document.body.innerText")
        look(tab, f"{wing}-end")
    with Study.open(place) as played:
        assert played.status.told == 3


def test_two_browsers_and_a_worker_see_each_other(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with serving(place) as made, browser(tmp_path) as chromium:
        ann, bob = chromium.tab(), chromium.tab()
        for tab in (ann, bob):
            tab.open(f"{made.url}page/oven")
        ann.fill("[name='seen:weather']", "12")
        ann.click("#ask button")
        (token,) = tokens(ann)
        bob.wait(f"!!document.getElementById('round-{token}')")  # without loading the page again
        bob.fill(f"#round-{token} [name=value]", "3")  # and while he types, nothing is taken from him
        with Study.open(place) as worker:
            other = worker.ask(context={"weather": 4.0})
            ann.wait(f"!!document.getElementById('round-{other.token}')")
            worker.tell(other, 1.0, cost=1.0, realised={"oven": 150.0, "speed": 0.5})
        ann.wait("document.getElementById('status').textContent.includes('2 rounds')")
        assert bob.run(f"document.querySelector('#round-{token} [name=value]').value") == "3"
        bob.fill(f"#round-{token} [name=cost]", "1")
        measured(bob, token)
        bob.click(f"#round-{token} form[action$=tell] button")
        ann.wait(f"!document.getElementById('round-{token}')")


def test_a_form_outlives_the_server(tmp_path: Path) -> None:
    place = oven(tmp_path)
    first = start(place)
    port = int(re.findall(r":(\d+)/", first.url)[0])
    try:
        with browser(tmp_path) as chromium:
            tab = chromium.tab()
            tab.open(f"{first.url}page/oven")
            tab.fill("[name='seen:weather']", "12")
            tab.click("#ask button")
            (token,) = tokens(tab)
            tab.fill(f"#round-{token} [name=value]", "3")
            tab.fill(f"#round-{token} [name=cost]", "1")
            measured(tab, token)
            first.kill()
            first = start(place, port=port)
            tab.click(f"#round-{token} form[action$=tell] button")
            assert tokens(tab) == []
            assert "1 round, 1 of 20 spent" in tab.run("document.getElementById('status').textContent")
    finally:
        first.kill()


def test_a_wrong_number_comes_back_with_what_is_allowed(tmp_path: Path) -> None:
    with serving(oven(tmp_path)) as made, browser(tmp_path) as chromium:
        tab = chromium.tab()
        tab.open(f"{made.url}page/oven")
        tab.fill("[name='seen:weather']", "warm")
        tab.click("#ask button")
        said = tab.run("document.querySelector('[role=alert]').innerText")
        assert "context.weather" in said
        assert tab.run("document.querySelector('[name=\"seen:weather\"]').value") == "warm"
        look(tab, "wrong")
