#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A benchmark program of an older commit in turns with that of this build: how its speed has changed.

bench/against.py COMMIT PROGRAM [ARGUMENT ...] [--turns 5] [--ranks 1]

The older program is built in build/against/COMMIT, once. Of each line that both print, the first figure with
a unit of time or of speed is compared; both must print equally many of them, in the same order. With --trial
the program of this build is compared with itself.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
from pathlib import Path

import script

ROOT = Path(__file__).resolve().parents[1]
BUILT = "build/release/bench"
FIGURE = re.compile(
    r"^(?!result: )(?P<name>\S.*?):? +(?P<figure>\d[\d.]*) (?P<unit>ms|µs|us|million cells/s|GB/s)\b"
)
TIMES = ("ms", "µs", "us")
OPTIONS = ("TESTS", "EXAMPLES", "HALO", "WERROR")  # what the older build does without


def older(commit: str, program: str) -> Path:
    """The program of a commit. Ends the script if it cannot be built."""
    full = script.printed(["git", "-C", str(ROOT), "rev-parse", "--verify", f"{commit}^{{commit}}"]).strip()
    tree = ROOT / "build" / "against" / full[:12]
    if not tree.exists():
        script.printed(["git", "-C", str(ROOT), "worktree", "add", "--detach", str(tree), full])
    off = [f"-DSUBCURRENT_{name}=OFF" for name in OPTIONS]
    for step in (
        ["cmake", "--preset", "release", *off],
        ["cmake", "--build", "--preset", "release", "--target", f"bench/{program}"],
    ):
        if subprocess.run(step, check=False, cwd=tree, stdout=sys.stderr).returncode != 0:
            sys.exit(f"{program} of {commit} cannot be built: {' '.join(step)} failed in {tree}")
    return tree / BUILT / program


def figures(said: str) -> list[tuple[str, float, str]]:
    found = (FIGURE.match(line) for line in said.splitlines())
    return [(m["name"].strip(), float(m["figure"]), m["unit"]) for m in found if m]


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("commit", nargs="?", default="HEAD")
    parser.add_argument("program", nargs="?", default="dendrite_bench")
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=1)
    options = script.parse(parser, {"turns": 1})
    ours = ROOT / BUILT / options.program
    if not ours.exists():
        sys.exit(f"{ours} is not built: make bootstrap")
    theirs = ours if options.trial else older(options.commit, options.program)
    start = ["mpirun", "-n", str(options.ranks), "--oversubscribe", "--bind-to", "none"]
    words = options.arguments + ["--trial"] * options.trial
    turns: dict[Path, list[list[tuple[str, float, str]]]] = {theirs: [], ours: []}
    for _ in range(options.turns):
        for program in (theirs, ours):
            turns[program].append(figures(script.printed([*start, str(program), *words])))
    then, now = (list(zip(*turns[program], strict=True)) for program in (theirs, ours))
    if not now or len(then) != len(now):
        sys.exit(
            f"the programs print {len(then)} and {len(now)} figures with a unit: there is nothing to compare"
        )
    print(f"| {options.program} | {options.commit} | this build | speed of this build / that |")
    print("|---|---:|---:|---:|")
    for before, after in zip(then, now, strict=True):
        (name, _, unit), (_, _, other) = after[0], before[0]
        if unit != other:
            sys.exit(f"{name} is in {unit}, and was in {other}")
        old, new = (statistics.median(figure for _, figure, _ in one) for one in (before, after))
        ratio = old / new if unit in TIMES else new / old
        print(f"| {name} | {old:.4g} {unit} | {new:.4g} {unit} | {ratio:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
