# SPDX-License-Identifier: Apache-2.0
"""What may prevent overlap on a machine, check by check, for `subcurrent doctor`: processors, memory, the
scratch folder; for messages see `doctor_messages`."""

from __future__ import annotations

from .doctor_messages import device_messages, eager, progress
from .doctor_sight import SMALL_SHM, Check, Finding, Sight, bad, good, unknown

# What a setting of the clock is worth where a core works and then waits.
SLOW_GOVERNORS = ("powersave", "conservative", "userspace")


def binding(sight: Sight) -> Finding:
    """A rank that migrates between cores loses its cache."""
    needed = sight.ranks * sight.threads
    if sight.env.get("SUBCURRENT_BIND") == "none" and sight.ranks > 1 and needed <= sight.cpus.threads:
        return bad("SUBCURRENT_BIND = none: ranks migrate between CPUs", "unset SUBCURRENT_BIND")
    if sight.env.get("OMPI_MCA_hwloc_base_binding_policy") == "none":
        return bad(
            "OMPI_MCA_hwloc_base_binding_policy = none: ranks migrate between CPUs",
            "unset OMPI_MCA_hwloc_base_binding_policy",
        )
    return good("ranks are bound to their own cores if there are enough")


def oversubscription(sight: Sight) -> Finding:
    """Threads that wait for each other must run at the same time."""
    needed = sight.ranks * sight.threads
    if needed > sight.cpus.threads:
        return bad(
            f"ranks x threads need {needed} CPUs, but this process may use {sight.cpus.threads}",
            "fewer ranks or threads",
        )
    quota = _quota(sight)
    if quota is not None and quota < needed:
        return bad(
            f"the control group (cgroup) grants {quota:g} CPUs of time, the run needs {needed}",
            "a larger CPU quota of the container, or fewer ranks",
        )
    load = sight.text("proc/loadavg").split()
    if load and float(load[0]) > 0.5 * sight.cpus.threads:
        return bad(
            f"other programs are running: the load is {load[0]} on {sight.cpus.threads} CPUs", "wait for them"
        )
    if needed > sight.cpus.cores:
        return bad(
            f"{needed} threads share {sight.cpus.cores} cores (two hardware threads on a core)",
            "use as many threads as cores: memory bandwidth limits most loops",
        )
    return good(f"{needed} threads, {sight.cpus.cores} cores")


def _quota(sight: Sight) -> float | None:
    """CPU time that the control group (cgroup) grants, in CPUs; None: no limit."""
    words = sight.text("sys/fs/cgroup/cpu.max").split()
    if len(words) == 2 and words[0].isdecimal():
        return int(words[0]) / int(words[1])
    quota, period = (sight.text(f"sys/fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period"))
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() else None


def large_pages(sight: Sight) -> Finding:
    """Fields are allocated in pages of 2 MiB: neighbouring planes are on different pages."""
    text = sight.text("sys/kernel/mm/transparent_hugepage/enabled")
    if not text:
        return unknown("whether the kernel provides huge pages is unknown")
    if "[never]" in text:
        return bad(
            "transparent huge pages are disabled",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)",
        )
    return good(f"transparent huge pages are available: {text}")


def governor(sight: Sight) -> Finding:
    """Cores must not reduce their frequency while they wait for messages."""
    found = {
        path.read_text(encoding="utf-8").strip()
        for path in (sight.root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    }
    if not found:
        return unknown("the frequency governor of the CPUs is unknown")
    slow = sorted(found & set(SLOW_GOVERNORS))
    if slow:
        return bad(
            f"the CPU frequency follows the load: {', '.join(slow)}",
            "cpupower frequency-set -g performance (as root)",
        )
    return good(f"governor {', '.join(sorted(found))}")


def scratch(sight: Sight) -> Finding:
    """Fields in files must not be stored in memory."""
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
        return unknown(f"the file system of {sight.scratch} is unknown")
    if kind in ("tmpfs", "ramfs"):
        return bad(
            f"{sight.scratch} is in memory ({kind} on {best})",
            'put storage.scratch on a disk, for cases with storage.place = "files"',
        )
    if kind.startswith("nfs") or kind in ("cifs", "fuse.sshfs"):
        return bad(
            f"{sight.scratch} is on another machine ({kind} on {best})",
            "put storage.scratch on a local disk of the node",
        )
    return good(f"{sight.scratch} is on {best} ({kind})")


def shared_memory(sight: Sight) -> Finding:
    """The fields of the ranks of a node are in shared memory, where neighbours read them."""
    if sight.shm_bytes is None:
        return unknown("the size of /dev/shm is unknown")
    if sight.ranks > 1 and sight.shm_bytes < SMALL_SHM:
        return bad(
            f"/dev/shm has only {sight.shm_bytes >> 20} MiB, too few for fields: halos use MPI",
            "docker run --shm-size=8g, or mount -o remount,size=50% /dev/shm (as root)",
        )
    return good(f"/dev/shm has {sight.shm_bytes >> 20} MiB")


def waiting_threads(sight: Sight) -> Finding:
    """Threads that spin occupy CPUs that others need."""
    if (
        sight.env.get("OMP_WAIT_POLICY", "").lower() == "active"
        and sight.ranks * sight.threads >= sight.cpus.threads
    ):
        return bad(
            "OMP_WAIT_POLICY = active: waiting threads spin on CPUs that messages need",
            "unset OMP_WAIT_POLICY",
        )
    return good("waiting threads sleep after a short time")


# By the names under which `doctor` prints what they find.
CHECKS: dict[str, Check] = {
    "progress": progress,
    "eager limit": eager,
    "device messages": device_messages,
    "CPUs": oversubscription,
    "binding": binding,
    "waiting threads": waiting_threads,
    "shared memory": shared_memory,
    "large pages": large_pages,
    "clock": governor,
    "scratch": scratch,
}
