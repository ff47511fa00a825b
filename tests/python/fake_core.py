# SPDX-License-Identifier: Apache-2.0
"""A FAKE of the compiled module, for tests of what lies around it. It solves nothing: numbers only decay.

It is one rank without messages. Environment variables make it misbehave: FAKE_NAN_AT=step (diverges there),
FAKE_STEP_SECONDS (a slow step), FAKE_DEFECT_AT=step (fails as no program should).
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

version = "fake"
most_steps_tried = 16
usual_cg_strategies = {"row": "interior_first", "column": "pipelined", "grid": "pipelined"}
build = {"mpi": "Open MPI v4 (fake)", "hdf5": "none", "cuda": "no", "compiler": "none", "flags": ""}


class Error(RuntimeError):
    def __init__(self, text, exit_code):
        super().__init__(text)
        self.exit_code = exit_code


class Context:
    def __init__(self, threads=1, transport="auto", device="cpu"):
        self.device = device
        self.rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
        self.size = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
        self.threads = threads
        self.closed = False

    def close(self):
        self.closed = True

    def barrier(self):
        pass

    def any(self, flag):
        return flag

    def transports(self):
        return "self"

    def sample(self, first, every):
        pass

    def remove_leftovers(self, folder):
        pass

    def abort(self, text, code):
        sys.stderr.write("-" * 74 + "\nMPI_ABORT was invoked\n" + "-" * 74 + "\n")
        sys.stderr.flush()
        os._exit(code)


class Cavity:
    def __init__(self, context, options):
        self._context, self._options = context, options
        nx, ny, nz = options["points"]
        self.steps, self.time = 0, 0.0
        self.cells = (nx - 2) * (ny - 2) * (nz - 2)
        self.split = [1, 1, context.size]
        self.strategy = options["engine"]["strategy"]
        self._velocity = np.zeros((3, nz - 2, ny - 2, nx - 2))
        self._seconds, self._all_seconds, self._counted_from = 0.0, 0.0, 0

    def step(self, diagnostics=True):
        pause = float(os.environ.get("FAKE_STEP_SECONDS", "0"))
        time.sleep(pause)
        self.steps += 1
        self.time += 0.01
        self._seconds += pause or 1e-3
        self._all_seconds += pause or 1e-3
        if self.steps == int(os.environ.get("FAKE_NAN_AT", "-1")):
            raise Error(f"velocity became NaN at step {self.steps} in cell (1, 2, 3).", 4)
        if self.steps == int(os.environ.get("FAKE_DEFECT_AT", "-1")):
            raise KeyError("velocity")
        self._velocity[0] += 1.0
        return {
            "step": self.steps,
            "time": self.time,
            "dt": 0.01,
            "courant": 0.2,
            "iterations": 7,
            "residual": 1e-6,
            "max_change": float(np.exp(-0.2 * self.steps)),
            "divergence_rms": 1e-3,
            "capped": self.steps <= 2,
        }

    def local_box(self):
        nz, ny, nx = self._velocity.shape[1:]
        return (0, 0, 0), (nx, ny, nz)

    def field(self, name):
        return {"velocity": self._velocity, "pressure": self._velocity[0]}[name]

    def gather(self, name):
        nx, ny, nz = self._options["points"]
        z, y, x = np.meshgrid(*(np.linspace(0, 1, n) for n in (nz, ny, nx)), indexing="ij")
        if name == "coordinates":
            return np.stack([x, y, z])
        u = 8 * (x**4 - 2 * x**3 + x**2) * (4 * z**3 - 2 * z)
        w = -8 * (4 * x**3 - 6 * x**2 + 2 * x) * (z**4 - z**2)
        return np.stack([u, 0.1 * np.sin(2 * np.pi * y) * u, w])

    def centreline(self):
        if self._context.rank != 0:
            return None
        z, x = np.linspace(0, 1, self._options["points"][2]), np.linspace(0, 1, self._options["points"][0])
        return {"z": z, "u": z**3 - 0.3 * np.sin(np.pi * z), "x": x, "w": 0.2 * np.sin(2 * np.pi * x)}

    def write_snapshot(self, path, units):
        if self._context.rank != 0:
            return
        import h5py  # noqa: PLC0415 - the fake alone brings no HDF5 of its own

        points, velocity = self.gather("coordinates"), self.gather("velocity")
        with h5py.File(path, "w") as file:
            file.attrs["time"] = self.time
            file["grid/points"] = np.moveaxis(points, 0, -1)
            file["fields/velocity"] = np.moveaxis(velocity, 0, -1)

    def write_checkpoint(self, path):
        if self._context.rank == 0:
            Path(path).write_text(json.dumps({"steps": self.steps, "time": self.time}))

    def read_checkpoint(self, path):
        try:
            state = json.loads(Path(path).read_text())
        except ValueError:
            raise Error(f"{path} is damaged: its checksum does not fit.", 3) from None
        self.steps, self.time = state["steps"], state["time"]

    def timeline_summary(self):
        return {"spans": self.steps, "seconds": {"stage": {"all": self._seconds}}}

    def write_timeline(self, path):
        if self._context.rank == 0:
            Path(path).write_text("[]")

    def restart_terms(self):
        self._seconds = 0.0
        self._counted_from = self.steps

    def pass_cost(self):
        return None

    def terms(self):
        hidden = self.strategy not in ("blocking", "ordered")
        total = self._seconds
        return {
            "C_shell": 0.1 * total,
            "C_core": 0.5 * total,
            "M": 0.3 * total,
            "start": 0.0,
            "poke": 0.0,
            "looks": 0,
            "W": (0.05 if hidden else 0.3) * total,
            "R": 0.02 * total,
            "hidden": 0.8 if hidden else 0.0,
            "bytes_moved": 1000 * (self.steps - self._counted_from),
            "gb_per_s": 12.5,
            "pressure_share": 0.98,
            "velocity_share": 0.02,
        }
