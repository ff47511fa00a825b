# SPDX-License-Identifier: Apache-2.0
"""tools/check_includes.py finds each kind of violation, and only those."""

import sys
from pathlib import Path

import pytest

from conftest import ROOT, completed, script_at

TOOL = ROOT / "tools" / "check_includes.py"
check = script_at(TOOL).check

# What the includes below point at.
TARGETS = [
    *(f"engine/{layer}/a.hpp" for layer in ("base", "grid", "field", "exec", "move", "stage", "overlap")),
    "engine/subcurrent.hpp",
    "io/a.hpp",
    "solvers/cavity/a.hpp",
    "solvers/cg/a.hpp",
    "solvers/common/a.hpp",
    "spectral/a.hpp",
]


@pytest.fixture
def tree(tmp_path):
    for target in TARGETS:
        file = tmp_path / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#pragma once\n")
    return tmp_path


def write(tree: Path, path: str, line: str) -> None:
    file = tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"// first line\n{line}\n")


VIOLATIONS = [
    # headers of the standard library
    ("engine/base/b.cpp", "std::int64_t n = 0;", "uses std::int64_t without <cstdint>"),
    ("bench/b.cpp", '#include "engine/base/a.hpp"\nauto a = std::exchange(b, 1);', "without <utility>"),
    # include directions
    ("engine/base/b.cpp", '#include "engine/grid/a.hpp"', "from above"),
    ("engine/grid/b.cpp", '#include "engine/field/a.hpp"', "from above"),
    ("engine/field/b.hpp", '#include "engine/exec/a.hpp"', "from above"),
    ("engine/exec/b.cu", '#include "engine/move/a.hpp"', "from above"),
    ("engine/move/b.cpp", '  #  include "engine/stage/a.hpp"', "from above"),
    ("engine/stage/b.cpp", '#include "engine/overlap/a.hpp"', "from above"),
    ("engine/overlap/b.cpp", '#include "solvers/cavity/a.hpp"', "part of the engine"),
    ("engine/overlap/b.cpp", '#include "io/a.hpp"', "part of the engine"),
    ("io/b.cpp", '#include "engine/stage/a.hpp"', "io may include"),
    ("io/b.cpp", '#include "solvers/cavity/a.hpp"', "is in io"),
    ("solvers/cavity/b.cpp", '#include "io/a.hpp"', "is in solvers"),
    ("solvers/cavity/b.cpp", '#include "solvers/cg/a.hpp"', "another solver"),
    ("solvers/common/b.cpp", '#include "solvers/cavity/a.hpp"', "another solver"),
    ("spectral/b.cpp", '#include "solvers/cavity/a.hpp"', "is in spectral"),
    ("spectral/b.cpp", "MPI_Barrier(comm);", "calls MPI"),
    ("spectral/b.cpp", "#pragma omp parallel", "uses OpenMP"),
    ("io/b.cpp", '#include "spectral/a.hpp"', "is in io"),
    ("model/b.cpp", '#include "engine/field/a.hpp"', "model may include"),
    ("engine/grid/b.cpp", '#include "a.hpp"', "root of the repository"),
    ("engine/grid/b.cpp", '#include "engine/grid/gone.hpp"', "does not exist"),
    ("engine/grid/b.cpp", '#include "engine/subcurrent.hpp"', "from above"),
    ("engine/subcurrent.hpp", '#include "solvers/cavity/a.hpp"', "part of the engine"),
    ("engine/misc/b.cpp", "int x;", "no layer"),
    ("engine/b.cpp", "int x;", "no layer"),
    # things confined to folders
    ("engine/stage/b.cpp", "MPI_Barrier(comm);", "calls MPI"),
    ("engine/grid/b.cpp", "int e = PMPI_Comm_rank (comm, &r);", "calls MPI"),
    ("io/b.cpp", "MPI_Comm_dup(comm, &own);", "calls MPI"),
    ("python/bindings/b.cpp", "MPI_Finalize();", "calls MPI"),
    ("solvers/cavity/b.cpp", "Context c(MPI_COMM_WORLD);", "names MPI"),
    ("engine/overlap/b.cpp", "#include <mpi.h>", "names MPI"),
    ("engine/overlap/b.cpp", "#pragma omp parallel", "uses OpenMP"),
    ("engine/move/b.cpp", '_Pragma("omp parallel for")', "uses OpenMP"),
    ("engine/base/b.cpp", "int n = omp_get_max_threads();", "uses OpenMP"),
    ("engine/stage/b.cpp", "#include <omp.h>", "uses OpenMP"),
    ("engine/move/b.cu", "pack<<<blocks, threads>>>(p);", "launches a CUDA kernel"),
    ("engine/move/halo.cpp", 'int f = ::open("x", 0);', "touches files"),
    ("engine/base/b.cpp", "std::ofstream out(name);", "touches files"),
    ("solvers/cavity/b.cpp", "#include <fstream>", "touches files"),
    ("solvers/cavity/b.cpp", '#include <cstdio>\nFILE* f = std::fopen("x", "r");', "touches files"),
    ("engine/move/halo.cpp", "io_uring_submit(&ring);", "touches files"),
    ("engine/overlap/b.cpp", "std::filesystem::rename(a, b);", "touches files"),
    ("python/bindings/b.cpp", "H5Fopen(name, 0, 0);", "calls HDF5"),
    ("engine/move/stream_file.cpp", "H5Dwrite(a, b, c, d, e, f);", "calls HDF5"),
]


