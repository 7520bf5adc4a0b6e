"""Answers of a study as plain records: scopes, suggestions, recommendations, policies, explanations, status.

They print as text, dump as JSON, and show themselves as HTML in a notebook, where text given by
users is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from .._parsing import is_number
from .._text import escape_unprintable
from .._wording import counted, interval_texts, listed, number_text, numeral, spread_step
from ..errors import InvalidProblem, InvalidRequest, one_of
from ..records import Record, record
from ..space.fields import ListField
from ._findings import Finding, Reason, sentence_of
from ._words import kept_text


@record
class LeftOut(Record):
    """Outcome beside the model's expectation of it, without having been told.

    Args:
        name: of the outcome, as `amend` takes it.
        value: the outcome.
        mean: the expected outcome.
        deviation: standard deviation of that expectation, a measurement's noise included.
        lower, upper: 95 % bounds of the outcome, by this deviation.
    """

    name: str
    value: float
    mean: float
    deviation: float
    lower: float
    upper: float

    @property
    def covered(self) -> bool:
        """Whether the outcome is within the bounds."""
        return self.lower <= self.value <= self.upper


def html_text(text: str) -> str:
    """Escape a user's text for HTML: no tags, and no characters that hide or reverse others.

    >>> html_text("<b>ph</b> & co")
    '&lt;b&gt;ph&lt;/b&gt; &amp; co'
    """
    return escape(escape_unprintable(text))


def html_lines(text: str) -> str:
    """Put a text into HTML with its line breaks and indents."""
    return f'<div style="white-space: pre-wrap">{html_text(text)}</div>'


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> str:
    """A table of texts, with its title above; no columns: no head.

    >>> html_table(["set"], [["ph < 7"]])
    '<table><thead><tr><th style="text-align: left">set</th></tr></thead><tbody><tr><td style="text-align: left">ph \
&lt; 7</td></tr></tbody></table>'
    """
    head = f"<thead>{_row('th', columns)}</thead>" if columns else ""
    body = "".join(_row("td", row) for row in rows)
    return f"{html_lines(title) if title else ''}<table>{head}<tbody>{body}</tbody></table>"


def _row(cell: str, texts: Sequence[str]) -> str:
    cells = (f'<{cell} style="text-align: left">{html_text(text)}</{cell}>' for text in texts)
    return f"<tr>{''.join(cells)}</tr>"


def gain_text(gain: float, worth: float | None, beside: float = 0.0) -> str:
    """Format a possible gain; with its worth in the unit of the costs, where that is stated.

    >>> gain_text(0.25, None), gain_text(0.25, 10.0)
    ('0.25', '0.25 (worth 10)')
    """
    return numeral(gain, beside=beside) + (
        f" (worth {numeral(worth)})" if worth is not None else ""
    )


def settings_text(values: Mapping[str, Any], shown: Mapping[str, str]) -> str:
    """Write values by name in one line, as they are `shown`; in full where nothing is known of their ranges.

    Where some are shown, one that is not is said by another: shares by numbers of agents.

    >>> settings_text({"ph": 6.123456}, {}), settings_text({"ph": 6.123456}, {"ph": "6.123"})
    ('ph = 6.123456', 'ph = 6.123')
    """
    texts = {
        name: shown.get(name) or _in_full(value)
        for name, value in values.items()
        if not shown or name in shown
    }
    tables = {name for name, value in values.items() if isinstance(value, dict)}
    return (
        ", ".join(
            f"{name} ({x})" if name in tables else f"{name} = {x}" for name, x in texts.items()
        )
        or "–"
    )


def _in_full(value: Any) -> str:
    return number_text(value) if _finite(value) else as_text(value)


def _finite(cell: Any) -> bool:
    return isinstance(cell, float) and math.isfinite(cell)


def as_text(cell: Any) -> str:
    """Format values: numbers to four digits (see `numeral`), tables and lists in words.

    >>> as_text({"van": {"north": 0.25, "south": 0.75}})
    'van (north = 0.25, south = 0.75)'
    """
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return numeral(cell)
    if isinstance(cell, dict):
        parts = (
            f"{n} ({as_text(v)})" if isinstance(v, dict) else f"{n} = {as_text(v)}"
            for n, v in cell.items()
        )
        return ", ".join(parts) or "–"
    if isinstance(cell, list | tuple):
        return ", ".join(as_text(part) for part in cell) or "nothing"
    return str(cell)


def _column_texts(cells: Sequence[Any]) -> list[str]:
    """Texts of a table's column: numbers that differ have texts that differ."""
    numbers = [x for x in cells if _finite(x)]
    most, step = max(map(abs, numbers), default=0.0), spread_step(numbers)
    return [numeral(x, beside=most, step=step) if _finite(x) else as_text(x) for x in cells]


