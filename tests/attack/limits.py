# SPDX-License-Identifier: Apache-2.0
"""Limits: runs that may not write, open or hold as much as they need, disks that become full, and starts side
by side in one folder. Each ends, with the right result or with a sentence and an exit code that says why."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .victim import CASES, Run, history, results, workplace

OK, OTHER, BAD_INPUT, STORAGE = 0, 1, 2, 3
# Below the least of these Python itself does not start.
LIMITS = (
    *(f"ulimit -f {kib}" for kib in (0, 1, 8, 100, 1000, 4096, 8191, 8192, 10000, 30000)),
    *(f"ulimit -n {files}" for files in (12, 16, 20, 24, 32, 48, 64, 256)),
    *(f"ulimit -v {kib}" for kib in (150_000, 250_000, 400_000, 600_000, 900_000, 1_500_000, 8_000_000)),
    *(f"ulimit -t {seconds}" for seconds in (1, 2, 3, 60)),
    *(f"ulimit -s {kib}" for kib in (256, 1024)),
    "ulimit -c 0",
)
DISKS = (0, 8, 20, 60, 150, 300, 600, 1000, 1500, 2500, 4000, 8000)  # KiB
ROUNDS, STARTERS = 12, 4


def run(budget: float) -> dict[str, int]:
    """A share of every kind, the middle of each first."""
    counts = Counter(dict.fromkeys(("limits", "full disks", "starts", "right results", "sentences"), 0))
    counts.update(dict.fromkeys(("hangs", "tracebacks", "wrong exits", "lost files"), 0))
    with workplace() as folder:
        whole = folder / "cavity_whole"
        code, said = Run(folder, "run", "cavity.toml", "--out", whole).end(counts)
        assert code == OK, said
        wanted = results(whole)
        for number, limit in enumerate(_share(LIMITS, budget)):
            _under(folder, folder / f"limit{number}", limit, wanted, counts)
        for number, kib in enumerate(_share(DISKS, budget)):
            _on_disk(folder, f"disk{number}", kib, wanted, counts)
        for number in range(max(1, round(ROUNDS * budget))):
            _side_by_side(folder, folder / f"together{number}", counts)
    return dict(counts)


def _share(items: tuple, budget: float) -> list:
    step = max(1, round(1 / max(budget, 1e-3)))
    return list(items[len(items) // 2 :: step] if budget < 1 else items)


def _under(place: Path, folder: Path, limit: str, wanted: dict[str, object], counts: Counter) -> None:
    counts["limits"] += 1
    started = Run(
        place, "run", "cavity.toml", "-n", 2, "--out", folder, prefix=limit, SUBCURRENT_START_SECONDS="60"
    )
    _judge(started, folder, limit, wanted, counts)


def _judge(started: Run, folder: Path, what: str, wanted: dict[str, object], counts: Counter) -> None:
    """The right result, or a sentence and a code that fits."""
    code, said = started.end(counts)
    if code == OK and results(folder) == wanted:
        counts["right results"] += 1
    elif code in (OTHER, BAD_INPUT, STORAGE) and "subcurrent: " in said:
        counts["sentences"] += 1
    elif code is not None:
        counts["wrong exits"] += 1
        print(f"{what}: exit code {code}\n{said}", flush=True)


@contextlib.contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[bool]:
    """A file system of so many KiB; False where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={max(kib, 4)}k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        yield False
        return
    try:
        if kib == 0:
            (folder / "full").write_bytes(b"x" * 4096)
        yield True
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _on_disk(place: Path, name: str, kib: int, wanted: dict[str, object], counts: Counter) -> None:
    """A full disk, and what stands there going on when there is room again."""
    with small_disk(place / name, kib) as mounted:
        if not mounted:
            print("full disks: left out, mounting a small file system takes root", flush=True)
            return
        counts["full disks"] += 1
        folder = place / name / "r"
        started = Run(place, "run", "cavity.toml", "-n", 2, "--out", folder)
        _judge(started, folder, f"a disk of {kib} KiB", wanted, counts)
        if not list((folder / "checkpoints").glob("checkpoint_????????.h5")):
            return
        room = ["mount", "-o", "remount,size=64m", str(place / name)]
        subprocess.run(room, check=True, capture_output=True)
        code, said = Run(place, "run", "cavity.toml", "--out", folder, "--resume").end(counts)
        if code != OK or results(folder) != wanted:
            counts["lost files"] += 1
            print(f"a disk of {kib} KiB, resumed: exit code {code}\n{said}", flush=True)


def _side_by_side(place: Path, folder: Path, counts: Counter) -> None:
    """Starts of different cases in one folder at once: one runs, whole, and the others are refused."""
    for n in range(STARTERS):
        text = CASES["cavity"].replace("reynolds = 100", f"reynolds = {101 + n}")
        (place / f"side{n}.toml").write_text(text)
    counts["starts"] += STARTERS
    started = [Run(place, "run", f"side{n}.toml", "-n", 1 + n % 2, "--out", folder) for n in range(STARTERS)]
    ended = [one.end(counts) for one in started]
    ran = [n for n, (code, _) in enumerate(ended) if code == OK]
    refused = [said for code, said in ended if code == BAD_INPUT and "subcurrent: " in said]
    counts["sentences"] += len(refused)
    alone = place / f"{folder.name}_alone"
    if len(ran) == 1 and len(refused) == STARTERS - 1:
        code, _ = Run(place, "run", f"side{ran[0]}.toml", "--out", alone).end(counts)
        if code == OK and results(alone) == results(folder) and history(folder):
            counts["right results"] += 1
            return
    counts["wrong exits"] += 1
    print(f"side by side: {[code for code, _ in ended]}\n" + "\n".join(said for _, said in ended), flush=True)
