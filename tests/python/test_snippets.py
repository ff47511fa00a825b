# SPDX-License-Identifier: Apache-2.0
"""The code in the documents works: C++ is compiled, Python is run, command lines are given to the program
(a run as a dry one) and name what exists, declarations in C are those of the header.

A comment right above a block says what it needs, or why it is not run:

    <!-- before: code -->        goes before it (C++ and Python); `after: code` behind it
    <!-- run with: a -> b -->    is run with these words replaced, smaller than a reader wants it
    <!-- within: the first program -->  C: ctest halo.docs puts it into that program
    <!-- not run: reason -->
"""

import re
import shlex
import shutil
import sys

import pytest
import typer.testing

from conftest import ROOT, SMALL, completed
from subcurrent.case.library import find_case
from subcurrent.cli.main import app

sys.path.insert(0, str(ROOT / "tools"))
from handbook import pages
from handbook.markdown import blocks

TEXTS = {page.path: page.text for page in pages.written()}
CPP = [path for path, text in TEXTS.items() if any(block.language == "cpp" for block in blocks(text))]
# Each is shown and checked in another way.
OTHERWISE = {
    "cmake": "tests/package and tests/halo build projects with these lines",
    "fortran": "ctest halo.docs compiles and runs them",
    "mermaid": "drawn by the browser",
    "text": "no code",
}


def notes(text: str, line: int) -> dict[str, str]:
    """The comments right above the block that begins in a line, by their first word."""
    found = {}
    lines = text.split("\n")[: line - 1]
    while lines and (
        match := re.fullmatch(r"<!-- (before|after|within|run with|not run): (.*) -->", lines[-1])
    ):
        found[match[1]] = match[2]
        lines.pop()
    return found


def of_language(*languages: str) -> list:
    """Blocks of these languages, as pytest's parameters; those that are not run are left out."""
    found = []
    for path, text in TEXTS.items():
        for block in blocks(text):
            said = notes(text, block.line)
            if block.language in languages and "not run" not in said:
                found.append(pytest.param(block.text, said, path, id=f"{path}:{block.line}"))
    return found


def test_every_block_is_checked_or_says_why_not():
    known = {"cpp", "c", "python", "sh", *OTHERWISE}
    for path, text in TEXTS.items():
        for block in blocks(text):
            assert block.language in known, f"{path}:{block.line}: {block.language}"


def test_the_comments_above_a_block():
    text = "x\n<!-- before: int a; -->\n<!-- not run: because -->\n```cpp\na;\n```\n"
    assert notes(text, 4) == {"before": "int a;", "not run": "because"}
    assert notes("<!-- not run: of another -->\n\n```sh\n```\n", 3) == {}


# -- C and C++ ----------------------------------------------------------------------------------------------


STRUCT = re.compile(r"^struct \w+ \{.*?^\};\n", re.MULTILINE | re.DOTALL)


def translation_unit(text: str) -> str:
    """All C++ of a page. Blocks with a main function are a whole program; otherwise structs come first, then
    the rest in one function, each block in the scope of those before it, with the headers that they name."""
    shown = [(block, notes(text, block.line)) for block in blocks(text) if block.language == "cpp"]
    shown = [(block, said) for block, said in shown if "not run" not in said]
    if any("int main(" in block.text for block, _ in shown):
        return "".join(f"#line {block.line + 1}\n{block.text}" for block, _ in shown)
    structs, body = "", ""
    for block, said in shown:
        structs += "".join(STRUCT.findall(block.text))
        kept = STRUCT.sub(lambda found: "\n" * found[0].count("\n"), block.text)
        body += f"{{ {said.get('before', '')}\n#line {block.line + 1}\n{kept}{said.get('after', '')}"
    named = re.findall(r"// ((?:engine|io)/[\w/]+\.hpp)$", text, re.MULTILINE)  # beside what needs it
    headers = "".join(f'#include "{name}"\n' for name in ["engine/subcurrent.hpp", *named])
    closed = "}" * body.count("\n#line ")
    return f"{headers}#include <cstdio>\nusing namespace sc;\n{structs}void page() {{\n{body}\n{closed}\n}}\n"


@pytest.mark.skipif(not shutil.which("mpicxx"), reason="there is no mpicxx")
@pytest.mark.parametrize("path", CPP)
def test_cpp_compiles(path, tmp_path):
    source = tmp_path / "page.cpp"
    source.write_text(translation_unit(TEXTS[path]))
    flags = ["-std=c++20", "-fsyntax-only", "-fopenmp", "-DOMPI_SKIP_MPICXX", "-I", str(ROOT)]
    done = completed(["mpicxx", *flags, source], timeout=600)
    assert done.returncode == 0, done.stderr[:3000]


