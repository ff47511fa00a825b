# SPDX-License-Identifier: Apache-2.0
"""Tables of planets in the solar wind: the Earth's day side and tail, floors; a rotating Jupiter."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from subcurrent.case.reading import set_words

from . import python
from .commands import table_of, tables_in
from .figure import on
from .runs import CASES, run, summary, table


def earth(folder: Path, case: str, spacing: float, viscosity: float, resistivity: float) -> dict:
    """The last step of a run at some spacing, densities diffusing in proportion to it; and the balance."""
    scale = spacing / 0.5
    points = [round(n / scale) for n in (180, 60, 60)]
    coefficients = {"density": 2e-3 * scale, "pressure": 2e-3 * scale}
    coefficients |= {"viscosity": viscosity, "resistivity": resistivity}
    sets = [f"diffusion.{name}={value:g}" for name, value in coefficients.items()]
    sets += [f"grid.points={points}", f"grid.spacing={spacing}"]
    told = summary(run(folder, case, *sets, ranks=2))
    return {**told["last_step"], "balance": told["expected_magnetopause"]}


def earth_north(scratch: Path) -> list[str]:
    """Halved together with all coefficients; and with too little viscosity and resistivity."""
    rows = []
    for spacing, viscosity, resistivity in ((0.5, 1e-6, 1e-3), (1, 2e-6, 2e-3), (1, 1e-6, 1e-3)):
        folder = scratch / f"{spacing}_{viscosity}"
        found = earth(folder, "earth_north", spacing, viscosity, resistivity)
        small = (
            f"{value:.0e}".replace("e-0", "e-") for value in (2e-3 * spacing / 0.5, viscosity, resistivity)
        )
        off = f"{100 * (found['magnetopause'] / found['balance'] - 1):+.1f} %"
        rows.append((f"{spacing:g}", *small, f"{found['magnetopause']:.2f}", off, f"{found['shock']:.2f}"))
    return table(("spacing", "D, D_p", "μ", "η", "magnetopause", "of the balance", "shock"), rows)


def earth_south(scratch: Path) -> list[str]:
    """At rest; beside the places of the northward field."""
    rows = []
    for spacing in (0.5, 1):
        both = [
            earth(scratch / f"{case}{spacing}", case, spacing, 2e-6 * spacing, 2e-3 * spacing)
            for case in ("earth_south", "earth_north")
        ]
        south, north = both
        places = (f"{south[what]:.2f} ({north[what]:.2f})" for what in ("magnetopause", "shock"))
        rows.append((f"{spacing:g}", *places))
    return table(("spacing", "magnetopause (northward field)", "shock (northward field)"), rows)


def whole_tail(folder: Path, *words: str) -> tuple[list[str], list[list[str]]]:
    """What cases/earth_south/tail.py prints: its heading and its rows."""
    return parts(python(CASES / "earth_south" / "tail.py", "--out", folder, *words))


def parts(text: str) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of a markdown table."""
    heading, _, *rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in text.splitlines()]
    return heading, rows


def thousands(rows: list[list[str]], since: float) -> list[list[str]]:
    """Of rows about 500 apart, those at multiples of 1000."""
    return [r for r in rows if float(r[0]) > since and round(float(r[0]) / 500) % 2 == 0]


def tail(folder: Path, *words: str) -> tuple[list[str], list[list[str]]]:
    """The same from t = 2000 on, in part."""
    heading, rows = whole_tail(folder, *words)
    often = [row for row in rows if float(row[0]) > 1900]
    return heading, [r for r in often if float(r[0]) > 6200 or round(float(r[0]) / 500) % 2 == 0]


def earth_south_tail(scratch: Path) -> list[str]:
    """Beside it a higher floor of the pressure."""
    heading, rows = tail(scratch / "as it is")
    _, high = tail(scratch / "high", "--set", "limits.pressure=1e-8")
    both = [(*row, other[1], other[-1]) for row, other in zip(rows, high, strict=True)]
    return table((*heading, "1e-8: magnetopause", heading[-1]), both)


def earth_north_tail(scratch: Path) -> list[str]:
    """Places on the day side, and the share of nodes at a floor."""
    return _day_side(*tail(scratch / "north", "--case", "earth_north"))


def earth_north_wide(scratch: Path) -> list[str]:
    """The same at the spacing of the case, in a box half as wide again."""
    words = ("--case", "earth_north", "--spacing", "0.5", "--set", "grid.points=[180,90,90]")
    return _day_side(*tail(scratch / "wide", *words))


