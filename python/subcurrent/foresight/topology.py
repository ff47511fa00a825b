# SPDX-License-Identifier: Apache-2.0
"""Networks of switches: which keys of a machine file belong together, and their description for SimGrid (see
model/simulate/topology.cpp)."""

from __future__ import annotations

from math import prod

from ..errors import BadInput
from .machine_figures import Places, fullest
from .machine_keys import Machine, Network

MOST_NODES = 1_000_000
# How many numbers network.shape and network.trunks have.
NUMBERS = {"switch": ((0,), 0), "bus": ((0, 2), 0), "fat_tree": ((2,), 1), "torus": (range(1, 7), 0)}
NUMBERS["dragonfly"] = ((4,), 3)


def check_topology(network: Network, path: str) -> None:
    """Raises BadInput for a shape or trunks that the topology does not have."""
    kind, shape = network.kind, network.shape
    lengths, trunks = NUMBERS[kind]
    for key, given, fitting in (("shape", shape, lengths), ("trunks", network.trunks, (trunks,))):
        if len(given) in fitting:
            continue
        allowed = f"{min(fitting)} to {max(fitting)}" if len(fitting) > 2 else " or ".join(map(str, fitting))
        raise BadInput(
            f'{path}: network.{key} = {given} is not allowed with network.kind = "{kind}": '
            + ("it must be left out." if fitting == (0,) else f"it must have {allowed} numbers.")
        )
    for key in ("backbone", "placement"):
        if key in network.model_fields_set and (kind != "bus" or not shape):
            raise BadInput(
                f"{path}: network.{key} is not allowed: only a bus in segments has it, which has a shape."
            )
    if network.hop > 0 and (not shape or kind == "bus"):
        raise BadInput(f"{path}: network.hop = {network.hop:g} is not allowed: a {kind} has no such links.")
    if prod(shape) > MOST_NODES:
        raise BadInput(
            f"{path}: network.shape = {shape} is not allowed: it must have at most {MOST_NODES} nodes."
        )
    if kind == "dragonfly" and shape[0] > shape[1] * shape[2]:  # as SimGrid connects them
        raise BadInput(
            f"{path}: network.shape = {shape} is not allowed: a dragonfly must have at most as many groups "
            f"as a group has switches, {shape[1] * shape[2]}, each of which is connected to one other group."
        )


def described(machine: Machine, where: Places, rank_byte: float, speed: float) -> str:
    """What the platform of the simulator reads; a rank has `1 / rank_byte` of its node's links, or of its
    segment of a bus."""
    network = machine.network
    if network.kind == "bus":
        own, trunk = fullest(where) / rank_byte, network.backbone or network.bandwidth
        segments = (where.segments[node * where.per_node] for node in range(where.nodes))
        rates = (speed, own, network.latency, machine.node.flag_latency, trunk, 0.0)
        return f"bus {' '.join(map(repr, (where.on_node, *rates, *segments)))}\n"
    own = where.on_node / rank_byte
    trunk = network.bandwidth * (1 if network.kind == "torus" else network.links)
    rates = (speed, own, network.latency, machine.node.flag_latency, trunk, network.hop)
    numbers = (where.on_node, *rates, *network.shape, *network.trunks)
    return f"{network.kind} {' '.join(map(repr, numbers))}\n"
