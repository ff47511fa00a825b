# SPDX-License-Identifier: Apache-2.0
"""Entry point of the program `subcurrent`; if its parts cannot be loaded, it prints one sentence."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from .main import main as run  # noqa: PLC0415 - what can go wrong here is the point
    except KeyboardInterrupt:
        text = "interrupted."
    except (ImportError, MemoryError, OSError) as error:  # e.g. limits on memory or open files
        text = f"the program cannot be loaded: {str(error) or 'there is not enough memory'}."
    else:
        run()
        return
    print(f"subcurrent: {text}", file=sys.stderr)
    sys.exit(1)
