# SPDX-License-Identifier: Apache-2.0
"""Every program and script of bench/ runs at a trial size; what is not installed here is left out aloud."""

import os
import re
import sys
from pathlib import Path

import pytest

from conftest import MPIRUN, ROOT, ROOT_MAY, completed, core_is_built, script_at

BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
bench = script_at(BENCH / "run.py")
PROGRAMS = Path(os.environ.get("SUBCURRENT_BUILD", ROOT / "build/release")) / "bench"
# Of programs that are no job of `make bench`.
RANKS = {"ksp_bench": 2, "halo_thread_bench": 2}
ARGUMENTS = {
    "gpu_bench": ["16", "2", "emulated"],
    "stencil_gpu_bench": ["16", "2", "emulated"],
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
    environment = {**os.environ, **ROOT_MAY, "OMP_WAIT_POLICY": "passive", **environment}
    return completed([str(word) for word in command], cwd=folder, env=environment, timeout=240)


def commands() -> dict[str, list[str]]:
    """How `make bench` starts the programs, where it starts them."""
    found = {}
    for job in bench.jobs(trial=True):
        line = [word.replace(str(bench.PROGRAMS), str(PROGRAMS)) for word in job.command]
        (name,) = (
            Path(word).name for word in line if Path(word).parent == PROGRAMS and "scratch" not in word
        )
        found.setdefault(name, line)
    return found


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.cpp")))
def test_programs(name, tmp_path):
    program = PROGRAMS / name
    if not program.exists():
        pytest.skip(f"{name} is not built")
    started = [*MPIRUN, RANKS[name]] if name in RANKS else []
    line = [*started, program, *ARGUMENTS.get(name, []), "--trial"]
    done = run(commands().get(name, line), tmp_path)
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
    if name == "passes_disk":
        assert str(BENCH / f"{name}.py") in {job.command[1] for job in bench.passes(trial=True)}
        found = "\n".join(figure.line() for figure in bench.figures(done.stdout))
        result = r"2 a pass, memory one by one / it \(the disk as it is\): \S+ \(no goal\)"
        assert re.search(result, found), done.stdout


def test_the_goals_of_passes_are_in_one_list(tmp_path):
    """`run.py --passes`: results of programs and of scripts."""
    if not core_is_built() or not PROGRAMS.exists():
        pytest.skip("the compiled module or the benchmarks are not built")
    command = [sys.executable, BENCH / "run.py", "--passes", "--trial", "--json", tmp_path / "b"]
    done = run([*command, "--only", "late messages"], tmp_path, SUBCURRENT_BIND="none")
    result = r"8 a pass, overlapped: .* \(messages 5 ms late\): \S+ \(goal >= 7.2"
    assert re.search(result, done.stdout), done.stdout + done.stderr
