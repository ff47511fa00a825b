# SPDX-License-Identifier: Apache-2.0
"""Every table of the documents that is computed: where it stands, how, how long that takes. With the pictures
of picture_catalogue.py these are all figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from . import cavities, commands, runs, wire
from .cavity_paper import cavity_paper, cavity_speeds
from .cg_paper import cg_paper, cg_paper_speeds
from .commands import table_of
from .figure import on
from .halo_paper import halo_paper
from .other_codes import other_codes
from .paper_machines import dendrite_paper, dendrite_simulated
from .passes import PASSES
from .picture_catalogue import PICTURES
from .planets import PLANETS
from .turbulence_paper import turbulence_paper
from .weak_scaling import shared_links, weak_scaling

CAVITY, DENDRITE, CG = (f"solvers/{name}/README.md" for name in ("cavity", "dendrite", "cg"))
TURBULENCE, PUBLISHED, FORESIGHT = "solvers/turbulence/README.md", "docs/published.md", "docs/foresight.md"
SYSTEMS, LARGE = "cg_preconditioners.py", "--rows 1443000 --only 'in space'"


def nickel(script: str) -> Callable[[Path], list[str]]:
    return table_of(f"cases/nickel_small/{script}.py", called=f"nickel_{script}")


COMPUTED = (
    on("linear_wave", runs.linear_wave, 12, "errors of four waves", 1e-3),
    on("linear_wave", runs.linear_wave_cycles, 2, "the same by theory, for other cycles", 1e-3),
    on("blast", runs.blast, 60, "the blast wave against HLLD", 1e-2),
    on("field_loop", runs.field_loop, 20, "what a field loop keeps", 1e-2),
    on("brio_wu", runs.brio_wu, 20, "the shock tube against HLLD", 2e-3),
    on("orszag_tang", runs.orszag_tang, 90, "pressure on two lines", 1e-2),
    on("forced_hit_128", runs.forced_hit_128, 800, "forced turbulence against published spectra", 1e-1),
    on(TURBULENCE, runs.forced_hit_structure, 700, "its structure functions against Kolmogorov's laws", 5e-2),
    on("forced_hit_128", runs.forced_hit_thirds, 150, "how steady forced turbulence is, by its seed", 1e-1),
    on("forced_hit_128", runs.forced_hit_256, 2400, "the same out of core, on 256³ points", 1e-1),
    on("forced_scalar", runs.forced_scalar, 400, "the budget of a passive scalar", 1e-1),
    on(
        "taylor_green_1600",
        runs.taylor_green_256,
        900,
        "the Taylor-Green vortex on 256³ points against the DNS",
        2e-2,
    ),
    on(
        "taylor_green_mach01",
        runs.taylor_green_mach01,
        5400,
        "the Taylor-Green vortex in a gas against the DNS",
        2e-2,
    ),
    on("cavity_re100", cavities.cavity_coarse, 20, "coarse cubes", 1e-2),
    on("cavity_re400", cavities.cavity_re400, 900, "Re = 400", 2e-2),
    on("cavity_re1000", cavities.cavity_re1000, 2700, "Re = 1000", 1e-3),
    on("cavity_re1000", cavities.cavity_re1000_coarse, 200, "Re = 1000 against published profiles", 2e-2),
    on("cavity_re1000", cavities.cavity_re1000_starts, 1000, "Re = 1000 against the published extrema", 2e-3),
    on("cavity_paper_a", cavities.cavity_paper_a, 60, "the paper's first grid"),
    on("cavity_paper_b", cavities.cavity_paper_b, 1900, "the paper's second grid"),
    on("channel", cavities.channel, 60, "the development of a channel's flow", 1e-2),
    on(
        "backward_step",
        cavities.backward_step,
        3000,
        "separation behind a step against published lengths",
        1e-2,
    ),
    on(CAVITY, commands.cavity_orders, 20, "orders of the discretisation", 1e-2),
    on(CAVITY, commands.cavity_cube, 3600, "the cube, by the serial reference", 1e-2),
    on(CG, commands.cg_volume, 90, "bytes of a product of class A", 1e-3),
    on(CG, commands.cg_class_c, 300, "zeta of class C on 4 ranks", 1e-9),
    # rounding differs between processors, and with it when an iteration ends
    on(CG, table_of(SYSTEMS, "--accuracy", "cg_accuracy"), 6, "plain and pipelined iterations", 0.7),
    on(CG, table_of(SYSTEMS), 30, "what preconditioners leave", 0.05),
    on(CG, table_of(SYSTEMS, LARGE, "cg_preconditioners_large"), 60, "the same of 10⁷ non-zeros", 0.05),
    on(DENDRITE, commands.dendrite_work, 1, "operations and bytes of a cell", 0.0),
    on(DENDRITE, dendrite_paper, 40, "scaling on the paper's machine", 1e-3),
    on(PUBLISHED, dendrite_simulated, 90, "knees on the paper's machine by simulation (SimGrid)", 1e-2),
    on(PUBLISHED, turbulence_paper, 20, "turbulence in files on the paper's machine", 1e-3),
    on(PUBLISHED, cavity_paper, 120, "gains on the cavity's machines, also simulated (SimGrid)", 5e-2),
    on(PUBLISHED, cavity_speeds, 120, "speed-ups on the cavity's machines, also simulated (SimGrid)", 2e-2),
    on(PUBLISHED, halo_paper, 60, "signs of table 2 of the paper on halo threads", 1e-2),
    on(FORESIGHT, weak_scaling, 1300, "weak scaling to 4096 simulated ranks (SimGrid)", 1e-2),
    on(
        FORESIGHT,
        shared_links,
        40,
        "transforms whose messages share links, predicted and simulated (SimGrid)",
        1e-2,
    ),
    on(PUBLISHED, cg_paper, 180, "gains on the machines of the thesis on CG (SimGrid)", 1e-2),
    on(PUBLISHED, cg_paper_speeds, 60, "the bus that the thesis's equation asks for", 1e-2),
    on(PUBLISHED, other_codes, 15, "published tables of other codes", 1e-2),
    on(DENDRITE, commands.dendrite_fronts, 6, "speed of plane fronts", 1e-2),
    on("nickel_small", nickel("direction"), 20, "what the grid does to turned crystals", 1e-2),
    on("nickel_small", nickel("divergence"), 45, "what differences of fourth order gain", 1e-2),
    on("pfhub_3a", runs.pfhub_3a, 900, "a dendrite in a plane against uploads to PFHub", 2e-3),
)

MEASURED = (
    on("docs/benchmarks.md", commands.benchmarks, 600, "make bench"),
    on("docs/halo_thread.md", table_of("halo_thread.py"), 900, "whether a halo thread pays (root)"),
    *PASSES,
    on(
        "solvers/compressible/README.md",
        wire.compressible_wire,
        100,
        "what strategies hide of its messages, emulated hosts (root)",
    ),
    on(
        "docs/explanation/hiding.md",
        wire.hiding_wire,
        90,
        "gains of overlap and their ceilings, emulated wires (root)",
    ),
    on("bench/README.md", commands.turbulence_peer, 900, "against fluidsim (PyPI)"),
    on(CG, commands.ksp, 60, "an iteration against PETSc's KSPCG (where it is installed)"),
    on(CG, commands.npb_peer, 900, "against NPB-CPP (its checkout)"),
    on("docs/files.md", commands.attack, 1800, "make attack: kills, limits, bad input, damage"),
    on(DENDRITE, commands.dendrite_rates, 60, "cells a second"),
    on(
        TURBULENCE,
        table_of("turbulence_disk.py", "--points 256 --turns 1 --steps 2", called="turbulence_disk_256"),
        100,
        "fields in files, 256³",
    ),
    on(
        TURBULENCE,
        table_of("turbulence_disk.py", "--points 128 --turns 3 --steps 4", called="turbulence_disk_128"),
        80,
        "the same, 128³",
    ),
    on(
        TURBULENCE,
        table_of(
            "turbulence_disk.py",
            "--points 128 --turns 2 --steps 3 --files 2 8 32 --disk 400",
            called="turbulence_disk_slow",
        ),
        60,
        "the same on a slow disk (root)",
    ),
)

CATALOGUE = {figure.name: figure for figure in (*COMPUTED, *PLANETS, *MEASURED, *PICTURES)}
