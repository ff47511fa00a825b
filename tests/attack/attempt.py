# SPDX-License-Identifier: Apache-2.0
"""One attempt: the program in a process of its own with a time limit, and whether it ended as it may."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 60  # of an attempt that takes 0.05; a loaded machine is no hang
ALLOWED = (1, 2, 3)  # of a refusal; 3 is a file that cannot be read


@dataclass
class End:
    """How an attempt ended; `code` is None where it had to be killed."""

    code: int | None
    out: str
    err: str


def attempt(action: Callable[[], int | None], folder: Path, seconds: float = SECONDS) -> End:
    """Runs the action in a child, in `folder`; what it starts is killed with it."""
    out, err = folder.with_name(folder.name + ".out"), folder.with_name(folder.name + ".err")
    child = os.fork()
    if child == 0:
        _run(action, folder, out, err)
    deadline = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid or time.monotonic() > deadline:
            break
        time.sleep(0.002)
    if not pid:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status) if pid else None
    end = End(code, out.read_text(errors="replace"), err.read_text(errors="replace"))
    out.unlink()
    err.unlink()
    return end


def _run(action: Callable[[], int | None], folder: Path, out: Path, err: Path) -> None:
    os.setsid()
    code = 70
    try:
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.chdir(folder)
        code = action() or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def program(arguments: Sequence[str]) -> Callable[[], None]:
    """The program `subcurrent` with these arguments, without starting another interpreter."""

    def run() -> None:
        from subcurrent.cli import main  # noqa: PLC0415 - loaded once, before the first child

        sys.argv = ["subcurrent", *arguments]
        main.main()

    return run


def said(end: End) -> list[str]:
    return [line for line in end.err.splitlines() if line.strip()]


@dataclass
class Tally:
    """Counts, and what was seen where something was not as it may be."""

    counts: Counter = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, kind: str, name: str, end: End | str) -> None:
        self.counts[kind] += 1
        text = end if isinstance(end, str) else f"exit {end.code}: {end.err[-600:] or end.out[-300:]}"
        self.faults.append(f"{kind}: {name}: {text}")
        print(f"  {self.faults[-1]}", file=sys.stderr, flush=True)

    def judge(self, name: str, end: End, accepted: bool = False) -> bool:
        """Counts an attempt: one sentence and a refusing exit code, or, where it may be `accepted`, a good
        end. True where it was refused."""
        self.counts["attempts"] += 1
        if end.code is None:
            self.fault("hangs", name, end)
        elif "Traceback" in end.err or "Traceback" in end.out:
            self.fault("tracebacks", name, end)
        elif end.code == 0 and accepted:
            self.counts["accepted"] += 1
        elif end.code in ALLOWED and len(said(end)) == 1 and said(end)[0].startswith("subcurrent: "):
            self.counts["refused"] += 1
            return True
        else:
            self.fault("wrong exits", name, end)
        return False

    def result(self) -> dict[str, int]:
        names = (
            "attempts",
            "refused",
            "accepted",
            "tracebacks",
            "hangs",
            "wrong exits",
            "other bits",
            "lost files",
        )
        return {name: self.counts[name] for name in names}


def part_of(items: Sequence, budget: float, seed: int = 1) -> list:
    """As many of the items as the budget allows, the same ones each time, of all kinds."""
    count = min(len(items), max(1, round(budget * len(items))))
    return random.Random(seed).sample(list(items), count) if count < len(items) else list(items)
