# SPDX-License-Identifier: Apache-2.0
"""The magnetosphere solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ...launch.memory import Fields
from ...lines import count, number
from ..kind import Kind, csv_of, last_texts, on_host
from . import halo_table
from .standoff import Standoff, find_standoff


class MagnetosphereKind(Kind):
    compiled = "Magnetosphere"
    history = (
        "step", "time", "dt", "courant", "place", "floors", "mass", "momentum_x", "momentum_y",
        "momentum_z", "energy", "magnetic_energy", "flux_x", "flux_y", "flux_z", "divergence",
        "magnetopause", "shock",
    )  # fmt: skip

    def fields(self, case: Any) -> list[Fields]:
        """`Plasma` of solvers/magnetosphere/fields.hpp, on the nodes and on the centres."""
        cells, halo = tuple(case.grid.points), case.halos()
        fields = []
        for prefix in ("", "centres' "):
            fields += [
                Fields(prefix + name, cells, halo, 8, components, levels)
                for name, components, levels in PLASMA
            ]
        return [*on_host(fields, case.engine.device), Fields("coordinates", cells, halo, 8, 3)]

    def units(self, case: Any) -> dict[str, str]:
        """Multiples of units: "6370 km" is the length in which the solver computes."""
        if not case.has_planet():
            return {}
        u = case.units()
        return {
            "length": f"{u.radius / 1e3:g} km",
            "time": f"{u.time:.6g} s",
            "density": f"{u.density / 1e6:g} cm-3",
            "velocity": f"{u.speed / 1e3:.6g} km s-1",
            "pressure": f"{u.pressure * 1e9:.6g} nPa",
            "magnetic": f"{u.field * 1e9:g} nT",
        }

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        if not case.has_planet():
            return {}
        u = case.units()
        return {
            "time": u.clock(case.run.time or 0.0),
            "dt": (u.time, "s"),
            "divergence": (1e9 * u.field, "nT / radius"),
            **dict.fromkeys(("magnetopause", "shock"), (1, "radii")),
        }

    def step(self, solver: Any, case: Any, most: int) -> dict[str, Any]:
        record = super().step(solver, case, min(most, solver.steps_of_dt))
        if "divergence" in record:
            found = self.standoff(solver, case)
            record |= {"magnetopause": found.magnetopause, "shock": found.shock}
        return record

    def begun(self, solver: Any, case: Any) -> dict[str, Any]:
        return dict(solver.measure())

    def measured(self, solver: Any, case: Any) -> dict[str, Any]:
        found = self.standoff(solver, case)
        return {**solver.measure(), "magnetopause": found.magnetopause, "shock": found.shock}

    def standoff(self, solver: Any, case: Any) -> Standoff:
        """NaN but on rank 0, and where there is no planet. Collective."""
        nothing = Standoff(float("nan"), float("nan"))
        if not case.has_planet():
            return nothing
        axis = solver.axis()
        if axis is None:
            return nothing
        winds = case.winds()
        if winds is None:
            wind = case.solar_wind().scaled(case.units())
            density, speed = wind["density"], wind["velocity"][0]
        else:
            density, speed = winds.passed(solver.time, axis["x"] - axis["x"][0], case.units())
        return find_standoff(axis, density, speed, case.planet.outer)

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [
            f"step {record['step']}",
            f"time {number(record['time'], '.4g')}",
            f"dt {number(record['dt'], '.3g')}",
            f"courant {number(record['courant'], '.3f')}",
        ]
        if "divergence" in record:
            facts.append(f"max |div B| {number(record['divergence'], '.1e')}")
        if record.get("magnetopause") is not None and record["magnetopause"] == record["magnetopause"]:
            facts.append(f"magnetopause {record['magnetopause']:.2f}")
        if record.get("floored"):
            facts.append(f"{count(record['floored'], 'point')} at a floor so far")
        return facts

    def count(self, record: dict[str, Any], totals: dict[str, Any]) -> None:
        totals["floored"] = totals.get("floored", 0) + record["all_floors"]

    def results(self, solver: Any, case: Any) -> dict[str, str]:
        axis = solver.axis()
        texts: dict[str, str] = {}
        if case.plasma.initial == "linear_wave":
            error = solver.wave_error()
            texts["wave.json"] = json.dumps({"error": error, "time": solver.time}) + "\n"
        if axis is None:
            return {}
        return texts | {"axis.csv": csv_of({name: axis[name] for name in AXIS})}

    def summary(self, case: Any, found: dict[str, Any]) -> dict[str, Any]:
        extra: dict[str, Any] = {"floored": found.get("floored", 0)}
        if case.has_planet():
            extra["expected_magnetopause"] = case.expected_standoff()
        if case.engine.strategy == "halo_thread" and case.engine.threads > 1:
            seconds = found["timeline"]["seconds"]
            runs, samples = found["runs"], found["sampled_runs"]
            extra["halo_thread"] = halo_table.table_of(seconds, runs, samples, case.engine)
        return extra

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        floored = summary.get("floored")
        return [f"{count(floored, 'point')} were held at a floor of density or pressure"] if floored else []

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        text, expected = last_texts(summary), summary.get("expected_magnetopause")
        place = text("magnetopause", ".2f", " radii")
        if place is not None and expected:
            off = summary["last_step"]["magnetopause"] / expected - 1
            place += f", {100 * off:+.1f} % of the balance at {expected:.2f}"
        return [
            ("magnetopause on the axis", place),
            ("bow shock on the axis", text("shock", ".2f", " radii")),
            ("max |div B|", text("divergence", ".2e")),
            ("points held at a floor", str(summary.get("floored", 0))),
            *changes(summary),
        ]

    def tables(self, summary: dict[str, Any]) -> str:
        table = summary.get("halo_thread")
        return halo_table.as_html(table) if table else ""

    def title(self, case: Any) -> str:
        names = {
            "orszag_tang": "Orszag-Tang vortex",
            "brio_wu": "Brio-Wu shock tube",
            "blast": "Blast wave in a magnetised gas",
            "field_loop": "Advection of a field loop",
        }
        if case.has_planet():
            w = case.wind
            speed = sum(v * v for v in w.velocity) ** 0.5
            field = f"({', '.join(f'{b:g}' for b in w.field)}) nT" if any(w.field) else "0"
            tilt = case.planet.tilt  # towards +x: away from the sun
            way = f", tilted {abs(tilt):g}° {'to' if tilt < 0 else 'from'} the sun" if tilt else ""
            wind = f"wind {w.density:g} cm⁻³, {speed:g} km/s, B = {field}"
            name = f"{case.planet.name}{way}, {f'wind of {Path(w.file).name}' if w.file else wind}"
        elif case.plasma.initial == "linear_wave":
            name = f"Linear {case.plasma.wave} wave"
        else:
            name = names[case.plasma.initial]
        return f"{name}, {self.points(case)} points"

    def comparison(self, sweeps: int) -> tuple[list[str], list[str]]:
        return [], []


def changes(summary: dict[str, Any]) -> list[tuple[str, str | None]]:
    """What a periodic box should keep: the relative change of the sums since the session began, and that of
    momentum and flux, which may be zero, beside the sums of |rho v| <= sqrt(2 mass energy) and |B| <=
    sqrt(2 volume energy)."""
    start, last, case = summary.get("at_start"), summary.get("last_step"), summary["case"]
    if not start or not last or set(case["boundaries"].values()) != {"periodic"}:
        return []
    volume = math.prod(case["grid"]["points"]) * case["grid"]["spacing"] ** 3
    rows = []
    for name in ("mass", "energy", "magnetic_energy"):
        if start[name] > 0:
            rows.append((name.replace("_", " "), f"{last[name] / start[name] - 1:+.2e}"))
    for name, weight in (("momentum", start["mass"]), ("flux", volume)):
        change = math.hypot(*(last[f"{name}_{axis}"] - start[f"{name}_{axis}"] for axis in "xyz"))
        rows.append((name, f"{change / math.sqrt(2 * weight * start['energy']):.2e}"))
    return [(f"change of {name}", text) for name, text in rows]


PLASMA = (
    ("density", 1, 2),
    ("velocity", 3, 2),
    ("pressure", 1, 2),
    ("magnetic field", 3, 2),
    ("surroundings", 5, 1),
    ("dipole's divergence", 1, 1),
)
AXIS = ("x", "density", "pressure", "vx", "vy", "vz", "Bx", "By", "Bz", "current")

KIND = MagnetosphereKind()
