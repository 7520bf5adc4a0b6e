"""`python -m steerbo`."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        # a random.py in the working folder is nobody else's `random`
        sys.path.append(sys.path.pop(0))

    from .cli import main

    main(prog_name="steerbo")
