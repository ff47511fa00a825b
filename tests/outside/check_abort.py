# SPDX-License-Identifier: Apache-2.0
"""Context::abort prints its sentence and ends all ranks, whatever the others wait in."""

import time

from launch import expect, launch

for others in ("barrier", "halo", "team", "sleep"):
    began = time.monotonic()
    run = launch(3, others, timeout=30)
    seconds = time.monotonic() - began
    expect(run.returncode == 3, (others, run.returncode, run.stdout, run.stderr))
    expect(run.stderr.count("subcurrent: rank 1 lost its disk\n") == 1, (others, run.stderr))
    expect("came through" not in run.stdout, (others, run.stdout))
    expect(seconds < 15, (others, seconds))
