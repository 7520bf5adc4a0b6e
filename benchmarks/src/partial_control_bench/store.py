"""A store of runs: `python -m partial_control_bench.store FOLDER` packs what was played, and lists every file.

`index.json` says of each file its SHA-256, its lines, and with which versions and on which systems
they were played, where the lines say it; and the commit that the files were listed at. With
`--check` nothing is written: it ends with 1 where a checksum differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .kept import pack, text_of

INDEX = "index.json"


def described(file: Path) -> dict[str, Any]:
    """A packed file in the index."""
    lines = [json.loads(line) for line in text_of(file.with_suffix("")).splitlines() if line]
    machines = Counter(
        json.dumps(line["machine"], sort_keys=True) for line in lines if line.get("machine")
    )
    most = [{**json.loads(machine), "runs": n} for machine, n in machines.most_common(3)]
    found: dict[str, Any] = {
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "lines": len(lines),
    }
    return found | ({"played on": most} if most else {})


def index(folder: Path) -> dict[str, Any]:
    """All packed files, by name."""
    return {file.name: described(file) for file in sorted(folder.glob("*.jsonl.gz"))}


def differing(folder: Path) -> Iterator[str]:
    """Files that are not what the index says."""
    said = json.loads((folder / INDEX).read_text(encoding="utf-8"))["files"]
    here = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.glob("*.jsonl.gz")
    }
    for name in sorted(said.keys() | here.keys()):
        if name not in here:
            yield f"{name}: is listed, and not there"
        elif name not in said:
            yield f"{name}: is there, and not listed; python -m partial_control_bench.store"
        elif said[name]["sha256"] != here[name]:
            yield f"{name}: its SHA-256 is not the one that is listed"


def main() -> None:
    """Pack and list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true", help="compare checksums alone")
    given = parser.parse_args()
    if given.check:
        found = list(differing(given.folder))
        print("\n".join(found) or "all files are those that are listed")
        sys.exit(bool(found))
    for file in sorted(given.folder.glob("*.jsonl")):
        print(f"packed {pack(file).name}")
    asked = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    said = {"commit": commit, "files": index(given.folder)}
    (given.folder / INDEX).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
