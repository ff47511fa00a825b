# SPDX-License-Identifier: Apache-2.0
"""What the scripts here share: options, with `--trial` in all, and how a part that cannot run is left out."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

SKIPPED = 77  # the exit code of a script that left a part out, having said why

TRIAL = "the least sizes that go through every line: the figures mean nothing"


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser that shows the script's own text and knows `--trial`."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--trial", action="store_true", help=TRIAL)
    return made


def parse(made: argparse.ArgumentParser, trial: Mapping[str, object]) -> argparse.Namespace:
    """The options; with `--trial` those named here take these values, whatever else is asked for."""
    options = made.parse_args()
    unknown = set(trial) - set(vars(options))
    assert not unknown, f"--trial sets options that there are not: {unknown}"
    if options.trial:
        vars(options).update(trial)
    return options


def left_out(what: str, why: str) -> int:
    """Says so, and returns the exit code for it."""
    print(f"{what} is left out: {why}", file=sys.stderr, flush=True)
    return SKIPPED


REFUSED = 2  # the exit code of `subcurrent` where this machine or its user cannot do what is asked


def not_done(what: str, code: int, why: str) -> int:
    """The exit code of a script a part of which a command of ours did not do: a refusal leaves it out."""
    if code == REFUSED:
        return left_out(what, why)
    print(f"{what} failed with exit code {code}: {why}", file=sys.stderr, flush=True)
    return 1


def printed(command: list[str], enter: Callable[[], None] | None = None, folder: Path | None = None) -> str:
    """What a program prints, in a process that calls `enter` first; ends the script if it fails."""
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        env=as_root(),
        preexec_fn=enter,
    )
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{Path(command[0]).name} ended with {done.returncode}")
    return done.stdout


def result(name: str, figure: float, goal: str) -> None:
    """The line that bench/run.py collects."""
    print(f"result: {name}: {figure:.4g} ({goal})", flush=True)


def results_in(said: str) -> list[str]:
    """The lines of results in what a program printed."""
    return re.findall(r"^result: .*$", said, re.MULTILINE)


def show(results: list[str], where: str) -> None:
    """The lines of results, with where they were measured."""
    for line in results:
        print(re.sub(r": (\S+ \([^()]*\))$", rf" ({where}): \1", line), flush=True)


def as_root(**more: str) -> dict[str, str]:
    """The environment for an mpirun that root may start."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **allowed, **more}
