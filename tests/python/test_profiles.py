# SPDX-License-Identifier: Apache-2.0
"""Profiles of the cavity, and the references that they are drawn with."""

import numpy as np
import pytest

from subcurrent.case.library import shipped
from subcurrent.case.reference import Profiles, read_profiles, reference_for
from subcurrent.errors import BadInput
from subcurrent.solvers.cavity.kind import profiles_csv
from subcurrent.solvers.cavity.profiles import draw_profiles

PNG = b"\x89PNG"


def test_profiles_against_the_shipped_reference(tmp_path):
    reference = read_profiles(shipped()["cavity_re100"].parent / "reference.csv")
    assert reference.reynolds == 100
    off = {name: (place, value + 0.01) for name, (place, value) in reference.lines.items()}
    differences = draw_profiles(tmp_path / "profiles.png", {"a": Profiles(off)}, reference)
    assert differences == pytest.approx({"u": 0.01, "w": 0.01})
    assert (tmp_path / "profiles.png").read_bytes().startswith(PNG)


def test_a_reference_with_one_profile_only(tmp_path):
    reference = read_profiles(shipped()["cavity_re400"].parent / "reference.csv")
    assert (reference.reynolds, list(reference.lines)) == (400, ["u"])
    assert reference.source == "Wong & Baker 2002"
    line = np.linspace(0, 1, 9)
    draw_profiles(tmp_path / "p.png", {"a": Profiles({"u": (line, line), "w": (line, line)})}, reference)


def test_only_a_reference_of_the_same_reynolds_number_is_used():
    folder = shipped()["cavity_re100"].parent
    assert reference_for(folder, 100.0) == folder / "reference.csv"
    assert reference_for(folder, 400.0) is None


def test_a_file_without_profiles_is_refused(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="columns must be z,u and x,w"):
        read_profiles(tmp_path / "p.csv")


def test_profiles_survive_writing_and_reading(tmp_path):
    lines = {"z": np.linspace(0, 1, 5), "u": np.arange(5.0), "x": np.linspace(0, 1, 3), "w": np.arange(3.0)}
    (tmp_path / "centreline.csv").write_text(profiles_csv(lines))
    read = read_profiles(tmp_path / "centreline.csv").lines
    assert np.array_equal(read["u"], (lines["z"], lines["u"]))
    assert np.array_equal(read["w"], (lines["x"], lines["w"]))
