# SPDX-License-Identifier: Apache-2.0
"""Reference of the command line: what `subcurrent … --help` prints, of every verb."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from . import ROOT

INTRODUCTION = """\
# The command line

For users who run cases: every verb of the program `subcurrent` with its options, as `--help` prints them.
"""
# As wide as the longest line of the help texts; the program looks at the width when it is loaded.
PLAIN = {"TERMINAL_WIDTH": "108", "COLUMNS": "108", "TERM": "dumb", "NO_COLOR": "1"}


def page() -> str:
    ask = "import json; from handbook import program; print(json.dumps(program.help_texts()))"
    done = subprocess.run(
        [sys.executable, "-c", ask],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT / "tools",
        env={**os.environ, **PLAIN},
    )
    parts = [INTRODUCTION]
    for verb, (summary, text) in json.loads(done.stdout).items():
        parts += [f"## {verb}\n", summary + "\n"] if verb else []
        parts.append(_block(text))
    return "\n".join(parts)


def help_texts() -> dict[str, tuple[str, str]]:
    """Of every verb, and of the program itself under "": the first line and the whole text."""
    import typer.testing  # noqa: PLC0415 - only in the process whose width is set

    from subcurrent.cli.main import app  # noqa: PLC0415

    verbs = typer.main.get_command(app).commands
    found = {}
    for verb in ("", *verbs):
        words = [verb, "--help"] if verb else ["--help"]
        done = typer.testing.CliRunner().invoke(app, words, prog_name="subcurrent", catch_exceptions=False)
        summary = verbs[verb].help.strip().split("\n")[0] if verb else ""
        found[verb] = (summary, done.output)
    return found


def _block(text: str) -> str:
    """In a block of code, with one empty line at most between two others."""
    lines = [line.rstrip() for line in text.strip().split("\n")]
    kept = [line for number, line in enumerate(lines) if line or lines[number - 1]]
    return "```text\n" + "\n".join(kept) + "\n```\n"
