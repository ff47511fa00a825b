# SPDX-License-Identifier: Apache-2.0
"""`watch`: a run in the terminal, and as a page on the loopback interface."""

import fcntl
import json
import re
import shutil
import threading
import urllib.error
import urllib.request

import pytest

from conftest import completed, set_options
from subcurrent.case.library import find_case
from subcurrent.errors import OK, BadInput
from subcurrent.launch.lock import is_held, only_one
from subcurrent.launch.rundir import RunFolder
from subcurrent.report import live
from subcurrent.report.live import Watched, server


@pytest.fixture
def run(program, made_once):
    """A finished run as `r`, and what it printed."""
    sets = ("grid.cells=[12,10,8]", "run.steps=4", "output.history_every=1", "output.figures=false")
    made = made_once(find_case("wave_pulse").read_text(), *set_options(*sets))
    shutil.copytree(made, program.folder / "r")
    program.printed = made.with_name("printed.txt").read_text()
    return program


@pytest.mark.mpi
def test_a_run_is_watched_in_the_terminal_and_as_a_page(run):
    done = run("watch", "r")
    assert done.returncode == OK, done.stderr
    last, state = done.stdout.splitlines()
    ran = next(line for line in run.printed.splitlines() if line.startswith("100%"))
    assert last == ran.partition("  left")[0], "in the words of the run"
    assert re.fullmatch(r"100%  step 4  time 0\.\d{4} ms  p from \S+ to \S+ Pa", last)
    assert state == "finished"

    folder = RunFolder(run.folder / "r")
    with only_one(folder.path / "run.lock", folder.path), server(folder, 0) as serving:
        assert Watched(folder).now()["state"] == "running"
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
        printed = float(re.search(r"time (\S+) ms", last)[1])
        assert now["columns"]["time"][-1] == pytest.approx(printed, abs=6e-5)
        assert (now["units"]["time"], now["units"]["p_high"]) == ("ms", "Pa")
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


SEEN = """<script>
const seen = new Set();
setInterval(() => {
  seen.add(at("share").value);
  document.body.dataset.shares = [...seen].join(" ");
  document.body.dataset.width = at("picture").naturalWidth;
}, 100);
</script>"""


def seen_by_a_browser(folder, tmp_path, monkeypatch) -> str:
    """What the page of a running run has become after some looks."""
    (tmp_path / "page.html").write_text(live.PAGE.read_text().replace("</html>", SEEN + "</html>"))
    monkeypatch.setattr(live, "PAGE", tmp_path / "page.html")
    with only_one(folder.path / "run.lock", folder.path), server(folder, 0) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_address[1]}/"
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=9000", "--dump-dom")
        done = completed(
            ["chromium", *options, f"--user-data-dir={tmp_path / 'browser'}", address], timeout=120
        )
        serving.shutdown()
    return done.stdout


@pytest.mark.mpi
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_a_browser_shows_a_run_while_it_works(run, tmp_path, monkeypatch):
    """Half of its history at first, all of it from the third look on."""
    folder = RunFolder(run.folder / "r")
    whole = folder.history.read_text().splitlines(keepends=True)
    folder.history.write_text("".join(whole[:3]))
    looks = []

    def now(self):
        looks.append(True)
        if len(looks) == 3:
            folder.history.write_text("".join(whole))
        return watched(self)

    watched = Watched.now
    monkeypatch.setattr(Watched, "now", now)
    page = seen_by_a_browser(folder, tmp_path, monkeypatch)
    assert '<h1 id="title">Sound at 343 m/s, 12 × 10 × 8 cells' in page
    assert "running, until step 4" in page
    assert 'data-shares="0.5 1"' in page.replace('data-shares="0 ', 'data-shares="'), "progress changes"
    assert int(re.search(r'data-width="(\d+)"', page)[1]) > 0, "the picture is there"
    assert len(re.search(r'points="([^"]+)"', page)[1].split()) == 4
    written = dict(re.findall(r'<text id="(\w+)"[^>]*>([^<]*)<', page))
    assert re.fullmatch(r"0\.\d+ ms", written["first"])
    assert float(written["end"].removesuffix(" ms")) > float(written["first"].removesuffix(" ms"))
    assert all(re.fullmatch(r"\S+ Pa²/s²", written[name]) for name in ("low", "high")), "of the energy"
    assert re.search(r"<li>time 0\.\d{4} ms</li>", page)


@pytest.mark.mpi
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_a_page_tells_the_end_of_watch_and_tries_a_picture_again(run, tmp_path, monkeypatch):
    """The first picture is refused; from the fourth look on there is no answer."""
    looks, tries = [], []
    now, picture = Watched.now, Watched.picture

    def answered(self):
        looks.append(True)
        if len(looks) > 3:
            raise ConnectionAbortedError
        return now(self)

    def drawn(self):
        tries.append(True)
        if len(tries) == 1:
            raise BadInput("not now.")
        return picture(self)

    monkeypatch.setattr(Watched, "now", answered)
    monkeypatch.setattr(Watched, "picture", drawn)
    page = seen_by_a_browser(RunFolder(run.folder / "r"), tmp_path, monkeypatch)
    assert re.search(r'<p id="state">watch has ended; last seen \d+:\d+:\d+', page)
    assert int(re.search(r'data-width="(\d+)"', page)[1]) > 0, "the picture is there"
    assert len(tries) == 2, "one that is there is not asked for again"


@pytest.mark.mpi
def test_a_killed_run_is_not_said_to_be_running(run):
    """Its lock file is still there, and nobody holds it."""
    lock = run.folder / "r/run.lock"
    lock.touch()
    done = run("watch", "r")
    assert done.stdout.splitlines()[-1] == "killed"
    with only_one(lock, lock.parent):
        assert Watched(RunFolder(lock.parent)).now()["state"] == "running"
    assert run("watch", "r").stdout.splitlines()[-1] == "finished"


def test_a_look_at_the_lock_refuses_no_start(tmp_path):
    lock = tmp_path / "run.lock"
    lock.touch()
    with lock.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.05, lambda: fcntl.flock(looking, fcntl.LOCK_UN)).start()
        with only_one(lock, tmp_path):
            assert is_held(lock)
            with pytest.raises(BadInput, match="another run"), only_one(lock, tmp_path):
                pass
    assert not is_held(lock)


def test_a_port_in_use_is_refused_by_name(tmp_path):
    with server(RunFolder(tmp_path), 0) as serving:
        port = serving.server_address[1]
        with pytest.raises(
            BadInput, match=rf"--port {port} cannot be used: address already in use; give ano"
        ):
            server(RunFolder(tmp_path), port)


def test_what_is_no_run_is_refused(refusal):
    assert refusal("watch", "nothing").startswith("nothing is not a run folder: ")
