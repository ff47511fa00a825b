# SPDX-License-Identifier: Apache-2.0
"""Every table of the documents that is computed: where it stands, how, how long that takes. With the pictures
of picture_catalogue.py these are all figures."""

from __future__ import annotations

from . import (
    cavities,
    cg_paper,
    commands,
    halo_paper,
    other_codes,
    paper_machines,
    runs,
    turbulence_paper,
    weak_scaling,
    wire,
)
from .figure import Figure
from .passes import PASSES
from .picture_catalogue import PICTURES
from .planets import PLANETS

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
    Figure("cg_class_c", CG, 300, "zeta of class C on 4 ranks", commands.cg_class_c, 1e-9),
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
        "nickel_divergence",
        "cases/nickel_small/README.md",
        30,
        "what differences of fourth order gain",
        runs.nickel_divergence,
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
)

MEASURED = (
    Figure("benchmarks", "docs/benchmarks.md", 600, "make bench", commands.benchmarks),
    Figure(
        "halo_thread",
        "docs/halo_thread.md",
        900,
        "whether a halo thread pays (root)",
        commands.table_of("halo_thread.py"),
    ),
    *PASSES,
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
        commands.table_of("turbulence_disk.py", "--points", 256, "--turns", 2, "--steps", 1),
    ),
    Figure(
        "turbulence_disk_128",
        TURBULENCE,
        300,
        "the same, 128³",
        commands.table_of("turbulence_disk.py", "--points", 128, "--turns", 7, "--steps", 4),
    ),
    Figure(
        "turbulence_disk_slow",
        TURBULENCE,
        300,
        "the same on a slow disk (root)",
        commands.table_of("turbulence_disk.py", "--points", 128, "--turns", 2, "--steps", 3, "--disk", 400),
    ),
)

CATALOGUE = {figure.name: figure for figure in (*COMPUTED, *PLANETS, *MEASURED, *PICTURES)}
