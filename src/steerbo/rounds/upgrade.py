"""Events of earlier formats of the log, brought to the present one as they are read; what is stored stays as it is.

A study that began in an earlier format goes on in the present one, so that its log holds events of both: each event
tells by its own shape what it is.

======  ================================================================================================================
format  what the next one changed
======  ================================================================================================================
1       a scope was a list of what is set, contexts by action, or a word; a note said the number of the played arm as
        `set` or `arm`; the cost of data that was added was always charged
2       a scope is a `Scope`, and says itself which arm it is; data that was added says whether its cost is charged;
        notes of earlier versions also have a `calibration`, which is dropped, and say less of what moving was held
        against, which is dropped, too
======  ================================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FORMAT = 2
"""Of the events that are written."""


def upgraded(event: Any) -> Any:
    """An event's plain form in the present format; what is no plain event is left to be refused.

    >>> upgraded({"kind": "asked", "scope": ["ph"], "note": {"set": 0, "upper": 1.5}})
    {'kind': 'asked', 'scope': {'set': ['ph'], 'look': {}, 'keep': []}, 'note': {'upper': 1.5}}
    """
    if not isinstance(event, Mapping):
        return event
    changes: dict[str, Any] = {}
    kind, note = event.get("kind"), event.get("note")
    if kind == "created" and event.get("format") == 1:
        changes["format"] = FORMAT
    if kind in ("asked", "added") and _first_format(scope := event.get("scope")):
        changes["scope"] = _scope(scope)
        if isinstance(note, Mapping):
            changes["note"] = {name: said for name, said in note.items() if name not in ("set", "arm")}
    if kind == "asked" and isinstance(kept := changes.get("note", note), Mapping):
        changes["note"] = {name: said for name, said in kept.items() if not _outlived(name, said)}
    if kind == "added":
        changes["charge"] = event.get("charge", True)
    return {**event, **changes}


def _outlived(name: str, said: Any) -> bool:
    return name == "calibration" or (name == "moving" and isinstance(said, Mapping) and "plays" not in said)


def _first_format(scope: Any) -> bool:
    """A table of the first format holds lists of contexts only, and a scope what is looked at as a table."""
    return isinstance(scope, str | list | tuple) or (
        isinstance(scope, Mapping) and all(isinstance(seen, list | tuple) for seen in scope.values())
    )


def _scope(scope: Any) -> dict[str, Any]:
    look = scope if isinstance(scope, Mapping) else {}
    return {"set": [scope] if isinstance(scope, str) else list(scope), "look": dict(look), "keep": []}
