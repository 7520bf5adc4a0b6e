"""Reading and writing causal graphs: texts in any form, files, and networkx graphs (extra ``graphs``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _files as files
from ...errors import InvalidProblem, MissingExtra, combine
from ._braces import Attributes, read_braces
from ._lexer import DEEPEST, Reader
from ._lines import read_lines, read_listing
from ._parsed import ParsedGraph
from ._projection import Edge

if TYPE_CHECKING:
    import networkx

_LONGEST, _LONGEST_BIF = 1_000_000, 20_000_000  # a network in BIF has its tables beside its arrows
_SKIPPED = r"(?:\s|(?:\#|//)[^\n]*\n|/\*[\s\S]*?\*/)*+"
_NAME = r'(?:"(?:[^"\\]|\\.)*+"|[^\s"{}\[\];,<>-]+)'
_GML = re.compile(
    rf'{_SKIPPED}(?:(?:Creator|Version|comment)\s+(?:"[^"]*"|\S+)\s+)*+graph\s*\[', re.IGNORECASE
)
_DOT = re.compile(rf"{_SKIPPED}(?:strict\s+)?(?:di)?graph\b\s*{_NAME}?\s*\{{", re.IGNORECASE)
_DAGITTY = re.compile(
    rf"{_SKIPPED}(?:strict\s+)?(?:dag|pdag|mag|pag)\b\s*{_NAME}?\s*\{{", re.IGNORECASE
)
_BIF = re.compile(rf"{_SKIPPED}(?:network\s+\S+|variable\s+\S+)\s*\{{")
_LISTING = re.compile(r"^\s*Graph (?:Nodes|Edges):", re.MULTILINE)
_BNLEARN = re.compile(r"\s*(?:\[[^\[\]]+\]\s*)+")
_READ: tuple[tuple[str, re.Pattern[str], Callable[[str], ParsedGraph]], ...]
_NAMED = (
    ("the printed name of a graph object", re.compile(r"\s*\w*(?:Graph|Network|DAG)\w* .*\bwith \d+ nodes\b"),
     "Give the graph itself to ‹CausalGraph.from_networkx›."),
    ("a list of pairs", re.compile(r"\s*[\[(]\s*[\[('\"]"),
     "Give pairs to ‹CausalGraph(directed=[…])›, or write a -> b for each of them."),
    ("a matrix of numbers", re.compile(r"\s*(?:-?\d+(?:\.\d+)?[ \t,;]+)+-?\d+(?:\.\d+)?[ \t]*(?:\n|$)"),
     "Give networkx.from_numpy_array(matrix, create_using=networkx.DiGraph), its nodes relabelled, to "
     "‹CausalGraph.from_networkx›."),
    ("JSON", re.compile(r"\s*\{\s*\""),
     "Give networkx.node_link_graph(json.loads(text)) to ‹CausalGraph.from_networkx›."),
    ("PlantUML", re.compile(r"\s*@start\w+"), "Leave out the lines that begin with @."),
    ("a network of Hugin or Microsoft", re.compile(r"\s*(?:(?:class|net)\b[^\n{]*\{|belief network\b)"),
     "In R, bnlearn::write.bif writes what bnlearn::read.net or read.dsc has read; BIF is read here."),
    ("dagitty's former text", re.compile(r"\s*\S+ [01AEOU] @"),
     "Paste it at dagitty.net, which shows it as dag { … }."),
    ("XML", re.compile(r"\s*<(?:\?xml|graphml|BIF|!DOCTYPE)", re.IGNORECASE),
     "GraphML: give networkx.read_graphml(path) to ‹CausalGraph.from_networkx›. XMLBIF: write it as BIF."),
    ("lavaan", re.compile(rf"{_SKIPPED}[^\n>\"]*?[\w)]\s*(?:=~|~~?)\s*[\w(]"),
     "In R, dagitty::lavaanToGraph(model) makes text of it that is read here."),
    ("Mermaid", re.compile(r"\s*(?:graph|flowchart)\s+(?:TB|TD|BT|RL|LR)\b(?!\s*\{)"),
     "Leave the first line out, and write a --> b by the names alone."),
    ("igraph's formula", re.compile(r"[^\"]*?[\w\s](?:-\+|\+-)[\w\s]"),
     "Write a -> b for a -+ b, and a <-> b for two edges that causaleffect describes as U."),
)  # fmt: skip


def read(text: str) -> ParsedGraph:
    """Parse a text in any of the forms; an error says which one the text was taken for.

    Raises:
        InvalidProblem: a syntax error, with its line; a form that is not read, with how to convert
            it.

    >>> read("a -> b <-> c; target: b; intervenable: a").bidirected
    {('b', 'c'): None}
    >>> read('dag { x [exposure] y [outcome] x -> y }').roles
    {'intervenable': ('x',), 'target': ('y',)}
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidProblem("graph", text, "text with at least one edge, such as 'x -> y'")
    text = text.removeprefix("\ufeff")
    longest = _LONGEST_BIF if _BIF.match(text) else _LONGEST
    if len(text) > longest:
        raise InvalidProblem(
            "graph", f"a text of {len(text)} characters", f"at most {longest} characters"
        )
    for form, pattern, hint in _NAMED:
        if pattern.match(text):
            raise InvalidProblem(
                "graph", f"{form}: {' '.join(text[:80].split())}", "a format that can be read", hint
            )
    for form, pattern, reader in _READ:
        if pattern.match(text):
            return _read_as(form, reader, text)
    if _LISTING.search(text):
        return _read_as("a list as Tetrad prints it", read_listing, text)
    return _read_as("lines of edges", read_lines, text)


