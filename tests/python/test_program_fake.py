# SPDX-License-Identifier: Apache-2.0
"""The program around a FAKE compiled module: launching, progress, folders, figures. How each failure ends is
in test_program_ends_fake."""

import sys

import pytest

from conftest import QUIET, ROOT, SMALL, STARTS_RANKS, completed, sentence_of
from subcurrent.errors import BAD_INPUT, OK, OTHER, STORAGE

pytestmark = STARTS_RANKS


def contents(folder) -> dict:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_run_does_not_need_a_terminal_with_utf8(fake_program, encoding):
    """All that it writes is UTF-8, whatever the locale's encoding; the terminal gets ? for what it lacks."""
    fake_program.write_case()
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    setting = ascii_only if encoding == "ascii" else {"PYTHONIOENCODING": encoding}
    few = ("--set", "output.snapshots=false")  # and no pictures of them
    fake_program.ok("run", "case.toml", "--out", "r", *few, **setting)
    page = (fake_program.folder / "r" / "report.html").read_text(encoding="utf-8")
    assert "×" in page
    more = ("--resume", "--set", "run.steps=13", *QUIET)
    fake_program.ok("run", "r/case.toml", "--out", "r", *more, **setting)


def test_nothing_is_written_over(fake_program, refusal):
    fake_program.write_case()
    fake_program.ok("run", "case.toml", "--out", "r", *QUIET)
    before = contents(fake_program.folder / "r")
    assert "not empty" in refusal("run", "case.toml", "--out", "r")
    refusal("run", "case.toml", "--out", "r", "--overwrite", "--set", "flow.reynolds=-1")
    assert contents(fake_program.folder / "r") == before
    fake_program.ok("run", "case.toml", "--out", "r", "--overwrite", *QUIET)


@pytest.mark.parametrize("outer", [False, True])
def test_a_run_from_its_own_case_file_keeps_its_reference(fake_program, outer):
    """--overwrite sets the folder aside, in which the reference of the new run lies, too."""
    fake_program.write_case()
    reference = fake_program.folder / "reference.csv"
    reference.write_text("# Re = 100\nz,u,x,w\n0,0,0,0\n1,1,1,0\n")
    fake_program.ok("run", "case.toml", "--out", "r", *QUIET)
    kept = fake_program.folder / "r" / "reference.csv"
    assert kept.read_bytes() == reference.read_bytes()
    again = ("run", "r/case.toml", "--out", "r", "--overwrite", *QUIET)
    done = fake_program.as_ranks(1, *again) if outer else fake_program(*again)
    assert done.returncode == OK, done.stderr
    assert kept.read_bytes() == reference.read_bytes()


@pytest.mark.parametrize("outer", [False, True])
def test_modules_of_the_working_directory_are_not_imported(fake_program, outer):
    """Neither by the ranks, nor by the processes that ask for the build and draw the figures. Under an outer
    mpirun the program is a rank, and draws them in a process that is none."""
    fake_program.write_case()
    for name in ("json", "statistics", "queue"):
        (fake_program.folder / f"{name}.py").write_text("raise SystemExit(7)\n")
    line = ("run", "case.toml", "--out", "r")
    done = fake_program.as_ranks(1, *line) if outer else fake_program(*line, *QUIET)
    assert done.returncode == OK, done.stderr
    assert (fake_program.folder / "r" / "report.html").exists() == outer
    if outer:
        assert "finished after 12 steps" in done.stdout
        assert "@subcurrent" not in done.stdout


def test_bad_input_writes_nothing(fake_program, refusal):
    """That the program ends with a sentence and its exit code is seen of two."""
    fake_program.write_case(SMALL)
    words = ("run", "case.toml", "--out", "r")
    for arguments in (("--set", "flow.reynold=1"), ("--device", "cuda")):
        fake_program.refused(*words, *arguments)
    for arguments in (
        ("-n", "0"),
        ("-n", "1000000"),
        ("--set", "engine.split=[1,1,2]"),
        ("--device", "quantum"),
        ("--resume",),
        ("--resume", "--overwrite"),
        ("--set", "flow.reynolds=abc"),
        ("--set", "grid.smallest=0.2"),
        ("-n", "2", "--set", "engine.split=[1,1,3]"),
        ("-n", "9", "--set", "engine.split=[1,1,9]"),
        ("--strategy", "fastest"),
    ):
        refusal(*words, *arguments)
    assert [path.name for path in fake_program.folder.iterdir()] == ["case.toml"]


