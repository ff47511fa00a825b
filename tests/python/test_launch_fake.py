# SPDX-License-Identifier: Apache-2.0
"""The launcher around a FAKE compiled module: an mpirun that hangs, launchers and mpiruns that are killed,
starts side by side, streams that are closed, numbers beyond all measure."""

import os
import signal
import time

import pytest

from conftest import CASE, QUIET, STARTS_RANKS, completed, sentence_of, steps_in, summary, wait_for
from subcurrent.errors import BAD_INPUT, OK, OTHER, STOPPED, STORAGE
from subcurrent.launch import guard
from test_program_ends import ranks_of

pytestmark = STARTS_RANKS
LONG = CASE.replace("steps = 12", "steps = 100000")


@pytest.fixture
def hanging(fake_program):
    """A PATH with an mpirun that starts one process, says nothing and does not end when asked to."""
    folder = fake_program.folder / "bin"
    folder.mkdir()
    (folder / "mpirun").write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "Open MPI"; exit; }\n'
        f"trap '' TERM USR1\necho $$ > {folder}/pid\nsleep 1000 &\nwait\nsleep 1000\n"
    )
    (folder / "mpirun").chmod(0o755)
    return f"{folder}:{fake_program.environment['PATH']}"


@pytest.mark.parametrize(("failures", "code"), [(1, OK), (2, OTHER)])
def test_an_mpirun_that_fails_without_a_word_is_started_once_more(fake_program, failures, code):
    """As Open MPI's was seen to do: exit code 1, no output, no rank."""
    folder = fake_program.folder / "bin"
    folder.mkdir()
    there = fake_program.environment["PATH"]
    (folder / "mpirun").write_text(
        f'#!/bin/sh\nPATH="{there}"\n[ "$1" = --version ] && exec mpirun "$@"\n'
        f"echo >> {folder}/starts\n"
        f'[ "$(wc -l < {folder}/starts)" -le {failures} ] && exit 1\nexec mpirun "$@"\n'
    )
    (folder / "mpirun").chmod(0o755)
    fake_program.write_case()
    done = fake_program("run", "case.toml", "--out", "r", PATH=f"{folder}:{there}")
    assert done.returncode == code, done.stderr
    assert (done.stdout + done.stderr).count("mpirun failed before it started a rank, without a word") == 1
    assert (folder / "starts").read_text() == "\n\n"
    if code == OTHER:
        assert "the ranks ended unexpectedly (mpirun returned 1): no reason given" in sentence_of(done)
    else:
        assert steps_in(fake_program.folder / "r") == list(range(1, 13))


def session_of(fake_program) -> int:
    pid = fake_program.folder / "bin" / "pid"
    wait_for(lambda: pid.exists() and pid.read_text().strip())
    return int(pid.read_text())


def has_gone(leader: int) -> None:
    wait_for(lambda: not guard.session(leader), seconds=30)


def test_ranks_that_do_not_come_up_are_ended_with_a_sentence(fake_program, hanging):
    fake_program.write_case()
    done = fake_program("run", "case.toml", "--out", "r", PATH=hanging, SUBCURRENT_START_SECONDS="1")
    assert done.returncode == OTHER
    assert "the ranks did not start within 1 seconds" in sentence_of(done)
    has_gone(session_of(fake_program))


def test_a_signal_is_heard_while_mpirun_hangs(fake_program, hanging):
    fake_program.write_case()
    running = fake_program.start("run", "case.toml", "--out", "r", PATH=hanging)
    leader = session_of(fake_program)
    running.send_signal(signal.SIGTERM)
    said, _ = running.communicate(timeout=60)
    # The latter when it comes before the launcher has begun to follow its mpirun.
    assert (running.returncode == STOPPED and "stopped at once" in said) or (
        running.returncode == OTHER and "ended by SIGTERM" in said
    ), said
    has_gone(leader)


def test_nothing_of_a_killed_launcher_goes_on_even_when_mpirun_hangs(fake_program, hanging):
    fake_program.write_case()
    running = fake_program.start("run", "case.toml", "--out", "r", PATH=hanging)
    leader = session_of(fake_program)
    time.sleep(0.5)  # the guard has been started by now
    running.kill()
    running.communicate(timeout=30)
    wait_for(lambda: leader not in guard.session(leader), seconds=30)
    os.killpg(leader, signal.SIGKILL)  # the script's sleep, which is no rank and asked for no signal


def test_a_killed_start_with_overwrite_leaves_the_run_that_it_would_have_replaced(fake_program, hanging):
    fake_program.write_case()
    fake_program.ok("run", "case.toml", "--out", "r", *QUIET)
    running = fake_program.start(
        "run", "case.toml", "--out", "r", "--overwrite", "--set", "flow.reynolds=7", PATH=hanging
    )
    leader = session_of(fake_program)
    running.kill()
    running.communicate(timeout=30)
    wait_for(lambda: leader not in guard.session(leader), seconds=30)
    os.killpg(leader, signal.SIGKILL)
    done = fake_program.ok("run", "case.toml", "--out", "r", "--resume", "--set", "run.steps=15", *QUIET)
    assert "resumed from checkpoint_00000012.h5" in done.stdout
    assert steps_in(fake_program.folder / "r") == list(range(1, 16))


