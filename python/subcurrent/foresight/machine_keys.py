# SPDX-License-Identifier: Apache-2.0
"""What a machine file says: figures of one node, of the network between nodes, and how a job is started.

All figures are in seconds, bytes and operations, or per second; none is a rate that a label promises where
a measured one is known. What is left out has the default named beside it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..case.keys import Table, key


class Node(Table):
    """A node; a rank of it computes on `threads` of its cores."""

    cores: int = key("cores of a node that compute", "a whole number from 1 to 100000", ge=1, le=100_000)
    copy_bandwidth: float = key(
        "bytes/s that all cores together read and write, as STREAM counts them",
        "bytes/s from 1e6 to 1e14",
        ge=1e6,
        le=1e14,
    )
    core_bandwidth: float | None = key(
        "the same of one core alone; left out: an equal share of copy_bandwidth",
        "bytes/s from 1e5 to 1e13",
        None,
        ge=1e5,
        le=1e13,
    )
    core_flops: float = key(
        "floating-point operations/s that a core really does in loops over cells",
        "1/s from 1e5 to 1e13",
        ge=1e5,
        le=1e13,
    )
    memory: float | None = key(
        "bytes of memory; left out: whether a case fits is not said",
        "bytes from 1e6 to 1e15",
        None,
        ge=1e6,
        le=1e15,
    )
    flag_latency: float = key(
        "seconds until a rank sees what another one of its node has written",
        "seconds from 0 to 1",
        0.2e-6,
        ge=0,
        le=1,
    )


class Network(Table):
    """Between nodes. A message takes latency + bytes / bandwidth, and overhead of a core at both ends."""

    kind: Literal["switch", "bus"] = key(
        "whether every node has links of its own, or all share one", '"switch" or "bus"', "switch"
    )
    latency: float = key("seconds until the first byte is there", "seconds from 1e-8 to 1", ge=1e-8, le=1)
    bandwidth: float = key(
        "bytes/s of one link in one direction", "bytes/s from 1e3 to 1e13", ge=1e3, le=1e13
    )
    links: int = key("links that a node can use at a time", "a whole number from 1 to 1000", 1, ge=1, le=1000)
    overhead: float = key(
        "seconds that a message takes of the processor at either end", "seconds from 0 to 1", 1e-6, ge=0, le=1
    )
    gap: float = key("least seconds between two messages of a node", "seconds from 0 to 1", 0.0, ge=0, le=1)


class Gpu(Table):
    """Devices that compute instead of the cores, a rank on each."""

    per_node: int = key("devices of a node", "a whole number from 1 to 64", ge=1, le=64)
    flops: float = key(
        "operations/s that one does in loops over cells", "1/s from 1e8 to 1e15", ge=1e8, le=1e15
    )
    bandwidth: float = key("bytes/s of its memory", "bytes/s from 1e8 to 1e14", ge=1e8, le=1e14)
    memory: float | None = key("bytes of its memory", "bytes from 1e6 to 1e13", None, ge=1e6, le=1e13)
    launch: float = key("seconds from a launch to its work", "seconds from 0 to 1", 5e-6, ge=0, le=1)
    link: float | None = key(
        "bytes/s to and from the host, through which messages pass; left out: the network reads devices",
        "bytes/s from 1e6 to 1e13",
        None,
        ge=1e6,
        le=1e13,
    )
    on_link: int = key("devices that share a link to the host", "a whole number from 1 to 64", 1, ge=1, le=64)
    host_copies: float = key(
        "time of copies in the host's memory, in times that the link takes",
        "a number from 0 to 100",
        0.0,
        ge=0,
        le=100,
    )


class Disk(Table):
    """What a node has for scratch files, in each way while the other one is busy too."""

    read: float = key("bytes/s that all ranks of a node read", "bytes/s from 1e5 to 1e13", ge=1e5, le=1e13)
    write: float = key("bytes/s that they write", "bytes/s from 1e5 to 1e13", ge=1e5, le=1e13)


class Engine(Table):
    """What the engine itself takes there; measured by `subcurrent probe`."""

    run: float = key("seconds of a run of a stage beside its cells", "seconds from 0 to 1", 5e-6, ge=0, le=1)
    look: float = key("seconds of a look at what moves", "seconds from 0 to 1", 1e-6, ge=0, le=1)


LARGEST_SPREAD = 10.0


class Rate(Table):
    """What a stage takes of a rank on `threads` threads while `busy` cores of its node compute."""

    cell: float = key("seconds a cell", "seconds from 0 to 1", ge=0, le=1)
    row: float = key("seconds more for each row of cells along x", "seconds from 0 to 1", 0.0, ge=0, le=1)
    threads: int = key("threads of the rank", "a whole number from 1 to 1024", 1, ge=1, le=1024)
    busy: int = key(
        "cores of the node that computed then", "a whole number from 1 to 100000", 1, ge=1, le=100_000
    )
    spread: float = key(
        "what measured times scattered by, as a share of the median; 10: that much or more",
        "a number from 0 to 10",
        0.0,
        ge=0,
        le=LARGEST_SPREAD,
    )


class Launch(Table):
    """How a job is started there."""

    kind: Literal["slurm", "mpirun"] = key("what starts ranks", '"slurm" or "mpirun"')
    lines: list[str] = key(
        "lines of the script before the run: modules, partitions, places", "a list of lines", []
    )


Rates = dict[str, dict[str, Annotated[list[Rate], Field(min_length=1)]]]


class Machine(Table):
    """A machine file, checked."""

    name: str = key(
        "what tables and scripts call it", "a text of 1 to 100 characters", min_length=1, max_length=100
    )
    about: str = key("what it is, in a sentence", "a text", "")
    node: Node = key("one node", "a table [node]")
    network: Network | None = key("between nodes; left out: there is one node", "a table [network]", None)
    gpu: Gpu | None = key("devices of a node", "a table [gpu]", None)
    disk: Disk | None = key("for fields in files; left out: such cases are refused", "a table [disk]", None)
    engine: Engine = key("what the engine itself takes", "a table [engine]", Engine())
    rates: Rates = key(
        "by solver and stage what computing takes; others go by their declared bytes and operations",
        "tables [[rates.SOLVER.STAGE]]",
        {},
    )
    launch: Launch | None = key("how jobs are started", "a table [launch]", None)
