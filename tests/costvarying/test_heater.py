"""A heater that follows the weather: its law is learned given what is seen, and it is left off only on mild days."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from tests.sizes import size

BEST, WIDTH = 22.0, 7.0  # °C at which plants grow best; half of its square is lost this far away
TOLERANCE = 0.5
HEATED = sb.CostVarying(
    [
        sb.Float("vent", 0, 1),
        sb.Float("indoors", -5, 40, law=sb.space.Learned()),
        sb.Float("outdoors", 0, 30, seen=True),
    ],
    [["vent"], ["vent", "indoors"]],
    costs=[1, 4],
    tolerance=sb.Absolute(TOLERANCE),
)


def late_plays(seed: int, apart: float) -> tuple[list[float], list[float]]:
    """Loss of the last 20 of 60 plays, and how far from the best temperature it was outdoors where it was left off."""
    random = np.random.default_rng(seed)
    optimizer = sb.Optimizer(HEATED, rounds=60, seed=seed)
    losses, off = [], []
    for number in range(60):
        outdoors = float(random.uniform(0, 30))
        suggestion = optimizer.ask(context={"outdoors": outdoors})
        assert suggestion is not None
        vent, heated = suggestion.values["vent"], "indoors" in suggestion.values
        followed = float(np.clip(outdoors + apart * random.normal(), -5, 40))
        indoors = suggestion.values["indoors"] if heated else followed
        value = 10 - ((indoors - BEST) / WIDTH) ** 2 - 2 * (vent - 0.6) ** 2 + 0.1 * random.normal()
        optimizer.tell(suggestion, value, realised={"vent": vent, "indoors": indoors, "outdoors": outdoors})
        if number >= 40:
            expected = (indoors - BEST) ** 2 if heated else (outdoors - BEST) ** 2 + apart**2
            losses.append(expected / WIDTH**2 + 2 * (vent - 0.6) ** 2)
            if not heated:
                off.append(abs(outdoors - BEST))
    return losses, off


@pytest.mark.parametrize(("apart", "most"), [(0.0, 0.3), (2.0, 0.9)])
def test_it_is_left_off_only_where_that_costs_little(apart: float, most: float) -> None:
    """One study, two at full size.

    Of sixteen, these among them, .17 ± .05 was lost a late play where indoors follows (one tried -5 °C once, at 15), of
    ten others .20 ± .04 with 2 K of noise; always left off it loses 2.5. Left off it may be within 4.9 °C.
    """
    plays = [late_plays(seed, apart) for seed in range(1, 1 + size(2, 1))]
    assert np.mean([loss for losses, _ in plays for loss in losses]) <= most
    allowed = WIDTH * TOLERANCE**0.5 + 3.0
    assert np.mean([away > allowed for _, off in plays for away in off]) <= 0.2
