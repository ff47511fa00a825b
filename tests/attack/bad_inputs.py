# SPDX-License-Identifier: Apache-2.0
"""Good case files, and what is put beside them: options that cannot be, values that no key can have."""

from __future__ import annotations

CAVITY = """solver = "cavity"
[flow]
reynolds = 100
[grid]
points = [12, 12, 12]
[run]
steps = 2
"""
TURBULENCE = """solver = "turbulence"
[flow]
viscosity = 0.02
initial = "random"
[grid]
points = [12, 12, 12]
[scheme]
dt = 0.02
[run]
steps = 2
"""
DENDRITE = 'solver = "dendrite"\n[grid]\ncells = [12, 12, 12]\n[run]\nsteps = 2\n'
PLASMA = """solver = "magnetosphere"
[plasma]
initial = "orszag_tang"
[grid]
points = [10, 10, 12]
spacing = 0.1
[run]
steps = 2
"""
CASES = {
    "cavity.toml": CAVITY,
    "turbulence.toml": TURBULENCE,
    "dendrite.toml": DENDRITE,
    "plasma.toml": PLASMA,
}

# No number, no word of any key, no table.
VALUES = (
    "nan",
    "inf",
    "-inf",
    "-1",
    "-1e300",
    "1e300",
    "1e-320",
    "9" * 30,
    "9" * 5000,
    "0x" + "f" * 5000,
    "true",
    "[]",
    "[[]]",
    "[1,[2]]",
    "{}",
    "{a=1}",
    "[" * 3000,
    "{a=" * 2000,
    '""',
    '"\\u0000"',
    '"a\\nb"',
    '"\\u202e"',
    "1979-05-27",
    "07:32:00",
    "'''",
    '"' + "x" * 100_000 + '"',
    "1 2",
    "=",
    "[1,2,3,4]",
    "[1.5,2,3]",
    "[-1,4,4]",
    "[1e9,1e9,1e9]",
    "[99999999999,4,4]",
    "0",
    "0.0",
    "-0.0",
    "1e-70",
    "1e70",
)
KEYS = {
    "cavity.toml": (
        "solver",
        "flow.reynolds",
        "grid.points",
        "grid.clustering",
        "grid.skew",
        "grid.file",
        "boundaries.z+",
        "pressure.method",
        "pressure.tolerance",
        "run.steps",
        "run.dt",
        "engine.split",
        "engine.threads",
        "engine.poke_ms",
        "output.every",
        "output.history_every",
        "run",
    ),
    "turbulence.toml": (
        "flow.initial",
        "spectrum.peak",
        "spectrum.shape",
        "spectrum.seed",
        "scheme.dt",
        "storage.memory",
        "storage.pieces",
        "forcing.kmax",
        "grid.points",
    ),
    "dendrite.toml": ("material.name", "material.anisotropy", "seeds", "start.temperature", "grid.spacing"),
    "plasma.toml": ("plasma.gamma", "wind", "planet", "run.cycle", "limits.density", "grid.low"),
}
FLAGS = (
    ("nothing",),
    ("run",),
    ("run", ""),
    ("run", "nowhere"),
    ("run", "."),
    ("run", "x" * 5000),
    ("run", "/"),
    ("run", "/dev/null"),
    ("run", "cavity.toml", "-n", "0"),
    ("run", "cavity.toml", "-n", "-3"),
    ("run", "cavity.toml", "-n", "1.5"),
    ("run", "cavity.toml", "-n", "two"),
    ("run", "cavity.toml", "-n", ""),
    ("run", "cavity.toml", "-n", "1e3"),
    ("run", "cavity.toml", "--threads", "0"),
    ("run", "cavity.toml", "--threads", "-1"),
    ("run", "cavity.toml", "--threads", "nan"),
    ("run", "cavity.toml", "--strategy", ""),
    ("run", "cavity.toml", "--strategy", "fastest"),
    ("run", "cavity.toml", "--strategy", 'x"y'),
    ("run", "cavity.toml", "--strategy", "a\nb"),
    ("run", "cavity.toml", "--device", "tpu"),
    ("run", "cavity.toml", "--device", "cuda"),
    ("run", "cavity.toml", "--device", '"'),
    ("run", "cavity.toml", "--set"),
    ("run", "cavity.toml", "--set", ""),
    ("run", "cavity.toml", "--set", "="),
    ("run", "cavity.toml", "--set", "a"),
    ("run", "cavity.toml", "--set", "a="),
    ("run", "cavity.toml", "--set", ".=1"),
    ("run", "cavity.toml", "--set", "..=1"),
    ("run", "cavity.toml", "--set", "flow.reynolds.x=1"),
    ("run", "cavity.toml", "--set", ".".join("a" * 3000) + "=1"),
    ("run", "cavity.toml", "--set", "x" * 100_000 + "=1"),
    ("run", "cavity.toml", "--set", "a=1\nb=2"),
    ("run", "cavity.toml", "--set", "ü.ö=1"),
    ("run", "cavity.toml", "--out"),
    ("run", "cavity.toml", "--out", "cavity.toml"),
    ("run", "cavity.toml", "--resume"),
    ("run", "cavity.toml", "--resume", "--overwrite"),
    ("run", "cavity.toml", "--out", ".", "--overwrite"),
    ("run", "cavity.toml", "--nothing"),
    ("run", "cavity.toml", "turbulence.toml"),
    ("new",),
    ("new", "cavity.toml"),
    ("new", "made", "--from", "nowhere"),
    ("new", "made", "--from", "latin.toml"),
    ("new", "x" * 300, "--from", "cavity.toml"),
    ("report",),
    ("report", "nowhere"),
    ("report", "."),
    ("report", "cavity.toml"),
    ("report", "x" * 5000),
    ("strategies",),
    ("strategies", "cavity.toml", "--strategies", "fastest"),
    ("strategies", "cavity.toml", "--strategies", "blocking,,x"),
    ("strategies", "cavity.toml", "--steps", "0"),
    ("strategies", "cavity.toml", "--steps", "-1"),
    ("strategies", "cavity.toml", "--repeats", "0"),
    ("strategies", "cavity.toml", "--sweeps", "0"),
    ("strategies", "cavity.toml", "--sweeps", "99999999999"),
    ("strategies", "turbulence.toml", "--strategies", "pipelined"),
    ("strategies", "cavity.toml", "-n", "0"),
    ("strategies", "cavity.toml", "--steps", "x"),
    ("probe",),
    ("probe", "--wait", "--sizes", ""),
    ("probe", "--wait", "--sizes", "7"),
    ("probe", "--wait", "--sizes", "-8"),
    ("probe", "--wait", "--sizes", "8,x"),
    ("probe", "--wait", "--sizes", "9" * 40),
    ("probe", "--wait", "--sizes", "9" * 5000),
    ("probe", "--wait", "--sizes", "80000000000000"),
    ("probe", "--wait", "--cover", "0"),
    ("probe", "--wait", "--cover", "nan"),
    ("probe", "--wait", "--cover", "inf"),
    ("probe", "--wait", "--cover", "1e300"),
    ("probe", "--wait", "--repeats", "0"),
    ("probe", "--wait", "--transport", "pigeon"),
    ("probe", "--wait", "-n", "1"),
    ("probe", "--wait", "-n", "-1"),
    ("cg",),
    ("cg", "--class", "Z"),
    ("cg", "--class", ""),
    ("cg", "--class", "S", "--matrix", "m.mtx"),
    ("cg", "--class", "S", "--tol", "1e-3"),
    ("cg", "--class", "S", "-n", "-1"),
    ("cg", "--class", "S", "--threads", "0"),
    ("cg", "--class", "S", "--depth", "0"),
    ("cg", "--class", "S", "--depth", "99999999999"),
    ("cg", "--class", "S", "--partition", "cube"),
    ("cg", "--class", "S", "--strategy", "x"),
    ("cg", "--class", "S", "--transport", "x"),
    ("cg", "--matrix", "nowhere.mtx"),
    ("cg", "--matrix", "."),
    ("cg", "--matrix", "good.mtx", "--tol", "0"),
    ("cg", "--matrix", "good.mtx", "--tol", "nan"),
    ("cg", "--matrix", "good.mtx", "--tol", "-1"),
    ("cg", "--matrix", "good.mtx", "--iterations", "-1"),
    ("cg", "--matrix", "good.mtx", "--block", "0"),
    ("cg", "--matrix", "good.mtx", "--preconditioner", "magic"),
    ("cg", "--matrix", "good.mtx", "--rhs", "nowhere.npy"),
    ("cg", "--matrix", "good.mtx", "--rhs", "good.mtx"),
)
