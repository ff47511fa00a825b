# SPDX-License-Identifier: Apache-2.0
"""The wheel in an empty environment: built, installed, and the heat tutorial on 1 and 4 ranks."""

import pytest

from conftest import ROOT, completed


@pytest.mark.long
@pytest.mark.mpi
@pytest.mark.timeout(1800)
def test_a_wheel_runs_away_from_the_sources(tmp_path):
    line = [ROOT / "tools/try-wheel", tmp_path / "wheel"]
    done = completed(line, timeout=1700)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "heat.py on 4 ranks: <Grid 48 x 48 x 48 on 4 ranks>: amplitude" in done.stdout
    assert done.stdout.endswith("all is well\n")
