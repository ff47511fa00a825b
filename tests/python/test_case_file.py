# SPDX-License-Identifier: Apache-2.0
"""Case files: what is accepted, what the defaults are, and that everything wrong becomes one useful
sentence."""

import tomllib
from pathlib import Path

import pytest

from subcurrent.case.library import shipped
from subcurrent.case.reading import as_toml, load_case, parse_set, typed_case
from subcurrent.errors import BAD_INPUT, BadInput

TABLES = {
    "solver": "cavity",
    "flow": {"reynolds": 100},
    "grid": {"points": [66, 66, 66], "clustering": "tanh", "smallest": 0.012},
    "run": {"until": "steady"},
}
PERIODIC = [f'boundaries.{axis}{side}="periodic"' for axis in "xyz" for side in "-+"]

# (--set texts, what the sentence must say). Every row is one way to be wrong.
WRONG = {
    "text for a number": (["flow.reynolds=abc"], ['flow.reynolds = "abc"', "a number greater than 0"]),
    "true for a number": (["flow.reynolds=true"], ["flow.reynolds = true", "a number greater than 0"]),
    "zero reynolds": (["flow.reynolds=0"], ["flow.reynolds = 0", "greater than 0"]),
    "nan reynolds": (["flow.reynolds=nan"], ["flow.reynolds = NaN", "greater than 0"]),
    "unknown key": (["flow.reynold=1"], ["flow.reynold ", "did you mean flow.reynolds", "upwind"]),
    "a place for fields that have none": (
        ['storage.memory="3 GiB"'],
        ['storage.memory = "3 GiB" is not supported by this solver', "leave [storage] out"],
    ),
    "storage that is no table": (["storage=3"], ["storage = 3 is not supported by this solver"]),
    "unknown table": (["preasure.method=sor"], ["preasure", "did you mean pressure"]),
    "key in the wrong place": (["reynolds=1"], ["reynolds ", "did you mean flow.reynolds"]),
    "unknown choice": (["flow.upwind=quick"], ['flow.upwind = "quick"', '"utopia" or "kawamura"']),
    "a number for a table": (["flow=3"], ["flow = 3", "a table"]),
    "negative points": (["grid.points=[66, -2, 66]"], ["grid.points[1] = -2", "from 4 to 100000"]),
    "one number for points": (["grid.points=66"], ["grid.points = 66", "three whole numbers"]),
    "two points": (["grid.points=[66, 66]"], ["grid.points = [66, 66]", "three whole numbers"]),
    "broken points": (["grid.points=[66, 66.5, 66]"], ["grid.points[1] = 66.5", "whole"]),
    "spacing too large": (["grid.smallest=0.05"], ["grid.smallest = 0.05", "66 points", "below", "0.01538"]),
    "spacing too small": (["grid.smallest=1e-9"], ["grid.smallest = 1e-09", "at least", "0.000154"]),
    "negative spacing": (["grid.smallest=-0.1"], ["grid.smallest = -0.1", "greater than 0"]),
    "no grid file named": (["grid.clustering=file"], ["grid.file is missing", "HDF5"]),
    "missing grid file": (
        ["grid.clustering=file", 'grid.file="no.h5"'],
        ['grid.file = "no.h5"', "does not exist"],
    ),
    "one periodic face": (["boundaries.x-=periodic"], ['"x-" = "periodic"', '"x+" = "periodic"']),
    "misspelt face": (["boundaries.x-=perodic"], ['boundaries.x- = "perodic"', '"wall", "periodic"']),
    "unknown face": (["boundaries.top=wall"], ["boundaries.top", "knows x-, x+, y-, y+, z-, z+"]),
    "wall moving into the fluid": (["boundaries.z+={moving=[1, 0, 2]}"], ["z+", "component w must be 0"]),
    "wall moving in two directions": (
        ["boundaries.z+={moving=[1, 0]}"],
        ["boundaries.z+", "moving = [u, v, w]"],
    ),
    "nothing moves": (["boundaries.z+=wall"], ['"rest"', "moving wall"]),
    "vortex between walls": (
        ["flow.initial=taylor_green"],
        ['"taylor_green"', "periodic faces along x and y"],
    ),
    "unknown pressure solver": (["pressure.method=cg"], ['pressure.method = "cg"', '"multigrid"']),
    "zero tolerance": (["pressure.tolerance=0"], ["pressure.tolerance = 0", "greater than 0"]),
    "relaxation out of range": (
        ["pressure.relaxation=2.5"],
        ["pressure.relaxation = 2.5", "between 0 and 2"],
    ),
    "jacobi over-relaxed": (
        ["pressure.method=jacobi", "pressure.relaxation=1.5"],
        ["pressure.relaxation = 1.5", '"jacobi"', "above 1"],
    ),
    "an axis without turning": (
        ['boundaries."z+"={ moving = [1, 0, 0], about = [0.5, 0.5, 0] }'],
        ['boundaries."z+".about = [0.5, 0.5, 0.0]', "turning"],
    ),
    "misspelt auto": (["pressure.relaxation=autom"], ['pressure.relaxation = "autom"', '"auto"']),
    "single precision cannot": (
        ["flow.precision=single", "pressure.tolerance=1e-9"],
        ["1e-09", '"single"', "1e-06"],
    ),
    "no sweeps": (["pressure.iterations=0"], ["pressure.iterations = 0", "from 1 to"]),
    "negative steps": (["run.steps=-5"], ["run.steps = -5", ">= 1"]),
    "courant too large": (["run.courant=2"], ["run.courant = 2", "at most 1"]),
    "unknown strategy": (["engine.strategy=fastest"], ['"fastest"', '"boundary_first"', '"halo_thread"']),
    "strategy that is not there": (["engine.strategy=adaptive"], ['"adaptive"', '"automatic"']),
    "halo thread alone": (
        ["engine.strategy=halo_thread", "engine.halo_thread_joins=false"],
        ["engine.threads = 1", "at least 2"],
    ),
    "no threads": (["engine.threads=0"], ["engine.threads = 0", "from 1 to 1024"]),
    "threads as a float": (["engine.threads=2.0"], ["engine.threads = 2.0", "whole number"]),
    "split of zero": (["engine.split=[0, 1, 1]"], ["engine.split", "three whole numbers >= 1"]),
    "negative interval": (["output.every=-1"], ["output.every = -1", ">= 0"]),
    "text for a switch": (["output.figures=yes"], ['output.figures = "yes"', "true or false"]),
    "unknown solver": (["solver=cavty"], ["cavty", "did you mean 'cavity'"]),
    "set without value": (["flow.reynolds"], ["--set", "key=value"]),
    "set of nonsense": (["flow.reynolds=1 2"], ["--set", '"1 2"', "is not a TOML value"]),
    "set below a value": (["flow.reynolds.x=1"], ["--set", "reynolds is a value"]),
}


