# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of the documents: each names what regenerates it; quick ones are computed again."""

import re
import shutil
import sys

import pytest

from conftest import ROOT, completed, core_is_built

sys.path.insert(0, str(ROOT / "tools"))
import figures
from regenerate import blocks
from regenerate.catalogue import CATALOGUE
from regenerate.figure import Figure

DOCUMENTS = sorted(
    {ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"), *ROOT.glob("*/*/README.md")}
    | {ROOT / "bench" / "README.md", ROOT / "cases" / "README.md"}
    | {path for path in ROOT.glob("docs/*/*.md") if path.parent.name != "decisions"}
)
DOCUMENTS = [path for path in DOCUMENTS if path.relative_to(ROOT).parts[0] not in ("build", ".venv", "runs")]
TABLES = {name: figure for name, figure in CATALOGUE.items() if not figure.picture}
QUICK = [
    "cg_accuracy",
    "dendrite_work",
    "dendrite_fronts",
    "linear_wave_cycles",
]
SLOWER = [
    "blast",
    "brio_wu",
    "field_loop",
    "cavity_coarse",
    "cavity_orders",
    "orszag_tang",
    "cg_volume",
    "cg_preconditioners_large",
    "nickel_direction",
    "nickel_divergence",
    "linear_wave",
    "cavity_paper",
    "cavity_speeds",
    "cg_paper",
    "cg_paper_speeds",
    "dendrite_simulated",
    "halo_paper",
    "other_codes",
    "turbulence_paper",
]
# test_paper_machines.py compares dendrite_paper, and test_plasma_cases.py the errors of the waves.


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_table_of_figures_names_what_makes_it(document):
    assert blocks.tables_without_a_mark(document) == []
    for name in blocks.names_in(document):
        assert name in TABLES, f"nothing is called {name}: see tools/figures.py --list"
        assert ROOT / TABLES[name].place == document
        assert blocks.get(document, name), f"{name} is empty: tools/figures.py {name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_section_with_figures_says_where_they_come_from(document):
    assert blocks.sections_without_a_source(document) == []


def test_decisions_are_short_numbered_and_without_tables():
    records = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [int(path.name[:4]) for path in records] == list(range(1, len(records) + 1))
    parts = ["**Context.**", "**Decision.**", "**Consequences.**"]
    for number, path in enumerate(records, 1):
        title, *lines = path.read_text().splitlines()
        assert title.startswith(f"# {number}. ")
        assert len(lines) < 32, f"{path.name} is longer than a decision: figures belong to bench/README.md"
        assert [part for line in lines for part in parts if line.startswith(part)] == parts, path.name
        assert not [line for line in lines if line.startswith("|")], f"{path.name} has a table"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_decisions_have_their_numbers(document):
    links = re.findall(r"\[(?:decision\s+)?(\d+)\]\([^)]*?(\d{4})-[^)]*\)", document.read_text())
    assert [said for said, number in links if int(said) != int(number)] == []


def test_what_is_made_stands_in_a_document():
    for name, figure in TABLES.items():
        assert name in blocks.names_in(ROOT / figure.place), name


def test_every_picture_is_shown_and_made():
    shown = set()
    for document in DOCUMENTS:
        for path in re.findall(r"\]\(([^)]+\.png)\)", document.read_text()):
            shown.add((document.parent / path).resolve().relative_to(ROOT).as_posix())
    made = {figure.place for figure in CATALOGUE.values() if figure.picture}
    lying = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "pictures").iterdir()}
    assert shown == made == lying