def _day_side(heading: list[str], rows: list[list[str]]) -> list[str]:
    chosen = (0, 1, 2, 6)
    return table(tuple(heading[k] for k in chosen), [tuple(row[k] for k in chosen) for row in rows])


# diffusion of density and pressure, resistivity, and points along y and z, at spacing 1
DRIFTS = ((4e-3, 2e-3, 30), (2e-3, 2e-3, 30), (2e-3, 1e-3, 30), (2e-3, 1e-3, 45))


def earth_north_drift(scratch: Path) -> list[str]:
    """What cases/earth_north/drift.py prints of runs that go on: smaller coefficients, then a wider box."""
    folders = []
    for diffusion, resistivity, across in DRIFTS:
        sets = [f"diffusion.{name}={diffusion:g}" for name in ("density", "pressure")]
        sets += [f"diffusion.resistivity={resistivity:g}", f"grid.points=[90,{across},{across}]"]
        folders.append(scratch / f"{diffusion:g} {resistivity:g} {across}")
        tail(folders[-1], "--case", "earth_north", *set_words(sets))
    return python(CASES / "earth_north" / "drift.py", *folders).splitlines()


def earth_south_pressures(scratch: Path) -> list[str]:
    """What cases/earth_south/pressures.py prints of the tail at t = 6000 where the floor is far below."""
    tail(scratch / "low", "--time", "6000", "--set", "limits.pressure=1e-10")
    return python(CASES / "earth_south" / "pressures.py", scratch / "low").splitlines()


def earth_south_heating(scratch: Path) -> list[str]:
    """The shock's distance over the magnetopause's, without and with the heat of friction and currents, for
    both directions of the field."""
    lines = []
    words = {"no": (), "yes": ("--time", "6000", "--set", "diffusion.heating=true")}
    for field, heating in product(("south", "north"), words):
        heading, rows = tail(scratch / f"{field} {heating}", "--case", f"earth_{field}", *words[heating])
        for t, magnetopause, shock, neutral, *_, floor in (
            r for r in rows if round(float(r[0]) / 500) in (6, 12)
        ):
            ratio = f"{float(shock) / float(magnetopause):.3f}"
            lines.append((f"{field}ward", heating, t, magnetopause, shock, ratio, neutral, floor))
    return table(("field", "heating", *heading[:3], "shock / magnetopause", heading[3], heading[6]), lines)


def earth_north_small(scratch: Path) -> list[str]:
    """Half the viscosity, half the resistivity and both at spacing 1, until each has come to rest."""
    lines = []
    for viscosity, resistivity in product(("2e-6", "1e-6"), ("2e-3", "1e-3")):
        end = "16000" if (viscosity, resistivity) == ("1e-6", "1e-3") else "8000"
        sets = [f"diffusion.viscosity={viscosity}", f"diffusion.resistivity={resistivity}"]
        words = ["--time", end, *set_words(sets)]
        heading, rows = tail(scratch / f"{viscosity} {resistivity}", "--case", "earth_north", *words)
        for row in rows:
            if round(float(row[0]) / 500) in (4, 8, 16, 24, 32):
                lines.append((viscosity, resistivity, *row[:3], row[6]))
    return table(("μ", "η", *heading[:3], heading[6]), lines)


def earth_south_convection(scratch: Path) -> list[str]:
    """What cases/earth_south/convection.py prints of the tail: every second row from t = 2000 on."""
    tail(scratch / "as it is")
    text = python(CASES / "earth_south" / "convection.py", scratch / "as it is", "--since", "1900")
    heading, rule, *rows = tables_in(text)[0]
    return [heading, rule, *rows[::2]]


def earth_south_rates(scratch: Path) -> list[str]:
    """What the same prints with --rates."""
    tail(scratch / "as it is")
    text = python(CASES / "earth_south" / "convection.py", scratch / "as it is", "--since", "1900", "--rates")
    return tables_in(text)[1]


NEAREST = "nearest to the sun: magnetopause (z), shock"
OF_TILTED = ("t", "magnetopause", "shock", NEAREST, "z at 20, 25, 30", "at a floor")


def earth_tilted(scratch: Path) -> list[str]:
    """What cases/earth_south/tail.py prints of the case to its end, and the flux of the tail."""
    heading, rows = whole_tail(scratch / "tilted", "--case", "earth_tilted")
    return with_flux(scratch / "tilted", OF_TILTED, heading, thousands(rows, 900))