def _read_as(form: str, reader: Callable[[str], ParsedGraph], text: str) -> ParsedGraph:
    try:
        return reader(text)
    except InvalidProblem as error:
        raise combine(
            InvalidProblem(e.field, e.value, e.allowed, f"{e.hint} (Read as {form}.)".strip())
            for e in error.errors
        ) from None


def read_file(path: Path) -> ParsedGraph:
    """Parse a file in any of the forms.

    Raises:
        InvalidProblem: it cannot be read.
    """
    return read(read_text(path))


def read_text(path: Path) -> str:
    """Read a text file in UTF-8, with or without a byte order mark.

    Raises:
        InvalidProblem: it cannot be read.
    """
    allowed = "a text file that can be read, in UTF-8"
    try:
        return files.read_file(path, "graph", InvalidProblem, allowed=allowed).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidProblem("graph", str(path), allowed, f"({error}.)") from None


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingExtra("networkx", "graphs") from None
    return networkx


def read_networkx(graph: Any) -> ParsedGraph:
    """Convert a `DiGraph` or `MultiDiGraph`; attributes of nodes are marks, edges may have ``dir="both"``.

    The set `latents` of pgmpy's graphs is read, too.

    Raises:
        InvalidProblem: a graph without directions, names that are equal as texts, parallel edges
            that say the same.
        MissingExtra: networkx is not installed.
    """
    networkx = _networkx()
    if not isinstance(graph, networkx.Graph):
        raise InvalidProblem("graph", graph, "a networkx DiGraph")
    if not graph.is_directed():
        hint = "Its edges have no direction: build a DiGraph in which they do."
        raise InvalidProblem("graph", type(graph).__name__, "a networkx DiGraph", hint)
    nodes = {node: dict(attributes) for node, attributes in graph.nodes(data=True)}
    for latent in getattr(graph, "latents", None) or ():
        nodes[latent] = {**nodes.get(latent, {}), "latent": True}
    return _assembled(
        {node: (str(node), marks) for node, marks in nodes.items()}, graph.edges(data=True)
    )


def _assembled(
    nodes: Mapping[Any, tuple[str, Mapping[str, Any]]],
    edges: Iterable[tuple[Any, Any, Mapping[str, Any]]],
) -> ParsedGraph:
    """Build a graph from its nodes, each with its name and marks, and its edges with their attributes."""
    found = ParsedGraph()
    names = {node: name.strip() for node, (name, _) in nodes.items()}
    for node, (_, attributes) in nodes.items():
        if names[node] in found.nodes or not names[node]:
            raise InvalidProblem("graph", node, "names that are not empty, and differ as texts")
        found.mark(
            names[node], {key: value for key, value in attributes.items() if value is not None}
        )
    for a, b, attributes in edges:
        before = len(found.directed) + len(found.bidirected) + len(found.undecided)
        found.drawn(names[a], names[b], attributes)
        # which is written as two arrows
        one_cause = str(attributes.get("description")).lower() == "u"
        if (
            len(found.directed) + len(found.bidirected) + len(found.undecided) == before
            and not one_cause
        ):
            hint = 'If one of them is a latent common cause, give it the attribute dir="both"; else leave one out.'
            raise InvalidProblem(
                "graph", f"{names[a]} -> {names[b]}, twice", "every edge once", hint
            )
    return found


