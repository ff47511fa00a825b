#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the grid does to a tip: crystals in a plane, turned against the axes, at one undercooling.

    python cases/nickel_small/direction.py [--refine 1] [--angles 0 15 30 45]

Without noise all arms of all of them were as long on a fine grid. Prints a markdown table: the mean length
of the four arms after 14 ns, how far they lie apart, and the mean speed of their tips over the last 6 ns,
each as a share of that of the crystal which is not turned. The plane is periodic and two cells thick.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

import subcurrent as sc
from subcurrent.report.markdown import print_table

SIDE = 4.0  # micrometres
HEADING = ("cells to the width δ", "rotation", "arms, µm", "spread", "tip speed, m/s", "change from 0°")
PLANE = ("x+", "x-", "y+", "y-")


def grown(
    refine: float, angle: float, half: float, end: float, divergence: str = "second"
) -> tuple[np.ndarray, np.ndarray]:
    """Lengths at the end in micrometres, speeds since half of the time in m/s, of the arms in the plane."""
    spacing = 0.02 / refine
    cells = round(SIDE / spacing)
    sim = sc.Dendrite(
        (cells, cells, 2),
        spacing=spacing,
        boundaries={"z-": "periodic", "z+": "periodic"},
        material={"noise": 0.0},
        scheme={"divergence": divergence},
        seeds=[{"centre": [SIDE / 2, SIDE / 2, spacing], "radius": 0.2, "angle": angle}],
    )
    sim.run(time=half)
    before, at = np.array(sim.arms()[:4]), sim.time
    sim.run(time=end)
    arms = np.array(sim.arms()[:4])
    return 1e6 * arms, (arms - before) / (sim.time - at)


def rows(refinements: list[int], angles: list[float]) -> Iterator[tuple[str, ...]]:
    for refine in refinements:
        straight = None
        for angle in angles:
            arms, speeds = grown(refine, angle, 8e-9, 14e-9)
            straight = straight or speeds.mean()
            yield (
                f"{4 * refine}",
                f"{angle:g}°",
                f"{arms.mean():.3f}",
                f"{100 * (arms.max() / arms.min() - 1):.1f} %",
                f"{speeds.mean():.1f}",
                f"{100 * (speeds.mean() / straight - 1):+.1f} %",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refine", type=int, nargs="+", default=[1])
    parser.add_argument("--angles", type=float, nargs="+", default=[0, 15, 30, 45])
    arguments = parser.parse_args()
    print_table(HEADING, rows(arguments.refine, arguments.angles))


if __name__ == "__main__":
    main()
