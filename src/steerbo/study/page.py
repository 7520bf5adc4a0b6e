"""A study as one self-contained HTML page: no network, no other files; every text that a user gave is escaped.

Characters that cannot be written as UTF-8, or that turn the direction of writing, are escaped as well: older logs
have some.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape

from ..plots.drawing import BLUE, DARK_GREEN, LIGHT_GREEN, SKY
from ..rounds import Reading, Table, numeral, revised_text
from ..text import visible
from .picture import images
from .progress import LATELY, best_round
from .shown import advised, alternatives, shown_rounds, with_units

_LONG = 40  # characters that a cell shows in one line
_COLOURS = f"""
:root {{ --mark: {BLUE}; --good: {DARK_GREEN}; }}
@media (prefers-color-scheme: dark) {{ :root {{ --mark: {SKY}; --good: {LIGHT_GREEN}; }} }}"""
_STYLE = (
    _COLOURS
    + """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fdfdfb; --line: #d5d5cf; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e4; --paper: #17181a; --line: #3a3c40; }
  img { filter: invert(.9) hue-rotate(180deg); }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  padding: 1.5rem; max-width: 70rem; }
h1, h2 { line-height: 1.2; } h2 { color: var(--mark); margin-top: 2rem; }
.wide { overflow-x: auto; } img { max-width: 100%; height: auto; }
.pictures { display: flex; flex-wrap: wrap; gap: 0 1.5rem; } .pictures section { max-width: 100%; }
.progress { overflow: visible; height: 15rem; margin: .5rem 1rem 3rem 4.5rem; width: calc(100% - 5.5rem);
  max-width: 50rem; font-size: .85rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top;
  white-space: nowrap; }
