# SPDX-License-Identifier: Apache-2.0
"""A reader's day: the commands of the tutorials and how-to pages are carried out one after the other in one
folder, those too that other tests only look at."""

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


def lines(page: str) -> list[str]:
    """The commands of a page, in their order."""
    text = (ROOT / page).read_text()
    found = [block.text.replace("\\\n", " ") for block in blocks(text) if block.language == "sh"]
    commands = [line for block in found for line in block.split("\n") if line.strip() and line[0] != "#"]
    return [line for line in commands if shlex.split(line)[0] not in ELSEWHERE]


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
        done = carried_out(line, folder)
        # doctor's exit code is what it thinks of the machine
        allowed = (0, 1) if "subcurrent doctor" in line else (0,)
        assert done.returncode in allowed, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    if left_out:
        pytest.skip(f"some commands were left out for want of {' and '.join(sorted(left_out))}")


def test_the_pages_have_commands():
    assert all(lines(page) for page in PAGES)


def test_every_page_of_commands_is_followed():
    kinds = ("docs/tutorials/", "docs/howto/")
    for page in pages.written():
        if page.path.startswith(kinds) and any(block.language == "sh" for block in blocks(page.text)):
            assert page.path in PAGES + BY_CTEST, f"{page.path} has commands that nothing carries out"
