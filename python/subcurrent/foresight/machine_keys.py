# SPDX-License-Identifier: Apache-2.0
"""What a machine file says: figures of one node, of the network between nodes, and how a job is started.

All figures are in seconds, bytes and operations, or per second. Where a measured rate is known, it is used
instead of the nominal one. A key that is left out has the default named beside it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ..case.keys import Table, key, setting

LARGEST_SPREAD = 10.0


def spread_of(what: str) -> Any:
    """How much measurements differ, which gives a prediction its range."""
    return setting(
        f"scatter of the measured {what} as a fraction of their median; 10 means 10 or more",
        0.0,
        ge=0,
        le=LARGEST_SPREAD,
    )


def seconds(meaning: str, *default: Any, least: float = 0) -> Any:
    return setting(meaning, *default, unit="seconds", ge=least, le=1)


def speed(meaning: str, *default: Any, least: float, most: float = 1e13) -> Any:
    return setting(meaning, *default, unit="bytes/s", ge=least, le=most)


def operations(meaning: str, *default: Any, least: float = 1e5, most: float = 1e13) -> Any:
    return setting(meaning, *default, unit="1/s", ge=least, le=most)


class Copies(Table):
    """Bandwidth of copies within arrays that fit into caches."""

    bytes: float = setting("bytes that a core reads and writes again and again", unit="bytes", ge=1, le=1e12)
    bandwidth: float = speed("bytes read and written per second by one core", least=1e5, most=1e14)
    busy: int = setting("cores of the node that copied at the same time", 1, ge=1, le=100_000)


class Node(Table):
    """One node. A rank computes on `threads` of its cores."""

    cores: int = setting("cores of a node that can be used", ge=1, le=100_000)
    copy_bandwidth: float = speed(
        "memory bandwidth of all cores together: bytes read and written per second, as in STREAM",
        least=1e6,
        most=1e14,
    )
    core_bandwidth: float | None = speed(
        "memory bandwidth of one core alone, counted likewise; if left out: an equal share of "
        "node.copy_bandwidth",
        None,
        least=1e5,
    )
    copies: list[Copies] = key(
        "bandwidths of arrays that fit into caches. Stages without a measured rate have that of their rank's "
        "size: interpolated between the measured ones, and above them towards the bandwidth of memory, which "
        "is taken to be that of 256 MiB for each core",
        "tables [[node.copies]]",
        [],
    )
    core_flops: float = operations(
        "floating-point operations per second that one core achieves in loops over cells"
    )
    busy_flops: float | None = operations(
        "the same of each core while all cores of the node compute, when clocks are lower and threads share "
        "a core; in between it is interpolated. If left out: node.core_flops",
        None,
    )
    memory: float | None = setting(
        "bytes of memory; if left out, the program does not check whether a case fits",
        None,
        unit="bytes",
        ge=1e6,
        le=1e15,
    )
    flag_latency: float = seconds(
        "latency of shared memory: seconds until a rank sees what another rank of its node has written",
        0.2e-6,
    )


class Network(Table):
    """The network between nodes. A message takes latency + bytes / bandwidth, and overhead on both cores."""

    kind: Literal["switch", "bus", "fat_tree", "torus", "dragonfly"] = key(
        "topology: links of its own for every node (switch), or one link that all nodes share (bus), which "
        "may be divided into segments; in a fat tree, torus or dragonfly links between switches are shared, "
        "too. Predictions take these three as a switch, `predict --simulate` shares their links",
        '"switch", "bus", "fat_tree", "torus" or "dragonfly"',
        "switch",
    )
    shape: list[Annotated[int, Field(ge=1, le=100_000)]] = key(
        "of a bus in segments: nodes of a segment, segments (left out: one segment); of a fat tree: nodes of "
        "a leaf switch, leaf switches; of a torus: nodes along each axis; of a "
        "dragonfly: groups, chassis of a group, switches of a chassis, nodes of a switch. Nodes are numbered "
        "leaf by leaf, along the first axis first, or group by group",
        "a list of whole numbers from 1 to 100000",
        [],
    )
    trunks: list[Annotated[int, Field(ge=1, le=10_000)]] = key(
        "number of links between switches, each as fast as all links of a node together; of a fat tree: from "
        "a leaf switch upwards, each to another switch; of a dragonfly: between two groups, two chassis of a "
        "group, two switches of a chassis",
        "a list of whole numbers from 1 to 10000",
        [],
    )
    backbone: float | None = speed(
        "of a bus in segments: bytes/s of the link that joins them. A message between two segments takes a "
        "share of both and of the backbone; if left out: network.bandwidth",
        None,
        least=1e3,
    )
    placement: Literal["block", "cyclic"] = key(
        "of a bus in segments: whether ranks fill one segment after the other (block), or go round them node "
        "by node (cyclic)",
        '"block" or "cyclic"',
        "block",
    )
    hop: float = seconds(
        "additional latency of each link to or between switches, for `predict --simulate`", 0.0
    )
    latency: float = seconds("latency: seconds until the first byte arrives", least=1e-8)
    bandwidth: float = speed("bytes/s of one link in one direction", least=1e3)
    links: int = setting("number of links that a node can use at the same time", 1, ge=1, le=1000)
    overhead: float = seconds("processor time of a message in seconds, at each end", 1e-6)
    gap: float = seconds("smallest interval in seconds between two messages of a node", 0.0)
    eager_limit: float | None = setting(
        "bytes of the largest message that is sent at once (eager protocol). Before a larger one the sender "
        "asks the receiver, which answers at its next progress call (rendezvous); if left out, all messages "
        "are sent at once",
        None,
        unit="bytes",
        ge=0,
        le=1e12,
    )
    spread: float = spread_of("times of messages")


class Gpu(Table):
    """Devices that compute instead of the cores, with one rank on each. `probe` measures the host only: this
    table is written by hand."""

    per_node: int = setting("devices of a node", ge=1, le=64)
    flops: float = operations(
        "operations per second that one device achieves in loops over cells", least=1e8, most=1e15
    )
    bandwidth: float = speed("memory bandwidth of a device in bytes/s", least=1e8, most=1e14)
    memory: float | None = setting("bytes of memory of a device", None, unit="bytes", ge=1e6, le=1e13)
    launch: float = seconds("seconds from the launch of a kernel to its start", 5e-6)
    link: float | None = speed(
        "bytes/s between host and device, for messages that pass through the host; if left "
        "out, the network reads device memory",
        None,
        least=1e6,
    )
    on_link: int = setting("devices that share a link to the host", 1, ge=1, le=64)
    host_copies: float = setting(
        "time of copies within the host's memory, relative to the time on the link", 0.0, ge=0, le=100
    )


class Disk(Table):
    """The disk of a node for scratch files. The number of transfers in flight (queue depth) has no key: with
    overlap they are read ahead and written behind, which `read`, `write` and `both` measure; what is lost
    where each is waited for is `awaited`."""

    read: float = speed("bytes/s that all ranks of a node read together, if nothing is written", least=1e5)
    write: float = speed("bytes/s that all ranks of a node write together, if nothing is read", least=1e5)
    both: float | None = speed(
        "bytes/s in both directions together while both are busy; if left out, each is as fast as alone",
        None,
        least=1e5,
    )
    computing: float = setting(
        "share of these rates that is left while the cores of a node compute", 1.0, ge=0.01, le=1
    )
    awaited: float = setting(
        "share of these rates that is left without overlap, where ranks wait for each piece and each halo",
        1.0,
        ge=0.01,
        le=1,
    )
    spread: float = spread_of("times of transfers")


class Engine(Table):
    """Overheads of the engine on this machine, measured by `subcurrent probe`."""

    run: float = seconds(
        "seconds of overhead of each execution of a stage, in addition to the time of its cells", 5e-6
    )
    look: float = seconds("seconds of a progress call, such as MPI_Test", 1e-6)


class Rate(Table):
    """Time of a stage on a rank with `threads` threads, while `busy` cores of the node compute."""

    cell: float = seconds("seconds for each cell")
    row: float = seconds("additional seconds for each row of cells along x", 0.0)
    threads: int = setting("threads of the rank", 1, ge=1, le=1024)
    busy: int = setting("cores of the node that were busy during the measurement", 1, ge=1, le=100_000)
    cells: int | None = key(
        "cells of the rank during the measurement. Arrays of fewer cells may fit into caches, so predictions "
        "interpolate between the measured numbers of cells; if left out, the rate holds for any number",
        "a whole number from 1 to 10^15",
        None,
        ge=1,
        le=10**15,
    )
    spread: float = spread_of("times")


class Launch(Table):
    """How jobs are started on this machine."""

    kind: Literal["slurm", "mpirun"] = key("program that starts the ranks", '"slurm" or "mpirun"')
    lines: list[str] = key(
        "lines of the job script before the run: modules, partitions, paths", "a list of lines", []
    )


Rates = dict[str, dict[str, Annotated[list[Rate], Field(min_length=1)]]]


class Machine(Table):
    """A machine file, checked."""

    name: str = key(
        "name in tables and scripts", "a text of 1 to 100 characters", min_length=1, max_length=100
    )
    about: str = key("one sentence about the machine", "a text", "")
    node: Node = key("one node", "a table [node]")
    network: Network | None = key(
        "network between nodes; if left out, the machine is one node", "a table [network]", None
    )
    gpu: Gpu | None = key("devices of a node", "a table [gpu]", None)
    disk: Disk | None = key(
        "disk for scratch files; if left out, cases with fields in files are refused", "a table [disk]", None
    )
    engine: Engine = key("overheads of the engine", "a table [engine]", Engine())
    rates: Rates = key(
        "measured times of computation by solver and stage; a stage without one is estimated "
        "from its declared bytes and operations",
        "tables [[rates.SOLVER.STAGE]]",
        {},
    )
    launch: Launch | None = key("how jobs are started", "a table [launch]", None)