@pytest.mark.parametrize("victim", ["launcher", "mpirun"])
def test_all_of_a_run_ends_with_its_launcher_or_mpirun(fake_program, victim):
    fake_program.write_case(LONG)
    folder = fake_program.folder / "r"
    running = fake_program.start("run", "case.toml", "--out", folder, FAKE_STEP_SECONDS="0.02")
    wait_for(lambda: len(steps_in(folder)) > 2)
    (leader,) = {os.getsid(pid) for pid in ranks_of(folder)}
    if victim == "launcher":
        running.kill()
    else:
        os.kill(leader, signal.SIGKILL)
    said, _ = running.communicate(timeout=60)
    has_gone(leader)
    if victim == "mpirun":
        assert running.returncode == OTHER, said
        assert "mpirun ended unexpectedly, by signal 9 (SIGKILL)" in said


def test_of_starts_side_by_side_in_one_folder_one_goes_ahead(fake_program):
    """Each with a case of its own: what is in the folder at the end is the whole of the one that ran."""
    count = 5
    for n in range(count):
        fake_program.write_case(CASE.replace("reynolds = 100", f"reynolds = {101 + n}"), f"case{n}.toml")
    started = [
        fake_program.start("run", f"case{n}.toml", "--out", "r", *QUIET, FAKE_STEP_SECONDS="0.2")
        for n in range(count)
    ]
    ended = [(process.communicate(timeout=240)[0], process.returncode) for process in started]
    (ran,) = (n for n, (_, code) in enumerate(ended) if code == OK)
    for n, (said, code) in enumerate(ended):
        assert n == ran or (code == BAD_INPUT and ("another run" in said or "is not empty" in said)), said
    assert summary(fake_program.folder / "r")["case"]["flow"]["reynolds"] == 101 + ran
    assert steps_in(fake_program.folder / "r") == list(range(1, 13))


def test_a_defect_is_one_sentence_and_its_traceback_is_in_the_log(fake_program):
    fake_program.write_case()
    done = fake_program("run", "case.toml", "--out", "r", FAKE_DEFECT_AT="3")
    assert done.returncode == OTHER
    assert "KeyError: 'velocity' (a defect; the output of the ranks is in r/log.txt)" in sentence_of(done)
    assert "Traceback" in (fake_program.folder / "r" / "log.txt").read_text()


@pytest.mark.parametrize(
    ("closing", "code"), [("| head -1", 0), (">&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", STORAGE)]
)
def test_a_run_does_not_depend_on_who_reads_its_output(fake_program, closing, code):
    fake_program.write_case()
    command = " ".join(fake_program.command("run", "case.toml", "--out", "r", *QUIET))
    done = completed(
        ["bash", "-o", "pipefail", "-c", f"{command} {closing}"],
        cwd=fake_program.folder,
        env=fake_program.environment | {"FAKE_STEP_SECONDS": "0.1"},
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    assert summary(fake_program.folder / "r")["state"] == "finished"
    expected = {"| head -1": "this output is closed", ">/dev/full": "the disk is full"}
    assert expected.get(closing, "") in (sentence_of(done) if closing in expected else done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "case.toml", "-n", "99999999999999999999"),
        ("run", "case.toml", "-n", "1000"),
        ("run", "case.toml", "--threads", "5000"),
        ("run", "case.toml", "--threads", "1024", "-n", "1024"),
        ("strategies", "case.toml", "-n", "99999999999999999999"),
        ("probe", "--wait", "-n", "1000000"),
        ("cg", "--class", "S", "-n", "99999999999999999999"),
        ("cg", "--class", "S", "--threads", "99999999"),
        ("cg", "--class", "S", "-n", "0"),
    ],
)
def test_more_than_a_machine_can_be_asked_for_is_refused(fake_program, refusal, arguments):
    fake_program.write_case()
    assert "allowed" in refusal(*arguments, "--out", "r")
    assert not (fake_program.folder / "r").exists()


def test_an_environment_that_no_launcher_made_is_one_sentence(fake_program, refusal, monkeypatch):
    fake_program.write_case()
    words = ("run", "case.toml", "--out", "r")
    assert "OMPI_COMM_WORLD_RANK" in fake_program.refused(*words, OMPI_COMM_WORLD_RANK="abc")
    for variables in (
        {"OMPI_COMM_WORLD_RANK": "-1"},
        {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "2"},
        {"PMI_RANK": "0", "PMI_SIZE": "1e3"},
    ):
        with monkeypatch.context() as patched:
            for name, value in variables.items():
                patched.setenv(name, value)
            assert list(variables)[-1] in refusal(*words)
    assert not (fake_program.folder / "r").exists()


def test_a_limit_on_files_that_mpirun_waits_at_for_ever_is_refused(fake_program):
    fake_program.write_case()
    command = " ".join(fake_program.command("run", "case.toml", "--out", "r"))
    done = completed(
        ["bash", "-c", f"ulimit -f 3000; {command}"],
        cwd=fake_program.folder,
        env=fake_program.environment,
        timeout=60,
    )
    assert done.returncode == OTHER
    assert "files may not grow beyond 3000 KiB here (ulimit -f)" in sentence_of(done)
    assert not (fake_program.folder / "r").exists()
