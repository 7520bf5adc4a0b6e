"""Contract of methods as tests to inherit, for methods of other packages as for steerbo's own. It needs pytest.

    # test_nearest.py
    from steerbo.testing import Case, WingContract

    def evaluate(suggestion, random):  # the world: arguments of `tell` beside the suggestion and its cost
        return {"value": -((suggestion.values["height"] - 1.2) ** 2) + 0.01 * random.normal()}

    class TestNearest(WingContract):
        case = staticmethod(lambda: Case(Shelf(), Nearest, evaluate))

`WingContract` is for a method. Where the same method is also tried on a problem with a further
trait (a drift, a context, constraints), `TraitContract` has the tests that the trait can break.
`SeenContract` has the tests of contexts that are seen before choosing: inherit it alone or beside
one of these. `PicturesContract` draws the pictures of a kind of problem.

The contract checks that the same seed and log give the same bits, also after a restart and on any
number of threads; that pending, failed, abandoned, late, voided and amended rounds are handled;
that budgets hold; that outcomes of any size are survived; and that invalid input is refused by
name. For the values in failing assertions call `pytest.register_assert_rewrite("steerbo.testing")`
in your conftest.py.
"""

from .case import Case, Draw, backwards, bits, changed, values_of
from .contract import PicturesContract, TraitContract, WingContract
from .seen import SeenContract

__all__ = [
    "Case", "Draw", "PicturesContract", "SeenContract", "TraitContract", "WingContract", "backwards", "bits", "changed",
    "values_of",
]  # fmt: skip
