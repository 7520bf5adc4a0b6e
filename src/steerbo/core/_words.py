"""Words of reasons and findings: one entry a kind, and nothing else makes a sentence of them.

An entry is a format of the values by name, or a function of them where the words depend on the
values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._wording import counted, first_of, joined, listed, numeral, ordinal, spread_step

NOT_WORKING = 0.05
"""Smallest probability to work that is said as a number; probabilities are said in steps of this size."""


def worded(kind: str, values: Mapping[str, Any]) -> str:
    """Put a reason or a finding into words; a kind of another package's is its own word.

    >>> worded("believing", {"belief": "slow drift"})
    'believing slow drift'
    """
    words = WORDS.get(kind)
    if words is None:
        return kind
    return words.format(**values) if isinstance(words, str) else words(**values)


def kept_text(probability: float | None) -> str:
    """Words for the probability of a play to keep a limit; None: nothing is known of it.

    >>> kept_text(0.934), kept_text(0.9991), kept_text(None)
    ('kept with 93 %', 'kept with more than 99 %', 'not known yet')
    """
    if probability is None:
        return "not known yet"
    often = round(100 * probability)
    return f"kept with {'more than 99' if often > 99 else 'less than 1' if often < 1 else often} %"


def _usual_spread(spread: str, kept: bool) -> str:
    """Say what the allowed spread nearest to the usual one is: "today"'s, or the "even" one."""
    if spread == "today":
        if kept:
            return "stay as you are"
        return "stay as near to today's spread as limits allow (it breaks one)"
    return "spread evenly" if kept else "spread as evenly as limits allow"


def _nothing_known(spread: str = "", kept: bool = True) -> str:
    instead = _usual_spread(spread, kept) if spread else "tell the outcome of a round first"
    return f"nothing is known yet: {instead}"


def _volume(gain: float) -> str:
    return f"expected to improve the trade-off between the outcomes by {numeral(100.0 * gain, 2)} %"


def _weighed(outcome: str, worth: float) -> str:
    counts = f"1 of {outcome} is worth {numeral(worth, 2)} of the value"
    return f"the best that is known, if {counts}"


def _trade_off(plays: int) -> str:
    if plays == 1:
        return "no other round is better in any outcome"
    return (
        f"the middle of the trade-off: none of the {plays} rounds in it is better in every outcome"
    )


def _limit_unlikely(  # noqa: PLR0917  by name
    limit: str,
    probability: float,
    on_average: bool = False,
    method: str = "",
    nearest: float | None = None,
    where: str = "",
) -> str:
    said = f"{limit}: {kept_text(probability)} by this round"
    if on_average:
        return f"{said}, which is allowed, since earlier rounds kept it more often than asked"
    if method:
        return f"{said}: {method} does not look at limits on outcomes"
    seen = "" if nearest is None else f" {_nearest(nearest, where)}"
    return f"{said}. No setting was found that keeps every limit as often as asked.{seen}"


def _nearest(value: float, where: str) -> str:
    return f"No outcome has kept it; the nearest is {numeral(value)}, in {where}."


_COUNTED = ", counting failures and limits"


def _good_enough(
    least: float, minimize: bool, scopes: Sequence[str], step: float = 0.0, counted: bool = False
) -> str:
    verb = "at most" if minimize else "at least"
    said = f"good enough is {verb} {numeral(least, step=step)}{_COUNTED if counted else ''}"
    if not scopes:
        return f"{said}, which nothing is expected to reach: this comes nearest"
    return f"{said}: {first_of(scopes)}"


def _unknown_cost(scopes: Sequence[str]) -> str:
    return f"what a round{f' of {joined(scopes)}' if scopes else ''} costs is unknown"


def _typical_context(share: float) -> str:
    return f"{100 * share:.0f} % of recent contexts are like this"


def _over_contexts(mean: float | None = None, cost: float | None = None) -> str:
    said = [] if mean is None else [f"expect {numeral(mean)}"]
    said += [] if cost is None else [f"a round costs {numeral(cost)}"]
    return f"over all recent contexts: {', '.join(said)}"


def _works_seldom(probability: float) -> str:
    steps = round(probability / NOT_WORKING)
    often = (
        f"about {100 * NOT_WORKING * steps:.0f} %"
        if steps
        else f"less than {100 * NOT_WORKING:.0f} %"
    )
    return f"works in {often} of rounds: the expected value counts only rounds that work"


