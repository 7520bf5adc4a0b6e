"""The paper's problems as worlds that can be played: swarm, arena, bikes, New York, maritime refuelling.

Two of them cannot be meant as printed (section 5.2): with normalised frequencies `−Σ_x σ log(P_x + 1)` rewards
crowds. Read as the average over agents, `−σ Σ_x P_x log(1 + P_x)`, it gives the reward of .9 of the arena's Figure 3.
Swarm's reward term is read as a mean over agents too. Louisville's bikes and New York's taxis are not to be had:
their places take Pittsburgh's bike share (20 Saturdays of 2016) and New York's Uber pickups (20 weekdays of April
2014, 15 to 18 h), of the same kind and size.
"""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from steerbo.errors import InvalidOption, one_of
from steerbo.meanfield import MeanField
from steerbo.search import maximise_simplex, simplex_starts

from .. import data

Table = Float[np.ndarray, "C A"]
Tables = Float[np.ndarray, "r C A"]
Values = Float[np.ndarray, " r"]
ValueAndGradient = Callable[[Tables], tuple[Values, Tables]]
PerCell = Callable[[Table], Table]

_THIRTY = tuple(str(i + 1) for i in range(30))
CONGESTION = 10.0
"""σ of swarm and arena."""
_CELLS = {160: "12x20", 235: "15x26", 394: "20x36"}
_KILOMETRES = 111.2  # in a degree of latitude
_REACH, _CROWD = 0.5, 4.0  # kilometres; cells' worth of agents, evenly spread, that serve all but 1/e of a cell alone
REGIONS = ("Africa", "Asia & Pacific", "Europe", "North America", "South America")


@dataclass(frozen=True, eq=False)
class World:
    """One problem with its noise-free payoff.

    Args:
        name: one of `NAMES`.
        problem: for an optimizer.
        payoff: tables (r, C, A) to population averages (r,) and their gradients.
        agent: a table (C, A) to the payoff f(x, c, ξ) of an agent in each cell, whose average is `payoff`.
    """

    name: str
    problem: MeanField
    payoff: ValueAndGradient
    agent: PerCell

    def value(self, table: Float[np.ndarray, "C A"]) -> float:
        """The noise-free payoff of one table."""
        return float(self.payoff(table[None])[0][0])

    @functools.cached_property
    def random(self) -> float:
        """The mean payoff where every agent picks uniformly, over 1000 draws."""
        draw = np.random.default_rng(0)
        C, A = self.problem.simplex.shape
        even = np.full((1000, C, A), 1 / A)
        drawn = draw.multinomial(np.broadcast_to(self.problem.agents_in, (1000, C)), even)
        return float(self.payoff(drawn / self.problem.agents_in[:, None])[0].mean())

    @functools.cached_property
    def optimum(self) -> float:
        """The largest payoff over distributions (not only those that whole agents can play)."""
        C, A = self.problem.simplex.shape
        starts = simplex_starts(np.empty((0, C, A)), 64, seed=1)
        return maximise_simplex(self.payoff, starts, iterations=5000, tolerance=1e-12).value

    def score(self, payoff: float) -> float:
        """(payoff − random) / (optimum − random)."""
        return (payoff - self.random) / (self.optimum - self.random)


def _crowding(crowd: Float[np.ndarray, "r A"]) -> tuple[Values, Float[np.ndarray, "r A"]]:
    """−σ Σ P log(1 + P), and its gradient."""
    logs = np.log1p(crowd)
    return -CONGESTION * (crowd * logs).sum(axis=1), -CONGESTION * (logs + crowd / (1 + crowd))


def swarm(agents: int = 50) -> World:
    """Section 5.2.1: gather about π/2, but not all in one place."""
    x = np.linspace(0, 2 * np.pi, 30)
    reward = 2 * np.pi**2 * (np.sin(x) - np.cos(x) ** 2) + 2 * np.sin(x)

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        value, slope = _crowding(tables[:, 0])
        return tables[:, 0] @ reward + value, (reward + slope)[:, None]

    def agent(table: Table) -> Table:
        return reward - CONGESTION * np.log1p(table)

    features = tuple((v,) for v in x.tolist())
    return World("swarm", MeanField(_THIRTY, agents, action_features=features), payoff, agent)


def arena(agents: int = 50) -> World:
    """Section 5.2.2: two teams on opposite sides; ordered pairs of agents over their number."""
    x = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    alike = np.cos(x[:, None] - x)
    team = np.array([-1.0, 1.0])
    problem = MeanField(
        _THIRTY,
        agents,
        contexts=("-1", "1"),
        action_features=tuple((float(np.cos(v)), float(np.sin(v))) for v in x),
    )
    p = problem.shares
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

    return World("arena", problem, payoff, agent)


def _demand(name: str, problem: MeanField, demand: Float[np.ndarray, " A"]) -> World:
    """Minus the Jensen–Shannon divergence to the demand; an agent's own part of it is `−½ log P_x / H_x`."""

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        P = tables[:, 0]
        H = 0.5 * (P + demand)
        ratio = np.log(np.maximum(P, 1e-300) / np.maximum(H, 1e-300))
        value = -0.5 * (P * ratio).sum(axis=1) - 0.5 * (demand * np.log(np.maximum(demand, 1e-300) / H)).sum(axis=1)
        return value, -0.5 * ratio[:, None]

    def agent(table: Table) -> Table:
        H = 0.5 * (table + demand)
        shared = -0.5 * (demand * np.log(np.maximum(demand, 1e-300) / H)).sum()
        return np.asarray(shared - 0.5 * np.log(np.maximum(table, 1e-300) / H))

    return World(name, problem, payoff, agent)


