"""Kernels of all kinds and observations to compare them by."""

from __future__ import annotations

from typing import Any

import numpy as np

from steerbo.meanfield._gp import Observations
from steerbo.meanfield._kernels import PLAIN, ROOT, Embedding, Inputs, PayoffKernel
from steerbo.meanfield._similarity import AllPairs, Similarity

C, A, N = 2, 4, 7
SHARES = np.array([0.7, 0.3])
KINDS = [(kind, embedding) for kind in ("additive", "product") for embedding in ("plain", "root", "map")]
Theta = dict[str, float]
PLACES = AllPairs(1.0 - np.eye(A) + 0.3 * np.eye(A)[::-1])
EMBEDDINGS = {"plain": PLAIN, "root": ROOT, "map": Embedding("map", True, PLACES, 1.5, 0.9)}


def geometry(kind: Any, embedding: Any, featured: bool = True) -> PayoffKernel:
    features = np.random.default_rng(0).normal(size=(A, 2)).tolist() if featured else None
    actions = Similarity.of(np.full(A, 1 / A), features)
    contexts = Similarity.of(np.full(C, 1 / C), None)
    return PayoffKernel(kind, EMBEDDINGS[embedding], SHARES, actions, contexts, single=True)


def observed(single: bool = False) -> Observations:
    random = np.random.default_rng(1)
    tables = random.dirichlet(np.ones(A), size=(N, C))
    weights = tables * SHARES[:, None]
    if single:
        weights = np.zeros((N, C, A))
        weights[np.arange(N), random.integers(C, size=N), random.integers(A, size=N)] = 1.0
    return Observations(Inputs(weights, tables), random.normal(size=N), np.full(N, 2.0), tables[:0])


def parameters(space: PayoffKernel) -> Theta:
    random = np.random.default_rng(5)
    return {name: float(0.4 * random.normal() - (2.0 if name == "noise" else 0.3)) for name in (*space.names, "noise")}
