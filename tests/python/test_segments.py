# SPDX-License-Identifier: Apache-2.0
"""The files of MPI's shared memory go with the run that made them, however that ends."""

import os
import signal
from pathlib import Path

import pytest

from conftest import QUIET, SMALL, wait_for
from subcurrent.launch import mpi, segments
from test_program_ends import ranks_of, wait_for_steps


def test_the_segments_of_shared_memory_have_a_folder_that_goes_with_the_launcher(tmp_path):
    with segments.folder(mpi.OPEN_MPI, {}, tmp_path) as made:
        (made / "vader_segment.host.0.1").write_bytes(b"x")
        values = set(segments.environment(made).values())
        assert values == {str(made)}
        assert made.parent == tmp_path
    assert not list(tmp_path.iterdir())
    for family, env, place in (
        (mpi.MPICH, {}, tmp_path),
        (mpi.OPEN_MPI, {"SLURM_JOB_NODELIST": "a,b"}, tmp_path),
        (mpi.OPEN_MPI, {"OMPI_MCA_btl_vader_backing_directory": "/tmp"}, tmp_path),
        (mpi.OPEN_MPI, {}, tmp_path / "nowhere"),
    ):
        with segments.folder(family, env, place) as made:
            assert segments.environment(made) == {}
    assert not list(tmp_path.iterdir())


@pytest.mark.mpi
@pytest.mark.parametrize("victim", ["ranks", "mpirun", "launcher"])
def test_a_killed_run_leaves_no_shared_memory(program, victim):
    """Of its own only: what others have made there stays."""
    program.write_case(SMALL.replace("steps = 12", "steps = 100000"))
    folder = program.folder / "r"
    running = program.start("run", "case.toml", "-n", "2", "--out", folder, *QUIET)
    wait_for_steps(folder, 1)
    ranks = ranks_of(folder)
    held = {held_by(pid) for pid in ranks}
    (place,) = held
    if place is None:
        running.kill()
        pytest.skip("this MPI is not Open MPI, or there is no /dev/shm")
    assert list(place.iterdir()), "Open MPI has its segments elsewhere"
    (mpirun,) = {os.getsid(pid) for pid in ranks}
    for pid in {"ranks": ranks, "mpirun": [mpirun], "launcher": [running.pid]}[victim]:
        os.kill(pid, signal.SIGKILL)
    running.communicate(timeout=120)
    wait_for(lambda: not place.exists())
    assert segments.PLACE.is_dir()


def held_by(pid: int) -> Path | None:
    """The folder of a rank's segments; None where they have none."""
    entries = Path(f"/proc/{pid}/environ").read_text().split("\0")
    env = dict(entry.split("=", 1) for entry in entries if "=" in entry)
    if "OMPI_COMM_WORLD_RANK" not in env or not segments.PLACE.is_dir():
        return None
    return Path(env[segments.KEYS[0]])
