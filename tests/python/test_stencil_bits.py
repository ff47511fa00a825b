# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python, compiled and run by the engine: the bits of the same kernels in C++."""

import sys
from pathlib import Path

import pytest

from conftest import built_program
from stencil_runs import run

HERE = Path(__file__).resolve().parent
STEPS = 5


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Libraries of this test run only, so that what it compiles is what is looked at."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def reference():
    return built_program("stencil_reference")


@pytest.fixture(scope="module")
def in_cpp(reference, tmp_path_factory):
    """What the C++ program prints and writes, by precision."""
    path, said = tmp_path_factory.mktemp("cpp") / "fields", {}
    for precision in ("double", "single"):
        done = run([str(reference), str(path), precision, str(STEPS)])
        said[precision] = done.stdout, path.read_bytes()
    return said


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("ranks", "strategy", "threads", "transport"),
    [
        (1, "blocking", 1, "auto"),
        (1, "boundary_first", 2, "auto"),
        (2, "ordered", 1, "auto"),
        (2, "halo_thread", 2, "auto"),
        (3, "interior_first", 1, "mpi"),
        (3, "boundary_first", 2, "shared"),
        (4, "pipelined", 1, "auto"),
        (4, "boundary_first", 1, "mpi"),
        (2, "automatic", 2, "auto"),
    ],
)
def test_the_bits_are_those_of_cpp(in_cpp, cache, tmp_path, ranks, strategy, threads, transport):
    line = [sys.executable, HERE / "stencil_bits.py", tmp_path, STEPS, strategy, threads, transport]
    run(line, ranks, SUBCURRENT_CACHE=str(cache))
    for precision, (printed, fields) in in_cpp.items():
        assert (tmp_path / f"{precision}.sums").read_text() == printed, precision
        assert (tmp_path / precision).read_bytes() == fields, precision