@record
class Table(Record):
    """A titled table; `columns` name the cells of each of the `rows`, which `texts` may write.

    >>> print(Table("Sets", ("set", "mean"), (("ph", 1.25),)))
    Sets
      set  mean
      ph   1.25
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    texts: Annotated[tuple[tuple[str, ...], ...], Field(exclude=True, repr=False)] = ()

    def cells(self) -> list[list[str]]:
        """Rows as `texts`; otherwise numbers to four digits, and more where those of a column hardly differ.

        A number is 0 where it is negligible beside others of its column.
        """
        if self.texts:
            return [list(row) for row in self.texts]
        columns = [_column_texts([row[k] for row in self.rows]) for k in range(len(self.columns))]
        return [[column[i] for column in columns] for i in range(len(self.rows))]

    def _repr_html_(self) -> str:
        return html_table(self.columns, self.cells(), self.title)

    def __str__(self) -> str:
        lines = [list(self.columns), *self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        body = (
            "  " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True))
            for line in lines
        )
        return "\n".join([self.title, *(row.rstrip() for row in body)])


@record
class Explanation(Record):
    """Reasons behind an answer.

    Args:
        summary: a sentence or two.
        tables: the numbers behind them.
        findings: all that was noticed of the study, as in its status.
    """

    summary: str
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def text(self) -> str:
        """The summary, and the findings, a line each."""
        return "\n".join([self.summary, *map(str, self.findings)])

    def _repr_html_(self) -> str:
        return "".join([html_lines(self.text), *(table._repr_html_() for table in self.tables)])

    def __str__(self) -> str:
        return "\n\n".join([self.text, *(str(table) for table in self.tables)])


Names = Annotated[Sequence[str], ListField]


def _looking(look: Any) -> Any:
    """Without the variables that look at nothing."""
    if not isinstance(look, Mapping):
        return look  # to be refused
    return {name: seen for name, seen in look.items() if not isinstance(seen, list | tuple) or seen}


@record
class Scope(Record):
    """Variables set in a round, after observing others, and their price; all others are left to nature.

    Two scopes are equal that set, look at and keep the same, in whatever order and at whatever
    price. A scope can be the key of a dict.

    Args:
        set: the variables that are set.
        look: for each of them the variables to look at first; those that are set without looking
            are left out.
        keep: the variables that stay as they were in the round before.
        price: the cost of a play, where the problem states it.

    Raises:
        InvalidProblem: a variable stands twice, or one that looks at something is not set.

    >>> scope = Scope(["dose", "rest"], {"dose": ["age"]})
    >>> print(scope)
    dose after looking at age, and rest without looking
    >>> scope.to_dict()
    {'set': ['dose', 'rest'], 'look': {'dose': ['age']}, 'keep': []}
    >>> scope == Scope(["rest", "dose"], {"dose": ["age"]}, price=2.0)
    True
    """

    set: Names = ()
    look: Annotated[Mapping[str, Names], BeforeValidator(_looking)] = Field(default_factory=dict)
    keep: Names = ()
    price: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None

    @model_validator(mode="after")
    def _check(self) -> Scope:
        names = [*self.set, *self.keep]
        if len(frozenset(names)) < len(names):
            raise InvalidProblem(
                "set", names, "every variable once, among what is set and what is kept"
            )
        for name, seen in self.look.items():
            if name not in self.set:
                raise InvalidProblem("look", name, one_of(self.set, name))
            if len(frozenset(seen)) < len(seen):
                raise InvalidProblem(f"look.{name}", list(seen), "each variable once")
        object.__setattr__(
            self, "look", {name: self.look[name] for name in self.set if name in self.look}
        )
        return self

    @classmethod
    def of(cls, contexts: Mapping[str, Any]) -> Scope:
        """Make a scope from the observed variables by each set variable.

        >>> print(Scope.of({"x1": ["c"]}))
        x1 after looking at c
        """
        if not isinstance(contexts, Mapping):
            raise InvalidProblem("contexts", contexts, "names to look at, by variable that is set")
        return cls(tuple(contexts), contexts)

    @cached_property
    def _parts(
        self,
    ) -> tuple[frozenset[str], frozenset[tuple[str, frozenset[str]]], frozenset[str]]:
        look = frozenset((name, frozenset(seen)) for name, seen in self.look.items())
        return frozenset(self.set), look, frozenset(self.keep)

    def __eq__(self, other: object) -> bool:
        """Whether the same is set, looked at and kept."""
        return self is other or (isinstance(other, Scope) and self._parts == other._parts)

    def __hash__(self) -> int:
        """Equal for equal scopes."""
        return hash(self._parts)

    @cached_property
    def actions(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Observed variables by each set variable."""
        return tuple((name, tuple(self.look.get(name, ()))) for name in self.set)

    @cached_property
    def contexts(self) -> tuple[str, ...]:
        """Observed variables, each once."""
        return tuple(dict.fromkeys(name for _, seen in self.actions for name in seen))

    def __str__(self) -> str:
        """Describe the scope in words."""
        if self.look:
            hows = (
                f"after looking at {listed(seen)}" if seen else "without looking"
                for _, seen in self.actions
            )
            said = ", and ".join(f"{name} {how}" for name, how in zip(self.set, hows, strict=True))
        else:
            said = " + ".join(self.set) or "nothing"
        return said + (f", keeping {listed(self.keep)}" if self.keep else "")


