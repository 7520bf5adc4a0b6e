"""Problems that one can only partly steer, and what methods make of them: a benchmark that anybody can enter.

An entrant is one class with `ask` and `tell` (and `decide`, where there is something to look at
first); README says how to run, check and draw it.
"""

from .errors import BenchError
from .protocol import Entrant, Look, Outcome, Values

__all__ = ["BenchError", "Entrant", "Look", "Outcome", "Values"]
