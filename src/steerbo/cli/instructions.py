"""Instructions for the person who plays a round: observations, settings, and the next command."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any

from ..core import Card, PolicyStep, Suggestion, as_text
from ..study import Study
from ..study.formatting import in_words


def _settings(shown: Mapping[str, str], name: str, value: Any, verb: str = "set") -> list[str]:
    """Lines of settings: one line, or one a row of a distribution."""
    if isinstance(value, dict):
        return [f"  set {name}:", *(f"    {row}: {as_text(cells)}" for row, cells in value.items())]
    return [f"  {verb} {name} = {shown[name]}"]


def about_round(study: Study, card: Card, state: str = "") -> str:
    """A round in words: its settings, its expected outcome when asked, and why it was suggested."""
    seen = f"having seen {in_words(study.problem, card.context)}, " if card.context else ""
    named = f"round {card.round}, token {card.token}" + (f", {state}" if state else "")
    lines = [f"{named}: {seen}hold {card.scope}"]
    for name, value in card.values.items():
        lines += _settings(card.shown, name, value, "leave" if name in card.scope.keep else "set")
    if card.change_cost:
        lines += [f"  changing costs {card.change_cost:g}"]
    lines += [f"  {text}" for text in (card.expected, *card.kept) if text]
    lines += [f"  why: {card.why}"] if card.reasons else []
    return "\n".join(lines)


def todo(study: Study, suggestion: Suggestion, place: str) -> str:
    """Instructions for a round: settings, observations, and the next command."""
    lines = [about_round(study, study.card(suggestion))]
    if suggestion.observe:
        looks = " ".join(f"--context {quote(name)}=…" for name in suggestion.observe)
        lines += [f"  look at {', '.join(suggestion.observe)}, then"]
        lines += [f"  steerbo decide {place} {suggestion.token} {looks}"]
    else:
        nature = study.problem.unmeasured(suggestion)
        measured = "".join(f" --realised {quote(name)}=…" for name in nature)
        if study.history.budget is not None and study.problem.price(suggestion) is None:
            measured += " --cost …"
        lines += [f"  then steerbo tell {place} {suggestion.token} VALUE{measured}"]
    return "\n".join(lines)


def todo_by_policy(study: Study, step: PolicyStep, place: str) -> str:
    """Instructions of the learned policy, without a command to report an outcome."""
    seen = f"having seen {in_words(study.problem, step.context)}: " if step.context else ""
    lines = [f"{seen}hold {step.scope}" + (f" ({step.why})" if step.why else "")]
    for name, value in step.values.items():
        lines += _settings(step.shown, name, value)
    lines += [f"  {step.expected}"] if step.expected else []
    if step.observe:
        known = {name: quote(str(value)) for name, value in step.context.items()}
        given = {**known, **dict.fromkeys(step.observe, "…")}
        looks = " ".join(f"--context {quote(name)}={value}" for name, value in given.items())
        lines += [f"  look at {', '.join(step.observe)}, then", f"  steerbo policy {place} {looks}"]
    return "\n".join(lines)
