# SPDX-License-Identifier: Apache-2.0
"""The cavity's long checks (`make test-long`): steady states against published profiles, mass, the paper's
full settings. Each prints what it measured (`pytest -m long -s`)."""

import csv
import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from conftest import set_options
from subcurrent.case.reference import read_profiles
from subcurrent.report.snapshot import read_snapshot

pytestmark = [pytest.mark.mpi, pytest.mark.long, pytest.mark.timeout(6 * 3600)]

CASES = Path(__file__).resolve().parents[2] / "cases"
LENGTHS = runpy.run_path(str(CASES / "backward_step" / "lengths.py"))


def run(program, case: str, *sets: str) -> tuple[Path, dict]:
    """Runs a case of the library on two ranks; its folder and its summary."""
    settings = set_options("output.figures=false", *sets)
    program.ok("run", CASES / case / "case.toml", "-n", 2, "--out", "r", *settings, timeout=5 * 3600)
    summary = json.loads((program.folder / "r" / "summary.json").read_text())
    assert summary["state"] == "finished"
    assert summary["capped_steps"] == 0, "a step that ended at the iteration cap is not converged"
    return program.folder / "r", summary


def last_change(folder: Path) -> float:
    with (folder / "history.csv").open() as file:
        return float(list(csv.DictReader(file))[-1]["max_change"])


def difference(folder: Path, case: str) -> dict[str, float]:
    """Largest difference of each profile from the published one, in lid speeds."""
    found = read_profiles(folder / "centreline.csv").difference(read_profiles(CASES / case / "reference.csv"))
    print(f"{case}: {found}")
    return found


def divergence(folder: Path) -> tuple[float, float]:
    """Root mean square of div V over the inner points, and the largest farther than 0.1 from every wall; by
    plain central differences between the neighbours on the rectilinear points."""
    (path,) = (folder / "snapshots").iterdir()
    flow = read_snapshot(path)
    axes = [flow.points[0, 0, 0, :], flow.points[1, 0, :, 0], flow.points[2, :, 0, 0]]
    inner = (slice(1, -1),) * 3
    total = np.zeros([len(axis) - 2 for axis in axes[::-1]])
    for k, axis in enumerate(axes):
        along = 2 - k
        ahead, behind = list(inner), list(inner)
        ahead[along], behind[along] = slice(2, None), slice(None, -2)
        spacing = (axis[2:] - axis[:-2]).reshape([-1 if d == along else 1 for d in range(3)])
        total += (flow.velocity[k][tuple(ahead)] - flow.velocity[k][tuple(behind)]) / spacing
    z, y, x = np.meshgrid(*(axis[1:-1] for axis in axes[::-1]), indexing="ij")
    far = np.all([(c > 0.1) & (c < 0.9) for c in (x, y, z)], axis=0)
    rms, largest = float(np.sqrt(np.mean(total**2))), float(np.abs(total[far]).max())
    print(f"div V: rms {rms:.3g}, largest far from walls {largest:.3g}")
    return rms, largest


def test_re100_reaches_the_published_steady_state(program):
    folder, _ = run(program, "cavity_re100")
    assert last_change(folder) < 1e-5
    assert max(difference(folder, "cavity_re100").values()) < 0.01
    rms, far = divergence(folder)
    assert rms < 0.3
    assert far < 0.006


def test_26_cubed_is_coarser_than_66_cubed_and_still_near(program):
    folder, _ = run(program, "cavity_re100", "grid.points=[26,26,26]")
    found = difference(folder, "cavity_re100")
    assert 0.002 < max(found.values()) < 0.03  # 66^3: 0.0013


def test_re400_reaches_the_published_steady_state(program):
    folder, _ = run(program, "cavity_re400")
    assert last_change(folder) < 1e-5
    assert difference(folder, "cavity_re400")["u"] < 0.02


def test_re1000_is_near_the_published_profiles_on_few_points(program):
    folder, _ = run(program, "cavity_re1000", "grid.points=[42,42,42]", "run.time=35.384")
    assert max(difference(folder, "cavity_re1000").values()) < 0.008


def test_re1000_reaches_the_published_extrema(program):
    """82³ points from the steady state of 42³: half the steps that it takes from rest."""
    coarse, _ = run(
        program, "cavity_re1000", "grid.points=[42,42,42]", "grid.smallest=0.016", "output.every=0"
    )
    coarse = coarse.rename(coarse.with_name("coarse"))
    (start,) = (coarse / "snapshots").iterdir()
    folder, _ = run(program, "cavity_re1000", f'flow.initial="{start}"', "output.every=0")
    assert last_change(folder) < 1e-5
    profiles = read_profiles(folder / "centreline.csv").lines
    found = profiles["u"][1].min(), profiles["w"][1].min(), profiles["w"][1].max()
    print(f"Re = 1000: smallest u {found[0]:.4f}, w {found[1]:.4f} to {found[2]:.4f}")
    assert found == pytest.approx((-0.28038, -0.43502, 0.24665), rel=0.01)
    assert max(difference(folder, "cavity_re1000").values()) < 0.008
    assert divergence(folder)[1] < 0.006


def test_mass_does_not_suffer_from_the_time_step(program):
    found = {}
    for courant in (0.2, 0.1):
        folder, _ = run(program, "cavity_re100", "run.time=2", f"run.courant={courant}")
        found[courant] = divergence(folder)
        folder.rename(folder.with_name(f"courant_{courant}"))
    for rms, far in found.values():
        assert rms < 0.3
        assert far < 0.006
    # The cells at the lid's edges set the rms, and they do not follow the step (see the solver's README).
    assert found[0.1][0] == pytest.approx(found[0.2][0], rel=0.1)


def test_the_step_at_re_800_separates_and_reattaches_where_published(program):
    """Reattachment on the floor, separation and reattachment on the ceiling by Gartling (1990)."""
    folder, _ = run(program, "backward_step")
    assert last_change(folder) < 2e-4
    (snapshot,) = (folder / "snapshots").iterdir()
    found = LENGTHS["lengths"](read_snapshot(snapshot))
    print("backward_step: " + ", ".join(f"{length:.2f}" for length in found))
    for length, published, within in zip(found, (6.10, 4.85, 10.48), (0.01, 0.01, 0.01), strict=True):
        assert length == pytest.approx(published, rel=within)


@pytest.mark.parametrize("case", ["cavity_paper_a", "cavity_paper_b"])
def test_the_papers_setting_converges_in_every_step(program, case):
    folder, summary = run(program, case)
    assert summary["steps"] == 100
    with (folder / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    sweeps = [int(row["iterations"]) for row in rows]
    print(f"{case}: {np.median(sweeps):.0f} sweeps a step, {summary['seconds']:.0f} s")
    assert max(float(row["residual"]) for row in rows) < 1e-5
    assert min(sweeps) > 100  # Jacobi does not get there in a few
