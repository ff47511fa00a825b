# SPDX-License-Identifier: Apache-2.0
"""Dendrite and Magnetosphere from Python: the bits of the program's runs, pictures, wrong arguments."""

import json
import re
import shutil

import pytest

from conftest import QUIET, summary
from stencil_runs import each_call

CRYSTAL = """
solver = "dendrite"
[grid]
cells = [20, 18, 16]
[start]
precision = "double"
noise_seed = 7
[boundaries]
"x-" = "symmetry"
"y-" = "symmetry"
"z-" = "symmetry"
[[seeds]]
centre = [0.0, 0.0, 0.0]
radius = 0.1
[run]
steps = 12
"""

SAME_CRYSTAL = """
import h5py
import numpy as np
import subcurrent as sc

corner = {face: "symmetry" for face in ("x-", "y-", "z-")}
sim = sc.Dendrite((20, 18, 16), precision="double", noise_seed=7, boundaries=corner,
                  seeds=[{"centre": [0.0, 0.0, 0.0], "radius": 0.1}])
seen = []
sim.run(steps=5, each=lambda report: seen.append(report["step"]))
assert seen == [1, 2, 3, 4, 5]
low, high = sim.local_box
assert sim.phase.shape == tuple(high[axis] - low[axis] for axis in (2, 1, 0))
sim.save("five.h5")
sim.run(steps=2)
sim.load("five.h5")
last = sim.run(steps=7)
tip, arms = last["tip"], sim.arms()
assert max(arms) == tip, (arms, tip)
sim.plot("temperature.png")
sim.plot("outlines.png", kind="outlines")
mine = {name: sim.gather(name) for name in ("phase", "temperature_above_melting")}
passes = sc.Dendrite((20, 18, 16), precision="double", noise_seed=7, boundaries=corner,
                     seeds=[{"centre": [0.0, 0.0, 0.0], "radius": 0.1}], engine={"steps_per_pass": 5})
after = passes.run(steps=12)
assert all(after[name] == last[name] for name in ("step", "time", "solid", "total", "tip"))
assert passes.terms()["passes"].startswith("12 steps in 3 passes"), passes.terms()["passes"]
again = passes.gather("phase")
assert again is None or np.array_equal(again, mine["phase"])
if mine["phase"] is not None:
    with h5py.File("r/snapshots/snapshot_00000012.vtkhdf") as file:
        for name, values in mine.items():
            theirs = file[f"fields/{name}"][...]
            assert theirs.dtype == values.dtype == np.float64
            assert theirs.std() > 0 and np.array_equal(theirs, values), name
    print("all good", sim, repr(last["solid"]))
"""

VORTEX = """
solver = "magnetosphere"
[plasma]
initial = "orszag_tang"
[grid]
points = [20, 20, 2]
spacing = 0.05
[diffusion]
smoothing = 0.05
heating = true
[run]
steps = 12
courant = 0.3
"""

SAME_VORTEX = """
import math
import h5py
import numpy as np
import subcurrent as sc

sim = sc.Magnetosphere((20, 20, 2), spacing=0.05, initial="orszag_tang", courant=0.3,
                       diffusion={"smoothing": 0.05, "heating": True})
last = sim.run(steps=12)
assert sim.magnetic.shape[0] == 3 and sim.density.shape == sim.pressure.shape == sim.velocity.shape[1:]
assert sim.measure()["divergence"] == last["divergence"]
assert math.isnan(sim.standoff().shock)
sim.plot("vortex.png")
mine = {name: sim.gather(name) for name in ("density", "velocity", "pressure", "magnetic")}
if mine["density"] is not None:
    with h5py.File("r/snapshots/snapshot_00000012.vtkhdf") as file:
        for name, values in mine.items():
            theirs = file[f"fields/{name}"][...]
            theirs = np.moveaxis(theirs, -1, 0) if values.ndim == 4 else theirs
            assert theirs.std() > 0 and np.array_equal(theirs, values), name
    print("all good", sim, repr(last["energy"]))
"""

