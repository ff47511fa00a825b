# SPDX-License-Identifier: Apache-2.0
"""The tutorials of examples/python as they stand, which check themselves, at reduced sizes; and the project
that `subcurrent new --stencil` writes."""

import sys

import pytest

from conftest import MPIRUN, ROOT, ROOT_MAY, sentence_of

TUTORIALS = ROOT / "examples" / "python"
PICTURE = b"\x89PNG"
pytestmark = pytest.mark.mpi


def started(program, ranks, *line):
    before = [*MPIRUN, str(ranks)] if ranks > 1 else []
    return program._done([*before, sys.executable, *map(str, line)], 240, ROOT_MAY)


@pytest.mark.parametrize(
    ("name", "arguments", "ranks", "said", "picture"),
    [
        ("heat", (32, 40), 1, "amplitude 0.4630", "heat.png"),
        ("heat", (32, 40), 4, "amplitude 0.4630", "heat.png"),
        ("gray_scott", (64, 400), 2, "v to 0.39", "gray_scott_400.png"),
        ("acoustic_wave", (80,), 2, "% at r = 16", "acoustic_wave.png"),
        ("cahn_hilliard", (48, 300), 2, "energy from 584.7 to", "cahn_hilliard.png"),
    ],
)
def test_a_tutorial_runs_as_it_stands(program, name, arguments, ranks, said, picture):
    done = started(program, ranks, TUTORIALS / f"{name}.py", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 and said in done.stdout, done.stdout
    assert "100%" in done.stderr
    assert (program.folder / picture).read_bytes().startswith(PICTURE)


def test_every_tutorial_is_run():
    tested = {"heat", "gray_scott", "acoustic_wave", "cahn_hilliard"}
    assert {path.stem for path in TUTORIALS.glob("*.py")} == tested


def test_a_new_project_runs_and_passes_its_own_test(program):
    done = program("new", "--stencil", "my_code")
    assert done.returncode == 0 and "cd my_code && python model.py" in done.stdout, done.stderr
    made = program.folder / "my_code"
    assert sorted(path.name for path in made.iterdir()) == ["README.md", "model.py", "test_model.py"]
    for path in made.iterdir():
        assert "PROJECT" not in path.read_text() and "my_code" in path.read_text()
    tested = program._done([sys.executable, "-m", "pytest", "-q", str(made)], 240, {})
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr
    one = started(program, 1, made / "model.py")
    two = started(program, 2, made / "model.py")
    assert one.returncode == two.returncode == 0, one.stderr + two.stderr
    assert one.stdout.split(": ")[1] == two.stdout.split(": ")[1]
    assert (program.folder / "temperature.vtkhdf").stat().st_size > 64**3 * 8


def test_a_project_is_not_written_over_anything(program):
    (program.folder / "there").mkdir()
    (program.folder / "there" / "file").touch()
    done = program("new", "--stencil", "there")
    assert done.returncode == 2 and "there exists already" in sentence_of(done)
    done = program("new", "--stencil", "--from", "cavity_re100", "here")
    assert done.returncode == 2 and "give one of them" in sentence_of(done)
    assert not (program.folder / "here").exists()
