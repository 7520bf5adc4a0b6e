"""The paper's structural causal models as problems of ours: `partial_control_bench` has mechanisms and truth.

They are as they must be read: docs/results/causal.md says where that differs from the print.
"""

from __future__ import annotations

from partial_control_bench.causal import published

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