def compare(name):
    done = completed([sys.executable, ROOT / "tools" / "figures.py", "--check", name], timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.mpi
@pytest.mark.parametrize("name", QUICK)
def test_quick_tables_are_as_they_stand(name):
    if not core_is_built():
        pytest.skip("the compiled module is not built")
    if (
        name == "dendrite_fronts"
        and not (ROOT / "build/release/tests/mpi/mpi_dendrite_physics_test").exists()
    ):
        pytest.skip("the C++ tests are not built")
    compare(name)


@pytest.mark.mpi
@pytest.mark.long
@pytest.mark.timeout(1900)
@pytest.mark.parametrize("name", SLOWER)
def test_slower_tables_are_as_they_stand(name):
    if "SimGrid" in TABLES[name].what and shutil.which("smpirun") is None:
        pytest.skip("SimGrid is not installed")
    compare(name)


def test_what_counts_as_a_difference():
    stored = ["| wave | error |", "|---|---|", "| fast | 1.170, −2.5 % |"]

    def differ(line, tolerance=1e-3):
        return blocks.differences(stored, [*stored[:2], line], tolerance)

    assert differ(stored[2]) == []
    assert differ("| fast | 1.171, −2.5 % |") == []  # a unit of the last digit
    assert differ("| fast | 1.180, −2.5 % |")
    assert differ("| fast | 1.180, −2.5 % |", 1e-2) == []
    assert differ("| fast | 1.170, 2.5 % |")
    assert differ("| slow | 1.170, −2.5 % |")
    assert blocks.differences(stored, stored[:2], 1.0)
    small, other = ["| 5.6e-3 |"], ["| 5.8e-3 |"]
    assert blocks.differences(small, other, 0.0)
    assert blocks.differences(small, ["| 5.7e-3 |"], 0.0) == []


def test_a_table_without_a_mark_is_found(tmp_path):
    document = tmp_path / "a.md"
    table = "| what | figure |\n|---|---|\n| a | 1.25 |\n"
    document.write_text(f"Text.\n\n{table}")
    assert len(blocks.tables_without_a_mark(document)) == 1
    document.write_text(
        f"<!-- no figures: by hand -->\n{table}\n<!-- figures: x -->\n{table}<!-- /figures -->\n"
    )
    assert blocks.tables_without_a_mark(document) == []
    blocks.put(document, "x", ["| b | 2 |"])
    assert blocks.get(document, "x") == ["| b | 2 |"]
    document.write_text(f"<!-- figures: x -->\n{table}<!-- /figures -->\n\n{table}")
    assert len(blocks.tables_without_a_mark(document)) == 1


def test_a_section_without_a_source_is_found(tmp_path):
    document = tmp_path / "a.md"
    bare = "# Speed\n\nA step takes 1.5 ms with ParaView 5.11.\n\n"
    for source in (
        "`mpi.wave`",
        "`bench/run.py` prints it.",
        "```sh\nls\n```",
        "    make bench",
        "[there](../README.md#speed)",
    ):
        document.write_text(f"{bare}{source}\n")
        assert blocks.sections_without_a_source(document) == [], source
    document.write_text(f"{bare}## Memory\n\nAs `make bench` says, 20 %.\n")
    assert blocks.sections_without_a_source(document) == ["a.md: # Speed"]
    document.write_text("# Settings\n\n`spacing = 0.5`, of version 1.0.\n\n| a | 1.5 |\n")
    assert blocks.sections_without_a_source(document) == []


def test_a_whole_document_is_put_in_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    (tmp_path / "all.md").write_text("old")

    def make(scratch):
        (scratch / "made.md").write_text("new")
        return scratch / "made.md"

    whole = Figure("all", "all.md", 1, "a document", make)
    assert figures.regenerate(whole, check=True) == []
    assert (tmp_path / "all.md").read_text() == "old"
    assert figures.regenerate(whole, check=False) == []
    assert (tmp_path / "all.md").read_text() == "new"


def test_the_list_and_an_unknown_name():
    command = [sys.executable, ROOT / "tools" / "figures.py"]
    listed = completed([*command, "--list"], check=True).stdout
    assert all(name in listed for name in CATALOGUE)
    unknown = completed([*command, "no_such"])
    assert unknown.returncode == 2
    assert len(unknown.stderr.splitlines()) == 1
    assert "'no_such' is not known: allowed is " in unknown.stderr
