# SPDX-License-Identifier: Apache-2.0
"""From a machine file to the times and rates of one rank, in seconds and bytes, as the compiled module takes
them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..errors import BadInput
from .machine_keys import Machine, Rate

COPIED = 2  # bytes that are read and written where one is copied
NO_LIMIT = 2**62  # bytes, more than any message has


@dataclass(frozen=True)
class Places:
    """How the ranks of a run are distributed on a machine."""

    ranks: int
    threads: int  # of a rank
    per_node: int  # ranks of a node, as many as fit

    @property
    def nodes(self) -> int:
        return math.ceil(self.ranks / self.per_node)

    @property
    def on_node(self) -> int:
        return min(self.ranks, self.per_node)

    @property
    def busy(self) -> int:
        """Cores of a node that compute."""
        return self.on_node * self.threads


def places(machine: Machine, ranks: int, threads: int, per_node: int | None = None) -> Places:
    """Places ranks on nodes, `per_node` or as many as there are devices or cores for. Raises BadInput if a
    node does not have so many."""
    if machine.gpu is not None:
        most, what = machine.gpu.per_node, "devices"
    else:
        most, what = machine.node.cores // threads, f"times {threads} cores"
    if most < 1:
        raise BadInput(
            f"engine.threads = {threads} is not allowed on {machine.name}: a node has {machine.node.cores} "
            "cores."
        )
    chosen = most if per_node is None else per_node
    if not 1 <= chosen <= most:
        raise BadInput(
            f"--ranks-per-node {chosen} is not allowed on {machine.name}: it must be from 1 to {most}, a "
            f"node has {most} {what}."
        )
    if chosen * threads > machine.node.cores:
        raise BadInput(
            f"engine.threads = {threads} is not allowed on {machine.name} with {chosen} ranks a node: it has "
            f"{machine.node.cores} cores."
        )
    if ranks > chosen and machine.network is None:
        raise BadInput(
            f"{ranks} ranks do not fit on {machine.name}: it is one node, for {chosen}, and its "
            "file has no [network]."
        )
    where = Places(ranks, threads, chosen)
    if machine.network is not None and (shape := machine.network.shape) and where.nodes > math.prod(shape):
        raise BadInput(
            f"{ranks} ranks need {where.nodes} nodes, and network.shape = {shape} of {machine.name} has "
            f"{math.prod(shape)}."
        )
    return where


def bandwidth(machine: Machine, busy: int) -> float:
    """Bytes/s that `busy` cores of a node read and write together."""
    node = machine.node
    alone = node.core_bandwidth or node.copy_bandwidth / node.cores
    return min(node.copy_bandwidth, busy * alone)


def rate_of(rates: list[Rate], threads: int, busy: int) -> list[float]:
    """Seconds for a cell and for a row of a rank with `threads` threads: interpolated between the measured
    loads of the node, the nearest load outside of them. For another number of threads, they are assumed to
    share the work."""
    nearest = min({rate.threads for rate in rates}, key=lambda t: (abs(t - threads), t))
    known = sorted((rate for rate in rates if rate.threads == nearest), key=lambda rate: rate.busy)
    above = next((rate for rate in known if rate.busy >= busy), known[-1])
    below = next((rate for rate in reversed(known) if rate.busy <= busy), known[0])
    share = 0.0 if above.busy == below.busy else (busy - below.busy) / (above.busy - below.busy)
    share = min(1.0, max(0.0, share))
    scale = nearest / threads
    return [scale * (a + share * (b - a)) for a, b in ((below.cell, above.cell), (below.row, above.row))]


def scatter_of(rates: list[Rate], threads: int, busy: int) -> float:
    """Scatter of the times behind rate_of(), as a fraction: that of the nearest measured load."""
    return min(rates, key=lambda rate: (abs(rate.threads - threads), abs(rate.busy - busy))).spread


def scattered(
    values: dict[str, Any], machine: Machine, solver: str, where: Places, end: float
) -> dict[str, Any]:
    """The same machine with all stages at the fast (end = -1) or slow (end = 1) end of the measured
    scatter."""
    rates = machine.rates.get(solver, {})
    factors = {s: 1 + end * min(scatter_of(r, where.threads, where.busy), 1.0) / 2 for s, r in rates.items()}
    return values | {
        "rates": {
            stage: [[factors[stage] * one for one in pair] for pair in pairs]
            for stage, pairs in values["rates"].items()
        }
    }


def figures(machine: Machine, solver: str, where: Places, poke: float) -> dict[str, Any]:
    """The input of `_core.forecast` for one rank, if the others are equally busy. `poke`: seconds between
    progress calls."""
    each = range(1, where.threads + 1)
    gpu, network = machine.gpu, machine.network
    per_core = bandwidth(machine, where.busy) / where.busy
    if gpu is None:
        byte = [1 / (per_core * t) for t in each]
        flop = [1 / (machine.node.core_flops * t) for t in each]
        copied, run = COPIED / per_core, machine.engine.run
    else:
        byte, flop = [1 / gpu.bandwidth for _ in each], [1 / gpu.flops for _ in each]
        copied, run = COPIED / gpu.bandwidth, machine.engine.run + gpu.launch
    values = {
        "threads": where.threads,
        "rates": {
            stage: [rate_of(rates, t, where.busy) for t in each]
            for stage, rates in machine.rates.get(solver, {}).items()
        },
        "byte": byte,
        "flop": flop,
        "copied_byte": copied,
        "node_latency": machine.node.flag_latency,
        "node_byte": copied,
        "read_byte": 0.0 if machine.disk is None else where.on_node / machine.disk.read,
        "written_byte": 0.0 if machine.disk is None else where.on_node / machine.disk.write,
        "both_byte": where.on_node / machine.disk.both if machine.disk and machine.disk.both else 0.0,
        "latency": 0.0,
        "network_byte": 0.0,
        "overhead": 0.0,
        "gap": 0.0,
        "sharing": 1,
        "eager_limit": NO_LIMIT,
        "poke": poke,
        "look": machine.engine.look,
        "run": run,
        "reduction": reduction(machine, where),
        "reduction_byte": 0.0,
    }
    if network is not None:
        sharing = where.ranks if network.kind == "bus" else where.on_node
        links = 1 if network.kind == "bus" else network.links
        values["latency"], values["overhead"] = network.latency, network.overhead
        values["network_byte"] = sharing / (network.bandwidth * links)
        values["gap"] = network.gap * sharing
        values["sharing"] = sharing
        if network.eager_limit is not None:
            values["eager_limit"] = int(network.eager_limit)
        # up a tree and down again: on a bus one after the other, else as many as there are levels
        hops = where.nodes - 1 if network.kind == "bus" else math.ceil(math.log2(where.nodes))
        values["reduction_byte"] = 2 * hops / (network.bandwidth * links)
    if gpu is not None and gpu.link is not None:  # out of one device, into another, one after the other
        values["network_byte"] += 2 * gpu.on_link / gpu.link * (1 + gpu.host_copies)
    return values


def reduction(machine: Machine, where: Places) -> float:
    """Seconds of a reduction over all ranks, of any length: up a tree and down again."""
    seconds = 2 * math.ceil(math.log2(where.on_node)) * machine.node.flag_latency
    if machine.network is not None and where.nodes > 1:
        network = machine.network
        seconds += 2 * math.ceil(math.log2(where.nodes)) * (network.latency + 2 * network.overhead)
    return seconds


def without(values: dict[str, Any], what: str) -> dict[str, Any]:
    """The same machine if something took no time: "computing", of that the "memory", "bandwidth" (of
    messages), "latency" or "disk"."""
    less = dict(values)
    if what == "computing":
        zero = [0.0] * len(values["byte"])
        less |= {"byte": zero, "flop": zero, "rates": {s: [[0.0, 0.0]] * len(zero) for s in values["rates"]}}
    elif what == "memory":
        less |= {"byte": [0.0] * len(values["byte"])}
    elif what == "bandwidth":
        less |= dict.fromkeys(("network_byte", "node_byte", "copied_byte", "reduction_byte"), 0.0)
    elif what == "disk":
        less |= dict.fromkeys(("read_byte", "written_byte", "both_byte"), 0.0)
    else:
        less |= dict.fromkeys(("latency", "overhead", "gap", "node_latency", "look", "run", "reduction"), 0.0)
        less["eager_limit"] = NO_LIMIT  # no message waits for a progress call
    return less
