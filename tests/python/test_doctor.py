# SPDX-License-Identifier: Apache-2.0
"""Each check of `doctor`, shown a machine on which it must find something, and one on which it must not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from conftest import core_is_built
from subcurrent import core
from subcurrent.errors import SubcurrentError
from subcurrent.foresight import doctor, doctor_messages
from subcurrent.foresight import doctor_checks as checks
from subcurrent.foresight.doctor_sight import Check, DeviceTest, Finding, Sight
from subcurrent.launch import mpi
from subcurrent.launch.mpi import Cpus
from subcurrent.launch.plan import Plan
from subcurrent.rank.measure import try_device_messages

GOOD_FILES = {
    "proc/loadavg": "0.10 0.20 0.30 1/200 1234",
    "proc/mounts": "/dev/sda1 / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\nserver:/home /home nfs4 rw 0 0",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
    "sys/fs/cgroup/cpu.max": "max 100000",
}


def sight(root: Path, files: dict[str, str] | None = None, **changes: Any) -> Sight:
    """A machine on which all is well, but for the changes."""
    for name, text in {**GOOD_FILES, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    good: dict[str, Any] = {
        "root": root,
        "env": {},
        "library": "Open MPI v4.1.4",
        "cuda": True,
        "says_cuda": True,
        "device": DeviceTest(declared=True, to_itself=True, around=True),
        "cpus": Cpus(8, 8),
        "scratch": Path("/var/tmp"),
        "shm_bytes": 8 << 30,
        "waits": {"alone": 1e-3, "poked": 0.1e-3, "silent": 1e-3},
        "eager_limit": 65411,
    }
    return Sight(**{**good, **changes})


def test_where_all_is_well_nothing_is_found(tmp_path: Path) -> None:
    found = doctor.examine(sight(tmp_path))
    assert [f for f in found.values() if f.good is not True] == []
    assert len(found) == len(checks.CHECKS)


BAD = [
    (
        checks.progress,
        {"waits": {"alone": 1e-3, "poked": 0.6e-3, "silent": 1e-3}},
        {},
        "60 % of a message's time",
    ),
    (checks.progress, {"env": {"MPIR_CVAR_ASYNC_PROGRESS": "1"}, "ranks": 8}, {}, "no CPU of its own"),
    (checks.progress, {"env": {"OMPI_MCA_btl_tcp_progress_thread": "1"}}, {}, "latency several times longer"),
    (
        checks.eager,
        {"env": {"OMPI_MCA_btl_tcp_eager_limit": "32768"}},
        {},
        "OMPI_MCA_btl_tcp_eager_limit = 32768",
    ),
    (checks.eager, {"env": {"UCX_RNDV_THRESH": "8k"}}, {}, "UCX_RNDV_THRESH = 8k"),
    (
        checks.eager,
        {"env": {"MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE": "1024"}, "library": "MPICH Version: 4.0.2"},
        {},
        "1024",
    ),
    (
        checks.eager,
        {},
        {"etc/openmpi/openmpi-mca-params.conf": "btl_tcp_eager_limit = 4096"},
        "= 4096, which is below",
    ),
    (
        checks.eager,
        {"eager_limit": 4064, "shm_bytes": 64 << 20},
        {},
        "limit on this node is 4064 bytes (measured)",
    ),
    (checks.device_messages, {"says_cuda": False, "device": None}, {}, "MPI is not CUDA-aware"),
    (
        checks.device_messages,
        {"env": {"UCX_TLS": "rc,sm"}, "device": None},
        {},
        "UCX_TLS = rc,sm excludes it",
    ),
    (checks.device_messages, {"device": DeviceTest(declared=False)}, {}, "MPI is not CUDA-aware"),
    (
        checks.device_messages,
        {"device": DeviceTest(declared=True)},
        {},
        "says that it is CUDA-aware, but messages from device memory are lost or damaged",
    ),
    (
        checks.device_messages,
        {"device": DeviceTest(declared=True, to_itself=True)},
        {},
        "says that it is CUDA-aware, but messages from device memory between ranks are lost or damaged",
    ),
    (
        checks.device_messages,
        {"device": DeviceTest(declared=True, ended="rank 1 was killed by signal 11")},
        {},
        "says that it is CUDA-aware, but a message from device memory ended the program: rank 1 was killed",
    ),
    (checks.oversubscription, {"ranks": 9}, {}, "need 9 CPUs, but this process may use 8"),
    (checks.oversubscription, {}, {"sys/fs/cgroup/cpu.max": "150000 100000"}, "grants 1.5 CPUs of time"),
    (checks.oversubscription, {}, {"proc/loadavg": "6.00 1 1 1/2 3"}, "the load is 6.00 on 8 CPUs"),
    (checks.oversubscription, {"ranks": 8, "cpus": Cpus(8, 4)}, {}, "8 threads share 4 cores"),
    (checks.binding, {"env": {"SUBCURRENT_BIND": "none"}}, {}, "ranks migrate"),
    (checks.binding, {"env": {"OMPI_MCA_hwloc_base_binding_policy": "none"}}, {}, "ranks migrate"),
    (checks.waiting_threads, {"env": {"OMP_WAIT_POLICY": "ACTIVE"}, "ranks": 8}, {}, "waiting threads spin"),
    (checks.shared_memory, {"shm_bytes": 64 << 20}, {}, "/dev/shm has only 64 MiB"),
    (
        checks.large_pages,
        {},
        {"sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]"},
        "huge pages are disabled",
    ),
    (checks.governor, {}, {"sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "powersave"}, "powersave"),
    (checks.scratch, {"scratch": Path("/dev/shm/work")}, {}, "is in memory (tmpfs on /dev/shm)"),
    (checks.scratch, {"scratch": Path("/home/me")}, {}, "is on another machine (nfs4 on /home)"),
]


@pytest.mark.parametrize(("check", "changes", "files", "said"), BAD)
def test_each_check_finds_what_is_bad_and_says_the_mend(
    tmp_path: Path, check: Check, changes: dict[str, Any], files: dict[str, str], said: str
) -> None:
    assert check(sight(tmp_path / "good")).good is True
    found: Finding = check(sight(tmp_path / "bad", files, **changes))
    assert found.good is False
    assert said in found.says
    assert found.mend


def test_what_is_told_keeps_its_brackets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "look", lambda *_: sight(tmp_path))
    told = Console(record=True, width=100)
    assert doctor.doctor(2, 1, tmp_path, told) == 0
    text = told.export_text()
    assert "always [madvise] never" in text
    assert "nothing found that prevents overlap" in text


def test_every_check_is_shown_something_bad() -> None:
    assert {check for check, *_ in BAD} == set(checks.CHECKS.values())


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        (checks.progress, {"waits": None}),
        (checks.eager, {"eager_limit": None}),
        (checks.eager, {"eager_limit": 4064}),  # between nodes another one holds
        (checks.device_messages, {"cuda": False}),
        (checks.device_messages, {"says_cuda": None, "device": None}),
        (checks.device_messages, {"device": None}),
        (checks.device_messages, {"device": DeviceTest(ended="this machine has no CUDA device")}),
        (checks.shared_memory, {"shm_bytes": None}),
        (checks.large_pages, {"root": Path("/nowhere")}),
        (checks.governor, {"root": Path("/nowhere")}),
        (checks.scratch, {"root": Path("/nowhere")}),
    ],
)
def test_what_cannot_be_seen_is_not_called_good(
    tmp_path: Path, check: Check, changes: dict[str, Any]
) -> None:
    seen = sight(tmp_path)
    for name, value in changes.items():
        setattr(seen, name, value)
    assert check(seen).good is None


@pytest.mark.mpi
def test_ranks_measure_the_eager_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the one that the check advises is as large as a piece."""
    if not core_is_built():
        pytest.skip("the compiled module is not built")
    if mpi.flavour(str(core.build_info().get("mpi", ""))) != mpi.OPEN_MPI:
        pytest.skip("the setting is one of Open MPI")
    for limit in (16384, doctor_messages.PIECE + 4096):
        for name in ("vader", "sm"):
            monkeypatch.setenv(f"OMPI_MCA_btl_{name}_eager_limit", str(limit))
        assert limit - doctor_messages.HEAD <= doctor.covered(2)[1] <= limit


