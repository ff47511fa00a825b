# SPDX-License-Identifier: Apache-2.0
"""The row loop of for_each is vectorised: the compiler's own report says so, under the build's flags."""

import json
import platform
import re
import shlex
from pathlib import Path

import pytest

from conftest import completed

pytestmark = pytest.mark.compiles

root = Path(__file__).resolve().parents[2]
commands = root / "build" / "release" / "compile_commands.json"
loops = root / "engine" / "exec" / "rows.hpp"

sweep_of_one = """
#include "solvers/cavity/levels.hpp"
using namespace sc;
using namespace sc::cavity;
{kernel}
using Points = SevenPoints<{real}>;
void sweep(PoissonLevel<Points>& l, Runner& runner) {{
  Sweep one("one", {name}, writes(l.x.next()), reads(l.x.now(), Points::reach), reads(l.b.now()),
            reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
  runner.run(one);
}}
"""
stage_of_mhd = """
#include "engine/overlap/runner.hpp"
#include "solvers/magnetosphere/leaps.hpp"
using namespace sc;
using namespace sc::magnetosphere;
void stage(Plasma& nodes, Plasma& centres, Runner& runner) {{
  const auto one = leap_stage<Half::nodes, true, Diffusion::{}>("one", nodes, centres);
  runner.run(*one);
}}
"""
stage_on_modes = """
#include "engine/exec/for_each.hpp"
#include "solvers/turbulence/kernels.hpp"
using namespace sc;
using namespace sc::turbulence;
using Modes = Out<Mode<{real}>, 3>;
void stage(const Box& box, const Frame& frame, Modes v, [[maybe_unused]] Modes sum,
           [[maybe_unused]] In<Mode<{real}>, 3> u) {{
  for_each(box, {{}}, frame, 1, {{}}, {call});
}}
"""
# Every cell needs the answer of a call that the compiler cannot see into.
opaque = """
double elsewhere(double);
struct Opaque {
  SC_FN void operator()(At c, Out<double> next, In<double> x, In<double>, In<double, 3>, In<double>) const {
    next[c] = elsewhere(x[c]);
  }
};
"""


def row_loop(wanted: str = "for (int n = 0; n < count; ++n) cell(c.x(n * Step),") -> int:
    """The line of the loop over adjacent cells, or over every second one: that either is vectorised."""
    found = [n for n, line in enumerate(loops.read_text().splitlines(), 1) if wanted in line]
    assert len(found) == 1, f"{loops} no longer has the one row loop this test looks for"
    return found[0]


def flux_loop() -> int:
    """The line of the same loop of kernels in fluxes."""
    lines = (root / "engine" / "exec" / "flux_rows.hpp").read_text().splitlines()
    found = [n for n, line in enumerate(lines, 1) if "const Fluxes<Flux> low{" in line]
    assert len(found) == 1, "flux_rows.hpp no longer has the one loop this test looks for"
    return found[0] - 1


def compile_command() -> list[str]:
    """The compiler and the flags of examples/heat.cpp, without its files."""
    if not commands.exists():
        pytest.skip("build/release is not configured: there are no flags to compile with")
    entries = [e for e in json.loads(commands.read_text()) if e["file"].endswith("examples/heat.cpp")]
    if not entries:
        pytest.skip("build/release is configured without examples")
    words = shlex.split(entries[0]["command"])
    if Path(words[0]).name == "ccache":
        words = words[1:]
    # Positions of 64 bits become doubles in vectors only where the processor has AVX-512: on others kernels
    # that take positions are not vectorised, and what this test looks at is the loop, not the machine.
    target = {"-march=native": "-march=x86-64-v4"} if platform.machine() == "x86_64" else {}
    return [target.get(word, word) for word in words[: words.index("-o")]]


def vectorised_loops(source: Path) -> dict[int, int]:
    """Line of rows.hpp -> bytes of a vector, for every loop there that the compiler vectorised."""
    command = [*compile_command(), "-fopt-info-vec-optimized", "-S", "-o", "/dev/null", str(source)]
    done = completed(command, cwd=root, timeout=600)
    if "unrecognized" in done.stderr and "fopt-info" in done.stderr:
        pytest.skip("this compiler gives no such report")
    assert done.returncode == 0, done.stderr
    pattern = r"exec/rows\.hpp:(\d+):\d+: optimized: loop vectorized using (\d+) byte vectors"
    found: dict[int, int] = {}
    for line, size in re.findall(pattern, done.stderr):
        found[int(line)] = max(found.get(int(line), 0), int(size))
    return found


def test_examples_heat():
    assert row_loop() in vectorised_loops(root / "examples" / "heat.cpp")


@pytest.mark.parametrize("real", ["double", "float"])
def test_jacobi_kernel(tmp_path, real):
    source = tmp_path / "jacobi.cpp"
    source.write_text(sweep_of_one.format(kernel="", name=f"JacobiSweep<{real}, Points>{{}}", real=real))
    loops_found = vectorised_loops(source)
    assert row_loop() in loops_found
    assert loops_found[row_loop()] >= 16


@pytest.mark.parametrize("diffusion", ["none", "constant", "mixing"])
def test_magnetosphere_stages(tmp_path, diffusion):
    source = tmp_path / "mhd.cpp"
    source.write_text(stage_of_mhd.format(diffusion))
    sides, cells = row_loop("kernel.side_below(from.x(n + 1), "), row_loop("const auto compute = [&]") - 1
    found = vectorised_loops(source)
    assert found.get(sides, 0) >= 16
    assert found.get(cells, 0) >= 16


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("call", ["Curl{}, v", "Stage23{}, v, sum, u"])
def test_stages_on_the_modes_of_turbulence(tmp_path, call, real):
    source = tmp_path / "modes.cpp"
    source.write_text(stage_on_modes.format(call=call, real=real))
    assert vectorised_loops(source).get(row_loop(), 0) >= 16


def test_report_tells_loops_that_cannot_be(tmp_path):
    source = tmp_path / "opaque.cpp"
    source.write_text(sweep_of_one.format(kernel=opaque, name="Opaque{}", real="double"))
    assert row_loop() not in vectorised_loops(source)
