"""Suggestions after thousands of outcomes, of every wing: `python -m benchmarks.size NAME N`.

A process of its own for each row, for a process's peak never falls (Linux only: it reads `/proc`). The outcomes are
data that nobody suggested, so that there are as many at once; `first` learns hyperparameters from all of them, `later`
is the median of three with the same hyperparameters. Times are of the processor, on one thread.

Rivals learn from the same outcomes of six variables. BoTorch suggests one point by the upper confidence bound over all
six; scikit-learn suggests nothing, its time is that of the fit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

import steerbo as sb
from steerbo.core import Optimizer, Suggestion
from steerbo.core.determinism import one_blas_thread
from steerbo.timevarying import SquaredExponential

from .speed import Cases, Row, row

SIZES = 1000, 2000, 5000
PLAYS = 12
"""Rounds before later suggestions are timed, so that every arm has been played."""
NOISE = 0.05
SIX = tuple("abcdef")
SETS = (("a", "b"), ("c", "d"), ("e", "f"), ("a", "b", "c"), ("c", "d", "e"), ("b", "d", "f"), SIX)

Told = tuple[float, dict[str, Any]]
Measure = Callable[[Suggestion], Told]


def surface(X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
    """A hill and a wave."""
    centre = np.linspace(0.2, 0.8, X.shape[1])
    found: np.ndarray = np.exp(-2 * ((X - centre) ** 2).sum(axis=1)) + 0.3 * np.sin(5 * X[:, 0]) * X[:, -1]
    return found


def _points(names: tuple[str, ...], n: int, low: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.uniform(low, 1, (n, len(names)))
    return X, surface(X) + NOISE * random.standard_normal(n)


def _told(names: tuple[str, ...], n: int, low: float = 0.0) -> Iterator[Told]:
    X, y = _points(names, n, low)
    for x, value in zip(X.tolist(), y.tolist(), strict=True):
        yield value, dict(zip(names, x, strict=True))


def _measured(names: tuple[str, ...]) -> Measure:
    """What a play gives: what is neither set nor seen is drawn."""

    def measure(suggestion: Suggestion) -> Told:
        drawn = dict(zip(names, np.random.default_rng(suggestion.round).random(len(names)).tolist(), strict=True))
        known = {**drawn, **suggestion.context, **suggestion.values}
        point = np.array([[float(known[name]) for name in names]])
        return float(surface(point)[0]), {name: float(known[name]) for name in names}

    return measure


def cost_varying(n: int) -> tuple[Optimizer, Iterator[Told], Measure]:
    """Seven sets in six dimensions."""
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=sb.Uniform()) for name in SIX], SETS)
    return Optimizer(problem), _told(SIX, n), _measured(SIX)


def time_varying(n: int) -> tuple[Optimizer, Iterator[Told], Measure]:
    """Three priors in three dimensions that forget by the hour; outcomes of a minute each."""
    names = SIX[:3]
    kernel = SquaredExponential([0.2, 0.2, 0.2])
    priors = [sb.Prior(kernel, level, sb.Decay(0.01), NOISE, name=f"about {level}") for level in (0.0, 0.5, 1.0)]
    problem = sb.TimeVarying([sb.Float(name, 0, 1) for name in names], priors)
    dated = ((value, {**known, "time": i / 60}) for i, (value, known) in enumerate(_told(names, n)))
    return Optimizer(problem), dated, lambda suggestion: (_measured(names)(suggestion)[0], {})


def causal(n: int) -> tuple[Optimizer, Iterator[Told], Measure]:
    """The graph of Figure 1 of the paper; observations without intervention."""
    from .causal.problems import FIGURE_1

    names = ("x1", "x2", "c")
    problem = sb.Causal(FIGURE_1, tuple(sb.Float(name, -1, 1) for name in names))
    return Optimizer(problem, initial=1), _told(names, n, low=-1.0), _measured(names)


def mean_field(n: int) -> tuple[Optimizer, Iterator[Told], Measure]:
    """Ten thousand agents on thirty places."""
    places, random = tuple(map(str, range(30))), np.random.default_rng(0)
    wanted, problem = np.sqrt(random.dirichlet(np.ones(30))), sb.MeanField(places, 10**4)

    def payoff(shares: np.ndarray) -> float:
        return -float(((np.sqrt(shares) - wanted) ** 2).sum())

    def told() -> Iterator[Told]:
        for shares in random.dirichlet(np.ones(30), n):
            table = {"everyone": dict(zip(places, shares.tolist(), strict=True))}
            yield payoff(shares) + 0.2 * NOISE * random.standard_normal(), {"distribution": table}

    return Optimizer(problem), told(), lambda s: (payoff(problem.table(s.values["distribution"])[0]), {})


WINGS: dict[str, Callable[[int], tuple[Optimizer, Iterator[Told], Measure]]] = {
    "costvarying": cost_varying,
    "timevarying": time_varying,
    "causal": causal,
    "meanfield": mean_field,
}


def ours(wing: str, n: int) -> dict[str, Any]:
    """The first and later suggestions after n outcomes, in seconds, and the megabytes that they took."""
    warm, told, measure = WINGS[wing](20)
    for value, realised in told:
        warm.add(value, realised)
    _round(warm, measure)  # whatever is imported late is imported now
    before = _resident("VmRSS")
    optimizer, told, measure = WINGS[wing](n)
    for value, realised in told:
        optimizer.add(value, realised)
    later = PLAYS if wing == "causal" else 1
    seconds = [_round(optimizer, measure) for _ in range(later + 3)]
    found = {"first_s": seconds[0], "later_s": float(np.median(seconds[later:]))}
    return {**found, "megabytes": _resident("VmHWM") - before}


def _round(optimizer: Optimizer, measure: Measure) -> float:
    """Play a round; the seconds that choosing took."""
    start = time.process_time()
    suggestion = optimizer.ask()
    assert suggestion is not None
    while suggestion.observe:
        suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.3))
    took = time.process_time() - start
    value, realised = measure(suggestion)
    optimizer.tell(suggestion, value, realised=realised)
    return took


def botorch(n: int) -> dict[str, Any]:
    """Fit and suggestion by BoTorch, on the outcomes of six variables."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    X, y = (torch.tensor(part, dtype=torch.double) for part in _points(SIX, n))
    before, start = _resident("VmRSS"), time.process_time()
    model = SingleTaskGP(X, y[:, None], outcome_transform=Standardize(m=1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    fitted = time.process_time()
    bounds = torch.tensor([[0.0] * 6, [1.0] * 6], dtype=torch.double)
    optimize_acqf(UpperConfidenceBound(model, beta=4.0), bounds, q=1, num_restarts=12, raw_samples=1024)
    end = time.process_time()
    return {"first_s": end - start, "later_s": end - fitted, "megabytes": _resident("VmHWM") - before}


def scikit_learn(n: int) -> dict[str, Any]:
    """The fit by scikit-learn, on the outcomes of six variables."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    X, y = _points(SIX, n)
    before, start = _resident("VmRSS"), time.process_time()
    GaussianProcessRegressor(ConstantKernel() * RBF([0.3] * 6) + WhiteKernel(0.01), normalize_y=True).fit(X, y)
    took = time.process_time() - start
    return {"first_s": took, "later_s": None, "megabytes": _resident("VmHWM") - before}


RIVALS = {"botorch": botorch, "sklearn": scikit_learn}


def _resident(field: str) -> float:
    """Megabytes in memory: `VmRSS` now, `VmHWM` at most so far."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(f"{field}:"))


def measured(name: str, n: int) -> list[Row]:
    """A row of ours, or of a rival, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", __name__, name, str(n)], capture_output=True, text=True, check=True)
    return rows(json.loads(done.stdout.splitlines()[-1]))


def rows(found: dict[str, Any]) -> list[Row]:
    """What was measured, as rows of a table.

    >>> [each["name"] for each in rows({"name": "causal", "n": 7, "first_s": 1.0, "later_s": None, "megabytes": 2.0})]
    ['causal, first suggestion after 7 outcomes']
    """
    name, n, later = found["name"], found["n"], found["later_s"]
    what = "fit of" if name == "sklearn" else "first suggestion after"
    first = row(f"{name}, {what} {n} outcomes", 1e3 * found["first_s"], megabytes=round(found["megabytes"]))
    return [first] if later is None else [first, row(f"{name}, later suggestion after {n} outcomes", 1e3 * later)]


def sizes(wing: str) -> Cases:
    """Cases of a wing's table: `size-N`."""
    return {f"size-{n}": partial(measured, wing, n) for n in SIZES}


def rivals() -> Cases:
    """Those that are installed, at 1000 and 2000 outcomes."""
    there = [name for name in RIVALS if find_spec(name)]
    return {f"size-{name}-{n}": partial(measured, name, n) for name in there for n in SIZES[:2]}


def main() -> None:
    """One row, as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("name", choices=[*WINGS, *RIVALS])
    parser.add_argument("n", type=int)
    given = parser.parse_args()
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        found = RIVALS[given.name](given.n) if given.name in RIVALS else ours(given.name, given.n)
    print(json.dumps({"name": given.name, "n": given.n, **found}))


if __name__ == "__main__":
    main()
