# SPDX-License-Identifier: Apache-2.0
"""Fields of stencils written in Python: values, views, files, pictures, boundary conditions."""

import sys

import pytest

from stencil_runs import HEAD, run, script

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