def write_networkx(
    roles: Mapping[str, str], directed: Iterable[Edge], bidirected: Iterable[Edge]
) -> networkx.DiGraph[Any]:
    """Build the `DiGraph` that `read_networkx` converts back; a role is target, intervenable, context or none."""
    drawn: networkx.DiGraph[Any] = _networkx().DiGraph()
    for name, role in roles.items():
        drawn.add_node(name, latent=False, role=role)
    drawn.add_edges_from(directed)
    for a, b in bidirected:
        latent = f"{a} <-> {b}"
        while latent in drawn:
            latent += "'"
        drawn.add_node(latent, latent=True)
        drawn.add_edges_from([(latent, a), (latent, b)])
    return drawn


Pairs = list[tuple[str, Any]]


def read_gml(text: str) -> ParsedGraph:
    """Parse a graph in GML; nodes are named by their labels, igraph's names, or else their ids.

    Raises:
        InvalidProblem: no GML, with its line.
    """
    reader = Reader(text, "[]", "entities")
    graph = next(value for key, value in _pairs(reader, 0) if key.lower() == "graph")
    if reader.next.kind != "end":
        reader.refuse("a graph in GML")
    nodes, edges = dict[str, tuple[str, Attributes]](), list[tuple[str, str, Attributes]]()
    directed = dict(graph).get("directed") == "1"
    for key, value in graph:
        if key in ("node", "edge") and not isinstance(value, list):
            raise InvalidProblem("graph", f"{key} {value}", f"a graph in GML: {key} [ … ]")
        if key == "node":
            marks = dict(value)
            name = str(marks.pop("label", marks.pop("name", marks.get("id", ""))))
            nodes[str(marks.pop("id", name))] = (name, marks)
        elif key == "edge":
            marks = dict(value)
            a, b = str(marks.pop("source", "")), str(marks.pop("target", ""))
            edges.append((a, b, marks if directed else {"dir": "none", **marks}))
    for a, b, _ in edges:
        for end in (a, b):
            if end not in nodes:
                raise InvalidProblem(
                    "graph", f"edge from {a} to {b}", "a graph in GML: ids of nodes"
                )
    return _assembled(nodes, edges)


def _pairs(reader: Reader, depth: int) -> Pairs:
    """Parse keys and values, up to the bracket that closes them."""
    pairs: Pairs = []
    if depth > DEEPEST:
        reader.refuse(f"a graph in GML: at most {DEEPEST} levels of brackets")
    while reader.next.kind != "end" and not (depth and reader.at("]")):
        key = reader.take(allowed="a graph in GML: a key").text
        if reader.skip("["):
            pairs.append((key, _pairs(reader, depth + 1)))
            reader.take("]")
        else:
            pairs.append((key, reader.take(allowed=f"a graph in GML: the value of {key!r}").text))
    return pairs


def read_bif(text: str) -> ParsedGraph:
    """Parse the structure of a Bayesian network in the interchange format BIF; its tables are not looked at."""
    found = ParsedGraph()
    text = re.sub(r"//[^\n]*|/\*[\s\S]*?\*/", "", text)
    for name in re.findall(r"\bvariable\s+(\S+?)\s*\{", text):
        found.nodes[name.strip('"')] = None
    for child, parents in re.findall(r"\bprobability\s*\(\s*([^\s|)]+)\s*\|?\s*([^)]*)\)", text):
        for parent in filter(None, re.split(r"[,\s]+", parents)):
            for name in (parent, child):
                if name.strip('"') not in found.nodes:
                    raise InvalidProblem("graph", name, "a variable of the network")
            found.link(parent.strip('"'), "->", child.strip('"'))
    return found


def read_bnlearn(text: str) -> ParsedGraph:
    """Parse a model string of bnlearn: ``[x][z|x][y|x:z]``.

    >>> list(read_bnlearn("[x][y|x]").directed)
    [('x', 'y')]
    """
    found = ParsedGraph()
    for part in re.findall(r"\[([^\[\]]+)\]", text):
        child, _, parents = part.partition("|")
        found.nodes[child.strip()] = None
        for parent in filter(None, map(str.strip, parents.split(":"))):
            found.link(parent, "->", child.strip())
    return found


_READ = (
    ("GML", _GML, read_gml),
    ("DOT", _DOT, read_braces),
    ("dagitty text", _DAGITTY, read_braces),
    ("BIF", _BIF, read_bif),
    ("a model string of bnlearn", re.compile(rf"{_BNLEARN.pattern}\Z"), read_bnlearn),
)
