# SPDX-License-Identifier: Apache-2.0
"""Published scaling tables of other codes beside their predictions, drawn."""

from __future__ import annotations

from pathlib import Path

from subcurrent.foresight.machines import load_machine
from subcurrent.report.plots import style

from .other_codes import CODES, by_size, named, shipped


def other_codes_picture(scratch: Path) -> Path:
    path = scratch / "figure.png"
    note = "crosses: published; lines: predicted from the first cross of each panel"
    with style.figure(
        path, 9.5, 7.2, "Other codes, calibrated on one row each: seconds over ranks", note
    ) as drawing:
        panels = drawing.subplots(2, 2).flat
        colours = (style.GREEN, style.ORANGE, style.BLUE)
        for number, (code, axes) in enumerate(zip(CODES, panels, strict=True)):
            for (n, those), colour in zip(by_size(shipped(number)).items(), colours, strict=False):
                ranks = [one.row.ranks for one in those]
                axes.plot(
                    ranks,
                    [one.predicted for one in those],
                    "-",
                    color=colour,
                    label=named(code, n).rpartition(" ")[2],
                )
                axes.plot(ranks, [one.row.seconds for one in those], "x", color=colour, markersize=7)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_title(f"{code.name}, {load_machine(code.machine).name}", fontsize=9)
            axes.legend()
        for n, axes in enumerate(drawing.axes):
            axes.set(xlabel="ranks" if n > 1 else "", ylabel="seconds" if n % 2 == 0 else "")
    return path
