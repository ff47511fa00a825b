# SPDX-License-Identifier: Apache-2.0
"""Damaged files: checkpoints, snapshots and grid files, what a run keeps, matrices, scratch folders."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .attempt import Tally, attempt, part_of, program
from .bad_files import GOOD
from .bad_inputs import CAVITY
from .session import Session

FLIPS = 60  # of a binary file; a third of them among its first bytes, where its structure is
ODD = (
    "empty",
    "text",
    "json",
    "zeros",
    "other",
    "pipe",
    "folder",
    "link to nowhere",
    "link to itself",
    "link to a device",
)

MAKE = """
import subcurrent as sc
sim = sc.Cavity(sc.CavityGrid((12, 12, 12)), reynolds=100)
sim.run(steps=3)
sim.save("cavity.h5")
sim.snapshot("cavity.vtkhdf")
flow = sc.Turbulence((12, 12, 12), reynolds=100, dt=0.01, precision="single", engine={})
flow.run(steps=2)
flow.save("flow.h5")
flow.snapshot("flow.vtkhdf")
"""
# Every try either ends as with the file as it was, or is refused and leaves what was there as it was.
SESSION = """
import hashlib, json, os, sys
import numpy as np, subcurrent as sc

def digest(*parts):
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()

sim = sc.Cavity(sc.CavityGrid((12, 12, 12)), reynolds=100)
def load(path):
    sim.load(path)
    return digest(sim.gather("velocity"), sim.gather("pressure"), [sim.time, sim.steps])
def start(path):
    flow = sc.Turbulence((12, 12, 12), reynolds=100, dt=0.01, precision="single", initial=path)
    return digest(flow.modes)
def grid(path):
    mesh = sc.Cavity(sc.CavityGrid((12, 12, 12), clustering="file", file=path), reynolds=100)
    return digest(mesh.gather("coordinates"))
def scratch(path):
    store = {"place": "files", "pieces": 2, "scratch": path}
    flow = sc.Turbulence((12, 12, 12), reynolds=100, dt=0.01, storage=store)
    flow.run(steps=1)
    return digest(flow.modes)

HOW = {"load": load, "start": start, "grid": grid, "scratch": scratch}
good = json.loads(sys.argv[1])
same = {what: HOW[what.partition(" ")[0]](path) for what, path in good.items()}
for number, what, path in json.load(sys.stdin):
    kind = what.partition(" ")[0]
    print(json.dumps(["begin", number]), flush=True)
    try:
        before = digest(sim.gather("velocity"), [sim.time, sim.steps]) if kind == "load" else ""
        found = HOW[kind](path)
        end = ["same", ""] if found == same[what] else ["other", "another result"]
    except sc.SubcurrentError as error:
        end = ["refused", str(error)]
    except Exception as error:
        ours = type(error).__module__.startswith("subcurrent")
        end = ["refused" if ours else "fault", str(error) if ours else repr(error)]
    after = digest(sim.gather("velocity"), [sim.time, sim.steps]) if kind == "load" else ""
    if end[0] == "refused" and before != after:
        end = ["other", "a refused checkpoint has changed the state"]
    print(json.dumps(["end", number, *end]), flush=True)
