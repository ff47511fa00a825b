# SPDX-License-Identifier: Apache-2.0
"""From a machine file to the times and rates of one rank, in seconds and bytes, as the compiled module takes
them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..errors import BadInput
from ..rank.machine_probe import IN_MEMORY
from .machine_keys import Machine, Network, Rate

COPIED = 2  # bytes that are read and written where one is copied
NO_LIMIT = 2**62  # bytes, more than any message has
BYTES = ("network_byte", "backbone_byte", "node_byte", "copied_byte", "reduction_byte")  # seconds for each


@dataclass(frozen=True)
class Places:
    """How the ranks of a run are distributed on a machine."""

    ranks: int
    threads: int  # of a rank
    per_node: int  # ranks of a node, as many as fit
    segments: tuple[int, ...] = ()  # of each rank, if they are on several segments of a bus

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

    def apart(self, one: int, other: int) -> int:
        """0: two ranks are on one node, 1: on two nodes, 2: on two segments of a bus."""
        if self.segments and self.segments[one] != self.segments[other]:
            return 2
        return int(one // self.per_node != other // self.per_node)


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
    return where if machine.network is None else replace(where, segments=_segments(machine.network, where))


def _segments(network: Network, where: Places) -> tuple[int, ...]:
    """The segment of a bus that each rank is on; empty if all are on one."""
    if network.kind != "bus" or not network.shape:
        return ()
    size, count = network.shape
    nodes = [rank // where.per_node for rank in range(where.ranks)]
    found = tuple(node % count if network.placement == "cyclic" else node // size for node in nodes)
    return found if len(set(found)) > 1 else ()


def fullest(where: Places) -> int:
    """The most ranks on a segment of a bus."""
    return max(Counter(where.segments).values(), default=where.ranks)


def memory_of(machine: Machine, where: Places, rank_bytes: float) -> tuple[float | None, float, str]:
    """Bytes that a node, or a device if there are some, has and would need, and which of both it is."""
    if machine.gpu is not None:
        return machine.gpu.memory, rank_bytes, "a device"
    return machine.node.memory, rank_bytes * where.on_node, "a node"


@dataclass(frozen=True)
class Share:
    """What a rank has of a case: whether it fits into caches."""

    cells: float
    bytes: float  # of its arrays


def bandwidth(machine: Machine, busy: int, each: float | None = None) -> float:
    """Bytes/s that `busy` cores of a node read and write together, each in arrays of so many bytes; None: in
    memory."""
    node = machine.node
    alone = node.core_bandwidth or node.copy_bandwidth / node.cores
    if each is None or not node.copies:
        return min(node.copy_bandwidth, busy * alone)
    ends, share = _loads([one.busy for one in node.copies], busy)
    rates = []
    for load in ends:
        points = {one.bytes: (one.bandwidth,) for one in node.copies if one.busy == load}
        points.setdefault(IN_MEMORY, (bandwidth(machine, load) / load,))
        rates.append(_at(points, each)[0])
    return busy * (rates[0] + share * (rates[1] - rates[0]))


def _loads(known: Iterable[int], busy: int) -> tuple[tuple[int, int], float]:
    """The measured numbers of busy cores below and above, and how far `busy` lies between them; the nearest
    twice outside of them."""
    loads = sorted(set(known))
    above = next((load for load in loads if load >= busy), loads[-1])
    below = next((load for load in reversed(loads) if load <= busy), loads[0])
    share = 0.0 if above == below else (busy - below) / (above - below)
    return (below, above), min(1.0, max(0.0, share))


def _at(points: dict[float, tuple[float, ...]], size: float) -> tuple[float, ...]:
    """Values at a size: linear in its logarithm between those that are known, the nearest outside of them."""
    below = max((one for one in points if one <= size), default=min(points))
    above = min((one for one in points if one >= size), default=max(points))
    if above <= below:
        return points[below]
    share = math.log(size / below) / math.log(above / below)
    return tuple(a + share * (b - a) for a, b in zip(points[below], points[above], strict=True))


def rate_of(rates: list[Rate], threads: int, busy: int, cells: float | None = None) -> list[float]:
    """Seconds for a cell and for a row of a rank with `threads` threads and so many cells: interpolated
    between the measured loads of the node, the nearest load outside of them, and at each between the measured
    numbers of cells; the largest if the number is unknown. For another number of threads, they are assumed to
    share the work."""
    nearest = min({rate.threads for rate in rates}, key=lambda t: (abs(t - threads), t))
    known = [rate for rate in rates if rate.threads == nearest]
    ends, share = _loads([rate.busy for rate in known], busy)
    scale, found = nearest / threads, []
    for load in ends:
        points = {float(rate.cells or 1): (rate.cell, rate.row) for rate in known if rate.busy == load}
        found.append(_at(points, max(points) if cells is None else cells))
    return [scale * (a + share * (b - a)) for a, b in zip(*found, strict=True)]


def at_end(machine: Machine, end: float) -> Machine:
    """The same machine with all that was measured several times at the fast (end = -1) or slow (end = 1) end
    of its scatter: stages, messages, the disk."""

    def factor(spread: float) -> float:
        return 1 + end * min(spread, 1.0) / 2

    def slowed(one: Any, times: tuple[str, ...], speeds: tuple[str, ...] = ()) -> Any:
        if one is None or one.spread == 0:
            return one
        more = {name: getattr(one, name) * factor(one.spread) for name in times}
        more |= {name: getattr(one, name) / factor(one.spread) for name in speeds if getattr(one, name)}
        return one.model_copy(update=more)

    rates = {
        solver: {name: [slowed(rate, ("cell", "row")) for rate in stage] for name, stage in stages.items()}
        for solver, stages in machine.rates.items()
    }
    network = slowed(machine.network, ("latency", "overhead", "gap"), ("bandwidth", "backbone"))
    disk = slowed(machine.disk, (), ("read", "write", "both"))
    return machine.model_copy(update={"rates": rates, "network": network, "disk": disk})


def core_flops(machine: Machine, busy: int) -> float:
    """Operations/s of each of `busy` cores of a node."""
    node = machine.node
    loaded = node.busy_flops or node.core_flops
    share = min(1.0, (busy - 1) / (node.cores - 1)) if node.cores > 1 else 0.0
    return node.core_flops + share * (loaded - node.core_flops)


def figures(
    machine: Machine, solver: str, where: Places, poke: float, share: Share | None = None
) -> dict[str, Any]:
    """The input of `_core.forecast` for one rank with its share of the case, if the others are equally busy;
    None: too large for caches. `poke`: seconds between progress calls."""
    each = range(1, where.threads + 1)
    gpu, network = machine.gpu, machine.network
    per_core = bandwidth(machine, where.busy) / where.busy
    if gpu is None:
        near = [bandwidth(machine, where.busy, share and share.bytes / t) / where.busy for t in each]
        byte = [1 / (rate * t) for t, rate in zip(each, near, strict=True)]
        flop = [1 / (core_flops(machine, where.busy) * t) for t in each]
        copied, run = COPIED / per_core, machine.engine.run
    else:
        byte, flop = [1 / gpu.bandwidth for _ in each], [1 / gpu.flops for _ in each]
        copied, run = COPIED / gpu.bandwidth, machine.engine.run + gpu.launch
    values = {
        "threads": where.threads,
        "rates": {
            stage: [rate_of(rates, t, where.busy, share and share.cells) for t in each]
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
        "disk_computing": machine.disk.computing if machine.disk else 1.0,
        "disk_awaited": machine.disk.awaited if machine.disk else 1.0,
        "latency": 0.0,
        "network_byte": 0.0,
        "overhead": 0.0,
        "gap": 0.0,
        "sharing": 1,
        "segments": list(where.segments),
        "backbone_byte": 0.0,
        "eager_limit": NO_LIMIT,
        "poke": poke,
        "look": machine.engine.look,
        "run": run,
        "reduction": reduction(machine, where),
        "reduction_byte": 0.0,
    }
    if network is not None:
        sharing = fullest(where) if network.kind == "bus" else where.on_node
        links = 1 if network.kind == "bus" else network.links
        values["latency"], values["overhead"] = network.latency, network.overhead
        values["network_byte"] = sharing / (network.bandwidth * links)
        values["gap"] = network.gap * sharing
        values["sharing"] = sharing
        if network.eager_limit is not None:
            values["eager_limit"] = int(network.eager_limit)
        if where.segments:
            values["backbone_byte"] = 1 / (network.backbone or network.bandwidth)
        # up a tree and down again: on a bus one after the other, else as many as there are levels
        hops = _hops_on_bus(where) if network.kind == "bus" else math.ceil(math.log2(where.nodes))
        values["reduction_byte"] = 2 * hops / (network.bandwidth * links)
    if gpu is not None and gpu.link is not None:  # out of one device, into another, one after the other
        values["network_byte"] += 2 * gpu.on_link / gpu.link * (1 + gpu.host_copies)
    return values


def _hops_on_bus(where: Places) -> int:
    """Messages of a reduction on its way up that pass one after the other: on the fullest segment of a bus,
    then between segments."""
    segments = len(set(where.segments)) or 1
    return math.ceil(fullest(where) / where.per_node) - 1 + segments - 1


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
        less |= dict.fromkeys(BYTES, 0.0)
    elif what == "disk":
        less |= dict.fromkeys(("read_byte", "written_byte", "both_byte"), 0.0)
    else:
        less |= dict.fromkeys(("latency", "overhead", "gap", "node_latency", "look", "run", "reduction"), 0.0)
        less["eager_limit"] = NO_LIMIT  # no message waits for a progress call
    return less
