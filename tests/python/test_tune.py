# SPDX-License-Identifier: Apache-2.0
"""`tune`: candidates, what is kept, and what `run` takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console

from slow_wire import machine_file
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import BadInput
from subcurrent.foresight import tune, tune_candidates
from subcurrent.foresight.subject import CaseFile
from subcurrent.launch import tuned

CELLS = "grid.cells=[24,24,24]"


# -- candidates --------------------------------------------------------------------------------------------


def case_of(*sets: str, name: str = "nickel_small") -> Any:
    return load_case(find_case(name), [CELLS, *sets] if name == "nickel_small" else list(sets))


def test_splits_and_strategies_are_all_there_is():
    settings = tune_candidates.first_settings(case_of(), 4, [])
    splits = {tuple(one.get("engine.split", ())) for one in settings}
    assert splits == {
        (),
        (4, 1, 1),
        (1, 4, 1),
        (2, 2, 1),
        (2, 1, 2),
        (1, 2, 2),
    }  # (1, 1, 4) is chosen by itself
    assert {} not in settings and len({json.dumps(one) for one in settings}) == len(settings) == 35
    fixed = tune_candidates.first_settings(case_of(), 4, ["engine.split"])
    assert fixed == [
        {"engine.strategy": n} for n in tune_candidates.STRATEGIES if n not in ("ordered", "automatic")
    ]
    assert tune_candidates.first_settings(case_of(), 4, ["engine.split", "engine.strategy"]) == []


def test_only_keys_that_act_are_varied():
    one = tune_candidates.varied(case_of(), 1, [])
    assert one["engine.steps_per_pass"] == list(tune_candidates.PASSES)
    assert one["engine.pass_tile"] == [[8, 4], [16, 8]]  # as many rows and planes as there are, 24
    assert len(one) == 2
    two = tune_candidates.varied(case_of("engine.threads=2"), 2, ["engine.corners"])
    assert sorted(two) == [
        "engine.halo_thread_joins", "engine.pass_tile", "engine.poke_ms", "engine.steps_per_pass"
    ]  # fmt: skip
    without = tune_candidates.varied(case_of(name="cavity_demo"), 2, [])
    assert without["pressure.sweeps_per_pass"] == [2, 4, 8]
    few = case_of("pressure.method=sor", "pressure.check_every=3", name="cavity_demo")
    assert tune_candidates.varied(few, 1, [])["pressure.sweeps_per_pass"] == [2, 4]
    assert "engine.steps_per_pass" not in without and "engine.pass_tile" not in without
    assert "engine.corners" not in tune_candidates.varied(case_of(name="decaying_random"), 2, [])
    files = case_of("storage.place=files", "storage.pieces=3")
    assert tune_candidates.varied(files, 1, [])["storage.pieces"] == [6, 12]
    assert tune_candidates.varied(files, 1, [])["engine.steps_per_pass"] == [2, 3, 4]  # pieces of 8 planes
    assert tune_candidates.varied(files, 2, [])["engine.steps_per_pass"] == [2, 3, 4]
    with pytest.raises(BadInput, match=r"pieces of at least 8 planes, but .* gives 4"):
        case_of(
            "storage.place=files", "storage.pieces=3", "engine.steps_per_pass=4", "engine.split=[1,1,2]"
        ).check_ranks(2)  # the search asks that of every candidate
    some = case_of("storage.place=files", 'storage.memory="64 MiB"')
    assert "engine.steps_per_pass" not in tune_candidates.varied(some, 2, [])
    in_passes = case_of("storage.place=files", "storage.pieces=3", "engine.steps_per_pass=2")
    assert "storage.pieces" not in tune_candidates.varied(in_passes, 1, [])


def test_passes_are_no_longer_than_the_history_lets_them_be(tmp_path):
    assert case_of(name="wave_pulse").output.history_every == 1
    assert "engine.steps_per_pass" not in tune_candidates.varied(case_of(name="wave_pulse"), 1, [])
    four = tune_candidates.varied(case_of("output.history_every=4", name="wave_pulse"), 1, [])
    assert four["engine.steps_per_pass"] == [2, 3, 4]
    path = find_case("wave_pulse")
    whole = tune.Tuning(tune.TuneRequest("wave_pulse"), CaseFile(path), [], Console(quiet=True))
    assert whole._case.output.history_every == 1_000_000  # rows are not what is measured
    assert "engine.steps_per_pass" not in whole.varied(whole._case, 1)
    (note,) = case_of("engine.steps_per_pass=4", name="wave_pulse").notes()
    assert note.startswith("passes have at most output.history_every = 1 steps, fewer than engine.steps_per")


def test_layouts_share_out_the_cores():
    found = tune_candidates.layouts(case_of(), None, 6, threads_stay=False)
    assert [(one.ranks, one.threads) for one in found] == [(1, 6), (2, 3), (3, 2), (6, 1)]
    threads = tune_candidates.layouts(case_of("engine.threads=2"), None, 6, threads_stay=True)
    assert [(one.ranks, one.threads) for one in threads] == [(1, 2), (3, 2)]
    with pytest.raises(BadInput, match="--cpus 0 is not allowed"):
        tune_candidates.layouts(case_of(), None, 0, threads_stay=False)
    with pytest.raises(BadInput, match="more ranks than this grid allows"):
        tune_candidates.layouts(case_of(), 10**6, None, threads_stay=False)


def test_prediction_leaves_out_what_is_slow(tmp_path):
    """Over a slow wire a split along x, whose faces are as large as the others', is as good; three cuts with
    more faces are not; one rank with as many cores' threads beats them all where messages take for ever."""
    slower = ("bandwidth = 12.5e6", "bandwidth = 1e6"), ("row = 50e-9", "row = 0.0")
    file = machine_file(tmp_path, *slower)
    layouts = [tune_candidates.Layout(1, 1), tune_candidates.Layout(2, 1)]
    cases = [case_of(), case_of()]
    firsts = [tune_candidates.first_settings(c, one.ranks, []) for c, one in zip(cases, layouts, strict=True)]
    kept, left, said = tune_candidates.pruned(cases, layouts, firsts, str(file))
    assert kept == layouts[:1]  # 24 x 24 values of two fields take longer than all cells
    assert len(left) == 1 and "a wire predicts" in said
    passes = [case_of("engine.steps_per_pass=2")] * 2
    everything = tune_candidates.pruned(passes, layouts, firsts, str(file))
    assert everything[:2] == (layouts, firsts)
    assert (
        "no candidate is left out, because none can be predicted: engine.steps_per_pass = 2" in everything[2]
    )
    assert "rates of dendrite's stages, but none for passes" in everything[2]


