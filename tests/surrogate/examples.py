"""Processes and problems that several tests of surrogates share."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.space import Variable
from steerbo.surrogate import Controlled, LawOf, Part, ProductKernelPosterior, Uncontrolled

VARIABLES = [sb.Float("a", 0, 1, law=sb.Uniform()), sb.Float("b", 0, 1, law=sb.Uniform(0.2, 0.6))]


def a_process(variables: list[Variable], n: int = 30, seed: int = 0) -> ProductKernelPosterior:
    """A Gaussian process on random data over `variables`, in standardised units."""
    random = np.random.default_rng(seed)
    inputs = np.stack([v.encoded_ppf(random.random(n)) for v in variables], axis=1)
    inputs[: n // 2] = np.stack([v.encode(v.decode(random.random(n // 2) * 2)) for v in variables], axis=1)
    lengthscales = 0.25 + 0.5 * random.random(len(variables))
    categorical = np.array([isinstance(v, sb.Categorical) for v in variables])
    variance, noise, mean = 1.7, 0.01, 0.3
    shares = np.where(random.random(len(variables)) < 0.7, 0.3 + 0.6 * random.random(len(variables)), 1.0)
    gram = kernel(inputs, inputs, lengthscales, shares, categorical, variance)
    inverse = np.linalg.inv(gram + noise * np.eye(n))
    weights = inverse @ (random.normal(size=n) - mean)
    return ProductKernelPosterior(
        inputs, weights, inverse, lengthscales, shares, categorical, variance, mean, np.full(n, noise)
    )


def parts(variables: list[Variable], held: list[int]) -> list[Part]:
    """The columns `held` are set, the others are drawn from their laws."""
    return [Controlled() if d in held else Uncontrolled(LawOf(v)) for d, v in enumerate(variables)]


def kernel(a: Any, b: Any, lengthscales: Any, shares: Any, categorical: Any, variance: float) -> Any:
    """The ANOVA kernel, one dimension after the other."""
    product = variance
    for d, lengthscale in enumerate(lengthscales):
        gap = a[:, None, d] - b[None, :, d]
        bell = gap == 0 if categorical[d] else np.exp(-0.5 * gap**2 / lengthscale**2)
        product = product * (1 - shares[d] + shares[d] * bell)
    return product


def posterior(process: ProductKernelPosterior, points: Any) -> tuple[Any, Any]:
    """Mean and variance, straight from the textbook."""
    cross = kernel(points, process.inputs, process.lengthscales, process.shares, process.categorical, process.variance)
    mean = process.mean + cross @ process.weights
    return mean, process.variance - np.einsum("pn,nm,pm->p", cross, process.inverse, cross)


def problem(sets: list[list[str]], probability: float = 0.95, **more: Any) -> sb.CostVarying:
    limit = sb.OutcomeConstraint("pressure", at_most=1.0, probability=probability)
    return sb.CostVarying(VARIABLES, sets, costs=[len(names) for names in sets], limits=[limit], **more)


def tell(optimizer: sb.Optimizer, suggestion: Suggestion, random: np.random.Generator) -> float:
    """Best at the right, where the pressure is too high."""
    x = {"a": random.uniform(), "b": random.uniform(0.2, 0.6), **suggestion.values}
    pressure = 1.5 * x["a"] ** 2 + x["b"] + 0.05 * random.normal()
    value = x["a"] + 0.5 * x["b"] + 0.05 * random.normal()
    optimizer.tell(suggestion, value, realised={**x, "pressure": pressure})
    return float(pressure)
