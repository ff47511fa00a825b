# SPDX-License-Identifier: Apache-2.0
"""Every program and script of bench/ runs at a trial size; what is not installed here is left out aloud."""

import os
import re
import sys
from pathlib import Path

import pytest

from conftest import ROOT, completed, core_is_built

BENCH = ROOT / "bench"
PROGRAMS = Path(os.environ.get("SUBCURRENT_BUILD", ROOT / "build/release")) / "bench"
RANKS = {"ksp_bench": 2, "halo_bench": 2, "halo_thread_bench": 2, "overlap_bench": 2}
ARGUMENTS = {
    "gpu_bench": ["16", "2", "emulated"],
    "stencil_gpu_bench": ["16", "2", "emulated"],
    "stream_bench": ["scratch"],
    "turbulence_disk": ["16", "async", "2", "1", "scratch"],
}
HELPERS = {"script", "limited"}
LEFT_OUT = 77
SAYS = {  # of ours, where the other side is left out
    "against": r"\| dendrite, single, noise \| [\d.]+ million cells/s \| [\d.]+ million cells/s \| [\d.]+ \|",
    "automatic": r"\| dendrite \| 2 \| 1 \| node \| [\d.]+ \|",
    "predicted": r"\| dendrite_files \| 2 \| blocking (.|\n)*\| heat_files \| 2 \| blocking \| [\d.]+ \|",
    "cg_preconditioners": r"\| jumps of 10⁴ \| 400 (\| \d+ ){3}\|(.|\n)*\| Laplacian, 64² \| none \| \d+",
    "turbulence_peer": "pocketfft .* ms a step",
    "npb_peer": r"Mop/s",
    "cg_tables": r"\| grid \| pipelined \| 2 \| [\d.]+ \|",
    "halo_thread": r"\| none \| 16³ \| 2 \| [\d.]+ \|",
    "turbulence_disk": r"\| async \| 2 \| [\d.]+ \|",
    "passes_wire": r"\| 24³ \| 8 \| [\d.]+ \| [\d.]+ \|",
    "passes_hosts": r"\| steps a pass \| fastest strategy \|",
    "relaxation": r"\| Jacobi \| 7 points \| [\d.]+ \|",
    "passes_disk": r"\| files, 2 \| \d+ \| [\d.]+ \| [\d.]+ \|",
    "dendrite_disk": r"\| files \| 2 \| [\d.]+ \| [\d.]+ \|",
    "stencil_peer": r"\| 8³ \| C\+\+ [\d.]+ ms \| Python [\d.]+ ms \|",
    "stencil_device": r"\| double \| \d+ \| \d+ \| – \| – \| – \|",
    "run": "Jacobi sweep, speed / copy loop.*",
}

pytestmark = pytest.mark.mpi


def run(command, folder, **environment):
    allowed = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMP_WAIT_POLICY": "passive",
    }
    return completed(
        [str(word) for word in command], cwd=folder, env={**os.environ, **allowed, **environment}, timeout=240
    )


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.cpp")))
def test_programs(name, tmp_path):
    program = PROGRAMS / name
    if not program.exists():
        pytest.skip(f"{name} is not built")
    started = (
        ["mpirun", "-n", str(RANKS[name]), "--oversubscribe", "--bind-to", "none"] if name in RANKS else []
    )
    done = run([*started, program, *ARGUMENTS.get(name, []), "--trial"], tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    figures = re.findall(r"^result: .+: (\S+) \(", done.stdout, re.MULTILINE)
    assert figures or name in ("gpu_bench", "halo_thread_bench", "turbulence_disk"), done.stdout
    assert all(abs(float(figure)) < 1e9 for figure in figures), done.stdout  # no NaN, nothing divided by 0
    assert "nan" not in done.stdout


@pytest.mark.parametrize("name", ["jacobi_bench", "stream_bench", "turbulence_disk"])
def test_programs_refuse_what_they_cannot_read(name, tmp_path):
    program = PROGRAMS / name
    if not program.exists():
        pytest.skip(f"{name} is not built")
    places = {"jacobi_bench": ["many"], "stream_bench": ["scratch", "0"]}
    done = run([program, *places.get(name, ["16", "somewhere", "2", "1", "scratch"])], tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is not allowed: it must be" in done.stderr


@pytest.mark.parametrize("name", sorted({path.stem for path in BENCH.glob("*.py")} - HELPERS))
def test_scripts(name, tmp_path):
    if not core_is_built() or not PROGRAMS.exists():
        pytest.skip("the compiled module or the benchmarks are not built")
    more = ["--only", "Jacobi", "--json", tmp_path / "bench.json"] if name == "run" else []
    # Files of a trial may lie anywhere: it measures no disk.
    done = run([sys.executable, BENCH / f"{name}.py", "--trial", *more], tmp_path, SUBCURRENT_BIND="none")
    assert done.returncode in (0, LEFT_OUT), done.stderr + done.stdout
    assert re.search(SAYS[name], done.stdout), done.stdout
    assert (" is left out: " in done.stderr) == (done.returncode == LEFT_OUT), done.stderr


def test_every_job_of_make_bench_reads_its_arguments(tmp_path):
    """With --trial behind them: the commands as `make bench` runs them."""
    if not core_is_built() or not PROGRAMS.exists():
        pytest.skip("the compiled module or the benchmarks are not built")
    for only in ("hiding, M = C_core", "MHD", "disk ring"):
        done = run(
            [sys.executable, BENCH / "run.py", "--trial", "--only", only, "--json", tmp_path / "b"], tmp_path
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "left out" not in done.stdout


def test_the_goals_of_passes_are_in_one_list(tmp_path):
    """`run.py --passes`: results of programs and of scripts."""
    if not core_is_built() or not PROGRAMS.exists():
        pytest.skip("the compiled module or the benchmarks are not built")
    command = [sys.executable, BENCH / "run.py", "--passes", "--trial", "--json", tmp_path / "b"]
    for only, result in (
        ("late messages", r"8 a pass, overlapped: .* \(messages 5 ms late\): \S+ \(goal >= 7.2"),
        ("in files", r"2 a pass, memory one by one / it \(the disk as it is\): \S+ \(no goal\)"),
    ):
        done = run([*command, "--only", only], tmp_path, SUBCURRENT_BIND="none")
        assert re.search(result, done.stdout), done.stdout + done.stderr
