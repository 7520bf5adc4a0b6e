"""One BLAS thread, and the fingerprint of what decides the last bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

import steerbo
from steerbo.core.determinism import OneBLASThread, fingerprint, one_blas_thread


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


def test_threads_that_overlap_keep_to_one_until_the_last_has_ended() -> None:
    begun, ended, seen = threading.Event(), threading.Event(), []

    def first() -> None:
        with one_blas_thread():
            begun.set()
            time.sleep(0.02)
        ended.set()

    def second() -> None:
        begun.wait()
        with one_blas_thread():
            ended.wait()
            seen.append(threads())

    both = [threading.Thread(target=each) for each in (second, first)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert seen == [{1}]
    assert threads() == {2}


def test_where_each_thread_has_a_number_of_its_own_each_is_limited() -> None:
    class OpenMP(threading.local):
        """What a BLAS on OpenMP does."""

        user_api, threading_layer, number = "blas", "openmp", 4

        def get_num_threads(self) -> int:
            return self.number

        def set_num_threads(self, number: int) -> None:
            self.number = number

    library, seen = OpenMP(), []
    one = OneBLASThread(lambda: cast(ThreadpoolController, SimpleNamespace(lib_controllers=[library])))

    def compute() -> None:
        with one:
            with one:
                seen.append(library.number)
            seen.append(library.number)
        seen.append(library.number)

    with one:
        other = threading.Thread(target=compute)
        other.start()
        other.join()
    compute()
    assert seen == [1, 1, 4] * 2


def test_a_child_of_a_fork_in_the_middle_computes() -> None:
    with one_blas_thread():
        child = os.fork()
        if child == 0:
            with one_blas_thread():
                os._exit(0 if threads() == {1} else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_an_error_inside_gives_the_threads_back() -> None:
    try:
        with one_blas_thread():
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert threads() == {2}


def test_the_fingerprint_is_that_of_another_process_here() -> None:
    code = "import json; from steerbo.core.determinism import fingerprint; print(json.dumps(fingerprint()))"
    other = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert json.loads(other) == fingerprint()
    assert fingerprint()["numpy"] == np.__version__
    assert fingerprint()["steerbo"] == steerbo.__version__
    assert fingerprint()["blas"] != ""


def test_packages_of_others_are_named_where_there_are_any() -> None:
    assert "packages" not in fingerprint()
    assert fingerprint("furnace 1.2")["packages"] == "furnace 1.2"


def test_a_first_suggestion_imports_no_pictures_nor_run_loop_and_knows_every_blas() -> None:
    program = """
import sys, tempfile
from steerbo import CostVarying, Float, Study, Uniform
from steerbo.core.determinism import fingerprint
with tempfile.TemporaryDirectory() as folder:
    with Study.create(folder + "/a.db", CostVarying([Float("x", 0, 1, law=Uniform())], [["x"]])) as study:
        study.ask()
late = "jaxtyping", "rich", "matplotlib", "steerbo.plots", "steerbo.study._run", "steerbo.study.progress"
print([module for module in late if module in sys.modules])
import scipy.linalg
from threadpoolctl import threadpool_info
found = {f"{each['internal_api']} {each.get('version')}" for each in threadpool_info() if each["user_api"] == "blas"}
print(all(each in fingerprint()["blas"] for each in found))
print(fingerprint()["blas"].count("openblas") == sum(each["internal_api"] == "openblas" for each in threadpool_info()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "True", "True"]
