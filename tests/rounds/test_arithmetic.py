"""One BLAS thread, and the fingerprint of what decides the last bits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import steerbo
from steerbo.rounds.arithmetic import fingerprint, one_blas_thread


@pytest.fixture(autouse=True)
def _two_blas_threads() -> Iterator[None]:
    with threadpool_limits(limits=2, user_api="blas"):
        yield


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_has_one_thread_inside_and_its_own_outside() -> None:
    assert threads() == {2}
    with one_blas_thread():
        assert threads() == {1}
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == {2}


def test_an_error_inside_gives_the_threads_back() -> None:
    try:
        with one_blas_thread():
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert threads() == {2}


def test_the_fingerprint_is_that_of_another_process_here() -> None:
    code = "import json; from steerbo.rounds.arithmetic import fingerprint; print(json.dumps(fingerprint()))"
    other = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert json.loads(other) == fingerprint()
    assert fingerprint()["numpy"] == np.__version__
    assert fingerprint()["steerbo"] == steerbo.__version__
    assert fingerprint()["blas"] != ""


def test_packages_of_others_are_named_where_there_are_any() -> None:
    assert "packages" not in fingerprint()
    assert fingerprint("furnace 1.2")["packages"] == "furnace 1.2"