@pytest.mark.parametrize(("sets", "words"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_one_sentence(sets, words, tmp_path):
    with pytest.raises(BadInput) as caught:
        typed_case(TABLES, tmp_path, sets, name="my.toml")
    text = caught.value.sentence
    assert caught.value.exit_code == BAD_INPUT
    assert "\n" not in text
    assert text.endswith(".")
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run": {}}, ["when to stop", "run.steps"]),
        ({"run": {"steps": 5, "time": 1.0}}, ["run.steps = 5 and run.time = 1.0", "only one"]),
        ({"run": {"until": "steady", "dt": 0.1, "courant": 0.2}}, ["run.dt", "run.courant", "only one"]),
        ({"flow": {}}, ["flow.reynolds is missing", "greater than 0"]),
        ({"grid": {"points": [9, 9, 9], "clustering": "tanh"}}, ["grid.smallest is missing"]),
        ({"pressure": {"iterations": 5, "tolerance": 1e-3}}, ["pressure.iterations = 5", "0.001"]),
    ],
)
def test_contradictions_in_a_file(change, words, tmp_path):
    with pytest.raises(BadInput) as caught:
        typed_case({**TABLES, **change}, tmp_path)
    for word in words:
        assert word in caught.value.sentence


@pytest.mark.parametrize("missing", ["solver", "flow", "grid", "run"])
def test_a_missing_part_is_named(missing, tmp_path):
    tables = {name: table for name, table in TABLES.items() if name != missing}
    with pytest.raises(BadInput, match=f"^{missing} is missing"):
        typed_case(tables, tmp_path)


