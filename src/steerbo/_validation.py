"""Validation errors: collected, and translated from pydantic's to the library's, each field once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from ._wording import MISSING, listed
from .errors import InvalidInput, InvalidProblem, combine, did_you_mean, one_of

if TYPE_CHECKING:
    from pydantic import ValidationError


T = TypeVar("T")

_PLAIN = {
    "missing": "this field to be given",
    "missing_argument": "this field to be given",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number with fewer digits",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text",
    "string_unicode": "a text",
    "string_sub_type": "a text",
    "dict_type": "values by name, such as {'ph': 1}",
    "mapping_type": "values by name, such as {'ph': 1}",
    "list_type": "a list",
    "tuple_type": "a list",
    "callable_type": "a function",
    "recursion_loop": "data that does not contain itself",
}
_RECORDS = ("dataclass_type", "model_attributes_type")
_MOST_NAMED = 10  # kinds of records that a message names
_MOST_WRITTEN = 3  # records whose tables are written out
_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden", "unexpected_positional_argument")
_BOUND = {
    "greater_than": ("gt", "a number above"),
    "greater_than_equal": ("ge", "a number not below"),
    "less_than": ("lt", "a number below"),
    "less_than_equal": ("le", "a number not above"),
}
_COMPLAINTS = 1000  # complaints that are looked at


def collecting_errors(wrong: list[InvalidInput], read: Callable[[], T]) -> T | None:
    """Call `read`; on `InvalidInput` append its errors to `wrong` and return None."""
    try:
        return read()
    except InvalidInput as error:
        wrong.extend(error.errors)
        return None


def from_pydantic(
    error: ValidationError,
    place: str,
    kind: type[InvalidInput] = InvalidProblem,
    given: object = None,
    declared: Any = None,
) -> InvalidInput:
    """Translate a pydantic error, with all its complaints, to field (behind `place`), value and allowed values.

    With the validated data `given`, alternatives that all failed count once; from the `declared`
    type mistyped names are guessed.
    """
    complaints = error.errors(include_url=False)[:_COMPLAINTS]
    paths = [_path(complaint, given) for complaint in complaints]
    deeper = {path[:k] for path in paths for k in range(len(path))}
    misspelt = [_meant(complaint, given, declared) for complaint in complaints]
    found: dict[tuple[Any, ...], list[InvalidInput]] = {}
    for complaint, path in zip(complaints, paths, strict=True):
        if complaint["type"].startswith("missing") and complaint["loc"] in misspelt:
            continue  # it is there under another name, which is complained of
        ours = isinstance(
            complaint.get("ctx", {}).get("error"), InvalidInput
        )  # its message names the fault best
        if path in found and complaint["type"] == "literal_error" and len(found[path]) == 1:
            (other,) = found[path]  # a number or a word, say
            found[path] = [
                kind(
                    other.field, other.value, f"{other.allowed}, or {complaint['ctx']['expected']}"
                )
            ]
            continue
        if (path in found and not ours) or (
            path in deeper and isinstance(complaint["input"], Mapping | list | tuple)
        ):
            # alternatives: one is enough, and the one that fits best is wrong somewhere inside
            continue
        untagged = complaint["type"] == "union_tag_not_found"
        names = _kinds(declared, given, path) if untagged else _names(declared, given, path)
        if complaint["type"] in _RECORDS:
            names = [
                _record_of(
                    record
                    for record in _standing(declared, given, path)[0]
                    if record is not declared
                )
            ]
        where, why = ".".join([place, *map(str, path)]), _instead(declared, given, path)
        found[path] = list(_ours(complaint, where, kind, names, why))
    return combine(fault for faults in found.values() for fault in faults)


def wrong_fields(complaints: Sequence[Any], kind: type[InvalidInput]) -> InvalidInput:
    """Translate complaints about one flat record, with the value that each is about, each field once.

    >>> from steerbo.errors import InvalidRequest
    >>> complaint = {"type": "int_type", "loc": ("batch",), "input": "x", "msg": "no integer"}
    >>> print(wrong_fields([complaint], InvalidRequest))
    batch: 'x' is not allowed; expected a whole number.
    """
    found: dict[str, InvalidInput] = {}
    for complaint in complaints:
        where = ".".join(map(str, complaint["loc"]))
        for fault in _ours(complaint, where, kind, []):
            found.setdefault(fault.field, fault.moved(fault.field.strip(".") or "body"))
    return combine(found.values())


def _instead(declared: Any, given: object, path: Sequence[Any]) -> str:
    """A record's own hint for a field that only other records, or other programs, have; empty where it gives none."""
    if not path or not isinstance(path[-1], str):
        return ""
    records = _of_its_kind(declared, given, path[:-1])
    if path[-1] in ("maximize", "maximise") and any(
        "minimize" in record.__pydantic_fields__ for record in records
    ):
        return "Larger values are better unless minimize is true: leave it out."
    return next(
        (str(hint) for record in records if (hint := getattr(record, "instead", {}).get(path[-1]))),
        "",
    )