td.long { white-space: normal; min-width: 20rem; }
th[aria-sort=ascending] button::after { content: " ↑"; } th[aria-sort=descending] button::after { content: " ↓"; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
.advice { border-left: 4px solid var(--good); padding: .25rem 1rem; margin-bottom: 1rem; overflow-wrap: anywhere; }
.advice p { margin: .25rem 0; } .advice p:first-child { font-weight: 600; }
@media (max-width: 40rem) { th, td, td.long { padding: .25rem .4rem; white-space: normal; min-width: 0; } }
h1, h2, h3, p, pre { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font: inherit; }
"""
)
_SCRIPT = """
for (const button of document.querySelectorAll("th button")) button.onclick = () => {
  const column = button.closest("th").cellIndex, body = button.closest("table").tBodies[0];
  const key = row => row.cells[column].textContent, rows = [...body.rows];
  const head = button.closest("th"), up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  rows.sort((a, b) => (up ? 1 : -1) * key(a).localeCompare(key(b), undefined, {numeric: true}));
  body.append(...rows);
};
"""


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


POLICY = f"default-src 'none'; style-src {_digest(_STYLE)}; script-src {_digest(_SCRIPT)}; img-src data:"
"""What a browser may do with the page: show it, with its one style and its one script, and nothing that it is told."""


def page(study: Reading, title: str, every: int | None = None) -> str:
    """The page: progress, what was played when, the wing's picture, the recommendation in words, all rounds.

    Args:
        study: whose page.
        title: its headline.
        every: seconds after which the page loads itself again; None: it does not.
    """
    live = f'<meta http-equiv="refresh" content="{every}">' if every else ""
    advice, why = study.recommend(), study.explain()
    policy = getattr(advice, "table", None)  # a causal policy's settings, which hang on what is seen
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(str(study.status))}</p>",
        *(f"<p>{escape(line)}</p>" for event in study.history.revisions for line in revised_text(event)),
        "<h2>Recommendation</h2>",
        f'<div class="advice">{"".join(f"<p>{escape(line)}</p>" for line in advised(study.problem, advice))}</div>',
        _table(with_units(study.problem, policy)) if policy else "",
        _titled(alternatives(study.problem, advice)) if advice.alternatives else "",
        "<h2>Progress</h2>",
        f"{progress(study)}",
        images(study, advice),
        "<h2>Why</h2>",
        f"<pre>{escape(why.summary)}</pre>",
        *(_titled(with_units(study.problem, table)) for table in why.tables if table != policy),
        "<h2>Rounds</h2>",
        _table(shown_rounds(study)),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">{live}'
    return visible(
        f'<!doctype html><html lang="en"><head>{head}<title>{escape(title)}</title><style>{_STYLE}</style></head>'
        f"<body>{''.join(parts)}<script>{_SCRIPT}</script></body></html>\n"
    )


def _titled(table: Table) -> str:
    return f"<h3>{escape(table.title)}</h3>{_table(table)}"


def _table(table: Table) -> str:
    head = "".join(f'<th><button type="button">{escape(name)}</button></th>' for name in table.columns)
    body = "".join(f"<tr>{''.join(map(_cell, cells))}</tr>" for cells in table.cells())
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    kind = ' class="long"' if len(text) > _LONG else ""
    return f"<td{kind}>{escape(text)}</td>"


def progress(study: Reading) -> str:
    """Every outcome, and the best so far, against the money spent (the rounds, where nobody counts money).

    Where the optimum moves it is the best of the latest outcomes.
    """
    points: list[tuple[float, float, str]] = []
    counted, spent = study.history.spent > 0, 0.0
    for r in study.history:
        spent += r.charged if counted else 1.0
        if r.state == "told" and r.outcome:
            value = study.problem.scalar(r.outcome)
            points.append((spent, value, f"round {r.number}: {r.suggestion.scope}, {numeral(value)}"))
    if not points:
        return "<p>Nothing observed yet.</p>"
    high, low = max(y for _, y, _ in points), min(y for _, y, _ in points)
    end = max(points[-1][0], 1e-300)

    def place(x: float, y: float) -> tuple[float, float]:
        return 100 * (x / end), 100 * ((high - y) / (high - low) if high > low else 0.5)

    better, most = max if study.problem.sign > 0 else min, LATELY if study.problem.timed else len(points)
    best, line = points[0][1], []
    for k, (x, y, _) in enumerate(points):
        line.append(place(x, best))
        best = better(best, y) if most > k else better(value for _, value, _ in points[k + 1 - most : k + 1])
        line.append(place(x, best))
    dots = "".join(
        f'<circle cx="{px:.2f}%" cy="{py:.2f}%" r="4" fill="var(--mark)"><title>{escape(text)}</title></circle>'
        for (px, py), text in ((place(x, y), text) for x, y, text in points)
    )
    path = " ".join(f"{px:.2f},{py:.2f}" for px, py in line)
    found = best_round(study.history, study.problem)
    shown = f"best of the last {LATELY}" if study.problem.timed else "best so far"
    label = f"best single outcome in round {found.number}" if found else ""
    stretched = 'viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%" overflow="visible"'
    thin = 'fill="none" vector-effect="non-scaling-stroke"'
    return (
        f'<svg class="progress" role="img" aria-label="{escape(label)}" fill="currentColor">'
        f'<svg {stretched}><path d="M0 0V100H100" stroke="var(--line)" {thin}/>'
        f'<polyline points="{path}" stroke="var(--good)" stroke-width="2" {thin}/></svg>{dots}'
        f'<text x="-10" y="0" dy="5" text-anchor="end">{numeral(high)}</text>'
        f'<text x="-10" y="100%" text-anchor="end">{numeral(low)}</text>'
        f'<text x="0" y="100%" dy="20">{"money spent" if counted else "rounds"}</text>'
        f'<text x="100%" y="100%" dy="20" text-anchor="end">{numeral(end)}</text>'
        f'<text x="0" y="100%" dy="38" fill="var(--good)">line: {shown}; dots: every outcome</text></svg>'
    )
