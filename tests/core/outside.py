"""A kind of problem and a method of another package."""

from __future__ import annotations

import steerbo as sb
from steerbo.core import Created

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]])
KIND = """
from typing import Literal
from steerbo.records import record
from steerbo.core import Problem
from steerbo.space import Float, Space

@record
class Shelf(Problem):
    '''One height.'''
    minimize: bool = False
    kind: Literal["shelf"] = "shelf"
    @property
    def space(self):
        return Space((Float("height", 0, 2),))
"""


def created(optimizer: sb.Optimizer) -> Created:
    first = optimizer.events[0]
    assert isinstance(first, Created)
    return first
