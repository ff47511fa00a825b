# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python, compiled and run by the engine: the bits of the same kernels in C++, the cache
of libraries, fields, and what is refused."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import MPIRUN, ROOT, ROOT_MAY

HERE = Path(__file__).resolve().parent
STEPS = 5


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Libraries of this test run only, so that what it compiles is what is looked at."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def reference():
    """tests/programs/stencil_reference of SUBCURRENT_BUILD, or of the build tree made last."""
    build = os.environ.get("SUBCURRENT_BUILD")
    trees = [Path(build)] if build else [*ROOT.glob("build/*")]
    found = [p for tree in trees if (p := tree / "tests/programs/stencil_reference").exists()]
    if not found:
        pytest.skip("stencil_reference is not built (cmake with SUBCURRENT_TESTS=ON)")
    return max(found, key=lambda p: p.stat().st_mtime)


@pytest.fixture(scope="module", params=["double", "single"])
def in_cpp(request, reference, tmp_path_factory):
    """What the C++ program prints and writes, in each precision."""
    path = tmp_path_factory.mktemp("cpp") / "fields"
    done = run([str(reference), str(path), request.param, str(STEPS)])
    return request.param, done.stdout, path.read_bytes()


def run(line, ranks=1, timeout=240, **environment):
    started = [*MPIRUN, str(ranks)] if ranks > 1 else []
    done = subprocess.run(
        [*started, *map(str, line)],
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **ROOT_MAY, **environment},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done


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
    ],
)
def test_the_bits_are_those_of_cpp(in_cpp, cache, tmp_path, ranks, strategy, threads, transport):
    precision, printed, fields = in_cpp
    path = tmp_path / "fields"
    line = [sys.executable, HERE / "stencil_bits.py", path, precision, STEPS, strategy, threads, transport]
    done = run(line, ranks, SUBCURRENT_CACHE=str(cache))
    assert done.stdout == printed
    assert path.read_bytes() == fields


HEAD = """
import math, sys
import numpy as np
import subcurrent as sc

@sc.kernel
def diffuse(next: sc.Out, T: sc.In, a: float = 0.1):
    next[0, 0, 0] = T[0, 0, 0] + a * (T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0]
                                      + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0])

@sc.kernel(reduce="sum")
def total(T: sc.In):
    return T[0, 0, 0]
"""


def script(folder, text, ranks=1, **environment):
    path = folder / "script.py"
    path.write_text(HEAD + text)
    return run([sys.executable, path], ranks, **environment)