def expected_text(mean: float, lower: float | None, upper: float | None) -> str:
    """Format an expected value with its bounds.

    >>> expected_text(1.25, 1.0, 1.5), expected_text(1.25, None, None)
    ('expected value 1.25 (between 1.00 and 1.50)', 'expected value 1.25')
    """
    middle, *ends = filter(None, interval_texts(mean, lower, upper))
    bounds = f" (between {' and '.join(ends)})" if ends else ""
    return f"expected value {middle}{bounds}"


@record
class ExpectedOutcome(Record):
    """Expected value of a further outcome, with bounds on it, in its unit; None where they are unknown."""

    mean: float | None = None
    lower: float | None = None
    upper: float | None = None

    def __str__(self) -> str:
        if self.mean is None:
            return "unknown"
        return expected_text(self.mean, self.lower, self.upper).removeprefix("expected value ")


def further_text(outcomes: Mapping[str, ExpectedOutcome]) -> str:
    """Expected further outcomes with their bounds, after that of the value."""
    return "".join(f", {name} {each}" for name, each in outcomes.items())


@record
class Recommendation(Record):
    """Recommended arm and settings from now on, with bounds.

    Args:
        scope: variables to set, and variables to look at before.
        values: the settings, in the user's units.
        mean: the expected value of the objective there, in the user's units; None before anything
            is known.
        lower, upper: bounds on that expectation.
        cost: expected cost of a play; None where unknown.
        reasons: why it is the one, and cautions before it is used.
        alternatives: the other scopes' expected values, best choice of each. Where variables are
            seen before choosing, answers for other typical contexts; `policy` gives one for any.
        context: the context seen before choosing, where the answer is for that one.
        shown: values and context in digits that can be set, with units; empty in a record that no
            study made.
        outcomes: expected further outcomes that the value is traded against, by name.
        works: the probability that a round there works, where rounds have failed; the expected
            value is that of rounds that work.
    """

    scope: Scope
    values: dict[str, Any]
    mean: float | None = None
    lower: float | None = None
    upper: float | None = None
    cost: float | None = None
    reasons: tuple[Reason, ...] = ()
    alternatives: tuple[Recommendation, ...] = ()
    context: dict[str, Any] = Field(default_factory=dict)
    shown: dict[str, str] = Field(default_factory=dict, repr=False)
    outcomes: dict[str, ExpectedOutcome] = Field(default_factory=dict)
    works: float | None = None

    @property
    def why(self) -> str:
        """The reasons in words."""
        return sentence_of(self.reasons)

    def says(self, kind: str) -> bool:
        """Whether a reason of this kind is among them."""
        return any(each.kind == kind for each in self.reasons)

    @property
    def expected(self) -> str:
        """The expected value with its bounds, and the cost of a play, in words."""
        cost = f", cost {numeral(self.cost)} a round" if self.cost is not None else ""
        if self.mean is None:
            return f"expected value unknown{cost}"
        return expected_text(self.mean, self.lower, self.upper) + further_text(self.outcomes) + cost

    def _repr_html_(self) -> str:
        everyone = (self, *self.alternatives)
        seen = any(choice.context for choice in everyone)
        before = ["having seen"] if seen else []
        rows = []
        for choice in everyone:
            mark = "→ " if choice is self and not seen else ""
            row = [settings_text(choice.context, choice.shown)] if seen else []
            row += [f"{mark}{choice.scope}", settings_text(choice.values, choice.shown)]
            rows.append([*row, choice.expected])
        table = html_table([*before, "hold", "set", "gives"], rows)
        policy = getattr(self, "table", None)  # settings that depend on looks
        more = [html_lines(self.why)] if self.why else []
        return "".join([table, *more, *([policy._repr_html_()] if policy else [])])

    def __str__(self) -> str:
        seen = f"having seen {settings_text(self.context, self.shown)}: " if self.context else ""
        line = f"{seen}hold {self.scope}: set {settings_text(self.values, self.shown)}; {self.expected}"
        named = (str(o) if o.context != self.context else f"or {o}" for o in self.alternatives)
        others = ("  " + text.replace("\n", "\n     ") for text in named)
        return "\n".join([line, *([self.why] if self.why else []), *others])