def _ours(
    complaint: Any, where: str, kind: type[InvalidInput], names: list[str], instead: str = ""
) -> Iterator[InvalidInput]:
    about, context = complaint["type"], complaint.get("ctx", {})
    cause = context.get("error")
    value = MISSING if about.startswith("missing") else complaint["input"]
    if isinstance(cause, InvalidInput):  # a check of ours, raised while pydantic was at work
        yield from (
            fault.moved(f"{where}.{fault.field.removeprefix('Space.')}") for fault in cause.errors
        )
    elif about in ("union_tag_invalid", "union_tag_not_found"):
        tag = context.get("tag", MISSING)
        kinds = [name.strip("'") for name in context.get("expected_tags", "").split(", ") if name]
        allowed = one_of(kinds or names, tag) if kinds or names else "the name of a kind"
        yield kind(f"{where}.{context['discriminator'].strip(chr(39))}", tag, allowed)
    elif about in _UNKNOWN:
        allowed = "no field of this name"
        if names:
            allowed = one_of(names, "" if instead else where.rpartition(".")[2])
        yield kind(where, value, allowed, instead)
    elif about in _RECORDS:
        yield kind(where, value, next(iter(names), "") or "a table")
    else:
        allowed = _allowed(complaint)
        lone = allowed == "a list" and (
            isinstance(value, str) or hasattr(value, "__pydantic_fields__")
        )
        yield kind(where, value, allowed, "Put it into brackets: […]." if lone else "")


def _record_of(records: Iterable[Any]) -> str:
    """The clause "a Float or an Integer, in a file …" for these records; empty where there are none.

    A file has a table, which is written out: of few records that of each, else that of the first.
    """
    known = list(dict.fromkeys(records))[:_MOST_NAMED]
    if not known:
        return ""
    names = [record.__name__ for record in known]
    article = "an" if names[0][0] in "AEIO" else "a"
    written = known if len(known) <= _MOST_WRITTEN else known[:1]
    return f"{article} {listed(names, ' or ')}, in a file {listed([_table_of(each) for each in written], ' or ')}"


def _table_of(record: Any) -> str:
    """Table in a study file that makes a record: its kind and required fields, or else its first fields."""
    fields = getattr(record, "__pydantic_fields__", {})
    tag = _tag(record)
    if tag is None:
        return (
            f"{{ {', '.join(f'{name} = …' for name in list(fields)[:3])} }}"
            if fields
            else "a table"
        )
    needed = [f"{name} = …" for name, field in fields.items() if field.is_required()]
    said = ", ".join([f'kind = "{tag}"', *needed])
    return f"{{ {said} }}"


def _allowed(complaint: Any) -> str:
    about, context = complaint["type"], complaint.get("ctx", {})
    if about in ("too_long", "too_short"):
        most = context.get("max_length", context.get("min_length"))
        return f"a list of {'at most' if about == 'too_long' else 'at least'} {most}"
    if about in _BOUND:
        name, words = _BOUND[about]
        return f"{words} {context[name]:g}"
    if about == "literal_error":
        return str(context["expected"])
    message = str(complaint["msg"]).removeprefix("Input should be ")
    return _PLAIN.get(about, message[:1].lower() + message[1:])


_NESTED = (Mapping, list, tuple)  # values with parts that a path goes through


def _path(complaint: Any, given: object) -> tuple[Any, ...]:
    """Path of a complaint in the given data, without pydantic's names of the alternatives that it tried."""
    path: list[Any] = []
    for i, part in enumerate(complaint["loc"]):
        last = i == len(complaint["loc"]) - 1
        known = _has(given, part)
        if last and complaint["type"].startswith(("missing", *_UNKNOWN)):
            path.append(part)
        elif known and (not i or last or isinstance(given[part], _NESTED)):  # type: ignore[index]
            path.append(part)
            given = given[part]  # type: ignore[index]
        elif isinstance(part, int):
            path.append(part)
    return tuple(path)


def _has(given: object, part: Any) -> bool:
    if isinstance(given, Mapping):
        return part in given
    return isinstance(part, int) and isinstance(given, list | tuple) and part < len(given)


def _meant(complaint: Any, given: object, declared: Any) -> tuple[Any, ...] | None:
    """Path of the field that a mistyped name stands for; None where none is near."""
    loc = complaint["loc"]
    if complaint["type"] not in _UNKNOWN or not loc:
        return None
    close = did_you_mean(_names(declared, given, _path(complaint, given)), str(loc[-1]))
    return (*loc[:-1], close) if close else None


def _kinds(declared: Any, given: object, path: Sequence[Any]) -> list[str]:
    """Values of the discriminator field (`kind`) that are allowed at `path`."""
    records, _ = _standing(declared, given, path)
    return [str(tag) for record in records if (tag := _tag(record)) is not None]


def _standing(declared: Any, given: object, path: Sequence[Any]) -> tuple[list[Any], object]:
    """The records that are allowed at `path`, and the value given there."""
    records = list(_records(declared))
    for part in path:
        given = given[part] if _has(given, part) else None  # type: ignore[index]
        inner = [_field(record, part) for record in records] if isinstance(part, str) else []
        records = (
            [found for annotation in inner for found in _records(annotation)] if inner else records
        )
    return records, given


def _names(declared: Any, given: object, path: Sequence[Any]) -> list[str]:
    """Names of the fields of the record that `path` leads into."""
    records = _of_its_kind(declared, given, path[:-1])
    return list(dict.fromkeys(name for record in records for name in record.__pydantic_fields__))


def _of_its_kind(declared: Any, given: object, path: Sequence[Any]) -> list[Any]:
    """The records that are allowed at `path`; those of the kind that is said there, if there are any."""
    records, given = _standing(declared, given, path)
    kind = given.get("kind") if isinstance(given, Mapping) else None
    return [record for record in records if _tag(record) == kind] or records


def _field(record: Any, name: str) -> Any:
    known = record.__pydantic_fields__
    return known[name].annotation if name in known else None


def _tag(record: Any) -> object:
    field = record.__pydantic_fields__.get("kind")
    return field.default if field is not None else None


def _records(annotation: Any) -> Iterable[Any]:
    """All records within a type annotation."""
    if hasattr(annotation, "__pydantic_fields__"):
        yield annotation
        return
    for part in get_args(annotation):
        yield from _records(part)
