"""Registration: a commit that says what will be run, and whose id draws the seeds, so that nobody knows them before."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..errors import BenchError
from ..randomness import keyed

_LENGTH = 40  # of a whole commit id


def seed_of(registration: str, index: int) -> int:
    """The seed of a registration's drawn problem: a hash of its commit id, so that nobody can tune to a list.

    Raises:
        BenchError: a commit id is abbreviated. The whole one draws other problems.

    >>> seed_of("tuning", 0) == seed_of("tuning", 0) != seed_of("tuning", 1)
    True
    """
    text = registration.strip().lower()
    if not text or (
        len(text) >= 7 and set(text) <= set("0123456789abcdef") and len(text) != _LENGTH
    ):
        raise BenchError(
            f"registration {registration!r}: must be a whole commit id of {_LENGTH} digits, or a word such as tuning"
        )
    return int.from_bytes(
        hashlib.blake2b(f"{text}|{index}".encode(), digest_size=6).digest(), "little"
    )


def seeds_among(registration: str, name: str, seeds: Sequence[int], many: int) -> list[int]:
    """So many of a published problem's reported seeds, drawn by a registration.

    >>> seeds_among("tuning", "swarm", range(1000, 1200), 3) == seeds_among("tuning", "swarm", range(1000, 1200), 4)[:3]
    True
    """
    order = keyed(seed_of(registration, 0), 0, name).permutation(len(seeds))[:many]
    return [int(seeds[int(k)]) for k in order]


def is_commit(registration: str) -> bool:
    """Whether it is a commit id, and no word for problems to look at."""
    text = registration.strip().lower()
    return len(text) == _LENGTH and set(text) <= set("0123456789abcdef")


def refuse_unregistered(registration: str, folder: Path | None = None) -> None:
    """Refuse a table whose registration is no ancestor of what plays; words, such as tuning, are not for reporting.

    Args:
        registration: a whole commit id, or a word.
        folder: within the repository; default: the present one.

    Raises:
        BenchError: the commit is not in this history, or there is no history here to ask.
    """
    seed_of(registration, 0)
    if not is_commit(registration):
        return
    command = ["git", "merge-base", "--is-ancestor", registration.strip(), "HEAD"]
    try:
        found = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(
            f"registration {registration}: git cannot be asked whether it is an ancestor ({error})"
        ) from None
    if found.returncode:
        raise BenchError(
            f"registration {registration}: must be an ancestor of HEAD, so that it was written before the runs; "
            "commit the registration, and play in a checkout of it. A word such as tuning draws problems to look at"
        )