@record
class Prediction(Recommendation):
    """Expectation at settings of one's own: the fields are those of a recommendation.

    >>> print(Prediction(Scope(["ph"]), {"ph": 6.5}, mean=9.5, lower=9.0, upper=10.0, cost=1.5))
    with ph = 6.5: expected value 9.5 (between 9.0 and 10.0), cost 1.5 a round
    """

    def __str__(self) -> str:
        seen = f"having seen {settings_text(self.context, self.shown)}: " if self.context else ""
        line = f"{seen}with {settings_text(self.values, self.shown)}: {self.expected}"
        return "\n".join([line, *([self.why] if self.why else [])])


def _settings_or_ranges(play: Recommendation) -> str:
    """Settings in words; where they depend on looks, the range of each in the policy's table."""
    table: Table | None = getattr(play, "table", None)
    if play.values or table is None:
        return settings_text(play.values, play.shown)
    cells, said = table.cells(), []
    for name in play.scope.set:
        k = table.columns.index(name)
        values = [row[k] for row in table.rows]
        texts = dict(zip(values, (row[k] for row in cells), strict=True))
        numbers = all(isinstance(value, int | float) for value in values)
        ends = [min(values), max(values)] if numbers else list(texts)
        joint = " to " if numbers else " or "
        said.append(f"{name} = {joint.join(dict.fromkeys(texts[end] for end in ends))}")
    return ", ".join(said)


