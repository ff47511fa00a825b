# SPDX-License-Identifier: Apache-2.0
"""A reader's day: the commands of the tutorials, how-to pages and cases are carried out one after the other
in one folder, those too that other tests only look at; and the demonstration."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from handbook import pages
from handbook.markdown import blocks
from test_snippets import command_lines

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
BY_CTEST = ("docs/tutorials/own_c.md", "docs/tutorials/own_cpp.md", "docs/tutorials/own_fortran.md")
BY_CTEST += ("docs/howto/cpp_output.md",)
ELSEWHERE = ("make", "source", "srun")  # the build, which stands; a queue, which does not
# Ten minutes to hours on two cores, as their pages say; tools/figures.py carries them out for the documents.
LONG_CASES = (
    "cavity_re400", "cavity_re1000", "decaying_mach05", "decaying_mach05_out_of_core", "earth_north",
    "earth_south", "forced_compressible", "forced_hit_128", "jupiter", "nickel_1024", "nickel_512",
    "out_of_core_256", "taylor_green_1600", "taylor_green_mach01",
)  # fmt: skip


def lines(page: str) -> list[str]:
    """The commands of a page, in their order."""
    text = (ROOT / page).read_text()
    found = [block.text.replace("\\\n", " ") for block in blocks(text) if block.language == "sh"]
    commands = [line for block in found for line in block.split("\n") if line.strip() and line[0] != "#"]
    return [line for line in commands if shlex.split(line)[0] not in ELSEWHERE]


def commands_of_cases() -> dict[str, list[str]]:
    """Of each case that is not a long one, in their order."""
    found: dict[str, list[str]] = {}
    for path, line in (one.values for one in command_lines()):
        folder, _, name = path.partition("/")
        case = name.removesuffix("/README.md")
        if folder == "cases" and "/" not in case and case != name and case not in LONG_CASES:
            found.setdefault(case, []).append(line)
    return found


def missing(line: str) -> str | None:
    """What this machine lacks for a command."""
    if "--simulate" in line and not shutil.which("smpirun"):
        return "SimGrid"
    if "--network" in line and os.geteuid() != 0:
        return "root"
    return None


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Where the reader is: a folder with the cases of the repository and the tutorial's program."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "cases").symlink_to(ROOT / "cases")
    tutorial = blocks((ROOT / "docs/tutorials/own_python.md").read_text())
    typed = next(block.text for block in tutorial if block.language == "python")
    (folder / "population.py").write_text(typed)
    return folder


def carried_out(line: str, folder: Path) -> subprocess.CompletedProcess:
    scripts = Path(sys.executable).parent
    setting = os.environ | {
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    words = ["bash", "-c", line]
    return subprocess.run(
        words, cwd=folder, env=setting, check=False, capture_output=True, text=True, timeout=1500
    )


def check(done: subprocess.CompletedProcess, line: str, allowed: tuple[int, ...] = (0,)) -> None:
    assert done.returncode in allowed, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.long
@pytest.mark.mpi
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", commands_of_cases())
def test_the_commands_of_a_case_work(case, reader):
    for line in commands_of_cases()[case]:
        check(carried_out(line, reader), line)


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
    folder, left_out = reader, set()
    for line in lines(page):
        if line.startswith("cd "):
            folder = folder / line[3:]
            continue
        if line.startswith("mpirun"):
            folder = reader
        lack = missing(line)
        if lack:
            left_out.add(lack)
            continue
        # doctor's exit code is what it thinks of the machine
        check(carried_out(line, folder), line, (0, 1) if "subcurrent doctor" in line else (0,))
    if left_out:
        pytest.skip(f"some commands were left out for want of {' and '.join(sorted(left_out))}")


def test_the_pages_have_commands():
    assert all(lines(page) for page in PAGES)


def test_the_scripts_of_the_page_on_slurm_are_for_slurm(tmp_path):
    jobs = [line for line in lines("docs/howto/slurm.md") if line.startswith("subcurrent job")]
    assert jobs
    for line in jobs:
        done = carried_out(line, tmp_path)
        check(done, line)
        assert "#SBATCH --signal=USR1@120\n" in done.stdout


def test_every_case_has_a_command_or_is_a_long_one():
    cases = {path.parent.name for path in ROOT.glob("cases/*/README.md")}
    assert set(LONG_CASES) <= cases
    assert cases - set(LONG_CASES) - commands_of_cases().keys() == set()


def test_every_page_of_commands_is_followed():
    kinds = ("docs/tutorials/", "docs/howto/")
    for page in pages.written():
        if page.path.startswith(kinds) and any(block.language == "sh" for block in blocks(page.text)):
            assert page.path in PAGES + BY_CTEST, f"{page.path} has commands that nothing carries out"
