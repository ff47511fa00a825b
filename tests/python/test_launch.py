# SPDX-License-Identifier: Apache-2.0
"""Which mpirun is used, with which options, and how an outer one is noticed."""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from subcurrent import streams
from subcurrent.errors import BadInput, SubcurrentError
from subcurrent.launch import banner, events, job, mpi, outcome
from subcurrent.launch import ranks as launch
from subcurrent.rank.ending import End, Forecast

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


def test_events_pass_through_text_and_other_lines_do_not(capsys):
    events.emit("step", step=3, left=None)
    line = capsys.readouterr().out
    assert events.parse(line) == {"event": "step", "step": 3, "left": None}
    assert events.parse("a warning\n") is None
    assert events.parse(events.MARK + "{cut off") is None


@pytest.mark.parametrize(
    ("end", "step", "time", "change", "reached"),
    [
        (End(steps=10), 9, 9.0, 0.0, False),
        (End(steps=10), 10, 0.0, 1.0, True),
        (End(time=0.3), 3, 0.1 + 0.2, 1.0, True),
        (End(time=0.3), 3, 0.29, 1.0, False),
        (End(steady=1e-5), 3, 1.0, 1e-5, False),
        (End(steady=1e-5), 3, 1.0, 9e-6, True),
        (End(steady=1e-5), 3, 1.0, float("nan"), False),
    ],
)
def test_ends(end, step, time, change, reached):
    assert end.reached(step, time, change) is reached


def test_an_end_is_said_in_the_units_that_people_read():
    assert End(time=0.003).in_units(1e3, "ms") == "time 0.003 (3 ms)"
    assert End(time=8.0).in_units(1, "side / lid speed") == End(time=8.0).in_units() == "time 8"
    assert End(steps=7).in_units(1e3, "ms") == "step 7"


def test_the_time_left_is_foreseen_from_the_pace():
    forecast = Forecast(End(steps=100))
    assert forecast.add(0.0, 0, 0.0, 1.0) == (0.0, None)
    share, left = forecast.add(5.0, 50, 0.5, 1.0)
    assert (share, left) == (pytest.approx(0.5), pytest.approx(5.0))


def test_a_settling_flow_is_foreseen_from_its_decay():
    forecast = Forecast(End(steady=1e-4))
    forecast.add(0.0, 1, 0.1, 1.0)
    share, left = forecast.add(1.0, 2, 0.2, 1e-1)
    assert (share, left) == (pytest.approx(0.25), pytest.approx(3.0))


def test_tracebacks_of_ranks_are_for_the_log():
    lines = [
        "a rank says this",
        "Traceback (most recent call last):",
        '  File "worker.py", line 3, in main',
        "    work()",
        "KeyboardInterrupt",
        "and this",
    ]
    traceback = banner.Traceback()
    assert [line for line in lines if not traceback.takes(line)] == ["a rank says this", "and this"]


@pytest.mark.parametrize(
    ("printed", "status", "said"),
    [
        (
            "mpirun noticed that process rank 3 with PID 0 on node n exited on signal 11 (Segmentation).",
            139,
            "rank 3 ended unexpectedly, by signal 11 (SIGSEGV)",
        ),
        (
            "Process name: [[12,1],2]\nExit code:    7",
            7,
            "rank 2 ended unexpectedly, with exit code 7",
        ),
        (
            "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\nwith errorcode 5.",
            5,
            "rank 1 ended unexpectedly, with exit code 5",
        ),
        (
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n=   EXIT CODE: 9",
            9,
            "exit code 9",
        ),
        ("", -9, "mpirun ended unexpectedly, by signal 9 (SIGKILL)"),
        ("", 143, "the ranks ended unexpectedly, by signal 15 (SIGTERM)"),
        ("not enough slots", 1, "the ranks ended unexpectedly (mpirun returned 1): not enough slots"),
    ],
)
def test_what_mpirun_prints_becomes_one_sentence(printed, status, said):
    assert said in banner.reason(printed.splitlines(), status)


