# SPDX-License-Identifier: Apache-2.0
"""Turbulence's case files and spectra: what they mean, and what is refused."""

import re
import tomllib

import numpy as np
import pytest

from conftest import ROOT
from subcurrent.case.reading import as_toml, load_case, typed_case
from subcurrent.errors import BadInput
from turbulence_runs import CASE

TABLES = tomllib.loads(CASE)


def changed(**tables):
    return {
        name: {**TABLES.get(name, {}), **tables.get(name, {})} for name in {*TABLES, *tables} - {"solver"}
    } | {"solver": "turbulence"}


def test_the_resolved_case_reads_back():
    case = typed_case(TABLES, None)
    text = as_toml(case)
    assert typed_case(tomllib.loads(text), None) == case
    assert text.index("[flow]") < text.index("[engine]") < text.index("[output]")
    assert typed_case(changed(flow={"viscosity": None, "reynolds": 50.0}), None).viscosity() == 0.02


@pytest.mark.parametrize("shape", ["peaked", "kolmogorov"])
def test_the_spectrum_has_the_energy_that_is_asked_for(shape):
    energies = typed_case(changed(spectrum={"shape": shape, "energy": 0.7}), None).energies()
    assert sum(energies) == pytest.approx(0.7)
    assert energies[0] == 0
    assert np.argmax(energies) in (2, 3)


def test_a_spectrum_comes_from_a_file(tmp_path):
    (tmp_path / "e.csv").write_text("k,E\n1,0.5\n3,0.25\n")
    case = typed_case(changed(spectrum={"shape": "file", "file": "e.csv", "peak": 4.0}), tmp_path)
    assert case.energies() == [0, 0.5, 0, 0.25]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("-1,0.5", "k must be a whole number >= 0"),
        ("1.5,0.5", "k must be a whole number >= 0"),
        ("inf,0.5", "k must be a whole number >= 0"),
        ("nan,0.5", "k must be a whole number >= 0"),
        ("1e300,0.5", "E can be greater than 0 for k from 1 to"),
        ("100000,0.5", "E can be greater than 0 for k from 1 to"),
        ("0,0.5", "E can be greater than 0 for k from 1 to"),
        ("1,-0.5", "E must be from 0"),
        ("1,nan", "E must be from 0"),
        ("1,1e300", "E must be from 0"),
        ("1,0.5\n1,0.5", "once"),
        ("1,0", "no energy"),
        ("", "no columns of numbers"),
        ("1", "no columns of numbers"),
        ("1,\0", "no columns of numbers"),
    ],
)
def test_a_spectrum_that_no_mode_can_have_is_refused(tmp_path, rows, said):
    (tmp_path / "e.csv").write_text(f"k,E\n{rows}\n")
    with pytest.raises(BadInput, match=said):
        typed_case(changed(spectrum={"shape": "file", "file": "e.csv", "peak": 4.0}), tmp_path)


def test_a_spectrum_that_is_not_there_is_named_with_its_path(tmp_path):
    with pytest.raises(BadInput) as refused:
        typed_case(changed(spectrum={"shape": "file", "file": "no.csv", "peak": 4.0}), tmp_path)
    wanted = f'"no.csv" does not exist: {tmp_path / "no.csv"} must be a CSV file with the columns k,E.'
    assert refused.value.sentence == f"spectrum.file = {wanted}"


@pytest.mark.parametrize("peak", [1e-3, 1e-50])
@pytest.mark.parametrize("shape", ["peaked", "kolmogorov"])
def test_a_peak_far_from_every_mode_is_refused_or_computed(peak, shape):
    try:
        energies = typed_case(changed(spectrum={"shape": shape, "peak": peak}), None).energies()
    except BadInput as error:
        assert "spectrum.peak" in error.sentence
    else:
        assert sum(energies) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"grid": {"points": [24, 21, 16]}}, "three even numbers"),
        ({"flow": {"viscosity": None}}, "flow has no viscosity"),
        ({"flow": {"reynolds": 100.0}}, "flow.reynolds = 100.0 and flow.viscosity = 0.02 cannot be combined"),
        ({"flow": {"initial": "rest"}, "spectrum": {"peak": None}}, "the path of a run, a snapshot"),
        ({"flow": {"initial": "nowhere.vtkhdf"}}, "nowhere.vtkhdf"),
        ({"scheme": {"dt": None}}, "give scheme.dt or scheme.courant"),
        ({"scheme": {"integrator": "euler"}}, 'must be "rk4" or "rk3"'),
        ({"scheme": {"courant_number": 0.5}}, "courant_number"),
        ({"scheme": {"precision": "half"}}, 'must be "double" or "single"'),
        ({"forcing": {"kind": "constant_power"}}, "forcing.power"),
        ({"forcing": {"power": 0.1}}, "forcing.power"),
        ({"forcing": {"kmax": 1.0}}, "greater than 1"),
        ({"spectrum": {"shape": "file"}}, "spectrum.file is missing"),
        ({"spectrum": {"shape": "file", "file": "e.csv"}}, "spectrum.peak = 2.0 has no effect"),
        ({"engine": {"strategy": "halo_thread"}}, 'engine.strategy = "halo_thread" is not allowed'),
        ({"engine": {"corners": "staged"}}, 'engine.corners = "staged" has no effect'),
        ({"storage": {"pieces": 4}}, "storage.pieces needs"),
        ({"storage": {"memory": "3 apples"}}, "it must be a size"),
        (
            {"storage": {"memory": "3 GiB", "place": "files", "pieces": 2}},
            "storage.pieces and storage.memory",
        ),
        ({"run": {"time": 1.0}}, "run.steps = 12 and run.time = 1.0 cannot be combined"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(change, said):
    tables = changed(**change)
    tables = {
        name: {k: v for k, v in table.items() if v is not None} if isinstance(table, dict) else table
        for name, table in tables.items()
    }
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(tables, ROOT)


@pytest.mark.parametrize(
    "name", ["taylor_green_1600", "forced_hit_128", "forced_scalar", "decaying_random", "out_of_core_256"]
)
def test_the_shipped_cases_are_sound(name):
    path = ROOT / "cases" / name / "case.toml"
    case = load_case(path)
    case.check_ranks(4)
    assert (case.reference(path.parent) is not None) == (name == "taylor_green_1600")
    assert case.options()["storage"]["memory"] == (600 * 2**20 if name == "out_of_core_256" else 0)
