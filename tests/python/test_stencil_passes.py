# SPDX-License-Identifier: Apache-2.0
"""Several steps a pass from Python: the bits of one step a pass, and what ends a pass."""

import sys

import pytest

from stencil_runs import HEAD, run, script

LEVELS = """
@sc.kernel
def react(next: sc.Out, u: sc.In, v: sc.In, at: sc.Index, a: float):
    next[0, 0, 0] = u[0, 0, 0] + a * (u[1, 0, 0] + u[-1, 0, 0] + u[0, 1, 0] + u[0, -1, 0] - 4 * u[0, 0, 0])
    if (at.x + 2 * at.y + 3 * at.z) % 5 == 0:
        next[0, 0, 0] = next[0, 0, 0] + 0.01 * v[1][0, 0, 1] * v[0][1, 1, 0]

@sc.kernel
def carry(next: sc.Out, v: sc.In, u: sc.In):
    next[0][0, 0, 0] = 0.9 * v[0][0, 0, 0] + 0.05 * u[0, 0, -1]
    next[1][0, 0, 0] = 0.8 * v[1][0, 0, 0] + 0.05 * (u[1, 0, 0] - u[0, -1, 1])

@sc.condition
def curved(q: sc.Out, n: sc.Layer, b: float):
    q.ghost[n] = 2 * q.inside[n] - q.inside[n + 1] + 0.01 * q.inside[4] + b

strategy, length, threads, dtype = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
length = length if length == "automatic" else int(length)
walls = {"wall_halo": 1} if "narrow" in sys.argv else {}
grid = sc.Grid((26, 28, 30), periodic=(True, False, False), halo=6, threads=threads, **walls)
u = grid.field("u", levels=2, dtype=dtype)
v = grid.field("v", levels=2, components=2, dtype=dtype)
u.set(lambda x, y, z: ((x * 7 + y * 5 + z * 3) % 11 - 5) / 8)
v.set(lambda x, y, z: [((x * 3 + y * 11 + z * 5 + k) % 13 - 6) / 8 for k in range(2)])
u.boundary("y-", curved(b=0.01))
u.boundary("y+", sc.Dirichlet(0.25))
u.boundary("z- z+", sc.Neumann(0.1))
v.boundary("all", sc.Mirror(odd=[1]))
tile = {"pass_tile": (5, 3)} if "tile" in sys.argv else {}
loop = sc.Loop(grid, strategy=strategy, steps_per_pass=length, **tile)
sums = []
for step in loop.steps(8):
    loop.run(react(u.next, u, v, a=0.05 + 0.01 * step))
    u.advance()
    loop.run(carry(v.next, v, u))
    v.advance()
    if step == 4:
        sums.append(loop.run(total(u)))
everything = [u.gather(), v.gather()]
if grid.rank == 0:
    print(sums, hash(b"".join(one.tobytes() for one in everything)))
    print(loop.passes, file=sys.stderr)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_passes_leave_the_bits_of_steps(tmp_path, dtype):
    path = tmp_path / "script.py"
    path.write_text(HEAD + LEVELS)

    def outcome(ranks, strategy, length, threads, *more):
        line = [sys.executable, path, strategy, length, threads, dtype, *more]
        done = run(line, ranks, PYTHONHASHSEED="0")
        return done.stdout, done.stderr.splitlines()[-1]

    expected, said = outcome(1, "blocking", 1, 1)
    assert said == "no passes of several steps"
    for ranks, strategy, length, threads, *narrow in (
        (1, "boundary_first", 3, 2, "narrow"),
        (2, "boundary_first", 2, 1),
        (3, "interior_first", 3, 1, "narrow"),
        (4, "blocking", 3, 1),
    ):
        got, said = outcome(ranks, strategy, length, threads, *narrow)
        assert got == expected, (ranks, strategy, length, threads)
        assert said.startswith("8 steps in 3 passes" if length == 3 else "8 steps in 5 passes"), said
        assert 'stage "total" reduces to a value (1)' in said
    assert outcome(2, "boundary_first", "automatic", 1)[0] == expected
    assert outcome(2, "boundary_first", 3, 1, "tile")[0] == expected


ENDS = """
grid = sc.Grid((12, 12, 12), periodic=True, halo=4)
T = grid.field("T", levels=2)
T.set(lambda x, y, z: x + y * z)
loop = sc.Loop(grid, steps_per_pass=4)
plain = sc.Loop(grid)

def reached(steps):
    U = grid.field("U", levels=2)
    U.set(lambda x, y, z: x + y * z)
    for n in plain.steps(steps):
        plain.run(diffuse(U.next, U))
        U.advance()
    return U.gather()

def same(steps):
    return np.array_equal(T.gather(), reached(steps)) if grid.rank == 0 else (T.gather(), reached(steps))

for n in loop.steps(10):
    loop.run(diffuse(T.next, T))
    T.advance()
    if n == 1:
        try:
            T.own
        except sc.SubcurrentError as error:
            assert "recorded and not carried out; call finish() of the loop" in str(error), error
        except Exception as error:
            assert "recorded and not carried out; call finish() of the loop" in str(error), error
        else:
            raise SystemExit("looked into a pass")
        assert same(2)
    if n == 6:
        break
assert loop.count == 6
loop.finish()
assert np.array_equal(T.own, T.own) and same(7)
with T.modify() as own:
    own[...] = 1
for n in loop.steps(3):
    loop.run(diffuse(T.next, T))
    T.advance()
    if n == 0:
        T.set(2.0)
assert T.own.min() == T.own.max() == 2
if grid.rank == 0:
    print(loop.passes)
"""


CHANGING = """
grid = sc.Grid((12, 12, 12), halo=4)

def reached(length):
    T = grid.field("T", levels=2)
    T.set(lambda x, y, z: x + y * z)
    T.boundary("all", sc.Dirichlet(1.0))
    loop = sc.Loop(grid, steps_per_pass=length)
    for n in loop.steps(6):
        T.boundary("x-", sc.Dirichlet(float(n)))
        loop.run(diffuse(T.next, T))
        T.boundary("z+", sc.Dirichlet(-float(n)))
        T.advance()
    return T.gather()

once, passes = reached(1), reached(4)
assert grid.rank > 0 or np.array_equal(once, passes)

def left(finish):
    T = grid.field("T", levels=2)
    T.set(lambda x, y, z: x + y * z)
    T.boundary("all", sc.Dirichlet(1.0))
    loop = sc.Loop(grid, steps_per_pass=4)
    for n in loop.steps(6):
        loop.run(diffuse(T.next, T))
        T.advance()
        if n == 1:
            break
    if finish:
        loop.finish()
    return T

left(True).gather()
try:
    left(False).gather()
except Exception as error:
    assert "recorded in a loop of several steps a pass that ended early" in str(error), error
    print("refused")
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_conditions_that_change_and_loops_that_are_dropped(tmp_path, ranks):
    assert "refused" in script(tmp_path, CHANGING, ranks).stdout


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_what_ends_a_pass(tmp_path, ranks):
    said = script(tmp_path, ENDS, ranks).stdout
    assert "the host asks for a field (2)" in said and "the loop has no more steps (2)" in said, said
