"""The graph of a causal study file, where it stands in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidProblem, one_of, together
from ..record import to_plain
from .graph import CausalGraph

_ROLES = ("target", "intervenable", "contexts")


def with_graph(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The table [problem] with the graph that `graph = "field.txt"` names, relative to the study file's folder.

    Where that file says no roles, ``graph = { file = "field.gml", target = "y", intervenable = ["x"] }`` does. The log
    keeps the graph, not the file's name.

    Raises:
        InvalidProblem: a file that cannot be read, a role that does not exist, anything the graph itself refuses.
    """
    given = table.get("graph")
    if not (isinstance(given, str) or (isinstance(given, Mapping) and "file" in given)):
        return dict(table)
    roles = dict(given) if isinstance(given, Mapping) else {"file": given}
    file = roles.pop("file")
    if not isinstance(file, str) or not file.strip():
        raise InvalidProblem("problem.graph.file", file, "the name of a file, such as 'field.txt'")
    for role in roles:
        if role not in _ROLES:
            hint = "Edges stand in the file."
            raise InvalidProblem(f"problem.graph.{role}", roles[role], one_of(("file", *_ROLES), role), hint)
    try:
        graph = CausalGraph.from_file(folder / file, **roles)
    except InvalidProblem as error:
        raise together(e.moved(f"problem.graph: {e.field}") for e in error.errors) from None
    return {**table, "graph": to_plain(graph)}
