"""What a kind of problem takes in `ask`."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.core import RequestField, kinds, problem_class
from steerbo.core.request import check_taken
from steerbo.errors import InvalidRequest


@pytest.mark.parametrize("kind", [k for k in kinds() if problem_class(k).__module__.startswith("steerbo.")])
def test_fields_are_options_on_a_command_line(kind: str) -> None:
    fields = problem_class(kind).takes
    assert len({field.name for field in fields}) == len(fields)
    for field in fields:
        assert field.name.isidentifier()
        assert field.help[:1].isupper()


def test_what_is_typed_is_read_as_a_value_and_a_table_as_its_rows() -> None:
    field = RequestField("time", "What time it is")
    assert field.read(None, "8.5") == 8.5
    assert field.read(None, '{"a": 1}') == {"a": 1}
    assert field.read(None, [{"a": "1"}]) == [{"a": "1"}]


def test_what_is_not_taken_is_refused_with_what_to_use_instead() -> None:
    check_taken({"time": 3.0}, {"time"}, "causal", drifts=True)
    for name, drifts, said in (
        ("time", True, "`drift`"),
        ("context", False, "seen=True"),
        ("time", False, "not take it.$"),
    ):
        with pytest.raises(InvalidRequest, match=f"{name}: .*causal problem.*{said}"):
            check_taken({name: 1}, (), "causal", drifts=drifts)


def test_none_is_not_given() -> None:
    study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), seed=0)
    asked = study.ask(context=None, time=None, available=None, current=None)
    assert asked.values == sb.Optimizer(study.problem, seed=0).ask().values
    with pytest.raises(InvalidRequest, match="contxt"):
        study.ask(**{"contxt": None})