@record
class TradeOff(Record):
    """Plays of which none is expected to better another in everything: the outcomes and the price of a play.

    Args:
        plays: control sets with settings, the best value first. Each has `mean`, `lower` and `upper` of the
            value, its `cost`, and the other `outcomes`.
        middle: number of the play in the middle, from 0: the worst of its outcomes, each as a share
            of its range here, is the best.
        minimized: names of the outcomes of which less is better, "value" among them.
    """

    plays: tuple[Recommendation, ...]
    middle: int = 0
    minimized: tuple[str, ...] = ()

    @classmethod
    def of(cls, advice: Recommendation, ways: Mapping[str, float]) -> TradeOff:
        """Trade-off that an answer and its alternatives are; `ways`: +1 by outcome where larger is better, else −1."""
        sign = ways["value"]
        plays = sorted([advice, *advice.alternatives], key=lambda play: -sign * (play.mean or 0.0))
        return cls(
            tuple(replace(play, alternatives=(), reasons=()) for play in plays),
            plays.index(advice),
            tuple(name for name, way in ways.items() if way < 0.0),
        )

    def best(self, prices: Mapping[str, float]) -> Recommendation:
        """Choose the play with the largest net value, given the worth of a unit of each other outcome.

        Args:
            prices: in units of the value, by outcome, not below 0, whichever way is better; "cost" is
                the price of one unit of money.

        Raises:
            InvalidRequest: none of them is an outcome, or it is no number from 0.
        """
        names = [*self.plays[0].outcomes, "cost"]
        for name, price in prices.items():
            if name not in names:
                raise InvalidRequest(f"prices.{name}", price, one_of(names, name))
            if not is_number(price) or not 0.0 <= price < math.inf:
                hint = "What one unit of it is worth, in units of the value."
                raise InvalidRequest(f"prices.{name}", price, "a finite number from 0", hint)
        signs = {name: -1.0 if name in self.minimized else 1.0 for name in ("value", *names)}

        def net(play: Recommendation) -> float:
            worth = signs["value"] * (play.mean or 0.0) - prices.get("cost", 0.0) * (
                play.cost or 0.0
            )
            each = (
                prices.get(name, 0.0) * signs[name] * (outcome.mean or 0.0)
                for name, outcome in play.outcomes.items()
            )
            return worth + math.fsum(each)

        return max(self.plays, key=net)

    @property
    def table(self) -> Table:
        """The plays, a row each, with the one in the middle marked."""
        priced = any(play.cost is not None for play in self.plays)
        names = [*self.plays[0].outcomes] if self.plays else []
        columns = ["hold", "settings", "value", *names]
        columns += ["cost"] * priced
        rows = []
        for k, play in enumerate(self.plays):
            mark = "→ " if k == self.middle else "  "
            row: list[Any] = [f"{mark}{play.scope}", _settings_or_ranges(play)]
            row += [ExpectedOutcome(play.mean, play.lower, play.upper)]
            row += [play.outcomes[name] for name in names]
            row += [play.cost] * priced
            rows.append(tuple(row))
        return Table("Trade-off", tuple(columns), tuple(rows))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def __str__(self) -> str:
        return str(self.table)


@record
class PolicyStep(Record):
    """Settings of the learned policy for given context values.

    Args:
        scope: variables to set, and variables to look at before.
        values: values to set now, in the user's units.
        observe: variables to look at before the rest can be set. Empty: everything is set.
        context: values seen.
        reasons: as those of recommendations; also how little is known of such a context.
        mean: the expected value of the objective with these values in this context, in the user's
            units; None where it is unknown, or something is still to be looked at.
        lower, upper: bounds on that expectation, as those of recommendations.
        shown: values and context in digits that can be set, with units; empty in a record that no
            study made.
        outcomes: expected further outcomes that the value is traded against, by name.

    >>> print(PolicyStep(Scope.of({"dose": ["age"]}), {"dose": 0.25}, context={"age": 61.0}, mean=3.5))
    having seen age = 61: set dose = 0.25; expected value 3.5
    """

    scope: Scope
    values: dict[str, Any]
    observe: tuple[str, ...] = ()
    context: dict[str, Any] = Field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    mean: float | None = None
    lower: float | None = None
    upper: float | None = None
    shown: dict[str, str] = Field(default_factory=dict, repr=False)
    outcomes: dict[str, ExpectedOutcome] = Field(default_factory=dict)

    @classmethod
    def of(cls, advice: Recommendation, context: Mapping[str, Any]) -> PolicyStep:
        """Step that applies an answer for a context."""
        expected = advice.mean, advice.lower, advice.upper
        step = cls(advice.scope, advice.values, (), dict(context), advice.reasons, *expected)
        return replace(step, outcomes=advice.outcomes)

    @property
    def why(self) -> str:
        """The reasons in words."""
        return sentence_of(self.reasons)

    @property
    def expected(self) -> str:
        """The expected value with its bounds, in words; empty where it is unknown."""
        if self.mean is None:
            return ""
        return expected_text(self.mean, self.lower, self.upper) + further_text(self.outcomes)

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def __str__(self) -> str:
        seen = f"having seen {settings_text(self.context, self.shown)}: " if self.context else ""
        todo = [f"set {settings_text(self.values, self.shown)}"] if self.values else []
        todo += [f"look at {', '.join(self.observe)}"] if self.observe else []
        said = (", then ".join(todo) or "set nothing") + (f" ({self.why})" if self.why else "")
        return seen + said + (f"; {self.expected}" if self.expected else "")


