#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The turbulence solver in memory and in files: seconds a step, bytes, peak memory, how much is hidden.

    bench/turbulence_disk.py [--points 128] [--files 2 4 8 16 32] [--turns 3] [--steps 2] [-n RANKS]
        [--disk MB/S] [--figure FILE]

Every line is a process of its own (its peak memory is its own), and the ways take turns, so that a busy
machine disturbs all alike; the figures are the medians over the turns. Files are opened with O_DIRECT, past
the page cache; tests/mpi/turbulence_disk_test.cpp holds /proc/self/io against the planned bytes. The bound of
a step is the sum over its phases of max(computing, bytes at the rate of the disk, which is measured before
and after in the same process); printed too is the ratio to a bound with the share of this rate that is left
while all threads compute. With --disk, a control group of the kernel lets so many MB a second be read
and as many written (root, and the block I/O controller of cgroups 1).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import script
from limited import slow_disk

from subcurrent.report.plots import style

MIB = 2**20
COLUMNS = ("storage", "N_f", "s a step", "/ memory", "computing, s", "disk, s", "bound, s", "/ bound")
COLUMNS += ("MiB moved a step", "MiB in files", "peak MiB", "peak / plan", "disk, MB/s")


def measure(arguments: argparse.Namespace, way: str, files: int, scratch: str, enter) -> dict:
    """One process: what bench/turbulence_disk.cpp prints."""
    program = script.built("turbulence_disk")
    command = [str(program), str(arguments.points), way, str(files), str(arguments.steps), scratch]
    command.append(str(arguments.threads))
    if arguments.n > 1:
        command = ["mpirun", "-n", str(arguments.n), "--oversubscribe", "--bind-to", "none", *command]
    return json.loads(script.printed(command, enter=enter).splitlines()[-1])


def middle(turns: list[dict], name: str) -> float:
    return statistics.median(turn[name] for turn in turns)


def line(way: str, files: int, turns: list[dict], best: float) -> str:
    seconds, read, written = (middle(turns, name) for name in ("seconds", "read", "written"))
    ratio = statistics.median(turn["seconds"] / turn["bound"] for turn in turns)
    cells = [way, str(files or "–"), f"{seconds:.3f}", f"{seconds / best:.2f}"]
    cells += [f"{middle(turns, name):.3f}" for name in ("compute", "disk", "bound")]
    cells += [f"{ratio:.2f}", f"{(read + written) / MIB:.0f}", f"{middle(turns, 'on_disk') / MIB:.0f}"]
    cells += [f"{middle(turns, 'peak') / MIB:.0f}", f"{middle(turns, 'peak') / middle(turns, 'planned'):.2f}"]
    return "| " + " | ".join([*cells, f"{middle(turns, 'rate_both') / 1e6:.0f}"]) + " |"


def draw(path: Path, arguments: argparse.Namespace, turns: dict[tuple[str, int], list[dict]]) -> None:
    """Seconds a step against the number of pieces, as in figure 4 of the paper."""
    title = f"A step of {arguments.points}³ points in memory and in files"
    rate = middle(turns["async", arguments.files[0]], "rate_both") / 1e6
    note = "engine.strategy behind the comma; dotted: sum over phases of max(computing, disk); "
    note += f"the disk moves {rate:.0f} MB/s"
    with style.figure(path, 7.5, 4.5, title, note) as drawing:
        axes = drawing.subplots()
        for way, strategy, colour in (
            ("sync", "blocking", style.ORANGE),
            ("async", "automatic", style.BLUE),
        ):
            times = [middle(turns[way, files], "seconds") for files in arguments.files]
            axes.plot(arguments.files, times, "o-", color=colour, label=f"files, {strategy}", markersize=5)
        bound = [middle(turns["async", files], "bound") for files in arguments.files]
        axes.plot(arguments.files, bound, ":", color=style.BLUE)
        axes.axhline(middle(turns["memory", 0], "seconds"), color=style.MUTED, label="memory")
        axes.set_xscale("log", base=2)
        axes.set_xticks(arguments.files, [str(files) for files in arguments.files])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("pieces $N_f$ of each array")
        axes.set_ylabel("seconds a step")
        axes.legend()


