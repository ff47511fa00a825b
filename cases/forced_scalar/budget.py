#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The budget of the passive scalar: means over the second half of a run.

    subcurrent run forced_scalar -n 2
    python cases/forced_scalar/budget.py runs/forced_scalar

Prints a markdown table. P / χ: production over dissipation. Change: that of the variance over the integral of
the dissipation, which P / χ - 1 must be. Ratio: (E / ε) / (⟨θ²⟩ / χ), the mechanical time scale over that of
the scalar. Correlation: -⟨u_G θ⟩ / (u' θ'), with the velocity u_G along the gradient and u' = √(2 E / 3).
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_columns
from subcurrent.report.markdown import print_table

HEADING = ("points", "t", "R_λ", "k_max η", "⟨θ²⟩", "P", "χ", "P / χ", "change", "ratio", "correlation")


def measured(folder: Path) -> dict:
    """The second half of a run."""
    case = tomllib.loads((folder / "case.toml").read_text())
    history = read_columns(folder / "history.csv")
    late = history["time"] >= history["time"][-1] / 2 * (1 - 1e-9)
    h = {name: values[late] for name, values in history.items()}
    mean = {name: float(values.mean()) for name, values in h.items()}
    gradient = float(np.linalg.norm(case["scalar"]["gradient"]))
    correlation = h["scalar_production"] / (
        2 * gradient * np.sqrt(2 / 3 * h["energy"] * h["scalar_variance"])
    )
    lost = np.sum(0.5 * (h["scalar_dissipation"][1:] + h["scalar_dissipation"][:-1]) * np.diff(h["time"]))
    return {
        "points": case["grid"]["points"][0],
        "from": h["time"][0],
        "to": h["time"][-1],
        "mean": mean,
        "balance": mean["scalar_production"] / mean["scalar_dissipation"],
        "change": float((h["scalar_variance"][-1] - h["scalar_variance"][0]) / lost),
        "correlation": float(correlation.mean()),
    }


def row(found: dict) -> tuple[str, ...]:
    mean = found["mean"]
    return (
        f"{found['points']}³",
        f"{found['from']:.3g} to {found['to']:.3g}",
        f"{mean['taylor_reynolds']:.1f}",
        f"{mean['kmax_eta']:.2f}",
        f"{mean['scalar_variance']:.3f}",
        f"{mean['scalar_production']:.3f}",
        f"{mean['scalar_dissipation']:.3f}",
        f"{found['balance']:.3f}",
        f"{found['change']:.3f}",
        f"{mean['scalar_time_ratio']:.2f}",
        f"{found['correlation']:.2f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    print_table(HEADING, [row(measured(folder)) for folder in parser.parse_args().folders])


if __name__ == "__main__":
    main()
