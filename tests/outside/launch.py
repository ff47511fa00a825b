# SPDX-License-Identifier: Apache-2.0
"""Starts a program under the launcher that CMake found; what the checks beside this file share."""

import subprocess
import sys


def launch(ranks: int, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs sys.argv[2] on `ranks` ranks; sys.argv[1] is the launcher's command line."""
    command = [*sys.argv[1].replace("{ranks}", str(ranks)).split(), sys.argv[2], *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def expect(condition: bool, what: object) -> None:
    if not condition:
        sys.exit(f"not as expected: {what}")
