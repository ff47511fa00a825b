# SPDX-License-Identifier: Apache-2.0
"""Context::abort prints its sentence and ends all ranks, whatever the others wait in; so does run_main if one
rank throws, after ten seconds."""

import time

from launch import expect, launch

for others in ("barrier", "halo", "team", "sleep", "run_main"):
    began = time.monotonic()
    run = launch(3, others, timeout=30)
    seconds = time.monotonic() - began
    expect(run.returncode == 3, (others, run.returncode, run.stdout, run.stderr))
    program = "abort_program" if others == "run_main" else "subcurrent"
    expect(run.stderr.count(f"{program}: rank 1 lost its disk\n") == 1, (others, run.stderr))
    expect("came through" not in run.stdout, (others, run.stdout))
    expect(seconds < (25 if others == "run_main" else 15), (others, seconds))
