"""CoCa-BO with BoTorch's model in every arm, for the ablation A.5 of the paper."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, cast

from steerbo.causal import Causal
from steerbo.causal.coca_bo import CoCaBO, CoCaOptions
from steerbo.causal.models import ArmModel, EmptyModel
from steerbo.core import Streams
from steerbo.errors import InvalidOption
from steerbo.gp import DriftModel
from steerbo.space import Space

from .single_task_gp import BotorchRegression


class CoCaBOOnBotorch(CoCaBO):
    """CoCa-BO whose arms are modelled by BoTorch's `SingleTaskGP` with its own kernel, priors and fit.

    Raises:
        InvalidOption: an option of our own model is chosen, or a variable is a category.
        MissingExtra: BoTorch is not installed.
    """

    name: ClassVar[str] = "coca-bo-on-botorch"

    def __init__(self, problem: Causal, options: CoCaOptions, streams: Streams) -> None:
        if options.kernel != "matern-5/2":
            raise InvalidOption("kernel", options.kernel, "to be left out: BoTorch's model is taken as it comes")
        super().__init__(problem, options, streams)

    def empty_model(self) -> EmptyModel:
        """Make BoTorch's models, and the constant, which is ours, over no variables."""
        return partial(_empty_model, super().empty_model())


def _empty_model(constant: EmptyModel, space: Space | None, drift_model: DriftModel | None) -> ArmModel:
    if space is None:
        return constant(space, drift_model)
    if space.categorical.any():
        raise InvalidOption("method", CoCaBOOnBotorch.name, "another method where a variable is a category")
    if drift_model is not None:
        raise InvalidOption("method", CoCaBOOnBotorch.name, "another method where effects change with time")
    return cast(ArmModel, BotorchRegression(len(space.names)))
