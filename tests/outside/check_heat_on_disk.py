# SPDX-License-Identifier: Apache-2.0
"""The heat example on disk prints the digits of the one in memory, on every number of ranks, with one and
several steps a pass; leaves no file; ends with one sentence and exit code 3 where its folder cannot be."""

import pathlib
import re
import sys
import tempfile

from launch import expect, launch

CELLS, STEPS = 24, 41
scratch = tempfile.TemporaryDirectory(dir=pathlib.Path.cwd())


def heat(ranks: int, *more: str) -> str:
    run = launch(ranks, str(CELLS), str(STEPS), *more)
    expect(run.returncode == 0, run.stderr)
    found = re.search(rf"^heat after {STEPS} steps: (\S+)$", run.stdout, re.MULTILINE)
    expect(found is not None, run.stdout)
    return found[1]


# Pieces, and steps a pass: of five pieces some are too thin for three.
ways = ((1, 1), (5, 1), (2, 3), (5, 3))
spread = {(ranks, *way): heat(ranks, scratch.name, *map(str, way)) for ranks in (1, 3) for way in ways}
memory = str(pathlib.Path(sys.argv[2]).with_name("heat"))
sys.argv[2] = memory
spread["memory"] = heat(2)
expect(len(set(spread.values())) == 1, spread)
expect(not list(pathlib.Path(scratch.name).iterdir()), "scratch files were left")
sys.argv[2] = str(pathlib.Path(memory).with_name("heat_on_disk"))
blocked = pathlib.Path(scratch.name) / "file"
blocked.write_text("x")
run = launch(2, str(CELLS), "1", str(blocked / "scratch"), "2")
expect(run.returncode == 3, (run.returncode, run.stderr))
expect("cannot make the scratch folder" in run.stderr, run.stderr)
