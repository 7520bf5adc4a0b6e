"""The page in a real browser, where Chromium is installed: whole studies by clicking, by two at once, on any screen."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steerbo.study import Study
from tests.serve.browser import CHROMIUM, Browser, Tab
from tests.serve.players import KINDS, Person, _text, of_kind, oven
from tests.serve.processes import Listening, serving_here, start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]
PICTURES = os.environ.get("STEERBO_PICTURES")  # a folder for pictures of the pages, to be looked at


def tokens(tab: Tab) -> list[str]:
    found: list[str] = tab.run("[...document.querySelectorAll('.round')].map(r => r.id.slice(6))")
    return found


def suggestion(made: Listening, token: str) -> Any:
    with made.client() as client:
        return Person.suggestion(_Reader(client), token)  # type: ignore[arg-type]


class _Reader:
    """What `Person.suggestion` needs."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def rounds(self) -> Any:
        return self.client.get("/v1/studies/study/rounds").json()["rounds"]


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
def test_a_whole_study_by_clicking(wing: str, tmp_path: Path, chromium: Browser) -> None:
    place, case = of_kind(tmp_path, wing, rounds=3)
    with serving_here(place) as made:
        tab = chromium.tab()
        tab.open(f"{made.url}page/study")
        for number in range(1, 4):
            if not tokens(tab):  # else it came with what was saved before
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


