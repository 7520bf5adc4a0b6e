"""Contract of the pictures of a kind of problem: they can be drawn before there are outcomes, and after."""

from __future__ import annotations

from io import BytesIO

import pytest

from ..core import Optimizer
from ..plots import pictures
from ..plots.drawing import save_figure
from .case import Case
from .contract import Contract


class PicturesContract(Contract):
    """Inherit, and give `case`, where a kind of problem has `pictures` of its own. It needs matplotlib."""

    def test_pictures_of_a_study_can_be_drawn(self, world: Case, played: Optimizer) -> None:
        pytest.importorskip("matplotlib")
        asked = world.start()
        world.ask(asked)
        counts = [self._drawn(optimizer) for optimizer in (world.start(), asked, played)]
        assert counts[-1], "a study with outcomes has a picture"

    def test_drawing_changes_nothing(self, played: Optimizer) -> None:
        pytest.importorskip("matplotlib")
        before = played.events
        self._drawn(played)
        assert played.events == before, "a function that draws reads, and never asks or tells"

    @staticmethod
    def _drawn(optimizer: Optimizer) -> int:
        """Draw every picture, check its title and text, and return their number."""
        count = 0
        for picture in pictures(optimizer):
            assert picture.title.strip(), "a title"
            assert picture.text.strip(), f"{picture.title}: a text for those who cannot see it"
            save_figure(picture.figure, BytesIO(), format="png")
            count += 1
        return count
