# SPDX-License-Identifier: Apache-2.0
"""A grid that cannot fit into the memory is refused before anything is allocated."""

import json
import resource
import sys
import textwrap
from pathlib import Path

import pytest

from conftest import SMALL, completed
from memory_cases import CASES, MIB, case_of
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.launch import memory


def lying(text: str, folder, name: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_free_is_what_the_machine_and_every_control_group_leave(tmp_path):
    assert memory.free_bytes(tmp_path) is None, "a system that tells nothing refuses nothing"
    lying("MemTotal: 4096 kB\nMemAvailable: 2048 kB\n", tmp_path, "proc/meminfo")
    assert memory.free_bytes(tmp_path) == 2 * MIB
    lying("3:cpu:/\n0::/user/run\n", tmp_path, "proc/self/cgroup")
    lying("max\n", tmp_path, "sys/fs/cgroup/user/run/memory.max")
    lying("1000\n", tmp_path, "sys/fs/cgroup/user/run/memory.current")
    assert memory.free_bytes(tmp_path) == 2 * MIB
    lying(f"{MIB}\n", tmp_path, "sys/fs/cgroup/user/memory.max")
    lying("5000\n", tmp_path, "sys/fs/cgroup/user/memory.current")
    lying("anon 1\ninactive_file 1000\n", tmp_path, "sys/fs/cgroup/user/memory.stat")
    assert memory.free_bytes(tmp_path) == MIB - 4000
    lying("4:memory:/job\n", tmp_path, "proc/self/cgroup")
    lying("9000\n", tmp_path, "sys/fs/cgroup/memory/job/memory.limit_in_bytes")
    lying("2000\n", tmp_path, "sys/fs/cgroup/memory/job/memory.usage_in_bytes")
    assert memory.free_bytes(tmp_path) == 7000
    lying("9000\n", tmp_path, "sys/fs/cgroup/memory/job/memory.usage_in_bytes")
    assert memory.free_bytes(tmp_path) == 0


@pytest.mark.parametrize("name", CASES)
def test_a_grid_that_cannot_fit_is_refused_with_one_that_would(name, monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 24 * 2**30)
    case = case_of(name, 3000)[1]
    key, _ = case.size()
    with pytest.raises(BadInput) as caught:
        memory.check(case, 1)
    text = caught.value.sentence
    assert text.startswith(f"{key} = [3000, 3000, 3000] needs about ")
    assert "which has 24.0 GiB free" in text
    fits = json.loads(text[text.index("about [") + len("about ") :].partition(" would")[0])
    memory.check(case.sized(fits), 1)
    with pytest.raises(BadInput, match="needs about"):
        memory.check(case.sized([n + 8 for n in fits]), 1)
    memory.check(case.sized(fits), 2, here=1)  # the other half lies elsewhere


def test_ranks_of_this_machine():
    assert memory.ranks_here(8, {}) == 8
    assert memory.ranks_here(8, {"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}) == 2
    assert memory.ranks_here(8, {"SLURM_TASKS_PER_NODE": "4(x2)"}) == 4
    assert memory.ranks_here(8, {"MPI_LOCALNRANKS": "many"}) == 8


def test_a_node_of_a_slurm_job_has_as_many_ranks_as_its_fullest():
    def here(ranks: int, tasks: str, **more: str) -> int:
        return memory.ranks_here(ranks, {"SLURM_TASKS_PER_NODE": tasks, **more})

    assert here(96, "64,32") == 64
    assert here(100, "34,33(x2)") == 34
    assert here(2, "64(x2)", SLURM_STEP_TASKS_PER_NODE="1(x2)") == 1
    # our own mpirun in an allocation: slots of a node first, and evenly where there are more ranks than slots
    assert [here(n, "64(x2)", SLURM_JOB_NODELIST="n[1-2]") for n in (8, 128, 256)] == [8, 64, 128]
    assert here(8, "1", SLURM_JOB_NODELIST="n1") == 8
    assert here(8, "64,", SLURM_JOB_NODELIST="n1") == 1


def test_another_batch_system_may_give_our_mpirun_other_machines():
    assert memory.ranks_here(128, {"PBS_NODEFILE": "nodes"}) == 1
    ranks_do_not_say = {"PBS_NODEFILE": "nodes", "PMI_RANK": "0", "PMI_SIZE": "128"}
    assert memory.ranks_here(128, ranks_do_not_say) == 128


def test_a_case_that_fits_on_the_nodes_of_an_allocation_is_not_refused(monkeypatch):
    case = case_of("dendrite", 400)[1]
    monkeypatch.setattr(memory, "free_bytes", lambda: int(0.6 * memory.needed(case, 8)))
    with pytest.raises(BadInput, match="needs about"):
        memory.check(case, 8)
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    monkeypatch.setenv("SLURM_TASKS_PER_NODE", "4(x2)")
    memory.check(case, 8)


TOO_MUCH = "[30720,30720,30720]"  # whole periods of orszag_tang


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "case.toml", "--set", "grid.clustering=uniform", "--set", f"grid.points={TOO_MUCH}"),
        ("run", "nickel_small", "--set", f"grid.cells={TOO_MUCH}"),
        ("run", "orszag_tang", "--set", f"grid.points={TOO_MUCH}", "-n", "2"),
        ("run", "taylor_green_1600", "--set", f"grid.points={TOO_MUCH}"),
        ("strategies", "nickel_small", "--set", f"grid.cells={TOO_MUCH}"),
    ],
)
def test_the_program_refuses_it_before_it_makes_a_folder(fake_program, refusal, arguments):
    fake_program.write_case(SMALL)
    assert "needs about" in refusal(*arguments)
    assert [path.name for path in fake_program.folder.iterdir()] == ["case.toml"]


def test_the_python_classes_refuse_it(program):
    """Under a limit of the address space that leaves no room for the mistake of allocating first."""
    text = """
    import subcurrent as sc
    n = (30000, 30000, 30000)
    for make in (
        lambda: sc.Cavity(sc.CavityGrid(n), reynolds=100),
        lambda: sc.Turbulence(n, reynolds=100, dt=1e-3),
        lambda: sc.FFT(n),
        lambda: sc.FFT(n, precision="single", largest_mode=10),
    ):
        try:
            make()
        except sc.BadInput as error:
            print(error)
    """
    done = completed(
        [sys.executable, "-c", textwrap.dedent(text)],
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (16 * 2**30, 16 * 2**30)),
    )
    assert done.stdout.count("needs about") == 4, done.stdout + done.stderr


def test_a_budget_is_what_a_case_with_files_needs():
    """However large the grid: what does not fit into storage.memory goes to files."""
    case = typed_case(
        {
            "solver": "turbulence",
            "flow": {"reynolds": 100},
            "grid": {"points": [20000, 20000, 20000]},
            "scheme": {"dt": 1e-3},
            "storage": {"memory": "600 MiB"},
            "run": {"steps": 1},
        },
        Path(),
    )
    memory.check(case, 1)
    assert memory.needed(case, 1) < 2 * 600 * MIB
