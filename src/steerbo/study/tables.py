"""The tables of a log: a head and its events for every study, and leases on rounds that are out."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

TABLES = sa.MetaData()
HEADS = sa.Table(
    "steerbo_study",
    TABLES,
    sa.Column("study", sa.String(200), primary_key=True),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("events", sa.Integer, nullable=False),
    sa.Column("tip", sa.String(64), nullable=False),
)


def _event() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("study", sa.String(200), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("checksum", sa.String(64), nullable=False),
    )


EVENTS = sa.Table("steerbo_event", TABLES, *_event())
LEASES = sa.Table(
    "steerbo_lease",
    TABLES,
    sa.Column("study", sa.String(200), primary_key=True),
    sa.Column("token", sa.String(200), primary_key=True),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("until", sa.Float(53)),
    sa.Column("lapses", sa.Integer, nullable=False),
)
DAMAGED = sa.Table(
    "steerbo_damaged",
    sa.MetaData(),  # made only where something is repaired
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    *_event(),
)
"""Events of studies on a server before they were repaired, the first repair's with number 1."""