def with_flux(folder: Path, names: tuple[str, ...], heading: list[str], rows: list[list[str]]) -> list[str]:
    """Some columns of tail.py, where the box ends, and the flux of the tail that drift.py prints."""
    times = [row[0] for row in rows]
    drift, drifts = parts(python(CASES / "earth_north" / "drift.py", folder, "--times", *times))
    lines = [
        (more[drift.index("y, z to")], *(row[heading.index(name)] for name in names), more[-1])
        for row, more in zip(rows, drifts, strict=True)
    ]
    return table(("y, z to", *names, drift[-1]), lines)


def earth_tilted_tail(scratch: Path) -> list[str]:
    """The same in a narrower box to a later end."""
    words = ("--set", "grid.points=[90,30,61]", "--set", "grid.low=[-30,0,-30]", "--time", "12000")
    heading, rows = whole_tail(scratch / "narrow", "--case", "earth_tilted", *words)
    names = tuple(name for name in OF_TILTED if not name.startswith("nearest"))
    return with_flux(scratch / "narrow", names, heading, thousands(rows, 1900))


def earth_south_polar_cap(scratch: Path) -> Path:
    """What the run of the tail draws at its end."""
    tail(scratch / "as it is")
    return scratch / "as it is" / "figures" / "polar_cap.png"


def jupiter_tail(scratch: Path) -> list[str]:
    """Day side and tail of Jupiter at spacing 4 as the run goes on."""
    heading, rows = whole_tail(scratch / "jupiter", "--case", "jupiter", "--time", "6e5")
    rows = [row for row in rows if round(float(row[0]) / 2e4) % 3 == 0]
    return with_flux(scratch / "jupiter", ("t", "magnetopause", "shock", "at a floor"), heading, rows)


def jupiter_rotation(scratch: Path) -> list[str]:
    """The planet as it rotates, half as fast and not at all; spacing 4, coefficients in proportion, and a box
    that ends 58 radii behind the planet and 100 beside it."""
    coefficients = {"density": 1.33e-3, "pressure": 1.33e-3, "viscosity": 2.7e-8, "resistivity": 6.7e-4}
    sets = [f"diffusion.{name}={value:g}" for name, value in coefficients.items()]
    sets += ["grid.points=[53,51,26]", "grid.low=[-150,-100,0]", "grid.spacing=4"]
    rows = []
    for period in (9.925, 19.85, 0):
        told = summary(run(scratch / f"{period:g}", "jupiter", f"planet.rotation={period:g}", *sets))
        places, balance = told["last_step"], told["expected_magnetopause"]
        off = f"{100 * (places['magnetopause'] / balance - 1):+.0f} %"
        name = f"{period:g} h" if period else "none"
        rows.append((name, f"{places['magnetopause']:.1f}", off, f"{places['shock']:.1f}"))
    return table(("rotation", "magnetopause", "of the balance", "shock"), rows)


# A shock in one dimension that should move, and stands.
SHOCK = table_of("cases/earth_south/shock.py", called="earth_south_shock")
PLANETS = (
    on("earth_north", earth_north, 560, "standoff", 1e-2),
    on("earth_south", earth_south, 1080, "southward field", 1e-2),
    on("earth_north", earth_north_tail, 40, "the day side that goes on, spacing 1", 2e-2),
    on("earth_north", earth_north_wide, 1000, "the day side that goes on in a wider box, spacing 0.5", 2e-2),
    on("earth_north", earth_north_drift, 180, "day side and tail for smaller coefficients, spacing 1", 5e-2),
    on("earth_south", earth_south_tail, 70, "the tail until it is steady, spacing 1", 2e-2),
    on(
        "earth_south",
        earth_south_heating,
        120,
        "shock and magnetopause with and without heating, spacing 1",
        2e-2,
    ),
    on("earth_south", SHOCK, 25, "a bow shock in one dimension, spacings 0.5 and 0.05", 2e-2),
    on(
        "earth_north", earth_north_small, 170, "half the viscosity, the resistivity and both, spacing 1", 2e-2
    ),
    on("earth_south", earth_south_convection, 70, "open flux and polar-cap potential, spacing 1", 2e-2),
    on("earth_south", earth_south_rates, 80, "how fast field lines open and close, spacing 1", 5e-2),
    on("earth_south", earth_south_pressures, 30, "nodes by their pressure, spacing 1", 5e-2),
    on("earth_tilted", earth_tilted, 180, "current sheet and nose of a tilted dipole", 5e-2),
    on(
        "earth_tilted", earth_tilted_tail, 120, "day side and tail of a tilted dipole in a narrower box", 5e-2
    ),
    on("jupiter", jupiter_tail, 180, "day side and tail of Jupiter that go on, spacing 4", 2e-2),
    on("jupiter", jupiter_rotation, 60, "the magnetopause for three rotations, spacing 4", 2e-2),
)