def _worse_outcomes(number: int, near: int, low: float, high: float, mean: float) -> str:
    then = numeral(mean, 2)
    if number == 1:
        return (
            f"1 of {counted(near, 'outcome')} near it looks wrong and is worse than all others there "
            f"({numeral(low)}): if it is right, expect about {then}"
        )
    return (
        f"{number} of {counted(near, 'outcome')} near it look wrong and are worse than all others there "
        f"({numeral(low)} to {numeral(high)}): if they are right, expect about {then}"
    )


def _far_from_others(name: str, value: float, low: float, high: float) -> str:
    usual = f"{low:g} to {high:g}" if low < high else f"which are all {low:g}"
    return f"{name} = {value:g} is far from the others, {usual}"


def _outliers(number: int, shown: Sequence[Sequence[Any]]) -> str:
    """Words for outcomes that count for little; `shown`: value and place of the latest of them."""
    named = ", ".join(f"{numeral(value)} in {where}" for value, where in shown)
    if number == 1:
        return f"1 outcome is probably wrong and counts for little until others agree with it: {named}."
    more = f" and {number - len(shown)} earlier ones" if number > len(shown) else ""
    return f"{number} outcomes are probably wrong and count for little until others agree with them: {named}{more}."


def _bad_outliers(number: int, of: int) -> str:
    if number == 1:
        bad = "1 of them is bad" if of > 1 else "The outcome that is probably wrong is bad"
        return f"{bad}: if it is right, expect worse near it; an answer near it says how much."
    return (
        f"{number} of them are bad: if they are right, expect worse near them; "
        "an answer near them says how much."
    )


def _again(name: str, value: float, times: int) -> str:
    return f"{name} = {numeral(value)} comes for the {ordinal(times)} time, at different settings"


def _code(name: str, value: float, times: int, token: str) -> str:
    return (
        f"{_again(name, value, times)}: it looks like a code for a missing value and is left out. "
        f"If it was measured, amend {token} to it, and it counts"
    )


def _end(name: str, value: float, times: int, token: str) -> str:
    return (
        f"{_again(name, value, times)}. It counts, as the end where outcomes are cut off. "
        f"If it stands for a missing value, void {token} and the others"
    )


def _repeated(name: str, value: float, times: int, outcomes: int) -> str:
    return f"{name} = {numeral(value)} in {times} of {outcomes} outcomes, at different settings"


def _codes(name: str, value: float, times: int, outcomes: int, latest: str) -> str:
    return (
        f"{_repeated(name, value, times, outcomes)}: it looks like a code for a missing value, or "
        f"like an instrument that is stuck, and is left out. If it was measured, amend one of "
        f"them, {latest}, to it, and all of them count."
    )


def _ends(name: str, value: float, times: int, outcomes: int, latest: str) -> str:
    return (
        f"{_repeated(name, value, times, outcomes)}: they count, as the end where outcomes are cut "
        f"off. If it stands for a missing value, void them; if it was measured, amend one of them, "
        f"{latest}, to it, and this is not asked again."
    )


def _unreached(
    *, name: str, asked: Sequence[str], unit: str, missed: int, rounds: int, side: str, end: str
) -> str:
    unit = f" {unit}" if unit else ""
    return (
        f"{name} was to be set to {' to '.join(asked)}{unit} in {missed} of the latest {rounds} rounds that set it, "
        f"and never got {side} {end}{unit}: if it cannot get there, begin a new study "
        "with bounds that can be reached."
    )


def _costs_contradicted(scopes: Sequence[Mapping[str, Any]]) -> str:
    said = [
        f"{each['scope']} is stated to cost {numeral(each['stated'])}, and {counted(each['plays'], 'round')} cost "
        f"{numeral(each['told'])} on average"
        for each in scopes
    ]
    return (
        f"{'; '.join(said)}: choices and answers use the stated costs. To use what was paid, begin a "
        "study with these costs and add what is known."
    )


def _costs_hang(names: Sequence[str], rising: Sequence[bool], plays: int) -> str:
    each = [
        f"{'rise' if up else 'fall'} with {name}" for name, up in zip(names, rising, strict=True)
    ]
    return (
        f"The costs told of {plays} rounds {' and '.join(each)}: choices and answers use the mean cost, and take the "
        "rest for chance. A cost-varying problem with ‹value_of_one›, and no stated costs, learns what a round costs "
        "at its settings."
    )


