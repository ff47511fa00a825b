# SPDX-License-Identifier: Apache-2.0
"""The predicted scaling of the dendrite on the paper's machine, against what the paper prints."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def paper():
    sys.path.insert(0, str(ROOT / "bench"))
    spec = importlib.util.spec_from_file_location("dendrite_paper", ROOT / "bench/dendrite_paper.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(ROOT / "bench"))
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def machine(paper):
    return paper.Machine.read(ROOT / "machines/tsubame_1_2.toml")


# Figures 5 and 6: ideal up to 8, 16 and 32 GPUs; at 960^3 messages take longer than computation from 24 on.
@pytest.mark.parametrize(("n", "ideal", "beyond"), [(512, 8, 16), (960, 16, 24), (1920, 32, 48)])
def test_the_knee_is_where_the_paper_has_it(paper, machine, n, ideal, beyond):
    alone = machine.flops * 1e-12
    assert paper.step(machine, n, ideal).tflops("boundary_first") == pytest.approx(ideal * alone, rel=1e-3)
    assert paper.step(machine, n, beyond).tflops("boundary_first") < 0.95 * beyond * alone
    assert ideal < paper.knee(machine, n) <= beyond


def test_forty_gpus_reach_five_teraflops(paper, machine):
    assert paper.step(machine, 960, 16).tflops("boundary_first") == pytest.approx(2, rel=0.02)
    assert paper.step(machine, 1920, 40).tflops("boundary_first") == pytest.approx(5, rel=0.02)


# Without overlap times add; beyond the knee both come to the rate of the messages.
def test_without_overlap_messages_cost_what_they_take(paper, machine):
    for n, counts in paper.GPUS.items():
        for gpus in counts:
            s = paper.step(machine, n, gpus)
            assert s.blocking == pytest.approx(s.shell + s.core + s.moving)
            assert s.blocking >= s.boundary_first
    s = paper.step(machine, 512, 400)
    assert s.blocking == pytest.approx(s.moving, rel=0.1)
    assert s.boundary_first == pytest.approx(s.moving, rel=0.1)


# Figure 7: three parts of about the same length, which do not depend on the number of GPUs.
def test_messages_have_three_parts_that_stay(paper, machine):
    parts = {
        (s.link, s.copies, s.messages) for s in (paper.step(machine, 960, g) for g in (8, 16, 24, 32, 40))
    }
    ((link, copies, messages),) = parts
    assert link == pytest.approx(copies) == pytest.approx(messages)


# Figure 8: CPUs scale almost ideally up to 128 cores and would need more than 2200 for the best of the GPUs.
def test_cpu_cores_scale_and_are_far_slower(paper, machine):
    for cores in paper.CORES:
        ideal = 1e-12 * cores * machine.core_flops
        assert 0.95 * ideal < paper.on_cores(machine, 960, cores).tflops("blocking") <= ideal
    best = paper.step(machine, 960, 16).tflops("boundary_first")
    assert paper.on_cores(machine, 960, 2200).tflops("boundary_first") < best


# Section 6: without the second host copy communication takes two thirds; each change moves the knee outward.
def test_what_the_paper_would_change_moves_the_knee(paper, machine):
    changes = paper.what_ifs(machine)
    no_copy, _ = changes["no copy between pinned buffers"]
    before, after = (paper.step(m, 960, 24).moving for m in (machine, no_copy))
    assert after == pytest.approx(before * 2 / 3)
    for name, (other, cubes) in changes.items():
        if name != "as it was":
            assert paper.knee(other, 960, cubes=cubes) > 24, name
