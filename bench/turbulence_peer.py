#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of a turbulence step against fluidsim's ns3d: same points, RK4, two thirds, rotational form, dt.

    bench/turbulence_peer.py [--points 128] [--ranks 1,2] [--rounds 5] [--steps 3]

The peer (fluidsim, fluidfft and its FFTW plugins, from PyPI) goes into a virtual environment of its own,
build/peer. Both programs take turns, round by round; the figure is the ratio of the medians. Prints
`result:` lines as bench/run.py reads them.
"""

import json
import os
import statistics
import sys
import venv
from pathlib import Path

import script

PEER = script.ROOT / "build" / "peer"
ONE_RANK = ("fluidsim", "fluidfft", "pyfftw", "fluidfft-fftw")
MORE_RANKS = ("mpi4py", "fluidfft-mpi_with_fftw")
# fluidfft's transforms that are tried, the fastest first, for one rank and for more.
TRANSFORMS = {False: ("fft3d.with_fftw3d", "fft3d.with_pyfftw"), True: ("fft3d.mpi_with_fftw1d",)}

OURS = """
import json, sys, time
from pathlib import Path
from subcurrent import core
from subcurrent.case.reading import typed_case
m = core.load(); context = m.Context(threads=1)
n, steps = int(sys.argv[1]), int(sys.argv[2])
case = typed_case({
    "solver": "turbulence", "grid": {"points": [n] * 3}, "run": {"steps": steps + 1},
    "flow": {"viscosity": 1 / 1600, "initial": "taylor_green"},
    "scheme": {"dt": 1e-3, "transforms": sys.argv[3], "integrator": "rk4", "form": "rotational",
               "dealiasing": "two_thirds", "precision": "double"},
}, Path.cwd())
flow = m.Turbulence(context, case.options()); flow.start_taylor_green(); flow.step(diagnostics=False)
context.barrier(); begin, busy = time.perf_counter(), time.process_time()
for _ in range(steps): flow.step(diagnostics=False)
busy = (time.process_time() - busy) / steps
context.barrier(); seconds = (time.perf_counter() - begin) / steps
measured = flow.measure()
if context.rank == 0: print("peer:", json.dumps([seconds, busy, measured["energy"]]))
context.close()
"""

THEIRS = """
import json, sys, time, tempfile, os
os.environ["FLUIDSIM_PATH"] = tempfile.gettempdir()
import numpy as np
from fluidsim.solvers.ns3d.solver import Simul
n, steps = int(sys.argv[1]), int(sys.argv[2])
p = Simul.create_default_params()
p.oper.nx = p.oper.ny = p.oper.nz = n
p.oper.Lx = p.oper.Ly = p.oper.Lz = 2 * np.pi
p.oper.type_fft = sys.argv[3]; p.oper.coef_dealiasing = 2 / 3
p.nu_2 = 1 / 1600; p.init_fields.type = "in_script"
p.time_stepping.type_time_scheme = "RK4"; p.time_stepping.USE_CFL = False
p.time_stepping.deltat0 = 1e-3; p.time_stepping.USE_T_END = False; p.time_stepping.it_end = 1
p.output.HAS_TO_SAVE = False; p.output.ONLINE_PLOT_OK = False
p.short_name_type_run = "peer"
sim = Simul(p)
X, Y, Z = sim.oper.get_XYZ_loc()
u = np.sin(X) * np.cos(Y) * np.cos(Z); v = -np.cos(X) * np.sin(Y) * np.cos(Z)
sim.state.init_statephys_from(vx=u, vy=v, vz=np.zeros_like(u)); sim.state.statespect_from_statephys()
sim.time_stepping.init_from_params() if hasattr(sim.time_stepping, "init_from_params") else None
one = sim.time_stepping.one_time_step_computation
one()
try:
    from mpi4py import MPI; comm = MPI.COMM_WORLD
except ImportError:
    comm = None
wait = comm.Barrier if comm and comm.size > 1 else (lambda: None)
wait(); begin, busy = time.perf_counter(), time.process_time()
for _ in range(steps): one()
busy = (time.process_time() - busy) / steps
wait(); seconds = (time.perf_counter() - begin) / steps
energy = float(sim.output.compute_energy())
if comm is None or comm.rank == 0: print("peer:", json.dumps([seconds, busy, energy]))
"""


class PeerlessError(Exception):
    """The peer cannot run here; says why."""


def install(packages: tuple[str, ...]) -> str | None:
    """Puts packages into the peer's environment; why that failed, or None."""
    if not (PEER / "bin" / "python").exists():
        venv.create(PEER, with_pip=True)
    stamp = PEER / ("installed-" + "-".join(packages))
    if stamp.exists():
        return None
    try:
        script.ran([PEER / "bin" / "pip", "install", "-q", *packages], seconds=None)
    except script.NotDoneError as error:
        return str(error)
    stamp.touch()
    return None


