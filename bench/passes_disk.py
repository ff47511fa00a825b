#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several steps a pass of the heat equation in files: bytes and milliseconds a step against steps a pass. The
picture shows memory, two ranks with late messages (bench/passes_wire.py) and an emulated device whose link
to the host's memory is slow (bench/passes_link.cpp) beside them.

    bench/passes_disk.py [--cells 256] [--turns 3] [--threads 2] [--disk 400] [--thicker 1] [--figure FILE]

bench/passes_disk.cpp runs on the disk as it is, and once more on one that a control group of the kernel
holds to --disk MB a second each way (root, and the block I/O controller of cgroups 1; left out aloud
without).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

import passes_wire
import script
from limited import BLOCK_IO, slow_disk

from subcurrent.report.plots import style

WIRE_CELLS, DELAY = 64, 5  # milliseconds
LINK_CELLS, LINK = 128, 200  # MB/s each way
LINE = re.compile(
    r"^(?P<where>memory|files), (?P<length>\d+) a pass: (?P<ms>\S+) ms a step, \S+ of memory one by one"
    r"(, (?P<pieces>\d+) pieces, (?P<read>\S+) MB read, (?P<written>\S+) MB written, "
    r"(?P<computed>\S+) ms computed in slabs, (?P<copied>\S+) of it copies of planes)?$",
    re.MULTILINE,
)
BOUND = re.compile(r"^result: heat in files, (\d+) a pass / max\(computing, disk\): (\S+) ", re.MULTILINE)
LINK_ROW = re.compile(
    r"^\| (?P<length>\d+) \| \d+ \| (?P<mb>\S+) \| \S+ \| \S+ \| (?P<ms>\S+) \|", re.MULTILINE
)
Rows = dict[tuple[str, int], dict[str, str | None]]


def measure(arguments: argparse.Namespace, rate: float | None) -> tuple[Rows, dict[int, str], list[str]]:
    """What the program prints, by place and steps a pass; what it makes of the bound; and its results."""
    counts = [arguments.turns, arguments.threads, arguments.cells]
    counts += [int(rate or 0), "scratch", arguments.thicker]
    command = [script.built("passes_disk"), *counts, *["--trial"] * arguments.trial]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, slow_disk(Path(folder), rate) as enter:
        said = script.printed(command, enter=enter, folder=Path(folder))
    rows = {(m["where"], int(m["length"])): m.groupdict() for m in LINE.finditer(said)}
    return rows, {int(length): ratio for length, ratio in BOUND.findall(said)}, script.results_in(said)


def over_a_link(arguments: argparse.Namespace) -> dict[int, tuple[float, float]]:
    """Milliseconds and megabytes to the device of a step, by steps a pass."""
    words = [script.built("passes_link"), arguments.turns, LINK_CELLS, LINK]
    said = script.printed(words + ["--trial"] * arguments.trial)
    return {int(m["length"]): (float(m["ms"]), float(m["mb"])) for m in LINK_ROW.finditer(said)}


def draw(path: Path, arguments: argparse.Namespace, whole: Rows, slow: Rows) -> None:
    wire = passes_wire.rows_in(passes_wire.said_by(WIRE_CELLS, arguments.turns, DELAY, arguments.trial))
    link = over_a_link(arguments)
    megabytes = 8e-6 * arguments.cells**3  # of a level
    memory = {length: float(row["ms"]) for (where, length), row in whole.items() if where == "memory"}
    filed, held = (
        {length: float(row["ms"]) for (where, length), row in rows.items() if where == "files"}
        for rows in (whole, slow)
    )
    moved = {length: float(whole["files", length]["read"]) for length in filed}
    late = f"two ranks, {WIRE_CELLS}³, messages {DELAY} ms late"
    size = f"{arguments.cells}³"
    beside = f"beside a device, {LINK_CELLS}³"
    note = (
        "bytes of memory: a level read and a level written a pass; others are counted; the device is emulated"
    )
    with style.figure(path, 10.5, 5.4, "The heat equation: a step against steps a pass", note) as drawing:
        time, data = drawing.subplots(1, 2)
        for curve, colour, what in (
            (memory, style.GREEN, f"memory, {size}"),
            (filed, style.BLUE, f"files, {size}, the disk as it is"),
            (held, style.ORANGE, f"files, {size}, {arguments.disk:g} MB/s each way"),
            (
                {length: ms for length, (ms, _) in link.items()},
                style.RED,
                f"{beside}, {LINK} MB/s each way",
            ),
            ({length: row["overlapped"] for length, row in wire.items()}, style.MUTED, late),
        ):
            if curve:
                time.plot(list(curve), list(curve.values()), "o-", color=colour, label=what, markersize=5)
        for curve, colour, what in (
            ({length: megabytes / length for length in memory}, style.GREEN, f"memory, {size}"),
            (moved, style.BLUE, f"files, {size}"),
            ({length: mb for length, (_, mb) in link.items()}, style.RED, beside),
            (
                {length: 1e-3 * row["kb"] for length, row in wire.items()},
                style.MUTED,
                f"messages, {WIRE_CELLS}³",
            ),
        ):
            data.plot(list(curve), list(curve.values()), "o-", color=colour, label=what, markersize=5)
        for axes, what in ((time, "milliseconds a step"), (data, "megabytes a step: read, sent")):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xticks(list(filed), [str(length) for length in filed])
            axes.set_xlabel("steps a pass")
            axes.set_ylabel(what)
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=9)


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--cells", type=int, default=256)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--disk", type=float, default=400, help="MB a second that the slow disk reads, and writes"
    )
    parser.add_argument(
        "--thicker", type=int, default=1, help="pieces with so many times the fewest planes that passes need"
    )
    parser.add_argument("--figure", type=Path, help="a picture of the table, for example .png")
    arguments = script.parse(parser, {})
    whole, _, results = measure(arguments, None)
    slows = os.access(BLOCK_IO, os.W_OK) and not arguments.trial
    slow, bounds, held = measure(arguments, arguments.disk) if slows else ({}, {}, [])
    print(
        "| steps a pass | pieces | MB read a step | written | ms a step | computing | copying | "
        f"at {arguments.disk:g} MB/s | / bound |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for (where, length), row in whole.items():
        other = slow.get((where, length), {}).get("ms") or "–"
        filed = (row[key] or "–" for key in ("pieces", "read", "written"))
        cells = (f"{where}, {length}", *filed, row["ms"], row["computed"] or "–", row["copied"] or "–", other)
        print("| " + " | ".join((*cells, bounds.get(length, "–") if where == "files" else "–")) + " |")
    script.show(results, "the disk as it is")
    script.show(held, f"{arguments.disk:g} MB/s each way")
    if arguments.figure:
        draw(arguments.figure, arguments, whole, slow)
    return (
        0 if slows or arguments.trial else script.left_out("the slow disk", f"{BLOCK_IO} cannot be written")
    )


if __name__ == "__main__":
    sys.exit(main())