@pytest.mark.parametrize("verb", ["run", "strategies"])
def test_ranks_that_do_not_fit_an_outer_launcher_are_refused(fake_program, refusal, monkeypatch, verb):
    """One that does not say how many it has started, and one that does."""
    fake_program.write_case()
    monkeypatch.setenv("PMIX_RANK", "0")
    assert "-n 0 is not allowed: it must be a whole number >= 1." in refusal(verb, "case.toml", "-n", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    assert "-n 3 does not fit the 2 ranks" in refusal(verb, "case.toml", "-n", "3")


def test_a_refusal_under_an_outer_mpirun_is_said_by_its_first_rank(fake_program):
    fake_program.write_case()
    quiet = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
    done = fake_program("run", "case.toml", "-n", "3", **quiet)
    assert (done.returncode, done.stderr) == (BAD_INPUT, "")


def test_an_mpirun_of_another_mpi_is_noticed(fake_program, tmp_path):
    """Ranks that do not find each other count one: the foreign mpirun is said, nobody computes the case
    twice."""
    fake_program.write_case()
    foreign = tmp_path / "bin"
    foreign.mkdir()
    (foreign / "mpirun").write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "Open MPI"; exit; }\n'
        'while [ "$1" != -P ]; do python="$1"; shift; done\n"$python" "$@" &\n"$python" "$@" &\nwait %1\n'
    )
    (foreign / "mpirun").chmod(0o755)
    path = f"{foreign}:{fake_program.environment['PATH']}"
    done = fake_program("run", "case.toml", "-n", "2", "--out", "r", PATH=path)
    assert done.returncode == OTHER
    assert "2 ranks were asked for but MPI counts 1" in sentence_of(done)


def test_cases_new_and_report(fake_program, refusal):
    listed = fake_program.ok("cases")
    assert "cavity_re100" in listed.stdout
    fake_program.ok("new", "mine", "--from", "cavity_demo")
    text = (fake_program.folder / "mine" / "case.toml").read_text()
    assert "# Reynolds number: lid speed x side of the box / viscosity" in text
    assert (fake_program.folder / "mine" / "reference.csv").exists()
    assert fake_program("new", "mine").returncode == BAD_INPUT
    assert "did you mean the shipped case cavity_re100" in refusal("run", "cavity_re10")
    assert fake_program("report", "mine").returncode == STORAGE
    refusal("report", "nowhere")


def test_the_report_of_another_version_lacks_what_its_history_lacks(fake_program):
    fake_program.write_case()
    fake_program.ok("run", "case.toml", "--out", "r", *QUIET)
    history = fake_program.folder / "r" / "history.csv"
    text = history.read_text().replace("residual", "of_another_version").replace("capped", "other")
    history.write_text(text)
    done = fake_program("report", "r")
    assert (done.returncode, done.stderr) == (OK, "")
    assert "history.csv has no column residual and no capped: another version" in done.stdout
    assert (fake_program.folder / "r" / "figures" / "history.png").stat().st_size > 10_000
    assert (fake_program.folder / "r" / "report.html").is_file()
    fake_program.ok("watch", "r")
    history.write_text(text.replace("0.", "zero", 1))
    assert "history.csv is damaged: line 2 is no row of" in fake_program.refused("report", "r")


def test_dry_run_shows_the_command_and_writes_nothing(fake_program):
    fake_program.write_case()
    done = fake_program.ok("run", "case.toml", "-n", "2", "--dry-run")
    assert "mpirun -n 2" in done.stdout
    assert "subcurrent.rank.worker" in done.stdout
    assert [path.name for path in fake_program.folder.iterdir()] == ["case.toml"]


def loaded_of(modules: set[str], imports: str) -> list[str]:
    """Which of these modules a fresh interpreter has loaded after the imports."""
    done = completed(
        [sys.executable, "-c", f"import sys, {imports}; print(*({modules} & sys.modules.keys()))"],
        check=True,
        env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"},
    )
    return done.stdout.split()


def test_a_rank_never_loads_another_hdf5():
    assert loaded_of({"h5py"}, "subcurrent.rank.worker, subcurrent.cli.main, subcurrent as s; s.Cavity") == []


def test_the_program_starts_without_what_draws():
    ask = "subcurrent.rank.worker, subcurrent.cli.main, subcurrent as s; s.Cavity; s.Turbulence"
    assert loaded_of({"matplotlib", "pyvista"}, ask) == []


def test_the_program_starts_without_arrays_stencils_and_solvers_that_it_may_not_need():
    late = {"numpy", "subcurrent.stencil", "subcurrent.solvers.wave.case", "subcurrent.solvers.wave.kind"}
    assert loaded_of(late, "subcurrent.cli.main") == []
    assert loaded_of(late - {"numpy"}, "subcurrent.rank.worker") == []
