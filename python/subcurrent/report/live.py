# SPDX-License-Identifier: Apache-2.0
"""The state of a run from its folder while it runs: progress, history, and the latest picture."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ..errors import BadInput, SubcurrentError
from ..launch.lock import is_held
from ..launch.rundir import LOCK, RunFolder
from ..rank.ending import End
from ..solvers.kind import Kind
from ..solvers.kinds import kind_of, title_of
from .figures import stored_case
from .records import read_history, read_record
from .slices import Wanted, read_slice

PAGE = Path(__file__).with_name("live.html")
ROWS = 400  # of the history, evenly chosen, that the page draws


@dataclass
class Watched:
    """A run folder that is read repeatedly; nothing in it is changed."""

    folder: RunFolder
    _drawn: dict[Path, bytes] = field(default_factory=dict)

    def now(self) -> dict[str, Any]:
        """Title, state, end, share done, what the last row of the history says in the words of `run`, and its
        columns, in units where they have some."""
        case = stored_case(self.folder)
        kind, end = kind_of(case), End.of(case.run)
        names, rows = read_history(self.folder.history) if self.folder.history.exists() else ([], [])
        names = names or [*kind.history_of(case), "seconds"]
        last = {name: _number(text) for name, text in zip(names, rows[-1], strict=True)} if rows else {}
        chosen = rows[:: max(1, -(-len(rows) // ROWS))]
        units = {"seconds": (1, "s"), **kind.columns(case)}
        return {
            "title": title_of(case),
            "state": self._state(),
            "end": end.in_units(*units.get("time", ())),
            "share": _share(end, last),
            "facts": _facts(kind, last) if last else [],
            "columns": {
                name: _scaled([row[n] for row in chosen], units.get(name, (1, ""))[0])
                for n, name in enumerate(names)
            },
            "units": {name: unit for name, (_, unit) in units.items()},
            "snapshots": len(self.folder.all_snapshots()),
        }

    def _state(self) -> str:
        lock = self.folder.path / LOCK
        if is_held(lock):
            return "running"
        if lock.exists():  # whoever ends by itself takes it along
            return "killed"
        return str(read_record(self.folder.summary).get("state", "not running"))

    def picture(self) -> bytes | None:
        """The last snapshot's first field in the middle plane, as a PNG; None before the first snapshot."""
        from .plots.plane import Look, draw_plane  # noqa: PLC0415 - matplotlib

        path = self.folder.last_snapshot()
        if path is None:
            return None
        if path not in self._drawn:
            with tempfile.TemporaryDirectory() as scratch:
                target = Path(scratch) / "picture.png"
                draw_plane(target, read_slice(path, Wanted()), path.stem, Look())
                self._drawn = {path: target.read_bytes()}
        return self._drawn[path]


def _facts(kind: Kind, last: dict[str, Any]) -> list[str]:
    """None where a column is missing: another version wrote the history."""
    try:
        return kind.facts(last)
    except LookupError:
        return []


def _number(text: str) -> float | None:
    """A count as a whole number; None for what is not finite."""
    if text.isdigit():
        return int(text)
    value = float(text or "nan")
    return value if abs(value) < float("inf") else None


def _scaled(texts: list[str], factor: float) -> list[float | None]:
    return [None if value is None else factor * value for value in map(_number, texts)]


def _share(end: End, last: dict[str, float | None]) -> float | None:
    """Of the steps or the time; None where the end is a steady state, and before the first row."""
    for goal, name in ((end.steps, "step"), (end.time, "time")):
        if goal is not None and last.get(name) is not None:
            return min(1.0, last[name] / goal)
    return None


def server(folder: RunFolder, port: int) -> ThreadingHTTPServer:
    """Serves the page, its updates, and the picture; on the loopback interface only."""
    watched = Watched(folder)

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                content = self._content()
            except SubcurrentError as error:
                self._send(503, "text/plain; charset=utf-8", error.sentence.encode())
                return
            if content is None:
                self._send(404, "text/plain; charset=utf-8", b"There is no such page here, or nothing yet.")
            else:
                self._send(200, *content)

        def _content(self) -> tuple[str, bytes] | None:
            path = self.path.partition("?")[0]
            if path == "/":
                return "text/html; charset=utf-8", PAGE.read_bytes()
            if path == "/now.json":
                return "application/json", json.dumps(watched.now(), allow_nan=False).encode()
            picture = watched.picture() if path == "/picture.png" else None
            return None if picture is None else ("image/png", picture)

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            return

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Answers)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadInput(
            f"--port {port} cannot be used: {why}; give another one, or 0 for any free port."
        ) from None
