# SPDX-License-Identifier: Apache-2.0
"""Many attempts in one Python session, which says ["begin", number] and ["end", number, …] of each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .attempt import SECONDS, Tally


@dataclass
class Session:
    """A script with its arguments, where it runs, and what its attempts are called."""

    script: list[str]
    folder_of: Callable[[], Path]
    names: list[str]

    def attempt(self, tally: Tally, items: list, judge: Callable[..., None]) -> None:
        """Gives all items, each with its number first, to a session and has what it says of each judged;
        where one hangs or ends the session, the next goes on in another."""
        left = items
        while left:
            code, out = self._run(left)
            stage, last = "", -1
            for line in out.splitlines():
                if line.startswith('["'):
                    stage, last, *end = json.loads(line)
                    if stage == "end":
                        tally.counts["attempts"] += 1
                        judge(last, *end)
            kind = "hangs" if code == -9 else "wrong exits"
            if last < 0:
                tally.fault(kind, "a session before its first attempt", out[-800:])
                return
            if stage == "begin":
                tally.counts["attempts"] += 1
                tally.fault(kind, self.names[last], out[-300:])
            left = [item for item in left if item[0] > last]
            if stage == "end" and (code or left):
                tally.fault(kind, f"a session after {self.names[last]}", out[-300:])

    def _run(self, items: list) -> tuple[int, str]:
        process = subprocess.Popen(
            [sys.executable, "-c", *self.script],
            cwd=self.folder_of(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        try:
            out, _ = process.communicate(json.dumps(items), timeout=SECONDS + 0.5 * len(items))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, _ = process.communicate()
        return process.returncode, out