def _unlikely_lengthscale(
    prior: str, name: str, lengthscale: float, range: float, unit: str
) -> str:
    unit = f" {unit}" if unit else ""
    short = lengthscale < range
    means = "no two places tell anything of each other" if short else "all places are alike"
    return (
        f"{prior}: the lengthscale {numeral(lengthscale)}{unit} is {'short' if short else 'long'} beside the range of "
        f"{name}, {numeral(range)}{unit} wide, so that nearly {means}. Lengthscales are in the variable's own unit, "
        "along a logarithmic scale in decades: if this one is a share of the range, begin a study with that share "
        "times the width."
    )


def _subset(outcomes: int, counted_ones: int, unnoticed: bool = False) -> str:
    more = " Whether payoffs have changed for good is then no longer noticed." if unnoticed else ""
    return (
        f"Of {outcomes} outcomes {counted_ones} are counted: the latest, those nearest to the best place "
        f"that is known, and others spread over the rest.{more}"
    )


def _best_bound(bound: float, belief: str = "") -> str:
    by = f"by {belief}, " if belief else ""
    return f"{by}its optimistic value, {numeral(bound)}, is the best of all that can be played"


def _cheaper(  # noqa: PLR0917  by name
    rival: str, highest: float, bound: float, width: float, enough: bool, least: float | None = None
) -> str:
    """Words for a play of a scope that is cheaper than the one that may turn out best."""
    tried = "" if least is None else f", where {numeral(least)} is enough to be tried"
    said = f"cheaper than {rival}, and may reach {numeral(bound)}{tried}"
    if not enough:
        said += f" (this round may move that by {numeral(width, 3)})"
    return f"{said}; {rival} may reach {numeral(highest)}"


def _moving(  # noqa: PLR0917  by name
    scope: str, paid: float | None, price: float, better: float, needed: float, plays: float
) -> str:
    """Words for a play that stays, or moves a hard-to-change variable.

    >>> _moving("speed, keeping oven", None, 5.0, 0.02, 0.1, 40)
    'what is hard to change stays as it is: moving it costs 5, and has to gain 0.1 a round in the 40 rounds to come; \
0.02 is expected'
    """
    gained, wanted = numeral(better, 3), numeral(needed, 3)
    held = f"has to gain {wanted} a round in the {plays:.0f} rounds to come; {gained} is expected"
    if paid:
        return f"the move costs {numeral(paid, 4)}, and {held}"
    stays = f"what is hard to change stays as it is: moving it costs {numeral(price, 4)}, and"
    if better < needed:
        return f"{stays} {held}"
    # The move is worth its cost beside the set that it is of; another set, which stays, was chosen
    # before it.
    return (
        f"{stays} is expected to gain {gained} a round, more than the {wanted} that pays for it; but first "
        f"{scope} is held, which needs no move"
    )


def _risk(likely: Mapping[str, float], mean: Mapping[str, float], plays: int) -> str:
    each = [
        f"it keeps the limit on {name} with probability {numeral(likely[name], 2)} (all rounds: "
        f"{numeral(average, 3)} on average)"
        for name, average in mean.items()
    ]
    return (
        "this round may break a limit, to learn more than a safe one would: "
        f"{'; '.join(each)}; rounds that may: {plays}"
    )


def _largest_net_value(value: float, sets: int, counted: bool) -> str:
    others = ", more than that of other sets" if sets > 1 else ""
    return f"the net value of a round is {value:.5g}{others}{_COUNTED if counted else ''}"


def _gain_over_current(gain: float, low: float, high: float, net: bool = False) -> str:
    """A gain over today's settings, which may be a loss; of net value, or of the objective.

    >>> _gain_over_current(0.5, 0.25, 0.75), _gain_over_current(0.0, 0.0, 0.0)
    ("0.5 better than today's settings (from 0.25 to 0.75)", "no other than today's settings")
    >>> _gain_over_current(-12345.0, -20000.0, 9.5)
    "12345 worse than today's settings (from 20000 worse to 9.5 better)"
    >>> _gain_over_current(11.85, -2.0, 20.0, net=True)
    "its net value is 11.85 better than that of today's settings (from 2 worse to 20 better)"
    """
    if low == high == 0:
        return "no other than today's settings"
    step = spread_step([low, high])

    def signed(x: float) -> str:
        return f"{numeral(abs(x), step=step)} {'worse' if x < 0 else 'better'}"

    if low < 0:
        ends = f"from {signed(low)} to {signed(high)}"
    else:
        ends = f"from {numeral(low, step=step)} to {numeral(high, step=step)}"
    whose, today = ("its net value is ", "that of today's") if net else ("", "today's")
    return f"{whose}{signed(gain)} than {today} settings ({ends})"


