# SPDX-License-Identifier: Apache-2.0
"""The residual of a solve, or residual and zeta of the benchmark, over the iterations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...report.plots import style


def draw_residuals(path: Path, history: list[dict[str, float]], summary: dict[str, Any]) -> None:
    columns = {name: np.array([row[name] for row in history]) for name in history[0]}
    benchmark = summary["kind"] == "benchmark"
    title = f"NAS CG, class {summary['class']['name']}" if benchmark else "Conjugate gradients"
    with style.figure(path, 10.5 if benchmark else 7.0, 4.2, title) as drawing:
        panels = np.atleast_1d(drawing.subplots(1, 2 if benchmark else 1))
        positive = columns["residual"] > 0
        panels[0].semilogy(columns["iteration"][positive], columns["residual"][positive], color=style.BLUE)
        label = "‖x − A z‖" if benchmark else "‖r‖ / ‖b‖"
        panels[0].set(title="Residual", xlabel="iteration", ylabel=label)
        if benchmark:
            reference = summary["class"]["zeta"]
            apart = np.abs(columns["zeta"] - reference) / reference
            panels[1].semilogy(columns["iteration"], np.maximum(apart, 1e-17), color=style.VIOLET)
            panels[1].axhline(1e-10, color=style.ORANGE, linestyle="--", linewidth=1.4)
            panels[1].set(
                title="ζ: distance from the reference", xlabel="iteration", ylabel="|ζ − ζ_ref| / ζ_ref"
            )
        else:
            panels[0].axhline(summary["options"]["tol"], color=style.ORANGE, linestyle="--", linewidth=1.4)