@pytest.mark.parametrize(("path", "line", "message"), VIOLATIONS)
def test_violation_is_found(tree, path, line, message):
    write(tree, path, line)
    (error,) = check(tree)
    assert error.startswith(f"{path}:")
    assert message in error


def test_line_number_survives_comments_and_strings(tree):
    text = "/* two\nlines */\nauto s = R\"(MPI_Send(\n)\";\nauto n = 1'000'000;\nMPI_Send();\n"
    (tree / "engine/grid/b.cpp").write_text(text)
    done = completed([sys.executable, TOOL, tree])
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith("engine/grid/b.cpp:6: calls MPI")
    assert done.stderr.splitlines()[-1] == "check_includes: 1 violation(s)"


LEGAL = [
    ("bench/b.cpp", "#include <cstdint>\nstd::int64_t n = 0;  // std::sort("),
    ("engine/subcurrent.hpp", '#include "engine/overlap/a.hpp"'),
    ("solvers/cavity/b.cpp", '#include "engine/subcurrent.hpp"'),
    ("engine/overlap/b.cpp", '#include "engine/base/a.hpp"'),
    ("engine/grid/b.cpp", '#include "engine/grid/a.hpp"'),
    ("solvers/cavity/b.cpp", '#include "engine/overlap/a.hpp"'),
    ("solvers/cavity/b.cpp", '#include "solvers/cavity/a.hpp"'),
    ("solvers/cavity/b.cpp", '#include "solvers/common/a.hpp"'),
    ("solvers/cavity/b.cpp", '#include "spectral/a.hpp"'),
    ("io/b.cpp", '#include "engine/field/a.hpp"'),
    ("model/b.cpp", '#include "engine/stage/a.hpp"'),
    ("python/bindings/b.cpp", '#include "solvers/cavity/a.hpp"'),
    ("engine/move/b.cpp", "MPI_Start(&request);"),
    ("engine/base/b.cpp", "MPI_Init(nullptr, nullptr);"),
    ("engine/exec/b.cpp", "#pragma omp parallel for"),
    ("engine/exec/b.cu", "kernel<<<1, 32>>>();"),
    ("engine/move/stream_file.cpp", "int f = ::open(name, 0);"),
    ("io/b.cpp", "H5Pset_fapl_mpio(list, communicator, MPI_INFO_NULL);"),
    # words that only look like it
    ("engine/stage/b.cpp", "// MPI_Send( and #pragma omp and std::ofstream stand in a comment"),
    ("engine/stage/b.cpp", 'fail("MPI_Send(x) failed, H5Fopen( too");'),
    ("engine/grid/b.cpp", "window.open(); stream->read(n); file::write(n); std::remove(a, b, c);"),
    ("tests/mpi/b.cpp", "MPI_Barrier(MPI_COMM_WORLD);"),
]


@pytest.mark.parametrize(("path", "line"), LEGAL)
def test_legal_line_passes(tree, path, line):
    write(tree, path, line)
    assert check(tree) == []


def test_this_repository_is_clean():
    done = completed([sys.executable, TOOL, ROOT])
    assert (done.returncode, done.stderr) == (0, "")
