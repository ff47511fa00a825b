# SPDX-License-Identifier: Apache-2.0
"""The table [engine] of a case file, its checks, and the options of the compiled runner."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ..errors import BadInput
from .keys import Table, key, setting, shown
from .strategies import STRATEGIES

Split = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=3, max_length=3)]
Tile = Annotated[list[Annotated[int, Field(ge=1, le=100_000)]], Field(min_length=2, max_length=2)]
DEVICES = ("cpu", "cuda", "emulated")


class Engine(Table):
    strategy: Literal[STRATEGIES] = setting(
        "order of computation and communication; it does not change the results, bit by bit", "automatic"
    )
    halo_thread_joins: bool = setting(
        "thread 0 also computes cells of the core once its halos are complete", True
    )
    split: Literal["auto"] | Split = key(
        "number of MPI ranks along x, y, z (auto: chosen from the grid and the number of ranks)",
        '"auto" or three whole numbers >= 1',
        "auto",
    )
    threads: int = setting("OpenMP threads of each rank", 1, ge=1, le=1024)
    transport: Literal["auto", "shared", "mpi", "delayed"] = setting(
        "how data is sent between ranks (auto: through shared memory within a node, by MPI "
        "between nodes; delayed: a test that delays messages by 0.5 ms and reorders them)",
        "auto",
    )
    device: Literal[DEVICES] = key(
        "where the fields are stored and computed (cuda: a GPU; emulated: a test that "
        "emulates a GPU on the host)",
        "one of " + ", ".join(f'"{name}"' for name in DEVICES),
        "cpu",
    )
    corners: Literal["direct", "staged"] = setting(
        "how edges and corners of the halo are exchanged: directly with up to 26 neighbours, "
        "or staged in three phases x, y, z",
        "direct",
    )
    poke_ms: float = setting(
        "milliseconds of computation between two calls that let MPI make progress", 0.5, gt=0
    )
    steps_per_pass: Literal["automatic"] | Annotated[int, Field(ge=1, le=64)] = key(
        "time steps that are computed on a tile of cells while it is in the cache, or in "
        "memory for fields in files (temporal blocking): less memory traffic, fewer messages, "
        "wider halos (automatic: the fastest number up to 16, found during the run)",
        '"automatic" or a whole number from 1 to 64',
        1,
    )
    pass_tile: Literal["automatic"] | Tile = key(
        "rows along y and planes along z of such a tile (automatic: chosen for the second-level cache)",
        '"automatic" or two whole numbers from 1 to 100000',
        "automatic",
    )


def engine_options(engine: Engine, length: int = 1) -> dict[str, Any]:
    """The options of the compiled runner, with passes of at most `length` steps."""
    return {
        "strategy": engine.strategy,
        "halo_thread_joins": engine.halo_thread_joins,
        "split": [0, 0, 0] if engine.split == "auto" else list(engine.split),
        "halo_corners": engine.corners,
        "poke_ms": engine.poke_ms,
        "steps_per_pass": length,
        "finds_length": engine.steps_per_pass == "automatic" and length > 1,
        "pass_tile": tile_of(engine.pass_tile if length > 1 else "automatic"),
    }


def tile_of(given: str | list[int]) -> list[int]:
    """What the engine takes as RunnerOptions::pass_tile."""
    return [0, 0, 0] if given == "automatic" else [0, *given]


def check_engine(engine: Engine, devices: tuple[str, ...] = ("cpu",)) -> None:
    """Raises BadInput for keys that cannot be combined; `devices` are those of the solver."""
    if engine.device not in devices:
        raise BadInput(
            f'engine.device = "{engine.device}" is not supported by this solver: it runs on '
            f"{' or '.join(devices)}."
        )
    if engine.device != "cpu" and engine.pass_tile != "automatic":
        raise BadInput(
            f"engine.pass_tile = {shown(engine.pass_tile)} has no effect with engine.device = "
            f'"{engine.device}": a pass on a device has no tiles.'
        )
    if engine.device != "cpu" and engine.strategy == "halo_thread":
        raise BadInput(
            f'engine.strategy = "{engine.strategy}" divides the CPU threads of a rank, so it is '
            f'not allowed with engine.device = "{engine.device}": take automatic, boundary_first, '
            "interior_first, pipelined, blocking or ordered."
        )
    joins = engine.strategy != "halo_thread" or engine.halo_thread_joins
    if not joins and engine.threads < 2:
        raise BadInput(
            f"engine.threads = {engine.threads} is too few for engine.halo_thread_joins = false: "
            "one thread computes only the shell, so at least 2 are needed."
        )
