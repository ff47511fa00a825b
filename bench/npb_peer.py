#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mop/s of `subcurrent cg` over the NAS benchmark's C++ port with OpenMP (NPB-CPP), taking turns.

The port is not part of this repository: give a checkout of https://github.com/GMAP/NPB-CPP with --source, or
let this fetch one. It is built with the flags of Subcurrent (-O3 -march=native) beside its own.
"""

import json
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import script

BUILT = script.ROOT / "build" / "npb"
ADDRESS = "https://github.com/GMAP/NPB-CPP"
GOAL = 1.3


def checkout(source: Path | None) -> Path:
    """The port's OpenMP version, copied to where it may be built."""
    if source is None:
        source = BUILT / "checkout"
        if not source.exists():
            script.ran(["git", "clone", "-q", "--depth", "1", ADDRESS, source], seconds=300)
    if not (source / "NPB-OMP" / "CG" / "cg.cpp").exists():
        raise FileNotFoundError(f"--source {source} has no NPB-OMP/CG/cg.cpp: give a checkout of {ADDRESS}")
    copy = BUILT / "NPB-OMP"
    shutil.copytree(source / "NPB-OMP", copy, dirs_exist_ok=True)
    (copy / "bin").mkdir(exist_ok=True)
    return copy


def build(port: Path, name: str) -> Path:
    flags = "-O3 -march=native -fopenmp -mcmodel=medium"
    line = ["make", "-s", "cg", f"CLASS={name}", f"CFLAGS={flags}", f"CLINKFLAGS={flags}"]
    # A new class needs a new npbparams.hpp, which make does not see.
    for left in (port / "CG").glob("*.o"):
        left.unlink()
    script.ran(line, folder=port, seconds=300)
    return port / "bin" / f"cg.{name}"


def theirs(program: Path, threads: int) -> float:
    said = script.ran([program], seconds=1200, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="active")
    if not re.search(r"Verification\s*=\s*SUCCESSFUL", said):
        raise RuntimeError(f"{program.name} did not verify")
    return float(re.search(r"Mop/s total\s*=\s*([\d.]+)", said)[1])


def ours(name: str, ranks: int, threads: int) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "cg"
        words = ["--class", name, "--out", folder, "-n", ranks, "--threads", threads]
        script.subcurrent("cg", *words, seconds=1200)
        return json.loads((folder / "summary.json").read_text())["mops"]


def compare(program: Path, name: str, ranks: int, threads: int, turns: int) -> None:
    pairs = [(ours(name, ranks, threads), theirs(program, ranks * threads)) for _ in range(turns)]
    us, them = (statistics.median(side) for side in zip(*pairs, strict=True))
    how = f"class {name}, {ranks} rank{'s' * (ranks > 1)} of {threads} thread{'s' * (threads > 1)}"
    print(f"{how}: {us:.0f} Mop/s, NPB-CPP with {ranks * threads} threads {them:.0f}")
    print(f"result: Mop/s over NPB-CPP, {how}: {us / them:.2f} (goal >= {GOAL})", flush=True)


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--source", type=Path, help=f"a checkout of {ADDRESS}")
    parser.add_argument("--classes", default="A,B", help="which classes, with commas between (A,B)")
    parser.add_argument("--turns", type=int, default=5, help="turns of each side; the medians count")
    options = script.parse(parser, {"classes": "S", "turns": 1})
    if options.trial and not (options.source or (BUILT / "checkout").exists()):
        print(f"class S, 1 rank: {ours('S', 1, 1):.0f} Mop/s")
        return script.left_out("NPB-CPP", f"there is no checkout of {ADDRESS}, and a trial fetches none")
    BUILT.mkdir(parents=True, exist_ok=True)
    try:
        port = checkout(options.source)
        for name in options.classes.split(","):
            program = build(port, name)
            for ranks, threads in ((1, 1), (2, 1), (1, 2)):
                compare(program, name, ranks, threads, options.turns)
    except (OSError, RuntimeError, script.NotDoneError) as error:
        print(f"npb_peer: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