@record
class Status(Record):
    """Progress of a study.

    Args:
        rounds: suggestions made; `told`, `failed`, `pending` and `abandoned` of them.
        spent, reserved: money spent, and expected for pending rounds.
        gain: the largest gain still possible, by the bounds, where the study has a stopping rule.
        gain_worth: that gain in the unit of the costs, where the problem states the worth of a
            unit of the objective.
        unpriced: rounds of unknown cost; `estimated` of the money spent is charged for them.
        budget, limit: the limits on money and rounds, None where there is none.
        finished: why `ask` returns None now; empty while it would return a suggestion.
        findings: all that was noticed: outcomes that are probably wrong, stated laws that nature
            violates, limits that are not kept, each with its kind, its values, and a text.
        added: rows of past data, which were measured outside the rounds; void ones do not count.
    """

    rounds: int
    told: int
    failed: int
    pending: tuple[str, ...] = Field(default=())
    spent: float = 0.0
    reserved: float = 0.0
    budget: float | None = None
    limit: int | None = None
    finished: str = ""
    abandoned: int = 0
    unpriced: int = 0
    estimated: float = 0.0
    gain: float | None = None
    findings: tuple[Finding, ...] = ()
    gain_worth: float | None = None
    added: int = 0

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    @property
    def headline(self) -> str:
        """Rounds and money in one line, without the findings."""
        money = f", {self.spent:.6g} of {self.budget:.6g} spent" if self.budget is not None else ""
        if self.unpriced and (self.budget is not None or self.spent):  # else no cost is counted
            these = "a round" if self.unpriced == 1 else counted(self.unpriced, "round")
            charged = f" (charged {self.estimated:.6g})" if self.estimated else ""
            money = f"{money or f', {self.spent:.6g} spent'} and {these} of unknown cost{charged}"
        waiting = f", {len(self.pending)} open" if self.pending else ""
        broken = f", {self.failed} failed" if self.failed else ""
        left = f", {self.abandoned} abandoned" if self.abandoned else ""
        going = self.gain is not None and not self.finished
        more = (
            f", at most {gain_text(self.gain or 0.0, self.gain_worth)} can still be gained"
            if going
            else ""
        )
        end = f"; finished: {self.finished}" if self.finished else ""
        made = counted(self.rounds, "round")
        if self.limit is not None:
            made = f"{self.rounds} of {counted(self.limit, 'round')}"
        past = f", {self.past}" if self.added else ""
        return f"{made}{past}{money}{waiting}{broken}{left}{more}{end}"

    @property
    def past(self) -> str:
        """Number of rows of past data, in words."""
        return counted(self.added, "row of past data", "rows of past data")

    @property
    def left(self) -> str:
        """Budget and rounds that are left, in words; empty without a limit on either.

        >>> Status(3, 2, 0, ("3-ab",), spent=4.0, reserved=1.5, budget=10.0, limit=20).left
        '6 of the budget, of which 1.5 is kept for open rounds; 17 rounds'
        """
        parts = []
        if self.budget is not None:
            kept = (
                f", of which {numeral(self.reserved)} is kept for open rounds"
                if self.reserved
                else ""
            )
            parts.append(f"{max(self.budget - self.spent, 0.0):.6g} of the budget{kept}")
        if self.limit is not None:
            parts.append(counted(max(self.limit - self.rounds, 0), "round"))
        return "; ".join(parts)

    def __str__(self) -> str:
        laws = [each for each in self.findings if each.kind == "law"]
        doubted = "".join(f"; warning: {each.text.partition('. ')[0]}" for each in laws)
        others = [f" {each}" for each in self.findings if each.kind != "law"]
        said = f".{''.join(others)}" if others else ""
        return f"{self.headline}{doubted}{said}"


MaybeNone = Any
"""None, once a study is finished: a type that need not be asked for it, as of `re.Match.group` in typeshed."""


