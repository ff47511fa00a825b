# SPDX-License-Identifier: Apache-2.0
"""The thesis on the NAS kernel CG: its tables 5.2 and 5.3 beside `predict` and `predict --simulate`, each of
the two rooms calibrated on the seconds of one machine, and beside the thesis's own equations, which know one
bus only."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machine_keys import Machine
from subcurrent.foresight.machines import load_machine
from subcurrent.solvers.cg.case import CgCase, cg_case

from .runs import table

ORDER, OUTER, PRODUCTS = 14_000, 15, 390  # of class A; products of all outer iterations
SIMULATED = 16  # machines at most: of 64 SimGrid takes many minutes
SHARE = 0.96  # of the time on one machine that products take, as the thesis says


@dataclass(frozen=True)
class Room:
    machine: str
    seconds: float  # of class A on one machine
    speed: float  # bytes/s between two machines, table 5.1
    handing: float  # bytes/s between two processes of a machine, table 5.1


ET001, LAB12 = Room("workstations", 2244, 475e3, 1.66e6), Room("ews4800", 353, 325e3, 2.8e6)


@dataclass(frozen=True)
class Row:
    """A row of table 5.2 or 5.3."""

    room: Room
    machines: int
    program: str
    strategy: str
    depth: int
    printed: float  # seconds
    handed: bool = False  # a second process of the sender sends the pieces of sums

    def gain(self, seconds: float | None) -> str:
        """Over one machine, and its misfit."""
        if seconds is None:
            return "–"
        return f"{self.room.seconds / seconds:.3g} ({100 * (self.printed / seconds - 1):+.0f} %)"

    def simulated(self, there: Machine, what: CgCase) -> float | None:
        if self.machines > SIMULATED:
            return None
        return OUTER * simulate.simulated(what, there, self.machines, [self.strategy], steps=1)[self.strategy]

    def there(self) -> Machine:
        """The calibrated machine. Machines are taken from all partitions alike, four from one."""
        machine = calibrated(self.room)
        if self.room is LAB12 and self.machines == 4:
            machine = with_network(machine, placement="block")
        if not self.handed:
            return machine
        piece = 8 * ORDER / self.machines / self.depth  # vectors are distributed over all machines
        # it takes the sender's processor, of which an overhead is one half
        return with_network(machine, overhead=machine.network.overhead + piece / self.room.handing / 2)


ROWS = (
    Row(ET001, 4, "cgbblkdiv.c", "blocking", 1, 640),
    Row(ET001, 4, "cgb_psnd.c", "interior_first", 1, 630),
    Row(ET001, 4, "cgb_fwd.c", "pipelined", 5, 613),
    Row(ET001, 4, "cgb_fwds.c", "pipelined", 5, 643, handed=True),
    Row(LAB12, 4, "cgb_fwd.c", "pipelined", 5, 523),
    Row(LAB12, 16, "cgb_fwd.c", "pipelined", 2, 661),
    Row(LAB12, 64, "cgb_fwd.c", "pipelined", 2, 941),
)


def by_equations(room: Room, machines: int) -> float:
    """Seconds of class A: of a product equation 5.3 where the bus idles for a while, 5.6 where it never does;
    the rest shared by the machines on the diagonal."""
    side = isqrt(machines)
    message = 8 * ORDER / side / room.speed
    computing = room.seconds * SHARE / PRODUCTS / machines
    idle = computing >= (machines - side - 1) * message
    product = (machines - side + 1) * message + computing if idle else 2 * (machines - side) * message
    return PRODUCTS * product + room.seconds * (1 - SHARE) / side


def speed_needed(room: Room, machines: int, share: float) -> float:
    """Bytes/s of a bus on which p machines are `share` p times as fast as one: equation 5.8."""
    side, product = isqrt(machines), room.seconds * SHARE / PRODUCTS
    if share > (machines - side - 1) / (machines - side) / 2:
        spare = product / (share * machines) - product / machines
        return 8 * ORDER * (machines - side + 1) / (spare * side)
    return 16 * ORDER * machines * share * (side - 1) / product


def with_network(machine: Machine, **changes: object) -> Machine:
    return machine.model_copy(update={"network": machine.network.model_copy(update=changes)})


@functools.cache
def calibrated(room: Room) -> Machine:
    """The machine whose cores take the printed seconds on one of them."""
    machine = load_machine(room.machine)
    taken = predicted(machine, case(1), 1, "blocking")
    flops = machine.node.core_flops * taken / room.seconds
    return machine.model_copy(update={"node": machine.node.model_copy(update={"core_flops": flops})})


def case(depth: int) -> CgCase:
    return cg_case(["class=A", "partition=grid", f"depth={depth}"])


def predicted(machine: Machine, what: CgCase, ranks: int, strategy: str) -> float:
    return OUTER * predict.predicted(what, machine, ranks, [strategy])["strategies"][strategy]["T"]


def cg_paper(_: Path) -> list[str]:
    rows = []
    for row in ROWS:
        there, what = row.there(), case(row.depth)
        foretold = predicted(there, what, row.machines, row.strategy)
        equations = by_equations(row.room, row.machines)
        misfits = [row.gain(seconds) for seconds in (foretold, row.simulated(there, what), equations)]
        order = f"`{row.strategy}`" + (", pieces handed over" if row.handed else "")
        rows.append(
            (
                f"{there.name}: {row.machines}, {order}",
                row.program,
                f"{row.room.seconds / row.printed:.3f}",
                *misfits,
            )
        )
    return table(("", "program", "printed", "predicted", "simulated", "equations 5.3 and 5.6, one bus"), rows)


def cg_paper_speeds(_: Path) -> list[str]:
    """The bus that equation 5.8 asks for, and what prediction makes of a machine with it."""
    rows = []
    for room, ranks, printed in ((LAB12, 16, "6.77 MB/s"), (ET001, 4, "123 kB/s")):
        speed = speed_needed(room, ranks, 0.5)
        there = calibrated(room)
        one_bus = with_network(there, bandwidth=speed, shape=[])
        foretold = predicted(one_bus, case(1), ranks, "blocking")
        rows.append(
            (
                f"{there.name}: {ranks} half as fast as {ranks} times one",
                printed,
                f"{1e-3 * speed:.4g} kB/s",
                f"{room.seconds / foretold / ranks:.2f}",
            )
        )
    return table(("", "printed", "equation 5.8", "share that is predicted with it"), rows)
