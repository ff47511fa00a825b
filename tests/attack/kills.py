# SPDX-License-Identifier: Apache-2.0
"""Kills: signals to the launcher, its mpirun or a rank, while a run starts, steps, writes a checkpoint or a
snapshot. Nothing outlives its run, and a resume ends with the bits of a run that nobody disturbed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .victim import CASES, Run, has_gone, history, ranks_in, results, session_of, workplace

KILLS = 208
WHO = ("launcher", "mpirun", "rank", "ranks")
WHEN = ("start", "step", "checkpoint", "snapshot")
HOW = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
OK, OTHER, STOPPED = 0, 1, 5


@dataclass(frozen=True)
class Kill:
    """One kill: whose, when, by which signal, and how long after the moment has come."""

    number: int
    case: str
    ranks: int
    who: str
    when: str
    how: signal.Signals
    delay: float

    def __str__(self) -> str:
        return (
            f"kill {self.number}: {self.how.name} to {self.who} at {self.when}, {self.case} on {self.ranks}"
        )


def run(budget: float) -> dict[str, int]:
    """Every way of killing in turn, each at a moment of its own, which a seed has chosen."""
    chance = random.Random(20)
    ways = [(who, when, how) for how in HOW for when in WHEN for who in WHO]
    chance.shuffle(ways)
    count = max(1, round(KILLS * budget))
    kills = []
    for number in range(count):
        who, when, how = ways[number % len(ways)]
        drawn = chance.random()
        case = "cavity" if drawn < 0.5 else "crystal" if drawn < 0.75 else "turbulence"
        delay = chance.uniform(0, 2.5 if when == "start" else 0.02)
        kills.append(Kill(number, case, chance.choice((1, 2, 2, 3)), who, when, how, delay))
    names = ("kills", "resumed", "started anew", "same bits", "other bits", "came too late")
    counts = Counter(dict.fromkeys((*names, "hangs", "tracebacks", "wrong exits", "lost files"), 0))
    with workplace() as folder, ThreadPoolExecutor(2) as workers:
        wanted = {case: _undisturbed(folder, case) for case in CASES}
        for found in workers.map(lambda kill: _attack(folder, kill, wanted[kill.case]), kills):
            counts.update(found)
            if counts["kills"] % 20 == 0:
                print(f"kills: {counts['kills']} of {count}, same bits {counts['same bits']}", flush=True)
    return dict(counts)


def _undisturbed(folder: Path, case: str) -> list[dict[str, object]]:
    """What nobody disturbed; the second has a checkpoint of each step, as where a signal stopped at the last
    but one, and only the two newest are kept. The crystal stops after a pass."""
    wanted = []
    for every in (6, 2) if case == "crystal" else (2, 1):
        name = f"{case}_every_{every}"
        more = ("--set", f"output.checkpoint_every={every}")
        code, said = Run(folder, "run", f"{case}.toml", "--out", name, *more).end(Counter())
        assert code == OK, said
        wanted.append(results(folder / name))
    return wanted


def _attack(place: Path, kill: Kill, wanted: list[dict[str, object]]) -> Counter:
    counts: Counter = Counter(kills=1)
    folder = place / f"run{kill.number}"
    started = Run(place, "run", f"{kill.case}.toml", "-n", kill.ranks, "--out", folder)
    session, struck = _strike(started, folder, kill)
    before = _whole_checkpoints(folder)
    code, said = started.end(counts)
    if not has_gone(session or session_of(folder)):
        counts["hangs"] += 1
        print(f"{kill}: processes outlive it", flush=True)
    if not struck or code == OK:
        counts["came too late"] += 1
    if not _fitting(code, said, kill):
        counts["wrong exits"] += 1
        print(f"{kill}: exit code {code}\n{said}", flush=True)
    if before and not _whole_checkpoints(folder):
        counts["lost files"] += 1
        print(f"{kill}: the checkpoints are gone", flush=True)
    _go_on(place, folder, kill, counts)
    if results(folder) in wanted:
        counts["same bits"] += 1
    else:
        counts["other bits"] += 1
        print(f"{kill}: other bits, {_difference(results(folder), wanted[0])}", flush=True)
    return counts


def _go_on(place: Path, folder: Path, kill: Kill, counts: Counter) -> None:
    """Resumes, with files of a user's own among the checkpoints; starts anew where there is no checkpoint."""
    mine = folder / "checkpoints" / "notes.txt"
    if _whole_checkpoints(folder):
        mine.write_text("mine")
        arguments, counts["resumed"] = ("--resume",), 1
    else:
        arguments, counts["started anew"] = ("--overwrite",), 1
    again = Run(place, "run", f"{kill.case}.toml", "--out", folder, "-n", 1 + kill.number % 3, *arguments)
    code, said = again.end(counts)
    if code != OK:
        counts["wrong exits"] += 1
        print(f"{kill}: {arguments[0]} ends with exit code {code}\n{said}", flush=True)
    left = list(folder.rglob("*.subcurrent-part"))
    if left or (arguments == ("--resume",) and not mine.exists()):
        counts["lost files"] += 1
        print(f"{kill}: {left} are left, or a user's file is lost", flush=True)


