# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: running the program as a user does, with the real compiled module or the
fake."""

import collections
import csv
import functools
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from subcurrent.case.reading import set_words
from subcurrent.errors import BAD_INPUT, OK, STOPPED, BadInput
from subcurrent.launch.mpi import ROOT_MAY

# Under nohup, and in the background of a shell without job control, SIGHUP and SIGINT are ignored; every
# program that a test starts would ignore them too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The transport that Open MPI chooses on one machine; without its name each start looks 0.2 s for networks.
os.environ.update(OMPI_MCA_pml="ob1")

# Where this is set, each of some thousand starts compiles the package anew: 0.45 s of CPU instead of 0.28.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

CASE = """
solver = "cavity"
[flow]
reynolds = 100
[grid]
points = [10, 10, 10]
clustering = "tanh"
smallest = 0.08
[run]
steps = 12
"""

# One that the real compiled module steps through in a moment.
SMALL = CASE.replace("[10, 10, 10]", "[18, 18, 18]").replace("0.08", "0.04")


def completed(line: Sequence[object], timeout: float = 240, **options) -> subprocess.CompletedProcess:
    """A program that has ended, perhaps with an error, and what it has printed."""
    return subprocess.run(
        [str(word) for word in line],
        check=options.pop("check", False),
        capture_output=True,
        text=True,
        timeout=timeout,
        **options,
    )


def drawn_apart(code: str, picture: Path) -> str:
    """What Python code prints that draws the picture sys.argv[1], in a process of its own: without a display
    VTK may end the process instead of raising. It can import from tests."""
    importing = "import sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path;"
    done = completed([sys.executable, "-c", importing + code, picture, ROOT / "tests" / "python"])
    assert done.returncode == 0, done.stderr
    return done.stdout


def set_options(*settings: str) -> list[str]:
    """A `--set` for each."""
    return set_words(settings)


# Of tests with the fake compiled module, whose ranks are started all the same.
STARTS_RANKS = [
    pytest.mark.mpi,
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun"),
]
MPIRUN = ("mpirun", "--oversubscribe", "--bind-to", "none", "-n")

# For runs whose pictures nobody looks at.
QUIET = ("--set", "output.figures=false")


def script_at(path: Path) -> ModuleType:
    """A case's script as a module. Scripts of several cases have the same name."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where dataclasses look it up
    spec.loader.exec_module(module)
    return module


@functools.cache
def core_is_built() -> bool:
    """Asked from another process: the tests themselves use h5py, which the module's HDF5 must not meet."""
    done = subprocess.run([sys.executable, "-c", "import subcurrent._core"], check=False, capture_output=True)
    return done.returncode == 0


def pytest_collection_modifyitems(items):
    # A worker gets a file at a time: those whose tests start MPI or compile, which take longest, come first.
    quick = (item for item in items if not item.get_closest_marker("long"))
    slow = (item for item in quick if any(map(item.get_closest_marker, ("mpi", "compiles"))))
    tests = collections.Counter(item.path for item in slow)
    items.sort(key=lambda item: -tests[item.path])
    if core_is_built():
        return
    skip = pytest.mark.skip(reason="the compiled module is not built")
    for item in items:
        if "program" in getattr(item, "fixturenames", ()):
            item.add_marker(skip)


def built_program(name: str) -> Path:
    """A program of tests/programs in SUBCURRENT_BUILD, or in the build tree made last; skips without one."""
    build = os.environ.get("SUBCURRENT_BUILD")
    trees = [Path(build)] if build else [*ROOT.glob("build/*")]
    found = [p for tree in trees if (p := tree / "tests/programs" / name).exists()]
    if not found:
        pytest.skip(f"{name} is not built (cmake with SUBCURRENT_TESTS=ON)")
    return max(found, key=lambda p: p.stat().st_mtime)


