# SPDX-License-Identifier: Apache-2.0
"""What the parts that start runs share: a case, a run of it in a folder, and whether it ended as runs may."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python")]

from conftest import SMALL, history  # noqa: E402 - found by the line above
from subcurrent.launch import guard  # noqa: E402
from turbulence_runs import TURBULENCE  # noqa: E402

LONGEST = 240.0  # seconds: what takes longer hangs, also on a slow machine that does other things
CAVITY = SMALL.replace("steps = 12", "steps = 30") + (
    "[output]\nfigures = false\nevery = 0.02\ncheckpoint_every = 2\ntimeline = false\n"
)
CASES = {
    "cavity": CAVITY,
    "turbulence": TURBULENCE
    + """[run]
steps = 30
[output]
figures = false
every = 0.03
checkpoint_every = 2
timeline = false
""",
    "crystal": """solver = "dendrite"
seeds = [{ radius = 0.1 }]
[grid]
cells = [48, 40, 44]
[engine]
steps_per_pass = 4
[run]
steps = 60
dt = 1e-12
[output]
figures = false
every = 6e-12
history_every = 6
checkpoint_every = 6
timeline = false
""",
}


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A folder with the case files."""
    with tempfile.TemporaryDirectory(prefix="subcurrent_attack_", ignore_cleanup_errors=True) as name:
        for case, text in CASES.items():
            (Path(name) / f"{case}.toml").write_text(text)
        yield Path(name)


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "SUBCURRENT_BIND": "none", "COLUMNS": "200", "PYTHONPATH": "", **more}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "subcurrent", *map(str, arguments)]


class Run:
    """A started program; what it prints is kept as it comes, so that nothing is lost when it is killed."""

    def __init__(self, folder: Path, *arguments: object, prefix: str = "", **more: str):
        line = command(*arguments)
        if prefix:  # e.g. "ulimit -n 64": the shell becomes the program
            line = ["bash", "-c", f'{prefix}; exec "$@"', "bash", *line]
        self.process = subprocess.Popen(
            line,
            cwd=folder,
            env=environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=_hear_hangups,  # noqa: PLW1509 - it calls the kernel and nothing else
        )
        self._lines: list[bytes] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        self._lines.extend(self.process.stdout)

    def end(self, counts: Counter) -> tuple[int | None, str]:
        """Exit code and output; a run that hangs or shows a traceback is counted."""
        try:
            code = self.process.wait(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            counts["hangs"] += 1
            self.process.kill()
            self.process.wait()
            code = None
        self._reader.join(timeout=30)  # somebody may still hold the pipe
        said = b"".join(self._lines).decode(errors="replace")
        # An interrupt that comes before the program's first line is Python's to report.
        early = said.rstrip().endswith("KeyboardInterrupt") and "program.py" not in said
        if "Traceback (most recent call last)" in said and not early:
            counts["tracebacks"] += 1
            print(said, flush=True)
        if code is None:
            print(f"hangs: {self.process.args}\n{said}", flush=True)
        return code, said


def _hear_hangups() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the attack may have been told to ignore it


def session_of(folder: Path) -> int | None:
    """The session of the run in a folder, which its mpirun leads; None while there are no ranks."""
    plan = str(folder / "plan.json").encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if plan in words and b"-n" not in words:
                return os.getsid(int(path.parent.name))
    return None


def ranks_in(session: int) -> list[int]:
    """The ranks among the processes of a session."""
    found = []
    for pid in guard.session(session):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"subcurrent.rank.worker" in words and b"-n" not in words:
                found.append(pid)
    return found


def has_gone(session: int | None, seconds: float = 30.0) -> bool:
    """Whether all processes of a session end by themselves."""
    until = time.monotonic() + seconds
    while session is not None and guard.session(session):
        if time.monotonic() > until:
            guard.kill_session(session)
            return False
        time.sleep(0.05)
    return True


def results(folder: Path) -> dict[str, object]:
    """What must be the same bits in two runs of a case."""
    files = [*(folder / "checkpoints").glob("*.h5"), *(folder / "snapshots").glob("*.vtkhdf")]
    held: dict[str, object] = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return held | {"history": history(folder)}
