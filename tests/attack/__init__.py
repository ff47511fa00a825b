# SPDX-License-Identifier: Apache-2.0
"""Attacks on the program: `make attack`, or `python -m tests.attack [--budget SHARE] [PART …]`.

A part is a module here with `run(budget) -> dict[str, int]`: a budget of 1 is the whole, 0.05 a twentieth of
it; what it returns are counts by name. Those named in FAULTS must be 0.
"""

PARTS = ("inputs", "damage", "kills", "limits")
FAULTS = ("hangs", "tracebacks", "wrong exits", "lost files", "other bits")
