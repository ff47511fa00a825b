# SPDX-License-Identifier: Apache-2.0
"""tools/count: lines and types, and the subjects by which it divides the engine."""

import re
import subprocess
import sys

from conftest import ROOT
from test_tools_refuse import loaded

COUNT = ROOT / "tools" / "count"
HEADER = """// a struct in a comment {
struct Later;
template <class T, int N>
struct Pair {
  enum class Kind { one, two };
  T first;
};
class Named final : public Base {
};
template <class T> struct Short { T t; };
inline struct Pair<int, 2> made() { return {}; }
"""


def test_types_are_definitions(monkeypatch):
    count = loaded(COUNT, monkeypatch)
    assert count.counted([("a.hpp", HEADER)]) == (1, 11, 4)
    assert count.counted([("a.py", "class Case:\n    pass\n"), ("a.md", "struct S {\n")]) == (2, 3, 0)


def test_every_subject_has_files_and_each_file_one_subject(monkeypatch):
    count = loaded(COUNT, monkeypatch)
    files = [str(path.relative_to(ROOT)) for path in (ROOT / "engine").rglob("*") if path.is_file()]
    subjects = [count.subject_of(file) for file in files]
    assert set(subjects) == {"the first engine", *count.LATER}


def test_the_parts_of_the_engine_are_the_engine():
    done = subprocess.run([sys.executable, COUNT, "--later"], capture_output=True, text=True, check=True)
    lines = {name: int(n) for name, n in re.findall(r"^(\S.*?) +\d+ +(\d+) +\d+$", done.stdout, re.MULTILINE)}
    parts = list(lines)[list(lines).index("the first engine") :]
    assert sum(lines[part] for part in parts) == lines["engine"] > 10_000


def test_an_unknown_commit_is_one_sentence():
    done = subprocess.run([sys.executable, COUNT, "no-such"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("count: git ls-tree failed: ") and "Traceback" not in done.stderr