def _whole_checkpoints(folder: Path) -> list[Path]:
    return list((folder / "checkpoints").glob("checkpoint_????????.h5"))


def _strike(started: Run, folder: Path, kill: Kill) -> tuple[int | None, bool]:
    """Waits for the moment and sends the signal; the run's session where it was seen, and whether it hit."""
    moment = {
        "start": lambda: True,
        "step": lambda: len(history(folder)) > 2,
        "checkpoint": lambda: _is_written(folder / "checkpoints"),
        "snapshot": lambda: _is_written(folder / "snapshots"),
    }[kill.when]
    there = _wait_for(started, moment)
    if kill.when == "start":
        time.sleep(kill.delay)
    session = session_of(folder) if kill.who != "launcher" or kill.when != "start" else None
    if kill.who != "launcher" and session is None:
        _wait_for(started, lambda: session_of(folder) is not None)
        session = session_of(folder)
    if kill.when in ("checkpoint", "snapshot"):
        there = _wait_for(started, moment)  # looking for the victim takes longer than writing
    elif kill.when == "step":
        time.sleep(kill.delay)
    return session, there and _send(started, session, kill)


def _send(started: Run, session: int | None, kill: Kill) -> bool:
    victims = {"launcher": [started.process.pid], "mpirun": [session] if session else []}.get(kill.who)
    if victims is None:
        victims = ranks_in(session) if session else []
        if kill.who == "rank":
            victims = victims[kill.number % max(1, len(victims)) :][:1]
    if started.process.poll() is not None:
        return False
    for pid in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, kill.how)
    return bool(victims)


def _wait_for(started: Run, moment: Callable[[], bool], seconds: float = 120.0) -> bool:
    """Looks without pause, for the moments are short; False when the run ends before."""
    until = time.monotonic() + seconds
    while not moment():
        if started.process.poll() is not None or time.monotonic() > until:
            return False
        time.sleep(0)
    return True


def _is_written(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return any(name.endswith(".subcurrent-part") for name in os.listdir(folder))  # noqa: PTH208 - quicker
    return False


def _fitting(code: int | None, said: str, kill: Kill) -> bool:
    """Whether a run may end so: killed with its launcher, else with a sentence, or it was over before."""
    if kill.who == "launcher" and kill.how == signal.SIGKILL:
        return code in (-signal.SIGKILL, OK)
    if code == STOPPED:
        return "--resume" in said or "stopped at once" in said
    if code == OTHER:
        return "subcurrent: " in said
    # A signal that finds Python before the program's first line ends it as it ends any program.
    unready = kill.when == "start" and kill.who == "launcher"
    return code == OK or (unready and code == -kill.how) or code is None


def _difference(found: dict[str, object], wanted: dict[str, object]) -> str:
    differ = [name for name in sorted(found.keys() | wanted.keys()) if found.get(name) != wanted.get(name)]
    return ", ".join(name if found.get(name) else f"{name} (missing)" for name in differ)
