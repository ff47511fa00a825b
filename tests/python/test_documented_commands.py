# SPDX-License-Identifier: Apache-2.0
"""A reader's day: the commands of the tutorials, how-to pages, cases and solvers are carried out one after
the other, those too that other tests only look at; and the demonstration. Long cases take a few steps."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import scipy.io
import scipy.sparse

from conftest import ROOT, ROOT_MAY, completed

sys.path.insert(0, str(ROOT / "tools"))
from handbook import pages
from handbook.markdown import blocks

# In the order in which their commands need each other's results.
PAGES = (
    "README.md",
    "docs/tutorials/first_run.md",
    "docs/howto/pictures.md",
    "docs/howto/restart.md",
    "docs/howto/choose_strategy.md",
    "docs/tutorials/larger_than_memory.md",
    "docs/tutorials/own_python.md",
    "docs/tutorials/cluster.md",
    "docs/howto/slurm.md",
    "docs/foresight.md",
)
# Followed by ctest `halo.docs`, `package.outside_project` and by tests/python/test_cpp_examples.py.
BY_CTEST = ("docs/tutorials/own_c.md", "docs/tutorials/own_cpp.md")
BY_CTEST += ("docs/howto/cpp_output.md",)
# Not followed here, and why.
NOT_HERE = {
    "CONTRIBUTING.md": "presets of developers, with which .ci/run and make test-long build",
    "docs/gpu.md": "needs a GPU",
    "docs/halo_functions.md": "ctest halo.build.* and halo.docs",
    "docs/install.md": "ctest package.outside_project; tools/try-wheel; Spack and a container engine",
}
ELSEWHERE = ("make", "source", "srun")  # the build, which stands; a queue, which does not
# Ten minutes to hours on two cores, as their pages say; tools/figures.py carries them out for the documents.
LONG_CASES = (
    "backward_step", "cavity_re400", "cavity_re1000", "decaying_mach05", "decaying_mach05_out_of_core",
    "earth_north", "earth_south", "earth_tilted", "forced_compressible", "forced_hit_128", "forced_scalar",
    "jupiter", "nickel_1024", "nickel_512", "out_of_core_256", "pfhub_3a", "taylor_green_1600",
    "taylor_green_mach01",
)  # fmt: skip
SHORT = {"subcurrent": "--set run.steps=4", "python": "--spacing 2.5 --time 1000"}
PROGRAM = re.compile(r"^ {4}((?:subcurrent |python |bench/|tools/).*)$", re.MULTILINE)


def lines(page: str) -> list[str]:
    """Commands in their order: of blocks of shell, and indented lines that begin with a program."""
    text = (ROOT / page).read_text().replace("\\\n", " ")
    found = [
        (block.line, line)
        for block in blocks(text)
        if block.language == "sh"
        for line in block.text.split("\n")
    ]
    found += [(text[: match.start()].count("\n") + 1, match[1]) for match in PROGRAM.finditer(text)]
    commands = [
        line for _, line in sorted(found, key=lambda pair: pair[0]) if line.strip() and line[0] != "#"
    ]
    return [line for line in commands if line.split()[0] not in ELSEWHERE]


def pages_of(folder: str) -> list[str]:
    """Of the cases or the solvers: those with commands."""
    found = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(f"{folder}/*/README.md"))
    return [page for page in found if lines(page)]


def shortened(line: str) -> str:
    """A command that takes long, made to end after a few steps; another one as it is."""
    command = line.partition(" #")[0].rstrip()
    words = shlex.split(command)
    takes_long = words[:2] == ["subcurrent", "run"] and words[2] in LONG_CASES
    return f"{command} {SHORT[words[0]]}" if takes_long or "/tail.py" in command else command


def missing(line: str) -> str | None:
    """What this machine lacks for a command."""
    if "--device cuda" in line and not shutil.which("nvidia-smi"):
        return "a GPU"
    if "--simulate" in line and not shutil.which("smpirun"):
        return "SimGrid"
    if "--network" in line and os.geteuid() != 0:
        return "root"
    return None


def furnished(folder: Path) -> Path:
    """With what the commands name: folders of the repository, the tutorial's program, a linear system."""
    for name in (".venv", "bench", "cases", "tools"):
        (folder / name).symlink_to(ROOT / name)
    tutorial = blocks((ROOT / "docs/tutorials/own_python.md").read_text())
    typed = next(block.text for block in tutorial if block.language == "python")
    (folder / "population.py").write_text(typed)
    stiffness = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], (100, 100))
    scipy.io.mmwrite(folder / "stiffness.mtx", stiffness, symmetry="symmetric")
    scipy.io.mmwrite(folder / "load.mtx", numpy.ones((100, 1)))
    return folder


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return furnished(tmp_path_factory.mktemp("reader"))


