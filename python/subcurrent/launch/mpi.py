# SPDX-License-Identifier: Apache-2.0
"""Which MPI is installed, whether an outer mpirun started this process, and the command that starts ranks."""

from __future__ import annotations

import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import BadInput, SubcurrentError
from ..lines import count

OPEN_MPI, MPICH = "Open MPI", "MPICH"
LAUNCHERS = ("mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra")
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # start an mpirun

# (rank, size) as each launcher tells its ranks, the innermost first.
OUTER = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)


@dataclass(frozen=True)
class Outer:
    """Rank and size under the mpirun or srun that started this process."""

    rank: int
    size: int | None


def outer(env: Mapping[str, str] = os.environ) -> Outer | None:
    """Rank and size under an outer mpirun or srun, or None if this process starts the ranks."""
    for rank, size in OUTER:
        # sbatch scripts carry SLURM_PROCID too; only a step (srun) has started this very process.
        if rank in env and (rank != "SLURM_PROCID" or "SLURM_STEP_ID" in env):
            place = _whole(env, rank, 0)
            count = _whole(env, size, place + 1) if size in env else None
            return Outer(place, count)
    return None


def _whole(env: Mapping[str, str], name: str, least: int) -> int:
    """A whole number from an environment variable of a launcher."""
    text = env[name]
    if not re.fullmatch(r"[0-9]{1,7}", text) or int(text) < least:
        raise BadInput(
            f"{name} = {text!r} in the environment was not set by mpirun or srun: it must be "
            f"a whole number >= {least}; unset it, or start subcurrent with mpirun or srun."
        )
    return int(text)


def without_outer(env: Mapping[str, str]) -> dict[str, str]:
    """An environment in which a child process does not count as a rank."""
    marks = ("OMPI_", "PMI_", "PMIX_", "SLURM_STEP", "SLURM_PROCID", "HYDI_", "MPI_LOCAL")
    kept = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_rmaps_base_oversubscribe")
    return {name: value for name, value in env.items() if name.startswith(kept) or not name.startswith(marks)}


def flavour(text: str) -> str | None:
    """The MPI family in a version text, of mpirun or of the compiled module's library."""
    if "Open MPI" in text or "OpenRTE" in text or "open-mpi" in text:
        return OPEN_MPI
    if "MPICH" in text or "HYDRA" in text or "Intel(R) MPI" in text:
        return MPICH
    return None


def find_mpirun(library: str) -> tuple[str, str]:
    """(path, family) of an mpirun of the same MPI library as the compiled module: on the PATH or, for an MPI
    installed as a Python package, in this environment; of several the one with its version."""
    wanted = flavour(library)
    fitting, seen = [], []
    for path in _launchers():
        told = subprocess.run([path, "--version"], check=False, capture_output=True, text=True)
        text = told.stdout + told.stderr
        family = flavour(text)
        if family is not None and family == wanted:
            if _version(text) == _version(library):
                return path, family
            fitting.append((path, family))
        seen.append(f"{Path(path).name} is {family or 'unknown'}")
    if fitting:
        return fitting[0]
    found = ", ".join(seen) if seen else "there is none on the PATH"
    raise SubcurrentError(
        f"no mpirun for {library.strip().splitlines()[0][:60]!r}, which subcurrent was built with: {found}."
    )


def _launchers() -> list[str]:
    """Programs that may be mpirun, those on the PATH first."""
    folders = (None, str(Path(sys.prefix) / "bin"))
    found = (shutil.which(name, path=folder) for folder in folders for name in LAUNCHERS)
    return list(dict.fromkeys(path for path in found if path))


def _version(text: str) -> str | None:
    """The first version number in the text of a library or a launcher."""
    found = re.search(r"\d+(\.\d+)+", text)
    return found and found[0]


@dataclass(frozen=True)
class Cpus:
    """CPUs that this process may use: hardware threads, and their physical cores."""

    threads: int
    cores: int


@dataclass(frozen=True)
class Layout:
    """Number of ranks, and threads of each."""

    ranks: int
    threads: int

    @property
    def cpus(self) -> int:
        return self.ranks * self.threads

    def __str__(self) -> str:
        return f"{count(self.ranks, 'rank')} x {count(self.threads, 'thread')}"


def cpus(allowed: Iterable[int] | None = None) -> Cpus:
    """The CPUs with these numbers; without numbers those that this process may use."""
    allowed = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    siblings = {_siblings(cpu) for cpu in allowed}
    return Cpus(len(allowed), len(siblings))


def _siblings(cpu: int) -> str:
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return str(cpu)


# By these mpirun learns of other hosts; without them it starts everything here.
ELSEWHERE = (
    "SLURM_JOB_NODELIST", "PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE", "COBALT_NODEFILE",
    "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE",
)  # fmt: skip


