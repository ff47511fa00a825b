# SPDX-License-Identifier: Apache-2.0
"""What the scripts here share: options, with `--trial` in all, how programs are run, and how a part that
cannot run is left out."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from subcurrent.case.reading import set_words
from subcurrent.launch.mpi import ROOT_MAY

ROOT = Path(__file__).resolve().parents[1]
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


def built(name: str) -> Path:
    """A program of this folder; ends the script if it is not there."""
    program = ROOT / "build" / "release" / "bench" / name
    if not program.exists():
        sys.exit(f"{program} is not built: make bootstrap")
    return program


def left_out(what: str, why: str) -> int:
    """Says so, and returns the exit code for it."""
    print(f"{what} is left out: {why}", file=sys.stderr, flush=True)
    return SKIPPED


REFUSED = 2  # the exit code of `subcurrent` where this machine or its user cannot do what is asked


def not_done(what: str, error: NotDoneError) -> int:
    """The exit code of a script a part of which a command of ours did not do: a refusal leaves it out."""
    if error.code == REFUSED:
        return left_out(what, str(error))
    print(f"{what} failed with exit code {error.code}: {error}", file=sys.stderr, flush=True)
    return 1


class NotDoneError(Exception):
    """A program has failed, having said something or nothing."""

    def __init__(self, program: object, code: int, said: str) -> None:
        self.code, self.said = code, said.strip() or f"{Path(str(program)).name} ended with {code}"
        super().__init__(self.said.splitlines()[-1])


def ran(
    command: list,
    *,
    enter: Callable[[], None] | None = None,
    folder: Path | None = None,
    seconds: float | None = 600,
    **environment: str,
) -> str:
    """What a program prints, in a process that calls `enter` first."""
    try:
        done = subprocess.run(
            list(map(str, command)),
            check=False,
            capture_output=True,
            text=True,
            timeout=seconds,
            cwd=folder,
            env=as_root(**environment),
            preexec_fn=enter,
        )
    except subprocess.TimeoutExpired:
        raise NotDoneError(command[0], 1, f"not done within {seconds:.0f} s") from None
    if done.returncode != 0:
        raise NotDoneError(command[0], done.returncode, done.stderr.strip() or done.stdout)
    return done.stdout


def printed(command: list, **how: Any) -> str:
    """The same; ends the script if the program fails."""
    try:
        return ran(command, **how)
    except NotDoneError as error:
        sys.exit(error.said)


def subcurrent(
    *words: object,
    sets: Iterable[str] = (),
    under: list = (),
    seconds: float | None = None,
    **environment: str,
) -> str:
    """What a command of ours prints that is started by `under`; `sets` are given by --set."""
    line = [*under, sys.executable, "-m", "subcurrent", *words, *set_words(sets)]
    return ran(line, seconds=seconds, folder=ROOT, **environment)


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
    return {**os.environ, **ROOT_MAY, **more}
