# SPDX-License-Identifier: Apache-2.0
"""The cavity on a device, which is emulated."""

import numpy as np
import pytest

from conftest import QUIET, SMALL, history, summary
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.report.snapshot import read_fields
from test_case_file import TABLES


def last_flow(folder):
    path = folder / "snapshots" / "snapshot_00000012.vtkhdf"
    return read_fields(path, ("grid/points", "fields/velocity", "fields/pressure"))


@pytest.mark.mpi
def test_a_device_writes_what_the_cpu_writes(program):
    """History, profiles, a snapshot and a checkpoint that the CPU goes on from, all from fields on a device;
    a grid that is no mapping of the solver's own, and one that has become thin on two ranks."""
    program.write_case(SMALL)
    skewed = ("--set", 'grid.clustering="skewed"', *QUIET)
    program.ok("run", "case.toml", "-n", "1", "--out", "cpu", *skewed)
    on_device = ("--device", "emulated", "-n", "2", "--set", "run.steps=7")
    program.ok("run", "case.toml", *on_device, "--out", "device", *skewed)
    said = summary(program.folder / "device")
    assert said["device"] == "emulated device"
    assert said["transports"].startswith("pinned: ranks 0-1")
    program.ok("run", "case.toml", "-n", "1", "--out", "device", "--resume", *skewed)
    cpu, device = program.folder / "cpu", program.folder / "device"
    assert history(cpu) == history(device)
    assert (cpu / "centreline.csv").read_bytes() == (device / "centreline.csv").read_bytes()
    (time, expected), (also, got) = last_flow(cpu), last_flow(device)
    assert time == also
    for name, values in expected.items():
        assert np.array_equal(values, got[name], equal_nan=True), name  # no pressure in corners


@pytest.mark.mpi
def test_a_device_goes_on_from_a_checkpoint_of_the_cpu(program, finished):
    """Another half of the program: single precision, over-relaxation, points from a file."""
    (points,) = (finished / "snapshots").iterdir()
    options = [*QUIET, "--set", "grid.clustering=file", "--set", f"grid.file={points}"]
    options += ["--set", 'flow.precision="single"', "--set", 'pressure.method="sor"']
    options += ["--set", "pressure.iterations=20"]
    program.ok("run", "case.toml", "--out", "cpu", *options)
    first = ("--set", "run.steps=5")
    program.ok("run", "case.toml", "--out", "device", *first, *options)
    on_device = ("--device", "emulated", "-n", "2")
    program.ok("run", "case.toml", *on_device, "--out", "device", "--resume", *options)
    assert history(program.folder / "cpu") == history(program.folder / "device")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"engine": {"device": "cuda", "strategy": "halo_thread"}}, "automatic, boundary_first, interior"),
        ({"engine": {"device": "cuda"}, "storage": {"place": "host"}}, "storage"),
    ],
)
def test_what_a_device_does_not_do_is_refused(change, said):
    with pytest.raises(BadInput, match=said):
        typed_case(TABLES | change, None).check()
