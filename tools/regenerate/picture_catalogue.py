# SPDX-License-Identifier: Apache-2.0
"""Every picture of the documents that is drawn from a run: how, how long that takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from . import cavity_paper, other_codes_picture, paper_machines, planets
from .figure import Figure
from .pictures import by_distance, by_script, by_tutorial, drawn, plotted

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
    picture("channel", 15, drawn("channel", "flow.png", ranks=1), "channel"),
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
    picture("cavity_paper", 120, cavity_paper.cavity_picture, "subcurrent predict, simulated (SimGrid)"),
    picture("other_codes", 20, other_codes_picture.other_codes_picture, "published tables of other codes"),
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
    picture("earth_south", 480, drawn("earth_south", "planes.png"), "earth_south"),
    picture("earth_south_view", 480, drawn("earth_south", "view.png"), "earth_south"),
    picture("earth_south_polar_cap", 60, planets.earth_south_polar_cap, "earth_south, spacing 1"),
    picture("earth_tilted", 180, drawn("earth_tilted", "planes.png"), "earth_tilted"),
    picture("jupiter", 900, drawn("jupiter", "planes.png"), "jupiter"),
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
