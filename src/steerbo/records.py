"""Frozen data: how every variable, law, problem, suggestion and event is declared.

A record is a pydantic dataclass that takes positional arguments, refuses unknown fields, is
hashable, and whose validation errors are the library's own. Its fields take no text and no True for
a number, and no number for a text or for True. `to_dict` and `from_dict` are its JSON/TOML form.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from decimal import Decimal
from numbers import Real
from typing import Any, TypeVar, cast, dataclass_transform

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError, PydanticSerializationError, core_schema

from ._validation import from_pydantic
from .errors import InvalidInput, InvalidProblem, short_repr

__all__ = ["Record", "from_dict", "from_pydantic", "identity", "record", "short_repr", "to_dict"]

T = TypeVar("T")
_LARGEST_WHOLE = 2**128  # the largest seed; Python does not print numbers of thousands of digits
_CONFIG = ConfigDict(extra="forbid", strict=False, arbitrary_types_allowed=True)


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Declare a frozen data class. Its constructor raises `InvalidProblem`, never a foreign error.

    >>> @record
    ... class Point:
    ...     x: float
    >>> Point(1)
    Point(x=1.0)
    >>> Point("one")
    Traceback (most recent call last):
        ...
    steerbo.errors.InvalidProblem: Point.x: 'one' is not allowed; expected a number.
    """
    if "__get_pydantic_core_schema__" not in vars(cls):
        cls.__get_pydantic_core_schema__ = classmethod(_schema)  # type: ignore[attr-defined]
    made: Any = dataclass(frozen=True, config=_CONFIG)(cls)
    construct = made.__init__
    names = [field.name for field in fields(made) if field.init and not field.kw_only]

    @functools.wraps(construct)
    def initialise(self: Any, *values: Any, **named: Any) -> None:
        if len(values) > len(names):
            raise InvalidProblem(
                cls.__name__, values, f"at most {len(names)} positional values ({', '.join(names)})"
            )
        given = dict(zip(names, values, strict=False))
        twice = next((name for name in given if name in named), None)
        if twice is not None:
            raise InvalidProblem(
                f"{cls.__name__}.{twice}", named[twice], "this field to be given once"
            )
        given |= named
        try:
            construct(self, **given)
        except ValidationError as error:
            raise from_pydantic(error, cls.__name__, InvalidProblem, given, cls) from None
        except (UnicodeError, RecursionError):
            raise InvalidProblem(cls.__name__, given, "data that can be written down") from None

    made.__init__ = initialise
    return made


def of_checked(cls: type[T], **fields: Any) -> T:
    """Make a record of all of its fields, without validation: the values come from a record that was validated.

    >>> @record
    ... class Point:
    ...     x: float
    >>> of_checked(Point, x=2.0)
    Point(x=2.0)
    """
    new: T = object.__new__(cls)
    vars(new).update(fields)
    return new


def with_checked(made: T, **changes: Any) -> T:
    """Copy a record with changed fields, without validation: see `of_checked`.

    >>> @record
    ... class Point:
    ...     x: float
    >>> with_checked(Point(1), x=2.0)
    Point(x=2.0)
    """
    new: T = object.__new__(type(made))
    vars(new).update(vars(made), **changes)
    return new


def _number(value: Any) -> Any:
    if type(value) is float:  # almost always: abstract types take several times as long
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | Decimal):
        raise PydanticCustomError("number", "a number")
    return value


def _whole(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise PydanticCustomError("whole", "a whole number")
    size: Any = abs(value)
    if size > _LARGEST_WHOLE:
        raise PydanticCustomError("whole", "a whole number of at most 2**128 in size")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise PydanticCustomError("flag", "true or false")
    return bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise PydanticCustomError("text", "a text")
    return value


def _several(value: Any) -> Any:
    if not isinstance(value, list | tuple):  # a generator may have no end, and a set has no order
        raise PydanticCustomError("listed", "a list")
    return value


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "float": _number,
    "int": _whole,
    "bool": _flag,
    "str": _text,
    "list": _several,
    "tuple": _several,
}
_OWN = (
    "dataclass",
    "model",
    "function-before",
    "function-plain",
    "function-wrap",
    "literal",
    "definition-ref",
)


def _schema(cls: type, source: Any, handler: Callable[[Any], Any]) -> Any:
    """Pydantic's schema of a record, without conversions between texts, numbers, and True."""
    made = outer = copy.copy(handler(source))
    # a validator of the whole record
    while outer["type"] != "dataclass" and isinstance(outer.get("schema"), dict):
        outer["schema"] = outer = copy.copy(outer["schema"])
    if outer["type"] == "dataclass":
        outer["schema"] = _plain(outer["schema"])
    return made


def _plain(schema: Any) -> Any:
    """Restrict each type in a schema to its own values. Schemas of other records are restricted already."""
    if isinstance(schema, list | tuple):
        return type(schema)(_plain(part) for part in schema)
    if not isinstance(schema, dict) or schema.get("type") in _OWN:
        return schema
    inner = ("schema", "fields", "choices", "items_schema", "keys_schema", "values_schema", "items")
    made: Any = {name: _plain(part) if name in inner else part for name, part in schema.items()}
    check = _CHECKS.get(schema["type"]) if "type" in schema else None
    return made if check is None else core_schema.no_info_before_validator_function(check, made)


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def to_dict(value: Any, kind: Any = None) -> Any:
    """Convert `value` to dicts, lists, strings and numbers, ready for JSON; fields at None are left out.

    Raises:
        InvalidProblem: it holds something that has no plain form (a Python function, say).
    """
    try:
        adapter = _adapter(kind or cast(Any, type(value)))
        # pydantic's warnings are off: data without a plain form is refused below
        return adapter.dump_python(value, mode="json", exclude_none=True, warnings="none")
    except PydanticSerializationError as error:
        raise InvalidProblem(
            type(value).__name__, value, "data that can be written as JSON", f"({error})"
        ) from None


def from_dict(
    kind: Any, plain: Any, place: str = "", error: type[InvalidInput] = InvalidProblem
) -> Any:
    """Read a result of `to_dict`, and validate it.

    Raises:
        InvalidProblem: (or the given kind of error) naming the field, its value and the allowed
            values.
    """
    try:
        return _adapter(kind).validate_python(plain)
    except ValidationError as complaint:
        raise from_pydantic(
            complaint, place or getattr(kind, "__name__", "value"), error, plain, kind
        ) from None
    except (UnicodeError, RecursionError):
        raise error(place or "value", plain, "data that can be written down") from None


class Record:
    """Base of records with a public JSON form."""

    def to_dict(self) -> dict[str, Any]:
        """Convert the record to dicts, lists, texts and numbers for `json.dumps`; fields at None are left out."""
        plain: dict[str, Any] = to_dict(self)
        return plain


def identity(value: Any) -> str:
    """Hash a record's content to a short name, the same in every process and version.

    >>> identity({"b": 1, "a": 2.0}) == identity({"a": 2.0, "b": 1})
    True
    """
    plain = value if isinstance(value, dict | list) else to_dict(value)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