def refused(folder, text, **environment):
    """What a script that fails says last."""
    path = folder / "script.py"
    path.write_text(HEAD + text)
    done = subprocess.run(
        [sys.executable, path],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode != 0, done.stdout
    return done.stderr.strip().splitlines()[-1].partition(": ")[2]


FIELDS = """
grid = sc.Grid((11, 12, 13), periodic=(True, False, False), spacing=(1, 2, 3))
T = grid.field("temperature", levels=2, units="K")
V = grid.field("velocity", components=2, dtype=np.float32)
T.boundary("all", sc.Mirror())
whole = np.arange(11 * 12 * 13, dtype=float).reshape(13, 12, 11)
x, y, z = grid.positions
low, high = grid.local_box
mine = whole[low[2]:high[2], low[1]:high[1], low[0]:high[0]]
for values in (whole, mine, lambda x, y, z: x + 11 * (y + 12 * z), lambda x, y, z: whole[z, y, x]):
    T.set(0)
    assert not T.own.any()
    T.set(values)
    assert np.array_equal(T.own, mine) and T.own.shape == mine.shape
    everything = T.gather()
    assert (everything is None) == (grid.rank > 0)
    assert everything is None or np.array_equal(everything, whole)
assert np.array_equal(T.at([(0, 0, 0), (10, 11, 12), (3, 4, 5)]), [0, whole[12, 11, 10], whole[5, 4, 3]])
V.set(lambda x, y, z: (x, -y))
assert np.array_equal(V.at([(3, 4, 5)]), [[3, -4]])
assert V.own.shape == (2, *mine.shape) and V.own.dtype == np.float32

view = T.own
try:
    view[0, 0, 0] = 1
    raise SystemExit("a view for reading was written to")
except ValueError:
    pass
with T.modify() as own:
    own += 1
assert np.array_equal(T.own, mine + 1) and np.shares_memory(T.own, view)
try:
    own[0, 0, 0] = 1
    raise SystemExit("a view was written to after its block")
except ValueError:
    pass
assert np.shares_memory(np.asarray(T), view) and np.array_equal(np.from_dlpack(T), T.own)
assert np.array_equal(np.array(T), T.own) and not np.shares_memory(np.array(T), view)
T.advance()
assert not T.own.any() and np.array_equal(T.gather(1), whole + 1) if grid.rank == 0 else T.gather(1) is None
T.advance()

shown = T.to_xarray()
if grid.rank == 0:
    assert shown.dims == ("z", "y", "x") and shown.attrs == {"units": "K"} and shown.name == "temperature"
    assert shown.sel(x=0.5, y=1, z=1.5).item() == 1 and shown.z[1] == 4.5
assert T.plot("slice.png", axis="y", at=3) == ("slice.png" if grid.rank == 0 else None)
T.snapshot("both.vtkhdf", V, step=3, time=0.5)
if grid.rank == 0:
    import h5py
    with h5py.File("both.vtkhdf") as file:
        assert np.array_equal(file["fields/temperature"][...], whole + 1)
        assert file["fields/velocity"].shape == (13, 12, 11, 2) and file.attrs["time"] == 0.5
    print("all good", T, grid.split)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_fields(tmp_path, monkeypatch, ranks):
    monkeypatch.chdir(tmp_path)
    done = script(tmp_path, FIELDS, ranks)
    assert "all good <Field temperature in K, 1 x 2 levels on <Grid 11 x 12 x 13 on" in done.stdout
    assert (tmp_path / "slice.png").stat().st_size > 5000


PLANE = """
# Steady: from 1 on the left face, with a slope of 0.5 on the right; cells of 1/2.
@sc.kernel
def smooth(next: sc.Out, T: sc.In):
    next[0] = 0.5 * (T[1] + T[-1])

@sc.kernel(reduce="max")
def change(T: sc.In, next: sc.In):
    return abs(next[0] - T[0])

grid = sc.Grid((6,), spacing=0.5)
T = grid.field("T", levels=2)
T.boundary("x-", sc.Dirichlet(1.0))
T.boundary("x+", sc.Neumann(0.5))
loop = sc.Loop(grid)
for n in loop.steps(3000):
    loop.run(smooth(T.next, T.now))
    T.advance()
    if loop.run(change(T.now, T.next)) < 1e-14:
        break
expected = 1 + 0.5 * (np.arange(6) + 0.5) * 0.5
everything = T.gather()
if everything is not None:
    assert np.allclose(everything, expected, rtol=0, atol=1e-9), everything - expected
    assert n > 100
    print("steady")
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_conditions_hold_the_value_and_the_slope(tmp_path, ranks):
    assert script(tmp_path, PLANE, ranks).stdout == "steady\n"


FOLLOWING = """
# What lies beyond x of T follows v, which changes between T's writing and its reading.
@sc.condition
def follow(q: sc.Out, n: sc.Layer, v: sc.In):
    q.ghost[n] = 0.5 * q.inside[n] + v.inside[1]

@sc.kernel
def grow(v: sc.InOut, at: sc.Index):
    v[0, 0, 0] = 0.9 * v[0, 0, 0] + 0.01 * (at.x + at.y - at.z)

grid = sc.Grid((10, 12, 14), split=(1, 1, int(sys.argv[2])))
T = grid.field("T", levels=2)
v = grid.field("v")
for field in (T, v):
    field.boundary("all", sc.Mirror())
    field.set(lambda x, y, z: (x * 3 + y * 5 + z * 7) % 11)
T.boundary("x- x+", follow(v))
loop = sc.Loop(grid, strategy=sys.argv[1])
for n in loop.steps(4):
    loop.run(diffuse(T.next, T.now))
    T.advance()
    loop.run(grow(v))
    loop.run(diffuse(T.next, T.now))
    T.advance()
everything = T.gather()
if everything is not None:
    print(everything.tobytes().hex())
"""


@pytest.mark.mpi
def test_conditions_that_read_other_fields_are_of_the_same_moment_under_every_strategy(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(HEAD + FOLLOWING)
    ways = (("blocking", 1), ("interior_first", 1), ("boundary_first", 3), ("interior_first", 3))
    outcomes = {run([sys.executable, path, way, ranks], ranks).stdout for way, ranks in ways}
    assert len(outcomes) == 1


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


def test_one_rank_that_cannot_compile_ends_all(tmp_path):
    text = """
import os
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1:
    os.environ["CXX"] = "/nowhere/g++"
"""
    path = tmp_path / "script.py"
    path.write_text(text + HEAD + COUNTING)
    line = [*MPIRUN, "2", sys.executable, path]
    done = subprocess.run(
        line, check=False, capture_output=True, text=True, timeout=60, env={**os.environ, **ROOT_MAY}
    )
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


GRID = "grid = sc.Grid((12, 12, 12), periodic=(True, True, False))\n"
MADE = GRID + "T = grid.field('T', levels=2)\nloop = sc.Loop(grid)\n"
WRONG = [
    ("sc.Grid((12, 12, 12, 12))", "cells = (12, 12, 12, 12)"),
    ("sc.Grid((12, 0))", "cells[1] = 0"),
    ("sc.Grid((12, 12), periodic=1)", "periodic = 1"),
    ("sc.Grid((12, 12), periodic=[True])", "it must be one, or 2"),
    ("sc.Grid((12, 12), halo=-1)", "halo = -1"),
    ("sc.Grid((12, 12), spacing=0)", "spacing = 0"),
    ("sc.Grid((12, 12), split=(2, 2))", "which does not multiply to the 1 ranks"),
    ("sc.Grid((12, 12), transport='pigeon')", "transport = 'pigeon'"),
    ("sc.Grid((10**5,) * 3).field('T')", "needs about"),
    (GRID + "grid.field('T', dtype=int)", "it must be float64 or float32"),
    (GRID + "grid.field('')", "a field's name is a text"),
    (GRID + "grid.field('T', levels=0)", "levels = 0"),
    (GRID + "grid.field('T').next", "the field T has one level"),
    (MADE + "T.level(2)", "the level of T = 2"),
    (MADE + "T.set('warm')", "real numbers are needed"),
    (MADE + "T.set(np.zeros((3, 3)))", "an array of shape (3, 3)"),
    (MADE + "T.set(lambda x, y, z: 1j * x)", "real numbers are needed"),
    (MADE + "T.at([(0, 0, 12)])", "outside of the grid"),
    (MADE + "T.boundary('x-', sc.Mirror())", "the face x- of T is not open"),
    (MADE + "T.boundary('up', sc.Mirror())", "the face 'up' is not known"),
    (MADE + "T.boundary('z-', 3)", "the boundary condition 3 is not known"),
    (MADE + "T.boundary('z-', sc.Dirichlet((1, 2)))", "it takes one finite number"),
    (MADE + "T.boundary('z-', sc.Mirror(odd=[1]))", "components of the field are 0 to 0"),
    (MADE + "T.name = 'U'", "cannot be set"),
    (MADE + "import pickle; pickle.dumps(T)", "cannot be pickled"),
    (MADE + "T.snapshot('t.vtkhdf', grid)", "it takes fields of one grid"),
    (MADE + "T.plot('t.png', axis='w')", "axis = 'w' is not known"),
    (MADE + "sc.Loop(grid, strategy='luck')", "strategy = 'luck' is not known: allowed are"),
    (MADE + "sc.Loop(T)", "it must be an sc.Grid"),
    (MADE + "loop.run(diffuse)", "it takes calls of kernels"),
    (MADE + "loop.run(diffuse(T.next, T.now))", "beyond its face z_low, for which nothing is set"),
    (MADE + "loop.run(diffuse(T.now, T.now))", "got the same level of T twice"),
    (MADE + "loop.steps('x').__next__()", "count = 'x'"),
    (MADE + "diffuse(T.next, T.now, a='x')", "it must be a real number"),
    (
        MADE + "U = sc.Grid((12, 12, 12)).field('U')\ndiffuse(T.next, U)",
        "got T on another grid than next",
    ),
    (
        MADE + "U = sc.Grid((9, 9)).field('U', levels=2)\ndiffuse(U.next, U)",
        "3 indices, and the grid of U has 2",
    ),
    (MADE + "V = grid.field('V', components=2)\ndiffuse(V, T)", "as a field of one component, and V has 2"),
    (
        MADE + "U = sc.Grid((9, 9, 9)).field('U', levels=2)\nloop.run(diffuse(U.next, U))",
        "another grid than the loop's",
    ),
    (
        MADE
        + """
@sc.kernel
def far(next: sc.Out, T: sc.In):
    next[0, 0, 0] = T[3, 0, 0]
far(T.next, T.now)""",
        "reads T 3 cells away, and the grid of T has a halo of 1: make it sc.Grid(…, halo=3)",
    ),
    (
        MADE
        + """
@sc.kernel
def half(V: sc.Out):
    V[0][0, 0, 0] = 1.0
half(grid.field("V", components=2))""",
        "does not set component 1 of V, which V has",
    ),
    (
        MADE
        + """
@sc.condition
def deep(q: sc.Out, n: sc.Layer):
    q.ghost[n] = q.inside[13]
T.boundary("z-", deep())""",
        "looks 13 cells inward, and a block of the grid has 12",
    ),
]


@pytest.mark.parametrize(("text", "part"), WRONG)
def test_what_cannot_be_is_one_sentence(tmp_path, text, part):
    sentence = refused(tmp_path, text)
    assert part in sentence, sentence
    assert not re.search(r"Traceback|TypeError", sentence)
