# SPDX-License-Identifier: Apache-2.0
"""Stencils on a device: on the emulated one the bits of memory, ways in and out, what is refused, and what is
compiled for a card."""

import shutil
import sys
from pathlib import Path

import pytest

from conftest import ROOT, completed
from stencil_runs import (
    COUPLED,
    EVERYTHING,
    FOLLOW,
    expect_refusals,
    refused,
    run,
    said_by,
    script,
)

STEPS = """
@sc.kernel(colours=2)
def relax(w: sc.InOut, on: bool):
    around = w[1, 0, 0] + w[-1, 0, 0] + w[0, 1, 0] + w[0, 0, -1]
    w[0, 0, 0] = 0.4 * w[0, 0, 0] + (0.09 if on else 0.1) * around

@sc.condition
def follow(q: sc.Out, n: sc.Layer, s: sc.In):
    q.ghost[n] = q.inside[1] + n * s[1].inside[1]

device, place, strategy, dtype = sys.argv[1:5]
grid = sc.Grid((14, 16, 32), periodic=(True, False, False), halo=2, pieces=2, device=device)
assert grid.device == ("cpu" if device == "cpu" else "emulated device")
u, v = coupled(grid, dtype, place, "memory")
w = grid.field("w", dtype=dtype)
assert u.computed_by == v.computed_by == grid.device
with w.modify() as own:
    x, y, z = grid.positions
    own[...] = ((x * 5 + y * 3 + z * 7) % 17 - 8) / 16
w.boundary("y- y+", follow(v))
w.boundary("z- z+", sc.Fixed(0.5))
loop = sc.Loop(grid, strategy=strategy)
sums = []
for step in loop.steps(4):
    sums.append(loop.run(mix(u.next, u, v, a=0.05 + 0.01 * step)))
    u.advance()
    sums.append(loop.run(damp(v, u)))
    loop.run(relax(w, on=step % 2 == 0))
    if step == 1:  # what the host has written the device takes over
        with v.modify() as own:
            own[0] += 0.125
values = u.at([(1, 2, 3), (13, 14, 31), (0, 0, 16)]).tolist(), v.at([(5, 6, 7)]).tolist()
u.snapshot("u.vtkhdf", v, w)
everything = [u.gather(), v.gather(), w.gather()]
seen = []
u.each_slab(lambda z, cells: seen.append((z, float(cells.sum(dtype=float)))))
assert len(seen) == (2 if place == "host" else 1)
if place == "memory":
    low, high = grid.local_box
    assert np.asarray(u).shape == tuple(b - a for a, b in zip(low, high))[::-1]
    assert np.array_equal(np.from_dlpack(w), w.own)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_bits_are_those_of_memory(tmp_path, monkeypatch, dtype):
    monkeypatch.chdir(tmp_path)
    runs = (
        ("cpu", "memory", "blocking", dtype, 1),
        ("emulated", "memory", "boundary_first", dtype, 1),
        ("emulated", "host", "interior_first", dtype, 1),
        ("emulated", "memory", "interior_first", dtype, 2),
        ("emulated", "host", "boundary_first", dtype, 2),
        ("emulated", "memory", "pipelined", dtype, 3),
        ("emulated", "host", "blocking", dtype, 4),
    )
    said = said_by(tmp_path, COUPLED + STEPS + EVERYTHING, runs)
    assert len(said) == 1 and len(said.pop()) > 100


def test_a_tutorial_with_one_more_word(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "examples/python/heat.py").read_text()
    assert text.count("periodic=True") == 1
    path = tmp_path / "heat.py"
    said = []
    for more in ("", ', device="emulated"'):
        path.write_text(text.replace("periodic=True", "periodic=True" + more))
        said.append(run([sys.executable, path, 24, 10]).stdout.partition(":")[2])
    assert said[0] == said[1] and "amplitude" in said[0]


PASSES = """
device, place, length = sys.argv[1], sys.argv[2], int(sys.argv[3])
grid = sc.Grid((12, 14, 32), periodic=(True, False, False), halo=4, pieces=2, device=device)
T = grid.field("T", levels=2, place=place)
T.boundary("y- y+", sc.Dirichlet(0.25))
T.boundary("z- z+", sc.Mirror())
T.set(lambda x, y, z: ((x * 7 + y * 5 + z * 3) % 11 - 5) / 8)
loop = sc.Loop(grid, steps_per_pass=length)
for n in loop.steps(8):
    loop.run(diffuse(T.next, T.now, a=0.1 + 0.01 * n))
    T.advance()
