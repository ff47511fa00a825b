# SPDX-License-Identifier: Apache-2.0
"""Time averages of cavity runs: against NumPy's of every step, of a decaying flow against the integral, the
same bytes on any ranks and after a restart, and what is refused."""

import math

import h5py
import numpy as np
import pytest
import tomli_w

import subcurrent as sc
from subcurrent.errors import BadInput

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
GRIDS = {
    "skewed": (sc.CavityGrid((12, 11, 10), clustering="skewed"), {}),
    "open": (
        sc.CavityGrid((20, 8, 12), size=(2, 0.6, 1)),
        {
            "x-": {"inflow": [1.0, 0.2, 0.0], "profile": "parabolic"},
            "x+": {"pressure": 0.5},
            "y-": "slip",
            "y+": "wall",
            "z-": "wall",
        },
    ),
}


def walked(sim, steps: int) -> tuple[list[float], list[np.ndarray], list[np.ndarray]]:
    """The length of each step, and velocity and pressure after it."""
    lengths, velocities, pressures = [], [], []
    for _ in range(steps):
        lengths.append(sim.step()["dt"])
        velocities.append(sim.gather("velocity"))
        pressures.append(sim.gather("pressure"))
    return lengths, velocities, pressures


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", GRIDS)
def test_they_are_those_of_numpy(name, order):
    grid, boundaries = GRIDS[name]
    made = {"reynolds": 30, "boundaries": boundaries, "courant": 0.6, "order": order}
    ahead = sc.Cavity(grid, **made)
    ahead.run(steps=4)
    sim = sc.Cavity(grid, average_from=ahead.time, **made)
    lengths, velocities, pressures = walked(sim, 12)
    assert max(lengths[4:]) > 1.01 * min(lengths[4:])  # steps of different length
    found = sim.averages()
    weights = np.array(lengths[4:])
    assert found["duration"] == pytest.approx(weights.sum(), rel=1e-13)
    velocity, pressure = np.array(velocities[4:]), np.array(pressures[4:])
    mean = np.average(velocity, axis=0, weights=weights)
    assert np.abs(found["velocity"] - mean).max() < 1e-13
    scale = np.abs(pressure).max()
    assert np.abs(found["pressure"] - np.average(pressure, axis=0, weights=weights)).max() < 1e-12 * scale
    inside = (slice(1, -1),) * 3
    for k, (i, j) in enumerate(PAIRS):
        products = (velocity[:, i] - mean[i]) * (velocity[:, j] - mean[j])
        stress = np.average(products, axis=0, weights=weights)
        assert np.abs(stress[inside]).max() > 1e-7
        assert np.abs(found["stress"][k][inside] - stress[inside]).max() < 1e-14, k
    assert np.abs(found["stress"][:, 0, 1:-1, 1:-1]).max() == 0  # the wall z-
    assert np.array_equal(sim.averages()["stress"], found["stress"])


def test_a_steady_flow_is_its_own_average():
    faces = dict.fromkeys(("x-", "x+", "y-", "y+"), "periodic")
    sim = sc.Cavity(sc.CavityGrid((6, 6, 9)), reynolds=1, boundaries=faces, average_from=3.0)
    sim.run(time=3.5)
    found = sim.averages()
    assert np.abs(found["velocity"] - sim.gather("velocity")).max() < 1e-12
    assert np.abs(found["stress"]).max() < 1e-25
    assert found["velocity"][0, 4, 2, 2] == pytest.approx(0.5, abs=1e-9)


def vortex_error(dt: float) -> float:
    """Of the mean velocity of a decaying vortex, whose rate is measured: 1 / T int exp(-r t) dt."""
    faces = {axis + side: "periodic" for axis in "xyz" for side in "-+"}
    sim = sc.Cavity(
        sc.CavityGrid((16, 16, 4)),
        reynolds=20,
        boundaries=faces,
        initial="taylor_green",
        dt=dt,
        average_from=0,
    )
    start = sim.gather("velocity")
    sim.run(time=0.25)
    end = np.abs(sim.gather("velocity")).max() / np.abs(start).max()
    rate = -math.log(end) / sim.time
    mean = (1 - end) / (rate * sim.time)
    return np.abs(sim.averages()["velocity"] - mean * start).max()


def test_a_decaying_flow_has_the_mean_of_its_integral():
    coarse, fine = vortex_error(0.01), vortex_error(0.005)
    assert fine < 0.01
    assert coarse / fine == pytest.approx(2, abs=0.2)


TABLES = {
    "solver": "cavity",
    "flow": {"reynolds": 50},
    "grid": {"points": [12, 14, 13]},
    "run": {"steps": 6, "courant": 0.5},
    "output": {"timeline": False, "figures": False, "average_from": 0.05, "probes": [[0.5, 0.5, 0.9]]},
}


def files(program, name: str, *arguments) -> list[bytes]:
    program.ok("run", "case.toml", "--out", name, *arguments)
    folder = program.folder / name
    names = (
        "snapshots/snapshot_00000006.vtkhdf",
        "checkpoints/checkpoint_00000006.h5",
        "probes.csv",
    )
    return [(folder / one).read_bytes() for one in names]


@pytest.mark.mpi
@pytest.mark.parametrize("order", [1, 2])
def test_ranks_and_restarts_leave_the_same_bytes(program, refusal, order):
    program.write_case(tomli_w.dumps({**TABLES, "run": {**TABLES["run"], "order": order}}))
    one = files(program, "one", "-n", "1")
    with h5py.File(program.folder / "one" / "snapshots" / "snapshot_00000006.vtkhdf") as file:
        assert file["fields/reynolds_stress"].shape == (13, 14, 12, 6)
        assert np.abs(file["fields/reynolds_stress"]).max() > 1e-6
    assert b"mean_velocity_x" in one[2]
    assert b"reynolds_stress_5" in one[2]
    assert files(program, "two", "-n", "2", "--set", "engine.strategy=boundary_first") == one
    files_of = ("-n", "2", "--set", "run.steps=4", "--set", "output.checkpoint_every=4")
    program.ok("run", "case.toml", "--out", "r", *files_of)
    assert files(program, "r", "-n", "1", "--resume") == one
    assert "--resume needs the same output.average_from" in refusal(
        "run", "case.toml", "--out", "r", "--resume", "--set", "output.average_from=0.1"
    )


@pytest.mark.mpi
def test_the_picture_is_drawn_where_there_are_averages(program):
    program.write_case(tomli_w.dumps(TABLES))
    sets = ("--set", "output.figures=true")
    files(program, "r", *sets)
    assert (program.folder / "r" / "figures" / "averages.png").stat().st_size > 20_000
    assert "Mean speed and turbulent kinetic energy" in (program.folder / "r" / "report.html").read_text()
    files(program, "late", *sets, "--set", "output.average_from=9.0")
    assert not (program.folder / "late" / "figures" / "averages.png").exists()


def test_what_is_refused():
    grid = sc.CavityGrid((8, 8, 8))
    with pytest.raises(BadInput, match=r"averages\(\) needs a simulation that was made with average_from="):
        sc.Cavity(grid, reynolds=10).averages()
    with pytest.raises(BadInput, match=r"a step that began at average_from = 2 or later; the time is 0\."):
        sc.Cavity(grid, reynolds=10, average_from=2).averages()
    with pytest.raises(BadInput, match=r"output\.average_from = -1.* a number >= 0"):
        sc.Cavity(grid, reynolds=10, average_from=-1)
