# SPDX-License-Identifier: Apache-2.0
"""Machine files: where they are, and how one is read and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..case.keys import allowed, fields, shown
from ..case.library import files_of
from ..case.reading import read_tables
from ..case.sentences import nearest, sentence
from ..errors import BadInput
from ..solvers.kinds import PREDICTED
from .machine_keys import Machine, Rate
from .topology import check_topology


def shipped() -> dict[str, Path]:
    """Name and file of every machine that comes with Subcurrent."""
    return {path.stem: path for path in files_of("machines", "*.toml")}


def find_machine(name: str) -> Path:
    """The machine file behind a path or the name of a shipped machine."""
    if Path(name).is_file():
        return Path(name)
    known = shipped()
    if name in known:
        return known[name]
    hint = nearest(name, list(known))
    meant = f", did you mean {hint}" if hint else ""
    raise BadInput(
        f"machine {name!r} does not exist{meant}: give a machine file or one of {', '.join(known)}."
    )


def load_machine(name: str | Path) -> Machine:
    """Reads and checks the machine file behind a path or the name of a shipped machine. Raises BadInput with
    one sentence: the file, the key, its value and what is allowed."""
    path = find_machine(str(name))
    tables = read_tables(path)
    try:
        machine = Machine.model_validate(tables)
    except ValidationError as error:
        found = error.errors()  # a misspelt key says more than the missing one
        unknown = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
        raise BadInput(f"{path}: {_said(unknown)}") from None
    _check(machine, str(path))
    return machine


def _said(error: dict[str, Any]) -> str:
    """One error as a sentence; below [rates] the names are the user's, and the last one is a key of a
    rate."""
    where = [str(part) for part in error["loc"] if not isinstance(part, int)]
    if where[0] != "rates" or len(where) < 2:
        return sentence(Machine, error).replace("a case file knows", "a machine file knows")
    known = fields(Rate)
    if len(where) < 4 or where[3] not in known:
        keys = ", ".join(known)
        return f"{'.'.join(where)} is not allowed: it must be tables [[rates.SOLVER.STAGE]] with {keys}."
    words = allowed(known[where[3]])
    if error["type"] == "missing":
        return f"{'.'.join(where)} is missing: it must be {words}."
    return f"{'.'.join(where)} = {shown(error.get('input'))} is not allowed: it must be {words}."


def _check(machine: Machine, path: str) -> None:
    node, gpu = machine.node, machine.gpu
    if gpu is not None and gpu.per_node > 1 and gpu.link is None and machine.network is None:
        raise BadInput(
            f"{path}: gpu.link is missing: without it and without a [network], messages between the "
            f"{gpu.per_node} devices of the node would take no time."
        )
    alone, share = node.core_bandwidth, node.copy_bandwidth / node.cores
    if alone is not None and not 0.999 * share <= alone <= 1.001 * node.copy_bandwidth:
        raise BadInput(
            f"{path}: node.core_bandwidth = {alone:g} is not allowed: it must be from a core's share of "
            f"node.copy_bandwidth, {share:g}, to all of it, {node.copy_bandwidth:g}."
        )
    if node.busy_flops is not None and node.busy_flops > 1.001 * node.core_flops:
        raise BadInput(
            f"{path}: node.busy_flops = {node.busy_flops:g} is not allowed: it must be at most "
            f"node.core_flops = {node.core_flops:g}."
        )
    for copies in node.copies:
        if copies.busy > node.cores:
            raise BadInput(
                f"{path}: node.copies.busy = {copies.busy} is not allowed: it must be at most node.cores = "
                f"{node.cores}."
            )
    if machine.network is not None:
        check_topology(machine.network, path)
    for solver, stages in machine.rates.items():
        if solver not in PREDICTED:
            hint = nearest(solver, list(PREDICTED))
            raise BadInput(
                f"{path}: rates.{solver} is not known{f', did you mean rates.{hint}' if hint else ''}: "
                f"a solver is one of {', '.join(PREDICTED)}."
            )
        for stage, rates in stages.items():
            if len({rate.cells is None for rate in rates}) > 1:
                raise BadInput(
                    f"{path}: rates.{solver}.{stage}.cells is missing in some of its tables: it must be in "
                    "all or in none."
                )
            for rate in rates:
                if rate.busy > node.cores and gpu is None:
                    raise BadInput(
                        f"{path}: rates.{solver}.{stage} has busy = {rate.busy}: it must be at most "
                        f"node.cores = {node.cores}."
                    )
                if rate.cell == 0 and rate.row == 0:
                    raise BadInput(
                        f"{path}: rates.{solver}.{stage} has cell = 0 and row = 0: one of them must be "
                        "greater than 0."
                    )
