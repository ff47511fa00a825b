# SPDX-License-Identifier: Apache-2.0
"""A step of another code, described as stages of the engine and rehearsed as ranks that are not there:
`python tools/regenerate/described.py`, a list of parts as JSON on its standard input, the answers as the last
line of its standard output.

It is a process of its own because it loads the compiled module.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

MARK = "described "
PARTS = ("shell", "core", "all")  # of the cells of a stage


@dataclass(frozen=True)
class Stage:
    """Writes `fields` arrays of double precision from as many, which it reads `reach` cells away along the
    axes; with `sums` values follow that all ranks combine and wait for."""

    fields: int
    reach: int
    sums: int = 0


@dataclass(frozen=True)
class Part:
    """One rank of a run; its step is `stages` in turn. `machine` as `_core.forecast` takes it."""

    rank: int
    ranks: int
    per_node: int
    cells: tuple[int, int, int]
    split: tuple[int, int, int]
    periodic: bool
    stages: tuple[Stage, ...]
    machine: dict[str, Any]


def described(parts: list[Part]) -> list[dict[str, float]]:
    """Of every part its cells, and the seconds of a step in which computing takes none."""
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps([asdict(part) for part in parts]),
        check=True,
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    return json.loads(lines[-1].removeprefix(MARK))


def _sweeps(
    module: Any, grid: Any, periodic: bool, stages: list[dict[str, int]]
) -> list[tuple[Any, list[Any]]]:
    """A sweep of each stage, with its fields, zero beyond faces. Nothing is computed in a rehearsal, so no
    kernel is there."""
    never = ctypes.cast(ctypes.CFUNCTYPE(None)(lambda: None), ctypes.c_void_p).value
    made = []
    for n, stage in enumerate(stages):
        fields = [
            module.StencilField(grid, f"{n}.{k}", 1, False, 2, "memory") for k in range(stage["fields"])
        ]
        if not periodic:
            for field, axis, side in product(fields, range(3), range(2)):
                field.set_affine(axis, side, [(0.0, 0.0, 0.0)])
        accesses = [(field, 1, "write", 0, 0) for field in fields]
        accesses += [(field, 0, "read", stage["reach"], 0) for field in fields]
        reduce = "sum" if stage["sums"] else ""
        sweep = module.make_stencil_sweep(
            f"stage {n}", never, False, stage["sums"], reduce, 1, False, accesses
        )
        made.append((sweep, fields))
    return made


def _play(module: Any, part: dict[str, Any]) -> dict[str, float]:
    context = module.Context(threads=1, rehearsed=[part["rank"], part["ranks"], part["per_node"]])
    reach = max(stage["reach"] for stage in part["stages"])
    grid = module.StencilGrid(context, part["cells"], [part["periodic"]] * 3, reach, part["split"], "", 1, 0)
    loop = module.make_stencil_loop(grid, "blocking", 1e-3, 1, False)
    sweeps = _sweeps(module, grid, part["periodic"], part["stages"])
    for step in range(3):
        if step == 2:  # halos travel as in all that follow
            module.note_rehearsal(context)
        for sweep, fields in sweeps:
            loop.run(sweep, b"")
            for field in fields:
                field.advance()
    work = module.rehearsed(context)
    (forecast,) = module.forecast(
        [module.rehearsal(context)], [part["rank"]], [], part["machine"], "blocking"
    )
    cells = max(sum(stage[name][0] for name in PARTS) for stage in work.values())
    return {"cells": cells, "seconds": forecast["total"]}


def main() -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    from subcurrent import core  # noqa: PLC0415 - the module is loaded in this process only

    module = core.load()
    everything = module.Context()  # keeps MPI while parts come and go
    answers = [_play(module, part) for part in json.loads(sys.stdin.read())]
    everything.close()
    print(MARK + json.dumps(answers), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