def test_without_a_device_one_sentence_says_that_nothing_was_checked(tmp_path: Path) -> None:
    said = checks.device_messages(sight(tmp_path, cuda=False)).says
    assert said == "cannot be checked: this build has no CUDA"
    found = checks.device_messages(
        sight(tmp_path, device=DeviceTest(ended="this machine has no CUDA device"))
    )
    assert found.says == "cannot be checked: this machine has no CUDA device"


class Device:
    """What the ranks see of a library: what it states, and what then happens to messages."""

    def __init__(self, declared: bool, *arrive: bool):
        self.declared, self.arrive = declared, arrive

    def device_messages_declared(self, _: object) -> bool:
        return self.declared

    def test_device_messages(self, _: object) -> tuple[bool, ...]:
        assert self.declared, "a library without support may crash"
        if not self.arrive:
            raise SubcurrentError("rank 0 was killed by signal 11.")
        return self.arrive


@pytest.mark.parametrize(
    ("device", "found"),
    [
        (Device(False), DeviceTest(declared=False)),
        (Device(True, True, True), DeviceTest(declared=True, to_itself=True, around=True)),
        (Device(True, True, False), DeviceTest(declared=True, to_itself=True)),
        (Device(True), DeviceTest(declared=True, ended="rank 0 was killed by signal 11")),
    ],
)
def test_a_statement_is_kept_until_the_messages_have_arrived(
    monkeypatch: pytest.MonkeyPatch, device: Device, found: DeviceTest
) -> None:
    context = SimpleNamespace(rank=0, barrier=lambda: None)

    def ranks(plan: Plan) -> None:
        Path(plan.folder).mkdir()
        assert plan.engine()["device"] == "cuda"
        try_device_messages(device, context, plan)

    monkeypatch.setattr(doctor, "launch_quietly", ranks)
    assert doctor.test_device(2) == found


@pytest.mark.mpi
def test_ranks_ask_their_library() -> None:
    """The memory of the emulated device cannot be reached by any library."""
    if not core_is_built():
        pytest.skip("the compiled module is not built")
    assert doctor.test_device(2, "emulated") == DeviceTest(declared=False)


@pytest.mark.mpi
def test_ranks_say_that_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    if not core_is_built():
        pytest.skip("the compiled module is not built")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    found = doctor.test_device(2)
    assert found.declared is None
    assert "no CUDA" in found.ended
