"""Every page by the rules of axe-core, in light and dark, wide and narrow: none of them is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.study import Study
from tests.serve.accessibility import SMALL, needs_axe, violations
from tests.serve.browser import CHROMIUM, Browser
from tests.serve.players import KINDS
from tests.serve.processes import serving_here
from tests.sizes import FULL
from tests.torture.kills import WINGS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
    needs_axe,
]
PARTS = ("?whole=1", "/learned", "/progress", "/rounds", "/settings", "/rounds/{token}")
ALIKE = PARTS[3:]
"""Parts whose page is the same for every kind: by default they are opened for one."""


# What lies under a bar that stays in view is a matter of how far one has scrolled, not of the page.
LAID_OUT = """for (const each of document.querySelectorAll('*'))
    if (['fixed', 'sticky'].includes(getComputedStyle(each).position)) each.style.position = 'static'"""


def played(folder: Path, wing: str, rounds: int = 4) -> tuple[Path, str]:
    """A study of this kind, with one round that broke and one that is out, and the name of its first round."""
    case, _ = WINGS[wing]
    place = folder / f"{wing}.db"
    with Study.create(place, case.problem, case.method, rounds=9, seed=7, options=case.options) as study:
        for number in range(1, rounds + 1):
            asked = study.ask(**case.request(number))
            while asked.observe:
                asked = study.decide(asked, case.seen(asked))
            if number == rounds:
                study.fail(asked, "a fuse", cost=1.0)
            else:
                study.tell(asked, **case.outcome(asked))
        study.ask(**case.request(rounds + 1))
        return place, next(iter(study.history)).suggestion.token


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
def test_no_page_breaks_a_rule(tmp_path: Path, chromium: Browser) -> None:
    studies = {wing: played(tmp_path, wing) for wing in KINDS}
    paths = ["page", "new", "page/nothing"]
    paths += [
        f"page/{wing}{part.format(token=token)}"
        for wing, (_, token) in studies.items()
        for part in PARTS
        if FULL or wing == KINDS[0] or part not in ALIKE
    ]
    paths += [f"page/{KINDS[0]}/report.html"]
    some = [f"page/{wing}?whole=1" for wing in KINDS]
    broken: dict[str, object] = {}
    with serving_here(*(place for place, _ in studies.values()), folder=tmp_path) as made, made.client() as client:
        tab = chromium.tab()
        looks = ((1280, "light"), (320, "dark"))
        for number, path in enumerate(paths):
            for width, scheme in looks if path in ("new", *some) else (looks[number % 2],):
                tab.look(scheme)
                tab.size(width)
                if path.endswith("report.html"):
                    report = tmp_path / "report.html"
                    report.write_text(client.get(f"/{path}").text, encoding="utf-8")
                    tab.open(report.as_uri())
                else:
                    tab.open(made.url + path)
                tab.run("for (const each of document.querySelectorAll('details')) each.open = true")
                tab.run(LAID_OUT)
                found = [*violations(tab), *tab.run(SMALL)]
                if tab.run("document.documentElement.scrollWidth") > width:
                    found.append("it sticks out")
                if found:
                    broken[f"{path} {width} {scheme}"] = found
    assert broken == {}