class Program:
    """The program `subcurrent` in a folder of its own."""

    def __init__(self, folder: Path, fake: bool):
        self.folder = folder
        self.environment = {**os.environ, "SUBCURRENT_BIND": "none", "COLUMNS": "200"}
        self.environment["SUBCURRENT_TUNED"] = str(folder / "tuned")  # and not what the user has tuned
        if fake:
            parts = (HERE / "fake_site", ROOT / "python", os.environ.get("PYTHONPATH", ""))
            self.environment["PYTHONPATH"] = os.pathsep.join(str(part) for part in parts if str(part))

    def command(self, *arguments) -> list[str]:
        # -P: the installed program imports nothing from the working directory.
        return [sys.executable, "-P", "-m", "subcurrent", *(str(argument) for argument in arguments)]

    def __call__(self, *arguments, timeout: float = 240, **environment) -> subprocess.CompletedProcess:
        return self._done(self.command(*arguments), timeout, environment)

    def ok(self, *arguments, **more) -> subprocess.CompletedProcess:
        """A call that succeeds."""
        done = self(*arguments, **more)
        assert done.returncode == OK, done.stderr + done.stdout
        return done

    def refused(self, *arguments, **more) -> str:
        """The one sentence with which bad input is refused."""
        done = self(*arguments, **more)
        assert done.returncode == BAD_INPUT, done.stderr + done.stdout
        return sentence_of(done)

    def as_ranks(self, count: int, *arguments, timeout: float = 240) -> subprocess.CompletedProcess:
        """The program as the ranks of an mpirun that the user has started."""
        return self._done([*MPIRUN, str(count), *self.command(*arguments)], timeout, ROOT_MAY)

    def script(
        self, text: str, *arguments, ranks: int = 1, timeout: float = 240, succeeds: bool = True
    ) -> subprocess.CompletedProcess:
        """A Python script of the user's, by itself or as the ranks of an mpirun."""
        path = self.folder / "script.py"
        path.write_text(text)
        started = [*MPIRUN, str(ranks)] if ranks > 1 else []
        done = self._done([*started, sys.executable, str(path), *map(str, arguments)], timeout, ROOT_MAY)
        assert (done.returncode == OK) is succeeds, done.stderr + done.stdout
        return done

    def _done(self, line: list[str], timeout: float, more: dict[str, str]) -> subprocess.CompletedProcess:
        return completed(line, cwd=self.folder, env={**self.environment, **more}, timeout=timeout)

    def start(self, *arguments, **environment) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def write_case(self, text: str = CASE, name: str = "case.toml") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture
def program(tmp_path):
    """The program with the real compiled module; skipped where that is not built."""
    return Program(tmp_path, fake=False)


@pytest.fixture
def fake_program(tmp_path):
    """The program with the FAKE compiled module: launching, folders, signals, figures."""
    return Program(tmp_path, fake=True)


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys) -> Callable[..., str]:
    """The one sentence with which the program refuses words, in this process and in the folder of `program`:
    for what is refused before a rank starts. Program.refused also shows the exit code."""
    from subcurrent.cli.main import app  # noqa: PLC0415 - only here

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBCURRENT_TUNED", str(tmp_path / "tuned"))

    def refused(*words: object) -> str:
        with pytest.raises(BadInput) as caught:
            app([str(word) for word in words])
        assert "\n" not in caught.value.sentence
        assert capsys.readouterr().err == ""
        return caught.value.sentence

    return refused


@pytest.fixture(scope="session")
def made_once(tmp_path_factory) -> Callable[..., Path]:
    """Runs a case once for all tests of a worker that ask for the same run, and read its folder or change a
    copy of it. What it printed is `printed.txt` beside the folder."""
    made: dict[tuple, Path] = {}

    def run(case: str, *arguments: str, fake: bool = False) -> Path:
        key = (case, *arguments, fake)
        if key not in made:
            program = Program(tmp_path_factory.mktemp("made_once"), fake)
            program.write_case(case)
            done = program("run", "case.toml", "--out", "r", *arguments)
            assert done.returncode == OK, done.stderr
            (program.folder / "printed.txt").write_text(done.stdout)
            made[key] = program.folder / "r"
        return made[key]

    return run


@pytest.fixture
def finished(program, made_once) -> Path:
    """The folder of a finished run of SMALL on one rank, as `r` beside its case file."""
    program.write_case(SMALL)
    return shutil.copytree(made_once(SMALL, "--strategy", "blocking", *QUIET), program.folder / "r")


def sentence_of(done: subprocess.CompletedProcess) -> str:
    """The one sentence a failed run says; fails when it says more than that, or shows a traceback."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr + done.stdout
    assert lines[0].startswith("subcurrent: "), lines[0]
    assert "Traceback" not in done.stdout
    return lines[0].removeprefix("subcurrent: ")


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Until it holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def stopped(running: subprocess.Popen, number: int) -> str:
    """What a run has said that stops when this signal asks for it."""
    running.send_signal(number)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == STOPPED, said
    return said


def summary(folder: Path) -> dict:
    """summary.json of a run."""
    return json.loads((folder / "summary.json").read_text())


def history(folder: Path) -> list[dict[str, str]]:
    """The rows of a run's history so far, without what differs from run to run."""
    file = folder / "history.csv"
    if not file.exists():
        return []
    with file.open() as lines:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(lines)]


def steps_in(folder: Path) -> list[int]:
    """The steps of a run's history so far."""
    return [int(row["step"]) for row in history(folder)]