def one(python: Path | str, code: str, ranks: int, *arguments) -> tuple[float, float, float]:
    """Seconds a step, of these computing (on rank 0), and the energy at the end."""
    command = [python, "-c", code, *arguments]
    if ranks > 1:
        command = ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none", *command]
    quiet = {"OMP_NUM_THREADS": "1", "TRANSONIC_NO_MPI": "" if ranks > 1 else "1"}
    said = script.ran(command, seconds=None, **quiet)
    for line in said.splitlines():
        if line.startswith("peer:"):
            return tuple(json.loads(line.removeprefix("peer:")))
    raise script.NotDoneError(python, 0, said)


def peer_transform(ranks: int, points: int) -> str:
    """The first of fluidfft's transforms that runs here."""
    failure = install(ONE_RANK + (MORE_RANKS if ranks > 1 else ()))
    if failure is None:
        for name in TRANSFORMS[ranks > 1]:
            try:
                one(PEER / "bin" / "python", THEIRS, ranks, min(points, 32), 1, name)
            except script.NotDoneError as error:
                failure = str(error)
            else:
                return name
    raise PeerlessError(failure)


def measure(programs: dict[str, tuple], points: int, ranks: int, rounds: int, steps: int) -> dict[str, list]:
    """(seconds, computing, energy) of every round of each program, in turns."""
    rows: dict[str, list] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (python, code, argument) in programs.items():
            rows[name].append(one(python, code, ranks, points, steps, argument))
    for name, row in rows.items():
        seconds, busy, _ = zip(*row, strict=True)
        print(
            f"  {name:10s} {1e3 * statistics.median(seconds):8.1f} ms a step, "
            f"{1e3 * min(seconds):.1f} at best, {1e3 * statistics.median(busy):.1f} of processor time"
        )
    energies = [energy for row in rows.values() for *_, energy in row]
    spread = max(energies) / min(energies) - 1
    names = ", ".join(rows)
    print(f"  the energies of {names} after {steps + 1} steps agree within {spread:.1e}", flush=True)
    if spread > 1e-9:
        raise RuntimeError("the programs did not compute the same flow")
    return rows


def compare(points: int, ranks: int, rounds: int, steps: int, transform: str | None) -> None:
    """Without the peer's transform only ours are measured."""
    programs = {
        "fluidsim": (PEER / "bin" / "python", THEIRS, transform),
        "fftw": (sys.executable, OURS, "fftw"),
        "pocketfft": (sys.executable, OURS, "pocketfft"),
    }
    if transform is None:
        del programs["fluidsim"]
    print(f"{points}^3, {ranks} ranks, load {os.getloadavg()[0]:.1f}: fluidsim's transform {transform}")
    rows = measure(programs, points, ranks, rounds, steps)
    if transform is None:
        return
    middle = {
        name: [statistics.median(part) for part in zip(*row, strict=True)] for name, row in rows.items()
    }
    for name in ("fftw", "pocketfft"):
        what = f"step against fluidsim, {points}^3, {ranks} ranks, {name}"
        ratio = middle["fluidsim"][0] / middle[name][0]
        print(f"result: {what}: {ratio:.3f} (goal >= 1.5)", flush=True)
        if ranks == 1:  # what a busy machine leaves of a comparison; waiting ranks would count as busy
            ratio = middle["fluidsim"][1] / middle[name][1]
            print(f"result: {what}, processor time: {ratio:.3f} (no goal)", flush=True)


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--points", type=int, default=128)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3)
    options = script.parse(parser, {"points": 16, "rounds": 1, "steps": 1})
    peerless = ""
    for ranks in map(int, options.ranks.split(",")):
        transform = None
        try:
            if options.trial and not PEER.exists():
                raise PeerlessError("a trial installs nothing, and build/peer is not there")
            transform = peer_transform(ranks, options.points)
        except PeerlessError as error:
            peerless = str(error)
        compare(options.points, ranks, options.rounds, options.steps, transform)
    return script.left_out("fluidsim", peerless) if peerless else 0


if __name__ == "__main__":
    sys.exit(main())
