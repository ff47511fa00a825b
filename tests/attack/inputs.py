# SPDX-License-Identifier: Apache-2.0
"""Bad inputs: options, --set values, case files, CSV files, matrices, grid files, and calls from Python."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .attempt import SECONDS, End, Tally, attempt, part_of, program

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
points = [12, 12, 12]
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
    "nan", "inf", "-inf", "-1", "-1e300", "1e300", "1e-320", "9" * 30, "9" * 5000, "0x" + "f" * 5000, "true",
    "[]", "[[]]", "[1,[2]]", "{}", "{a=1}", "[" * 3000, "{a=" * 2000, '""', '"\\u0000"', '"a\\nb"', '"\\u202e"',
    "1979-05-27", "07:32:00", "'''", '"' + "x" * 100_000 + '"', "1 2", "=", "[1,2,3,4]", "[1.5,2,3]",
    "[-1,4,4]", "[1e9,1e9,1e9]", "[99999999999,4,4]", "0", "0.0", "-0.0", "1e-70", "1e70",
)  # fmt: skip
KEYS = {
    "cavity.toml": (
        "solver", "flow.reynolds", "grid.points", "grid.clustering", "grid.skew", "grid.file",
        "boundaries.z+", "pressure.method", "pressure.tolerance", "run.steps", "run.dt", "engine.split",
        "engine.threads", "engine.poke_ms", "output.every", "output.history_every", "run",
    ),
    "turbulence.toml": (
        "flow.initial", "spectrum.peak", "spectrum.shape", "spectrum.seed", "scheme.dt", "storage.memory",
        "storage.files", "forcing.kmax", "grid.points",
    ),
    "dendrite.toml": ("material.name", "material.anisotropy", "seeds", "start.temperature", "grid.spacing"),
    "plasma.toml": ("plasma.gamma", "wind", "planet", "run.cycle", "limits.density", "grid.low"),
}  # fmt: skip
FLAGS = (
    ("nothing",), ("run",), ("run", ""), ("run", "nowhere"), ("run", "."), ("run", "x" * 5000), ("run", "/"),
    ("run", "/dev/null"), ("run", "cavity.toml", "-n", "0"), ("run", "cavity.toml", "-n", "-3"),
    ("run", "cavity.toml", "-n", "1.5"), ("run", "cavity.toml", "-n", "two"), ("run", "cavity.toml", "-n", ""),
    ("run", "cavity.toml", "-n", "1e3"), ("run", "cavity.toml", "--threads", "0"),
    ("run", "cavity.toml", "--threads", "-1"), ("run", "cavity.toml", "--threads", "nan"),
    ("run", "cavity.toml", "--strategy", ""), ("run", "cavity.toml", "--strategy", "automatic"),
    ("run", "cavity.toml", "--strategy", 'x"y'), ("run", "cavity.toml", "--strategy", "a\nb"),
    ("run", "cavity.toml", "--device", "tpu"), ("run", "cavity.toml", "--device", "cuda"),
    ("run", "cavity.toml", "--device", '"'), ("run", "cavity.toml", "--set"), ("run", "cavity.toml", "--set", ""),
    ("run", "cavity.toml", "--set", "="), ("run", "cavity.toml", "--set", "a"), ("run", "cavity.toml", "--set", "a="),
    ("run", "cavity.toml", "--set", ".=1"), ("run", "cavity.toml", "--set", "..=1"),
    ("run", "cavity.toml", "--set", "flow.reynolds.x=1"), ("run", "cavity.toml", "--set", ".".join("a" * 3000) + "=1"),
    ("run", "cavity.toml", "--set", "x" * 100_000 + "=1"), ("run", "cavity.toml", "--set", "a=1\nb=2"),
    ("run", "cavity.toml", "--set", "ü.ö=1"), ("run", "cavity.toml", "--out"), ("run", "cavity.toml", "--out", "cavity.toml"),
    ("run", "cavity.toml", "--resume"), ("run", "cavity.toml", "--resume", "--overwrite"),
    ("run", "cavity.toml", "--out", ".", "--overwrite"), ("run", "cavity.toml", "--nothing"),
    ("run", "cavity.toml", "turbulence.toml"), ("new",), ("new", "cavity.toml"), ("new", "made", "--from", "nowhere"),
    ("new", "made", "--from", "latin.toml"), ("new", "x" * 300, "--from", "cavity.toml"), ("report",), ("report", "nowhere"), ("report", "."),
    ("report", "cavity.toml"), ("report", "x" * 5000), ("strategies",), ("strategies", "cavity.toml", "--strategies", "fastest"),
    ("strategies", "cavity.toml", "--strategies", "blocking,,x"), ("strategies", "cavity.toml", "--steps", "0"),
    ("strategies", "cavity.toml", "--steps", "-1"), ("strategies", "cavity.toml", "--repeats", "0"),
    ("strategies", "cavity.toml", "--sweeps", "0"), ("strategies", "cavity.toml", "--sweeps", "99999999999"),
    ("strategies", "turbulence.toml"), ("strategies", "cavity.toml", "-n", "0"), ("strategies", "cavity.toml", "--steps", "x"),
    ("probe",), ("probe", "--wait", "--sizes", ""), ("probe", "--wait", "--sizes", "7"), ("probe", "--wait", "--sizes", "-8"),
    ("probe", "--wait", "--sizes", "8,x"), ("probe", "--wait", "--sizes", "9" * 40), ("probe", "--wait", "--sizes", "9" * 5000),
    ("probe", "--wait", "--sizes", "80000000000000"), ("probe", "--wait", "--cover", "0"), ("probe", "--wait", "--cover", "nan"),
    ("probe", "--wait", "--cover", "inf"), ("probe", "--wait", "--cover", "1e300"), ("probe", "--wait", "--repeats", "0"),
    ("probe", "--wait", "--transport", "pigeon"), ("probe", "--wait", "-n", "1"), ("probe", "--wait", "-n", "-1"),
    ("cg",), ("cg", "--class", "Z"), ("cg", "--class", ""), ("cg", "--class", "S", "--matrix", "m.mtx"), ("cg", "--class", "S", "--tol", "1e-3"),
    ("cg", "--class", "S", "-n", "-1"), ("cg", "--class", "S", "--threads", "0"), ("cg", "--class", "S", "--depth", "0"),
    ("cg", "--class", "S", "--depth", "99999999999"), ("cg", "--class", "S", "--partition", "cube"), ("cg", "--class", "S", "--strategy", "x"),
    ("cg", "--class", "S", "--transport", "x"), ("cg", "--matrix", "nowhere.mtx"), ("cg", "--matrix", "."), ("cg", "--matrix", "good.mtx", "--tol", "0"),
    ("cg", "--matrix", "good.mtx", "--tol", "nan"), ("cg", "--matrix", "good.mtx", "--tol", "-1"), ("cg", "--matrix", "good.mtx", "--iterations", "-1"),
    ("cg", "--matrix", "good.mtx", "--block", "0"), ("cg", "--matrix", "good.mtx", "--preconditioner", "magic"),
    ("cg", "--matrix", "good.mtx", "--rhs", "nowhere.npy"), ("cg", "--matrix", "good.mtx", "--rhs", "good.mtx"),
)  # fmt: skip
# Whole case files.
TEXTS = (
    "", "\0", "\xff\xfe", "solver", "solver =", "solver = 1", "solver = []", 'solver = ["cavity"]', "[[solver]]\nname = 1",
    "[solver]", 'solver = "cavty"', 'solver = "cavity"', 'solver = "cavity"\nsolver = "cavity"', "a = " + "[" * 5000,
    "a = " + "{b = " * 3000, "x = " + "9" * 5000, "x = 0x" + "f" * 5000, CAVITY + "[flow]\n", CAVITY + "[extra]\n", CAVITY + "[[grid]]\n",
    CAVITY.replace("[12, 12, 12]", "12"), CAVITY.replace("[12, 12, 12]", "[12, 12]"), CAVITY.replace("[12, 12, 12]", '["12", 12, 12]'),
    CAVITY.replace("[12, 12, 12]", "[4, 4, 4]"), CAVITY.replace("[12, 12, 12]", "[99999, 99999, 99999]"),
    CAVITY.replace("steps = 2", ""), CAVITY.replace("steps = 2", "steps = 2\ntime = 1.0"), CAVITY.replace("steps = 2", "steps = -2"),
    CAVITY.replace("steps = 2", "steps = 1e3"), CAVITY.replace("steps = 2", 'steps = "2"'), CAVITY.replace("100", "1e999"),
    CAVITY + "[engine]\nsplit = [0, 0, 0]\n", CAVITY + '[engine]\nsplit = "some"\n', CAVITY + "[engine]\nsplit = [9, 9, 9]\n",
    CAVITY + '[boundaries]\n"x-" = "periodic"\n', CAVITY + '[boundaries]\n"z+" = { moving = [1, 0, 1] }\n', CAVITY + '[boundaries]\n"z+" = { moving = [] }\n',
    CAVITY + "[pressure]\ncheck_every = 9\n", CAVITY + '[output]\nsnapshots = false\nevery = 1.0\n', CAVITY + '"a\\nb" = 1\n',
    CAVITY.replace("points", "pionts"), TURBULENCE.replace("[12, 12, 12]", "[11, 12, 12]"), TURBULENCE.replace('"random"', '"none.h5"'),
    TURBULENCE.replace('"random"', '"/dev/null"'), TURBULENCE.replace('"random"', '"x\\u0000.h5"'), TURBULENCE.replace("dt = 0.02", ""),
    TURBULENCE + "[spectrum]\npeak = 1e-3\nenergy = -1\n", TURBULENCE + '[spectrum]\nshape = "file"\n', TURBULENCE + '[engine]\nstrategy = "ordered"\n',
    TURBULENCE + '[storage]\nkind = "disk"\nmemory = "1 GiB"\n', TURBULENCE + '[storage]\nmemory = "lots"\n', TURBULENCE + '[storage]\nmemory = "' + "9" * 400 + ' GiB"\n',
    DENDRITE + "[[seeds]]\naxis = [1.0, 0.0, 0.0]\n", DENDRITE + "[[seeds]]\ncentre = [9.0, 9.0, 9.0]\n", DENDRITE + "seeds = []\n", DENDRITE + "[seeds]\n",
    DENDRITE + '[storage]\nkind = "host"\n', DENDRITE + "[storage]\npieces = 3\n", DENDRITE + "[start]\ntemperature = 9999.0\n",
    DENDRITE + '[material]\nname = "' + "x" * 1000 + '"\n', PLASMA.replace("orszag_tang", "planet"), PLASMA + "[wind]\ndensity = 1.0\n",
    PLASMA + "[planet]\nradius = 1e-59\n", PLASMA + '[boundaries]\n"x-" = "wind"\n', PLASMA + '[boundaries]\n"x-" = "oblique"\n"x+" = "oblique"\n', PLASMA + "[plasma]\n",
)  # fmt: skip
SPECTRA = (
    "", "k,E", "k,E\n", "k\n1\n", "a,b\n1,2\n", "k,E\n-1,1\n", "k,E\n1.5,1\n", "k,E\ninf,1\n", "k,E\nnan,1\n", "k,E\n1e18,1\n", "k,E\n1e300,1\n",
    "k,E\n1,-1\n", "k,E\n1,inf\n", "k,E\n1,nan\n", "k,E\n1,x\n", "k,E\n1\n", "k,E\n0,1\n", "k,E\n1,0\n", "k,E\n1,1\n1,1\n", "k,E\n99,1\n", "\0\0", "k,E\n1,\0\n", "k,E\n" + "1" * 200_000,
)  # fmt: skip
HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"
GOOD = HEAD + "2 2 2\n1 1 2.0\n2 2 3.0\n"
MATRICES = (
    "", "x", "%%MatrixMarket", HEAD, HEAD + "x", HEAD + "2 2", HEAD + "-2 -2 2\n", HEAD + "2 2 2\n1 1 2.0\n", HEAD + "2 2 1\n3 3 1.0\n", HEAD + "2 2 1\n0 0 1.0\n",
    HEAD + "2 2 2\n1 1 nan\n2 2 1\n", HEAD + "2 2 2\n1 1 inf\n2 2 1\n", HEAD + "2 2 2\n1 1 -1\n2 2 1\n", HEAD + "2 2 2\n1 1 0\n2 2 1\n", HEAD + "2 3 2\n1 1 1\n2 2 1\n",
    HEAD + "0 0 0\n", HEAD.replace("symmetric", "general") + "2 2 3\n1 1 2\n1 2 1\n2 2 2\n", HEAD.replace("real", "complex") + "1 1 1\n1 1 1 1\n",
    HEAD.replace("real", "pattern") + "2 2 1\n1 1\n", HEAD.replace("symmetric", "skew-symmetric") + "2 2 1\n2 1 1.0\n", HEAD + "2 2 2\n1 1 a\n2 2 b\n", HEAD + "\0\0\0",
)  # fmt: skip
SIDES = ("", "x", "1\n", "1\n2\n3\n", "1\nnan\n", "1\ninf\n", "1 2\n3 4\n", "\0", HEAD + "x")
GRIDS = (b"", b"x", b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + bytes(1000), b"\0" * 100_000)

API = (
    *(f"sc.Cavity(sc.Grid({points}), reynolds=100)" for points in (
        "(10.7, 12, 12)", "10", "None", "'abc'", "(12, 12)", "(12, 12, 12, 12)", "(-12, 12, 12)", "(True, 12, 12)", "(10**30, 12, 12)", "(4, 4, 4)",
        "(np.float64(12.5), 12, 12)", "[[12], 12, 12]", "(30000, 30000, 30000)", "(np.nan, 12, 12)", "'12'", "{}", "(12, 12, '12')")),
    *(f"sc.Cavity(sc.Grid((12, 12, 12)), reynolds={value})" for value in (
        "0", "-1", "float('nan')", "float('inf')", "'100'", "None", "[100]", "1e300", "10**400", "1j", "True", "1e-300")),
    *(f"sc.Cavity(sc.Grid((12, 12, 12)), reynolds=100, {more})" for more in (
        "courant=2", "dt=-1", "dt=1e-3, courant=0.1", "boundaries={'x-': 'periodic'}", "boundaries={'up': 'wall'}", "boundaries=[1]", "boundaries='wall'",
        "pressure={'method': 'magic'}", "pressure={'check_every': 9}", "engine={'strategy': 'automatic'}", "engine={'threads': 0}", "engine={'threads': 2}",
        "engine={'device': 'emulated'}", "engine={'split': [2, 2, 2]}", "upwind='quick'", "precision='half'", "viscosity=1", "initial='taylor_green'", "name='x'")),
    "sc.Cavity((12, 12, 12), reynolds=100)", "sc.Cavity(None, reynolds=100)", "sc.Cavity(sc.Grid((12, 12, 12), clustering='tanh'), reynolds=100)",
    "sc.Cavity(sc.Grid((12, 12, 12), clustering='tanh', smallest=9), reynolds=100)", "sc.Cavity(sc.Grid((12, 12, 12), clustering='skewed', smallest=0.01), reynolds=100)",
    "sc.Cavity(sc.Grid((12, 12, 12), clustering='file', file='a\\0b'), reynolds=100)", "sc.Cavity(sc.Grid((12, 12, 12), clustering='file', file='nowhere.h5'), reynolds=100)",
    *(f"sc.Turbulence({given})" for given in (
        "(10.7, 12, 12), reynolds=100, dt=0.01", "(11, 12, 12), reynolds=100, dt=0.01", "8, reynolds=100, dt=0.01", "None, reynolds=1, dt=1", "(12, 12, 12), reynolds=100, dt=-1",
        "(12, 12, 12), reynolds=100, dt=float('nan')", "(12, 12, 12), reynolds=100, dt='x'", "(12, 12, 12), dt=0.01", "(12, 12, 12), reynolds=1, viscosity=1, dt=0.01",
        "(12, 12, 12), reynolds=100, dt=0.01, initial='still'", "(12, 12, 12), reynolds=100, dt=0.01, initial='x.h5'", "(12, 12, 12), reynolds=100, dt=0.01, initial='random', spectrum={'peak': 1e-3}",
        "(12, 12, 12), reynolds=100, dt=0.01, spectrum={'peak': 2.0}", "(12, 12, 12), reynolds=100, dt=0.01, spectrum=3", "(12, 12, 12), reynolds=100, dt=0.01, scheme=3",
        "(12, 12, 12), reynolds=100, dt=0.01, forcing={'kind': 'magic'}", "(12, 12, 12), reynolds=100, dt=0.01, storage={'memory': 'x'}", "(12, 12, 12), reynolds=100, dt=0.01, magic={}",
        "(12, 12, 12), reynolds=100, dt=0.01, precision='half'", "(12, 12, 12), reynolds=100, dt=0.01, output={'every': 1.0}", "(30000, 30000, 30000), reynolds=100, dt=0.01",
        "(12, 12, 12), reynolds=100, dt=0.01, engine={'strategy': 'ordered'}", "(12, 12, 12), reynolds=100, dt=0.01, initial='a\\0.h5'")),
    *(f"sim.run({given})" for given in (
        "", "steps=-3", "steps=0", "steps=1.5", "steps='2'", "steps=None", "steps=True", "steps=float('nan')", "time=-1", "time=0", "time=float('nan')", "time=float('inf')", "time='1'",
        "steps=1, time=1", "'steady', steps=1", "'soon'", "'steady', tolerance=-1", "'steady', tolerance=float('nan')", "'steady', tolerance='x'", "steps=1, each=3")),
    *(f"sim.{name} = {value}" for name, value in (
        ("reynolds", 400), ("case", None), ("last", {}), ("steps", 3), ("time", 1.0), ("velocity", 0), ("pressure", 0), ("local_box", 0), ("anything", 1), ("step", None))),
    "sim.case.flow.reynolds = 400", "sim.case.extra = 1", "sc.Grid((12, 12, 12)).points = 3", "sc.Grid((12, 12, 12)).more = 3", "sim._solver.reynolds = 3", "fft.cells = (1, 1, 1)", "fft.anything = 1",
    *(f"sim.{call}" for call in (
        "save('')", "save('a\\0b')", "save(3)", "save(None)", "save('/nowhere/x.h5')", "save('.')", "load('')", "load('nowhere.h5')", "load('a\\0b')", "load('.')", "load('cavity.toml')", "load('/dev/null')",
        "load('pipe')", "snapshot('a\\0b')", "snapshot('')", "snapshot('/nowhere/x')", "snapshot(b'x')", "gather('magic')", "gather(3)", "gather('a\\0b')", "plot('x.png', 'magic')", "plot('a\\0b')", "plot('x.png', reference='nowhere.csv')")),
    *(f"sc.FFT({given})" for given in (
        "(10.7, 8, 8)", "8", "(8, 8)", "(0, 8, 8)", "(-8, 8, 8)", "'888'", "None", "(8, 8, '8')", "(30000, 30000, 30000)", "(8, 8, 8), largest_mode=1.5", "(8, 8, 8), largest_mode='x'", "(8, 8, 8), largest_mode=(1, 2)",
        "(8, 8, 8), process_grid=(0.5, 0)", "(8, 8, 8), process_grid=(3, 3)", "(8, 8, 8), process_grid=5", "(8, 8, 8), library='magic'", "(8, 8, 8), precision='half'", "(8, 8, 8), threads=0", "(8, 8, 8), threads=1.5",
        "(8, 8, 8), transport='pigeon'", "(float('nan'), 8, 8)")),
    *(f"sc.cg({given})" for given in (
        "None, None", "3, 3", "'A', 'b'", "np.eye(3), np.ones(2)", "np.eye(3), 'x'", "np.ones((2, 3)), np.ones(2)", "np.eye(3) * np.nan, np.ones(3)", "-np.eye(3), np.ones(3)", "np.eye(3) * 1j, np.ones(3)", "np.zeros((0, 0)), np.ones(0)",
        "np.eye(3), np.ones(3) * np.nan", "np.eye(3), np.ones(3), iterations=1.5", "np.eye(3), np.ones(3), iterations=-1", "np.eye(3), np.ones(3), iterations='x'", "np.eye(3), np.ones(3), tol=0", "np.eye(3), np.ones(3), tol=float('nan')",
        "np.eye(3), np.ones(3), tol='x'", "np.eye(3), np.ones(3), tol=None", "np.eye(3), np.ones(3), block=1.5", "np.eye(3), np.ones(3), depth=0", "np.eye(3), np.ones(3), depth=2.5", "np.eye(3), np.ones(3), partition='cube'", "np.eye(3), np.ones(3), partition=3",
        "np.eye(3), np.ones(3), strategy=None", "np.eye(3), np.ones(3), preconditioner=[]", "np.eye(3), np.ones(3), threads=0", "np.eye(3), np.ones(3), threads=1.5", "np.eye(3), np.ones(3), each=3")),
)  # fmt: skip


def run(budget: float = 1.0) -> dict[str, int]:
    """Every input on its own; the counts, of which FAULTS must be 0."""
    from subcurrent import cg_job, cg_plot, cli  # noqa: F401, PLC0415 - children need not load them again

    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="subcurrent-attack-") as made:
        for number, (name, files, arguments, accepted) in enumerate(part_of(list(_programs()), budget)):
            folder = Path(made) / f"{number:04d}"
            _fill(folder, files)
            before = _held(folder)
            end = attempt(program(arguments), folder)
            refused = tally.judge(name, end, accepted)
            if refused and _held(folder) != before:
                tally.fault(
                    "lost files" if before - _held(folder) else "wrong exits", name, "the folder has changed"
                )
        _python(tally, part_of(API, budget), Path(made))
    return tally.result()


def _programs() -> Iterator[tuple[str, dict, tuple[str, ...], bool]]:
    """A name, files beside the shared ones, the arguments, and whether it may be accepted."""
    for arguments in FLAGS:
        yield f"options {arguments!s:.80}", {}, arguments, False
    for case, keys in KEYS.items():
        for number, (key, value) in enumerate(itertools.product(keys, VALUES)):
            if number % 2 == 0 or len(value) > 100:
                arguments = ("run", case, "--dry-run", "--set", f"{key}={value}")
                yield f"{case} --set {key}={value:.40}", {}, arguments, True
    for text in TEXTS:
        yield f"case file {text!r:.80}", {"case.toml": text}, ("run", "case.toml", "--dry-run"), False
    for text in SPECTRA:
        sets = ("--set", "spectrum.shape=file", "--set", 'spectrum.file="e.csv"')
        yield f"spectrum {text!r:.60}", {"e.csv": text}, ("run", "turbulence.toml", "--dry-run", *sets), False
    for text in MATRICES:
        yield f"matrix {text!r:.80}", {"m.mtx": text}, ("cg", "--matrix", "m.mtx"), False
    for text in SIDES:
        yield (
            f"right side {text!r:.60}",
            {"b.txt": text},
            ("cg", "--matrix", "good.mtx", "--rhs", "b.txt"),
            False,
        )
    for text in GRIDS:
        sets = ("--set", "grid.clustering=file", "--set", 'grid.file="g.h5"', "--set", "output.figures=false")
        yield f"grid file {text!r:.60}", {"g.h5": text}, ("run", "cavity.toml", "--out", "r", *sets), False


def _fill(folder: Path, files: dict[str, str | bytes]) -> None:
    folder.mkdir()
    latin = {"latin.toml": '# f\xfcr\nsolver = "cavity"\n'.encode("latin-1")}
    for name, content in {**CASES, "good.mtx": GOOD, **latin, **files}.items():
        data = content if isinstance(content, bytes) else content.encode("latin-1", "replace")
        (folder / name).write_bytes(data)


def _held(folder: Path) -> set[tuple[str, bytes]]:
    """Files and what is in them; a run folder that MPI ranks have refused may hold its case."""
    inside = (
        path for path in folder.rglob("*") if path.is_file() and "r" not in path.relative_to(folder).parts
    )
    return {(str(path.relative_to(folder)), path.read_bytes()) for path in inside}


SESSION = """
import json, os, sys
import numpy as np, subcurrent as sc
os.mkfifo("pipe")
open("cavity.toml", "w").write("x")
sim = sc.Cavity(sc.Grid((12, 12, 12)), reynolds=100)
fft = sc.FFT((8, 8, 8))
for number, text in json.load(sys.stdin):
    print(json.dumps(["begin", number]), flush=True)
    try:
        exec(text)
        end = ["accepted", ""]
    except (ValueError, AttributeError, TypeError, sc.SubcurrentError) as error:
        end = ["refused", str(error)]
    except Exception as error:
        ours = type(error).__module__.startswith("subcurrent")
        end = ["refused" if ours else "other", f"{type(error).__name__}: {error}"]
    print(json.dumps(["end", number, *end]), flush=True)
