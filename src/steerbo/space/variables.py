"""Any variable, as the type of a declaration's field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator, Discriminator

from .categorical import Categorical
from .fields import Listed, tagged
from .numeric import Float, Integer

Variable = Annotated[Float | Integer | Categorical, Discriminator("kind")]
"""Any variable; in a file its `kind` tells which."""


def _given(variable: object) -> object:
    kinds = {"float": Float, "integer": Integer, "categorical": Categorical}
    return tagged(variable, kinds, "a variable: ‹Float›, ‹Integer› or ‹Categorical›")


Variables = Annotated[Sequence[Annotated[Variable, BeforeValidator(_given)]], Listed]
"""The type of a declaration's field that holds variables."""

__all__ = ["Categorical", "Float", "Integer", "Variable", "Variables"]