def one_host(env: Mapping[str, str] = os.environ) -> bool:
    """Whether all ranks that our mpirun starts are on this machine."""
    return not any(env.get(name) for name in ELSEWHERE)


def check_layout(ranks: int, threads: int) -> None:
    """Raises BadInput for too many ranks and threads; several threads on a CPU are allowed."""
    most, has = 1_000_000, "one job"
    if one_host():
        here = cpus().threads
        most, has = max(64, 16 * here), f"the {here} CPUs of this machine"
    if ranks * threads <= most:
        return
    what = f"-n {ranks}" if threads == 1 else f"-n {ranks} with {threads} threads each"
    raise BadInput(f"{what} is not allowed: ranks x threads must be at most {most} on {has}.")


LEAST_FILE = 8 << 20  # bytes: Open MPI's shared memory takes a file of 4 MiB and its head


def check_limits() -> None:
    """Raises an error for limits under which mpirun would hang instead of failing."""
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_FILE:
        raise SubcurrentError(
            f"files may not grow beyond {allowed // 1024} KiB here (ulimit -f): MPI's shared memory needs at "
            f"least {LEAST_FILE // 1024} KiB."
        )


def command(mpirun: str, family: str, layout: Layout, machine: Cpus) -> list[str]:
    """The mpirun command line up to the program.

    Ranks x threads that fit get CPUs of their own (measured: 2 ranks x 2 threads on 2 cores run at random up
    to a hundred times slower bound by default than unbound); more ranks than CPUs are unbound and share. A
    single rank has no other to be kept apart from, and SUBCURRENT_BIND=none keeps several runs at once on one
    machine from being bound to the same CPUs.
    """
    needed, threads = layout.cpus, layout.threads
    line = [mpirun, "-n", str(layout.ranks)]
    free = layout.ranks == 1 or needed > machine.threads or os.environ.get("SUBCURRENT_BIND") == "none"
    if family == OPEN_MPI:
        if free:
            return [*line, "--oversubscribe", "--bind-to", "none"]
        if needed <= machine.cores:
            return [*line, "--bind-to", "core", "--map-by", f"slot:PE={threads}"]
        return [*line, "--use-hwthread-cpus", "--bind-to", "hwthread", "--map-by", f"slot:PE={threads}"]
    if free:
        return [*line, "-bind-to", "none"]
    return [*line, "-bind-to", f"{'core' if needed <= machine.cores else 'hwthread'}:{threads}"]


def environment(
    layout: Layout, machine: Cpus, env: Mapping[str, str] = os.environ, family: str = ""
) -> dict[str, str]:
    """The environment of the ranks: root allowed, and how threads wait for one another.

    Where CPUs are fewer than threads they sleep at once, elsewhere after a short while awake. Single runs of
    `subcurrent cg --class S --threads 2` on two CPUs, the second figure while other programs took part:
    OMP_WAIT_POLICY=passive 1360 and 1270 Mop/s, GOMP_SPINCOUNT=20000 2190 and 920, neither 2100 and 25, for
    a thread then spins on the CPU that another one waits for.

    Open MPI's odls_base_sigkill_timeout stays at its second on purpose: mpirun sleeps it out twice after any
    failure (raised to 20 s, a diverged run took 41 s to end), and a clean stop comes as SIGUSR1, after which
    nobody kills.
    """
    ours = {
        "OMP_NUM_THREADS": str(layout.threads),
        **ROOT_MAY,
        "PYTHONIOENCODING": "utf-8",  # what the launcher reads, whatever the terminal has
    }
    waiting = {"OMP_WAIT_POLICY": "passive"} if layout.cpus > machine.threads else {"GOMP_SPINCOUNT": "20000"}
    # A user's own choice of waiting policy stands.
    waiting = {} if "OMP_WAIT_POLICY" in env else waiting
    return {**waiting, **env, **ours, **(at_home(env) if family == OPEN_MPI else {})}


def at_home(env: Mapping[str, str]) -> dict[str, str]:
    """Makes Open MPI listen only on this machine if all ranks are here; {} if they are not, or if the user
    has chosen network interfaces (docs/decisions/0052)."""
    chosen = any(re.match(r"(OMPI|PMIX|PRTE)_MCA_\w+_if_(include|exclude)$", name) for name in env)
    found = importlib.util.find_spec("subcurrent._core")
    preloaded = Path(found.origin).with_name("_loopback.so") if found and found.origin else None
    if chosen or not one_host(env) or preloaded is None or not preloaded.is_file():
        return {}
    return {
        "LD_PRELOAD": ":".join(filter(None, (str(preloaded), env.get("LD_PRELOAD")))),
        "OMPI_MCA_oob_tcp_if_include": "lo",
        "OMPI_MCA_btl_tcp_if_include": "lo",
    }
