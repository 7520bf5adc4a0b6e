"""Problems of real places: bikes, New York's cells, by name or with their coordinates, and a crowd that covers a town.

Coordinates are kilometres, as features of the actions; the problems that have them are called
`…-map`.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from .. import data
from ..errors import BenchError
from .crowd import Crowd, Society, Table, Tables, Values

_CELLS = {160: "12x20", 235: "15x26", 394: "20x36"}
_KILOMETRES = 111.2  # in a degree of latitude
# kilometres; cells' worth of agents, evenly spread, that serve all but 1/e of a cell alone
_REACH, _CROWD = 0.5, 4.0


def _demand(name: str, society: Society, demand: Float[np.ndarray, " A"]) -> Crowd:
    """Minus the Jensen–Shannon divergence to the demand; an agent's own part of it is `−½ log P_x / H_x`."""

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        P = tables[:, 0]
        H = 0.5 * (P + demand)
        ratio = np.log(np.maximum(P, 1e-300) / np.maximum(H, 1e-300))
        value = -0.5 * (P * ratio).sum(axis=1) - 0.5 * (
            demand * np.log(np.maximum(demand, 1e-300) / H)
        ).sum(axis=1)
        return value, -0.5 * ratio[:, None]

    def agent(table: Table) -> Table:
        H = 0.5 * (table + demand)
        shared = -0.5 * (demand * np.log(np.maximum(demand, 1e-300) / H)).sum()
        return np.asarray(shared - 0.5 * np.log(np.maximum(table, 1e-300) / H))

    return Crowd(name, society, payoff, agent)


def rows_of(name: str) -> list[dict[str, str]]:
    """The lines of a data file.

    Raises:
        DataMissing: it is not at hand.
    """
    return list(csv.DictReader(io.StringIO(data.required(name).read_text(encoding="utf-8"))))


def _days(rows: list[dict[str, str]]) -> Float[np.ndarray, " A"]:
    """The mean of the days' normalised demands."""
    days = [key for key in rows[0] if key[:2] == "20"]
    counts = np.array([[float(row[day]) for day in days] for row in rows])
    return np.asarray((counts / counts.sum(axis=0)).mean(axis=1))


def _kilometres(rows: list[dict[str, str]]) -> tuple[tuple[float, float], ...]:
    """East and north of the first place."""
    north, east = (
        np.array([float(row[name]) for row in rows]) for name in ("latitude", "longitude")
    )
    flat = np.stack([(east - east[0]) * np.cos(np.deg2rad(north.mean())), north - north[0]], axis=1)
    return tuple(map(tuple, (_KILOMETRES * flat).tolist()))


def _spread(name: str, column: str, rows: list[dict[str, str]], agents: int, on_map: bool) -> Crowd:
    """Agents over places, as the demand there is."""
    society = Society(tuple(row[column] for row in rows), agents)
    if on_map:
        name, society = f"{name}-map", replace(society, features=_kilometres(rows))
    return _demand(name, society, _days(rows))


def bikes(stations: int = 36, agents: int = 300, on_map: bool = False) -> Crowd:
    """Section 5.3.1 with Pittsburgh's bikes for Louisville's."""
    rows = [row for row in rows_of("bike_station_demand.csv") if int(row["rank"]) <= stations]
    return _spread(f"bikes-{stations}", "station_id", rows, agents, on_map)


def new_york(cells: int = 160, agents: int = 20_000, on_map: bool = False) -> Crowd:
    """Section 5.3.2 with Uber pickups for taxis': 160, 235 or 394 cells."""
    return _spread(f"new-york-{cells}", "cell", _cells(cells), agents, on_map)


def _cells(cells: int) -> list[dict[str, str]]:
    if cells not in _CELLS:
        raise BenchError(f"cells {cells}: must be one of {', '.join(map(str, _CELLS))}")
    return [
        row for row in rows_of(f"nyc_uber_demand_{_CELLS[cells]}.csv") if int(row["rank"]) <= cells
    ]


def shuffled(known: Crowd) -> Crowd:
    """With the coordinates of other actions, at random: a map that tells nothing."""
    features = known.society.features or ()
    order = np.random.default_rng(0).permutation(len(features))
    society = replace(known.society, features=tuple(features[i] for i in order))
    return replace(known, name=known.name.replace("-map", "-shuffled"), society=society)


def coverage(cells: int = 160, agents: int = 1000) -> Crowd:
    """Ours, on the map: demand D_a is served but for `exp(−L_a)`, L_a = s Σ_b exp(−d²_ab/2r²) ξ_b, r half a kilometre.

    Every agent within reach of a customer has an equal part of the fare.
    """
    rows = _cells(cells)
    places, demand = np.array(_kilometres(rows)), _days(rows)
    near = np.exp(-((places[:, None] - places) ** 2).sum(axis=2) / (2 * _REACH**2)) * (
        cells / _CROWD
    )

    def payoff(tables: Tables) -> tuple[Values, Tables]:
        unserved = demand * np.exp(-tables[:, 0] @ near)
        return 1 - unserved.sum(axis=1), (unserved @ near)[:, None]

    def agent(table: Table) -> Table:
        load = table @ near
        return np.asarray(demand * -np.expm1(-load) / np.maximum(load, 1e-300)) @ near

    actions = tuple(row["cell"] for row in rows)
    return Crowd(
        f"coverage-{cells}", Society(actions, agents, features=_kilometres(rows)), payoff, agent
    )
