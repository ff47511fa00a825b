# SPDX-License-Identifier: Apache-2.0
"""Files as others see them: VTK, h5py and xarray open a snapshot; a killed run leaves a whole checkpoint."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from conftest import ROOT_MAY, built_program, completed, core_is_built, set_options

h5py = pytest.importorskip("h5py", reason="h5py is not installed")

MPI_ENVIRONMENT = {
    **ROOT_MAY,
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
CELLS = 48
pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def tool():
    return built_program("io_tool")


def mpirun(ranks, *command):
    return ["mpirun", "-n", str(ranks), *map(str, command)]


def run(ranks, *command):
    result = completed(mpirun(ranks, *command), env=os.environ | MPI_ENVIRONMENT, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def snapshots(tool, tmp_path_factory):
    """Path of the snapshot of a kind, written by a number of ranks."""
    folder = tmp_path_factory.mktemp("snapshots")
    for kind in ("unstructured", "structured", "stretched"):
        for ranks in (1, 2, 3):
            run(ranks, tool, "snapshot", folder / f"{kind}_{ranks}.vtkhdf", kind)
    return lambda kind, ranks=2: folder / f"{kind}_{ranks}.vtkhdf"


def expected():
    """Coordinates (z, y, x, component) of io_tool's snapshot, walls included."""
    z, y, x = np.meshgrid(np.arange(18), np.arange(12), np.arange(14), indexing="ij")
    return np.stack([(x / 13.0) ** 2 + 0.2 * (z / 17.0), y / 11.0, z / 17.0], axis=-1)


@pytest.mark.parametrize("kind", ["unstructured", "structured", "stretched"])
def test_every_dataset_is_the_same_from_any_number_of_ranks(snapshots, kind):
    def contents(path):
        found = {}
        with h5py.File(path) as file:
            file.visititems(
                lambda name, item: (
                    found.update({name: item[...].tobytes()}) if hasattr(item, "shape") else None
                )
            )
        return found

    one = contents(snapshots(kind, 1))
    assert {"VTKHDF/Points", "VTKHDF/PointData/velocity", "grid/x", "fields/pressure"} <= one.keys()
    for ranks in (2, 3):
        assert contents(snapshots(kind, ranks)) == one
        assert snapshots(kind, ranks).read_bytes() == snapshots(kind, 1).read_bytes()


@pytest.mark.parametrize("kind", ["unstructured", "structured"])
def test_h5py_sees_arrays_in_z_y_x(snapshots, kind):
    points = expected()
    with h5py.File(snapshots(kind)) as file:
        assert file.attrs["time"] == 1.5
        assert file.attrs["step"] == 40
        np.testing.assert_allclose(file["grid/points"][...], points, rtol=1e-14)
        for axis, name in enumerate("xyz"):
            np.testing.assert_array_equal(file[f"grid/{name}"][...], file["grid/points"][..., axis])
        np.testing.assert_allclose(file["fields/velocity"][3:5, :, 2], 2 * points[3:5, :, 2], rtol=1e-14)
        assert file["fields/pressure"].dtype == np.float32
        np.testing.assert_allclose(file["fields/pressure"][...], points.sum(axis=-1), rtol=1e-6)


