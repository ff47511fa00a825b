# SPDX-License-Identifier: Apache-2.0
"""The compressible solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import json
import math
from typing import Any

from ...launch.memory import Fields
from ...lines import number
from ..box import BoxKind
from ..kind import csv_of, last_texts
from .case import EXACT

SLOT = 24  # arrays, a component each, that are near at a time: state, slopes and what files show


class CompressibleKind(BoxKind):
    compiled = "Compressible"
    history = (
        "step", "time", "dt", "courant", "mass", "momentum_x", "momentum_y", "momentum_z",
        "total_energy", "energy", "solenoidal", "dilatational", "dissipation", "pressure_work",
        "friction", "filtered", "enstrophy", "mach", "dilatation", "dilatation_skewness",
        "largest_dilatation", "skewness", "taylor_reynolds", "kolmogorov", "kmax_eta", "density_low",
        "density_high", "pressure_low", "pressure_high",
    )  # fmt: skip

    def fields(self, case: Any) -> list[Fields]:
        """`Fields` and `ShownFields` of solvers/compressible/sweeps.hpp; a component, its modes and the
        pencils of its spectrum, and what is kept of every mode."""
        nx, ny, nz = case.grid.points
        cells, halo, size = (nx, ny, nz), 4, case.number_size()
        fields = [Fields(name, cells, halo, size, components, count) for name, components, count in GAS]
        if case.scheme.filter:
            fields.append(Fields("filtered", cells, halo, size, 5))
        modes = (nx // 2 + 1, ny, nz)
        if case.storage.place == "files":  # near: slots of the ring, sums of lines along z, surfaces
            arrays = sum(field.components * field.count for field in fields)
            slab = (nx, ny, math.ceil(nz / 8 / (case.storage.pieces or 8)) * 8 + 2 * halo)
            deep = 4 * halo  # own cells and halo, on both sides of an axis
            fields = [Fields("slots", slab, halo, size, SLOT, 3), Fields("sums", (nx, ny, nz // 8), 0, 8, 12)]
            fields.append(Fields("surfaces", (nx, ny, deep), halo, size, arrays))
        fields += [Fields("a component", cells, halo, size), Fields("on pencils", cells, 0, size)]
        fields += [Fields(name, modes, 0, 2 * size) for name in ("modes", "pencils")]
        return [*fields, Fields("kept of a mode", modes, 0, 8, 3)]

    def scales(self, record: dict[str, Any]) -> list[str]:
        return [
            f"Mach {number(record['mach'], '.3f')}",
            f"dilatation {number(record['dilatation'], '.3g')}",
        ]

    def spectrum(self, solver: Any) -> str:
        """The columns time,k,E,solenoidal,dilatational."""
        found = solver.spectrum()
        parts = {name: found[name] for name in ("solenoidal", "dilatational")}
        energies = [sum(both) for both in zip(*parts.values(), strict=True)]
        shells = len(energies)
        return csv_of({"time": [solver.time] * shells, "k": range(shells), "E": energies, **parts})

    def begun(self, solver: Any, case: Any) -> dict[str, Any]:
        return dict(solver.measure())

    def results(self, solver: Any, case: Any) -> dict[str, str]:
        texts = super().results(solver, case)
        if case.flow.initial in EXACT and case.viscosity() == 0:
            texts["wave.json"] = json.dumps({"error": solver.error(), "time": solver.time}) + "\n"
        return texts

    def summary(self, case: Any, found: dict[str, Any]) -> dict[str, Any]:
        return {"viscosity": case.viscosity(), "precision": case.scheme.precision}

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        resolution = (summary.get("last_step") or {}).get("kmax_eta")
        if resolution is None or resolution >= 1.5:
            return []
        return [f"k_max eta = {resolution:.2f} at the end: the dissipation is not resolved, take more points"]

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        text, start = last_texts(summary), summary.get("at_start") or {}

        def change(name: str) -> str | None:
            return text(name, lambda last: f"{last / start[name] - 1:+.2e}") if start.get(name) else None

        return [
            ("viscosity", f"{summary['viscosity']:.6g}" if summary["viscosity"] else "none"),
            ("precision", summary.get("precision")),
            ("kinetic energy", text("energy", ".5g")),
            ("dissipation, solenoidal", text("solenoidal", ".5g")),
            ("dissipation, dilatational", text("dilatational", ".5g")),
            ("turbulent Mach number", text("mach", ".4f")),
            ("dilatation, root of the mean square", text("dilatation", ".4g")),
            ("skewness of the dilatation", text("dilatation_skewness", ".3f")),
            ("skewness of du/dx", text("skewness", ".3f")),
            ("Taylor Reynolds number", text("taylor_reynolds", ".1f")),
            ("k_max η", text("kmax_eta", ".2f")),
            ("change of mass", change("mass")),
            ("change of total energy", change("total_energy")),
        ]

    def title(self, case: Any) -> str:
        names = {
            "uniform": "Uniform flow",
            "taylor_green": "Taylor–Green vortex",
            "random": "Compressible turbulence",
            "vortex": "Isentropic vortex",
            "acoustic": "Sound wave",
            "entropy": "Entropy wave",
            "vorticity": "Vorticity wave",
        }
        viscosity = case.viscosity()
        of_gas = f"ν = {viscosity:.4g}" if viscosity else "inviscid"
        return f"{names[case.flow.initial]}, M = {case.flow.mach:g}, {of_gas}, {self.points(case)} points"


# name, components, count
GAS = (
    ("conserved, total, rate", 5, 3),
    ("state", 6, 1),
    ("slopes", 3, 3),
    ("density, pressure, dilatation", 1, 3),
    ("velocity, vorticity", 3, 2),
)


KIND = CompressibleKind()