def declarations(text: str) -> set[str]:
    """Functions that are declared, each without comments and with one space where there are any."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = re.findall(r"\b((?:const )?\w+ \*?halo_\w+\([^;{}()]*\))", re.sub(r"\s*\*\s*", " *", text))
    return {re.sub(r"\s+", " ", call).replace("( ", "(") for call in found}


def test_declarations_in_c_are_those_of_the_header():
    header = declarations((ROOT / "api/c/include/subcurrent/halo.h").read_text())
    shown = set()
    for text, said, path in (case.values for case in of_language("c")):
        if "int main(" not in text and "within" not in said:
            assert path == "docs/halo_functions.md", f"{path} has C that nothing compiles"
            found = {call for call in declarations(text) if not call.startswith("return")}
            assert found, text
            assert found <= header, found - header
            shown |= found
    assert len(shown) > 15


# -- Python -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """The last snapshot of a small flow, under the name that the documents give theirs."""
    folder = tmp_path_factory.mktemp("snapshot")
    case = folder / "case.toml"
    case.write_text(SMALL.replace("[18, 18, 18]", "[34, 36, 34]").replace("0.04", "0.02").replace("12", "1"))
    command = [sys.executable, "-m", "subcurrent", "run", str(case), "--set", "output.figures=false"]
    done = completed(command, cwd=folder)
    assert done.returncode == 0, done.stderr
    return next(folder.rglob("snapshot_*.vtkhdf"))


@pytest.mark.mpi
@pytest.mark.parametrize(("text", "said", "path"), of_language("python"))
def test_python_runs(text, said, path, program, snapshot):
    for change in said.get("run with", "").split("; "):
        if change:
            old, new = change.split(" -> ")
            assert old in text, f"{path}: {old} is not there"
            text = text.replace(old, new)
    shutil.copy(snapshot, program.folder / "snapshot_00000040.vtkhdf")
    program.script(f"{said.get('before', '')}\n{text}")


# -- command lines ------------------------------------------------------------------------------------------


def command_lines() -> list:
    """Every line of a block of shell, and of an indented block that begins with the program's name."""
    found = []
    for text, _, path in (case.values for case in of_language("sh")):
        joined = text.replace("\\\n", " ")
        found += [(path, line) for line in joined.split("\n") if line.strip() and not line.startswith("#")]
    for path, text in TEXTS.items():
        found += [(path, line) for line in re.findall(r"^ {4}(subcurrent .*)$", text, re.MULTILINE)]
    return [pytest.param(path, line, id=f"{path}: {line}"[:90]) for path, line in found]


def understood(words: list[str]) -> None:
    """The program takes these arguments: a run without carrying it out, of other verbs their number, the
    options and the kinds of their values."""
    if words[0] == "run" and "--help" not in words:
        done = typer.testing.CliRunner().invoke(app, [*words, "--dry-run"])
        assert done.exit_code == 0, done.exception or done.output
    elif "--help" not in words:
        verb = typer.main.get_command(app).commands.get(words[0])
        assert verb, f"{words[0]} is no verb"
        verb.callback = None  # the words are read, and nothing follows
        with pytest.raises(SystemExit) as end:
            verb.main(words[1:])
        assert end.value.code == 0, words
    if words[0] == "strategies":
        find_case(words[1])


def targets(makefile: str) -> set[str]:
    return set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


@pytest.mark.parametrize(("path", "line"), command_lines())
def test_a_command_line_can_be_given(path, line, monkeypatch):
    monkeypatch.chdir(ROOT)
    for command in re.split(r"\s*&&\s*", line):
        can_be_given(shlex.split(command, comments=True))


def can_be_given(words: list[str]) -> None:
    first, *rest = words
    if first == "subcurrent":
        understood(rest)
    elif first == "make":
        assert {word for word in rest if "=" not in word} <= targets((ROOT / "Makefile").read_text())
    elif "--preset" in rest:
        preset = rest[rest.index("--preset") + 1]
        assert f'"name": "{preset}"' in (ROOT / "CMakePresets.json").read_text()
    elif first == "source":
        assert rest == [".venv/bin/activate"]
    else:
        assert (ROOT / first).is_file(), (
            f"{first} is not in the repository, and nothing says why it is not run"
        )


@pytest.mark.parametrize(
    "line",
    [
        "subcurrent run cavity_demo --rank 4",
        "subcurrent run cavity_dem",
        "subcurrent run cavity_demo --set flow.reynold=4",
        "subcurrent cg --klass A",
        "subcurrent walk",
        "subcurrent plot one two three",
        "subcurrent film runs/one --rate fast",
        "subcurrent plot one --planes z=1",
        "make tests",
        "cmake --preset fast",
        "tools/demos",
    ],
)
def test_a_command_line_that_cannot_be_given_is_found(line):
    with pytest.raises(AssertionError):
        can_be_given(shlex.split(line))


def test_brackets_in_help_are_shown():
    """Help texts are in Rich's markup, which takes [engine] for a style unless it is written \\[engine]."""
    for command in app.registered_commands:
        styles = set(re.findall(r"(?<!\\)\[([a-z_.]+)\]", command.callback.__doc__ or ""))
        assert styles <= {"bold"}, command.callback.__name__
