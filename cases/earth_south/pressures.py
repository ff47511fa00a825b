#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the pressure is low, and why: the nodes of a run's last snapshot by their pressure.

    python cases/earth_south/tail.py --time 6000 --set limits.pressure=1e-10 --out runs/earth_south_low
    python cases/earth_south/pressures.py runs/earth_south_low

Prints a markdown table. Density and p / rho^gamma are medians over those of the wind: plasma that expands
without heat keeps p / rho^gamma, so that a value far below 1 is not an expansion of the wind but an error of
the scheme. x: between which values, in radii, four fifths of the nodes lie. Before the shock: the share of
them that lie upstream, by three nodes at most, of plasma with 1.5 times the wind's density.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np

from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import read_plasma

BOUNDS = (1e-9, 3e-9, 1e-8, 3e-8)
HEADING = ("pressure", "nodes", "density / wind", "p / ρ^γ / wind", "β", "x", "before the shock")


def before_compression(rho: np.ndarray) -> np.ndarray:
    compressed = rho > 1.5 * rho[0, 0, 0]
    ahead = np.zeros_like(compressed)
    for nodes in (1, 2, 3):
        ahead[..., :-nodes] |= compressed[..., nodes:]
    return ahead & ~compressed


def rows(folder: Path) -> list[tuple[str, ...]]:
    case = tomllib.loads((folder / "case.toml").read_text())
    state = read_plasma(max((folder / "snapshots").glob("*.vtkhdf")))
    rho, p, floor = state.density, state.pressure, case["limits"]["pressure"]
    entropy = p / rho ** case["plasma"]["gamma"]
    beta = 2 * p / np.maximum((state.magnetic**2).sum(axis=0), np.finfo(float).tiny)
    x = np.broadcast_to(state.axis(0), p.shape)
    ahead = before_compression(rho)
    lowest = floor * (1 + 1e-6)
    kinds = [("at the floor", p <= lowest)]
    bounds = [bound for bound in BOUNDS if bound > lowest]
    for low, high in zip((lowest, *bounds), (*bounds, np.inf), strict=True):
        text = f"{low:.0e} to {high:.0e}" if np.isfinite(high) else f"above {low:.0e}"
        kinds.append((text, (p > low) & (p <= high)))
    return [
        (
            text,
            f"{100 * here.mean():.2f} %",
            f"{np.median(rho[here]) / rho[0, 0, 0]:.2f}",
            f"{np.median(entropy[here]) / entropy[0, 0, 0]:.2g}",
            f"{np.median(beta[here]):.2g}",
            "{:.0f} to {:.0f}".format(*np.percentile(x[here], (10, 90))),
            f"{100 * ahead[here].mean():.0f} %",
        )
        for text, here in kinds
        if here.any()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    print_table(HEADING, rows(parser.parse_args().folder))


if __name__ == "__main__":
    main()
