# SPDX-License-Identifier: Apache-2.0
"""examples/restart.cpp goes on from its checkpoint on other ranks with the same bits; what it refuses is a
sentence."""

import subprocess

import pytest

from conftest import MPIRUN, ROOT

PROGRAM = ROOT / "build/release/examples/restart"
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not PROGRAM.exists(), reason="the C++ examples are not built"),
]


@pytest.fixture
def restart(program):
    def run(ranks, *arguments):
        return subprocess.run(
            [*MPIRUN, str(ranks), str(PROGRAM), *map(str, arguments)],
            check=False,
            cwd=program.folder,
            env={**program.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_it_goes_on_with_the_same_bits(restart):
    whole = restart(1, 16, 20, "whole.h5")
    assert whole.stdout.startswith("step 20: "), whole.stderr
    assert restart(2, 16, 8, "parts.h5").stdout.startswith("step 8: ")
    assert restart(3, 16, 12, "parts.h5").stdout == whole.stdout


def test_a_foreign_or_damaged_checkpoint_is_one_sentence(restart, program):
    assert restart(1, 16, 1, "a.h5").returncode == 0
    other = restart(2, 20, 1, "a.h5")
    (program.folder / "b.h5").write_text("no checkpoint")
    damaged = restart(2, 16, 1, "b.h5")
    for done in (other, damaged):
        assert done.returncode != 0
        said = [line for line in done.stderr.splitlines() if line.startswith("restart: ")]
        assert len(said) == 1, done.stderr
        assert "terminate called" not in done.stderr
