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
from .strategies import WITHOUT_OVERLAP

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


# What the keys were called in version 0.1: by solver, old values and new ones.
KINDS = {"turbulence": {"memory": "memory", "disk": "files"}, "dendrite": {"device": None, "host": "host"}}
OUTDATED = "; the old key will be removed in the next version."


def with_new_names(tables: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The tables of a case with the present keys of [storage], and a sentence for each key that was renamed.
    Raises BadInput if old and new keys contradict each other."""
    solver, old = tables.get("solver"), tables.get("storage")
    kinds = KINDS.get(solver) if isinstance(solver, str) else None
    if kinds is None or not isinstance(old, dict):
        return tables, []
    storage, said = dict(old), []
    tables = {**tables, "storage": storage}
    if "kind" in storage:
        _rename_kind(storage, kinds, said)
    if solver == "turbulence" and "files" in storage:
        _refuse_both(storage, "files", "pieces")
        storage["pieces"] = storage.pop("files")
        said.append("storage.files is now called storage.pieces" + OUTDATED)
    if solver == "turbulence" and "io" in storage:
        _replace_io(tables, storage, said)
    if not storage:
        del tables["storage"]
    return tables, said


def _rename_kind(storage: dict[str, Any], kinds: dict[str, str | None], said: list[str]) -> None:
    _refuse_both(storage, "kind", "place")
    kind = storage.pop("kind")
    if not isinstance(kind, str) or kind not in kinds:
        allowed = " or ".join(f'"{name}"' for name in kinds)
        raise BadInput(f"storage.kind = {shown(kind)} is not allowed: it must be {allowed}.")
    if (place := kinds[kind]) is not None:
        storage["place"] = place
    now = f"storage.place = {shown(place)}" if place else "now the default, so leave it out"
    said.append(f"storage.kind = {shown(kind)} is {now}" + OUTDATED)


def _replace_io(tables: dict[str, Any], storage: dict[str, Any], said: list[str]) -> None:
    io = storage.pop("io")
    if io not in ("sync", "async"):
        raise BadInput(f'storage.io = {shown(io)} is not allowed: it must be "sync" or "async".')
    engine = tables.get("engine", {})
    given = engine.get("strategy") if isinstance(engine, dict) else None
    one_by_one = given in WITHOUT_OVERLAP
    if given is not None and one_by_one != (io == "sync"):
        raise BadInput(
            f"storage.io = {shown(io)} and engine.strategy = {shown(given)} contradict each other: "
            "the strategy also determines the order of file access, leave storage.io out."
        )
    if io == "sync" and given is None:
        tables["engine"] = {**engine, "strategy": "blocking"}
    now = (
        'engine.strategy = "blocking"' if io == "sync" else "any engine.strategy except blocking and ordered"
    )
    said.append(f"storage.io = {shown(io)} is {now}" + OUTDATED)


def _refuse_both(storage: dict[str, Any], old: str, new: str) -> None:
    if new in storage:
        raise BadInput(f"storage.{old} is the old name of storage.{new}: give only the new one.")
