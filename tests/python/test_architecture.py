# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md: the files and names that it walks through are there."""

import re

import pytest

from conftest import ROOT

TEXT = (ROOT / "docs" / "architecture.md").read_text()
HOPS = re.findall(r"^\| `([^`]+\.cpp)` \| (.*) \|$", TEXT, re.MULTILINE)
SECTIONS = [
    (path, re.findall(r"`(\w+\([^`]*\))`", said))
    for path, said in re.findall(r"`(solvers/[a-z_/]+\.[ch]pp)` declares([^|]*?)\n\n", TEXT)
]
PATHS = sorted(set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9.]*)`", TEXT)))


def test_the_walk_is_found():
    assert len(HOPS) == 6
    assert len(PATHS) > 20
    assert [len(said) for _, said in SECTIONS] == [2]


@pytest.mark.parametrize("path", PATHS)
def test_every_file_and_folder_named_is_there(path):
    beside = [ROOT / path, ROOT / "docs" / path, ROOT / "python" / "subcurrent" / path]
    assert any(list(one.parent.glob(one.name + "*")) for one in beside)


@pytest.mark.parametrize(("path", "said"), HOPS, ids=[path for path, _ in HOPS])
def test_every_call_of_the_walk_is_made_there(path, said):
    source = (ROOT / path).read_text()
    calls = [name for name in re.findall(r"`([^`]+)`", said) if "." not in name or "(" in name]
    for call in calls:
        name = call.split("(")[0]
        assert re.search(rf"\b{re.escape(name)}\b", source), f"{path} has no {name}"
        assert call in source or "(" not in call, f"{path} has no {call}"


@pytest.mark.parametrize(("path", "said"), SECTIONS, ids=[path for path, _ in SECTIONS])
def test_what_is_said_of_a_file_is_in_it(path, said):
    """Definitions and declarations that follow the name of a C++ file in a section."""
    source = (ROOT / path).read_text()
    for code in said:
        assert code in source, f"{path} has no {code}"


def test_each_file_of_the_walk_calls_the_next():
    """From the step down: what a file calls is defined in the one after it."""
    calls = ["run(", "executor_.carry_out(", "ports.start(", "exchange(piece.movement).start(", "->send("]
    for (path, _), call in zip(HOPS, calls, strict=False):
        assert call in (ROOT / path).read_text(), f"{path} calls no {call}"
