# SPDX-License-Identifier: Apache-2.0
"""Runs scripts as a user does, with kernels written in Python, for the tests of stencils."""

import json
import os
import sys

from conftest import MPIRUN, ROOT_MAY, completed


def run(line, ranks=1, timeout=240, cwd=None, **environment):
    started = [*MPIRUN, str(ranks)] if ranks > 1 else []
    done = completed(
        [*started, *map(str, line)],
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

FOLLOW = """
@sc.condition
def follow(q: sc.Out, n: sc.Layer, v: sc.In):
    q.ghost[n] = v.inside[1]
"""

# Two fields that depend on each other, with reductions and conditions of several kinds.
COUPLED = """
@sc.kernel(reduce="sum")
def mix(next: sc.Out, u: sc.In, v: sc.In, at: sc.Index, a: float):
    next[0, 0, 0] = u[0, 0, 0] + a * (u[1, 1, 0] - u[0, -1, -1] + v[1][0, 0, 2]) + 1e-3 * (at.x - 2 * at.z)
    return next[0, 0, 0] * v[0][0, 0, 0], abs(next[0, 0, 0])

@sc.kernel(reduce="max")
def damp(v: sc.InOut, u: sc.In):
    v[0][0, 0, 0] = 0.9 * v[0][0, 0, 0] + 0.1 * u[0, 0, 0]
    v[1][0, 0, 0] = 0.8 * v[1][0, 0, 0] if (v[1][0, 0, 0] > 0) else math.sqrt(abs(v[1][0, 0, 0]))
    return v[1][0, 0, 0]

@sc.condition
def curved(q: sc.Out, n: sc.Layer, b: float):
    q.ghost[n] = 2 * q.inside[n] - q.inside[n + 1] + b

def coupled(grid, dtype, place, place_of_v):
    u = grid.field("u", levels=2, dtype=dtype, place=place)
    v = grid.field("v", components=2, dtype=dtype, place=place_of_v)
    u.set(lambda x, y, z: ((x * 7 + y * 5 + z * 3) % 11 - 5) / 8)
    v.set(lambda x, y, z: [((x * 3 + y * 11 + z * 5 + k) % 13 - 6) / 8 for k in range(2)])
    u.boundary("y- y+", sc.Dirichlet(0.25))
    u.boundary("z-", curved(b=0.01))
    u.boundary("z+", sc.Neumann(0.1))
    v.boundary("all", sc.Mirror(odd=[1]))
    return u, v
"""

# What is printed of their steps, and compared with the snapshot.
EVERYTHING = """
if grid.rank == 0:
    import h5py
    with h5py.File("u.vtkhdf") as file:
        assert np.array_equal(file["fields/u"][...], everything[0])
    print(sums, values, hash(b"".join(one.tobytes() for one in everything)))
"""


def said_by(folder, text, runs):
    """All that a script prints, each time with other words and, last of them, on so many ranks."""
    path = folder / "script.py"
    path.write_text(HEAD + text)
    return {run([sys.executable, path, *words], n, PYTHONHASHSEED="0").stdout for *words, n in runs}


def each_call(errors, after=""):
    """The end of a script that prints what it says of each of the calls that it is given."""
    return f"""
import json, sys
said = []
for call in json.loads(sys.argv[1]):
    try:
        eval(call)
    except {errors} as error:
        said.append(str(error))
    else:
        said.append("nothing")
{after}
print(json.dumps(said))
"""


def expect_refusals(folder, wrong, fields, after):
    """`wrong`: pairs of a call and words that its sentence has. All in one process: `fields` makes what the
    calls name, `after` follows."""
    path = folder / "script.py"
    path.write_text(HEAD + fields + each_call("Exception", after))
    said = json.loads(run([sys.executable, path, json.dumps([call for call, _ in wrong])]).stdout)
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
    done = completed([sys.executable, path], timeout=120, env={**os.environ, **environment})
    assert done.returncode != 0, done.stdout
    return done.stderr.strip().splitlines()[-1].partition(": ")[2]
