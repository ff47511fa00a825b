# SPDX-License-Identifier: Apache-2.0
"""What may prevent overlap on a machine, check by check, for `subcurrent doctor`.

Every check is a function of a Sight of the machine, so that a test can pass one of a bad machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..launch import mpi
from ..launch.mpi import MPICH, OPEN_MPI, Cpus

PIECE = 60 * 1024  # bytes of a message at most, HaloOptions::piece_bytes
HEAD = 128  # bytes that MPI adds to it
SMALL_SHM = 1 << 30
# What a setting of the clock is worth where a core works and then waits.
SLOW_GOVERNORS = ("powersave", "conservative", "userspace")


@dataclass(frozen=True)
class DeviceTest:
    """What MPI states of device memory, and which test messages arrived: from a rank to itself, and to the
    next one."""

    declared: bool | None = None  # None: it could not be asked
    to_itself: bool = False
    around: bool = False
    ended: str = ""  # the reason why the ranks ended before they had answered


@dataclass
class Sight:
    """What the checks examine; `root` is the folder that contains /proc and /sys."""

    ranks: int = 2
    threads: int = 1
    root: Path = Path("/")
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    library: str = mpi.OPEN_MPI  # the MPI that the engine was built with, as it names itself
    cuda: bool = False  # whether the engine was built for devices
    says_cuda: bool | None = None  # whether that MPI claims to read devices' memory; None: it is not known
    device: DeviceTest | None = None  # None: not tested
    cpus: Cpus = field(default_factory=mpi.cpus)
    scratch: Path = Path("/tmp")
    shm_bytes: int | None = None  # of /dev/shm
    waits: dict[str, float] | None = (
        None  # of a message alone, poked and silent, in seconds; None: not measured
    )

    def text(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8").strip()
        except OSError:
            return ""


@dataclass(frozen=True)
class Finding:
    """Result of a check: good, bad with a fix, or unknown."""

    what: str
    good: bool | None
    says: str
    mend: str = ""


Check = Callable[[Sight], Finding]


def progress(sight: Sight) -> Finding:
    """Messages must make progress while cells are computed and MPI is called from time to time."""
    what = "progress"
    if (
        sight.env.get("MPIR_CVAR_ASYNC_PROGRESS") == "1"
        and sight.ranks * (sight.threads + 1) > sight.cpus.threads
    ):
        return Finding(
            what,
            False,
            "MPICH's progress thread has no CPU of its own",
            "unset MPIR_CVAR_ASYNC_PROGRESS, or run fewer ranks",
        )
    if sight.env.get("OMPI_MCA_btl_tcp_progress_thread") == "1":
        return Finding(
            what, False, "Open MPI's progress thread of TCP makes latency several times longer",
            "unset OMPI_MCA_btl_tcp_progress_thread: the strategies make progress calls themselves",
        )  # fmt: skip
    if sight.waits is None:
        return Finding(what, None, "not measured", "subcurrent doctor --measure, or subcurrent probe --wait")
    left = sight.waits["poked"] / sight.waits["alone"]
    if left > 0.5:
        return Finding(
            what, False, f"{100 * left:.0f} % of a message's time is not hidden, in spite of progress calls",
            "fewer ranks than CPUs, ranks bound to cores, another transport of MPI (btl, mtl, UCX)",
        )  # fmt: skip
    return Finding(
        what,
        True,
        f"progress calls hide {100 * (1 - left):.0f} % of a message's time",
    )


def device_messages(sight: Sight) -> Finding:
    """MPI must read and write device memory, and not only say so."""
    what = "device messages"
    if not sight.cuda:
        return Finding(what, None, "cannot be checked: this build has no CUDA")
    if sight.device is not None:
        return _tested(what, sight.device)
    if sight.says_cuda is None:
        return Finding(what, None, "whether MPI says that it reads device memory is unknown", MEASURE)
    if not sight.says_cuda:
        return Finding(what, False, NOT_CUDA_AWARE, WITH_CUDA)
    if sight.env.get("UCX_TLS") and not re.search(r"cuda|all", sight.env["UCX_TLS"]):
        return Finding(
            what, False, f"MPI could read device memory, but UCX_TLS = {sight.env['UCX_TLS']} excludes it",
            "add cuda_copy,cuda_ipc to UCX_TLS, or unset it",
        )  # fmt: skip
    return Finding(what, None, "MPI says that it is CUDA-aware; this was not tested", MEASURE)


MEASURE = "subcurrent doctor --measure"
NOT_CUDA_AWARE = "MPI is not CUDA-aware: messages pass through pinned host memory"
WITH_CUDA = "use an MPI built with CUDA (Open MPI: --with-cuda, or UCX with it)"


def _tested(what: str, test: DeviceTest) -> Finding:
    """What MPI states of device memory, compared with what arrived."""
    says = "MPI says that it is CUDA-aware, but"
    if test.declared is None:
        return Finding(what, None, f"cannot be checked: {test.ended}")
    if not test.declared:
        return Finding(what, False, NOT_CUDA_AWARE, WITH_CUDA)
    if test.ended:
        return Finding(
            what, False, f"{says} a message from device memory ended the program: {test.ended}",
            f"{WITH_CUDA} of this driver; until then OMPI_MCA_accelerator=null (Open MPI 5), "
            "OMPI_MCA_mpi_cuda_support=0 (Open MPI 4) or MPIR_CVAR_ENABLE_GPU=0 (MPICH)",
        )  # fmt: skip
    if not test.around:
        lost = "between ranks are lost or damaged" if test.to_itself else "are lost or damaged"
        return Finding(
            what, False, f"{says} messages from device memory {lost}: runs use pinned host memory",
            f"{WITH_CUDA} of this driver; with UCX, UCX_TLS must include cuda_copy and cuda_ipc",
        )  # fmt: skip
    return Finding(what, True, "MPI is CUDA-aware: messages from device memory to device memory arrived")


def binding(sight: Sight) -> Finding:
    """A rank that migrates between cores loses its cache."""
    what = "binding"
    needed = sight.ranks * sight.threads
    if sight.env.get("SUBCURRENT_BIND") == "none" and sight.ranks > 1 and needed <= sight.cpus.threads:
        return Finding(
            what, False, "SUBCURRENT_BIND = none: ranks migrate between CPUs", "unset SUBCURRENT_BIND"
        )
    if sight.env.get("OMPI_MCA_hwloc_base_binding_policy") == "none":
        return Finding(
            what, False, "OMPI_MCA_hwloc_base_binding_policy = none: ranks migrate between CPUs",
            "unset OMPI_MCA_hwloc_base_binding_policy",
        )  # fmt: skip
    return Finding(what, True, "ranks are bound to their own cores if there are enough")


def oversubscription(sight: Sight) -> Finding:
    """Threads that wait for each other must run at the same time."""
    what = "CPUs"
    needed = sight.ranks * sight.threads
    if needed > sight.cpus.threads:
        return Finding(
            what, False, f"ranks x threads need {needed} CPUs, but this process may use {sight.cpus.threads}",
            "fewer ranks or threads",
        )  # fmt: skip
    quota = _quota(sight)
    if quota is not None and quota < needed:
        return Finding(
            what, False, f"the control group (cgroup) grants {quota:g} CPUs of time, the run needs {needed}",
            "a larger CPU quota of the container, or fewer ranks",
        )  # fmt: skip
    load = sight.text("proc/loadavg").split()
    if load and float(load[0]) > 0.5 * sight.cpus.threads:
        return Finding(
            what,
            False,
            f"other programs are running: the load is {load[0]} on {sight.cpus.threads} CPUs",
            "wait for them",
        )
    if needed > sight.cpus.cores:
        return Finding(
            what, False, f"{needed} threads share {sight.cpus.cores} cores (two hardware threads on a core)",
            "use as many threads as cores: memory bandwidth limits most loops",
        )  # fmt: skip
    return Finding(what, True, f"{needed} threads, {sight.cpus.cores} cores")


def _quota(sight: Sight) -> float | None:
    """CPU time that the control group (cgroup) grants, in CPUs; None: no limit."""
    words = sight.text("sys/fs/cgroup/cpu.max").split()
    if len(words) == 2 and words[0].isdecimal():
        return int(words[0]) / int(words[1])
    quota, period = (sight.text(f"sys/fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period"))
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() else None


def eager(sight: Sight) -> Finding:
    """Messages are divided into pieces that are sent eagerly. Beyond the eager limit each piece waits for its
    receiver."""
    what = "eager limit"
    names = {
        OPEN_MPI: ("OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_btl_vader_eager_limit", "UCX_RNDV_THRESH"),
        MPICH: ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE"),
    }
    for name in names.get(mpi.flavour(sight.library) or "", ()):
        limit = _bytes(sight.env.get(name, ""))
        if limit is not None and limit < PIECE + HEAD:
            return Finding(
                what, False, f"{name} = {sight.env[name]} is below {PIECE} bytes, the size of message pieces",
                f"unset {name}, or {name}={PIECE + 4096}",
            )  # fmt: skip
    file = sight.text("etc/openmpi/openmpi-mca-params.conf")
    found = re.search(r"^\s*btl_tcp_eager_limit\s*=\s*(\S+)", file, re.MULTILINE)
    if found and (_bytes(found[1]) or PIECE + HEAD) < PIECE + HEAD:
        return Finding(
            what, False, f"Open MPI's parameter file sets btl_tcp_eager_limit = {found[1]}, which is below "
            f"{PIECE} bytes, the size of message pieces",
            f"OMPI_MCA_btl_tcp_eager_limit={PIECE + 4096}",
        )  # fmt: skip
    return Finding(what, True, f"no eager limit is set below {PIECE} bytes, the size of message pieces")


def _bytes(text: str) -> int | None:
    found = re.fullmatch(r"(\d+)([kKmM]?)[bB]?", text)
    return int(found[1]) * {"": 1, "k": 1024, "m": 1 << 20}[found[2].lower()] if found else None


def large_pages(sight: Sight) -> Finding:
    """Fields are allocated in pages of 2 MiB: neighbouring planes are on different pages."""
    what = "large pages"
    text = sight.text("sys/kernel/mm/transparent_hugepage/enabled")
    if not text:
        return Finding(what, None, "whether the kernel provides huge pages is unknown")
    if "[never]" in text:
        return Finding(
            what, False, "transparent huge pages are disabled",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)",
        )  # fmt: skip
    return Finding(what, True, f"transparent huge pages are available: {text}")


def governor(sight: Sight) -> Finding:
    """Cores must not reduce their frequency while they wait for messages."""
    what = "clock"
    found = {
        path.read_text(encoding="utf-8").strip()
        for path in (sight.root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    }
    if not found:
        return Finding(what, None, "the frequency governor of the CPUs is unknown")
    slow = sorted(found & set(SLOW_GOVERNORS))
    if slow:
        return Finding(
            what,
            False,
            f"the CPU frequency follows the load: {', '.join(slow)}",
            "cpupower frequency-set -g performance (as root)",
        )
    return Finding(what, True, f"governor {', '.join(sorted(found))}")


def scratch(sight: Sight) -> Finding:
    """Fields in files must not be stored in memory."""
    what = "scratch"
    best, kind = "", ""
    for line in sight.text("proc/mounts").splitlines():
        words = line.split()
        if len(words) < 3:
            continue
        at = words[1].replace("\\040", " ")
        inside = str(sight.scratch) == at or str(sight.scratch).startswith(at.rstrip("/") + "/")
        if inside and len(at) >= len(best):
            best, kind = at, words[2]
    if not kind:
        return Finding(what, None, f"the file system of {sight.scratch} is unknown")
    if kind in ("tmpfs", "ramfs"):
        return Finding(
            what, False, f"{sight.scratch} is in memory ({kind} on {best})",
            'put storage.scratch on a disk, for cases with storage.place = "files"',
        )  # fmt: skip
    if kind.startswith("nfs") or kind in ("cifs", "fuse.sshfs"):
        return Finding(
            what,
            False,
            f"{sight.scratch} is on another machine ({kind} on {best})",
            "put storage.scratch on a local disk of the node",
        )
    return Finding(what, True, f"{sight.scratch} is on {best} ({kind})")


def shared_memory(sight: Sight) -> Finding:
    """The fields of the ranks of a node are in shared memory, where neighbours read them."""
    what = "shared memory"
    if sight.shm_bytes is None:
        return Finding(what, None, "the size of /dev/shm is unknown")
    if sight.ranks > 1 and sight.shm_bytes < SMALL_SHM:
        return Finding(
            what, False, f"/dev/shm has only {sight.shm_bytes >> 20} MiB, too few for fields: halos use MPI",
            "docker run --shm-size=8g, or mount -o remount,size=50% /dev/shm (as root)",
        )  # fmt: skip
    return Finding(what, True, f"/dev/shm has {sight.shm_bytes >> 20} MiB")


def waiting_threads(sight: Sight) -> Finding:
    """Threads that spin occupy CPUs that others need."""
    what = "waiting threads"
    if (
        sight.env.get("OMP_WAIT_POLICY", "").lower() == "active"
        and sight.ranks * sight.threads >= sight.cpus.threads
    ):
        return Finding(
            what,
            False,
            "OMP_WAIT_POLICY = active: waiting threads spin on CPUs that messages need",
            "unset OMP_WAIT_POLICY",
        )
    return Finding(what, True, "waiting threads sleep after a short time")


CHECKS: tuple[Check, ...] = (
    progress, eager, device_messages, oversubscription, binding, waiting_threads, shared_memory, large_pages,
    governor, scratch,
)  # fmt: skip
