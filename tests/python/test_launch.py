# SPDX-License-Identifier: Apache-2.0
"""What the launcher makes of its ranks' events, of their ends, and of signals."""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from conftest import completed
from subcurrent import streams
from subcurrent.errors import BadInput
from subcurrent.launch import banner, events, job, outcome
from subcurrent.launch import ranks as launch
from subcurrent.rank.ending import End, Forecast


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
    done = completed([sys.executable, "-c", text])
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
    done = completed([sys.executable, "-c", text], env=env)
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
