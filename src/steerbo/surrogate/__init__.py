"""What a scope is worth: one Gaussian process over all columns, and expectations over what nature draws."""

from .batched_bounds import Stack
from .expectation import Expectation
from .parts import Drawn, Known, Law, LawOf, Part, Rows, Set, parts_of
from .sample import Sample
from .searches import Domain, highest, highest_of, polished
from .standardised import RESOLVED, Standardised

__all__ = [
    "RESOLVED",
    "Domain",
    "Drawn",
    "Expectation",
    "Known",
    "Law",
    "LawOf",
    "Part",
    "Rows",
    "Sample",
    "Set",
    "Stack",
    "Standardised",
    "highest",
    "highest_of",
    "parts_of",
    "polished",
]
