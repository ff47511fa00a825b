# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: every link leads somewhere, every page has a place, and what is wrong is said
in a sentence."""

import re
import sys

import pytest

from conftest import ROOT, completed

sys.path.insert(0, str(ROOT / "tools"))
from handbook import PageError, mermaid, pages, staging
from handbook.markdown import anchors, blocks, links, lists_without_a_gap, with_linked_pictures

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
    """Beside the navigation; the gallery points to the cases, and a list that is made to the decisions."""
    reached = {ROOT / "README.md"}
    for page in pages.written():
        for link in links(page.text):
            target = ((ROOT / page.path).parent / link.partition("#")[0]).resolve()
            if target != (ROOT / page.path).resolve():
                reached.add(target)
    made = ("case", "decision")
    assert [
        page.path for page in pages.written() if page.kind not in made and ROOT / page.path not in reached
    ] == []
    decisions = next(page for page in staging.all_pages() if page.path == "docs/decisions/README.md")
    assert links(decisions.text) == sorted(path.name for path in (ROOT / "docs/decisions").glob("[0-9]*.md"))


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


def test_pictures_of_the_site_are_links_to_their_files():
    shown = "| ![A b](docs/x.png) | ![c](y.png) |\n\n```md\n![d](z.png)\n```\n\n[![e](w.png)](page.md)\n"
    linked = "| [![A b](docs/x.png)](docs/x.png) | [![c](y.png)](y.png) |\n"
    assert with_linked_pictures(shown) == linked + shown[shown.index("\n\n```") + 1 :]


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
    done = completed([sys.executable, ROOT / "tools/docs.py", "--serve"])
    assert done.returncode == 2
    assert "tools/docs.py --fresh" in done.stderr
