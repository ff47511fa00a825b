# SPDX-License-Identifier: Apache-2.0
"""Every table and picture of the documents that is computed: where it stands, how, how long that takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import (
    cavities,
    cg_paper,
    commands,
    halo_paper,
    other_codes,
    paper_machines,
    planets,
    runs,
    turbulence_paper,
    weak_scaling,
    wire,
)
from .pictures import by_distance, by_script, by_tutorial, drawn, plotted


@dataclass(frozen=True)
class Figure:
    name: str
    place: str  # the document, or the picture
    seconds: int  # on two cores at rest
    what: str
    make: Callable[[Path], list[str] | Path]
    tolerance: float | None = None  # a share that two machines may differ by; None: measured time

    @property
    def picture(self) -> bool:
        return self.place.endswith(".png")


CAVITY, DENDRITE, CG = (f"solvers/{name}/README.md" for name in ("cavity", "dendrite", "cg"))
TURBULENCE = "solvers/turbulence/README.md"

COMPUTED = (
    Figure("linear_wave", "cases/linear_wave/README.md", 12, "errors of four waves", runs.linear_wave, 1e-3),
    Figure(
        "linear_wave_cycles",
        "cases/linear_wave/README.md",
        2,
        "the same by theory, for other cycles",
        runs.linear_wave_cycles,
        1e-3,
    ),
    Figure("blast", "cases/blast/README.md", 60, "the blast wave against HLLD", runs.blast, 1e-2),
    Figure("field_loop", "cases/field_loop/README.md", 20, "what a field loop keeps", runs.field_loop, 1e-2),
    Figure("brio_wu", "cases/brio_wu/README.md", 20, "the shock tube against HLLD", runs.brio_wu, 2e-3),
    Figure("orszag_tang", "cases/orszag_tang/README.md", 90, "pressure on two lines", runs.orszag_tang, 1e-2),
    Figure(
        "forced_hit_128",
        "cases/forced_hit_128/README.md",
        800,
        "forced turbulence against published spectra",
        runs.forced_hit,
        1e-1,
    ),
    Figure(
        "forced_hit_256",
        "cases/forced_hit_128/README.md",
        2400,
        "the same out of core, on 256³ points",
        runs.forced_hit_256,
        1e-1,
    ),
    Figure(
        "forced_scalar",
        "cases/forced_scalar/README.md",
        400,
        "the budget of a passive scalar",
        runs.forced_scalar,
        1e-1,
    ),
    Figure(
        "taylor_green_mach01",
        "cases/taylor_green_mach01/README.md",
        5400,
        "the Taylor-Green vortex in a gas against the DNS",
        runs.taylor_green_mach01,
        2e-2,
    ),
    Figure("cavity_coarse", "cases/cavity_re100/README.md", 20, "coarse cubes", cavities.cavity_coarse, 1e-2),
    Figure("cavity_re400", "cases/cavity_re400/README.md", 900, "Re = 400", cavities.cavity_re400, 2e-2),
    Figure("cavity_re1000", "cases/cavity_re1000/README.md", 2700, "Re = 1000", cavities.cavity_re1000, 1e-3),
    Figure(
        "cavity_re1000_coarse",
        "cases/cavity_re1000/README.md",
        200,
        "Re = 1000 against published profiles",
        cavities.cavity_re1000_coarse,
        2e-2,
    ),
    Figure(
        "cavity_re1000_starts",
        "cases/cavity_re1000/README.md",
        1000,
        "Re = 1000 against the published extrema",
        cavities.cavity_re1000_starts,
        2e-3,
    ),
    Figure(
        "cavity_paper_a",
        "cases/cavity_paper_a/README.md",
        60,
        "the paper's first grid",
        cavities.cavity_paper_a,
    ),
    Figure(
        "backward_step",
        "cases/backward_step/README.md",
        3000,
        "separation behind a step against published lengths",
        cavities.backward_step,
        1e-2,
    ),
    Figure("cavity_orders", CAVITY, 20, "orders of the discretisation", commands.cavity_orders, 1e-2),
    Figure("cavity_cube", CAVITY, 3600, "the cube, by the serial reference", commands.cavity_cube, 1e-2),
    Figure("cg_volume", CG, 90, "bytes of a product of class A", commands.cg_volume, 1e-3),
    Figure("cg_accuracy", CG, 6, "plain and pipelined iterations", commands.cg_accuracy, 0.7),
    Figure("cg_preconditioners", CG, 30, "what preconditioners leave", commands.cg_preconditioners, 0.05),
    Figure("dendrite_work", DENDRITE, 1, "operations and bytes of a cell", commands.dendrite_work, 0.0),
    Figure(
        "dendrite_paper", DENDRITE, 40, "scaling on the paper's machine", paper_machines.dendrite_paper, 1e-3
    ),
    Figure(
        "turbulence_paper",
        "docs/published.md",
        20,
        "turbulence in files on the paper's machine",
        turbulence_paper.turbulence_paper,
        1e-3,
    ),
    Figure(
        "cavity_paper",
        "docs/published.md",
        60,
        "gains on the cavity's machines",
        paper_machines.cavity_paper,
        5e-2,
    ),
    Figure(
        "halo_paper",
        "docs/published.md",
        400,
        "signs of table 2 of the paper on halo threads",
        halo_paper.halo_paper,
        1e-2,
    ),
    Figure(
        "weak_scaling",
        "docs/foresight.md",
        1300,
        "weak scaling to 4096 simulated ranks (SimGrid)",
        weak_scaling.weak_scaling,
        1e-2,
    ),
    Figure(
        "shared_links",
        "docs/foresight.md",
        40,
        "transforms whose messages share links, predicted and simulated (SimGrid)",
        weak_scaling.shared_links,
        1e-2,
    ),
    Figure(
        "cg_paper",
        "docs/published.md",
        180,
        "gains on the machines of the thesis on CG (SimGrid)",
        cg_paper.cg_paper,
        1e-2,
    ),
    Figure(
        "cg_paper_speeds",
        "docs/published.md",
        60,
        "the bus that the thesis's equation asks for",
        cg_paper.cg_paper_speeds,
        1e-2,
    ),
    Figure(
        "other_codes",
        "docs/published.md",
        15,
        "published tables of other codes",
        other_codes.other_codes,
        1e-2,
    ),
    Figure("dendrite_fronts", DENDRITE, 6, "speed of plane fronts", commands.dendrite_fronts, 1e-2),
    Figure(
        "nickel_direction",
        "cases/nickel_small/README.md",
        20,
        "what the grid does to turned crystals",
        runs.nickel_direction,
        1e-2,
    ),
    Figure(
        "pfhub_3a",
        "cases/pfhub_3a/README.md",
        900,
        "a dendrite in a plane against uploads to PFHub",
        runs.pfhub_3a,
        2e-3,
    ),
    Figure("earth_north", "cases/earth_north/README.md", 1800, "standoff", planets.earth_north, 1e-2),
    Figure("earth_south", "cases/earth_south/README.md", 2100, "southward field", planets.earth_south, 1e-2),
    Figure(
        "earth_north_tail",
        "cases/earth_north/README.md",
        240,
        "the day side that goes on, spacing 1",
        planets.earth_north_tail,
        2e-2,
    ),
    Figure(
        "earth_north_drift",
        "cases/earth_north/README.md",
        300,
        "day side and tail for smaller coefficients, spacing 1",
        planets.earth_north_drift,
        5e-2,
    ),
    Figure(
        "earth_south_tail",
        "cases/earth_south/README.md",
        480,
        "the tail until it is steady, spacing 1",
        planets.earth_south_tail,
        2e-2,
    ),
    Figure(
        "earth_south_convection",
        "cases/earth_south/README.md",
        240,
        "open flux and polar-cap potential, spacing 1",
        planets.earth_south_convection,
        2e-2,
    ),
    Figure(
        "earth_south_rates",
        "cases/earth_south/README.md",
        240,
        "how fast field lines open and close, spacing 1",
        planets.earth_south_rates,
        5e-2,
    ),
    Figure(
        "earth_south_pressures",
        "cases/earth_south/README.md",
        150,
        "nodes by their pressure, spacing 1",
        planets.earth_south_pressures,
        5e-2,
    ),
)

MEASURED = (
    Figure("benchmarks", "docs/benchmarks.md", 600, "make bench", commands.benchmarks),
    Figure(
        "halo_thread", "docs/halo_thread.md", 900, "whether a halo thread pays (root)", commands.halo_thread
    ),
    Figure(
        "passes_disk", "docs/stencil_codes.md", 120, "several steps a pass, in files", commands.passes_disk
    ),
    Figure(
        "passes_wire",
        "docs/stencil_codes.md",
        30,
        "several steps a pass, two ranks, late messages",
        commands.passes_wire,
    ),
    Figure("relaxation", CAVITY, 90, "sweeps of the pressure, several a pass", commands.relaxation),
    Figure(
        "compressible_wire",
        "solvers/compressible/README.md",
        100,
        "what strategies hide of its messages, emulated hosts (root)",
        wire.compressible_wire,
    ),
    Figure("turbulence_peer", "bench/README.md", 900, "against fluidsim (PyPI)", commands.turbulence_peer),
    Figure("ksp", CG, 60, "an iteration against PETSc's KSPCG (where it is installed)", commands.ksp),
    Figure("npb_peer", CG, 900, "against NPB-CPP (its checkout)", commands.npb_peer),
    Figure("attack", "docs/files.md", 1800, "make attack: kills, limits, bad input, damage", commands.attack),
    Figure("dendrite_rates", DENDRITE, 60, "cells a second", commands.dendrite_rates),
    Figure(
        "turbulence_disk_256",
        TURBULENCE,
        600,
        "fields in files, 256³",
        commands.turbulence_disk("--points", 256, "--turns", 2, "--steps", 1),
    ),
    Figure(
        "turbulence_disk_128",
        TURBULENCE,
        300,
        "the same, 128³",
        commands.turbulence_disk("--points", 128, "--turns", 7, "--steps", 4),
    ),
    Figure(
        "turbulence_disk_slow",
        TURBULENCE,
        300,
        "the same on a slow disk (root)",
        commands.turbulence_disk("--points", 128, "--turns", 2, "--steps", 3, "--disk", 400),
    ),
)

SMALL_HIT = ("grid.points=[64,64,64]", "flow.viscosity=0.011", "scheme.dt=0.02")
CRYSTAL = ("grid.cells=[192,192,192]", "run.time=4.4e-8")
COARSE_EARTH = ("grid.points=[90,30,30]", "grid.spacing=1", "diffusion.density=4e-3")
COARSE_EARTH += ("diffusion.pressure=4e-3", "diffusion.viscosity=2e-6", "diffusion.resistivity=2e-3")
OF_WAVE = ("--field", "velocity", "--component", "0", "--colours", "RdBu_r")


def picture(name: str, seconds: int, make: Callable[[Path], Path], what: str) -> Figure:
    return Figure(f"{name}.png", f"docs/pictures/{name}.png", seconds, what, make)


PICTURES = (
    picture("passes", 130, by_script("passes_disk.py"), "several steps a pass: memory, files, messages"),
    picture("cavity_re100", 300, drawn("cavity_re100", "profiles.png"), "cavity_re100"),
    picture("cavity_re100_flow", 300, drawn("cavity_re100", "flow.png"), "cavity_re100"),
    picture("cavity_re1000_flow", 1200, drawn("cavity_re1000", "flow.png"), "cavity_re1000"),
    picture("backward_step", 400, drawn("backward_step", "flow.png", ranks=1), "backward_step"),
    picture("nickel_crystal", 130, drawn("nickel_small", "crystal.png", *CRYSTAL), "nickel_small on 192³"),
    picture(
        "nickel_512",
        300,
        by_distance("nickel_512", "engine.device=cuda", ranks=1),
        "nickel_512, on a GPU",
    ),
    picture("many_seeds", 70, drawn("many_seeds", "crystal.png"), "many_seeds"),
    picture("pfhub_3a", 600, drawn("pfhub_3a", "crystal.png", "grid.cells=[800,800,1]"), "pfhub_3a"),
    picture("dendrite_paper", 30, paper_machines.dendrite_picture, "subcurrent predict"),
    picture("other_codes", 20, other_codes.other_codes_picture, "published tables of other codes"),
    picture("blast", 40, drawn("blast", "blast.png"), "blast"),
    picture("field_loop", 15, drawn("field_loop", "loop.png"), "field_loop"),
    picture("brio_wu", 15, drawn("brio_wu", "tube.png", ranks=1), "brio_wu"),
    picture("orszag_tang", 40, drawn("orszag_tang", "vortex.png"), "orszag_tang"),
    picture("linear_wave", 15, plotted("linear_wave", *OF_WAVE), "linear_wave"),
    picture("sound_wave", 15, drawn("sound_wave", "wave.png", ranks=1), "sound_wave"),
    picture("entropy_wave", 15, drawn("entropy_wave", "wave.png", ranks=1), "entropy_wave"),
    picture("vorticity_wave", 15, drawn("vorticity_wave", "wave.png", ranks=1), "vorticity_wave"),
    picture(
        "isentropic_vortex", 25, drawn("isentropic_vortex", "vorticity.png", ranks=1), "isentropic_vortex"
    ),
    picture("wave_pulse", 15, drawn("wave_pulse", "planes.png"), "wave_pulse"),
    picture("taylor_couette", 15, plotted("taylor_couette", "--field", "velocity"), "taylor_couette"),
    picture("taylor_green_2d", 15, plotted("taylor_green_2d", "--field", "velocity"), "taylor_green_2d"),
    picture(
        "taylor_green_mach01",
        4800,
        drawn("taylor_green_mach01", "history.png", "output.history_every=10", ranks=1),
        "taylor_green_mach01",
    ),
    picture("decaying_random", 30, drawn("decaying_random", "vorticity.png"), "decaying_random"),
    picture("gray_scott", 20, by_tutorial("gray_scott", "gray_scott_8000.png"), "a tutorial"),
    picture("acoustic_wave", 20, by_tutorial("acoustic_wave", "acoustic_wave.png"), "a tutorial"),
    picture("cahn_hilliard", 20, by_tutorial("cahn_hilliard", "cahn_hilliard.png"), "a tutorial"),
    picture("earth_north", 60, drawn("earth_north", "planes.png", *COARSE_EARTH), "earth_north, spacing 1"),
    picture("earth_south", 1400, drawn("earth_south", "planes.png"), "earth_south"),
    picture("earth_south_view", 1400, drawn("earth_south", "view.png"), "earth_south"),
    picture("earth_south_polar_cap", 240, planets.earth_south_polar_cap, "earth_south, spacing 1"),
    picture("earth_tilted", 180, drawn("earth_tilted", "planes.png"), "earth_tilted"),
    picture("jupiter", 1400, drawn("jupiter", "planes.png"), "jupiter"),
    picture("turbulence_vorticity", 240, drawn("forced_hit_128", "vorticity.png", *SMALL_HIT), "64³, forced"),
    picture("forced_scalar", 480, drawn("forced_scalar", "scalar.png"), "forced_scalar"),
    picture("turbulence_spectrum", 240, drawn("forced_hit_128", "spectrum.png", *SMALL_HIT), "64³, forced"),
    picture(
        "turbulence_taylor_green", 3600, drawn("taylor_green_1600", "dissipation.png"), "taylor_green_1600"
    ),
    picture("compressible_schlieren", 600, drawn("decaying_mach05", "schlieren.png"), "decaying_mach05"),
    picture(
        "turbulence_disk",
        600,
        by_script("turbulence_disk.py", "--points", 256, "--turns", 2, "--steps", 1),
        "bench/turbulence_disk.py",
    ),
)

CATALOGUE = {figure.name: figure for figure in (*COMPUTED, *MEASURED, *PICTURES)}
