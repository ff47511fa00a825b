# SPDX-License-Identifier: Apache-2.0
"""A part of the attacks with bad inputs and damaged files (`make attack` runs the whole): always the same
part, without a traceback, a hang, a wrong exit, a lost file or other bits."""

import json
import os
import sys

import pytest

from conftest import ROOT, completed, core_is_built

sys.path.insert(0, str(ROOT))
pytestmark = pytest.mark.skipif(not core_is_built(), reason="the compiled module is not built")


@pytest.mark.mpi
@pytest.mark.parametrize(("part", "share", "least"), [("inputs", 0.06, 50), ("damage", 0.08, 35)])
def test_a_part_of_the_attacks(part, share, least):
    ask = f"import json; from tests.attack import {part}; print(json.dumps({part}.run({share})))"
    # os.environ, without what an MPI that other tests have begun in this process has set beside it.
    done = completed([sys.executable, "-c", ask], cwd=ROOT, env=dict(os.environ), timeout=280)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout.splitlines()[-1])
    faults = {
        name: counts[name] for name in ("tracebacks", "hangs", "wrong exits", "other bits", "lost files")
    }
    assert not any(faults.values()), done.stderr
    assert counts["attempts"] >= least
    assert counts["refused"] + counts["accepted"] == counts["attempts"]
