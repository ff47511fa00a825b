# SPDX-License-Identifier: Apache-2.0
"""Pages of the site printed from the sources: keys, verbs, halo functions, headers, Python classes."""

import re
import sys

from conftest import ROOT
from subcurrent.case.keys import all_keys
from subcurrent.solvers.cases import SOLVERS

sys.path.insert(0, str(ROOT / "tools"))
from handbook import cpp_headers, cpp_parts, python_classes, staging


def test_every_key_has_a_row():
    text = staging.MADE["reference/case_file.md"]()
    for solver, case in SOLVERS.items():
        of_solver = text[text.index(f"\n## {solver}\n") :]
        for name in all_keys(case):
            common = name.partition(".")[0] in ("engine", "output")
            where = text if common else of_solver
            row = f"### [[{name}]]" if name == "seeds" else f"| `{name}` |"
            assert name == "solver" or row in where, f"{name} of {solver}"
    assert "| `seeds.radius` | radius of the crystal in um |" in text
    assert "| `engine.threads` | OpenMP threads of each rank | a whole number from 1 to 1024 | `1` |" in text
    assert re.search(r"\| `grid.smallest` \| [^|]*; only with `grid.clustering` = `\"tanh\"` \|", text)


def test_every_verb_has_its_help():
    text = staging.MADE["reference/command_line.md"]()
    for verb in ("run", "cases", "new", "report", "strategies", "probe", "cg"):
        assert f"\n## {verb}\n" in text
        assert f"Usage: subcurrent {verb} " in text
    assert "--resume" in text
    assert "\x1b" not in text


def test_every_halo_function_is_there():
    text = staging.MADE["reference/c_header.md"]()
    header = (ROOT / "api/c/include/subcurrent/halo.h").read_text()
    names = set(re.findall(r"^HALO_API [^(]*?\*?(halo_\w+)\(", header, re.MULTILINE))
    assert len(names) > 15
    assert set(re.findall(r"^### (halo_\w+)$", text, re.MULTILINE)) == names


SHOWN = {  # what the pages about stencil codes, stages and output use
    "engine/base/run_main.hpp": "run_main Arguments",
    "engine/base/error.hpp": "Exit Error refuse",
    "engine/base/context.hpp": "ContextOptions Context",
    "engine/grid/grid.hpp": "GridOptions Grid",
    "engine/grid/box.hpp": "Int3 Index Box Face x_low",
    "engine/grid/reach.hpp": "Reach point star box",
    "engine/field/field.hpp": "FieldOptions Field Level",
    "engine/field/views.hpp": "At In Out InOut",
    "engine/field/fused.hpp": "fused",
    "engine/field/boundary.hpp": "Beyond Boundaries",
    "engine/exec/border.hpp": "Border",
    "engine/exec/face_kernel.hpp": "Fixed Mirrored boundary",
    "engine/exec/accumulator.hpp": "Reduce",
    "engine/stage/access.hpp": "writes updates reads refine coarsen",
    "engine/stage/sweep.hpp": "SweepOptions Sweep",
    "engine/stage/line_stage.hpp": "LineOptions LineStage",
    "engine/stage/line_solve.hpp": "LineSolve",
    "engine/stage/row_stage.hpp": "MatrixRows gather RowOptions RowStage",
    "engine/plan/strategy.hpp": "Strategy",
    "engine/overlap/runner.hpp": "RunnerOptions Runner",
    "engine/stage/global_value.hpp": "GlobalValue",
    "engine/move/stream/file_memory.hpp": "FileMemoryOptions FileMemory",
    "engine/move/stream/slab_place.hpp": "in_files in_host_memory_of",
    "io/snapshot.hpp": "UniformPoints Snapshot write_snapshot",
    "io/checkpoint.hpp": "CheckpointContents write_checkpoint read_checkpoint",
    "spectral/fft.hpp": "FftOptions FFT",
}