@record
class Suggestion(Record):
    """Settings of one round, and the variables to observe first.

    Args:
        token: its name; `tell`, `decide`, `fail` and `amend` take the suggestion or this name.
        round: its number, from 1.
        scope: the variables that are set, and those looked at before: a control set, a policy
            scope; see `Scope`.
        values: the values to set, by variable. `decide` adds to them, and changes one only where a
            look is taken back.
        observe: variables that can be looked at now. Empty: everything is decided.
        context: values seen before choosing, and looked at so far.
        note: the reasons behind the choice (bounds, the prior believed).
        change_cost: the switching cost of variables from where they are; None where the problem has
            none.
        warnings: implausible values among those seen or observed, a sentence each.
        shown: values and context in digits that can be set, with units; empty in a record that no
            study made.
        limits: probability to keep each limit on an outcome, by the outcome's name; None where too
            little is known.

    >>> print(Suggestion("1-ab", 1, Scope(["ph"]), {"ph": 6.5}))
    round 1, token 1-ab: hold ph; set ph = 6.5
    """

    token: str
    round: int
    scope: Scope
    values: dict[str, Any]
    observe: tuple[str, ...] = ()
    context: dict[str, Any] = Field(default_factory=dict)
    note: dict[str, Any] = Field(default_factory=dict, repr=False)
    change_cost: float | None = None
    warnings: tuple[str, ...] = ()
    shown: dict[str, str] = Field(default_factory=dict, repr=False)
    limits: dict[str, float | None] = Field(default_factory=dict)

    def _repr_html_(self) -> str:
        shown = {**self.context, **self.values, **self.shown}
        todo = [("having seen", name, _in_full(shown[name])) for name in self.context]
        todo += [
            ("leave" if name in self.scope.keep else "set", name, _in_full(shown[name]))
            for name in self.values
        ]
        todo += [("look at", name, "") for name in self.observe]
        todo += [("limit", name, kept_text(chance)) for name, chance in self.limits.items()]
        return html_table((), todo, f"Round {self.round}, token {self.token}: hold {self.scope}")

    def __str__(self) -> str:
        moved = {name: value for name, value in self.values.items() if name not in self.scope.keep}
        kept = {name: self.values[name] for name in self.scope.keep if name in self.values}
        todo = [f"set {settings_text(moved, self.shown)}"] if moved else []
        todo += [f"leave {settings_text(kept, self.shown)}"] if kept else []
        todo += [f"look at {', '.join(self.observe)}"] if self.observe else []
        todo += [f"limit on {name} {kept_text(chance)}" for name, chance in self.limits.items()]
        return "; ".join([f"round {self.round}, token {self.token}: hold {self.scope}", *todo])


@record
class Card(Suggestion):
    """A suggestion with all that a person wants to know before playing it, as known when asked: see `study.card`.

    Args:
        mean: the expected value of the objective, in the user's units; None where it is unknown, or
            something is still to be looked at.
        lower, upper: bounds on that expectation, as those of recommendations.
        cost: expected cost of the play, with that of changes; None where unknown.
        net: the expected value in the unit of the costs, less the cost; None where the problem
            states no worth.
        kept: each limit on an outcome, and how likely the play keeps it, a sentence each.
        reasons: why it is suggested.
        earlier: whether anything was learned since.

    >>> print(Card("1-ab", 1, Scope(["ph"]), {"ph": 6.5}, mean=9.5, lower=9.0, upper=10.0, cost=1.5))
    round 1, token 1-ab: hold ph; set ph = 6.5; expected value 9.5 (between 9.0 and 10.0), cost 1.5
    """

    mean: float | None = None
    lower: float | None = None
    upper: float | None = None
    cost: float | None = None
    net: float | None = None
    kept: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    earlier: bool = False

    @property
    def expected(self) -> str:
        """The expected value with its bounds, the cost, and the net value, in words; empty where all are unknown.

        Where anything was learned since, it begins with "when asked".
        """
        parts = [] if self.mean is None else [expected_text(self.mean, self.lower, self.upper)]
        parts += [] if self.cost is None else [f"cost {numeral(self.cost)}"]
        parts += [] if self.net is None else [f"net value {numeral(self.net)}"]
        said = ", ".join(parts)
        return f"when asked: {said}" if said and self.earlier else said

    @property
    def why(self) -> str:
        """The reasons in words."""
        return sentence_of(self.reasons)

    def _repr_html_(self) -> str:
        more = [text for text in (self.expected, self.why) if text]
        return super()._repr_html_() + "".join(map(html_lines, more))

    def __str__(self) -> str:
        return "; ".join(filter(None, [super().__str__(), self.expected, self.why]))