class OneAtATime:
    """A watcher that a signal finds in the middle of a print, which must not begin another one there."""

    stopping = "stopping after this step"

    def __init__(self):
        self.told: list[str] = []
        self.busy = False

    def note(self, text: str, style: str = "") -> None:
        assert not self.busy, "a print within a print"
        self.busy = True
        if not self.told:
            os.kill(os.getpid(), signal.SIGTERM)
        self.told.append(text)
        self.busy = False

    def show(self, event: dict) -> None:
        self.note(event["event"])


RANKS = """
import signal, sys
from subcurrent.launch import events
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
events.emit("up")
events.emit("end", state="stopped" if signal.sigwait([signal.SIGUSR1]) else "")
"""


def test_a_signal_in_the_middle_of_a_print_is_told_after_it(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", RANKS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    watcher = OneAtATime()
    running = job.Job(process, watcher, tmp_path / "log.txt", 1)
    with launch._passing_signals(running):
        assert running.run(lambda: None) == {"event": "end", "state": "stopped"}
    assert watcher.told == [
        "up",
        "stopping after this step (a second signal stops at once)",
    ]


HAVE_ENDED = """
import time
from subcurrent.launch import events
events.emit("up")
events.emit("end", state="finished")
time.sleep(2)
"""
END_AND_ARE_KILLED = """
import os, signal
from subcurrent.launch import events
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
events.emit("up")
signal.sigwait([signal.SIGUSR1])
events.emit("end", state="finished")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("ranks", [HAVE_ENDED, END_AND_ARE_KILLED])
def test_a_request_that_comes_too_late_takes_no_result_away(tmp_path, ranks):
    process = subprocess.Popen(
        [sys.executable, "-c", ranks], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    watcher = SimpleNamespace(
        note=lambda *_: None, show=lambda _: threading.Timer(0.5, running.stop).start(), stopping="stopping"
    )
    running = job.Job(process, watcher, tmp_path / "log.txt", 1)
    assert running.run(lambda: None) == {"event": "end", "state": "finished"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_request_to_stop_without_ranks_is_one_sentence(number):
    """While figures are drawn, for example; the locks of the folder are then released."""
    text = (
        "import os\nfrom subcurrent.launch import outcome\n"
        f"def work():\n try: os.kill(os.getpid(), {int(number)})\n finally: print('released', flush=True)\n"
        "outcome.main(work)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "released\n")
    assert done.stderr == f"subcurrent: ended by {number.name}.\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_rank_that_waits_for_the_first_to_speak_ends_silently_by_a_signal(number):
    """An outer mpirun sends SIGTERM to the others when the first has ended."""
    text = (
        "import os\nfrom subcurrent.errors import BadInput\nfrom subcurrent.launch import outcome\n"
        f"outcome.time.sleep = lambda seconds: os.kill(os.getpid(), {int(number)})\n"
        "def refuse():\n raise BadInput('no.')\n"
        "outcome.main(refuse)\n"
    )
    env = {**os.environ, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
    done = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (-number, "", "")


@pytest.mark.parametrize(("rank", "said", "waited"), [("0", "subcurrent: no.\n", []), ("1", "", [3.0])])
def test_the_first_rank_says_why_before_another_ends_the_job(monkeypatch, capsys, rank, said, waited):
    """An outer mpirun kills all ranks as soon as one has ended, also the one that is about to speak."""

    def refuse():
        raise BadInput("no.")

    slept = []
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", rank)
    monkeypatch.setattr(streams, "secure", lambda: None)
    monkeypatch.setattr(outcome.time, "sleep", slept.append)
    monkeypatch.setattr(outcome.os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as end:
        outcome.main(refuse)
    assert end.value.code == 2
    assert (capsys.readouterr().err, slept) == (said, waited)