def test_files_that_are_no_case(tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        load_case(tmp_path / "no.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("solver = \n")
    with pytest.raises(BadInput, match=r"broken.toml is not TOML: .*line 1"):
        load_case(broken)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not UTF-8"):
        load_case(broken)
    with pytest.raises(BadInput, match="directory"):
        load_case(tmp_path)


@pytest.mark.parametrize(
    ("split", "ranks", "words"),
    [
        ("auto", 0, ["-n 0", ">= 1"]),
        ([1, 1, 3], 2, ["makes 3 blocks for 2 ranks"]),
        ([1, 1, 40], 40, ["gives a rank 1 of 64 cells along z", "the 2 layers of a halo", "at most 32"]),
        ([40, 1, 1], 40, ["along x"]),
        ("auto", 99991, ["-n 99991", "no split"]),
    ],
)
def test_splits_that_do_not_fit(split, ranks, words):
    case = typed_case({**TABLES, "engine": {"split": split}}, Path())
    with pytest.raises(BadInput) as caught:
        case.check_ranks(ranks)
    for word in words:
        assert word in caught.value.sentence


@pytest.mark.parametrize(("split", "ranks"), [("auto", 1), ("auto", 7), ([1, 1, 32], 32), ([2, 3, 4], 24)])
def test_splits_that_fit(split, ranks):
    typed_case({**TABLES, "engine": {"split": split}}, Path()).check_ranks(ranks)


def test_periodic_axes_split_all_their_points():
    case = typed_case(TABLES, Path(), [*PERIODIC, "flow.initial=taylor_green"])
    assert case.cells() == [66, 66, 66]
    assert typed_case(TABLES, Path()).cells() == [64, 64, 64]


def test_the_options_of_the_compiled_solver():
    case = typed_case(
        TABLES, Path(), ["engine.split=[1, 2, 1]", "pressure.method=sor", "pressure.relaxation=1.5"]
    )
    options = case.options()
    assert options["reynolds"] == 100.0
    assert options["boundaries"]["z+"] == ("moving", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert options["boundaries"]["x-"] == "wall"
    assert options["pressure"] == {
        "method": "sor",
        "tolerance": 1e-5,
        "residual": "true",
        "max_iterations": 50000,
        "check_every": 1,
        "relaxation": 1.5,
        "fixed_iterations": 0,
        "sweeps_per_pass": 1,
    }
    assert options["engine"]["split"] == [1, 2, 1]
    assert (options["courant"], options["dt"]) == (0.2, 0.0)


def test_set_replaces_the_others_of_its_group():
    case = typed_case(TABLES, Path(), ["run.steps=10", "run.dt=1e-3", "pressure.iterations=50"])
    assert (case.run.until, case.run.steps, case.run.courant, case.run.dt) == (None, 10, None, 1e-3)
    assert (case.pressure.tolerance, case.pressure.iterations) == (None, 50)
    assert case.options()["pressure"]["fixed_iterations"] == 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b=1", ("a.b", 1)),
        ("a.b = 1.5", ("a.b", 1.5)),
        ("a.b=[1, 2]", ("a.b", [1, 2])),
        ("a.b=true", ("a.b", True)),
        ('a.b="x=y"', ("a.b", "x=y")),
        ("a.b=word", ("a.b", "word")),
        ("a.b=../grid.h5", ("a.b", "../grid.h5")),
        ('boundaries."z+"=wall', ("boundaries.z+", "wall")),
    ],
)
def test_set_values_are_toml(text, expected):
    assert parse_set(text) == expected


def test_a_home_folder_that_the_shell_left_alone_is_found(monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    assert parse_set("flow.initial=~/runs/x") == ("flow.initial", "/home/somebody/runs/x")
    assert parse_set("flow.initial=runs/~x") == ("flow.initial", "runs/~x")
    assert parse_set("flow.initial=~nobody-at-all/x") == ("flow.initial", "~nobody-at-all/x")


def test_a_resolved_case_reads_back_as_itself(tmp_path):
    case = typed_case(TABLES, Path(), ["boundaries.y+={moving=[0.5, 0, 0]}", "engine.split=[1, 1, 2]"])
    text = as_toml(case)
    assert typed_case(tomllib.loads(text), tmp_path) == case
    assert "points = [66, 66, 66]" in text


def test_grid_files_count_from_the_case_folder(tmp_path):
    (tmp_path / "grid.h5").touch()
    case = typed_case(TABLES, tmp_path, ["grid.clustering=file", "grid.file=grid.h5"])
    assert case.options()["grid_file"] == str(tmp_path / "grid.h5")


@pytest.mark.parametrize("name", shipped().keys())
def test_every_shipped_case_is_sound_and_commented(name):
    path = shipped()[name]
    case = load_case(path)
    case.check_ranks(2)
    assert case.engine.strategy == "automatic"
    for line in path.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            assert "#" in line, f"{line!r} has no comment"