# -- what is kept ------------------------------------------------------------------------------------------


def keep(case: Any, *winners: dict[str, Any]) -> None:
    rows = [{"threads": 1, "ratio": 1.5, "settings": {}, "as_it_is": 1.0} | one for one in winners]
    record = {"measured": "2026-11-25 12:00:00", "winners": rows, "groups": []}
    tuned.save(tuned.file_of("nickel_small", case), record)


def found(case: Any, ranks: int | None = None, fixed: tuple[str, ...] = ()) -> Any:
    return tuned.find("nickel_small", case, list(fixed), ranks)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SUBCURRENT_TUNED", str(tmp_path / "tuned"))
    return tmp_path / "tuned"


def test_a_run_takes_the_fastest_that_agrees_with_it(folder):
    case = case_of()
    assert found(case) is None
    keys = {"engine.strategy": "automatic", "engine.threads": 1, "engine.split": "auto"}
    keep(
        case,
        {"ranks": 2, "T": 2.0, "keys": keys | {"engine.strategy": "pipelined"}},
        {"ranks": 4, "T": 1.0, "keys": keys | {"engine.split": [4, 1, 1]}},
    )
    assert (found(case).ranks, found(case).sets) == (4, ["engine.split=[4, 1, 1]"])
    assert found(case, 2).sets == ['engine.strategy="pipelined"']
    assert found(case, 3) is None
    assert found(case, 4, ("engine.split",)) is None
    assert found(case, None, ("engine.split",)).ranks == 2
    assert "4 ranks, split [4, 1, 1], the fastest" in found(case).line()
    keep(case, {"ranks": 4, "T": 3.0, "keys": keys})  # measured again; what 2 ranks were stays
    assert found(case).ranks == 2


def test_a_run_takes_no_settings_of_which_it_can_make_no_use(folder):
    case = case_of("output.history_every=8")
    keep(
        case,
        {"ranks": 1, "T": 1.0, "keys": {"engine.steps_per_pass": 8}},
        {"ranks": 2, "T": 2.0, "keys": {"engine.steps_per_pass": 2}},
    )
    assert found(case).sets == ["engine.steps_per_pass=8"]
    assert found(case_of("output.history_every=4")).sets == ["engine.steps_per_pass=2"]
    assert found(case_of("output.history_every=1")) is None
    assert found(case_of("output.history_every=1", "engine.steps_per_pass=8")).ranks == 1


def test_a_run_does_not_take_fewer_pieces_than_its_file_has(folder):
    def files(pieces: int) -> Any:
        return case_of("storage.place=files", f"storage.pieces={pieces}")

    keep(files(2), {"ranks": 1, "T": 1.0, "keys": {"storage.pieces": 4}})
    assert found(files(2)).sets == ["storage.pieces=4"]
    assert found(files(4)).sets == []
    assert found(files(6)) is None  # less memory than four pieces take


def test_another_size_case_or_machine_is_another(folder, monkeypatch):
    case = case_of()
    keep(case, {"ranks": 2, "T": 2.0, "keys": {"engine.threads": 2}})
    same = ("run.steps=7", "output.figures=false", "engine.strategy=blocking", "engine.threads=3")
    assert found(case_of(*same)) is not None
    assert found(case_of("grid.spacing=0.03")) is None
    assert found(load_case(find_case("nickel_small"), ["grid.cells=[24,24,25]"])) is None
    monkeypatch.setattr(tuned, "cpu_name", lambda: "another processor")
    assert found(case) is None


def test_a_damaged_file_is_one_sentence(folder):
    case = case_of()
    for text in ("[", "{}", '{"winners": 3}', '{"winners": [{"T": 1, "ranks": 1, "keys": {}}]}'):
        file = tuned.file_of("nickel_small", case)
        folder.mkdir(exist_ok=True)
        file.write_text(text)
        if text == "{}":
            assert found(case) is None
            continue
        with pytest.raises(BadInput, match="is damaged"):
            found(case)


def test_keys_of_the_command_line_and_the_file_stay(tmp_path):
    path = tmp_path / "case.toml"
    text = find_case("nickel_small").read_text()
    assert 'strategy = "automatic"' in text
    path.write_text(text.replace('strategy = "automatic"', 'strategy = "blocking"'))
    assert tuned.fixed_keys(path, ["engine.corners=direct"]) == ["engine.strategy", "engine.corners"]
    assert tuned.fixed_keys(find_case("nickel_small"), []) == []  # its file says the defaults
