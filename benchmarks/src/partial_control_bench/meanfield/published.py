"""The problems of Steinberg et al. and ours, with their payoffs: swarm, arena, bikes, New York, maritime refuelling.

Two of them cannot be meant as printed (section 5.2): with normalised frequencies
`−Σ_x σ log(P_x + 1)` rewards crowds. Read as the average over agents, `−σ Σ_x P_x log(1 + P_x)`, it
gives the reward of .9 of the arena's Figure 3. Swarm's reward term is read as a mean over agents
too. Louisville's bikes and New York's taxis are not to be had: their places take Pittsburgh's bike
share (20 Saturdays of 2016) and New York's Uber pickups (20 weekdays of April 2014, 15 to 18 h), of
the same kind and size.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from ..errors import unknown
from .crowd import Crowd, Society, Table, Tables, Values
from .places import bikes, coverage, new_york, rows_of, shuffled

_THIRTY = tuple(str(i + 1) for i in range(30))
CONGESTION = 10.0
"""σ of swarm and arena."""
REGIONS = ("Africa", "Asia & Pacific", "Europe", "North America", "South America")


def _crowding(crowd: Float[np.ndarray, "r A"]) -> tuple[Values, Float[np.ndarray, "r A"]]:
    """−σ Σ P log(1 + P), and its gradient."""
    logs = np.log1p(crowd)
    return -CONGESTION * (crowd * logs).sum(axis=1), -CONGESTION * (logs + crowd / (1 + crowd))


def swarm(agents: int = 50) -> Crowd:
    """Section 5.2.1: gather about π/2, but not all in one place."""
    x = np.linspace(0, 2 * np.pi, 30)
    reward = 2 * np.pi**2 * (np.sin(x) - np.cos(x) ** 2) + 2 * np.sin(x)

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        value, slope = _crowding(tables[:, 0])
        return tables[:, 0] @ reward + value, (reward + slope)[:, None]

    def agent(table: Table) -> Table:
        return reward - CONGESTION * np.log1p(table)

    features = tuple((v,) for v in x.tolist())
    return Crowd("swarm", Society(_THIRTY, agents, features=features), payoff, agent)


def arena(agents: int = 50) -> Crowd:
    """Section 5.2.2: two teams on opposite sides; ordered pairs of agents over their number."""
    x = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    alike = np.cos(x[:, None] - x)
    team = np.array([-1.0, 1.0])
    society = Society(
        _THIRTY,
        agents,
        contexts=("-1", "1"),
        features=tuple((float(np.cos(v)), float(np.sin(v))) for v in x),
    )
    p = society.shares
    pairs = 2 * agents / (agents - 1)

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        joint = tables * p[:, None]
        signed = np.einsum("c,rca->ra", team, joint)
        pull = signed @ alike
        value, slope = _crowding(joint.sum(axis=1))
        reward = pairs * ((signed * pull).sum(axis=1) - 1 / agents)
        by = 2 * pairs * team[None, :, None] * pull[:, None] + slope[:, None]
        return reward + value, by * p[:, None]

    def agent(table: Table) -> Table:
        joint = table * p[:, None]
        reward = pairs * (team[:, None] * ((team @ joint) @ alike) - 1 / agents)
        return np.asarray(reward - CONGESTION * np.log1p(joint.sum(axis=0)))

    return Crowd("arena", society, payoff, agent)


def maritime(ports: int = 30, agents: int = 3000) -> Crowd:
    """Section 5.3.3: refuel in one's own region, but not all in one port. Ports are drawn at random (seed 0), of 1,622.

    Read as `−½ P_x / V_x + 1[own region]`, with V normalised over the ports.
    """
    busy = [row for row in rows_of("ports.csv") if float(row["vessel_count_total"]) >= 40]
    rows = [
        busy[i] for i in np.sort(np.random.default_rng(0).choice(len(busy), ports, replace=False))
    ]
    capacity = np.array([float(row["vessel_count_total"]) for row in rows])
    V = capacity / capacity.sum()
    own = np.array([[float(row["region"] == region) for row in rows] for region in REGIONS])
    society = Society(tuple(row["port_id"] for row in rows), agents, contexts=REGIONS)
    p = society.shares

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        P = np.einsum("c,rca->ra", p, tables)
        value = -0.5 * (P**2 / V).sum(axis=1) + np.einsum("c,rca,ca->r", p, tables, own)
        return value, p[:, None] * (own - (P / V)[:, None])

    def agent(table: Table) -> Table:
        return np.asarray(own - 0.5 * (p @ table) / V)

    return Crowd("maritime", society, payoff, agent)


_MAKERS: dict[str, Callable[[], Crowd]] = {
    "swarm": swarm,
    "arena": arena,
    "bikes-36": bikes,
    "new-york-160": new_york,
    "maritime": maritime,
    "new-york-235": functools.partial(new_york, 235),
    "new-york-394": functools.partial(new_york, 394),
    "bikes-36-map": functools.partial(bikes, on_map=True),
    "new-york-160-map": functools.partial(new_york, on_map=True),
    "new-york-235-map": functools.partial(new_york, 235, on_map=True),
    "new-york-160-shuffled": lambda: shuffled(new_york(on_map=True)),
    "new-york-394-map": functools.partial(new_york, 394, on_map=True),
    "coverage-160": coverage,
}
NAMES = tuple(_MAKERS)
"""The problems."""


@functools.cache
def crowd(name: str) -> Crowd:
    """The problem of this name.

    Raises:
        BenchError: there is none, or its data are not at hand.
    """
    if name not in _MAKERS:
        raise unknown("problem", name, NAMES)
    return _MAKERS[name]()
