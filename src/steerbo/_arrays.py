"""Shapes and kinds of arrays in annotations, written as jaxtyping writes them: `Float[np.ndarray, "n d"]`.

They are for readers. Type checkers see the array, and a running program need not import more than
`typing`.
"""

from typing import Annotated as Bool
from typing import Annotated as Complex
from typing import Annotated as Float
from typing import Annotated as Int
from typing import Annotated as Shaped

__all__ = ["Bool", "Complex", "Float", "Int", "Shaped"]
