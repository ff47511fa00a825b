# SPDX-License-Identifier: Apache-2.0
"""The cavity solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import itertools
from typing import Any

from ...case.splits import Halo
from ...launch.memory import Fields
from ...lines import count, number
from ...report.records import csv_text
from ..kind import Kind, on_host
from . import forces
from .checks import STARTS
from .faces import GivenPressure, Inflow


class CavityKind(Kind):
    compiled = "Cavity"
    history = (
        *("step", "time", "dt", "courant"),
        *("iterations", "residual", "max_change", "divergence_rms", "capped"),
    )

    def fields(self, case: Any) -> list[Fields]:
        """`Mesh` and `Flow` (mesh.hpp, sweeps.hpp), the pressure equation's (levels.hpp,
        poisson_stages.hpp), and what rank 0 gathers for the results."""
        cells, halo, size = tuple(case.cells()), case.halos(), case.number_size()
        fields = [Fields("coordinates", cells, halo, 8, 3)]
        fields += [Fields(name, cells, halo, size, components, count) for name, components, count in FLOW]
        fields.append(Fields("coordinates and flow, gathered", cells, 0, 8, 9, whole=True))
        fields.append(Fields("velocity, gathered as it is", cells, 0, size, 3, whole=True))
        if case.flow.initial not in STARTS.names:
            fields.append(Fields("places on a snapshot's grid", cells, 0, 8, 3))
        if "outflow" in case.boundaries.faces().values():
            kept = 1 if case.run.order == 1 else 3  # of the stage and of the step before
            fields.append(Fields("velocity on outflow faces", cells, halo, size, 3, count=kept))
        if case.output.average_from is not None:
            fields += [Fields("averages", cells, halo, 8, components) for components in (3, 1, 6)]
        if case.grid.metrics == "fourth":
            fields.append(Fields("fourth-order metrics", cells, halo, size, 9))
        sheared = case.grid.clustering == "file" or (case.grid.clustering == "skewed" and case.grid.skew > 0)
        couplings = 18 if sheared else 6 if case.boundaries.of(GivenPressure) else 3
        fields += _level("finest", cells, halo, size, couplings)
        if case.pressure.method == "multigrid":
            fields += [
                Fields(name, cells, halo, size) for name in ("direction", "A direction", "A correction")
            ]
            fields += _level("finest of the cycles", cells, halo, size, couplings)
            while max(cells) > 2:
                cells = _coarser(cells, case.grid.size)
                layers = min(case.pressure.sweeps_per_pass, *cells)
                coarse = Halo(layers, 1, halo.periodic)
                fields += _level(f"{cells}", cells, coarse, size, couplings)
        return on_host(fields, case.engine.device)

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        unit = "length / speed" if case.boundaries.open() else "side / lid speed"
        return dict.fromkeys(("time", "dt"), (1, unit))

    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        solver = super().make(module, context, options)
        if options["start"]:
            solver.start_from_snapshot(options["start"])
        return solver

    def series(self, solver: Any, case: Any) -> dict[str, Any]:
        return forces.series(solver, case.output.moments_about) if case.output.forces else {}

    def step(self, solver: Any, case: Any, most: int) -> dict[str, Any]:
        return solver.step()

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [
            f"step {record['step']}",
            f"time {number(record['time'], '.4f')}",
            f"courant {number(record['courant'], '.3f')}",
            f"residual {number(record['residual'], '.1e')} in {record['iterations']} it.",
            f"max |dV/dt| {number(record['max_change'], '.2e')}",
        ]
        if record.get("capped_steps"):
            facts.append(f"{count(record['capped_steps'], 'step')} capped")
        return facts

    def count(self, record: dict[str, Any], totals: dict[str, Any]) -> None:
        totals["all_iterations"] = totals.get("all_iterations", 0) + record["iterations"]
        totals["capped_steps"] = totals.get("capped_steps", 0) + bool(record["capped"])

    def results(self, solver: Any, case: Any) -> dict[str, str]:
        profiles = solver.centreline()
        return {} if profiles is None else {"centreline.csv": profiles_csv(profiles)}

    def summary(self, case: Any, found: dict[str, Any]) -> dict[str, Any]:
        taken, iterations = found["taken"], found.get("all_iterations", 0)
        return {
            "iterations_per_step": iterations / taken if taken else None,
            "capped_steps": found.get("capped_steps", 0),
        }

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        capped = summary.get("capped_steps")
        if not capped:
            return []
        return [
            f"{count(capped, 'step')} ended with the residual above pressure.tolerance: at "
            "pressure.max_iterations, or where rounding errors keep multigrid from reducing it further"
        ]

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        iterations = summary.get("iterations_per_step")
        shares = [summary.get(name) for name in ("pressure_share", "velocity_share")]
        both = None if None in shares else " / ".join(f"{100 * share:.1f} %" for share in shares)
        return [
            ("pressure iterations per step", None if iterations is None else f"{iterations:.1f}"),
            ("pressure / velocity", both),
        ]

    def title(self, case: Any) -> str:
        name = "Cavity"
        if case.flow.initial == "taylor_green":
            name = "Taylor–Green vortex"
        elif any(any(getattr(face, "turning", ())) for face in case.boundaries.faces().values()):
            name = "Flow between turning walls"
        elif case.boundaries.of(Inflow) or case.boundaries.of(GivenPressure):
            name = "Flow through a box"
        return f"{name}, Re = {case.flow.reynolds:g}, {self.points(case)} points"

    def comparison(self, sweeps: int) -> tuple[list[str], list[str]]:
        # Jacobi unless asked otherwise: its sweeps are the paper's, and cost the same every time.
        return ["pressure.method=jacobi"], [f"pressure.iterations={sweeps}"]


def profiles_csv(profiles: dict[str, Any]) -> str:
    """The columns z,u,x,w; where z and x differ in length, the shorter pair ends in empty cells."""
    rows = itertools.zip_longest(*(profiles[name] for name in "zuxw"))
    return csv_text(
        ["z", "u", "x", "w"],
        (["" if value is None else f"{float(value):.10g}" for value in row] for row in rows),
    )


# name, components, count
FLOW = (
    ("jacobian", 1, 1),
    ("metrics", 9, 1),
    ("face metrics", 3, 1),
    ("edge metrics", 3, 1),
    ("velocity", 3, 2),
    ("acceleration", 3, 1),
    ("flux", 3, 1),
    ("pressure", 1, 1),
    ("reciprocal volume", 1, 1),
)


def _coarser(cells: tuple[int, ...], sides: list[float]) -> tuple[int, ...]:
    """`factor_of` (multigrid.cpp), for equidistant points: couplings along an axis are as (n / side)^2."""
    strengths = [(n / side) ** 2 for n, side in zip(cells, sides, strict=True)]
    strongest = max(strength for n, strength in zip(cells, strengths, strict=True) if n > 2)
    return tuple(
        (n + 1) // 2 if n > 2 and 4 * strength >= strongest else n
        for n, strength in zip(cells, strengths, strict=True)
    )


def _level(name: str, cells: tuple[int, ...], halo: Halo, size: int, couplings: int) -> list[Fields]:
    """`PoissonLevel`: the couplings, the inverse diagonal, x twice, b, the residual."""
    of_cells = Fields(f"{name}: couplings", cells, halo, size, couplings)
    return [of_cells, Fields(f"{name}: x, b, residual, inverse diagonal", cells, halo, size, count=5)]


KIND = CavityKind()
