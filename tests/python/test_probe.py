# SPDX-License-Identifier: Apache-2.0
"""`subcurrent probe --wait`: table, file and figure; and what it refuses."""

import csv

import pytest

from subcurrent.errors import BAD_INPUT


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["shared", "mpi"])
def test_the_wait_curve_has_a_row_a_size(program, transport):
    sizes = ("--sizes", "1024,262144", "--repeats", 3, "--transport", transport)
    done = program.ok("probe", "--wait", *sizes, "--out", "p")
    with (program.folder / "p" / "wait.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["bytes"] for row in rows] == ["1024", "262144"]
    for row in rows:
        assert float(row["alone"]) > 0
        assert float(row["poked"]) >= 0
    assert "256 KiB" in done.stdout
    assert (program.folder / "p" / "figures" / "wait.png").stat().st_size > 10_000
    again = program("probe", "--wait", *sizes, "--out", "p")
    assert again.returncode == BAD_INPUT, "nothing is written over"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["--wait"]),
        (("--wait", "--sizes", "12"), ['--sizes "12"', "multiples of 8"]),
        (("--wait", "--sizes", "many"), ['--sizes "many"']),
        (("--wait", "--cover", "0.5"), ["--cover 0.5", "from 1 to"]),
        (("--wait", "--repeats", "0"), ["--repeats 0"]),
        (("--wait", "--transport", "post"), ["--transport post", "auto, shared or mpi"]),
        (("--wait", "-n", "1"), ["-n 1", "no messages to wait for"]),
    ],
)
def test_what_it_refuses(program, refusal, arguments, words):
    said = refusal("probe", *arguments, "--out", "p")
    for word in words:
        assert word in said
    assert not (program.folder / "p").exists()
