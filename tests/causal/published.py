"""The paper's structural causal models as problems of ours: `partial_control_bench` has mechanisms and truth.

They are as they must be read: evidence/causal.md says where that differs from the print.
"""

from __future__ import annotations

from partial_control_bench.causal import plates as heart
from partial_control_bench.causal import published
from steerbo.causal import CausalGraph

from .environment import Environment, graph_of

FIGURE_1 = graph_of(published.FIGURE_1)
PSA = graph_of(published.PSA)


def figure_1(weight: float = 1.0) -> Environment:
    """Figure 1: `Y = U2 X2 + λ C`; only (x1; c) reaches 1/3. λ is 1 in the paper, .01 in the authors' program."""
    return Environment.of(published.figure_1(weight))


def cosine(noise: float = 0.01) -> Environment:
    """A.2: `Y = cos(C − X2) + .1 U2 + noise`, on Figure 1's graph; setting x2 to c reaches 1, and so does CoBO."""
    return Environment.of(published.cosine(noise))


def psa(configuration: int = 1, authors: bool = False) -> Environment:
    """A.1: prostate-specific antigen, to be made small. In configuration 2 the best medication depends on age and BMI.

    `authors`: BMI ~ N(27, .7), whatever the age, as in the authors' program.
    """
    return Environment.of(published.psa(configuration, authors))


def plates_graph(
    watched: int = 50,
    idle: int = 27,
    intervenable: tuple[str, ...] | None = None,
    contexts: tuple[str, ...] | None = None,
) -> CausalGraph:
    """A.3's graph with `watched` variables ct and `idle` variables xt; default: all 29 x can be set, all 57 c seen."""
    return graph_of(heart.plates_graph(watched, idle, intervenable, contexts))


def plates(watched: int = 50, idle: int = 27) -> Environment:
    """A.3: Figure 1's heart among many variables that do not matter. As in the paper, x1 and x2 can be set."""
    return Environment.of(heart.plates(watched, idle))
