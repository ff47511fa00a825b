# SPDX-License-Identifier: Apache-2.0
"""Context::abort prints its sentence and ends all ranks, whatever the others wait in."""

import subprocess
import sys
import time

from launch import expect, launch

version = [sys.argv[1].split()[0], "--version"]
hydra = "HYDRA" in subprocess.run(version, capture_output=True, text=True, check=True).stdout

# Hydra (MPICH 4.0) does not wake a rank that is in no call of MPI: its mpiexec ends when that one does.
for others in ("barrier", "halo", "team") if hydra else ("barrier", "halo", "team", "sleep"):
    began = time.monotonic()
    run = launch(3, others, timeout=30)
    seconds = time.monotonic() - began
    # Whom Hydra (MPICH) kills before they have seen the abort, it may report instead.
    killed = "APPLICATION TERMINATED WITH THE EXIT STRING: Killed" in run.stdout
    expect(
        run.returncode == 3 or (killed and run.returncode == 9),
        (others, run.returncode, run.stdout, run.stderr),
    )
    expect(run.stderr.count("subcurrent: rank 1 lost its disk\n") == 1, (others, run.stderr))
    expect("came through" not in run.stdout, (others, run.stdout))
    expect(seconds < 15, (others, seconds))
