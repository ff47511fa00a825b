# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: every link leads somewhere, every page has a place, what is made from the
sources is complete, and what is wrong is said in a sentence."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT
from subcurrent.case.keys import all_keys
from subcurrent.case.library import shipped
from subcurrent.solvers.cases import SOLVERS

sys.path.insert(0, str(ROOT / "tools"))
from handbook import PageError, cpp_headers, cpp_parts, gallery, mermaid, pages, python_classes, staging
from handbook.markdown import anchors, blocks, links, lists_without_a_gap

MARKDOWN = pages.files()
NAMES = [path.relative_to(ROOT).as_posix() for path in MARKDOWN]


def without_a_target(path) -> list[str]:
    """The relative links of a page that lead to no file, or to no heading of it."""
    wrong = []
    for link in links(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.is_file() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("path", MARKDOWN, ids=NAMES)
def test_every_link_of_a_page_leads_somewhere(path):
    assert without_a_target(path) == []


@pytest.mark.parametrize("path", MARKDOWN, ids=NAMES)
def test_a_page_reads_the_same_on_the_site(path):
    text = path.read_text(encoding="utf-8")
    assert lists_without_a_gap(text) == [], "a list needs an empty line above it"
    assert [block.line for block in blocks(text) if not block.language] == [], "a block needs its language"


def test_links_that_lead_nowhere_are_found(tmp_path):
    page = tmp_path / "a.md"
    (tmp_path / "b.md").write_text("# B\n\n## Two words, `code`\n\n## Two words, code\n")
    right = (
        "[b](b.md#two-words-code) [b](b.md#two-words-code-1) [here](#a) <https://x.org> [w](http://x.org/#y)"
    )
    page.write_text(f"# A\n\n{right}\n\n```cpp\nq[c](1)\n```\n\n`a[0](1)`\n")
    assert without_a_target(page) == []
    page.write_text("# A\n\n[b](b.md#three) [c](c.md) [b](b.md#two-words-code-2) ![p](p.png) [here](#b)\n")
    assert without_a_target(page) == ["b.md#three", "c.md", "b.md#two-words-code-2", "p.png", "#b"]
    assert lists_without_a_gap("Text:\n- one\n- two\n\n- three\n") == [2]


def test_something_points_to_every_page():
    """Beside the navigation; the gallery points to the cases."""
    reached = {ROOT / "README.md"}
    for page in pages.written():
        for link in links(page.text):
            target = ((ROOT / page.path).parent / link.partition("#")[0]).resolve()
            if target != (ROOT / page.path).resolve():
                reached.add(target)
    assert [
        page.path for page in pages.written() if page.kind != "case" and ROOT / page.path not in reached
    ] == []


# -- navigation ---------------------------------------------------------------------------------------------


def places(nav) -> list[str]:
    """Every page of a navigation, in its order."""
    found = []
    for entry in nav:
        for value in entry.values():
            found += [value] if isinstance(value, str) else places(value)
    return found


def test_every_page_has_one_place_in_the_navigation():
    """Whoever adds a page says of what kind it is, in its first line or by its folder."""
    found = staging.all_pages()
    assert sorted(places(pages.navigation(found))) == sorted(page.path for page in found)
    assert {page.path for page in found} == {*NAMES, *staging.MADE}


def test_a_new_page_is_picked_up_or_refused_in_a_sentence(tmp_path):
    for name in ("docs/tutorials", "docs/decisions", "cases/a", "solvers/b", "build", ".venv", "runs/x"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "README.md").write_text("# T\n")
    (tmp_path / "README.md").write_text("# Home\n")
    (tmp_path / "docs/new.md").write_text("<!-- kind: explanation -->\n# New\n")
    kinds = {page.path: page.kind for page in pages.written(tmp_path)}
    assert kinds == {
        "README.md": "home",
        "cases/a/README.md": "case",
        "docs/decisions/README.md": "decision",
        "docs/new.md": "explanation",
        "docs/tutorials/README.md": "tutorial",
        "solvers/b/README.md": "solver",
    }
    for text, says in (("# New\n", "does not say"), ("<!-- kind: essay -->\n# New\n", "says 'essay'")):
        (tmp_path / "docs/new.md").write_text(text)
        with pytest.raises(
            PageError, match=f"^docs/new.md {says} of what kind it is: .* tutorial, how-to, ref"
        ):
            pages.written(tmp_path)


def test_a_page_begins_with_whom_it_is_for():
    for page in pages.written():
        if page.kind in (*pages.KINDS, "solver") and page.path != "CHANGELOG.md":
            first = page.text.split(f"# {page.title}\n\n", 1)[1]
            assert first.startswith("For "), f"{page.path} does not begin with whom it is for: 'For …'"


def test_a_page_without_a_heading_is_refused():
    with pytest.raises(PageError, match=r"^docs/a\.md has no heading: write one as '# …'\.$"):
        pages.Page("docs/a.md", "text\n", "how-to").title  # noqa: B018


# -- what is made from the sources --------------------------------------------------------------------------


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
    assert "  Grid coarsen(Int3 factor, int halo) const;\n" in text
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


CASES = [path.parent.name for path in gallery.readmes()]


def readme(case: str) -> str:
    return (ROOT / "cases" / case / "README.md").read_text()


def test_every_case_stands_in_the_gallery():
    text = gallery.gallery()
    assert {*shipped(), "heat_out_of_core"} == set(CASES)
    for name in CASES:
        assert f"({name}/README.md)**" in text
        assert f"    {gallery.command_of(name, readme(name))}\n" in text


@pytest.mark.parametrize("case", CASES)
def test_a_case_has_a_picture_or_a_reason_why_not(case):
    """The caption says what it shows, and the gallery shows it."""
    text = readme(case)
    picture = gallery.picture_of(text)
    reason = gallery.NO_PICTURE.search(text)
    assert bool(picture) != bool(reason), "a picture, or <!-- no picture: reason -->, and not both"
    if picture:
        assert len(picture[0]) > 10, "the caption stands below the picture in the gallery"


COMMANDS = {
    "cavity_paper_a": "subcurrent strategies cavity_paper_a -n 2",
    "cavity_paper_b": "subcurrent strategies cavity_paper_b -n 2",
    "cavity_re1000": "subcurrent run cavity_re1000 -n 2",
    "earth_north": "subcurrent run earth_north -n 2 --set grid.points=[90,30,30] --set grid.spacing=1 "
    "--set diffusion.density=4e-3 --set diffusion.pressure=4e-3 --set diffusion.viscosity=2e-6 "
    "--set diffusion.resistivity=2e-3",
    "forced_hit_128": "subcurrent run forced_hit_128 -n 2 --set grid.points=[64,64,64] "
    "--set flow.viscosity=0.011 --set scheme.dt=0.02",
    "heat_out_of_core": "bench/limited.py --memory 600 .venv/bin/python cases/heat_out_of_core/heat.py",
    "nickel_512": "subcurrent run nickel_512 --device cuda",
    "nickel_small": "subcurrent run nickel_small -n 2 --set grid.cells=[192,192,192] --set run.time=4.4e-8",
    "taylor_green_2d": "subcurrent run taylor_green_2d",
}


@pytest.mark.parametrize("case", COMMANDS)
def test_the_command_of_a_card_makes_what_the_card_shows(case):
    assert gallery.command_of(case, readme(case)) == COMMANDS[case]


def test_which_command_a_card_shows():
    own = "x\n\n    subcurrent run a --set b=1\n    subcurrent run a -n 2   # two\n"
    assert gallery.command_of("a", own) == "subcurrent run a -n 2"
    assert gallery.command_of("a", own.replace(" -n 2", " --out /tmp/b")) == "subcurrent run a"
    marked = f"{own}\n{gallery.MARK}\nText.\n\n<!-- not run: c -->\n"
    marked += "```sh\nsubcurrent run a \\\n    --set c=1 # d\n```\n"
    assert gallery.command_of("a", marked) == "subcurrent run a --set c=1"
    with pytest.raises(PageError, match=r"^the README of a has no command below <!-- gallery -->"):
        gallery.command_of("a", f"{own}\n{gallery.MARK}\nText.\n")


# -- the site -----------------------------------------------------------------------------------------------


def built(folder, found):
    """What building the site of these pages ends with."""
    sys.path.insert(0, str(ROOT / "tools"))
    import docs  # noqa: PLC0415 - MkDocs is loaded by the tests that build

    return docs.build(found, folder, fresh=False)


def small_site(**others) -> list[pages.Page]:
    kept = {
        "README.md": ("# Home\n\n[a](docs/a.md#more)\n", "home"),
        "docs/a.md": ("# A\n\n## More\n", "how-to"),
    }
    for index in ("cases/README.md", "docs/decisions/README.md", "solvers/s/README.md"):
        kept[index] = ("# Index\n", {"c": "case", "d": "decision", "s": "solver"}[index[0]])
    kept.update(others.get("more", {}))
    return [pages.Page(path, text, kind) for path, (text, kind) in kept.items()]


def test_the_site_is_built_once_and_again_where_something_has_changed(tmp_path):
    assert built(tmp_path, small_site()).startswith("5 pages: ")
    assert (tmp_path / "site/docs/a.html").is_file()
    assert built(tmp_path, small_site()).startswith("nothing has changed: ")
    assert built(tmp_path, small_site(more={"docs/b.md": ("# B\n", "reference")})).startswith("6 pages: ")
    page = (tmp_path / "site/docs/b.html").read_text()
    assert not re.search(r"(?:src|href)=\"?https?://(?!squidfunk)[^\" >]*\.(?:js|css)", page), (
        "nothing is fetched"
    )


@pytest.mark.parametrize("link", ["b.md", "a.md#less", "../nothing.md"])
def test_the_site_is_refused_where_a_link_leads_nowhere(tmp_path, link):
    from mkdocs.exceptions import Abort  # noqa: PLC0415

    bad = small_site(more={"docs/c.md": (f"# C\n\n[b]({link})\n", "reference")})
    with pytest.raises(Abort):
        built(tmp_path, bad)
    assert built(tmp_path, small_site()).startswith("5 pages: "), "the broken site left no stamp"


def test_a_link_to_no_file_is_refused():
    with pytest.raises(PageError, match=r"docs/c\.md links to \.\./nothing\.txt, which is no file"):
        staging.shown_files(pages.Page("docs/c.md", "# C\n\n[n](../nothing.txt)\n", "reference"))


def test_diagrams_without_mermaid_are_refused_in_a_sentence(tmp_path, monkeypatch):
    page = pages.Page("docs/d.md", "# D\n\n```mermaid\nflowchart LR\n  a --> b\n```\n", "explanation")
    assert staging.diagrams([page, *small_site()]) == ["docs/d.md"]
    (tmp_path / "wheel.txt").write_text(mermaid.WHEEL.read_text().replace("sha256:2", "sha256:3"))
    monkeypatch.setattr(mermaid, "WHEEL", tmp_path / "wheel.txt")
    with pytest.raises(
        PageError, match=r"^the diagrams of docs/d\.md need Mermaid, which pip could not fetch: "
    ):
        mermaid.fetch(tmp_path / "kept", ["docs/d.md"])


def test_an_option_that_is_not_known():
    done = subprocess.run(
        [sys.executable, ROOT / "tools/docs.py", "--serve"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "tools/docs.py --fresh" in done.stderr
