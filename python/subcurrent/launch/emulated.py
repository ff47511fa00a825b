# SPDX-License-Identifier: Apache-2.0
"""A slow network that is emulated on this machine for the duration of a block.

It is a rate, as in `100mbit`: every rank has a host of its own, made of network namespaces, and messages go
by TCP. Or it is `rdma:` and a rate: ranks hold back their messages as if a network adapter sent them at this
rate, one after the other, without the processor.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from .. import core
from ..errors import BadInput, SubcurrentError
from . import mpi
from .guard import watching

SCRIPT = Path(__file__).with_name("emulated-cluster")
LEAST, MOST = 2, 16  # hosts, as the script allows
ADAPTER = "rdma:"
RATE = re.compile(r"([1-9][0-9]{0,5})(kbit|mbit|gbit)")
BITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
# Reads until the block ends, or its program was killed; then nothing of the network is left.
GUARD = 'read -r done; exec bash "$1" down'


def has_hosts(network: str | None) -> bool:
    """Whether ranks are started on emulated hosts."""
    return network is not None and not network.startswith(ADAPTER)


def adapter_rate(network: str | None) -> float:
    """Bytes per second that an emulated adapter sends; 0 without one."""
    if network is None or has_hosts(network):
        return 0.0
    number, unit = RATE.fullmatch(network.removeprefix(ADAPTER)).groups()
    return int(number) * BITS[unit] / 8


def title(network: str) -> str:
    """The network in a title."""
    if has_hosts(network):
        return f"{network} between hosts"
    return f"{network.removeprefix(ADAPTER)} by RDMA between ranks"


def sentence(network: str, ranks: int) -> str:
    """What is emulated, for people."""
    if has_hosts(network):
        return f"{ranks} emulated hosts with one rank each, connected at {network}"
    rate = network.removeprefix(ADAPTER)
    return f"messages are held back as if a network adapter of each rank sent {rate} without the processor"


def check(network: str, hosts: int) -> None:
    """Raises BadInput for what cannot be emulated here, before anything is started."""
    asked = f"--network {network}"
    if not RATE.fullmatch(network.removeprefix(ADAPTER)):
        raise BadInput(
            f"{asked} is not allowed: it must be a whole number of kbit, mbit or gbit, as in 100mbit or "
            f"{ADAPTER}8gbit."
        )
    if not has_hosts(network):
        return
    if mpi.outer() is not None:
        raise BadInput(f"{asked} starts hosts and ranks itself: do not run it under mpirun or srun.")
    if not LEAST <= hosts <= MOST:
        raise BadInput(f"{asked} has a host for each rank: -n {hosts} must be from {LEAST} to {MOST}.")
    if os.geteuid() != 0:
        raise BadInput(f"{asked} needs root: it emulates hosts by network namespaces.")
    family = mpi.flavour(str(core.build_info()["mpi"]))
    if family != mpi.OPEN_MPI:
        raise BadInput(f"{asked} needs Open MPI, and subcurrent was built with {family or 'another MPI'}.")
    there = _script("status").split()
    if there:
        raise BadInput(
            f"{asked} cannot use the names of emulated hosts that exist ({', '.join(there)}): if "
            f"no other program uses them, `bash {shlex.quote(str(SCRIPT))} down` removes them."
        )


@contextlib.contextmanager
def network(rate: str, hosts: int) -> Iterator[Mapping[str, str]]:
    """Creates the hosts and yields the environment for `ranks.launch`. They are removed when the block ends,
    also if this process is killed; processes that still run on them are ended."""
    guard = watching(GUARD, "subcurrent-network", str(SCRIPT))
    try:
        _script("up", str(hosts), rate)
        # The interface between the hosts, or Open MPI would be told to stay on the loopback one.
        names = ("OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_btl_tcp_if_include")
        yield {**os.environ, **dict.fromkeys(names, "mpi0")}
    finally:
        guard.stdin.close()
        guard.wait()


@contextlib.contextmanager
def hosts(
    wanted: str | None, ranks: int, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Mapping[str, str]]:
    """The environment for starting ranks: this machine's, or that of emulated hosts that exist during the
    block. `tell` gets a sentence on what is emulated."""
    with network(wanted, ranks) if has_hosts(wanted) else contextlib.nullcontext(os.environ) as env:
        if wanted is not None:
            tell(sentence(wanted, ranks))
        yield env


def command(program: list[str]) -> list[str]:
    """The command line that starts a program on every host as one MPI job."""
    return ["bash", str(SCRIPT), "run", *program]


def _script(*arguments: str) -> str:
    """Output of the script; raises its own sentence if it fails."""
    try:
        done = subprocess.run(
            ["bash", str(SCRIPT), *arguments], check=False, capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SubcurrentError(f"the emulated hosts could not be made: {error}.") from error
    if done.returncode == 3:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise BadInput(f"--network cannot be emulated here: {why.removeprefix('emulated-cluster: ')}.")
    if done.returncode != 0:
        raise SubcurrentError(f"the emulated hosts could not be made: {done.stderr.strip()}.")
    return done.stdout
