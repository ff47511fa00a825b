# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled kernels, what is said without a compiler, and mpi4py beside it."""

import os
import subprocess
import sys

import pytest

from conftest import MPIRUN, ROOT_MAY, completed
from stencil_runs import HEAD, refused, run, script
from subcurrent.stencil import compiling

COUNTING = """
grid = sc.Grid((16, 16, 16), periodic=True)
T = grid.field("T", levels=2)
T.set(lambda x, y, z: x)
loop = sc.Loop(grid)
for n in loop.steps(3):
    loop.run(diffuse(T.next, T.now))
    T.advance()
assert loop.run(total(T.now)) == 16 * 16 * 120
"""


@pytest.fixture
def counted(tmp_path):
    """A compiler that notes how often it is called, and the environment that names it."""
    compiler, log = tmp_path / "counted", tmp_path / "calls"
    compiler.write_text(f'#!/bin/sh\necho called >>{log}\nsleep 0.3\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    return log, {"CXX": str(compiler), "SUBCURRENT_CACHE": str(tmp_path / "cache")}


@pytest.mark.mpi
def test_eight_ranks_compile_once_and_later_starts_not_at_all(tmp_path, counted):
    log, environment = counted
    script(tmp_path, COUNTING, 8, **environment)
    assert log.read_text() == "called\n" * 2  # one for each kernel
    script(tmp_path, COUNTING, **environment)
    assert log.read_text() == "called\n" * 2
    changed = COUNTING.replace("3):", "3):\n    pass")
    (tmp_path / "script.py").write_text(
        (HEAD + changed).replace("a: float = 0.1", "a: float = 0.1, b: int = 1")
    )
    run([sys.executable, tmp_path / "script.py"], **environment)
    assert log.read_text() == "called\n" * 3


def test_a_damaged_library_is_made_anew(tmp_path, counted):
    log, environment = counted
    script(tmp_path, COUNTING, **environment)
    for library in (tmp_path / "cache").glob("*.so"):
        library.write_bytes(library.read_bytes()[:100])
    script(tmp_path, COUNTING, **environment)
    assert log.read_text() == "called\n" * 4


@pytest.mark.parametrize(
    ("environment", "part"),
    [
        (
            {"CXX": "/nowhere/g++"},
            'kernel "diffuse" needs a C++ compiler, and CXX = /nowhere/g++ cannot be run',
        ),
        ({"CXX": "false"}, 'kernel "diffuse" was refused by the compiler'),
        ({"SUBCURRENT_CACHE": "/proc/nowhere"}, "compiled kernels are kept there, SUBCURRENT_CACHE names"),
    ],
)
def test_what_cannot_be_compiled_is_one_sentence(tmp_path, environment, part):
    sentence = refused(tmp_path, COUNTING, **{"SUBCURRENT_CACHE": str(tmp_path / "cache"), **environment})
    assert part in sentence and sentence.endswith(".")


def test_without_a_compiler_it_says_what_to_install(tmp_path):
    text = """
import os
from subcurrent import core
core.load().build["cxx"] = "/nowhere/c++"
sc.Grid((8,))  # MPI, once started, needs no program any more
os.environ["PATH"] = "/nowhere"
"""
    sentence = refused(tmp_path, text + COUNTING, CXX="", SUBCURRENT_CACHE=str(tmp_path))
    assert sentence == (
        'kernel "diffuse" needs a C++ compiler, and there is none here: install g++ (Debian and Ubuntu: '
        "apt-get install g++), or name one in the variable CXX."
    )


def test_one_rank_that_cannot_compile_ends_all_when_it_has_said_why(tmp_path):
    text = """
import os, sys, time
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1:
    os.environ["CXX"] = "/nowhere/g++"
    def late(*error):
        time.sleep(1)  # the other rank is faster
        sys.__excepthook__(*error)
    sys.excepthook = late
"""
    path = tmp_path / "script.py"
    path.write_text(text + HEAD + COUNTING)
    line = [*MPIRUN, "2", sys.executable, path]
    done = completed(line, timeout=60, env={**os.environ, **ROOT_MAY})
    assert done.returncode != 0 and "CXX = /nowhere/g++ cannot be run" in done.stderr


@pytest.mark.mpi
@pytest.mark.parametrize("when", ["before", "after"])
def test_mpi4py_may_be_imported_before_or_after(tmp_path, when):
    theirs = """
from mpi4py import MPI
size = MPI.COMM_WORLD.allreduce(1)
"""
    # Lines of two ranks may reach mpirun in halves, so each rank leaves a file of its own.
    leave = f"\nimport os\nopen({str(tmp_path)!r} + f'/ranks_{{os.getpid()}}', 'w').write(str(size))\n"
    script(tmp_path, (theirs + COUNTING if when == "before" else COUNTING + theirs) + leave, 2)
    assert [path.read_text() for path in tmp_path.glob("ranks_*")] == ["2", "2"]


def test_a_library_without_the_function_is_made_anew(tmp_path, counted):
    log, environment = counted
    script(tmp_path, COUNTING, **environment)
    empty = tmp_path / "empty.cpp"
    empty.touch()
    for library in (tmp_path / "cache").glob("*.so"):
        subprocess.run(["g++", "-shared", "-fPIC", empty, "-o", library], check=True)
    script(tmp_path, COUNTING, **environment)
    assert log.read_text() == "called\n" * 4
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".so", ".cpp", ".lock"}


def test_a_compiler_that_is_killed_leaves_nothing_half(tmp_path, counted, monkeypatch):
    """The text that it reads is its own: another process may write the same meanwhile."""
    log, environment = counted
    compiler = tmp_path / "slow"
    compiler.write_text(
        f"#!/bin/sh\nfor word; do case $word in *.cpp) echo $word >>{log};; esac; done\nexit 1\n"
    )
    compiler.chmod(0o755)
    assert "was refused" in refused(tmp_path, COUNTING, **{**environment, "CXX": str(compiler)})
    read = log.read_text().split()
    assert read and not any(path == f"{path.partition('.')[0]}.cpp" for path in read), read
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".cpp", ".lock"}


def test_the_name_of_a_library_knows_every_program_of_the_command(tmp_path):
    programs = [tmp_path / name for name in ("ccache", "g++")]
    for program in programs:
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    command = [*map(str, programs), "-O3"]
    before = compiling._hash("text", command)
    assert compiling._hash("text", command) == before
    programs[1].write_text("#!/bin/sh\n# the next version\n")
    assert compiling._hash("text", command) != before