def main() -> None:
    parser = script.parser(__doc__)
    parser.add_argument("--points", type=int, default=128)
    parser.add_argument("--files", type=int, nargs="+", default=[2, 4, 8, 16, 32])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("-n", type=int, default=1, help="ranks")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scratch", default=None, help="folder on the disk to be measured")
    parser.add_argument("--disk", type=float, help="MB a second that the disk shall read, and write")
    parser.add_argument("--figure", type=Path, help="a picture of the table, for example .png")
    arguments = script.parse(parser, {"points": 16, "files": [2], "turns": 1, "steps": 1, "disk": None})
    ways = [("memory", 0)] + [(way, files) for files in arguments.files for way in ("sync", "async")]
    turns: dict[tuple[str, int], list[dict]] = {way: [] for way in ways}
    with (
        tempfile.TemporaryDirectory(dir=arguments.scratch or Path.cwd()) as scratch,
        slow_disk(Path(scratch), arguments.disk) as enter,
    ):
        for turn in range(arguments.turns):
            for k in range(len(ways)):
                way = ways[(k + turn) % len(ways)]
                turns[way].append(measure(arguments, *way, scratch, enter))
    if len({turn["energy"] for all_turns in turns.values() for turn in all_turns}) != 1:
        sys.exit("the ways did not leave the same energy")
    some = turns["async", arguments.files[0]][0]
    print(
        f"{arguments.points}^3 points, {arguments.n} rank(s), {arguments.threads} thread(s); "
        f"load {os.getloadavg()[0]:.1f}; {some['io']}, O_DIRECT {'yes' if some['direct'] else 'no'}; "
        f"medians of {arguments.turns} turns\n"
    )
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---|" + "---:|" * (len(COLUMNS) - 1))
    best = middle(turns["memory", 0], "seconds")
    for way in ways:
        print(line(*way, turns[way], best))

    def phases(way: tuple[str, int], name: str) -> dict[str, float]:
        """The medians of one of "compute", "disk", "elapsed" of every phase."""
        return {
            phase: statistics.median(turn["phases"][phase][name] for turn in turns[way])
            for phase in turns[way][0]["phases"]
        }

    memory = phases(("memory", 0), "compute")
    told = ", ".join(f"{phase} {seconds / sum(memory.values()):.2f}" for phase, seconds in memory.items())
    print(f"\nof a step in memory: {told}")
    hidden = ("async", arguments.files[-1])
    computing, disk = phases(hidden, "compute"), phases(hidden, "disk")
    told = ", ".join(
        f"{phase} {seconds / max(computing[phase], disk[phase]):.2f}"
        for phase, seconds in phases(hidden, "elapsed").items()
    )
    print(f"elapsed / max(computing, disk), {hidden[1]} files: {told}\n")
    for files in arguments.files:
        sync, hidden = turns["sync", files], turns["async", files]
        ratio = middle(hidden, "seconds") / middle(sync, "seconds")
        bound = statistics.median(turn["seconds"] / turn["bound"] for turn in hidden)
        print(f"result: async / sync, {files} files: {ratio:.3g} (goal <= 1)")
        what = "async / sum over phases of max(computing, disk)"
        print(f"result: {what}, {files} files: {bound:.3g} (goal <= 1.1)")
        busy = statistics.median(turn["seconds"] / turn["bound_busy"] for turn in hidden)
        share = f"the disk at {middle(hidden, 'share'):.2f} of its rate, as beside computing cores"
        print(f"result: the same, {share}, {files} files: {busy:.3g} (for the record)")
    if arguments.figure:
        draw(arguments.figure, arguments, turns)


if __name__ == "__main__":
    main()
