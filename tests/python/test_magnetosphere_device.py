# SPDX-License-Identifier: Apache-2.0
"""The magnetosphere on a device, which is emulated: what the CPU writes, and restarts across both."""

import pytest

import snapshots
from conftest import QUIET, summary
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import BadInput
from test_magnetosphere_runs import SMALL, SMALL_TILTED

ROWS = ("--set", "output.history_every=1")
STEPS = ("--set", "run.steps=12")
FIELDS = ("density", "velocity", "pressure", "magnetic")
# Jupiter turns, and lies between two nodes here.
TURNING = ("--set", "grid.points=[22,16,8]", "--set", "grid.spacing=20", *STEPS)
VORTEX = ("--set", "grid.points=[16,16,1]", "--set", "grid.spacing=0.0625", *STEPS)
TUBE = ("--set", "grid.points=[40,1,1]", "--set", "grid.spacing=0.025", *STEPS)
WAVE = ("--set", "grid.points=[16,8,8]", "--set", "grid.spacing=0.1875", *STEPS)


def same_end(one, other):
    texts = ["axis.csv", *(path.name for path in one.glob("wave.json"))]
    return snapshots.same_end(one, other, *FIELDS) and all(
        (one / name).read_text() == (other / name).read_text() for name in texts
    )


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("case", "small"),
    [
        ("earth_north", SMALL),
        ("earth_tilted", SMALL_TILTED),
        ("jupiter", TURNING),
        ("orszag_tang", VORTEX),
        ("brio_wu", TUBE),
        ("linear_wave", WAVE),
    ],
)
def test_a_device_writes_what_the_cpu_writes(program, made_once, case, small):
    """History, snapshot and the line to the sun."""
    cpu = made_once(find_case(case).read_text(), *small, *ROWS, *QUIET, "-n", "1")
    program.ok("run", case, *small, *ROWS, *QUIET, "-n", "2", "--device", "emulated", "--out", "device")
    assert summary(program.folder / "device")["device"] == "emulated device"
    assert same_end(cpu, program.folder / "device")


@pytest.mark.mpi
def test_a_run_goes_on_from_the_checkpoint_of_a_device_and_back(program, made_once):
    """In the middle of a cycle, on another number of ranks: device, CPU, device."""
    run = ("run", "earth_north", *SMALL, *ROWS, *QUIET)
    cpu = made_once(find_case("earth_north").read_text(), *SMALL, *ROWS, *QUIET, "-n", "1")
    device = ("--device", "emulated")
    for sets in (
        (*device, "-n", "2", "--set", "run.steps=5"),
        ("-n", "1", "--set", "run.steps=9", "--resume"),
        (*device, "-n", "3", "--resume"),
    ):
        program.ok(*run, *sets, "--out", "r")
    assert same_end(cpu, program.folder / "r")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("engine.strategy=halo_thread", "divides the CPU threads of a rank, so it is not allowed"),
        (
            "storage.place=host",
            "is not supported by this solver: its fields are always stored where they are",
        ),
    ],
)
def test_what_it_does_not_do_on_a_device_is_refused_in_a_sentence(key, said):
    with pytest.raises(BadInput) as refused:
        load_case(find_case("earth_north"), ["engine.device=emulated", key]).check()
    assert said in refused.value.sentence
