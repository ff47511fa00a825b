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
assert not np.from_dlpack(T).flags.writeable
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
    ways += (("automatic", 3),)
    outcomes = {run([sys.executable, path, way, ranks], ranks).stdout for way, ranks in ways}
    assert len(outcomes) == 1


MODIFIED = """
@sc.kernel
def laplacian(y: sc.Out, x: sc.In):
    y[0, 0] = x[1, 0] + x[-1, 0] + x[0, 1] + x[0, -1] - 4 * x[0, 0]

grid = sc.Grid((6, 6), periodic=True)
T, y, loop = grid.field("T", levels=2), grid.field("y"), sc.Loop(grid)
ramp = np.arange(36.0).reshape(6, 6)
expected = sum(np.roll(ramp, step, axis) for step in (-1, 1) for axis in (0, 1)) - 4 * ramp
with T.modify() as own:
    own[...] = 1.0
    loop.run(laplacian(y, T))
    own[...] = ramp
loop.run(laplacian(y, T))
assert np.array_equal(y.own, expected), "the halo is of before the last change"
with T.modify() as own:  # which is level 1 at the end
    own[...] = 1.0
    loop.run(laplacian(y, T))
    T.advance()
    own[...] = ramp
T.advance()
loop.run(laplacian(y, T))
assert np.array_equal(y.own, expected)
try:
    with T.modify() as own:
        own[...] = 2.0
        loop.run(laplacian(y, T))
        own[...] = ramp
        raise KeyError
except KeyError:
    pass
assert not own.flags.writeable
loop.run(laplacian(y, T))
assert np.array_equal(y.own, expected)
"""


def test_halos_follow_what_a_block_changes_last(tmp_path):
    script(tmp_path, MODIFIED)


ON_A_DEVICE = """
T = sc.Grid((6, 6, 6), periodic=True, device="emulated").field("T")
loop = sc.Loop(T.grid)
with T.modify() as own:
    own[...] = 1.0
    try:
        loop.run(total(T))
        raise SystemExit("the device has computed with its copy")
    except sc.BadInput as error:
        assert "uses T within `with T.modify()`" in str(error), error
    own[...] = 2.0
assert loop.run(total(T)) == 2 * 216
"""


def test_a_device_does_not_compute_what_a_block_writes_to(tmp_path):
    script(tmp_path, ON_A_DEVICE)


COMPONENTS = """
for nx in (2, 4):
    grid = sc.Grid((nx, 4, 3), periodic=True)
    V = grid.field("V", components=2)
    for values in ([0.0, 1.0], (0.0, 1.0), np.array([0.0, 1.0]), lambda x, y, z: (0.0, 1.0)):
        V.set(7.0)
        V.set(values)
        assert (V.own[0] == 0).all() and (V.own[1] == 1).all(), (nx, values)
    whole = np.arange(2.0 * 3 * 4 * nx).reshape(2, 3, 4, nx)
    part = lambda x, y, z: whole[:, z, y, x]
    for values in (whole, list(whole), part, lambda *at: list(part(*at))):
        V.set(7.0)
        V.set(values)
        everything = V.gather()
        assert everything is None or np.array_equal(everything, whole)
    for values in ([1.0], np.zeros(nx + 1), np.zeros((3, 4, nx)), np.zeros((2, nx)), [whole, whole]):
        try:
            V.set(values)
        except sc.BadInput:
            continue
        raise SystemExit(f"{np.shape(values)} was taken")
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_several_components_are_the_first_axis_or_a_sequence(tmp_path, ranks):
    script(tmp_path, COMPONENTS, ranks)


ALL_RAISE = """
T = sc.Grid((4, 4, 4), periodic=True).field("T")
for wrong in (dict(axis="w"), dict(at=99), dict(path=3), dict(path="/proc/none/t.png")):
    try:
        T.plot(**{"path": "t.png", **wrong})
    except sc.SubcurrentError:
        continue
    raise SystemExit(f"rank {T.grid.rank} has drawn {wrong}")
sys.modules["xarray"] = None
try:
    T.to_xarray()
except sc.SubcurrentError:
    T.grid.barrier()
else:
    raise SystemExit(f"rank {T.grid.rank} has an array without xarray")
"""


@pytest.mark.mpi
def test_what_rank_0_cannot_draw_is_an_error_on_all_ranks(tmp_path):
    script(tmp_path, ALL_RAISE, 2)
