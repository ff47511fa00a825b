# SPDX-License-Identifier: Apache-2.0
"""Which mpirun is used, with which options, how an outer one is noticed; what is remembered of the build."""

import json
import sys
from types import SimpleNamespace

import pytest

from subcurrent import core
from subcurrent.errors import SubcurrentError
from subcurrent.launch import mpi

FOUR_CORES = mpi.Cpus(threads=8, cores=4)


@pytest.mark.parametrize(
    ("family", "ranks", "threads", "expected"),
    [
        (mpi.OPEN_MPI, 1, 2, "--oversubscribe --bind-to none"),
        (mpi.OPEN_MPI, 2, 2, "--bind-to core --map-by slot:PE=2"),
        (mpi.OPEN_MPI, 4, 2, "--use-hwthread-cpus --bind-to hwthread --map-by slot:PE=2"),
        (mpi.OPEN_MPI, 9, 1, "--oversubscribe --bind-to none"),
        (mpi.MPICH, 2, 2, "-bind-to core:2"),
        (mpi.MPICH, 8, 1, "-bind-to hwthread:1"),
        (mpi.MPICH, 9, 1, "-bind-to none"),
    ],
)
def test_ranks_get_their_own_cpus_when_there_are_enough(family, ranks, threads, expected, monkeypatch):
    monkeypatch.delenv("SUBCURRENT_BIND", raising=False)
    line = mpi.command("/bin/mpirun", family, mpi.Layout(ranks, threads), FOUR_CORES)
    assert " ".join(line) == f"/bin/mpirun -n {ranks} {expected}"


def test_binding_can_be_turned_off(monkeypatch):
    monkeypatch.setenv("SUBCURRENT_BIND", "none")
    assert mpi.command("m", mpi.OPEN_MPI, mpi.Layout(2, 1), FOUR_CORES)[-2:] == ["--bind-to", "none"]


def test_the_environment_of_the_ranks():
    env = mpi.environment(mpi.Layout(2, 3), FOUR_CORES, {"PATH": "/bin"})
    assert env["OMP_NUM_THREADS"] == "3"
    assert env["OMPI_ALLOW_RUN_AS_ROOT"] == "1"


@pytest.mark.parametrize(
    ("ranks", "given", "policy", "spins"),
    [
        (1, {}, None, "20000"),
        (9, {}, "passive", None),
        (9, {"OMP_WAIT_POLICY": "active"}, "active", None),
        (1, {"OMP_WAIT_POLICY": "passive"}, "passive", None),
        (1, {"GOMP_SPINCOUNT": "7"}, None, "7"),
    ],
)
def test_threads_sleep_at_once_only_where_cpus_are_short(ranks, given, policy, spins):
    env = mpi.environment(mpi.Layout(ranks, 1), FOUR_CORES, given)
    assert env.get("OMP_WAIT_POLICY") == policy
    assert env.get("GOMP_SPINCOUNT") == spins


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, None),
        ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}, mpi.Outer(2, 4)),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, mpi.Outer(0, 2)),
        ({"PMIX_RANK": "1"}, mpi.Outer(1, None)),
        ({"SLURM_PROCID": "3", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "8"}, mpi.Outer(3, 8)),
        ({"SLURM_PROCID": "0", "SLURM_JOB_ID": "7"}, None),  # an sbatch script, not yet a step
    ],
)
def test_an_outer_launcher_is_noticed(env, expected):
    assert mpi.outer(env) == expected


def test_children_outside_mpi_do_not_take_themselves_for_ranks():
    inside = {"OMPI_COMM_WORLD_RANK": "0", "PMIX_RANK": "0", "OMPI_ALLOW_RUN_AS_ROOT": "1", "HOME": "/root"}
    outside = mpi.without_outer(inside)
    assert mpi.outer(outside) is None
    assert outside == {"OMPI_ALLOW_RUN_AS_ROOT": "1", "HOME": "/root"}


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("mpirun (Open MPI) 4.1.4", mpi.OPEN_MPI),
        ("Open MPI v4.1.4, package: Debian", mpi.OPEN_MPI),
        ("HYDRA build details:\n    Version: 4.0.2", mpi.MPICH),
        ("MPICH Version:      4.0.2", mpi.MPICH),
        ("something else", None),
    ],
)
def test_mpi_families(text, family):
    assert mpi.flavour(text) == family


def _fake_mpirun(folder, name, version):
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(0o755)


def test_the_mpirun_of_the_compiled_modules_mpi_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    _fake_mpirun(tmp_path, "mpirun", "HYDRA build details:")
    _fake_mpirun(tmp_path, "mpiexec", "mpiexec (OpenRTE) 4.1.4")
    assert mpi.find_mpirun("Open MPI v4.1.4") == (str(tmp_path / "mpiexec"), mpi.OPEN_MPI)
    assert mpi.find_mpirun("MPICH Version: 4.0.2") == (str(tmp_path / "mpirun"), mpi.MPICH)


def test_an_mpirun_of_this_environment_is_taken_where_its_version_is_the_librarys(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    _fake_mpirun(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    _fake_mpirun(tmp_path / "bin", "mpirun", "mpirun (Open MPI) 5.0.11")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(mpi.sys, "prefix", str(tmp_path))
    for version, path in (("4.1.4", "mpirun"), ("5.0.11", "bin/mpirun"), ("4.0.0", "mpirun")):
        assert mpi.find_mpirun(f"Open MPI v{version}, package: x") == (str(tmp_path / path), mpi.OPEN_MPI)


def test_no_fitting_mpirun_is_one_sentence(tmp_path, monkeypatch):
    _fake_mpirun(tmp_path, "mpirun", "HYDRA build details:")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(mpi.subprocess, "run", lambda *_, **__: _Said("HYDRA build details:"))
    with pytest.raises(SubcurrentError, match=r"no mpirun for 'Open MPI v4.1.4'.*mpirun is MPICH"):
        mpi.find_mpirun("Open MPI v4.1.4")


class _Said:
    def __init__(self, text):
        self.stdout, self.stderr = text, ""


def test_a_changed_module_or_mpirun_is_asked_anew_and_a_damaged_cache_is_none(tmp_path, monkeypatch):
    module, mpirun, file = (tmp_path / name for name in ("_core.so", "mpirun", "subcurrent/build.json"))
    module.write_text("one")
    mpirun.write_text("one")
    mpirun.chmod(0o755)
    for name, value in (("XDG_CACHE_HOME", tmp_path), ("PATH", tmp_path), ("LD_LIBRARY_PATH", "")):
        monkeypatch.setenv(name, str(value))
    monkeypatch.delitem(sys.modules, "subcurrent._core", raising=False)
    monkeypatch.setattr(core.importlib.util, "find_spec", lambda _: SimpleNamespace(origin=str(module)))
    answers = iter(range(100))
    monkeypatch.setattr(core, "_asked", lambda: dict.fromkeys(core.FACTS, next(answers)))

    def told():
        return core._told.__wrapped__()["build"]

    assert [told(), told()] == [0, 0]
    module.write_text("other")
    assert [told(), told()] == [1, 1]
    mpirun.write_text("other")
    assert [told(), told()] == [2, 2]
    of = json.loads(file.read_text())["of"]
    for count, content in enumerate(("", "[1]", "{}", json.dumps({"of": of, "told": 5})), 3):
        file.write_text(content)
        assert [told(), told()] == [count, count]
    monkeypatch.setenv("XDG_CACHE_HOME", str(module))  # no folder
    assert [told(), told()] == [7, 8]
    assert [path.name for path in file.parent.iterdir()] == [file.name]
