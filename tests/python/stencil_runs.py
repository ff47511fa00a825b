# SPDX-License-Identifier: Apache-2.0
"""Runs scripts with kernels written in Python as a user does, for the tests of stencils."""

import json
import os
import subprocess
import sys

from conftest import MPIRUN, ROOT_MAY


def run(line, ranks=1, timeout=240, cwd=None, **environment):
    started = [*MPIRUN, str(ranks)] if ranks > 1 else []
    done = subprocess.run(
        [*started, *map(str, line)],
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env={**os.environ, **ROOT_MAY, **environment},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done


HEAD = """
import math, sys
import numpy as np
import subcurrent as sc

@sc.kernel
def diffuse(next: sc.Out, T: sc.In, a: float = 0.1):
    next[0, 0, 0] = T[0, 0, 0] + a * (T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0]
                                      + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0])

@sc.kernel(reduce="sum")
def total(T: sc.In):
    return T[0, 0, 0]
"""


def refusals(folder, fields, calls, after):
    """What each call says that cannot be, in one process: `fields` makes what they name, `after` follows."""
    path = folder / "script.py"
    path.write_text(HEAD + "import json\n" + fields + EACH_CALL + after + "print(json.dumps(said))\n")
    return json.loads(run([sys.executable, path, json.dumps(calls)]).stdout)


EACH_CALL = """
said = []
for call in json.loads(sys.argv[1]):
    try:
        eval(call)
    except Exception as error:
        said.append(str(error))
    else:
        said.append("nothing")
"""


def expect_sentences(wrong, said):
    """`wrong`: pairs of a call and words that its sentence has."""
    for (call, words), sentence in zip(wrong, said, strict=True):
        assert words in sentence, (call, sentence)
        assert "\n" not in sentence


def script(folder, text, ranks=1, **environment):
    path = folder / "script.py"
    path.write_text(HEAD + text)
    return run([sys.executable, path], ranks, **environment)


def refused(folder, text, **environment):
    """What a script that fails says last."""
    path = folder / "script.py"
    path.write_text(HEAD + text)
    done = subprocess.run(
        [sys.executable, path],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode != 0, done.stdout
    return done.stderr.strip().splitlines()[-1].partition(": ")[2]
