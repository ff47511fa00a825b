# SPDX-License-Identifier: Apache-2.0
"""Tables of what runs of the shipped cases give: errors against references, places, orders."""

from __future__ import annotations

import json
import runpy
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

from subcurrent.case.reading import as_tables, load_case, set_words
from subcurrent.case.reference import read_columns
from subcurrent.report.markdown import markdown

from . import ROOT, python

sys.path.insert(0, str(ROOT / "tests" / "oracle"))
import leapfrog_modes

CASES = ROOT / "cases"
QUIET = ("output.figures=false", "output.snapshots=false", "output.timeline=false")
SMALLEST_HIT = ("grid.points=[48,48,48]", "flow.viscosity=0.0165", "scheme.dt=0.03", "output.every=0.48")
SMALL_SCALAR = ("grid.points=[32,32,32]", "flow.viscosity=0.028", "scheme.dt=0.04")


def table(heading: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return list(markdown(heading, rows))


def run(folder: Path, case: str, *sets: str, ranks: int = 1, quiet: tuple[str, ...] = QUIET) -> Path:
    """A run of a shipped case in its folder; one that is finished there already is taken."""
    path, texts = CASES / case / "case.toml", (*quiet, *sets)
    if not finished(folder, path, texts):
        python("-m", "subcurrent", "run", path, "-n", ranks, "--out", folder, *set_words(texts))
    return folder


def finished(folder: Path, path: Path, sets: tuple[str, ...]) -> bool:
    """Whether the folder has the whole run of this case, perhaps with other output, storage or engine, which
    do not change its results."""
    if not (folder / "summary.json").is_file() or summary(folder)["state"] != "finished":
        return False
    wanted = as_tables(load_case(path, sets))
    stored = json.loads((folder / "plan.json").read_text())["case"]
    differing = [
        name
        for name in wanted.keys() | stored.keys()
        if name not in ("engine", "output", "storage") and wanted.get(name) != stored.get(name)
    ]
    if differing:
        raise RuntimeError(f"{folder} holds a run with other {', '.join(sorted(differing))}: remove it")
    return True


def summary(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


def linear_wave(scratch: Path, counts: tuple[int, ...] = (32, 64)) -> list[str]:
    """A period of each wave at the case's own Courant number and cycle."""
    rows = []
    for wave, period in (("fast", 0.5), ("alfven", 1), ("slow", 2), ("entropy", 1)):
        errors = []
        for n in counts:
            sets = (f"grid.points=[{n},{n // 2},{n // 2}]", f"grid.spacing={3 / n}")
            folder = scratch / f"{wave}{n}"
            run(folder, "linear_wave", f"plasma.wave={wave}", f"run.time={period}", *sets)
            errors.append(json.loads((folder / "wave.json").read_text())["error"])
        ratios = [f"{a / b:.2f}" for a, b in pairwise(errors)]
        name = wave.replace("alfven", "Alfvén")
        threshold = leapfrog_modes.WAVES[wave].threshold
        share = f"{threshold:g}, {errors[-1] / threshold:.2f}"
        rows.append((name, *(f"{error:.4f}" for error in errors), ", ".join(ratios), share))
    last = "published threshold, share of it"
    return table(("wave", *(f"{n} points along x" for n in counts), "ratio", last), rows)


def linear_wave_cycles(scratch: Path) -> list[str]:
    """What the theory of the scheme gives for other Courant numbers, cycles and starts of a cycle."""
    return table(leapfrog_modes.HEADING, leapfrog_modes.rows())


def brio_wu(scratch: Path) -> list[str]:
    """Density behind the slow shock, and its mean |difference| to the reference."""
    theirs = read_columns(CASES / "brio_wu" / "reference.csv")
    rows = []
    for smoothing in (0.05, 0.1, 0.15, 0.3):
        cells = []
        for heating in ("true", "false"):
            sets = (f"diffusion.smoothing={smoothing}", f"diffusion.heating={heating}")
            folder = run(scratch / f"{smoothing}{heating}", "brio_wu", *sets)
            mine = read_columns(folder / "axis.csv")
            error = np.mean(np.abs(np.interp(theirs["x"], mine["x"], mine["density"]) - theirs["density"]))
            cells.append(f"{np.interp(0.12, mine['x'], mine['density']):.3f}, {error:.4f}")
        rows.append((f"{smoothing:g}", *cells))
    return table(("smoothing", "with heating", "without"), rows)


def pfhub_3a(scratch: Path) -> list[str]:
    """What cases/pfhub_3a/compare.py prints of smaller domains, of two spacings."""
    coarse, fine = ("grid.cells=[800,800,1]",), ("grid.cells=[600,600,1]", "grid.spacing=0.4", "run.time=150")
    folders = [run(scratch / f"{n}", "pfhub_3a", *sets, ranks=2) for n, sets in enumerate((coarse, fine))]
    return python(CASES / "pfhub_3a" / "compare.py", *folders).splitlines()


HIT_SINGLE = ("scheme.precision=single", "run.time=12")
HIT_SIZES = {
    "128": ("output.every=0.5", *HIT_SINGLE),
    "64": ("grid.points=[64,64,64]", "flow.viscosity=0.011", "scheme.dt=0.02", "output.every=0.5"),
    "48": (*SMALLEST_HIT, *HIT_SINGLE),
}


def hit_of(scratch: Path, size: str) -> Path:
    """With snapshots, and spectra beside them."""
    return run(scratch / size, "forced_hit_128", *HIT_SIZES[size], quiet=QUIET[::2])


def forced_hit_128(scratch: Path) -> list[str]:
    """What cases/forced_hit_128/spectrum.py prints of three numbers of points."""
    lines = []
    for size in HIT_SIZES:
        printed = python(CASES / "forced_hit_128" / "spectrum.py", hit_of(scratch, size)).splitlines()
        lines += printed if not lines else printed[2:]
    return lines


def forced_hit_structure(scratch: Path) -> list[str]:
    """What cases/forced_hit_128/structure.py prints of two numbers of points."""
    folders = [hit_of(scratch, size) for size in ("128", "48")]
    return python(CASES / "forced_hit_128" / "structure.py", *folders).splitlines()


def forced_hit_thirds(scratch: Path) -> list[str]:
    """How steady the dissipation is to t = 12 and to 24, for five initial flows on 48³ points."""
    spread = runpy.run_path(str(CASES / "forced_hit_128" / "spectrum.py"))["spread"]
    same = (*SMALLEST_HIT[:3], "output.every=12", "run.time=24", "scheme.precision=single")
    rows = []
    for seed in range(1, 6):
        sets = (*same, f"spectrum.seed={seed}")
        folder = run(scratch / str(seed), "forced_hit_128", *sets, quiet=QUIET[::2])
        history = read_columns(folder / "history.csv")
        rows.append((str(seed), *(f"{spread(history, until):.2f}" for until in (12, 24))))
    return table(("seed", "t = 6 to 12", "12 to 24"), rows)


# points, viscosity, time step, end: each starts from the last state of the one before
HIT_STARTS = ((64, 0.011, 0.02, 6), (128, 0.0045, 0.01, 4), (256, 0.0018, 0.005, 5))


def forced_hit_256(scratch: Path) -> list[str]:
    """What cases/forced_hit_128/spectrum.py prints of a run out of core that begins on fewer points."""
    start = "random"
    for n, viscosity, dt, time in HIT_STARTS:
        sets = [f"grid.points=[{n},{n},{n}]", f"flow.viscosity={viscosity}", f"scheme.dt={dt}"]
        sets += [f"run.time={time}", f'flow.initial="{start}"', "scheme.precision=single"]
        sets += ["output.every=0.5", 'storage.memory="300 MiB"'] if n == 256 else ["output.every=0"]
        folder = run(scratch / str(n), "forced_hit_128", *sets, quiet=QUIET[::2])
        start = str(folder.resolve())
    return python(CASES / "forced_hit_128" / "spectrum.py", folder).splitlines()


def forced_scalar(scratch: Path) -> list[str]:
    """What cases/forced_scalar/budget.py prints of two numbers of points."""
    sizes = {"64": (), "32": SMALL_SCALAR}
    folders = [
        run(scratch / name, "forced_scalar", *sets, quiet=(*QUIET, "output.every=0"))
        for name, sets in sizes.items()
    ]
    return python(CASES / "forced_scalar" / "budget.py", *folders).splitlines()


RESOLVED_VORTEX = {
    "two_thirds": ("scheme.dealiasing=two_thirds", "scheme.dt=0.01"),
    "phase_shift": ("scheme.dt=0.008",),  # the dealiasing of the case
}


def taylor_green_256(scratch: Path) -> list[str]:
    """What cases/taylor_green_mach01/compare.py prints of the spectral runs on 256³ points."""
    common = ("grid.points=[256,256,256]", "scheme.precision=single", "output.every=0")
    folders = [
        run(scratch / name, "taylor_green_1600", *common, *sets, ranks=2)
        for name, sets in RESOLVED_VORTEX.items()
    ]
    return python(CASES / "taylor_green_mach01" / "compare.py", *folders).splitlines()


def taylor_green_mach01(scratch: Path) -> list[str]:
    """What cases/taylor_green_mach01/compare.py prints of two numbers of points."""
    folders = [
        run(scratch / str(n), "taylor_green_mach01", f"grid.points=[{n},{n},{n}]", "output.history_every=10")
        for n in (64, 128)
    ]
    return python(CASES / "taylor_green_mach01" / "compare.py", *folders).splitlines()


def orszag_tang(scratch: Path) -> list[str]:
    """Mean |difference| over the mean of the pressure on two lines at t = 0.5."""
    from subcurrent.launch.rundir import RunFolder  # noqa: PLC0415
    from subcurrent.solvers.magnetosphere.figures import CUTS, pressure_cuts  # noqa: PLC0415 - it draws: slow to load

    reference = read_columns(CASES / "orszag_tang" / "reference.csv")
    columns = []
    counts = (64, 128, 256)
    for n in counts:
        sets = (f"grid.points=[{n},{n},1]", f"grid.spacing={1 / n}")
        folder = run(scratch / str(n), "orszag_tang", *sets, quiet=("output.figures=false",))
        cuts = pressure_cuts(RunFolder(folder), CUTS).values()
        column = []
        for height, (x, pressure) in zip(CUTS, cuts, strict=True):
            expected = reference[f"p({height:g})"]
            off = np.abs(np.interp(reference["x"], x, pressure, period=1) - expected).mean() / expected.mean()
            column.append(f"{off:.2f}")
        columns.append(column)
    rows = [(f"{height:g}", *(column[k] for column in columns)) for k, height in enumerate(CUTS)]
    return table(("y", *(f"{n}²" for n in counts)), rows)


def plane_case(scratch: Path, case: str, n: int, width: float, height: float) -> tuple[dict, object]:
    """Summary and last plane of a shipped case on n points along x of a box around the origin."""
    from subcurrent.launch.rundir import RunFolder  # noqa: PLC0415 - h5py: slow to load
    from subcurrent.report.snapshot import read_plasma  # noqa: PLC0415

    h = width / n
    points = [n, round(height / h), 1]
    low = [0.5 * (h - width), 0.5 * (h - height), 0]
    sets = (f"grid.points={points}", f"grid.spacing={h}", f"grid.low={low}")
    folder = run(scratch / str(n), case, *sets, quiet=("output.figures=false",))
    return summary(folder), read_plasma(RunFolder(folder).last_snapshot()).plane(2)


def kept(told: dict, name: str) -> float:
    return told["last_step"][name] / told["at_start"][name]


def blast(scratch: Path) -> list[str]:
    """Mean |difference| over the mean on two lines, extremes, and the energy's change."""
    from subcurrent.solvers.magnetosphere.plasma_plane import diagonals  # noqa: PLC0415 - it draws: slow to load

    reference = read_columns(CASES / "blast" / "reference.csv")
    rows = []
    for n in (64, 128, 256):
        told, plane = plane_case(scratch, "blast", n, 1, 1.5)
        fields = {"density": plane.density, "pressure": plane.pressure}
        fields["magnetic"] = 0.5 * (plane.magnetic**2).sum(0)
        cells = []
        for name, values in fields.items():
            off = []
            for where, (s, line) in diagonals(plane, values).items():
                expected = reference[f"{name} {where}"]
                off.append(np.abs(np.interp(reference["s"], s, line) - expected).mean() / expected.mean())
            cells.append(f"{off[0]:.3f}, {off[1]:.3f}")
            cells.append(f"{values.min():.3f} to {values.max():.3f}")
        rows.append((f"{n} × {3 * n // 2}", *cells, f"{100 * (kept(told, 'energy') - 1):+.2f} %"))
    names = ("density", "p", "B²/2")
    heading = [text for name in names for text in (f"{name}: along, across", f"{name}: range")]
    return table(("points", *heading, "energy"), rows)


def field_loop(scratch: Path) -> list[str]:
    """After a crossing: energy of the field, rms difference of B to the start, what has left the loop."""
    rows = []
    for n in (64, 128, 256):
        told, plane = plane_case(scratch, "field_loop", n, 2, 1)
        h = 2 / n
        x, y = plane.points[0], plane.points[1]
        corners = [(sx, sy) for sx in (-1, 1) for sy in (-1, 1)]
        a = {s: 1e-3 * np.maximum(0.3 - np.hypot(x + s[0] * h / 2, y + s[1] * h / 2), 0) for s in corners}
        exact = np.array([sum(s[1] * a[s] for s in corners), -sum(s[0] * a[s] for s in corners)]) / (2 * h)
        off = np.sqrt(((plane.magnetic[:2] - exact) ** 2).sum() / (exact**2).sum())
        energy = (plane.magnetic**2).sum(0)
        outside = energy[np.hypot(x, y) > 0.35].sum() / energy.sum()
        lost = told["at_start"]["magnetic_energy"] - told["last_step"]["magnetic_energy"]
        gone = (told["at_start"]["energy"] - told["last_step"]["energy"]) / lost
        cells = (f"{kept(told, 'magnetic_energy'):.3f}", f"{off:.3f}", f"{outside:.4f}", f"{gone:.2f}")
        rows.append((f"{n} × {n // 2}", *cells))
    return table(("points", "energy of the field", "B off by", "outside of 0.35", "lost to no heat"), rows)
