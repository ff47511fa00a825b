# SPDX-License-Identifier: Apache-2.0
"""The dendrite on a device, which is emulated, and its fields on the host passing through one."""

import re

import pytest

from conftest import QUIET, sentence_of, summary
from snapshots import same_end
from subcurrent.case.reading import typed_case
from subcurrent.core import build_info
from subcurrent.errors import BAD_INPUT, BadInput
from test_dendrite import CASE, FIELDS
from test_dendrite_case import TABLES
from test_turbulence_case import TABLES as TURBULENCE

HOST = {"storage": {"place": "host"}}


@pytest.mark.mpi
def test_a_device_writes_what_the_cpu_writes(program, made_once):
    """Snapshots, history and a checkpoint that the CPU goes on from, all from fields on a device."""
    program.write_case(CASE)
    on_device = ("--device", "emulated", "-n", "2")
    program.ok("run", "case.toml", *on_device, "--out", "device", "--set", "run.steps=13", *QUIET)
    said = summary(program.folder / "device")
    assert said["device"] == "emulated device"
    assert said["transports"] == "pinned: ranks 0-1"
    program.ok("run", "case.toml", "-n", "1", "--out", "device", "--resume", *QUIET)
    assert same_end(made_once(CASE, "-n", "1", *QUIET), program.folder / "device", *FIELDS)


@pytest.mark.mpi
def test_fields_on_the_host_pass_through_a_device(program, made_once):
    """The bits of the CPU, a plan before the start, a checkpoint that others go on from, two strategies."""
    program.write_case(CASE)
    through = ("--device", "emulated", "--set", 'storage.place="host"')
    first = (*through, "-n", "2", "--set", "storage.pieces=4", "--set", "run.steps=13")
    done = program.ok("run", "case.toml", *first, "--out", "host", *QUIET)
    said = " ".join(done.stdout.split())
    assert "pass through the device in 4 pieces" in said, said
    assert re.search(r"back a step: [\d.e-]+ s at the link's \d+ MB/s, or as long as it computes", said), said
    memory = ("-n", "1", "--set", 'storage.memory="200 KiB"', "--set", 'engine.strategy="interior_first"')
    program.ok("run", "case.toml", *through, *memory, "--out", "host", "--resume", *QUIET)
    assert same_end(made_once(CASE, "-n", "1", *QUIET), program.folder / "host", *FIELDS)


@pytest.mark.mpi
@pytest.mark.parametrize("place", ["device", "host"])
def test_passes_of_several_steps_keep_the_bits(program, made_once, place):
    """Planned beforehand; the CPU goes on from a checkpoint."""
    case = CASE.replace("[20, 18, 16]", "[20, 18, 32]")
    program.write_case(case)
    passes = ("--device", "emulated", "--set", "engine.steps_per_pass=3", "--set", "run.steps=13")
    where = ("--set", f"storage.place={place}", *(("--set", "storage.pieces=2") if place == "host" else ()))
    split = ("-n", "2", "--set", "engine.split=[2,1,1]")
    said = program.ok("run", "case.toml", *passes, *where, *split, "--out", "device", *QUIET).stdout
    beside = re.search(
        r"([\d.]+) MiB copied to it and ([\d.]+) MiB back a step[^;]*; single steps would copy about "
        r"([\d.]+) MiB and ([\d.]+) MiB",
        " ".join(said.split()),
    )
    assert (beside is not None) == (place == "host"), said
    if beside:
        into, back, singly_into, singly_back = map(float, beside.groups())
        assert 2 * into < singly_into and 2 * back < singly_back
    passes = summary(program.folder / "device")["passes"]
    steps, count = map(int, re.match(r"(\d+) steps in (\d+) passes", passes).groups())
    assert steps == 13 and 2 < steps / count <= 3
    program.ok("run", "case.toml", "-n", "1", "--out", "device", "--resume", *QUIET)
    assert same_end(made_once(case, "-n", "1", *QUIET), program.folder / "device", *FIELDS)


@pytest.mark.mpi
def test_a_device_that_is_too_small_is_told_the_smallest_that_would_do(program):
    program.write_case(CASE)
    through = ("--device", "emulated", "--set", 'storage.place="host"')
    done = program("run", "case.toml", *through, "--set", 'storage.memory="10 KiB"', "--out", "r")
    assert done.returncode == BAD_INPUT
    least = re.search(r"need at least ([\d.]+ MiB) on the device", sentence_of(done))
    assert least, done.stderr
    one_step = ("--set", "run.steps=1", "--set", f'storage.memory="{least[1]}"')
    program.ok("run", "case.toml", *through, *one_step, "--out", "fits", *QUIET)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (HOST, "needs a device"),
        ({"storage": {"pieces": 4}}, 'storage.pieces needs storage.place = "host"'),
        (
            {"storage": HOST["storage"] | {"memory": "1 GiB", "pieces": 2}, "engine": {"device": "cuda"}},
            "give only one",
        ),
        ({"storage": HOST["storage"] | {"memory": "much"}, "engine": {"device": "cuda"}}, "must be a size"),
    ],
)
def test_what_storage_cannot_be_is_refused_in_a_sentence(change, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(TABLES | change, None)


@pytest.mark.mpi
def test_without_cuda_the_program_says_so(program, refusal):
    program.write_case(CASE)
    if build_info()["cuda"] == "no":
        assert "needs a build with CUDA" in refusal("run", "case.toml", "--device", "cuda", "--out", "r")
        assert not (program.folder / "r").exists()


def test_a_device_has_no_threads_to_divide():
    for device in ("cuda", "emulated"):
        with pytest.raises(BadInput, match="automatic, boundary_first, interior_first"):
            typed_case(TABLES | {"engine": {"device": device, "strategy": "halo_thread"}}, None).check()
    with pytest.raises(BadInput, match="it runs on cpu"):
        typed_case(TURBULENCE | {"engine": {"device": "cuda"}}, None).check()
