# SPDX-License-Identifier: Apache-2.0
"""tools/strategies: every list of strategies follows from the engine's table."""

import importlib.machinery
import importlib.util
import re
import shutil
import sys

import pytest

from conftest import ROOT
from subcurrent import core


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """The tool with a copy of the files that it reads and writes as its root."""
    loader = importlib.machinery.SourceFileLoader("tool_strategies", str(ROOT / "tools" / "strategies"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    monkeypatch.setitem(sys.modules, loader.name, module)
    loader.exec_module(module)
    for file in {module.TABLE, module.ORDER, *(one.file for one in module.made(module.rows(ROOT)))}:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def run(tool, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["strategies", *words])
    return tool.main()


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_every_list_follows_from_the_table(tool, monkeypatch):
    assert [(row.name, row.says) for row in tool.rows(tool.ROOT)] == list(core.load().strategies)
    assert run(tool, monkeypatch, "--check") == 0


def test_a_new_strategy_gets_into_every_list(tool, monkeypatch, capsys):
    edit(tool.ROOT / tool.ORDER, "&pipelined,", "&pipelined, &lazy,")
    row = 'inline constexpr Strategy Strategy::lazy{\n    .name = "lazy",\n    .says = "later",\n};\n'
    edit(
        tool.ROOT / tool.TABLE,
        "inline constexpr Strategy Strategy::automatic{",
        f"{row}inline constexpr Strategy Strategy::automatic{{",
    )
    assert run(tool, monkeypatch, "--check") == 1
    files = {line.split()[0] for line in capsys.readouterr().err.splitlines()}
    assert files == {one.file for one in tool.made(tool.rows(tool.ROOT))}
    assert run(tool, monkeypatch) == 0
    assert run(tool, monkeypatch, "--check") == 0
    for file in files:
        assert re.search(r"HALO_LAZY|lazy", (tool.ROOT / file).read_text()), file
    assert "HALO_LAZY = 5,\n  HALO_THREAD = 6," in (tool.ROOT / "api/c/include/subcurrent/halo.h").read_text()


def test_a_list_that_is_not_found_ends_it(tool, monkeypatch):
    edit(tool.ROOT / "docs/halo_functions.md", "| strategy | what happens |", "| order | what happens |")
    with pytest.raises(SystemExit, match=r"halo_functions\.md has 0 lists of strategies"):
        run(tool, monkeypatch, "--check")
