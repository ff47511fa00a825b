# SPDX-License-Identifier: Apache-2.0
"""probes.csv: the same bytes on any ranks, places and after a restart, the values of snapshots between their
points by SciPy's interpolation, and what is refused."""

import csv
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest
import tomli_w
from scipy.interpolate import RegularGridInterpolator
from scipy.ndimage import map_coordinates
from scipy.optimize import fsolve

import subcurrent as sc
from cases_of_keys import BASES
from conftest import summary
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.report.plots.probes import draw_probes

OUTPUT = {"figures": False, "timeline": False, "history_every": 2}
BEFORE = ["step", "time", "probe", "x", "y", "z"]
# Cases of six steps, and positions: between points, at a point, at the ends of the grid.
SMALL = {
    "cavity": (
        {"grid": {"points": [16, 18, 16], "clustering": "skewed"}},
        [[0.31, 0.52, 0.93], [0.0, 0.0, 1.0], [0.5, 0.5, 0.999]],
    ),
    "magnetosphere": (
        {},
        [[-7.2, 0.3, 1.1], [9.5, 7.5, -7.5], [-4.5, 0.5, 0.5]],
    ),
    "dendrite": ({}, [[0.14, 0.11, 0.133], [0.01, 0.01, 0.01]]),
    "turbulence": ({}, [[3.0, 1.0, 2.0], [6.2, 0.1, 6.28]]),
    "compressible": ({"grid": {"points": [16, 10, 16]}}, [[3.0, 1.0, 2.0], [6.2, 0.1, 6.28]]),
    "wave": (
        {"boundaries": {"y-": "periodic", "y+": "periodic"}},
        [[0.05, 0.06, 0.07], [0.005, 0.001, 0.115], [0.1, 0.1299, 0.03]],
    ),
}


def case_of(solver: str, **output) -> str:
    more, probes = SMALL[solver]
    tables = {**BASES[solver], **more, "solver": solver, "run": {"steps": 6}}
    return tomli_w.dumps({**tables, "output": {**OUTPUT, "probes": probes, **output}})


def run(program, name: str, *arguments) -> bytes:
    program.ok("run", "case.toml", "--out", name, *arguments)
    return (program.folder / name / "probes.csv").read_bytes()


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "probes.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.mpi
@pytest.mark.parametrize("solver", SMALL)
def test_ranks_and_restarts_leave_the_same_bytes(program, made_once, solver):
    program.write_case(case_of(solver))
    one, *others = (
        (made_once(case_of(solver), "-n", ranks) / "probes.csv").read_bytes() for ranks in ("1", "2", "4")
    )
    assert len(one.splitlines()) == 1 + 3 * len(SMALL[solver][1])
    assert b"nan" not in one
    assert all(other == one for other in others)
    run(program, "r", "-n", "2", "--set", "run.steps=3", "--set", "output.checkpoint_every=3")
    half = table(program.folder / "r")
    assert {row["step"] for row in half} == {"2"}
    assert run(program, "r", "-n", "1", "--resume") == one


@pytest.mark.mpi
def test_rows_after_the_checkpoint_are_computed_again(program):
    program.write_case(case_of("wave", checkpoint_every=3, snapshots=False))
    whole = run(program, "r", "-n", "1")
    folder = program.folder / "r"
    (folder / "checkpoints" / "checkpoint_00000006.h5").unlink()
    assert run(program, "r", "-n", "2", "--resume") == whole


@pytest.mark.mpi
@pytest.mark.parametrize("solver", ["cavity", "magnetosphere", "dendrite", "wave"])
def test_a_device_leaves_the_same_bytes(program, made_once, solver):
    program.write_case(case_of(solver))
    host = made_once(case_of(solver), "-n", "1") / "probes.csv"
    assert run(program, "device", "--set", "engine.device=emulated") == host.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize(("solver", "points"), [("dendrite", None), ("compressible", "[16,10,32]")])
def test_fields_in_files_leave_the_same_bytes(program, made_once, solver, points):
    program.write_case(case_of(solver))
    sets = (
        "-n",
        "2",
        *(("--set", f"grid.points={points}", "--set", "engine.split=[1,1,2]") if points else ()),
    )
    files = ("--set", "storage.place=files", "--set", "storage.pieces=2")
    memory = made_once(case_of(solver), *sets) / "probes.csv"
    assert run(program, "files", *sets, *files) == memory.read_bytes()


# -- against SciPy ------------------------------------------------------------------------------------------