def carried_out(line: str, folder: Path) -> subprocess.CompletedProcess:
    scripts = Path(sys.executable).parent
    setting = os.environ | {
        "PATH": f"{scripts}:{os.environ['PATH']}",
        **ROOT_MAY,
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    words = ["bash", "-c", line]
    return completed(words, cwd=folder, env=setting, timeout=1500)


def check(done: subprocess.CompletedProcess, line: str, allowed: tuple[int, ...] = (0,)) -> None:
    assert done.returncode in allowed, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def follow(commands: list[str], start: Path) -> None:
    """Carries them out one after the other; results that they leave in /tmp stay in the folder."""
    folder, left_out = start, set()
    for command in commands:
        line = shortened(command).replace("/tmp/", f"{start}/")
        if line.startswith("cd "):
            folder = folder / line[3:]
            continue
        if line.startswith("mpirun"):
            folder = start
        lack = missing(line)
        if lack:
            left_out.add(lack)
            continue
        # doctor's exit code is what it thinks of the machine
        check(carried_out(line, folder), line, (0, 1) if "subcurrent doctor" in line else (0,))
    if left_out:
        pytest.skip(f"some commands were left out for want of {' and '.join(sorted(left_out))}")


@pytest.mark.long
@pytest.mark.mpi
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("page", pages_of("cases"))
def test_the_commands_of_a_case_work(page, tmp_path):
    follow(lines(page), furnished(tmp_path))


@pytest.mark.long
@pytest.mark.mpi
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("page", pages_of("solvers"))
def test_the_commands_of_a_solver_work(page, tmp_path):
    """Each in a folder of its own: they do not go on from each other."""
    for number, line in enumerate(lines(page)):
        (tmp_path / str(number)).mkdir()
        follow([line], furnished(tmp_path / str(number)))


@pytest.mark.long
@pytest.mark.mpi
@pytest.mark.timeout(3600)
def test_the_demonstration_draws_what_the_readme_shows():
    """`make demo` without the build, which stands."""
    done = carried_out("tools/demo", ROOT)
    check(done, "tools/demo")
    drawn = {Path(line.strip()) for line in done.stdout.rpartition("== Pictures")[2].split("\n") if line}
    assert {Path("runs/demo/figures") / name for name in ("profiles.png", "flow.png")} <= drawn


@pytest.mark.long
@pytest.mark.mpi
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_work(page, reader):
    follow(lines(page), reader)


def test_the_pages_have_commands():
    assert all(lines(page) for page in PAGES)


def test_the_scripts_of_the_page_on_slurm_are_for_slurm(tmp_path):
    jobs = [line for line in lines("docs/howto/slurm.md") if line.startswith("subcurrent job")]
    assert jobs
    for line in jobs:
        done = carried_out(line, tmp_path)
        check(done, line)
        assert "#SBATCH --signal=USR1@120\n" in done.stdout


def test_every_case_is_run_by_a_command_or_is_a_long_one():
    cases = {path.parent.name for path in ROOT.glob("cases/*/README.md")}
    assert set(LONG_CASES) <= cases
    silent = {case for case in cases if f"cases/{case}/README.md" not in pages_of("cases")}
    assert silent <= set(LONG_CASES)


@pytest.mark.parametrize("followed", [*([page] for page in pages_of("cases")), PAGES], ids=" ".join)
def test_runs_that_are_made_one_after_the_other_have_folders_of_their_own(followed):
    """A run into a folder that is not empty is refused."""
    folders = []
    for words in (shlex.split(line) for page in followed for line in lines(page)):
        if words[:2] != ["subcurrent", "run"] or {"--resume", "--overwrite", "--help"} & {*words}:
            continue
        name = words[2].removesuffix("/case.toml").rpartition("/")[2]
        folders.append(words[words.index("--out") + 1] if "--out" in words else f"runs/{name}")
    assert len(folders) == len({*folders})


def test_every_page_of_commands_is_followed():
    followed = {*PAGES, *BY_CTEST, *pages_of("cases"), *pages_of("solvers")}
    assert not followed & NOT_HERE.keys()
    with_commands = {page.path for page in pages.written() if lines(page.path)}
    assert with_commands - followed - NOT_HERE.keys() == set(), "pages with commands that nothing carries out"
    assert NOT_HERE.keys() <= with_commands


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("subcurrent run jupiter -n 2  # hours", "subcurrent run jupiter -n 2 --set run.steps=4"),
        ("subcurrent run cavity_demo -n 2", "subcurrent run cavity_demo -n 2"),
        ("python cases/earth_south/tail.py", "python cases/earth_south/tail.py --spacing 2.5 --time 1000"),
    ],
)
def test_long_cases_take_a_few_steps(line, short):
    assert shortened(line) == short