def _rows(name: str) -> list[dict[str, str]]:
    content = data.text(name)
    if content is None:
        raise InvalidOption(data.VARIABLE, data.folder(), f"a folder that holds {name}")
    return list(csv.DictReader(io.StringIO(content)))


def _days(rows: list[dict[str, str]]) -> Float[np.ndarray, " A"]:
    """The mean of the days' normalised demands."""
    days = [key for key in rows[0] if key[:2] == "20"]
    counts = np.array([[float(row[day]) for day in days] for row in rows])
    return np.asarray((counts / counts.sum(axis=0)).mean(axis=1))


def _kilometres(rows: list[dict[str, str]]) -> tuple[tuple[float, float], ...]:
    """East and north of the first place."""
    north, east = (np.array([float(row[name]) for row in rows]) for name in ("latitude", "longitude"))
    flat = np.stack([(east - east[0]) * np.cos(np.deg2rad(north.mean())), north - north[0]], axis=1)
    return tuple(map(tuple, (_KILOMETRES * flat).tolist()))


def _spread(name: str, column: str, rows: list[dict[str, str]], agents: int, on_map: bool) -> World:
    """Agents over places, as the demand there is."""
    problem = MeanField(tuple(row[column] for row in rows), agents)
    if on_map:
        name, problem = f"{name}-map", replace(problem, action_features=_kilometres(rows))
    return _demand(name, problem, _days(rows))


def bikes(stations: int = 36, agents: int = 300, on_map: bool = False) -> World:
    """Section 5.3.1 with Pittsburgh's bikes for Louisville's."""
    rows = [row for row in _rows("bike_station_demand.csv") if int(row["rank"]) <= stations]
    return _spread(f"bikes-{stations}", "station_id", rows, agents, on_map)


def new_york(cells: int = 160, agents: int = 20_000, on_map: bool = False) -> World:
    """Section 5.3.2 with Uber pickups for taxis': 160, 235 or 394 cells."""
    return _spread(f"new-york-{cells}", "cell", _cells(cells), agents, on_map)


def _cells(cells: int) -> list[dict[str, str]]:
    if cells not in _CELLS:
        raise InvalidOption("cells", cells, one_of(map(str, _CELLS), cells))
    return [row for row in _rows(f"nyc_uber_demand_{_CELLS[cells]}.csv") if int(row["rank"]) <= cells]


def shuffled(name: str) -> World:
    """With the coordinates of other actions, at random: a map that tells nothing."""
    known = world(name)
    features = known.problem.action_features or ()
    order = np.random.default_rng(0).permutation(len(features))
    problem = replace(known.problem, action_features=tuple(features[i] for i in order))
    return replace(known, name=name.replace("-map", "-shuffled"), problem=problem)


def coverage(cells: int = 160, agents: int = 1000) -> World:
    """Ours, on the map: demand D_a is served but for `exp(−L_a)`, L_a = s Σ_b exp(−d²_ab/2r²) ξ_b, r half a kilometre.

    Every agent within reach of a customer has an equal part of the fare.
    """
    rows = _cells(cells)
    places, demand = np.array(_kilometres(rows)), _days(rows)
    near = np.exp(-((places[:, None] - places) ** 2).sum(axis=2) / (2 * _REACH**2)) * (cells / _CROWD)

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        unserved = demand * np.exp(-tables[:, 0] @ near)
        return 1 - unserved.sum(axis=1), (unserved @ near)[:, None]

    def agent(table: Table) -> Table:
        load = table @ near
        return np.asarray(demand * -np.expm1(-load) / np.maximum(load, 1e-300)) @ near

    actions = tuple(row["cell"] for row in rows)
    return World(f"coverage-{cells}", MeanField(actions, agents, action_features=_kilometres(rows)), payoff, agent)


def maritime(ports: int = 30, agents: int = 3000) -> World:
    """Section 5.3.3: refuel in one's own region, but not all in one port. Ports are drawn at random (seed 0), of 1,622.

    Read as `−½ P_x / V_x + 1[own region]`, with V normalised over the ports.
    """
    busy = [row for row in _rows("ports.csv") if float(row["vessel_count_total"]) >= 40]
    rows = [busy[i] for i in np.sort(np.random.default_rng(0).choice(len(busy), ports, replace=False))]
    capacity = np.array([float(row["vessel_count_total"]) for row in rows])
    V = capacity / capacity.sum()
    own = np.array([[float(row["region"] == region) for row in rows] for region in REGIONS])
    problem = MeanField(tuple(row["port_id"] for row in rows), agents, contexts=REGIONS)
    p = problem.shares

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        P = np.einsum("c,rca->ra", p, tables)
        value = -0.5 * (P**2 / V).sum(axis=1) + np.einsum("c,rca,ca->r", p, tables, own)
        return value, p[:, None] * (own - (P / V)[:, None])

    def agent(table: Table) -> Table:
        return np.asarray(own - 0.5 * (p @ table) / V)

    return World("maritime", problem, payoff, agent)


_MAKERS: dict[str, Callable[[], World]] = {
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
    "new-york-160-shuffled": lambda: shuffled("new-york-160-map"),
    "new-york-394-map": functools.partial(new_york, 394, on_map=True),
    "coverage-160": coverage,
}
NAMES = tuple(_MAKERS)
"""The problems."""


@functools.cache
def world(name: str) -> World:
    """The problem of this name.

    Raises:
        InvalidOption: there is none, or its data are not at hand.
    """
    if name not in _MAKERS:
        raise InvalidOption("name", name, one_of(NAMES, name))
    return _MAKERS[name]()