"""


def _python(tally: Tally, calls: list[str], folder: Path) -> None:
    """The calls in one session; where one hangs or ends the process, the next goes on in another."""
    left = list(enumerate(calls))
    while left:
        work = Path(tempfile.mkdtemp(dir=folder))
        process = subprocess.Popen(
            [sys.executable, "-c", SESSION],
            cwd=work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        try:
            out, _ = process.communicate(json.dumps(left), timeout=SECONDS + 0.5 * len(left))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, _ = process.communicate()
        done = _count(tally, out, dict(left))
        if done is None:
            tally.fault("wrong exits", "python session", out[-500:])
            return
        if process.returncode and done < left[-1][0]:
            tally.counts["attempts"] += 1
            kind = "hangs" if process.returncode == -9 else "wrong exits"
            tally.fault(kind, calls[done], End(process.returncode, out[-300:], ""))
        left = [item for item in left if item[0] > done]


def _count(tally: Tally, out: str, calls: dict[int, str]) -> int | None:
    """Judges what the session said; the number of the last call that it began."""
    last = None
    for line in out.splitlines():
        if not line.startswith('["'):
            continue
        what, number, *end = json.loads(line)
        last = number
        if what == "begin":
            continue
        tally.counts["attempts"] += 1
        if end[0] == "refused" and end[1] and "\n" not in end[1]:
            tally.counts["refused"] += 1
        else:
            tally.fault("wrong exits", calls[number], f"{end[0]}: {end[1]:.300}")
    return last
