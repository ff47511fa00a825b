# SPDX-License-Identifier: Apache-2.0
"""`subcurrent watch`: shows a run of another process, in the terminal or as a web page."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ..launch.rundir import RunFolder
from ..lines import progress

EVERY = 2.0  # seconds between two looks


def watch(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="a run folder")],
    *,
    page: Annotated[bool, typer.Option("--page", help="serve a live web page instead")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="port of the page; 0: any free port")] = 0,
) -> None:
    """Watch a run from its folder: print its progress and measurements, or serve a live page with pictures.

    Lines come as the history grows (output.history_every) until the run ends. The page is for this machine
    only; from another one: ssh -L 8000:localhost:8000.

    [bold]Examples[/bold]

    \b
      subcurrent watch runs/nickel_small
      subcurrent watch runs/nickel_small --page --port 8000
    """
    from ..report.live import Watched, server  # noqa: PLC0415 - matplotlib

    folder = RunFolder(run)
    watched = Watched(folder)
    watched.now()  # refuses what is no run folder
    if page:
        with server(folder, port) as serving:
            print(f"http://127.0.0.1:{serving.server_address[1]}/ (Ctrl-C ends it)", flush=True)
            try:
                serving.serve_forever()
            except KeyboardInterrupt:
                return
    said = None
    while True:
        now = watched.now()
        if now["facts"] != said:
            said = now["facts"]
            facts = "  ".join(said)
            print(facts if now["share"] is None else progress(now["share"], facts), flush=True)
        if now["state"] != "running":
            print(now["state"], flush=True)
            return
        time.sleep(EVERY)


def add(app: typer.Typer) -> None:
    app.command()(watch)
