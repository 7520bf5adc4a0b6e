"""`python -m steerbo`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main(prog_name="steerbo")
