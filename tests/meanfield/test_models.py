"""One process for every embedding: which are fitted when, which is chosen, and what logs say of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield import MeanField
from steerbo.meanfield.kernels import Inputs
from steerbo.meanfield.models import PayoffModels
from steerbo.meanfield.process import Observations

SIDE = 6
PLACES = tuple((float(i), float(j)) for i in range(SIDE) for j in range(SIDE))
HILL = np.array([np.exp(-((x - 1) ** 2 + (y - 4) ** 2) / 6) for x, y in PLACES])


def town(features: bool = True) -> MeanField:
    return MeanField(tuple(map(str, range(SIDE**2))), 1000, action_features=PLACES if features else None)


def told(n: int, seed: int = 0) -> Observations:
    """How far from a demand that falls off smoothly on the map."""
    tables = np.random.default_rng(seed).dirichlet(np.full(SIDE**2, 3.0), size=(n, 1))
    wanted = HILL / HILL.sum()
    y = -((np.sqrt(tables[:, 0]) - np.sqrt(wanted)) ** 2).sum(axis=1)
    return Observations(Inputs(tables, tables), (y - y.mean()) / y.std(), np.ones(n), tables[:5])


def refitted(models: PayoffModels, data: Observations) -> dict[str, Any]:
    found = models.refit(data, len(data.values))
    assert found is not None
    return found


def test_on_a_map_the_map_is_likelier() -> None:
    models, data = PayoffModels(town(), "product", "learned"), told(25)
    models.learn(refitted(models, data))
    assert models.kernel.embedding.name.startswith("map")
    assert models.used == (models.kernel.embedding.name, "plain", "root")


def test_without_features_there_is_no_map() -> None:
    models = PayoffModels(town(features=False), "product", "learned")
    assert [*models.embeddings] == ["plain", "root"]
    assert [*PayoffModels(town(), "product", "root").embeddings] == ["root"]


def test_features_that_are_all_alike_are_no_map() -> None:
    alike = MeanField(("a", "b", "c"), 10, action_features=((1.0,), (1.0,), (1.0,)))
    assert [*PayoffModels(alike, "product", "learned").embeddings] == ["plain", "root"]


def test_all_embeddings_are_compared_when_due_and_those_in_use_every_round() -> None:
    models, data = PayoffModels(town(), "product", "learned"), told(12)
    first = refitted(models, data)
    maps = [name for name in first if name.startswith("map")]
    assert len(maps) == 2
    assert first["compared"] == 12
    models.learn(first)
    later = refitted(models, told(13))
    assert {*later} == {*models.used, "embedding", "compared"}
    assert later["embedding"] == first["embedding"]
    assert later["compared"] == 12


def test_a_log_of_an_earlier_version_is_read() -> None:
    """It has hyperparameters of the chosen embedding alone: the others are fitted where they are asked for."""
    models, data = PayoffModels(town(), "product", "learned"), told(8)
    theta = {"lengthscale": (-0.5).hex(), "actions": (0.0).hex(), "noise": (-6.0).hex()}
    models.learn({"root": theta, "embedding": "root", "compared": 7})
    assert models.parameters("root", data)["lengthscale"] == -0.5
    table = np.full((1, 1, SIDE**2), 1 / SIDE**2)
    assert models.bounds(data, None, embedding="plain").learned(table)[0] == pytest.approx(0.5, abs=0.5)


def test_one_cell_is_a_problem_still() -> None:
    alone = MeanField(("here",), 5, action_features=((1.0, 2.0),))
    models = PayoffModels(alone, "product", "learned")
    ones = np.ones((6, 1, 1))
    data = Observations(Inputs(ones, ones), np.zeros(6), np.ones(6), ones[:5])
    models.learn(refitted(models, data))
    assert np.isfinite(models.bounds(data, None).average(ones[:1])[0]).all()
