"""JSON schema of study files, by which editors complete keys and mark errors.

The schemas of problems and settings are pydantic's. Fields that only a file can have are added: the
`column` of a variable, and samples, rows and graphs that stand in files of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from pydantic import TypeAdapter

from ...core import kinds, problem_class
from .study_file import Settings

Json = dict[str, Any]

_PLACE = "#/$defs/{model}"
_ARGUMENT = re.compile(
    r"^    (?P<names>\w+(?:, \w+)*): (?P<text>.*(?:\n        .*)*)", re.MULTILINE
)
_TEXT: Json = {"type": "string"}
_HEADER = {**_TEXT, "description": "The header of its column in the lab's own tables."}
_FILE = {**_TEXT, "description": "A file, relative to the study file."}
_GRAPH = {**_TEXT, "description": "A file, relative to the study file, or the graph as text."}
_OBJECTIVE: Json = {
    "description": "How a round is evaluated; left out where people do it by hand.",
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "function": {**_TEXT, "description": 'A Python function, as "module:function".'}
            },
            "required": ["function"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "command": {
                    "type": "array",
                    "items": _TEXT,
                    "description": "A program and its arguments.",
                },
                "timeout": {
                    "type": "number",
                    "description": "Seconds after which it counts as failed.",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
    ],
}


def study_schema() -> Json:
    """JSON schema (draft 2020-12) of study files with a problem of any kind that is installed.

    >>> sorted(study_schema()["properties"])
    ['objective', 'problem', 'study']
    """
    parts: Json = {}
    problems = []
    for kind in kinds():
        problem = _schema_of(problem_class(kind), parts)
        problem["required"] = [*problem.get("required", ()), "kind"]
        problems.append(problem)
    settings = _schema_of(Settings, parts)
    for part in parts.values():
        _add_files(part)
    for name in _told_apart([problems, parts]):
        part = parts[name.rpartition("/")[2]]
        part["required"] = list(dict.fromkeys((*part.get("required", ()), "kind")))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Study file of steerbo",
        "type": "object",
        "properties": {"problem": {"oneOf": problems}, "study": settings, "objective": _OBJECTIVE},
        "required": ["problem", "study"],
        "additionalProperties": False,
        "$defs": parts,
    }


def _schema_of(record: type, parts: Json) -> Json:
    """Schema of a record, whose parts go to `parts`; texts for people are the first lines of docstrings."""
    schema = TypeAdapter(record).json_schema(ref_template=_PLACE)
    parts |= {name: _described(part) for name, part in schema.pop("$defs", {}).items()}
    return _with_files(_described(schema))


def _described(schema: Json) -> Json:
    """Schema in which the record's docstring describes each field, and its first paragraph the record."""
    text = cleandoc(schema.get("description", ""))
    fields = dict(schema.get("properties", {}))
    for found in _ARGUMENT.finditer(text.partition("Args:")[2]):
        said = " ".join(found["text"].split())
        for name in found["names"].split(", "):
            if name in fields:
                fields[name] = {**fields[name], "description": said}
    return {
        **schema,
        **({"description": text.partition("\n\n")[0]} if text else {}),
        "properties": fields,
    }


def _with_files(problem: Json) -> Json:
    """Schema of a problem whose graphs and rows may stand in files."""
    fields = problem["properties"]
    for name in ("graph", "graphs"):
        if name in fields:
            fields[name] = _or(fields[name], _GRAPH, _file_with({}, True))
    if "graphs" in fields:
        named = {"type": "array", "items": {"anyOf": [_GRAPH, _file_with({}, True)]}}
        fields["graphs"] = _or(fields["graphs"], named)
    if "nature" in fields:
        columns = {"columns": {"type": "array", "items": _TEXT}}
        fields["nature"] = _or(fields["nature"], _file_with(columns, True))
    return problem


def _add_files(part: Json) -> None:
    """Add the fields that only a file has to the schema of a variable or of an empirical law."""
    fields = part.get("properties", {})
    if part.get("title") in ("Float", "Integer", "Categorical"):
        fields["column"] = _HEADER
        fields["law"] = _or(fields["law"], {"enum": ["learned", "uniform"]})
    if part.get("title") == "Empirical":
        fields |= {"file": _FILE, "column": {**_TEXT, "description": "The header of its column."}}
        part["required"] = []


def _told_apart(schema: Any) -> set[str]:
    """Places of the parts that are told apart by their `kind`, which a file then has to say."""
    found: set[str] = set()
    if isinstance(schema, list):
        found = found.union(*map(_told_apart, schema))
    elif isinstance(schema, dict):
        found = found.union(*map(_told_apart, schema.values()))
        found |= {*schema.get("discriminator", {}).get("mapping", {}).values()}
    return found


def _file_with(fields: Json, more: bool) -> Json:
    """Schema of a table that names a file."""
    return {
        "type": "object",
        "properties": {"file": _FILE, **fields},
        "required": ["file", *fields],
        "additionalProperties": more,
    }


def _or(schema: Mapping[str, Any], *others: Json) -> Json:
    """Schema of values that one of these allows, described as the first."""
    said = {name: schema[name] for name in ("description", "default") if name in schema}
    return {"anyOf": [dict(schema), *others], **said}