def test_every_cpp_header_shows_its_public_names():
    text = staging.MADE["reference/cpp_headers.md"]()
    assert set(SHOWN) == set(cpp_headers.HEADERS)
    for header, names in SHOWN.items():
        section = text[text.index(f"\n## {header}") + 1 :].partition("\n## ")[0]
        for name in names.split():
            assert f"### {name}\n" in section, (header, name)
        if cpp_headers.HEADERS[header]:
            continue
        detail = re.compile(r"^namespace detail \{.*?^\}  // namespace detail", re.MULTILINE | re.DOTALL)
        outside = detail.sub("", (ROOT / header).read_text())
        public = re.findall(r"^(?:class|struct|enum class) (\w+)[^;\n]*\{", outside, re.MULTILINE)
        assert set(public) <= set(re.findall(r"^### (\w+)$", section, re.MULTILINE)), header
    assert not re.search(r"\b[a-z]\w*_\b(?!\()", re.sub(r"[A-Z_]*_", "", text)), "a private member"
    assert "  Grid coarsen(Int3 factor, int halo, int wall_halo = -1) const;\n" in text
    assert "  int levels = 1;  ///< time levels: now, next, …\n" in text
    assert "/// Swaps the levels: next becomes now, now becomes the last.\n  void advance();\n" in text


def test_every_header_of_the_umbrella_is_marked():
    """By the includes themselves."""
    reached, wanted = set(), ["engine/subcurrent.hpp"]
    while wanted:
        name = wanted.pop()
        if name not in reached and (ROOT / name).exists():
            reached.add(name)
            wanted += re.findall(r'^#include "(.*)"', (ROOT / name).read_text(), re.MULTILINE)
    text = staging.MADE["reference/cpp_headers.md"]()
    marked = re.findall(r"^## (\S+) \*", text, re.MULTILINE)
    assert [name for name in marked if name not in reached] == []
    assert [name for name in cpp_headers.HEADERS if name in reached and name not in marked] == []


def test_a_cpp_header_is_read_without_what_is_not_public():
    header = """\
// SPDX-License-Identifier: Apache-2.0
// What it is for: one thing.
#pragma once
#include <vector>
namespace sc {
class Other;
/// Numbers, { in order.
template <class T = int>
class Numbers final : public Base<T> {
 public:
  // Not for users.
  explicit Numbers(std::vector<T> all, int first = 0) : Base<T>{first, ";"}, all_(std::move(all)) {
    check(all_);
  }
  ~Numbers() override;
  Numbers(const Numbers&) = delete;
  /// The number at `n`.
  [[nodiscard]] T at(int n) const { return all_[n]; }
  friend bool operator==(const Numbers& a, const Numbers& b) = default;
#ifdef SC_CHECKED
  void watch();
#else
  std::function<void(int)> say = [](int) {};  ///< called once,
                                              ///< at the end
#endif
  void plan() override {}

 private:
  std::vector<T> all_;
};
Numbers(int) -> Numbers<int>;
namespace detail {
struct Hidden {};
}  // namespace detail
constexpr Int3 none{0, 0, 0}, one{1, 1, 1};
inline int largest(const Numbers<int>& of, int or_else = 0) { return of.at(0) > 0 ? 1 : or_else; }
inline constexpr int Numbers<int>::limit = 3;
}  // namespace sc
"""
    found = cpp_parts.declarations(header)
    assert cpp_parts.about(header) == "What it is for: one thing."
    assert [each.name for each in found] == ["Numbers", "none", "largest"]
    assert found[0].comment == "/// Numbers, { in order.\n"
    assert (
        found[0].text
        == """\
template <class T = int>
class Numbers final : public Base<T> {
 public:
  explicit Numbers(std::vector<T> all, int first = 0);
  /// The number at `n`.
  T at(int n) const;
  friend bool operator==(const Numbers& a, const Numbers& b);
  std::function<void(int)> say = [](int) {};  ///< called once,
                                              ///< at the end
};
"""
    )
    assert found[1].text == "constexpr Int3 none{0, 0, 0}, one{1, 1, 1};\n"
    assert found[2].text == "int largest(const Numbers<int>& of, int or_else = 0);\n"


def test_everything_public_says_what_it_is():
    text = staging.MADE["reference/python.md"]()
    empty = re.findall(r"^### ([\w.]+)\n\n```python\n(?:(?!```).)*```\n\s*(?=^##|\Z)", text, re.M | re.DOTALL)
    assert empty == []
    assert "### Turbulence.spectrum" in text
    assert "    reynolds: float,\n" in text
    assert (
        python_classes._docstring("a     column\nb     column")
        == "```text\na     column\nb     column\n```\n"
    )
