# SPDX-License-Identifier: Apache-2.0
"""Tools and benchmarks do not pass where they have looked at nothing, or where what they run has failed."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import ROOT, completed

BENCH = ROOT / "bench"


def loaded(path, monkeypatch):
    """A script as a module, beside what it imports."""
    monkeypatch.syspath_prepend(str(path.parent))
    loader = importlib.machinery.SourceFileLoader(f"tool_{path.stem}", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    monkeypatch.setitem(sys.modules, loader.name, module)
    loader.exec_module(module)
    return module


def test_a_digest_is_of_arrays(tmp_path, monkeypatch):
    digests = loaded(ROOT / "tools" / "digests", monkeypatch)
    (tmp_path / "checkpoints").mkdir()
    with h5py.File(tmp_path / "checkpoints" / "1.h5", "w") as file:
        file["step"] = 3
    with pytest.raises(SystemExit, match=r"1\.h5 has no array of numbers with three axes"):
        digests.digest_of(tmp_path)
    with h5py.File(tmp_path / "checkpoints" / "1.h5", "a") as file:
        file["u"] = np.zeros((2, 2, 2))
    assert len(digests.digest_of(tmp_path)) == 16


@pytest.mark.parametrize(
    ("before", "code", "said"),
    [
        ("cavity memory 1 blocking aa\ncavity memory 2 blocking aa\n", 0, "all as before"),
        ("cavity memory 1 blocking aa\n", 1, "cavity memory 2 blocking was not run"),
        (
            "cavity memory 1 blocking aa\ncavity memory 2 blocking aa\ncavity files 1 blocking aa\n",
            1,
            "cavity files 1 blocking was aa, and is not run now",
        ),
        (
            "cavity memory 1 blocking aa\ncavity memory 2 blocking aa\nnickel memory 1 blocking aa\n",
            0,
            "as before",
        ),
        ("", 2, "has no digests"),
    ],
)
def test_digests_are_compared_run_by_run(tmp_path, monkeypatch, capsys, before, code, said):
    digests = loaded(ROOT / "tools" / "digests", monkeypatch)
    (tmp_path / "before").write_text(before)
    now = [("cavity memory 1 blocking", "aa"), ("cavity memory 2 blocking", "aa")]
    monkeypatch.setattr(digests, "lines", lambda names, ranks: iter(now))
    monkeypatch.setattr(sys, "argv", ["digests", "cavity", "--against", str(tmp_path / "before")])
    try:
        ended = digests.main()
    except SystemExit as error:
        ended = error.code
    assert ended == code
    assert said in capsys.readouterr().err


def test_a_picture_that_is_only_made_is_said_to_be(tmp_path, monkeypatch, capsys):
    figures = loaded(ROOT / "tools" / "figures.py", monkeypatch)
    picture = next(one for one in figures.CATALOGUE.values() if one.picture)
    made = type(picture)(**{**vars(picture), "make": lambda folder: Path(folder) / "made.png"})
    assert figures.regenerate(made, check=True) == []
    assert "pictures are not compared" in capsys.readouterr().out


def test_a_finished_run_is_taken_and_another_is_not(tmp_path, monkeypatch):
    """Output and storage do not change what a run gives; its viscosity does."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    runs = importlib.import_module("regenerate.runs")
    made = []
    monkeypatch.setattr(runs, "python", lambda *words: made.append(words))
    folder, sets = tmp_path / "r", ("run.time=1", "grid.points=[16,16,16]")
    assert runs.run(folder, "forced_hit_128", *sets) == folder
    assert len(made) == 1 and "grid.points=[16,16,16]" in made[0]
    path = ROOT / "cases" / "forced_hit_128" / "case.toml"

    def store(state, *more):
        folder.mkdir(exist_ok=True)
        (folder / "summary.json").write_text(json.dumps({"state": state}))
        case = runs.as_tables(runs.load_case(path, (*sets, *more)))
        (folder / "plan.json").write_text(json.dumps({"case": case}))

    store("stopped")
    runs.run(folder, "forced_hit_128", *sets)
    assert len(made) == 2
    store("finished", "output.every=0.25", 'storage.memory="300 MiB"')
    assert runs.run(folder, "forced_hit_128", *sets) == folder
    assert len(made) == 2
    store("finished", "flow.viscosity=0.1")
    with pytest.raises(RuntimeError, match=r"r holds a run with other flow: remove it"):
        runs.run(folder, "forced_hit_128", *sets)


def test_runs_stay_where_that_is_asked(tmp_path, monkeypatch):
    figures = loaded(ROOT / "tools" / "figures.py", monkeypatch)
    figure = next(iter(figures.CATALOGUE.values()))
    with figures.folder_for(figure, tmp_path) as folder:
        (Path(folder) / "kept").touch()
    assert (tmp_path / figure.name / "kept").exists()
    with figures.folder_for(figure, None) as folder:
        pass
    assert not Path(folder).exists()


def test_benchmarks_that_are_not_there_or_print_nothing(tmp_path, monkeypatch):
    line = [sys.executable, BENCH / "run.py", "--only", "nonsense", "--json", tmp_path / "b.json"]
    done = completed(line, timeout=60)
    assert done.returncode == 2 and "no benchmark has this in its name" in done.stderr
    run = loaded(BENCH / "run.py", monkeypatch)
    assert run.run(run.Job("silent", ["true"], 5), 5.0) == ("", "it printed no result")


def test_a_row_that_failed_is_not_one_of_the_table(monkeypatch):
    halo_thread = loaded(BENCH / "halo_thread.py", monkeypatch)
    monkeypatch.setattr(halo_thread, "command", lambda *_: ["sh", "-c", "echo no memory >&2; exit 3"])
    with pytest.raises(halo_thread.script.NotDoneError, match="no memory") as failed:
        halo_thread.row("none", Path("program"), 16, 1, 0.1)
    assert failed.value.code == 3


@pytest.mark.parametrize(("code", "ends"), [(2, 77), (3, 1)])
@pytest.mark.parametrize("name", ["automatic", "predicted"])
def test_what_fails_is_not_left_out(monkeypatch, capsys, name, code, ends):
    module = loaded(BENCH / f"{name}.py", monkeypatch)
    failed = subprocess.CompletedProcess([], code, "", "that is why")
    monkeypatch.setattr(module.script.subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setattr(sys, "argv", [name, "--trial"])
    assert module.main() == ends
    assert "that is why" in capsys.readouterr().err


def test_a_peer_that_fails_after_its_figures_has_none(monkeypatch):
    peer = loaded(BENCH / "turbulence_peer.py", monkeypatch)
    done = subprocess.CompletedProcess([], 1, "peer: " + json.dumps([1, 1, 1]), "killed at its end")
    monkeypatch.setattr(peer.script.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(peer.script.NotDoneError, match="killed at its end"):
        peer.one("python", "", 1)
