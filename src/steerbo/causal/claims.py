"""Claims of a causal graph in plain words: what changes what, and what nothing changes.

A graph whose edges point the wrong way is still a graph; read as sentences it is seen to be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import CausalGraph

_SHOWN = 12  # names in a sentence


def claims(graph: CausalGraph) -> str:
    """Sentences on what each action changes, what changes the target, and which variables nothing changes.

    >>> print(claims(CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])))
    setting dose changes y; nothing changes age
    """
    changed = {name: _without(graph.descendants([name]), name) for name in graph.intervenable}
    said = [f"setting {name} changes {_listed(effects) or 'nothing'}" for name, effects in changed.items()]
    roots = [name for name in graph.names if not graph.parents(name) and name not in graph.intervenable]
    said = said[:_SHOWN] + ([f"and {len(said) - _SHOWN} more can be set"] if len(said) > _SHOWN else [])
    said += [f"nothing changes {_listed(roots, 'or')}"] if roots else []
    shared = [f"{a} and {b}" for a, b in graph.bidirected]
    said += [f"a hidden cause changes both {_listed(shared, ', and both')}"] if shared else []
    return "; ".join(said)


def doubts(graph: CausalGraph) -> str:
    """Sentences on what is probably a mistake: actions without effect on the target, and effects of the target.

    >>> print(doubts(CausalGraph.from_text("yield -> dose", target="yield", intervenable=["dose"])))
    nothing that can be set changes yield; yield changes dose. Is an arrow the wrong way round?
    """
    causes = _without(graph.ancestors([graph.target]), graph.target)
    idle = [name for name in graph.intervenable if name not in causes]
    if idle and len(idle) == len(graph.intervenable):
        said = [f"nothing that can be set changes {graph.target}"]
    else:
        said = [f"setting {_listed(idle, 'or')} does not change {graph.target}"] if idle else []
    roles = {*graph.intervenable, *(graph.contexts or ())}  # others may well be effects, measured afterwards
    effects = [name for name in _without(graph.descendants([graph.target]), graph.target) if name in roles]
    said += [f"{graph.target} changes {_listed(effects)}"] if effects else []
    apart = [
        name for name in graph.contexts or () if not any(name in edge for edge in (*graph.directed, *graph.bidirected))
    ]
    said += [f"{_listed(apart)} {'has' if len(apart) == 1 else 'have'} no arrow at all"] if apart else []
    return f"{'; '.join(said)}. Is an arrow {'missing, or ' if apart else ''}the wrong way round?" if said else ""


def _without(names: Sequence[str], name: str) -> list[str]:
    return [each for each in names if each != name]


def _listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence, the first of many."""
    shown = [*names[:_SHOWN], *([f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else [])]
    joint = f"{word} " if word.startswith(",") else f" {word} "
    return joint.join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""
