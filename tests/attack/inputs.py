# SPDX-License-Identifier: Apache-2.0
"""Bad inputs: options, --set values, case files, CSV files, matrices, grid files, and calls from Python."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .attempt import Tally, attempt, part_of, program
from .bad_calls import API
from .bad_files import GOOD, GRIDS, MATRICES, SIDES, SPECTRA, TEXTS
from .bad_inputs import CASES, FLAGS, KEYS, VALUES
from .session import Session


def run(budget: float = 1.0) -> dict[str, int]:
    """Every input on its own; the counts, of which FAULTS must be 0."""
    from subcurrent.cli import main  # noqa: F401, PLC0415 - children need not load them again
    from subcurrent.solvers.cg import figures, job  # noqa: F401, PLC0415 - children need not load them again

    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="subcurrent-attack-") as made:
        for number, (name, files, arguments, accepted) in enumerate(part_of(list(_programs()), budget)):
            folder = Path(made) / f"{number:04d}"
            _fill(folder, files)
            before = _held(folder)
            end = attempt(program(arguments), folder)
            refused = tally.judge(name, end, accepted)
            if refused and _held(folder) != before:
                tally.fault(
                    "lost files" if before - _held(folder) else "wrong exits", name, "the folder has changed"
                )
        _python(tally, part_of(API, budget), Path(made))
    return tally.result()


def _programs() -> Iterator[tuple[str, dict, tuple[str, ...], bool]]:
    """A name, files beside the shared ones, the arguments, and whether it may be accepted."""
    for arguments in FLAGS:
        yield f"options {arguments!s:.80}", {}, arguments, False
    for case, keys in KEYS.items():
        for number, (key, value) in enumerate(itertools.product(keys, VALUES)):
            if number % 2 == 0 or len(value) > 100:
                arguments = ("run", case, "--dry-run", "--set", f"{key}={value}")
                yield f"{case} --set {key}={value:.40}", {}, arguments, True
    for text in TEXTS:
        yield f"case file {text!r:.80}", {"case.toml": text}, ("run", "case.toml", "--dry-run"), False
    for text in SPECTRA:
        sets = ("--set", "spectrum.shape=file", "--set", 'spectrum.file="e.csv"')
        yield f"spectrum {text!r:.60}", {"e.csv": text}, ("run", "turbulence.toml", "--dry-run", *sets), False
    for text in MATRICES:
        yield f"matrix {text!r:.80}", {"m.mtx": text}, ("cg", "--matrix", "m.mtx"), False
    for text in SIDES:
        yield (
            f"right side {text!r:.60}",
            {"b.txt": text},
            ("cg", "--matrix", "good.mtx", "--rhs", "b.txt"),
            False,
        )
    for text in GRIDS:
        sets = ("--set", "grid.clustering=file", "--set", 'grid.file="g.h5"', "--set", "output.figures=false")
        yield f"grid file {text!r:.60}", {"g.h5": text}, ("run", "cavity.toml", "--out", "r", *sets), False


def _fill(folder: Path, files: dict[str, str | bytes]) -> None:
    folder.mkdir()
    latin = {"latin.toml": '# f\xfcr\nsolver = "cavity"\n'.encode("latin-1")}
    for name, content in {**CASES, "good.mtx": GOOD, **latin, **files}.items():
        data = content if isinstance(content, bytes) else content.encode("latin-1", "replace")
        (folder / name).write_bytes(data)


def _held(folder: Path) -> set[tuple[str, bytes]]:
    """Files and what is in them; a run folder that MPI ranks have refused may hold its case."""
    inside = (
        path for path in folder.rglob("*") if path.is_file() and "r" not in path.relative_to(folder).parts
    )
    return {(str(path.relative_to(folder)), path.read_bytes()) for path in inside}


SESSION = """
import json, os, sys
import numpy as np, subcurrent as sc
os.mkfifo("pipe")
open("cavity.toml", "w").write("x")
sim = sc.Cavity(sc.CavityGrid((12, 12, 12)), reynolds=100)
fft = sc.FFT((8, 8, 8))
for number, text in json.load(sys.stdin):
    print(json.dumps(["begin", number]), flush=True)
    try:
        exec(text)
        end = ["accepted", ""]
    except (ValueError, AttributeError, TypeError, sc.SubcurrentError) as error:
        end = ["refused", str(error)]
    except Exception as error:
        ours = type(error).__module__.startswith("subcurrent")
        end = ["refused" if ours else "other", f"{type(error).__name__}: {error}"]
    print(json.dumps(["end", number, *end]), flush=True)
"""


def _python(tally: Tally, calls: list[str], folder: Path) -> None:
    """The calls in one session."""

    def judge(number: int, end: str, text: str) -> None:
        if end == "refused" and text and "\n" not in text:
            tally.counts["refused"] += 1
        else:
            tally.fault("wrong exits", calls[number], f"{end}: {text:.300}")

    session = Session([SESSION], lambda: Path(tempfile.mkdtemp(dir=folder)), calls)
    session.attempt(tally, list(enumerate(calls)), judge)
