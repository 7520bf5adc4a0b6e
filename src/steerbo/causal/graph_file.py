"""The graph of a causal study file, where it stands in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InvalidProblem, combine, one_of
from ..records import to_dict
from .equivalence import graphs_of_file
from .graph import CausalGraph

T = TypeVar("T")
_ROLES = ("target", "intervenable", "contexts")


def with_graph(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The table [problem] with the graph that `graph = "field.txt"` names, relative to the study file's folder.

    Where that file says no roles, ``graph = { file = "field.gml", target = "y", intervenable = ["x"] }`` does. The log
    keeps the graph, not the file's name. So does `graphs`: a list of such, or one file whose edges are unsure, which
    stands for all its graphs; see `graphs_of`.

    Raises:
        InvalidProblem: a file that cannot be read, a role that does not exist, anything the graph itself refuses.
    """
    read = dict(table)
    if _names_file(given := table.get("graph")):
        read["graph"] = to_dict(_of_file(given, folder, "problem.graph", CausalGraph.from_file))
    if _names_file(several := table.get("graphs")):
        read["graphs"] = [to_dict(each) for each in _of_file(several, folder, "problem.graphs", graphs_of_file)]
    elif isinstance(several, list | tuple):
        read["graphs"] = [
            to_dict(_of_file(each, folder, f"problem.graphs.{i}", CausalGraph.from_file)) if _names_file(each) else each
            for i, each in enumerate(several)
        ]
    return read


def _names_file(given: Any) -> bool:
    return isinstance(given, str) or (isinstance(given, Mapping) and "file" in given)


def _of_file(given: Any, folder: Path, place: str, reader: Callable[..., T]) -> T:
    """What a file holds, with the roles beside its name."""
    roles = dict(given) if isinstance(given, Mapping) else {"file": given}
    file = roles.pop("file")
    if not isinstance(file, str) or not file.strip():
        raise InvalidProblem(f"{place}.file", file, "the name of a file, such as 'field.txt'")
    for role in roles:
        if role not in _ROLES:
            hint = "Edges stand in the file."
            raise InvalidProblem(f"{place}.{role}", roles[role], one_of(("file", *_ROLES), role), hint)
    try:
        return reader(folder / file, **roles)
    except InvalidProblem as error:
        raise combine(e.moved(f"{place}: {e.field}") for e in error.errors) from None
