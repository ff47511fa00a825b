# SPDX-License-Identifier: Apache-2.0
"""A script of a few lines around a solver, with the real compiled module."""

import pytest

pytestmark = pytest.mark.mpi

FIVE_LINES = """
import numpy as np
import subcurrent as sc

grid = sc.CavityGrid(points=(18, 18, 18), clustering="tanh", smallest=0.04)
sim = sc.Cavity(grid, reynolds=100)
sim.run(steps=6)
u = sim.velocity[0]
sim.plot("profiles.png")

low, high = sim.local_box
assert u.shape == tuple(high[axis] - low[axis] for axis in (2, 1, 0))
assert np.shares_memory(sim.velocity, sim.velocity) and not sim.velocity.flags.owndata
before = u.flat[0]
u.flat[0] = 0.25
assert sim.velocity[0].flat[0] == 0.25, "a view writes into the solver's memory"
u.flat[0] = before
sim.save("six.h5")
sim.run(steps=3)
expected = sim.gather("velocity")
sim.load("six.h5")
assert sim.steps == 6
sim.run(steps=3)
again = sim.gather("velocity")
if again is not None:
    assert again.shape == (3, 18, 18, 18)
    assert np.array_equal(again, expected)
    print("all good", sim)

# h5py brings an HDF5 of its own; a script may use both.
import h5py

sim.snapshot("nine.vtkhdf")
if again is not None:
    with h5py.File("nine.vtkhdf") as file:
        assert np.array_equal(np.moveaxis(file["fields/velocity"][...], -1, 0), expected)
sim.load("six.h5")

# One rank looks, and might have written: all refresh together, and the flow goes on unchanged.
if again is not None:
    assert abs(sim.velocity).max() > 0
sim.run(steps=3)
again = sim.gather("velocity")
assert again is None or np.array_equal(again, expected)

until, seen = sim.time + 2.5 * sim.last["dt"], []
sim.run(time=until, each=lambda report: seen.append((report["step"], report["time"])))
assert [step for step, _ in seen] == [*range(10, 10 + len(seen))] and len(seen) >= 2
assert seen[-2][1] < until <= seen[-1][1] * (1 + 1e-9)
tolerance = 0.9 * sim.last["max_change"]
assert sim.run(until="steady", tolerance=tolerance)["max_change"] < tolerance
for kind in ("flow", "flow_3d"):
    sim.plot(f"{kind}.png", kind=kind)
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_python_api(program, ranks):
    done = program.script(FIVE_LINES, ranks=ranks)
    assert done.stdout.count("all good <Cavity 18 x 18 x 18, Re 100, step 9") == 1
    for name in ("profiles", "flow", "flow_3d"):
        assert (program.folder / f"{name}.png").stat().st_size > 10_000
