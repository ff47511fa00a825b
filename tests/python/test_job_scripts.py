# SPDX-License-Identifier: Apache-2.0
"""Job scripts of described machines: what is asked of the scheduler, and what is refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from described_machine import SMALL, written
from subcurrent.case.library import find_case
from subcurrent.errors import BadInput
from subcurrent.foresight.job_script import JobRequest, script


def test_a_job_for_slurm(tmp_path: Path) -> None:
    path = written(
        tmp_path, SMALL.replace('kind = "slurm"', 'kind = "slurm"\nlines = ["module load subcurrent"]')
    )
    text = script(JobRequest("nickel_small", str(path), 2, 4, 2, "02:30:00"))
    assert "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --cpus-per-task=2\n" in text
    assert "#SBATCH --time=02:30:00" in text
    assert text.endswith(
        "module load subcurrent\nsrun --ntasks=8 --cpus-per-task=2 --cpu-bind=cores subcurrent run "
        "nickel_small --set engine.threads=2\n"
    )
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("threads", "sets", "file", "wanted"),
    [
        (None, ["engine.threads=8"], "", 8),
        (None, [], "threads = 4", 4),
        (2, ["engine.threads=8", "run.steps=9"], "threads = 4", 2),
        (None, ["engine.threads=8"], "threads = 4", 8),
        (None, [], "", 1),
    ],
)
def test_cores_are_reserved_for_the_threads_of_the_run(
    tmp_path: Path, threads: int | None, sets: list[str], file: str, wanted: int
) -> None:
    """Wherever their number comes from, it is in the script once, and `tune` does not change it."""
    text, found = re.subn("(?m)^threads = 1", file, find_case("nickel_small").read_text())
    assert found == 1
    (tmp_path / "case.toml").write_text(text)
    request = JobRequest(str(tmp_path / "case.toml"), "jean_zay", 2, None, threads, None, sets)
    told = script(request)
    assert f"#SBATCH --ntasks-per-node={40 // wanted}\n#SBATCH --cpus-per-task={wanted}\n" in told
    assert re.findall(r"engine\.threads=(\d+)", told) == [str(wanted)]
    assert "#SBATCH --time=01:00:00" in told


def test_the_name_of_a_job_is_one_word(tmp_path: Path) -> None:
    folder = tmp_path / "my\nown case"
    folder.mkdir()
    (folder / "case.toml").write_text(find_case("nickel_small").read_text())
    told = script(JobRequest(str(folder / "case.toml"), "jean_zay", 1))
    assert "#SBATCH --job-name=my_own_case\n" in told
    assert "# my_own_case on Jean Zay" in told


def test_a_job_by_mpirun_quotes_what_the_shell_would_take_apart(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL.replace("slurm", "mpirun"))
    text = script(JobRequest("nickel_small", str(path), 2, None, 1, None, ["engine.split=[4, 2, 2]"]))
    assert "mpirun -n 16 --map-by ppr:8:node:PE=1 --bind-to core subcurrent run nickel_small" in text
    assert "'engine.split=[4, 2, 2]'" in text


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (JobRequest("nickel_small", "fx10", 0), "--nodes 0 is not allowed"),
        (
            JobRequest("nickel_small", "fx10", 10**14),
            "--nodes 100000000000000 is not allowed: it must be at most",
        ),
        (
            JobRequest("nickel_small", "fx10", 1, 17),
            "--ranks-per-node 17 is not allowed on FX10: it must be from 1 to 16",
        ),
        (JobRequest("nickel_small", "fx10", 1, None, 17), "engine.threads = 17 is not allowed on FX10"),
        (JobRequest("nickel_small", "fx10", 1, None, 1, "soon"), "--time 'soon' is not allowed"),
        (
            JobRequest("nickel_small", "fx10", 1, None, 1, "01:00:00"),
            "--time 01:00:00 has no effect on FX10: its jobs are started by mpirun",
        ),
        (
            JobRequest("nickel_small", "alps_gh200", 1, None, 200),
            "engine.threads = 200 is not allowed on Alps GH200 with 4 ranks a node: it has 288 cores",
        ),
        (JobRequest("nickel_small", "fx11", 1), "machine 'fx11' does not exist, did you mean fx10"),
        (
            JobRequest("nickel_small", "fx10", 400, sets=["grid.cells=[16,16,16]"]),
            "-n 6400 is more ranks than this grid allows",
        ),
        (
            JobRequest("nickel_small", "tsubame_1_2", 1, sets=["grid.cells=[4000,4000,4000]"]),
            "a device of TSUBAME 1.2 would need",
        ),
    ],
)
def test_a_job_that_cannot_be_is_refused(request_: JobRequest, said: str) -> None:
    with pytest.raises(BadInput) as error:
        script(request_)
    assert said in error.value.sentence