"""


def damages(data: bytes, seed: int, flips: int = FLIPS) -> Iterator[tuple[str, bytes]]:
    """A name, and the bytes with one fault."""
    chance = random.Random(seed)
    for n in range(flips):
        at = chance.randrange(min(8192, len(data)) if n % 3 == 0 else len(data))
        bit = chance.randrange(8)
        yield f"bit {bit} of byte {at}", data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
    for _ in range(flips // 4):
        length = chance.randrange(len(data))
        yield f"cut to {length}", data[:length]
        at, count = chance.randrange(len(data)), chance.choice((1, 8, 512, 4096))
        yield f"{count} zeros at {at}", data[:at] + bytes(min(count, len(data) - at)) + data[at + count :]
        one, other = sorted(chance.sample(range(len(data)), 2))
        count = min(chance.choice((8, 64, 512)), other - one, len(data) - other)
        swapped = bytearray(data)
        swapped[one : one + count], swapped[other : other + count] = (
            data[other : other + count],
            data[one : one + count],
        )
        yield f"{count} bytes of {one} and {other} swapped", bytes(swapped)
        at = chance.randrange(len(data))
        yield f"3 bytes put in at {at}", data[:at] + b"abc" + data[at:]
        yield f"3 bytes left out at {at}", data[:at] + data[at + 3 :]


def odd_ones(path: Path, kind: str, other: bytes) -> None:
    """Something that is no such file at all, under its name."""
    whole = {
        "empty": b"",
        "text": b"hello\n" * 50,
        "json": b'{"a": [1, 2]}',
        "zeros": bytes(9000),
        "other": other,
    }
    if kind in whole:
        path.write_bytes(whole[kind])
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        target = {"link to nowhere": "nowhere", "link to itself": path.name, "link to a device": "/dev/zero"}[
            kind
        ]
        path.symlink_to(target)


def run(budget: float = 1.0) -> dict[str, int]:
    """Every damage on its own; the counts, of which FAULTS must be 0."""
    from subcurrent.cli import main  # noqa: F401, PLC0415 - children need not load them again
    from subcurrent.solvers.cg import figures, job  # noqa: F401, PLC0415 - children need not load them again

    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="subcurrent-attack-") as made:
        folder = Path(made)
        subprocess.run([sys.executable, "-c", MAKE], cwd=folder, check=True, timeout=300)
        _in_a_session(tally, folder, budget)
        _run_folders(tally, folder, budget)
    return tally.result()


# -- what the compiled module reads ------------------------------------------------------------------------


GOOD_ONES = {
    "load": "cavity.h5",
    "start of a checkpoint": "flow.h5",
    "start of a snapshot": "flow.vtkhdf",
    "grid": "cavity.vtkhdf",
}


def _in_a_session(tally: Tally, folder: Path, budget: float) -> None:
    tries = []
    for seed, (what, name) in enumerate(GOOD_ONES.items()):
        data, suffix = (folder / name).read_bytes(), Path(name).suffix
        for number, (damage, content) in enumerate(damages(data, seed)):
            path = folder / f"damaged_{seed}_{number}{suffix}"
            path.write_bytes(content)
            tries.append((what, path, damage))
        other = (folder / ("cavity.vtkhdf" if suffix == ".h5" else "cavity.h5")).read_bytes()
        for number, kind in enumerate(ODD):
            path = folder / f"odd_{seed}_{number}{suffix}"
            odd_ones(path, kind, other)
            tries.append((what, path, kind))
    tries += _scratch_folders(folder)
    names = {path.name for path in folder.iterdir()}
    chosen = part_of(tries, budget)
    _tries(tally, folder, chosen)
    lost = names - {path.name for path in folder.iterdir()}
    for name in lost:
        tally.fault("lost files", name, "is gone")


def _scratch_folders(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """Scratch folders in which there is already what no run has left there."""
    locks = (
        b"",
        b"pid abc",
        b"pid -1",
        b"pid 99999999999999999999",
        b"\0" * 100,
        b"host x pid 1\n",
        b"x" * 100_000,
    )
    for number, text in enumerate(locks):
        scratch = folder / f"scratch_{number}"
        scratch.mkdir()
        (scratch / "rank 0.lock").write_bytes(text)
        yield "scratch", scratch, f"lock {text[:20]!r}"
    for number, kind in enumerate(("folder", "pipe", "link to nowhere", "link to itself")):
        scratch = folder / f"scratch_odd_{number}"
        scratch.mkdir()
        odd_ones(scratch / "rank 0.lock", kind, b"")
        yield "scratch", scratch, f"lock is a {kind}"
        place = folder / f"scratch_place_{number}"
        odd_ones(place, kind, b"")
        yield "scratch", place, f"the folder is a {kind}"


def _tries(tally: Tally, folder: Path, tries: list[tuple[str, Path, str]]) -> None:
    """All of them in one session."""

    def judge(number: int, end: str, text: str) -> None:
        if end == "same":
            tally.counts["accepted"] += 1
        elif end == "refused" and text and "\n" not in text:
            tally.counts["refused"] += 1
        else:
            tally.fault("other bits" if end == "other" else "wrong exits", names[number], text[:300])

    names = [f"{what}: {damage}" for what, _, damage in tries]
    items = [(number, what, str(path)) for number, (what, path, _) in enumerate(tries)]
    good = json.dumps({**GOOD_ONES, "scratch": "scratch"})
    Session([SESSION, good], lambda: folder, names).attempt(tally, items, judge)


# -- what the launcher and the report read -----------------------------------------------------------------


def _run_folders(tally: Tally, made: Path, budget: float) -> None:
    home = made / "home"
    home.mkdir()
    (home / "case.toml").write_text(CAVITY)
    first = attempt(program(("run", "case.toml", "--out", "r", "--set", "output.figures=false")), home, 300)
    if first.code != 0:
        tally.fault("wrong exits", "the run whose files are damaged", first)
        return
    for path in ("snapshots", "centreline.csv"):  # what takes long to draw
        found = home / "r" / path
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    report, resume = ("report", "r"), ("run", "case.toml", "--resume", "--dry-run", "--out", "r")
    again = ("--set", "run.steps=4")
    tries = []
    for seed, (name, arguments) in enumerate((
        ("r/summary.json", report), ("r/history.csv", report), ("r/history.csv", (*resume, *again)),
        ("r/case.toml", report), ("r/case.toml", (*resume, *again)), ("case.toml", (*resume, *again)),
    )):  # fmt: skip
        data = (home / name).read_bytes()
        tries += [(name, arguments, damage, content) for damage, content in damages(data, 10 + seed, 12)]
        tries += [
            (name, arguments, kind, None) for kind in ODD if not (name == "case.toml" and kind == "other")
        ]
    matrix = ("cg", "--matrix", "m.mtx", "--out", "c", "--tol", "1e-3")
    (home / "m.mtx").write_text(GOOD)
    tries += [("m.mtx", matrix, damage, content) for damage, content in damages(GOOD.encode(), 20, 8)]
    tries += [("m.mtx", matrix, kind, None) for kind in ODD]
    for number, (name, arguments, damage, content) in enumerate(part_of(tries, budget)):
        folder = made / f"home_{number}"
        shutil.copytree(home, folder, symlinks=True)
        (folder / name).unlink()
        if content is None:
            odd_ones(folder / name, damage, b"\x89HDF\r\n\x1a\n" + bytes(100))
        else:
            (folder / name).write_bytes(content)
        before = _files(folder)
        end = attempt(program(arguments), folder)
        refused = tally.judge(f"{' '.join(arguments)}: {name}: {damage}", end, accepted=True)
        kept = _files(folder)
        for path in before if refused else ():
            if kept.get(path) != before[path] and not path.startswith("r/figures"):
                tally.fault("lost files", f"{name}: {damage}: {path}", "was there, and is another or none")
        shutil.rmtree(folder)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
            and not path.is_symlink()}  # fmt: skip