WORDS: Mapping[str, str | Callable[..., str]] = {
    "said": "{text}",  # of methods of other packages
    # why a play is suggested
    "own-play": "settings of your own",
    "first-play": "one of the first rounds, to have something to learn from",
    "current-play": "today's settings, to compare all others with them",
    "repeat": "it repeats {name}, whose outcome was better than all others and is probably wrong: one more round "
    "will tell",
    "volume": _volume,
    "weighed": _weighed,
    "trade-off": _trade_off,
    "untried": "a setting not tried yet: setting the best one again would teach nothing",
    "best-bound": _best_bound,
    "cheaper": _cheaper,
    "rule": "{text}",
    "moving": _moving,
    "risk": _risk,
    "chosen-by-one-model": "that is by one likely model, as of when it was chosen; the expected value averages all "
    "likely ones, as of now",
    "best-net-bound": "its optimistic value, less its cost, is the best of all sets",
    "only-scope": "the only scope: its policy, as far as it is learned",
    "best-policy-bound": lambda bound: (
        f"the optimistic value of its policy, {numeral(bound)}, is the best of all scopes"
    ),
    "best-bound-near": lambda bound: (
        f"its optimistic value, {numeral(bound)}, is the best of the distributions near those that did well"
    ),
    # which answer it is
    "as-of": "as of time {time:.10g}",
    "believing": "believing {belief}",
    "typical-context": _typical_context,
    "over-contexts": _over_contexts,
    # why it is the one
    "good-enough": _good_enough,
    "largest-net-value": _largest_net_value,
    "stay": "stay as you are: it is good enough, and costs no more",
    "gain-over-current": _gain_over_current,
    "today-unfit": "today's settings are too unlikely to work, or to keep the limits",
    "played": "this distribution has been tried",
    "best-played": "the best of the distributions that were tried",
    "predicted": "not tried yet: the model predicts it",
    "none-better": lambda spread, kept: (
        f"{_usual_spread(spread, kept)}: no other distribution is shown to be better"
    ),
    "part-of-the-way": "{share:.0%} of the way to the recommended distribution",
    "move-costs": "the move costs {cost:.4g}",
    # cautions before it is used
    "perhaps-enough": lambda scopes: f"cheaper, and perhaps good enough: {first_of(scopes)}",
    "nothing-measured": "nothing is measured yet: any other settings may be as good",
    "nothing-known": _nothing_known,
    "unbounded": "no bounds yet: nothing that was learned so far says how much outcomes may differ",
    "none-keeps": "no settings are known yet that keep to the limits and are likely to work; these come nearest",
    "limit-nearest": lambda limit, nearest, where: (
        f"no outcome has kept {limit}: the nearest is {numeral(nearest)}, in {where}"
    ),
    "limit-unknown": "whether it keeps {limit} is not known",
    "limit-seldom": lambda limit, probability: f"{limit}: {kept_text(probability)}",
    "unknown-cost": _unknown_cost,
    "not-looked-at": "the policy does not look at {names}",
    "breaks-limit": "it breaks a limit: {limit}",
    "may-break-limit": lambda limit, names: (
        f"it may break a limit, depending on {' and '.join(names)}: {limit}"
    ),
    "works-seldom": _works_seldom,
    "beyond-outcomes": "no outcome was nearly as good: this is a guess",
    "worse-outcomes": _worse_outcomes,
    "left-out": lambda outcomes, values: (
        f"{counted(outcomes, 'outcome')} of {listed([numeral(x) for x in values])} look like codes for missing "
        "values and are left out"
    ),
    "outside-range": "{name} = {value} is outside its range, {range}: this is a guess",
    "new-choice": "no outcome has {name} = {value}: this is a guess",
    "beyond-contexts": "no outcome has {name} {side} {end}: this is a guess",
    "refused": "{text}",
    # of a value that was given
    "far-outside-range": "{name} = {written} is far outside its range, {range}",
    "unlike-law": "{name} = {written} is far from what its law gives, {low:.4g} to {high:.4g} in 95 of 100 rounds",
    "measured-elsewhere": "{name} = {measured} was measured where {to_set} was to be set",
    "far-time": "time = {time:.15g} is {step:.6g} after the last one, and no step was larger than {largest:.6g}",
    "time-is-number": "time = {time:.15g} is the number of the round, which counts where no time is given; the round "
    "before was at time {last:.15g}",
    "early-time": "time = {time:.15g} is earlier than that of {name}, {later:.15g}",
    "far-time-of-data": "time = {time:.15g} is {step:.6g} after all others, and no step was larger than "
    "{largest:.6g}: nothing is counted from it until another is near it",
    "far-from-others": _far_from_others,
    "sem-beyond-range": "sem = {value:g} is larger than the range of all values, {low:g} to {high:g}: give it in the "
    "unit of the value, not in percent",
    "far-as-is-seen-now": lambda name, value: (
        f"{name} = {numeral(value)} is far from all others, in hindsight"
    ),
    "far-from-expected": lambda value, low, high, name="": (
        f"{f'{name} = ' if name else ''}{value:.6g} is far from what was expected there, {low:.3g} to {high:.3g}"
    ),
    "code": _code,
    "end": _end,
    "total": "cost = {cost:g} is the sum of all costs so far, like an earlier one: it looks like a running total, so "
    "the stated cost, {price:g}, counts. If {cost:g} was paid for this round alone, amend {token} to it",
    "cost-far-from-price": "cost = {value:g} is far from the stated cost, {price:g}",
    "too-small": "{name} {value:g} is kept, but nothing below {smallest:g} in size can be told from 0. No "
    "value so far is larger: give all of them in a smaller unit",
    # of a table
    "column-outside": "{name} lies outside its range, {range}, in {outside} of {lines} lines, which have {low:g} to "
    "{high:g}: is it another unit, or another column?",
    "block-twice": "Lines {first} to {last} repeat lines {first_before} to {last_before}, and count as well: void "
    "them if the work was done only once.",
    "like-shuffled": "The outcomes of {lines} lines have no more to do with their settings than shuffled ones: is a "
    "column shifted by a row, sorted by itself, or another one? Or noise is larger than any effect.",
    # of a study
    "outliers": _outliers,
    "bad-outliers": _bad_outliers,
    "strange-outcome": lambda value, where, name: (
        f"{numeral(value)} in {where} is far from all others: if it is wrong, amend {name}."
    ),
    "codes": _codes,
    "ends": _ends,
    "totals": "The costs of {rounds} rounds are the sum of all costs so far: they look like a running total, so the "
    "stated costs count. If they were paid for each round alone, amend the cost of {latest} to what it is.",
    "unreached": _unreached,
    "far-date": "The time of {name}, {time:.15g}, is far ahead of all others: it is probably wrong, and "
    "answers are as of {now:.15g} until another one is near it. If it is wrong, amend {name}.",
    "limit-unlikely": _limit_unlikely,
    "limit-broken-often": "{limit} was kept in {kept:.0%} of {plays} rounds: its model is wrong near the "
    "limit, as where the outcome jumps. Keep a distance: state a tighter limit in a new study.",
    "limit-never-kept": lambda limit, plays, name, nearest: (
        f"{limit} was kept in none of {counted(plays, 'round')}; {name} = {numeral(nearest)} came nearest: the limit "
        "may be out of reach. If the limit is wrong, begin a new study with another one."
    ),
    "far-beyond-limit": lambda outcome, value, limit, name: (
        f"{outcome} = {numeral(value)} is far beyond its limit ({limit}): if it is mistyped, amend {name}."
    ),
    "subset": _subset,
    "scopes-left": "There are too many combinations of actions to compare: of those that were met the best are tried, "
    "and another one may be better. List fewer variables that can be set or looked at.",
    "abrupt-change": "From {name} on something seems to have changed. If it has, answers and bounds are "
    'wrong: begin a new study with drift = "learned", and add what is known, with its times.',
    "lengthscale-unlikely": _unlikely_lengthscale,
    "priors-misfit": "No prior fits the outcomes: by time {time:.10g} three of five were far from what even the "
    "likeliest, {prior}, expected. Leave priors out, or state wider ones.",
    "tolerance-idle": lambda difference, low, high, outcomes: (
        f"Good enough is within {numeral(difference)} of the best, and all {outcomes} outcomes so far lie "
        f"within {numeral(high - low)}: every scope is good enough. For a smaller tolerance begin a new study."
    ),
    "threshold-unreached": lambda threshold, best, outcomes: (
        f"None of {outcomes} outcomes is good enough, which takes {numeral(threshold)}; the best is {numeral(best)}."
    ),
    "costs-contradicted": _costs_contradicted,
    "costs-hang": _costs_hang,
    "fit-not-read": "The hyperparameters of event {event} cannot be used ({wrong}): they are learned "
    "again from all outcomes, so that the next suggestion may differ from the one they led to.",
}
"""Words by kind."""
