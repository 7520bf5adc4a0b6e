"""What every form has in common: marks of nodes, and limits."""

from __future__ import annotations

import pytest

from steerbo.causal.graphs._projection import MOST_EDGES
from tests.causal.graph_texts import refuse

REFUSED = {
    "two outcomes": ("dag { x [exposure] y [outcome] z [outcome] x -> {y z} }", "target: .*'y', 'z'.*one variable"),
    "both": ("dag { x -> y u [latent, observed] }", "line 1, node u.*either observed or latent"),
    "unsure": ("dag {\n x -> y\n u [latent=maybe] }", "line 3, node u.*'latent=maybe'.*latent=yes or latent=no"),
    "mistyped mark": ("dag { x -> y u [latnet] }", "node u.*'latnet'.*did you mean 'latent'"),
    "nearly a mark": ("dag { x -> y u [observd=no] }", "node u.*'observd'.*did you mean 'observed'"),
    "selected": ("dag { x -> y s [selected] }", "node s.*'selected'.*leave it out"),
    "wrong role": ("dag { x -> y s [role=action] }", "node s.*'role=action'.*intervenable"),
    "self-loop": ("x -> y\ny <-> y", "line 2: 'y <-> y'.*self-loop"),
    "much": ("x" * 1_000_001, "at most 1000000 characters"),
    "many edges": ("\n".join(f"a{i} -> y" for i in range(20_000)), f"at most {MOST_EDGES} edges"),
    "many edges in groups": (
        "dag { {" + " ".join(f"a{i}" for i in range(9999)) + "} -> {" + " ".join(f"b{i}" for i in range(9999)) + "} }",
        f"at most {MOST_EDGES} edges",
    ),
    "many cyclic": ("\n".join(f"a{i} -> a{(i + 1) % 9000}" for i in range(9000)), "without cycles"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)
