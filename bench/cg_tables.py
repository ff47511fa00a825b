#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables like 3.2, 5.2 and 5.3 of Kido's thesis: bytes of a product by partition and ranks, and the benchmark
under every way of hiding, on this machine and on an emulated network that all hosts share (needs root)."""

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import script

CLUSTER = script.ROOT / "tools" / "emulated-cluster"
WAYS = (
    ("grid", "blocking", 1),
    ("grid", "interior_first", 1),
    ("grid", "pipelined", 2),
    ("grid", "pipelined", 5),
    ("row", "blocking", 1),
    ("row", "interior_first", 1),
    ("column", "blocking", 1),
    ("column", "pipelined", 5),
)


def run(name: str, ranks: int, way: tuple[str, str, int], rate: str | None = None) -> dict:
    """The summary of one verified run; over the network when a rate is given, one rank a host."""
    partition, strategy, depth = way
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "cg"
        words = ["cg", "--class", name, "--out", folder]
        words += ["--partition", partition, "--strategy", strategy, "--depth", depth]
        words += ["-n", ranks] if rate is None else []
        script.subcurrent(
            *words,
            under=[] if rate is None else [CLUSTER, "with", ranks, rate],
            seconds=900,
            SUBCURRENT_CLUSTER_NETWORK="bus",
            SUBCURRENT_CLUSTER_BURST="16kb",
        )
        return json.loads((folder / "summary.json").read_text())


def products(summary: dict) -> int:
    """Under the clock: 25 steps and the residual's in each iteration."""
    return summary["class"]["iterations"] * 26


def volume(name: str, most: int) -> None:
    print(f"\nBytes of one product, class {name}: counted on sending (formula)\n")
    print("| ranks | row | column | grid |\n|---:|---:|---:|---:|")
    for ranks in range(2, most + 1):
        cells = []
        for partition in ("row", "column", "grid"):
            summary = run(name, ranks, (partition, "blocking", 1))
            counted = summary["bytes_sent"] / products(summary)
            cells.append(f"{counted / 1e3:.0f} kB ({summary['partition']['bytes_of_product'] / 1e3:.0f})")
        print(f"| {ranks} | " + " | ".join(cells) + " |", flush=True)


def hiding(name: str, ranks: int, rate: str | None, turns: int, ways: tuple = WAYS) -> None:
    where = f"on a bus of {rate} with {ranks} hosts" if rate else f"on this machine with {ranks} ranks"
    print(f"\nSeconds of class {name} {where}: median of {turns}\n")
    print("| partition | strategy | depth | seconds | over blocking |\n|---|---|---:|---:|---:|")
    blocking: dict[str, float] = {}
    seconds: dict[tuple, list[float]] = {way: [] for way in ways}
    for _ in range(turns):
        for way in ways:
            seconds[way].append(run(name, ranks, way, rate)["seconds"])
    for way in ways:
        took = statistics.median(seconds[way])
        blocking.setdefault(way[0], took)
        print(f"| {way[0]} | {way[1]} | {way[2]} | {took:.3f} | {blocking[way[0]] / took:.2f} |", flush=True)


def ranks_table(name: str, rate: str, most: int, turns: int) -> None:
    print(f"\nSeconds of class {name}, grid, pipelined, depth 5, on a bus of {rate}: median of {turns}\n")
    print("| hosts | seconds | speed-up |\n|---:|---:|---:|")
    alone = statistics.median(run(name, 1, WAYS[3])["seconds"] for _ in range(turns))
    print(f"| 1 | {alone:.3f} | 1 |")
    for hosts in [n for n in (2, 4, 8, 16) if n <= most]:
        took = statistics.median(run(name, hosts, WAYS[3], rate)["seconds"] for _ in range(turns))
        print(f"| {hosts} | {took:.3f} | {alone / took:.3f} |", flush=True)


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--class", dest="name", default="A", help="class of the benchmark (A)")
    parser.add_argument("--ranks", type=int, default=4, help="ranks and hosts of the tables of hiding (4)")
    parser.add_argument("--most", type=int, default=8, help="most ranks of the other tables (8)")
    parser.add_argument("--rate", default="100mbit", help="of the bus, as tc writes it (100mbit)")
    parser.add_argument("--turns", type=int, default=3)
    options = script.parse(parser, {"name": "S", "ranks": 2, "most": 2, "turns": 1})
    try:
        volume(options.name, options.most)
        hiding(options.name, options.ranks, None, options.turns, WAYS[2:6:2] if options.trial else WAYS)
        if options.trial or os.geteuid() != 0:
            why = "a trial makes none" if options.trial else "it needs root"
            return script.left_out("the emulated network", why)
        hiding(options.name, options.ranks, options.rate, options.turns)
        ranks_table(options.name, options.rate, options.most, options.turns)
    except script.NotDoneError as error:
        print(f"cg_tables: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
