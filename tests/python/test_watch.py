# SPDX-License-Identifier: Apache-2.0
"""`watch`: a run in the terminal, and as a page on the loopback interface."""

import json
import threading
import urllib.error
import urllib.request

import pytest

from conftest import sentence_of
from subcurrent.errors import BAD_INPUT, OK
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.live import Watched, server


@pytest.fixture
def run(program):
    sets = ("grid.cells=[12,10,8]", "run.steps=4", "output.history_every=1", "output.figures=false")
    done = program("run", "wave_pulse", "--out", "r", *(part for text in sets for part in ("--set", text)))
    assert done.returncode == OK, done.stderr
    return program


@pytest.mark.mpi
def test_a_run_is_watched_in_the_terminal_and_as_a_page(run):
    done = run("watch", "r")
    assert done.returncode == OK, done.stderr
    last, state = done.stdout.splitlines()
    assert last.startswith("100%  step 4  time ")
    assert state == "finished"

    folder = RunFolder(run.folder / "r")
    (folder.path / "run.lock").touch()
    assert Watched(folder).now()["state"] == "running"
    with server(folder, 0) as serving:
        assert serving.server_address[0] == "127.0.0.1"
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_address[1]}"

        def got(path):
            with urllib.request.urlopen(address + path, timeout=60) as answer:
                return answer.headers["Content-Type"], answer.read()

        assert b"now.json" in got("/")[1]
        now = json.loads(got("/now.json")[1])
        assert (now["state"], now["share"], now["end"], now["snapshots"]) == ("running", 1.0, "step 4", 1)
        assert now["columns"]["step"] == [1, 2, 3, 4]
        kind, picture = got("/picture.png?1")
        assert kind == "image/png"
        assert picture.startswith(b"\x89PNG")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            got("/case.toml")
        (folder.path / "history.csv").write_text("step,time\n1,x\n")
        with pytest.raises(urllib.error.HTTPError, match="503") as refused:
            got("/now.json")
        assert b"is damaged: line 2" in refused.value.read()
        serving.shutdown()


def test_what_is_no_run_is_refused(fake_program):
    done = fake_program("watch", "nothing")
    assert done.returncode == BAD_INPUT
    assert sentence_of(done).startswith("nothing is no run folder: ")
