#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What differences of fourth order gain: scheme.divergence = "second" and "fourth" on several grids, and
"second" on a grid as much finer as the time of "fourth" pays for in space.

    python cases/nickel_small/divergence.py [--refine 1 2] [--seconds]

A plane front at 217 K of undercooling against the travelling wave, with the time step of nickel_small. Then
the tips of two-dimensional crystals without noise, along the axes and rotated by 45 degrees, as in
direction.py: the mean speed between 8 and 14 ns, and how much slower the rotated crystal's are. Prints a
markdown table. --seconds adds the time of the crystal along the axes, for a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
from direction import grown

import subcurrent as sc
from subcurrent.report.markdown import print_table

WAVE = 138.86  # m/s, of the travelling wave at 217 K: tests/oracle/travelling_wave.hpp
WIDTH = 0.08  # micrometres, delta
FINER = 1.12  # its fifth power, the cost of a run in space, is the 1.75 times of a step of fourth order
HEADING = (
    *("divergence", "cells to the width δ", "plane front", "tip speed at 0°, m/s", "at 45°", "change"),
    "seconds",
)


def front_error(divergence: str, refine: float) -> float:
    """Of the speed of a plane front without latent heat, over 2 widths after the first 9."""
    spacing = WIDTH / 4 / refine
    cells = round(128 * refine)
    step = 0.9 * (1e-6 * spacing) ** 2 / (6 * 1.55e-5)  # that of nickel_small
    sim = sc.Dendrite(
        (cells, 1, 1),
        spacing=spacing,
        precision="double",
        dt=step,
        material={"anisotropy": 0.0, "noise": 0.0, "heat_capacity": 1e40, "diffusivity": 1e-12},
        seeds=[{"centre": [0.0, 0.0, 0.0], "radius": cells * spacing / 2}],
        scheme={"divergence": divergence},
    )

    def advanced(widths: float) -> tuple[float, float]:
        aim = sim.phase.sum() * spacing + widths * WIDTH
        while sim.phase.sum() * spacing < aim:
            sim.run(steps=20)
        return sim.phase.sum() * spacing * 1e-6, sim.time

    (near, early), (far, late) = advanced(9), advanced(2)
    return (far - near) / (late - early) / WAVE - 1


def rows(refinements: list[float]) -> Iterator[tuple[str, ...]]:
    """The last cell has the seconds of the crystal along the axes."""
    for given in refinements:
        for divergence, refine in (("second", given), ("fourth", given), ("second", FINER * given)):
            speeds, seconds = [], []
            for angle in (0, 45):
                begin = time.perf_counter()
                speeds.append(np.mean(grown(refine, angle, 8e-9, 14e-9, divergence)[1]))
                seconds.append(time.perf_counter() - begin)
            yield (
                divergence,
                f"{4 * refine:g}",
                f"{100 * front_error(divergence, refine):+.1f} %",
                *(f"{speed:.1f}" for speed in speeds),
                f"{100 * (speeds[1] / speeds[0] - 1):+.1f} %",
                f"{seconds[0]:.1f}",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refine", type=float, nargs="+", default=[1])
    parser.add_argument("--seconds", action="store_true")
    arguments = parser.parse_args()
    columns = len(HEADING) if arguments.seconds else len(HEADING) - 1
    print_table(HEADING[:columns], (cells[:columns] for cells in rows(arguments.refine)))


if __name__ == "__main__":
    main()
