# SPDX-License-Identifier: Apache-2.0
"""The table [storage]: where the fields of a run are stored; the same for all solvers that have a choice."""

from __future__ import annotations

import re
from typing import Any, Literal

from ..errors import BadInput
from .common import SolverCase
from .engine import Engine
from .keys import MOST, Table, key, setting, shown
from .sentences import dotted

PLACES = ("memory", "device", "host", "files")
ON_DEVICE = ("device", "host")
IN_PIECES = ("host", "files")


class Storage(Table):
    place: Literal[PLACES] | None = setting(
        "where the fields are stored: in memory, in the memory of the device, in the host's "
        "memory beside a device, or in files; if left out: memory on a CPU, device on a "
        "device",
        None,
    )
    pieces: int | None = setting(
        "number of pieces in which each rank reads a field from files, or copies it from the "
        "host to the device; 8 if left out, unless storage.memory determines it",
        None,
        ge=1,
        le=100_000,
    )
    memory: str | None = key(
        "upper limit of memory: for all ranks together, or with a device for each rank's "
        "device; fields that do not fit are stored in files, or in the host's memory, and the "
        "number of pieces follows",
        'a size, e.g. "3 GiB"',
        None,
    )
    scratch: str | None = key(
        "folder of the scratch files; scratch if left out", "the path of a folder", None
    )

    def bytes(self) -> int:
        """The limit of memory in bytes, 0 if there is none. Raises BadInput if it is not a size."""
        return 0 if self.memory is None else size_in_bytes("storage.memory", self.memory)

    def options(self) -> dict[str, Any]:
        """The options of the compiled solver."""
        return {
            "place": self.place if self.place in IN_PIECES else "memory",
            "pieces": self.pieces or 8,
            "memory": self.bytes(),
            "scratch": self.scratch or "scratch",
        }


def size_in_bytes(name: str, text: str) -> int:
    """Bytes of a size like "3 GiB"; raises BadInput, naming the key, for any other text."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)B\s*", text)
    if not found:
        raise BadInput(f'{name} = "{text}" is not allowed: it must be a size, e.g. "3 GiB".')
    base = 1024 if found[2].endswith("i") else 1000
    count = float(found[1]) * base ** (1 + "KMGT".index(found[2][0]))
    if count > MOST:
        raise BadInput(f"{name} = {shown(text)} is not allowed: it must be at most {MOST} bytes.")
    return int(count)


def refuse_unplaced(model: type[SolverCase], tables: dict[str, Any]) -> None:
    """Raises BadInput for [storage] in the case of a solver that has no choice."""
    if "storage" not in tables or "storage" in model.model_fields:
        return
    name, value = "storage", tables["storage"]
    if isinstance(value, dict) and value:
        last, value = next(iter(value.items()))
        name = dotted([name, last])
    raise BadInput(
        f"{name} = {shown(value)} is not supported by this solver: its fields are always "
        "stored where they are computed; leave [storage] out."
    )


def check_storage(storage: Storage, engine: Engine, places: tuple[str, ...]) -> None:
    """Raises BadInput for a place that the solver or its device does not have, and for keys without
    effect."""
    place, on_device = storage.place, engine.device != "cpu"
    if place is not None and place not in places:
        raise BadInput(
            f"storage.place = {shown(place)} is not supported by this solver: it must be "
            f"{' or '.join(places)}."
        )
    if place is not None and (place in ON_DEVICE) != on_device:
        if on_device:
            raise BadInput(
                f"storage.place = {shown(place)} is not allowed with engine.device = "
                f"{shown(engine.device)}: it must be device or host."
            )
        raise BadInput(f'storage.place = {shown(place)} needs a device: give engine.device = "cuda".')
    if storage.pieces is not None and place not in IN_PIECES:
        wanted = " or ".join(f'"{name}"' for name in places if name in IN_PIECES)
        raise BadInput(f"storage.pieces needs storage.place = {wanted}.")
    if storage.pieces is not None and storage.memory is not None:
        raise BadInput("storage.pieces and storage.memory cannot be combined: give only one.")
    if storage.scratch is not None and (on_device or (place != "files" and storage.memory is None)):
        raise BadInput('storage.scratch needs storage.place = "files" or, without a device, storage.memory.')
    storage.bytes()
