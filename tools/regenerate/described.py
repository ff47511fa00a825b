# SPDX-License-Identifier: Apache-2.0
"""A step of another code, described as stages of the engine and rehearsed as ranks that are not there, like a
recorded step of a stencil code in Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from subcurrent.foresight import rehearse

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
    answers = rehearse.rehearse([_part(part) for part in parts])
    return [_told(answer["blocking"]) for answer in answers]


def _told(answer: dict[str, Any]) -> dict[str, float]:
    (forecast,) = answer["here"]
    cells = max(sum(stage[name][0] for name in PARTS) for stage in answer["work"].values())
    return {"cells": cells, "seconds": forecast["total"]}


def _part(part: Part) -> rehearse.Part:
    grid = {"cells": list(part.cells), "periodic": [part.periodic] * 3, "pieces": 1}
    grid["halo"] = max(stage.reach for stage in part.stages)
    case = {"solver": "stencil", "grid": grid, "step": _step(part), "engine": {"split": list(part.split)}}
    machines = {"here": part.machine}
    return rehearse.Part(case, [part.rank], part.ranks, part.per_node, 1, 1, ["blocking"], machines)


def _step(part: Part) -> dict[str, Any]:
    """The stages with their fields, zero beyond faces."""
    faces = [] if part.periodic else list(product(range(3), range(2)))
    zero = [{"axis": axis, "side": side, "laws": [[0.0, 0.0, 0.0]]} for axis, side in faces]
    fields, kernels, order = [], [], []
    for n, stage in enumerate(part.stages):
        own = range(len(fields), len(fields) + stage.fields)
        fields += [
            {"name": f"{n}.{k}", "components": 1, "size": 8, "levels": 2, "place": "memory", "faces": zero}
            for k in range(stage.fields)
        ]
        accesses = [[k, 1, "write", 0, 0] for k in own] + [[k, 0, "read", stage.reach, 0] for k in own]
        kernel = {"name": f"stage {n}", "values": stage.sums, "reduce": "sum" if stage.sums else ""}
        kernel |= {"colours": 1, "by_position": False, "flops": 0.0, "accesses": accesses}
        kernels.append(kernel)
        order += [["run", n], *(["advance", k] for k in own)]
    return {"fields": fields, "kernels": kernels, "order": order}