def test_two_browsers_and_a_worker_see_each_other(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    with serving_here(place) as made:
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


def test_a_form_outlives_the_server(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    first = start(place)
    port = int(re.findall(r":(\d+)/", first.url)[0])
    try:
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
        assert "1 of 20 spent" in tab.run("document.getElementById('status').textContent")
    finally:
        first.kill()


def test_a_wrong_number_comes_back_with_what_is_allowed(tmp_path: Path, chromium: Browser) -> None:
    with serving_here(oven(tmp_path)) as made:
        tab = chromium.tab()
        tab.open(f"{made.url}page/oven")
        tab.fill("[name='seen:weather']", "warm")
        tab.click("#ask button")
        said = tab.run("document.querySelector('[role=alert]').innerText")
        assert said.startswith("weather: 'warm' is not allowed")
        assert tab.run("document.activeElement.getAttribute('aria-invalid')") == "true", "the field has the focus"
        assert tab.run("document.querySelector('[name=\"seen:weather\"]').value") == "warm"
        look(tab, "wrong")


def out(made: Listening, tab: Tab, weather: str = "12") -> str:
    """The token of a new round."""
    tab.open(f"{made.url}page/oven")
    tab.fill("[name='seen:weather']", weather)
    tab.click("#ask button")
    (token,) = tokens(tab)
    return token


MEASURED = {"oven": 150.0, "speed": 0.5}
MEANWHILE: dict[str, tuple[Callable[[Study, str], object], str]] = {
    "told": (lambda s, t: s.tell(t, 3.0, cost=1.0, realised=MEASURED), "It gave 3"),
    "failed": (lambda s, t: s.fail(t, "it leaked", cost=1.0), "It broke: it leaked."),
    "abandoned": (lambda s, t: s.abandon(t, "no time"), "It was given up: no time."),
    "void": (
        lambda s, t: (s.tell(t, 3.0, cost=1.0, realised=MEASURED), s.amend(t, void=True))[1],
        "It was taken out: nothing is learned from it.",
    ),
}


@pytest.mark.parametrize("state", MEANWHILE)
def test_what_is_typed_outlives_another_person(state: str, tmp_path: Path, chromium: Browser) -> None:
    """Said while one types, kept until it is saved or let go, also when the page is loaded again."""
    do, said = MEANWHILE[state]
    place = oven(tmp_path)
    with serving_here(place) as made:
        ann = chromium.tab()
        token = out(made, ann)
        ann.fill(f"#round-{token} [name=value]", "5.5")
        with Study.open(place) as worker:
            do(worker, token)
        kept = f"#kept-{token}"
        ann.wait(f"!!document.querySelector({kept!r})")
        assert said in ann.text(kept)
        assert ann.text(f"{kept} [name=value]") == "5.5"
        assert ann.run("document.activeElement.name") == "value", "the focus stays where one types"
        look(ann, f"meanwhile-{state}")
        ann.open(f"{made.url}page/oven")
        ann.wait(f"document.querySelector({kept + ' [name=value]'!r})?.value === '5.5'")
        ann.fill(f"{kept} [name=cost]", "1")
        for name, value in MEASURED.items():
            ann.fill(f"{kept} [name='realised:{name}']", str(value))
        ann.click(f"{kept} button.main")
        assert not ann.has(kept)
        ann.open(f"{made.url}page/oven")
        ann.wait("document.readyState === 'complete'")
        assert not ann.has(kept), "what is saved is kept no longer"
    with Study.open(place) as played:
        found = played.history[token].outcome
        assert found is not None
        assert found.value == 5.5


def test_what_is_typed_can_be_let_go(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    with serving_here(place) as made:
        ann, bob = chromium.tab(), chromium.tab()
        token = out(made, ann)
        bob.open(f"{made.url}page/oven")
        ann.fill(f"#round-{token} [name=value]", "5.5")
        bob.fill(f"#round-{token} [name=value]", "3")
        bob.fill(f"#round-{token} [name=cost]", "1")
        measured(bob, token)
        bob.click(f"#round-{token} form[action$=tell] button")
        ann.wait(f"document.querySelector('#kept-{token} [name=value]')?.value === '5.5'")
        ann.press("#kept-" + token + " [data-let-go]")
        ann.wait(f"!document.getElementById('kept-{token}')")
        ann.open(f"{made.url}page/oven")
        assert not ann.has(".kept")
    with Study.open(place) as played:
        assert [r.outcome.value for r in played.history if r.outcome] == [3.0]


def test_a_slow_answer_is_not_taken_for_another_person(tmp_path: Path, chromium: Browser) -> None:
    """The page hears of its own event before the answer to its form arrives: nothing is said to be lost."""
    place = oven(tmp_path)
    with serving_here(place) as made:
        ann = chromium.tab()
        token = out(made, ann)
        ann.run(
            "(() => { const plain = window.fetch;"
            " const later = done => setTimeout(window.renewed ? done : () => later(done), 200);"
            " window.fetch = async (where, more) => { const answer = await plain(where, more);"
            " if (more?.method === 'POST') await new Promise(later); else window.renewed = true;"
            " return answer; }; })()"
        )
        ann.fill(f"#round-{token} [name=value]", "5.5")
        ann.fill(f"#round-{token} [name=cost]", "1")
        measured(ann, token)
        ann.click(f"#round-{token} form[action$=tell] button")
        assert ann.run("window.renewed"), "the event came first"
        assert not ann.has(".kept")
        assert not ann.has(f"#round-{token}")
        assert "5.5" in ann.text("#saved")


def test_a_server_that_dies_between_two_people_loses_no_number(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    first = start(place)
    port = int(re.findall(r":(\d+)/", first.url)[0])
    try:
        ann = chromium.tab()
        token = out(first, ann)
        ann.fill(f"#round-{token} [name=value]", "5.5")
        ann.fill(f"#round-{token} [name=cost]", "1")
        measured(ann, token)
        first.kill()
        ann.wait("!document.getElementById('away').hidden")
        ann.click(f"#round-{token} form[action$=tell] button")
        assert "The server does not answer" in ann.text(f"#round-{token} .said")
        assert ann.text(f"#round-{token} [name=value]") == "5.5"
        with Study.open(place) as worker:  # bob, elsewhere, meanwhile
            worker.tell(token, 3.0, cost=1.0, realised=MEASURED)
        first = start(place, port=port)
        ann.wait(f"document.querySelector('#kept-{token} [name=value]')?.value === '5.5'")
        assert "It gave 3" in ann.text(f"#kept-{token}")
        assert ann.run("document.getElementById('away').hidden")
    finally:
        first.kill()


def test_a_look_that_another_has_given_is_kept(tmp_path: Path, chromium: Browser) -> None:
    place, case = of_kind(tmp_path, "causal")
    with serving_here(place) as made:
        ann = chromium.tab()
        ann.open(f"{made.url}page/study")
        ann.click("#ask button")
        (token,) = tokens(ann)
        asked = suggestion(made, token)
        name = asked.observe[0]
        seen = case.seen(asked)
        field = f"#round-{token} [name='context:{name}']"
        typed = ann.run(f"[...document.querySelector({field!r}).options].at(-1).value")
        ann.fill(field, typed)
        with Study.open(place) as worker:
            worker.decide(token, seen)
        ann.wait(f"!!document.querySelector('#kept-{token}')")
        said = ann.text(f"#kept-{token}")
        assert "Looked at" in said
        assert f"\n{typed}" in said


def test_an_unlikely_number_is_asked_about_before_it_is_saved(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    with Study.open(place) as worker:
        for value in (3.0, 10.0, 5.0, 4.0):
            worker.tell(worker.ask(context={"weather": 4.0}), value, cost=1.0, realised=MEASURED)
    with serving_here(place) as made:
        tab = chromium.tab()
        tab.open(f"{made.url}page/oven")
        tab.fill("[name='seen:weather']", "600")
        tab.click("#ask button")
        assert "weather = 600 is far outside its range, 0 to 30 °C" in tab.text(".doubt[role=alert]")
        assert tab.run("document.activeElement.name") == "seen:weather"
        assert tokens(tab) == []
        tab.fill("[name='seen:weather']", "6")
        tab.click("#ask button")
        (token,) = tokens(tab)
        tab.fill(f"#round-{token} [name=value]", "740")
        tab.fill(f"#round-{token} [name=cost]", "1")
        measured(tab, token)
        tab.click(f"#round-{token} form[action$=tell] button")
        assert "value = 740 is far from the others, 3 to 10" in tab.text(".doubt[role=alert]")
        look(tab, "unlikely")
        tab.click(f"#round-{token} form[action$=tell] button")  # it is meant
        assert tokens(tab) == []
    with Study.open(place) as played:
        assert [r.outcome.value for r in played.history if r.outcome] == [3.0, 10.0, 5.0, 4.0, 740.0]


def test_the_head_of_the_page_is_whole_on_a_telephone(tmp_path: Path, chromium: Browser) -> None:
    with serving_here(oven(tmp_path, rounds=40)) as made:
        tab = chromium.tab()
        tab.size(390)
        tab.open(f"{made.url}page/oven")
        assert "of 40 rounds" in tab.text("#status"), "both limits are shown"
        tab.run("document.querySelector('.menu summary').click()")
        found = tab.run("(box => [box.left, box.right])(document.querySelector('.menu ul').getBoundingClientRect())")
        assert 0 <= found[0] < found[1] <= 390
        tab.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
        assert not tab.has(".menu[open]")


def test_a_value_that_was_mistyped_before_choosing_is_asked_for_again(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    with serving_here(place) as made:
        tab = chromium.tab()
        token = out(made, tab, "2")
        tab.click(f"#round-{token} form[action$=abandon]:has([name=reason][type=hidden]) button")
        assert tokens(tab) == []
        assert tab.has("[name='seen:weather']")
    with Study.open(place) as played:
        assert [r.state for r in played.history] == ["abandoned"]


def test_two_who_correct_the_same_outcome_hear_of_each_other(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    with Study.open(place) as worker:
        token = worker.ask(context={"weather": 4.0}).token
        worker.tell(token, 3.0, cost=1.0, realised=MEASURED)
    with serving_here(place) as made:
        ann = chromium.tab()
        ann.open(f"{made.url}page/oven")
        ann.press("#rounds [data-edit]")
        ann.wait("!!document.querySelector('tr.editing [name=value]')")
        assert ann.text("tr.editing [name=value]") == "3", "the old value is there"
        ann.fill("tr.editing [name=value]", "3.5")
        with Study.open(place) as worker:
            worker.amend(token, 4.0)
        ann.wait("document.querySelector('tr.editing .stale')?.innerText.includes('It gave 4')")
        ann.click("tr.editing button.main")
        assert ann.text(f"#kept-{token} [name=value]") == "3.5"
        ann.click(f"#kept-{token} button.main")
    with Study.open(place) as played:
        found = played.history[token].outcome
        assert found is not None
        assert found.value == 3.5


def test_settings_and_a_new_study_outlive_the_server(tmp_path: Path, chromium: Browser) -> None:
    """What was typed stays where it is while the server is away, and is there again when the page is opened anew."""
    place = oven(tmp_path)
    first = start(place)
    port = int(re.findall(r":(\d+)/", first.url)[0])
    try:
        ann, bob = chromium.tab(), chromium.tab()
        ann.open(f"{first.url}page/oven/settings")
        bob.open(f"{first.url}new")
        ann.fill("#limits [name=budget]", "50")
        ann.fill("#add [name=value]", "3.25")
        bob.run("document.querySelector('[name=kind][value=causal]').click()")
        for name, text in {"name": "kiln", "v0-name": "heat", "arrows": "heat -> yield"}.items():
            bob.fill(f"[name='{name}']", text)
        bob.click("button[value=rows]")
        bob.fill("[name='v7-name']", "glaze")
        first.kill()
        ann.click("#limits button")
        assert "The server does not answer" in ann.text("#limits .said")
        bob.click("button[value=create]")
        assert "The server does not answer" in bob.text(".said")
        first = start(place, port=port)
        for tab in (ann, bob):
            tab.run("window.before = {}; location.reload()")
            tab.wait("!window.before && !!document.querySelector('.said.stale')")
        assert [ann.text(f"#{where}]") for where in ("limits [name=budget", "add [name=value")] == ["50", "3.25"]
        assert [bob.text(f"[name='{name}']") for name in ("name", "v0-name", "v7-name")] == [
            "kiln",
            "heat",
            "glaze",
        ]
        assert bob.run("document.querySelector('[name=kind]:checked').value") == "causal"
        ann.click("#limits button")
        ann.wait("location.search === '?done=limits' && document.readyState === 'complete'")
        assert ann.text("#limits [name=budget]") == "50"
        assert not ann.has("#limits .said"), "it is saved"
        assert ann.text("#add [name=value]") == "3.25", "and this is not"
        lines = "[...document.querySelectorAll('.variable')].map(row => [row.open, row.innerText.split('\\n')[0]])"
        for part, text in {"low": "10", "high": "35", "unit": "°C", "law": "truncated-normal", "sd": "3"}.items():
            bob.fill(f"[name='v0-{part}']", text)
        bob.fill("[name='v7-choices']", "ash, tin")
        worded = bob.run(lines)
        assert worded[0] == [False, "heat: 10 to 35 °C"], (
            "filled rows are folded where they are many; no laws in a graph"
        )
        assert worded[6:] == [[True, "Variable 7"], [False, "glaze: ash, tin"]]
        bob.run("document.querySelector('[name=kind][value=cost-varying]').click()")
        worded = bob.run(lines)
        assert worded[0][1] == "heat: 10 to 35 °C, when not held: spread 3 about …"
        bob.click("button[value=check]")
        assert bob.has(".wrong")
        assert [line for _, line in bob.run(lines)] == [line for _, line in worded], "the server words them as the page"
        assert [row for row, (shown, _) in enumerate(bob.run(lines)) if shown] == [0, *range(1, 7)]
        bob.click("a[href='/new'][data-let-go]")
        assert bob.text("[name=name]") == ""
        bob.fill("[name=name]", "mine")
        bob.click("a[href='/new?example=dose']")
        assert bob.text("[name=name]") == "dose", "an example takes the place of what was typed"
    finally:
        first.kill()
