"""`python -m partial_control_bench.papers FOLDER`: its front page, and those in FOLDER/papers, from FOLDER/runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import core_page
from ..fresh.registration import refuse_unregistered
from ..kept import there
from ..record import read
from .front import write_all


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    runs = given.folder / core_page.RUNS
    if there(runs) and (registration := core_page.registration_of(list(read(runs)))) is not None:
        refuse_unregistered(registration, given.folder)
    for file in write_all(given.folder):
        print(file)


if __name__ == "__main__":
    main()
