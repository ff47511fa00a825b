# SPDX-License-Identifier: Apache-2.0
"""A checked program ends with one sentence that says which stage touches which field where, and code 2."""

import re

from launch import expect, launch

CELL = r"from the cell \[\d+, \d+, \d+\] that it computes; it declares"


def reads(offset: str, declared: str) -> str:
    return rf'"diffuse" reads field "u" at the offset \({offset}\) {CELL} {declared}'


def touches(field: str, offset: str) -> str:
    return rf'touches field "{field}" at the offset \({offset}\) {CELL} its own cell only'


DEEP = r'z_(low|high) reads field "u" 6 cells from the face.*without a larger `inward` it may read 4'
STOPPED = {
    "far": reads("0, 0, 2", r"star\(1\)"),
    "diagonal": reads("1, 0, 1", r"star\(2\)"),
    "diagonal far": reads("2, 1, 0", r"star\(2\) \| box\(1\)"),
    "point": reads("-1, 0, 0", "point"),
    "write": touches("out", "0, 0, 1"),
    "update": touches("u", "0, 0, -1"),
    "colours write": r'"relax" writes field "u" at the offset \(0, 1, 0\)',
    "component": r'takes component 4 of field "v", which has 3',
    "grandchildren": rf'reads field "u" at its cell \[.*\] {CELL} box\(1\) of a grid 2 times finer',
    "grandparents": rf'reads field "coarse" at its cell \[.*\] {CELL} box\(1\) of a grid 2 times coarser',
    "flux far": reads("2, 0, 0", r"star\(1\)"),
    "unread": r"at the offset \(0, 0, -1\).* beyond the face z_low, of which the field says Beyond::unread",
    "lines far": r'"u" at cell 9 of line \d+; its bundle has the cells -1 to 8 of \d+ lines',
    "column far": r'of z_low touches field "u" at the offset \(2, 0, 1\).*1 tangential layers',
    "column write": r'of z_low writes field "u" at the offset \(1, 0, 0\)',
    "column deep": DEEP,
    "pass far": reads("0, 0, 2", r"star\(1\)"),
    "pass in files far": reads("0, 0, -2", r"star\(1\)"),
    "pass column deep": DEEP,
    "device": r'reads field "there" at the offset \(2, 0, 0\)',
}
RIGHT = ["declared", "declared far", "declared diagonal", "looks away", "colours", "children", "parents"]
RIGHT += ["flux", "lines", "column", "column deep declared", "colours beside"]
RIGHT += ["pass", "pass in files", "pass column deep declared"]
# Behind their views' backs: a kernel reads halo that nobody has filled, or leaves cells that it writes.
POISONED = ["raw", "leaves", "pass raw", "pass leaves", "pass in files leaves"]

for name, sentence in STOPPED.items():
    # Two ranks where their number could matter to who says it; each start takes its time.
    run = launch(2 if name in ("far", "colours write") else 1, name)
    said = [line for line in run.stderr.splitlines() if line.startswith("subcurrent: ")]
    expect(run.returncode == 2, (name, run.returncode, run.stdout, run.stderr))
    expect(len(set(said)) >= 1 and all(re.search(sentence, line) for line in said), (name, run.stderr))
    expect(name in ("far", "colours write") or len(said) == 1, (name, run.stderr))
    expect("came through" not in run.stdout, (name, run.stdout))
run = launch(2, *RIGHT)
expect(run.returncode == 0, (run.returncode, run.stdout, run.stderr))
expect(run.stdout.count("came through") == 2 * len(RIGHT), (run.stdout, run.stderr))
run = launch(2, *POISONED)
expect(run.returncode == 0, (run.returncode, run.stdout, run.stderr))
expect(run.stdout.count("found poison") == 2 * len(POISONED), (run.stdout, run.stderr))
