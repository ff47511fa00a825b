# SPDX-License-Identifier: Apache-2.0
"""Checks of messages for `subcurrent doctor`: their progress, MPI's eager limit, device memory."""

from __future__ import annotations

import re

from ..launch import mpi
from ..launch.mpi import MPICH, OPEN_MPI
from .doctor_sight import SMALL_SHM, DeviceTest, Finding, Sight, bad, good, unknown

PIECE = 60 * 1024  # bytes of a message at most, HaloOptions::piece_bytes
HEAD = 128  # bytes that MPI adds to it, which count in its settings


def progress(sight: Sight) -> Finding:
    """Messages must make progress while cells are computed and MPI is called from time to time."""
    if (
        sight.env.get("MPIR_CVAR_ASYNC_PROGRESS") == "1"
        and sight.ranks * (sight.threads + 1) > sight.cpus.threads
    ):
        return bad(
            "MPICH's progress thread has no CPU of its own",
            "unset MPIR_CVAR_ASYNC_PROGRESS, or run fewer ranks",
        )
    if sight.env.get("OMPI_MCA_btl_tcp_progress_thread") == "1":
        return bad(
            "Open MPI's progress thread of TCP makes latency several times longer",
            "unset OMPI_MCA_btl_tcp_progress_thread: the strategies make progress calls themselves",
        )
    if sight.waits is None:
        return unknown("not measured", "subcurrent doctor --measure, or subcurrent probe --wait")
    left = sight.waits["poked"] / sight.waits["alone"]
    if left > 0.5:
        return bad(
            f"{100 * left:.0f} % of a message's time is not hidden, in spite of progress calls",
            "fewer ranks than CPUs, ranks bound to cores, another transport of MPI (btl, mtl, UCX)",
        )
    return good(f"progress calls hide {100 * (1 - left):.0f} % of a message's time")


def device_messages(sight: Sight) -> Finding:
    """MPI must read and write device memory, and not only say so."""
    if not sight.cuda:
        return unknown("cannot be checked: this build has no CUDA")
    if sight.device is not None:
        return _tested(sight.device)
    if sight.says_cuda is None:
        return unknown("whether MPI says that it reads device memory is unknown", MEASURE)
    if not sight.says_cuda:
        return bad(NOT_CUDA_AWARE, WITH_CUDA)
    if sight.env.get("UCX_TLS") and not re.search(r"cuda|all", sight.env["UCX_TLS"]):
        return bad(
            f"MPI could read device memory, but UCX_TLS = {sight.env['UCX_TLS']} excludes it",
            "add cuda_copy,cuda_ipc to UCX_TLS, or unset it",
        )
    return unknown("MPI says that it is CUDA-aware; this was not tested", MEASURE)


MEASURE = "subcurrent doctor --measure"
NOT_CUDA_AWARE = "MPI is not CUDA-aware: messages pass through pinned host memory"
WITH_CUDA = "use an MPI built with CUDA (Open MPI: --with-cuda, or UCX with it)"


def _tested(test: DeviceTest) -> Finding:
    """What MPI states of device memory, compared with what arrived."""
    says = "MPI says that it is CUDA-aware, but"
    if test.declared is None:
        return unknown(f"cannot be checked: {test.ended}")
    if not test.declared:
        return bad(NOT_CUDA_AWARE, WITH_CUDA)
    if test.ended:
        return bad(
            f"{says} a message from device memory ended the program: {test.ended}",
            f"{WITH_CUDA} of this driver; until then OMPI_MCA_accelerator=null (Open MPI 5), "
            "OMPI_MCA_mpi_cuda_support=0 (Open MPI 4) or MPIR_CVAR_ENABLE_GPU=0 (MPICH)",
        )
    if not test.around:
        lost = "between ranks are lost or damaged" if test.to_itself else "are lost or damaged"
        return bad(
            f"{says} messages from device memory {lost}: runs use pinned host memory",
            f"{WITH_CUDA} of this driver; with UCX, UCX_TLS must include cuda_copy and cuda_ipc",
        )
    return good("MPI is CUDA-aware: messages from device memory to device memory arrived")


def eager(sight: Sight) -> Finding:
    """Messages are divided into pieces that are sent eagerly. Beyond the eager limit each piece waits for its
    receiver."""
    names = {
        OPEN_MPI: ("OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_btl_vader_eager_limit", "UCX_RNDV_THRESH"),
        MPICH: ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE"),
    }
    for name in names.get(mpi.flavour(sight.library) or "", ()):
        limit = _bytes(sight.env.get(name, ""))
        if limit is not None and limit < PIECE + HEAD:
            return bad(
                f"{name} = {sight.env[name]} is below {PIECE} bytes, the size of message pieces",
                f"unset {name}, or {name}={PIECE + 4096}",
            )
    file = sight.text("etc/openmpi/openmpi-mca-params.conf")
    found = re.search(r"^\s*btl_tcp_eager_limit\s*=\s*(\S+)", file, re.MULTILINE)
    if found and (_bytes(found[1]) or PIECE + HEAD) < PIECE + HEAD:
        return bad(
            f"Open MPI's parameter file sets btl_tcp_eager_limit = {found[1]}, which is below "
            f"{PIECE} bytes, the size of message pieces",
            f"OMPI_MCA_btl_tcp_eager_limit={PIECE + 4096}",
        )
    return _measured_limit(sight)


def _measured_limit(sight: Sight) -> Finding:
    """MPI's own limit, which no setting shows. It was measured between ranks of one node, whose halos are
    messages of MPI only if the node has no shared memory for them."""
    limit = sight.eager_limit
    if limit is None:
        return unknown(
            f"no setting is below {PIECE} bytes, the size of message pieces; MPI's own limit is not known",
            MEASURE,
        )
    if limit >= PIECE:
        return good(f"MPI sends messages of {PIECE} bytes, the size of message pieces, at once (measured)")
    said = (
        f"MPI's eager limit on this node is {limit:.0f} bytes (measured), below {PIECE}, the size of message "
        "pieces"
    )
    if sight.shm_bytes is not None and sight.shm_bytes >= SMALL_SHM:
        return unknown(
            f'{said}; halos within a node pass through shared memory, unless engine.transport is "mpi"',
            "subcurrent probe CASE under mpirun or srun measures the limit between nodes",
        )
    return bad(said, f"a larger limit: {' or '.join(f'{name}={PIECE + 4096}' for name in _on_node(sight))}")


def _on_node(sight: Sight) -> tuple[str, ...]:
    """The settings of the limit within a node."""
    if mpi.flavour(sight.library) == MPICH:
        return "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "UCX_RNDV_THRESH"
    return "OMPI_MCA_btl_vader_eager_limit", "OMPI_MCA_btl_sm_eager_limit", "UCX_RNDV_THRESH"


def _bytes(text: str) -> int | None:
    found = re.fullmatch(r"(\d+)([kKmM]?)[bB]?", text)
    return int(found[1]) * {"": 1, "k": 1024, "m": 1 << 20}[found[2].lower()] if found else None
