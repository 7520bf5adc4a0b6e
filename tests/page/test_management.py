"""Forms that change a running study."""

from __future__ import annotations

from steerbo.page.edit import management
from steerbo.study import MemoryLog, Study
from tests.serve.players import OVEN


def test_the_fields_hold_what_stands() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.5, rounds=20)
    study.revise(columns={"value": "Yield (kg)", "cost": "EUR"})
    found = management(study)
    assert [(field.name, field.value, field.unit) for field in found.limits] == [
        ("budget", "9.5", "EUR"),
        ("rounds", "20", ""),
        ("stop", "", "kg"),
    ]
    assert [(b.name, b.low.value, b.high.value) for b in found.bounds][:2] == [
        ("oven", "100", "200"),
        ("speed", "0", "1"),
    ]
    assert [field.name for field in found.data][:3] == ["value", "cost", "realised:oven"]
    assert found.scope == "oven + speed"
