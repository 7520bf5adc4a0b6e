"""So many steps and not one more, and what to do then."""

from __future__ import annotations

import pytest

from steerbo.causal.step_limit import PATIENCE, Effort
from steerbo.errors import InvalidProblem


@pytest.mark.parametrize("left", [0, 1, 7])
def test_there_are_so_many_steps_and_not_one_more(left: int) -> None:
    effort = Effort(left)
    for _ in range(left):
        effort.step()
    for _ in range(2):
        with pytest.raises(InvalidProblem, match=r"graph\.intervenable: 'too many .*List fewer .*or raise .*limit"):
            effort.step()


def test_every_enumeration_has_its_own() -> None:
    one, other = Effort(), Effort()
    one.step()
    assert (one.left, other.left) == (PATIENCE - 1, PATIENCE)
