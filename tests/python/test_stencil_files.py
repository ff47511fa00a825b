# SPDX-License-Identifier: Apache-2.0
"""Fields of stencils in files: the bits of fields in memory, ways in and out, and what is refused."""

import pytest

from stencil_runs import COUPLED, EVERYTHING, FOLLOW, expect_refusals, said_by

STEPS = """
place, strategy, pieces, dtype = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
grid = sc.Grid((14, 15, 32), periodic=(True, False, False), halo=2, scratch="scratch", pieces=pieces)
u, v = coupled(grid, dtype, place, "memory" if strategy == "interior_first" else place)
loop = sc.Loop(grid, strategy=strategy)
sums = []
for step in loop.steps(4):
    sums.append(loop.run(mix(u.next, u, v, a=0.05 + 0.01 * step)))
    u.advance()
    sums.append(loop.run(damp(v, u)))
values = u.at([(1, 2, 3), (13, 14, 31), (0, 0, 16)]).tolist(), v.at([(5, 6, 7)]).tolist()
u.snapshot("u.vtkhdf", v)
everything = [u.gather(), v.gather()]
low, high = grid.local_box
seen = []
def look(z, cells):
    assert cells.shape == (2, cells.shape[1], high[1] - low[1], high[0] - low[0]), cells.shape
    seen.append((z, float(cells.sum(dtype=float)), cells.shape[1]))
v.each_slab(look)
assert sorted(z for z, _, _ in seen)[0] == low[2] and sum(n for _, _, n in seen) == high[2] - low[2]
assert len(seen) == (pieces if v.place == "files" else 1)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_bits_are_those_of_memory(tmp_path, monkeypatch, dtype):
    monkeypatch.chdir(tmp_path)
    runs = (
        ("memory", "blocking", 1, dtype, 1),
        ("files", "boundary_first", 4, dtype, 1),
        ("files", "blocking", 1, dtype, 2),
        ("files", "interior_first", 3, dtype, 2),
        ("files", "boundary_first", 3, dtype, 4),
    )
    said = said_by(tmp_path, COUPLED + STEPS + EVERYTHING, runs)
    assert len(said) == 1 and len(said.pop()) > 100
    assert not [one for one in (tmp_path / "scratch").glob("*") if one.is_dir()], "scratch files were left"


WRONG = [
    ("T.own", "lies in files, of which there is no array; each_slab() shows it"),
    ("T.modify().__enter__()", "lies in files"),
    ("np.asarray(T)", "lies in files"),
    ("np.from_dlpack(T)", "lies in files"),
    ("T.set('warm')", "real numbers are needed"),
    ("T.set(lambda x, y, z: 1j * x)", "real numbers are needed"),
    ("T.set(np.zeros((3, 3, 3)))", "an array of shape"),
    ("T.each_slab(lambda z, cells: cells.fill(1))", "read-only"),
    ("grid.field('U', place='tape')", "place = 'tape'"),
    ("sc.Grid((9, 9)).field('U', place='files')", "needs three axes"),
    ("sc.Grid((9, 9, 9), pieces=0)", "pieces = 0"),
    ("sc.Grid((9, 9, 9), scratch='').field('U')", "scratch = ''"),
    ("sc.Grid((9, 9, 4), pieces=5).field('U', place='files')", "pieces"),
    ("sc.Grid((9, 9, 9), scratch='/proc/none', pieces=2).field('U', place='files')", "/proc/none"),
    ("loop.run(relax(T))", "it runs in 2 colours"),
    ("T.boundary('z-', follow(near))", "one of them lies in files"),
]

FIELDS = (
    FOLLOW
    + """
@sc.kernel(colours=2)
def relax(u: sc.InOut):
    u[0, 0, 0] = 0.5 * (u[1, 0, 0] + u[-1, 0, 0])

grid = sc.Grid((12, 12, 16), periodic=(True, True, False), pieces=4)
T, near = grid.field("T", levels=2, place="files"), grid.field("near")
T.boundary("all", sc.Mirror())
near.boundary("all", sc.Mirror())
loop = sc.Loop(grid)
"""
)
AFTER = """T.set(3.0)
loop.run(diffuse(T.next, T))
assert loop.run(total(T)) == 3 * 12 * 12 * 16, "a refusal left its mark"
"""


def test_what_cannot_be_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expect_refusals(tmp_path, WRONG, FIELDS, AFTER)
