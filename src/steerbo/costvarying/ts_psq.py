"""TS-PSQ (Hayashi, Honda and Kashima 2022): draw a function, play where its expectation is largest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from ..core import Choice, Explanation, History
from ..records import record
from ..space import Categorical
from ..surrogate import PosteriorSample, highest_of
from .control_sets import Arm
from .method import PartialControl


@record
class TsPsqOptions:
    """Options of `ts-psq`.

    Args:
        sampling: "pathwise" corrects a random-feature draw with the kernel itself, which stays exact at the data;
            "features" draws the features' posterior weights, as the authors' program does.
    """

    sampling: Literal["pathwise", "features"] = "pathwise"


class TsPsq(PartialControl[TsPsqOptions]):
    """Draw a function from the posterior, play where its expectation is largest (Hayashi et al. 2022)."""

    name: ClassVar[str] = "ts-psq"
    Options: ClassVar[type[Any]] = TsPsqOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """`argmax_{i, x^i} E f̃([x^i, X^{-i}])`. Pending points need no care: another draw is another function."""
        if (start := self.start(history, request)) is not None:
            return start
        number = len(history) + 1
        outlook = self.outlook(history, request, pending=False)
        process = outlook.process
        choices = [len(v.choices) if isinstance(v, Categorical) else 0 for v in self.problem.variables]
        choices += [0] * (len(self.columns_of_model) - len(choices))  # the time
        sample = PosteriorSample.draw(
            process,
            self.model.output.forward(self.model.outcomes) - process.mean,
            process.noise,
            choices,
            self.streams(number, "sample"),
            at=outlook.domains[0].parts,
            exact=self.options.sampling == "pathwise",
        )
        best: tuple[float, int, np.ndarray] | None = None
        for i in self.maximal(np.flatnonzero(self.affordable(history)).tolist()):
            average = sample.average(outlook.domains[i].parts)
            found = highest_of(average, outlook.domains[i].box, self.streams.integer(number, f"search {i}"))
            if best is None or found.value > best[0]:
                best = (found.value, i, found.point)
        assert best is not None, "ask() is only reached while some set is affordable"
        return self.play(history, Arm(best[1]), best[2], request)

    def explain(self, history: History) -> Explanation:
        """What was played, and what it cost."""
        return Explanation(
            "the best set of a function drawn from the posterior is played", (self.table_of_sets(history),)
        )
