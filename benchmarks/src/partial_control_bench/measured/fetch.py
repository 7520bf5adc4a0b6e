"""Fetch the public files, each at one commit and checked by its sum, and cut them: `pcb data --fetch FOLDER`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from .. import data
from .cuts import CUTS

_HOME = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Source:
    """A public file.

    Attributes:
        repository: owner and name.
        commit: at which it is read.
        path: in the repository.
        digest: its SHA-256.
    """

    repository: str
    commit: str
    path: str
    digest: str

    @property
    def address(self) -> str:
        """Where it is."""
        return f"{_HOME}/{self.repository}/{self.commit}/{quote(self.path)}"


SOURCES = {
    "bms": Source(
        "doyle-lab-ucla/edboplus",
        "f5d1687e834d33c77598767c5383a919f9a58034",
        "examples/publication/BMS_yield_cost/data/experiments_yield_and_cost.csv",
        "3bfdeeb6a55ed316efbc95a8158f9476bb851f37eda48330f1d0ae820d6cf0cd",
    ),
    "aryl": Source(
        "emdgroup/baybe",
        "02177ac04c2c981d516ef23ca881a77fe628adcf",
        "benchmarks/data/aryl_halide/data.csv",
        "cce1da58d63c0c8f4245e8490b5ec58f0321c6556932842adb5f3ef11a185e12",
    ),
    "barrel": Source(
        "PV-Lab/Benchmarking",
        "7585c517ad88e676c42c6bf24a8ad278e01ddb21",
        "datasets/Crossed barrel_dataset.csv",
        "2c01f875f3c210e986ca6142bf20f417884c2ad7d6f008c2fc574b44a3d5f606",
    ),
    "opv": Source(
        "aspuru-guzik-group/olympus",
        "440b6b58ebfcaa2391cff7e94b570fb4fda98d68",
        "src/olympus/datasets/dataset_photo_wf3/data.csv",
        "e9a26f291a85692fb6322ebae93d285b0a4fe212b2cf2a067c479e0e591fb64f",
    ),
    "ambient": Source(
        "numenta/NAB",
        "ea702d75cc2258d9d7dd35ca8e5e2539d71f3140",
        "data/realKnownCause/ambient_temperature_system_failure.csv",
        "230b68ccca20f59d562afd5d24ad52939c9b784386bed0054018358bf9120581",
    ),
    "taxi": Source(
        "numenta/NAB",
        "ea702d75cc2258d9d7dd35ca8e5e2539d71f3140",
        "data/realKnownCause/nyc_taxi.csv",
        "d8fa6f7f0734bf5c8be12c52a94e20a82664c397d9dec4449156bd453d32856d",
    ),
    "sachs": Source(
        "cmu-phil/example-causal-datasets",
        "a23adc349a23fc34d258193b45c60522ca6355b4",
        "real/sachs/data/sachs.2005.continuous.txt",
        "a488589b0f021b2a261ff2c696a908c6823051b0d98693e0fa0e78bb12097063",
    ),
    "arrivals": Source(
        "cornell-orie/ORSuite",
        "379b8b91d0adf41c03d8af1f76b4eadda3f3edab",
        "or_suite/envs/ambulance/ithaca_data/arrivals.txt",
        "ea6c6bbe086755b7d1627fcaecd27ea540aa64fbcd8bce4d8e2f0b51838645d7",
    ),
    "edges": Source(
        "cornell-orie/ORSuite",
        "379b8b91d0adf41c03d8af1f76b4eadda3f3edab",
        "or_suite/envs/ambulance/ithaca_data/ithaca.edgelist",
        "05064561bb5136480909964096f18b046f28b5f609c7dc5f816f31eca28e49aa",
    ),
}

_OF = {"ithaca": ("arrivals", "edges")}
"""Which files a table is cut from, where they are not one of its own name."""


def fetch(
    folder: Path, names: tuple[str, ...] = (*CUTS,), get: Callable[[Source], str] | None = None
) -> list[Path]:
    """Fetch and cut tables into a folder that `STEERBO_DATA` can name.

    Args:
        folder: is made if it is not there.
        names: of tables.
        get: from a source to its text; None: by pooch.

    Raises:
        DataMissing: a file cannot be fetched, or pooch is not installed.
        DataChanged: a cut gives another table than the problems were frozen with; nothing of it is
            written.
    """
    written = []
    for name in names:
        texts: Mapping[str, str] = {
            each: (get or download)(SOURCES[each]) for each in _OF.get(name, (name,))
        }
        table, place = CUTS[name](texts), data.measured(name)
        if (found := hashlib.sha256(table.encode()).hexdigest()) != data.SUMS[place]:
            raise data.DataChanged(
                f"{place}: its SHA-256 after cutting is {found}, and must be {data.SUMS[place]}; "
                "see whether numpy and scipy are ones that the benchmark allows"
            )
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(table, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def download(source: Source) -> str:
    """The text of a public file.

    Raises:
        DataMissing: it cannot be fetched, or pooch is not installed.
    """
    try:
        import pooch  # optional: only downloads need it
    except ImportError:
        raise data.DataMissing(
            f"{source.address}: to fetch it, pip install 'partial-control-bench[data]'"
        ) from None
    try:
        found = pooch.retrieve(source.address, known_hash=f"sha256:{source.digest}")
    except (OSError, ValueError) as error:  # what pooch raises for networks and other checksums
        raise data.DataMissing(
            f"{source.address}: cannot be fetched ({error}); try again, or put the tables into a "
            f"folder that {data.VARIABLE} names (`pcb data` lists them)"
        ) from None
    return Path(found).read_text(encoding="utf-8")
