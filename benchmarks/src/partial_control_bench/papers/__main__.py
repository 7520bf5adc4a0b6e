"""`python -m partial_control_bench.papers FOLDER`: its front page, and those in FOLDER/papers, from FOLDER/papers/runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from .front import write_all


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    for file in write_all(given.folder):
        print(file)


if __name__ == "__main__":
    main()