def opened(path):
    """The fields of a snapshot as an xarray.Dataset, as docs/files.md says."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("h5netcdf", reason="h5netcdf is not installed")
    return xarray.open_dataset(path, group="fields", engine="h5netcdf")


@pytest.mark.parametrize("kind", ["unstructured", "structured"])
def test_xarray_opens_fields_on_curved_grids(snapshots, kind):
    with opened(snapshots(kind)) as data:
        assert dict(data["velocity"].sizes) == {"k": 18, "j": 12, "i": 14, "component": 3}
        np.testing.assert_allclose(data["velocity"].values, 2 * expected(), rtol=1e-14)
        assert set(data.coords) == {"x", "y", "z", "time"}
        assert data["x"].dims == data["pressure"].dims == ("k", "j", "i")
        np.testing.assert_allclose(data["x"].values, expected()[..., 0], rtol=1e-14)
        assert data["time"].item() == 1.5


def test_xarray_opens_fields_on_stretched_grids_by_their_axes(snapshots):
    with opened(snapshots("stretched")) as data:
        assert data["velocity"].dims == ("z", "y", "x", "component")
        np.testing.assert_array_equal(data["x"], (np.arange(14) / 13.0) ** 2)
        np.testing.assert_array_equal(data["z"], np.arange(18) / 17.0)
        at = data["velocity"].sel(x=0.36, y=0.46, z=0.6, method="nearest")
        np.testing.assert_allclose(at, [2 * (8 / 13) ** 2, 2 * 5 / 11, 2 * 10 / 17], rtol=1e-14)


def test_xarray_opens_fields_on_uniform_grids(tmp_path):
    """With names, coordinates and units, and several times as one."""
    if not core_is_built():
        pytest.skip("the compiled module is not built")
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    script = tmp_path / "write.py"
    script.write_text(
        "import subcurrent as sc\n"
        "g = sc.Grid((6, 5, 4), spacing=(0.5, 1.0, 2.0))\n"
        "T, v = g.field('T', units='K'), g.field('v', components=3, units='m s-1')\n"
        "x = g.field('x', components=2, dtype='float32')\n"
        "T.set(7.0)\n"
        "v.set(2.0)\n"
        "for step in range(2): T.snapshot(f'{step}.vtkhdf', v, x, step=step, time=0.25 * step)\n"
    )
    done = completed([sys.executable, script], cwd=tmp_path, env=os.environ | MPI_ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    with opened(tmp_path / "1.vtkhdf") as data:
        assert data["T"].dims == ("z", "y", "x_")  # "x" is a field of the script's
        np.testing.assert_allclose(data["x_"], 0.25 + 0.5 * np.arange(6))
        np.testing.assert_allclose(data["z"], 1 + 2.0 * np.arange(4))
        assert data["T"].attrs["units"] == "K"
        assert data["v"].dims == ("z", "y", "x_", "component")
        assert data["x"].dims == ("z", "y", "x_", "component_2")
        assert data["x"].dtype == np.float32
        assert data["v"].isel(component=0).sel(x_=1.3, method="nearest").mean().item() == 2
        assert data["time"].item() == 0.25
    files = sorted(tmp_path.glob("*.vtkhdf"))
    series = xarray.concat([opened(path) for path in files], "time")
    np.testing.assert_array_equal(series["time"], [0, 0.25])
    assert series["T"].shape == (2, 4, 5, 6)


def test_the_snapshot_of_a_run_has_units(tmp_path):
    if not core_is_built():
        pytest.skip("the compiled module is not built")
    run_case = [sys.executable, "-m", "subcurrent", "run", "wave_pulse", "-n", "2", "--out", tmp_path / "run"]
    sets = ["grid.cells=[16,12,10]", "run.steps=2"]
    done = completed([*run_case, *set_options(*sets)], env=os.environ | MPI_ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    with opened(tmp_path / "run/snapshots/snapshot_00000002.vtkhdf") as data:
        assert data["pressure"].dims == ("z", "y", "x")
        assert [data[name].attrs["units"] for name in ("pressure", "x", "y", "z", "time")] == [
            "Pa",
            "m",
            "m",
            "m",
            "s",
        ]


def read_with_vtk(path):
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF", reason="the vtk package is not installed")
    pytest.importorskip("vtkmodules.numpy_interface.dataset_adapter")
    reader = hdf.vtkHDFReader()
    assert reader.CanReadFile(str(path))
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutputDataObject(0)


def check_vtk(grid):
    from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: PLC0415

    points = expected().reshape(-1, 3)
    assert grid.GetNumberOfPoints() == 14 * 12 * 18
    assert grid.GetNumberOfCells() == 13 * 11 * 17
    assert grid.GetCellType(0) == 12
    np.testing.assert_allclose(vtk_to_numpy(grid.GetPoints().GetData()), points, rtol=1e-14)
    data = grid.GetPointData()
    np.testing.assert_allclose(vtk_to_numpy(data.GetArray("velocity")), 2 * points, rtol=1e-14)
    np.testing.assert_allclose(vtk_to_numpy(data.GetArray("pressure")), points.sum(axis=-1), rtol=1e-6)
    assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == 1.5

    # The cells fill the box that the walls enclose, none inside out: the shear keeps volume.
    filters = pytest.importorskip("vtkmodules.vtkFiltersVerdict")
    sizes = filters.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    volumes = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))
    assert volumes.min() > 0
    assert volumes.sum() == pytest.approx(1.0, rel=1e-12)


def test_vtk_opens_a_snapshot(snapshots):
    grid = read_with_vtk(snapshots("unstructured"))
    assert grid.GetClassName() == "vtkUnstructuredGrid"
    check_vtk(grid)


def test_vtk_opens_a_structured_snapshot(snapshots):
    vtk = pytest.importorskip("vtkmodules.vtkCommonCore", reason="the vtk package is not installed")
    version = vtk.vtkVersion()
    if (version.GetVTKMajorVersion(), version.GetVTKMinorVersion()) < (9, 7):
        pytest.skip("VTK reads structured grids from 9.7 on")
    grid = read_with_vtk(snapshots("structured"))
    assert grid.GetClassName() == "vtkStructuredGrid"
    assert grid.GetExtent() == (0, 13, 0, 11, 0, 17)
    check_vtk(grid)


def kill_while_writing(tool, path, ranks):
    """Starts a run that does nothing but write checkpoints, and kills its ranks in the middle of one."""
    partial = Path(f"{path}.subcurrent-part")
    with subprocess.Popen(
        mpirun(ranks, tool, "loop", path, CELLS),
        env=os.environ | MPI_ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        pids = []
        for line in process.stdout:
            if match := re.search(r"is process (\d+)", line):
                pids.append(int(match[1]))
            if "first checkpoint written" in line:
                break
        assert len(pids) == ranks
        deadline = time.monotonic() + 30
        while not partial.exists() and time.monotonic() < deadline:
            pass
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # Open MPI may have been quicker
                os.kill(pid, signal.SIGKILL)
        process.stdout.read()
    return partial.exists()


def test_killed_while_writing_a_checkpoint(tool, tmp_path):
    path = tmp_path / "state.h5"
    interrupted = 0
    for _ in range(6):
        interrupted += kill_while_writing(tool, path, 2)
        steps = {run(ranks, tool, "check", path, CELLS) for ranks in (1, 2, 3)}
        assert len(steps) == 1
        assert re.fullmatch(r"step \d+\n", steps.pop())
        assert [p.name for p in tmp_path.iterdir()] == ["state.h5"], (
            "what was left over is removed at the next start"
        )
    assert interrupted >= 1, "no run was killed in the middle of a write"


def test_one_sentence_about_a_damaged_checkpoint(tool, tmp_path):
    path = tmp_path / "state.h5"
    kill_while_writing(tool, path, 1)
    good = path.read_bytes()
    for at in (5000, len(good) // 2):  # in the structure, and in a field
        bad = bytearray(good)
        bad[at : at + 16] = b"garbage garbage!"
        path.write_bytes(bad)
        text = run(2, tool, "refuse", path, CELLS)
        assert re.fullmatch(
            rf"3 checkpoint {re.escape(str(path))} is damaged: the checksum of .* does not match\n", text
        )