def columns_of(folder: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Positions and values of the last step."""
    rows = [row for row in table(folder) if row["step"] == "6"]
    numbers = {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}
    places = np.stack([numbers.pop(axis) for axis in "xyz"], axis=1)
    return places, {key: numbers[key] for key in numbers if key not in BEFORE}


def components(file: h5py.File) -> dict[str, np.ndarray]:
    """The numbers of a snapshot as (z, y, x), by the names of probes.csv."""
    found = {}
    for field in file["VTKHDF/PointData"]:
        values = file[f"fields/{field}"][...]
        if values.ndim == 3:
            found[field] = values
        else:
            found |= {f"{field}_{'xyz'[k]}": values[..., k] for k in range(3)}
    return found


@pytest.mark.mpi
@pytest.mark.parametrize("solver", [name for name in SMALL if name != "cavity"])
def test_values_are_those_of_the_snapshot_between_its_points(program, made_once, solver):
    folder = made_once(case_of(solver), "-n", "2")
    places, found = columns_of(folder)
    with h5py.File(folder / "snapshots" / "snapshot_00000006.vtkhdf") as file:
        fields = components(file)
        axes = [file[f"fields/{axis}"][...] for axis in "xyz"]
    assert set(found) == set(fields)
    periodic = {"turbulence": (0, 1, 2), "compressible": (0, 1, 2), "wave": (1,)}.get(solver, ())
    for axis in periodic:  # an image of the grid on both sides
        step = axes[axis][1] - axes[axis][0]
        axes[axis] = np.concatenate([[axes[axis][0] - step], axes[axis], [axes[axis][-1] + step]])
    for name, values in fields.items():
        around = np.pad(values, [(int(a in periodic),) * 2 for a in (2, 1, 0)], mode="wrap").T
        expected = RegularGridInterpolator(axes, around.astype(float), bounds_error=False, fill_value=None)(
            places
        )
        scale = np.abs(values).max() + 1e-300
        assert np.abs(found[name] - expected).max() < 1e-12 * scale, name


@pytest.mark.mpi
@pytest.mark.filterwarnings("ignore:The iteration is not making good progress")  # at a kink between cells
@pytest.mark.parametrize("clustering", ["uniform", "tanh", "skewed", "file"])
def test_curved_grids_are_inverted(program, clustering):
    """Indices by MINPACK on SciPy's trilinear map, and values at them by the same map."""
    grid = {"points": [12, 11, 10], "clustering": clustering}
    if clustering == "tanh":
        grid["smallest"] = 0.05
    if clustering == "file":
        grid["file"] = "sheared.h5"
        z, y, x = np.meshgrid(*(np.linspace(0, 1, n) ** 1.2 for n in (10, 11, 12)), indexing="ij")
        with h5py.File(program.folder / "sheared.h5", "w") as file:
            file["x"], file["y"], file["z"] = x + 0.3 * z * z, y, z - 0.1 * np.sin(3 * x)
    probes = [[0.31, 0.52, 0.63], [0.8, 0.11, 0.4], [0.45, 0.9, 0.08], [0.7, 0.66, 0.71]]
    tables = {**BASES["cavity"], "solver": "cavity", "grid": grid, "run": {"steps": 6}}
    if clustering == "file":
        tables["boundaries"] = {"z+": "wall", "y+": {"moving": [0.5, 0.0, 0.0]}}
    program.write_case(tomli_w.dumps({**tables, "output": {**OUTPUT, "probes": probes}}))
    run(program, "r", "-n", "2")
    places, found = columns_of(program.folder / "r")
    with h5py.File(program.folder / "r" / "snapshots" / "snapshot_00000006.vtkhdf") as file:
        points = file["grid/points"][...]
        fields = components(file)
    assert set(found) == {"velocity_x", "velocity_y", "velocity_z", "pressure"}

    def at(values, index):
        return map_coordinates(values, np.asarray(index)[:, None], order=1, mode="nearest", prefilter=False)[
            0
        ]

    for n, place in enumerate(places):
        start = np.unravel_index(((points - place) ** 2).sum(axis=-1).argmin(), points.shape[:3])

        def missing(index, place=place):
            return [at(points[..., e], index) - place[e] for e in range(3)]

        index = fsolve(missing, np.array(start, float) + 0.1, xtol=1e-13)
        assert np.abs(missing(index)).max() < 1e-10
        for name, values in fields.items():
            assert found[name][n] == pytest.approx(at(values, index), abs=1e-10), name


def worst_error(points: int) -> float:
    """Between the points of a Taylor-Green vortex, against its exact velocity at time 0."""
    sim = sc.Turbulence((points,) * 3, viscosity=0.1, dt=0.01, initial="taylor_green")
    x, y, z = places = np.random.default_rng(3).uniform(0, 2 * np.pi, (3, 50))
    names = sim._solver.place_probes(places.T.tolist())
    found = dict(zip(names, sim._solver.probes().reshape(50, -1).T, strict=True))
    errors = (
        found["velocity_x"] - np.sin(x) * np.cos(y) * np.cos(z),
        found["velocity_y"] + np.cos(x) * np.sin(y) * np.cos(z),
        found["velocity_z"],
    )
    return max(np.abs(error).max() for error in errors)


def test_a_smooth_flow_is_met_with_second_order():
    errors = [worst_error(points) for points in (16, 32, 64)]
    assert errors[0] < 0.05
    assert all(3 < coarse / fine < 5.5 for coarse, fine in pairwise(errors)), errors


# -- refusals, and pictures ---------------------------------------------------------------------------------


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("solver", "place", "sentence"),
    [
        ("cavity", "[0.5, 1.5, 0.5]", "whose points reach from [0, 0, 0] to [1, 1, 1]"),
        ("magnetosphere", "[-9.6, 0, 0]", "which reaches from -9.5 to 9.5 along x"),
        ("wave", "[0.05, 0.14, 0.06]", "which reaches from 0 to 0.13 along y"),
        ("wave", "[0.05, 0.05, 0.119]", "which reaches from 0.005 to 0.115 along z"),
    ],
)
def test_positions_outside_of_the_grid_are_refused(program, solver, place, sentence):
    program.write_case(case_of(solver))
    inside = SMALL[solver][1][0]
    assert f"output.probes[1] = {place} lies outside of the grid, {sentence}" in program.refused(
        "run", "case.toml", "-n", "2", "--out", "r", "--set", f"output.probes=[{inside}, {place}]"
    )


