# SPDX-License-Identifier: Apache-2.0
"""The heat example: the heat of the ball stays, and every number of ranks prints the same digits."""

import re

from launch import expect, launch

CELLS = 24


def heat(ranks: int, steps: int) -> str:
    run = launch(ranks, str(CELLS), str(steps))
    expect(run.returncode == 0, run.stderr)
    found = re.search(rf"^heat after {steps} steps: (\S+)$", run.stdout, re.MULTILINE)
    expect(found is not None, run.stdout)
    return found[1]


ball = sum(
    (x - CELLS // 2) ** 2 + (y - CELLS // 2) ** 2 + (z - CELLS // 2) ** 2 < CELLS * CELLS / 16
    for x in range(CELLS)
    for y in range(CELLS)
    for z in range(CELLS)
)
expect(float(heat(2, 0)) == ball, "every warm cell counts once")
spread = {ranks: heat(ranks, 40) for ranks in (1, 2, 3)}
expect(len(set(spread.values())) == 1, spread)
expect(abs(float(spread[1]) - ball) < 1e-11 * ball, (spread, ball))
