# SPDX-License-Identifier: Apache-2.0
"""The turbulence solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import math
from typing import Any

from ...launch.memory import Fields
from ...lines import number
from ..box import BoxKind
from ..kind import csv_of

MEASURED = ("energy", "dissipation", "enstrophy", "skewness", "taylor_reynolds", "kolmogorov", "kmax_eta")


class TurbulenceKind(BoxKind):
    compiled = "Turbulence"
    history = ("step", "time", "dt", *MEASURED, "divergence")

    def fields(self, case: Any) -> list[Fields]:
        """The velocity's modes and what a step keeps beside them (flow.hpp, store.hpp), the planes that meet
        at the points, a transform's pencils, and the velocity and the vorticity that files show."""
        nx, ny, nz = case.grid.points
        size = 4 if case.scheme.precision == "single" else 8
        kx, ky, kz = case.kept_modes()
        modes, points = (kx, ky, kz), (nx, ny, nz)
        planes = (kx, ky, nz)
        on_disk = case.storage.place == "files"
        beside = 3 if case.scheme.dealiasing == "phase_shift" else 2
        fields = [Fields("velocity modes", modes, 0, 2 * size, 3), Fields("work", modes, 0, 2 * size, 4)]
        fields += [Fields("pencils", (kx, ny, nz), 0, 2 * size)]
        fields += [Fields(name, points, 0, size, 3) for name in ("velocity", "vorticity")]
        if not on_disk:
            fields.append(Fields("fields of modes beside the velocity", modes, 0, 2 * size, 3, beside))
        return [*fields, Fields("planes", planes, 0, 2 * size, count=2 if on_disk else 6)]

    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        solver = super().make(module, context, options)
        start(solver, options)
        return solver

    def notes(self, solver: Any) -> list[str]:
        ranks = math.prod(solver.split)
        travels = [f"modes are transposed between {ranks} ranks"] if ranks > 1 else []
        return travels + solver.plan.splitlines()

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [f"step {record['step']}", f"time {number(record['time'], '.4f')}"]
        if "energy" in record:
            facts.append(f"energy {number(record['energy'], '.5f')}")
            facts.append(f"dissipation {number(record['dissipation'], '.4g')}")
            facts.append(f"Re_lambda {number(record['taylor_reynolds'], '.1f')}")
            facts.append(f"k_max eta {number(record['kmax_eta'], '.2f')}")
        return facts

    def spectrum(self, solver: Any) -> str:
        return spectrum_csv(solver)

    def results(self, solver: Any, case: Any) -> dict[str, str]:
        return {"spectrum.csv": spectrum_csv(solver)}

    def summary(
        self, case: Any, taken: int, totals: dict[str, Any], measured: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "viscosity": case.viscosity(),
            "largest_mode": case.kept(),
            "precision": case.scheme.precision,
        }

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        resolution = (summary.get("last_step") or {}).get("kmax_eta")
        if resolution is None or resolution >= 1:
            return []
        return [f"k_max eta = {resolution:.2f} at the end: the dissipation is not resolved, take more points"]

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        last = summary.get("last_step") or {}

        def text(name: str, form: str) -> str | None:
            return None if last.get(name) is None else format(last[name], form)

        return [
            ("viscosity", f"{summary['viscosity']:.6g}"),
            ("precision", summary.get("precision")),
            ("energy", text("energy", ".5g")),
            ("dissipation", text("dissipation", ".5g")),
            ("skewness of du/dx", text("skewness", ".3f")),
            ("Taylor Reynolds number", text("taylor_reynolds", ".1f")),
            ("k_max η", text("kmax_eta", ".2f")),
        ]

    def title(self, case: Any) -> str:
        name = {"taylor_green": "Taylor–Green vortex", "random": "Random initial condition"}.get(
            case.flow.initial, "Turbulence"
        )
        if case.forcing.kind != "none":
            name = "Forced turbulence"
        return f"{name}, ν = {case.viscosity():.4g}, {self.points(case)} points"


def start(solver: Any, options: dict[str, Any]) -> None:
    """The initial condition of a case. Collective."""
    initial = options["initial"]
    if initial == "taylor_green":
        solver.start_taylor_green()
    elif initial == "random":
        solver.start_random(options["spectrum"], options["seed"])
    elif initial.endswith(".h5"):
        solver.start_from_checkpoint(initial)
    else:
        solver.start_from_snapshot(initial)


def spectrum_csv(solver: Any) -> str:
    """The columns time,k,E of the present flow. Collective."""
    energies = solver.spectrum()
    return csv_of({"time": [solver.time] * len(energies), "k": range(len(energies)), "E": energies})


KIND = TurbulenceKind()