@pytest.mark.parametrize("given", [[0.5, 0.5, 0.5], [[0.5, 0.5]], [["a", 0, 0]], [[0.5, 0.5, float("nan")]]])
def test_positions_are_three_numbers_each(given):
    tables = {**BASES["wave"], "solver": "wave", "output": {"probes": given}}
    with pytest.raises(BadInput, match=r"output\.probes.*\[x, y, z\]"):
        typed_case(tables, None)


@pytest.mark.mpi
def test_a_resumed_run_has_the_same_probes(program, refusal):
    program.write_case(case_of("wave"))
    run(program, "r", "-n", "1", "--set", "run.steps=4")
    assert "--resume needs the same output.probes as the run it continues" in refusal(
        "run", "case.toml", "--out", "r", "--resume", "--set", "output.probes=[[0.05,0.05,0.05]]"
    )
    path = program.folder / "r" / "probes.csv"
    path.write_text(path.read_text().replace("pressure", "density"))
    assert "its columns are not step, time, probe, x, y, z and pressure" in program.refused(
        "run", "case.toml", "--out", "r", "--resume"
    )


@pytest.mark.mpi
def test_probes_are_drawn_and_are_part_of_the_report(program):
    program.write_case(case_of("magnetosphere", figures=True))
    run(program, "r", "-n", "1")
    assert (program.folder / "r" / "figures" / "probes.png").stat().st_size > 20_000
    assert "The fields at the probes over time." in (program.folder / "r" / "report.html").read_text()
    program.ok("run", "case.toml", "--out", "r", "--overwrite", "--set", "output.probes=[]")
    assert not (program.folder / "r" / "probes.csv").exists()
    assert not (program.folder / "r" / "figures" / "probes.png").exists()
    assert summary(program.folder / "r")["state"] == "finished"


def test_pictures_have_units_and_say_what_is_left_out(tmp_path):
    lines = ["step,time,probe,x,y,z,density,velocity_x,velocity_y,velocity_z"]
    lines += [f"{s},{0.1 * s},{p},{p},0,0,1.0,{s},{p},0.5" for s in range(5) for p in range(12)]
    (tmp_path / "probes.csv").write_text("\n".join(lines) + "\n")
    units = {"length": "6370 km", "density": "10000 cm-3", "velocity": "6805 km s-1"}
    draw_probes(tmp_path / "p.svg", tmp_path / "probes.csv", "A run", units, (60.0, "s"))
    text = (tmp_path / "p.svg").read_text()
    for word in (
        "density (cm⁻³)",
        "velocity x (km s⁻¹)",
        "time (s)",
        "0: (0, 0, 0)",
        "the first 10 of 12 probes",
    ):
        assert f"<!-- {word} -->" in text, word
    assert "<!-- 10: (10, 0, 0) -->" not in text
