# SPDX-License-Identifier: Apache-2.0
"""The dendrite with its fields in files: the bits of memory, a plan, checkpoints that others go on from; and
the table [storage] that it shares with turbulence, its old keys among them."""

import re

import pytest

from conftest import QUIET, sentence_of
from snapshots import same_end
from subcurrent.case.reading import typed_case
from subcurrent.errors import BAD_INPUT, OK, BadInput
from test_dendrite import CASE, FIELDS
from test_dendrite_case import TABLES
from test_turbulence_case import TABLES as TURBULENCE

FILES = ("--set", "storage.place=files", "--set", "storage.pieces=4")


def last_checkpoint(run):
    return max((run / "checkpoints").iterdir()).read_bytes()


@pytest.mark.mpi
def test_fields_in_files_leave_the_bits_of_memory(program, made_once):
    program.write_case(CASE)
    memory = made_once(CASE, "-n", "1", *QUIET)
    for ranks, strategy in ((1, "boundary_first"), (2, "interior_first"), (3, "blocking")):
        out = f"files{ranks}"
        sets = (*FILES, "--set", f"engine.strategy={strategy}", *QUIET)
        done = program.ok("run", "case.toml", "-n", str(ranks), "--out", out, *sets)
        assert "in files (4 pieces)" in " ".join(done.stdout.split()), done.stdout
        assert same_end(memory, program.folder / out, *FIELDS)
        assert last_checkpoint(memory) == last_checkpoint(program.folder / out)


@pytest.mark.mpi
def test_a_run_in_files_goes_on_elsewhere_and_back(program, made_once):
    program.write_case(CASE)
    program.ok("run", "case.toml", "-n", "2", "--out", "r", "--set", "run.steps=9", *FILES, *QUIET)
    host = ("--device", "emulated", "--set", "storage.place=host", "--set", "storage.pieces=2")
    program.ok(
        "run", "case.toml", "-n", "1", "--out", "r", "--resume", "--set", "run.steps=17", *host, *QUIET
    )
    program.ok("run", "case.toml", "-n", "3", "--out", "r", "--resume", *FILES, *QUIET)
    assert same_end(made_once(CASE, "-n", "1", *QUIET), program.folder / "r", *FIELDS)


@pytest.mark.mpi
def test_a_memory_that_is_too_small_is_told_the_smallest_that_would_do(program):
    program.write_case(CASE)
    said = program.refused("run", "case.toml", "-n", "1", "--set", 'storage.memory="1 MiB"', "--out", "r")
    assert re.search(r"this crystal needs at least [\d.]+ MiB on 1 rank", said)
    scratch = ("--set", "storage.scratch=/proc/none", *FILES)
    done = program("run", "case.toml", "-n", "1", *scratch, "--out", "r")
    assert done.returncode not in (OK, BAD_INPUT)
    assert "/proc/none" in sentence_of(done)


@pytest.mark.parametrize(
    ("tables", "storage", "engine", "said"),
    [
        (TURBULENCE, {"place": "host"}, {}, "it must be memory or files"),
        (TABLES, {"place": "host"}, {}, 'storage.place = "host" needs a device'),
        (TABLES, {"place": "device"}, {}, 'storage.place = "device" needs a device'),
        (TABLES, {"place": "files"}, {"device": "emulated"}, "it must be device or host"),
        (TABLES, {"pieces": 4}, {}, 'storage.pieces needs storage.place = "host" or "files"'),
        (TURBULENCE, {"pieces": 4}, {}, 'storage.pieces needs storage.place = "files"'),
        (TABLES, {"place": "files", "pieces": 4, "memory": "1 GiB"}, {}, "give only one"),
        (TABLES, {"scratch": "here"}, {}, "storage.scratch needs"),
    ],
)
def test_what_storage_cannot_be_is_refused_in_a_sentence(tables, storage, engine, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(tables | {"storage": storage, "engine": engine}, None).check()


SEVERAL = """
from pathlib import Path
import numpy as np
import subcurrent as sc

files = {"place": "files", "pieces": 2, "scratch": "scratch"}
seeds = [{"centre": [0.0, 0.0, 0.0], "radius": 0.1}]
crystals = [sc.Dendrite((12, 10, 16), seeds=seeds, storage=files) for _ in range(2)]
flow = sc.Turbulence((12, 12, 12), reynolds=20, dt=0.05, storage=files)
for sim in (*crystals, flow):
    sim.run(steps=2)
one, two = (sim.gather("phase") for sim in crystals)
assert one is None or np.array_equal(one, two)
for _ in range(2):  # the new one is made before the old one goes
    flow = sc.Turbulence((12, 12, 12), reynolds=20, dt=0.05, storage=files)
    flow.run(steps=1)
if one is not None:
    print("all good")
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_several_simulations_of_a_process_have_fields_in_files(program, ranks):
    done = program.script(SEVERAL, ranks=ranks)
    assert "all good" in done.stdout
    assert not list((program.folder / "scratch").iterdir())
