"""What a kind of problem takes in `ask`."""

from __future__ import annotations

import pytest

from steerbo.rounds import RequestField, kinds, problem_class


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
