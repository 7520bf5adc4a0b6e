"""The page in a real browser, where Chromium is installed: tables sort, and nothing sticks out of a narrow screen."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.page import report as page
from steerbo.study import MemoryLog, Study
from tests.page.examples import nasty
from tests.serve.browser import browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]


def after(folder: Path, script: str, width: int = 1400, ours: bool = True, study: Study | None = None) -> str:
    """The page's document after it has run `script`, which its policy is lifted for where it is `ours`."""
    file = folder / "page.html"
    text = page(study or nasty(), "a study")
    allowed = re.sub(r"<meta http-equiv=[^>]*>", "", text) if ours else text
    file.write_text(f"{allowed}<script>{script}</script>", encoding="utf-8")
    command = [str(CHROMIUM), *OPTIONS, f"--user-data-dir={folder}/profile", f"--window-size={width},2000"]
    done = subprocess.run(
        [*command, "--dump-dom", file.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def measured(folder: Path, look: str, width: int, study: Study | None = None) -> Any:
    """What a look at the page gives in a window of that width; Chromium's own is never below 500."""
    file = folder / "page.html"
    file.write_text(page(study or nasty(), "a study"), encoding="utf-8")
    with browser(folder) as made:
        tab = made.tab()
        tab.size(width)
        tab.open(file.as_uri())
        assert tab.run("window.innerWidth") == width
        return tab.run(f"(() => {{ {look} }})()")


def test_tables_sort_by_number_in_both_directions(tmp_path: Path) -> None:
    for clicks, wanted, expected in ((1, "ascending", ["0", "1", "2", "3"]), (2, "descending", ["3", "2", "1", "0"])):
        click = f"""
        const heads = [...document.querySelectorAll("table:last-of-type th")].filter(h => h.textContent === "Value");
        const head = heads.at(-1);
        for (let i = 0; i < {clicks}; i++) head.querySelector("button").click();
        document.title = head.getAttribute("aria-sort") + [...head.closest("table").tBodies[0].rows].map(
          row => row.cells[head.cellIndex].textContent).filter(text => text !== "–");
        """
        title = re.search("<title>(.*?)</title>", after(tmp_path, click))
        assert title is not None
        assert title[1] == wanted + ",".join(expected)


def test_a_narrow_screen_does_not_scroll_sideways(tmp_path: Path) -> None:
    for width in (390, 1400):
        assert measured(tmp_path, "return document.documentElement.scrollWidth <= window.innerWidth", width)


def test_what_scrolls_has_a_shade_that_stays_and_a_cover_that_moves(tmp_path: Path) -> None:
    look = "return getComputedStyle(document.querySelector('.wide')).backgroundAttachment"
    assert measured(tmp_path, look, 390) == "local, local, scroll, scroll"


@pytest.mark.parametrize(("actions", "contexts"), [(4, 12), (14, 12)])
def test_a_table_of_agents_fits_or_scrolls_by_itself(tmp_path: Path, actions: int, contexts: int) -> None:
    regions = [f"region{k:02}" for k in range(contexts)]
    places = [f"place{k:02}" for k in range(actions)]
    problem = sb.MeanField(places, agents=600, contexts=regions, weights=[1] * contexts, counts=True)
    study = Study.create(MemoryLog(), problem, "random", rounds=6, seed=0)
    study.tell(study.ask(), 1.0)
    study.ask()
    measure = """
    const wide = [...document.querySelectorAll(".crowd")].filter(e => e.getBoundingClientRect().width > innerWidth);
    return [document.documentElement.scrollWidth <= innerWidth, wide.every(e => e.closest(".wide"))];
    """
    for width in (390, 1100):
        assert measured(tmp_path, measure, width, study) == [True, True]


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_are_whole(tmp_path: Path, width: int) -> None:
    """Nothing of them is hidden behind an edge, and there is no bar to push."""
    measure = """
    const whole = box => box.left >= 0 && box.right <= window.innerWidth;
    const seen = [...document.querySelectorAll("svg.chart, svg.chart text, svg.chart circle")];
    const bars = [...document.querySelectorAll("svg.chart")].filter(e => e.closest(".wide"));
    return [seen.length > 5, seen.filter(e => !whole(e.getBoundingClientRect())).map(e => e.outerHTML), bars.length];
    """
    assert measured(tmp_path, measure, width) == [True, [], 0]


def test_bounds_of_a_trade_off_stand_on_one_line_of_a_telephone(tmp_path: Path) -> None:
    problem = sb.CostVarying(
        [sb.Float("heat", 0, 1), sb.Float("flow", 0, 1, law=sb.Uniform())],
        [["heat"], ["heat", "flow"]],
        costs=[1, 2],
        minimize=True,
        outcomes={"energy": "minimize"},
    )
    study = sb.Optimizer(problem, seed=1)
    for heat in (0.0, 0.4, 0.7, 1.0):
        study.add((1 - heat) ** 2, {"heat": heat, "flow": heat / 2, "energy": heat**2})
    file = tmp_path / "page.html"
    file.write_text(page(study, "a study"), encoding="utf-8")
    with browser(tmp_path) as made:
        tab = made.tab()
        tab.size(390)
        tab.open(file.as_uri())
        tab.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        ends = tab.run("[...document.querySelectorAll('.advice td small')].map(each => each.getClientRects().length)")
        fits = tab.run("[...document.querySelectorAll('.advice .wide')].every(e => e.scrollWidth <= e.clientWidth)")
    assert len(ends) > 2
    assert set(ends) == {1}
    assert fits


def test_a_script_that_is_not_its_own_is_not_run(tmp_path: Path) -> None:
    assert "<title>taken</title>" not in after(tmp_path, "document.title = 'taken'", ours=False)


def test_negative_numbers_and_settings_sort_by_what_they_are(tmp_path: Path) -> None:
    problem = sb.CostVarying([sb.Float("gap", -20, 20)], [["gap"]])
    study = Study.create(MemoryLog(), problem, "random", rounds=9, seed=1)
    outcomes = [-0.5, -1.0, -2.0, -10.0, 1.0, 3.0]
    for value in outcomes:
        study.tell(study.ask(), value)
    click = """
    document.title = ["Value", "set"].map(name => {
      const heads = [...document.querySelectorAll("table.rounds th")], head = heads.find(h => h.textContent === name);
      head.querySelector("button").click();
      const rows = [...head.closest("table").tBodies[0].rows];
      return rows.map(row => row.cells[head.cellIndex].textContent.replace("gap ", "")).join(" ");
    }).join(";");
    """
    title = re.search("<title>(.*?)</title>", after(tmp_path, click, study=study))
    assert title is not None
    by_value, by_setting = (list(map(float, part.split())) for part in title[1].split(";"))
    assert by_value == sorted(outcomes)
    assert len(by_setting) == len(outcomes)
    assert by_setting == sorted(by_setting)
