# SPDX-License-Identifier: Apache-2.0
"""The turbulence solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import math
from typing import Any

from ...launch.memory import Fields
from ...lines import number
from ..box import BoxKind
from ..kind import csv_of, last_texts

SCALAR = ("variance", "dissipation", "production", "time_ratio", "kmax_eta")
MEASURED = ("energy", "dissipation", "enstrophy", "skewness", "taylor_reynolds", "kolmogorov", "kmax_eta")


class TurbulenceKind(BoxKind):
    compiled = "Turbulence"
    history = ("step", "time", "dt", *MEASURED, "divergence")

    def history_of(self, case: Any) -> tuple[str, ...]:
        return (
            self.history if case.scalar is None else (*self.history, *(f"scalar_{name}" for name in SCALAR))
        )

    def fields(self, case: Any) -> list[Fields]:
        """The modes and what a step keeps beside them (solver.hpp, store.hpp), the planes that meet at the
        points (options.hpp), a transform's pencils, and the fields that files show."""
        nx, ny, nz = case.grid.points
        size = case.number_size()
        kx, ky, kz = case.kept_modes()
        modes, points = (kx, ky, kz), (nx, ny, nz)
        planes = (kx, ky, nz)
        on_disk = case.storage.place == "files"
        beside = 3 if case.scheme.dealiasing == "phase_shift" else 2
        count = 3 if case.scalar is None else 4
        arrays = 6 if case.scalar is None else 7 if case.scheme.form == "rotational" else 9
        fields = [Fields("modes", modes, 0, 2 * size, count), Fields("work", modes, 0, 2 * size, count + 1)]
        fields += [Fields("pencils", (kx, ny, nz), 0, 2 * size)]
        fields += [Fields(name, points, 0, size, 3) for name in ("velocity", "vorticity")]
        if case.scalar is not None:
            fields.append(Fields("scalar", points, 0, size))
        if not on_disk:
            fields.append(Fields("fields beside the modes", modes, 0, 2 * size, count, beside))
        return [*fields, Fields("planes", planes, 0, 2 * size, count=2 if on_disk else arrays)]

    def fields_on(self, case: Any, ranks: int) -> list[Fields]:
        """Pencils along y and z, and the lines of a pipeline."""
        _, ny, nz = case.grid.points
        size = case.number_size()
        kx, ky, _ = case.kept_modes()
        _, py, pz = case.split_over(ranks)
        fields = [Fields("pencils along y", (kx, ny, nz), 0, 2 * size)] if py > 1 else []
        if pz > 1:
            fields.append(Fields("pencils along z", (kx, ky, nz), 0, 2 * size))
        if (arrays := case.pipeline_arrays()) and ranks > 1 and py == 1:
            fields.append(Fields("lines of the planes", (kx, ky, nz), 0, 2 * size, count=arrays))
        return fields

    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        solver = super().make(module, context, options)
        start(solver, options)
        return solver

    def notes(self, solver: Any) -> list[str]:
        ranks = math.prod(solver.split)
        travels = [f"modes are transposed between {ranks} ranks"] if ranks > 1 else []
        return travels + super().notes(solver)

    def scales(self, record: dict[str, Any]) -> list[str]:
        scales = [
            f"Re_lambda {number(record['taylor_reynolds'], '.1f')}",
            f"k_max eta {number(record['kmax_eta'], '.2f')}",
        ]
        if "scalar_variance" in record:
            scales.append(f"scalar variance {number(record['scalar_variance'], '.4g')}")
        return scales

    def spectrum(self, solver: Any) -> str:
        """The columns time,k,E, and `scalar`, the spectrum of one."""
        energies = solver.spectrum()
        columns = {"time": [solver.time] * len(energies), "k": range(len(energies)), "E": energies}
        if solver.has_scalar:
            columns["scalar"] = solver.scalar_spectrum()
        return csv_of(columns)

    def summary(self, case: Any, found: dict[str, Any]) -> dict[str, Any]:
        return {
            "viscosity": case.viscosity(),
            **({} if case.scalar is None else {"diffusivity": case.diffusivity()}),
            "largest_mode": case.kept(),
            "precision": case.scheme.precision,
        }

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        last = summary.get("last_step") or {}
        return [
            f"{scale} = {last[name]:.2f} at the end: the dissipation{of} is not resolved, take more points"
            for name, scale, of in (
                ("kmax_eta", "k_max eta", ""),
                ("scalar_kmax_eta", "k_max times the smallest scale of the scalar", " of the scalar"),
            )
            if last.get(name) is not None and last[name] < 1
        ]

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        text = last_texts(summary)
        return [
            ("viscosity", f"{summary['viscosity']:.6g}"),
            ("precision", summary.get("precision")),
            ("energy", text("energy", ".5g")),
            ("dissipation", text("dissipation", ".5g")),
            ("skewness of du/dx", text("skewness", ".3f")),
            ("Taylor Reynolds number", text("taylor_reynolds", ".1f")),
            ("k_max η", text("kmax_eta", ".2f")),
            *(
                [("diffusivity of the scalar", f"{summary['diffusivity']:.6g}")]
                if "diffusivity" in summary
                else []
            ),
            ("scalar variance", text("scalar_variance", ".5g")),
            ("its dissipation", text("scalar_dissipation", ".5g")),
            ("its production", text("scalar_production", ".5g")),
            ("mechanical-to-scalar time-scale ratio", text("scalar_time_ratio", ".3f")),
        ]

    def title(self, case: Any) -> str:
        name = {"taylor_green": "Taylor–Green vortex", "random": "Random initial condition"}.get(
            case.flow.initial, "Turbulence"
        )
        if case.forcing.kind != "none":
            name = "Forced turbulence"
        if case.scalar is not None:
            name += " with a scalar"
        return f"{name}, ν = {case.viscosity():.4g}, {self.points(case)} points"


def start(solver: Any, options: dict[str, Any]) -> None:
    """The initial condition of a case. Collective."""
    initial, scalar = options["initial"], options["scalar"]
    if initial == "taylor_green":
        solver.start_taylor_green()
    elif initial == "random":
        solver.start_random(options["spectrum"], options["seed"])
    elif initial.endswith(".h5"):
        solver.start_from_checkpoint(initial)
    else:
        solver.start_from_snapshot(initial, scalar.get("initial") == "file")
    if scalar and scalar["initial"] != "file":
        solver.start_scalar(scalar["spectrum"], scalar["seed"])


KIND = TurbulenceKind()