PLANET = """
import numpy as np
import subcurrent as sc

faces = {"x-": "wind", "x+": "free", "y-": "mirror", "y+": "free", "z-": "equator", "z+": "free"}
sim = sc.Magnetosphere((30, 12, 12), spacing=3.0, low=(-45.0, 0.0, 0.0), boundaries=faces,
                       wind={"density": 5, "velocity": [300, 0, 0], "temperature": 2e5})
sim.run(steps=3)
found, axis = sim.standoff(), sim.axis()
assert (axis is None) == (sim.local_box[0] != (0, 0, 0))
if axis is not None:
    assert len(axis["x"]) == 30 and axis["x"][0] == -45.0
    assert np.isnan(found.shock)  # three steps in, the wind has not been compressed yet
sim.plot("planes.png")
sim.plot("axis.png", kind="axis")
sim.plot("polar_cap.png", kind="polar_cap")
caps = sim.convection(nodes=15)
assert (caps is None) == (axis is None)
if caps is not None:
    assert caps.north.lost == 0 and caps.north.curl < 1
    print("caps", repr(caps.north.open_flux), repr(caps.north.potential), repr(caps.neutral_line))
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    ("case", "script", "measured", "pictures"),
    [
        (CRYSTAL, SAME_CRYSTAL, "solid", ("temperature", "outlines")),
        (VORTEX, SAME_VORTEX, "energy", ("vortex",)),
    ],
    ids=["dendrite", "magnetosphere"],
)
def test_a_script_leaves_the_bits_of_the_program(program, made_once, ranks, case, script, measured, pictures):
    made = made_once(case, "-n", "1", *QUIET, "--set", "output.history_every=1")
    last = summary(shutil.copytree(made, program.folder / "r"))["last_step"]
    done = program.script(script, ranks=ranks)
    assert done.stdout.startswith("all good <")
    assert float(done.stdout.split()[-1]) == last[measured]
    for name in pictures:
        assert (program.folder / f"{name}.png").stat().st_size > 10_000


@pytest.mark.mpi
def test_a_planet_from_python(program):
    """The polar cap is the same on any number of ranks."""
    said = set()
    for ranks in (1, 2):
        done = program.script(PLANET, ranks=ranks)
        said.add(done.stdout)
        for name in ("planes", "axis", "polar_cap"):
            picture = program.folder / f"{name}.png"
            assert picture.stat().st_size > 10_000
            picture.unlink()
    assert len(said) == 1, said
    assert said.pop().startswith("caps ")


WRONG = [
    ("sc.Dendrite((8, 8))", "grid.cells"),
    ("sc.Dendrite((8, 8, 8), seds=[])", '"seeds"'),
    ("sc.Dendrite((8, 8, 8), material={'noize': 0})", "did you mean material.noise"),
    ("sc.Dendrite((8, 8, 8), dt=1e-12, safety=0.5)", "give only one"),
    ("sc.Magnetosphere((8, 8, 8), spacing=1, initial='earth')", 'plasma.initial = "earth"'),
    ("sc.Magnetosphere((8, 8, 8), spacing=1)", "cannot have periodic faces"),
    ("sc.Magnetosphere((8, 8, 8), spacing=0, initial='blast')", "grid.spacing = 0"),
    ("sc.Magnetosphere((8, 8, 8), spacing=1, initial='blast', plasma=5 / 3)", "plasma = "),
    ("crystal.run()", "exactly one of"),
    ("crystal.gather('phi')", '"phase"'),
    ("crystal.plot('x.png', kind='surface')", '"outlines"'),
    ("plasma.plot('x.png', kind='axis')", "axis"),
    ("plasma.convection()", 'plasma.initial = "blast" has no planet'),
    ("plasma.convection(nodes=2)", "nodes = 2"),
    ("setattr(crystal, 'phas', 0)", "did you mean phase"),
    ("setattr(crystal, 'noise_sed', 0)", "did you mean noise_seed"),
    ("setattr(crystal, 'temperature', 0)", "an argument of Dendrite"),
    ("setattr(crystal, 'phase', 0)", "phase of Dendrite cannot be set"),
    ("setattr(plasma, 'densty', 0)", "did you mean density"),
    ("setattr(plasma, 'pressure', 0)", "pressure of Magnetosphere cannot be set"),
    ("setattr(flow, 'velocty', 0)", "did you mean velocity"),
    ("setattr(flow, 'pressure', 0)", "pressure of Cavity cannot be set"),
    ("setattr(vortex, 'viscositty', 0)", "did you mean viscosity"),
    ("setattr(vortex, 'modes', 0)", "modes of Turbulence cannot be set"),
    ("setattr(gas, 'mack', 0)", "did you mean mach"),
    ("setattr(gas, 'time', 0)", "time of Compressible cannot be set"),
    ("setattr(transform, 'precison', 0)", "did you mean precision"),
    ("setattr(transform, 'cells', 0)", "cells of FFT cannot be set"),
    ("vortex.gather('vortex')", '"vorticity"'),
    ("gas.gather('speed')", '"dilatation"'),
    ("flow.gather('speed')", '"coordinates"'),
    ("sc.Turbulence((8, 8, 8), dt=0.1, reynolds=1, forcng={})", '"forcing"'),
    ("sc.Compressible((8, 8, 8), spectrum={})", '"scheme"'),
    ("sc.Cavity(grid, reynolds=-1)", "flow.reynolds = -1"),
    ("sc.Cavity(grid, reynolds=100, upwnd='utopia')", "did you mean flow.upwind"),
    ("sc.Cavity(grid, reynolds=100, engine={'strategy': 'fast'})", 'engine.strategy = "fast"'),
    ("sc.Cavity(grid, reynolds=100, engine={'split': [1, 1, 2]})", "makes 2 blocks for 1 ranks"),
    ("sc.Cavity(grid, reynolds=100, dt=0.1, courant=0.1)", "cannot be combined"),
    ("sc.Cavity(grid, reynolds=10, engine={'threads': 2})", "differ from this script's first"),
    ("flow.run()", "exactly one of"),
    ("flow.run(steps=1, time=1.0)", "exactly one of"),
    ("flow.run(until='tea')", "exactly one of"),
    ("flow.plot('x.png', kind='pie')", '"profiles", "flow" or "flow_3d"'),
]

CALLS = """
import subcurrent as sc
crystal = sc.Dendrite((8, 8, 8))
plasma = sc.Magnetosphere((8, 8, 1), spacing=0.125, initial="blast")
grid = sc.CavityGrid((10, 10, 10))
flow = sc.Cavity(grid, reynolds=100)
vortex = sc.Turbulence((8, 8, 8), dt=0.1, reynolds=100)
gas = sc.Compressible((8, 8, 8))
transform = sc.FFT((8, 8, 8))
assert issubclass(sc.BadInput, ValueError)
"""


@pytest.mark.mpi
def test_what_cannot_be_is_one_sentence(program):
    done = program.script(CALLS + each_call("sc.BadInput"), json.dumps([call for call, _ in WRONG]))
    for (call, words), said in zip(WRONG, json.loads(done.stdout), strict=True):
        assert words in said, (call, said)
        assert said.endswith(".") and not re.search(r"\.\s", said) and "\n" not in said, said