heat = loop.run(total(T.now))
if length > 1:
    assert loop.passes.startswith("8 steps in 2 passes, 4 a pass"), loop.passes
values = T.gather()
if grid.rank == 0:
    print(heat, hash(values.tobytes()))
"""


@pytest.mark.mpi
def test_passes_of_several_steps_leave_the_bits_of_single_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = (
        ("cpu", "memory", 1, 1),
        ("emulated", "memory", 4, 2),
        ("emulated", "host", 4, 1),
        ("emulated", "host", 4, 2),
    )
    said = said_by(tmp_path, PASSES, runs)
    assert len(said) == 1 and len(said.pop()) > 20


WRONG = [
    ("grid.field('U', place='tape')", "place = 'tape'"),
    ("sc.Grid((9, 9), device='emulated').field('U', place='host')", "needs three axes"),
    ("sc.Grid((9, 9, 9), device='gpu')", "device = 'gpu'"),
    ("sc.Grid((9, 9, 9))", "differ from this script's first"),
    ("U.own", "lies in the host's memory beside a device, of which there is no array"),
    ("loop.run(diffuse(V.next, T))", "in different memories"),
    ("T.boundary('z-', follow(U))", "one of them lies in the host's memory beside a device"),
]

FIELDS = (
    FOLLOW
    + """
grid = sc.Grid((12, 12, 16), periodic=(True, True, False), pieces=4, device="emulated")
T, U = grid.field("T", levels=2), grid.field("U", place="host")
V = grid.field("V", levels=2, place="files")
for one in (T, U, V):
    one.boundary("all", sc.Mirror())
loop = sc.Loop(grid)
"""
)
AFTER = """T.set(3.0)
loop.run(diffuse(T.next, T))
loop.run(diffuse(V.next, V))
assert loop.run(total(T)) == 3 * 12 * 12 * 16, "a refusal left its mark"
"""


def test_what_cannot_be_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expect_refusals(tmp_path, WRONG, FIELDS, AFTER)


def test_without_a_device_it_says_so(tmp_path):
    said = refused(tmp_path, "sc.Grid((9, 9, 9)).field('U', place='host')")
    assert said.startswith('place = "host" is the memory of the host beside a device, and the grid has none')


def test_a_build_without_cuda_says_so(tmp_path):
    from subcurrent import core  # noqa: PLC0415

    if core.build_info()["cuda"] != "no":
        pytest.skip("this build has CUDA")
    said = refused(tmp_path, "sc.Grid((9, 9, 9), device='cuda')")
    assert said.startswith('engine.device is "cuda", but this build has no CUDA')


NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

COMPILED = """
import ctypes
from subcurrent.stencil import compiling
sys.argv = ["x"]
import stencil_bits as bits
from subcurrent.stencil.printing import plain_precision
for kernel, single in (  # either precision with two of them
    (bits.advance_u, False), (bits.advance_v, True), (bits.relax, False), (bits.outflow, True)
):
    print(kernel.library(plain_precision(kernel._text, single), "a card") > 0)
"""


@pytest.mark.skipif(not Path(NVCC).exists(), reason="nvcc is not installed")
def test_nvcc_compiles_what_runs_on_a_card(tmp_path, monkeypatch):
    """The kernels of the C++ reference for sm_90: the libraries hold PTX of the kernel, and are kept."""
    monkeypatch.chdir(tmp_path)
    bits = (ROOT / "tests/python/stencil_bits.py").read_text()
    (tmp_path / "stencil_bits.py").write_text(bits.replace("main(*sys.argv[1:])", ""))
    made = {"CUDACXX": f"{NVCC} -arch=sm_90", "SUBCURRENT_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        assert script(tmp_path, COMPILED, **made).stdout == "True\n" * 4
    libraries = list((tmp_path / "cache").glob("*.so"))
    assert len(libraries) == 4
    dump = Path(NVCC).with_name("cuobjdump")
    if not dump.exists():
        return
    for library in libraries:
        text = completed([dump, "--list-elf", library], check=True).stdout
        assert "sm_90" in text


def test_without_nvcc_it_says_what_to_install(tmp_path):
    text = COMPILED.replace("import stencil_bits as bits", "").partition("for kernel")[0] + (
        "diffuse.library(plain_precision(diffuse._text), 'a card')"
    )
    said = refused(tmp_path, text, CUDACXX="/nowhere/nvcc", SUBCURRENT_CACHE=str(tmp_path))
    assert said == (
        'kernel "diffuse" needs nvcc to run on a CUDA device, and /nowhere/nvcc cannot be run: install '
        "NVIDIA's CUDA toolkit, or name its nvcc in the variable CUDACXX."
    )
