#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom, that MPI, OpenMP, CUDA launches and files stay in the folders made for them, and
that headers of the standard library are included where their names are used.

    tools/check_includes.py [ROOT]

Prints one line for each violation as file:line and exits with 1 if there is any.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"}

# Each layer may include itself and those before it.
ENGINE = ["base", "plan", "grid", "field", "exec", "move", "stage", "overlap"]
UMBRELLA = "subcurrent.hpp"  # engine/subcurrent.hpp, the engine in one include, for those above it

# Folders outside the engine, and the engine layers each may include; every one may include itself.
ABOVE_ENGINE = {
    "io": ["base", "grid", "field"],
    "spectral": ENGINE,
    "solvers": [*ENGINE, UMBRELLA],
    "model": ["base", "plan", "grid", "stage"],  # declarations only, so never a field
}
# Libraries beside the engine that a folder above it may include.
BESIDE = {"solvers": ["spectral"]}
# Parts of them that may include more.
EXCEPTIONS = {
    "model/probe": [*ENGINE, UMBRELLA],  # measures this machine with the engine's own movements
}
# These see everything.
FACES = ["api", "python"]
# Only these are checked; tests, bench and examples are users and may do as they like.
CHECKED = ["engine", *ABOVE_ENGINE, *FACES]
USERS = ["tests", "bench", "examples"]


@dataclass(frozen=True)
class Confined:
    """Something that may appear in some folders only; a folder is a prefix of the path from the root."""

    what: str
    pattern: re.Pattern
    allowed: tuple[str, ...]


SIMULATED = "model/simulate/"  # a program of its own, under a simulator's MPI

CONFINED = [
    Confined("calls MPI", re.compile(r"\bP?MPI_[A-Z]\w*\s*\("), ("engine/base/", "engine/move/", SIMULATED)),
    # The rest may not even name it; io hands the communicator on to HDF5, the faces receive one.
    Confined(
        "names MPI",
        re.compile(r"\bP?MPI_[A-Z]\w*\b(?!\s*\()|<mpi\.h>"),
        ("engine/base/", "engine/move/", "io/", "python/", "api/", SIMULATED),
    ),
    Confined(
        "uses OpenMP",
        re.compile(r"#\s*pragma\s+omp\b|\b_Pragma\s*\(\s*\"\s*omp\b|\bomp_\w+\s*\(|<omp\.h>"),
        ("engine/exec/",),
    ),
    Confined("launches a CUDA kernel", re.compile(r"<<<|\bcudaLaunch\w*\s*\("), ("engine/exec/",)),
    Confined(
        "touches files",
        re.compile(
            r"\b(?:fopen|freopen|fdopen|openat|creat|pread|pwrite|p?readv|p?writev|mkstemp|fsync|fdatasync"
            r"|ftruncate|io_uring_\w+)\s*\("
            r"|(?<![\w:.>])::(?:open|read|write|rename|unlink)\s*\("
            r"|\bstd::(?:basic_)?[io]?f(?:stream|ilebuf)\b|\bstd::filesystem\b|\bstd::(?:rename|remove)\s*\(\s*[^,()]*\)"
            r"|<(?:fstream|filesystem|fcntl\.h|liburing\.h)>"
        ),
        ("engine/move/stream", "engine/base/shared_memory.cpp", "io/", SIMULATED),
    ),
    Confined("calls HDF5", re.compile(r"\bH5[A-Z]{1,2}\w*\s*\(|<hdf5\.h>"), ("io/",)),
]

# Names of the standard library whose header must be included, by the file or by what it includes: other
# headers bring them along in one version of the library and not in the next (<cstdint> until GCC 12).
STANDARD = {
    "algorithm": r"(?:ranges::)?(?:sort|stable_sort|any_of|all_of|none_of|find|find_if|count_if|transform"
    r"|for_each|max_element|min_element|clamp|lower_bound|upper_bound|nth_element|unique|reverse|rotate|copy_if)\s*\(",
    "bit": r"(?:bit_cast|bit_ceil|bit_width|popcount|countr_zero|countl_zero|has_single_bit)\b",
    "cmath": r"(?:sqrt|sin|cos|pow|exp|fabs|floor|ceil|isnan|isfinite)\s*\(",
    "cstdint": r"u?int(?:8|16|32|64|ptr|max)_t\b",
    "cstdio": r"(?:printf|fprintf|snprintf|fopen|FILE)\b",
    "cstdlib": r"(?:getenv|exit|abort|strtod|strtol)\b",
    "functional": r"function\b",
    "memory": r"(?:unique_ptr|shared_ptr|make_unique|make_shared)\b",
    "stdexcept": r"(?:runtime_error|logic_error|invalid_argument|out_of_range|length_error)\b",
    "string_view": r"string_view\b",
    "tuple": r"(?:tuple|ignore|tie)\b",
    "utility": r"(?:exchange|pair)\b",
}
STANDARD = {header: re.compile(r"\bstd::" + names) for header, names in STANDARD.items()}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
CODE = re.compile(
    r'R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'  # string
    r"|'(?:\\.|[^'\\\n])'"  # character; a digit separator is not one
    r"|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)


def blank(text: str) -> str:
    """Text with comments and strings blanked out, every line where it was; include lines and _Pragma stay."""

    def space(match: re.Match) -> str:
        found = match.group(0)
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if found.startswith('"') and re.search(r"#\s*include\s*$|_Pragma\s*\(\s*$", before):
            return found
        return re.sub(r"[^\n]", " ", found)

    return CODE.sub(space, text)


def include_error(path: str, target: str, root: Path) -> str | None:
    """Why the file `path` may not include `target`, or None."""
    own, aim = path.split("/"), target.split("/")
    if aim[0] not in CHECKED:
        return f'includes "{target}", which does not start at the root of the repository'
    if not (root / target).is_file():
        return f'includes "{target}", which does not exist'
    if own[0] in FACES:
        return None
    if own[0] == "engine":
        if aim[0] != "engine":
            return f'is part of the engine and includes "{target}"'
        layers = ENGINE if own[1] == UMBRELLA else ENGINE[: ENGINE.index(own[1]) + 1]
        return None if aim[1] in layers else f'is in {own[0]}/{own[1]} and includes "{target}" from above'
    if aim[0] == "engine":
        layers = EXCEPTIONS.get("/".join(own[:2]), ABOVE_ENGINE[own[0]])
        return None if aim[1] in layers else f'includes "{target}"; {own[0]} may include {", ".join(layers)}'
    if aim[0] in BESIDE.get(own[0], []):
        return None
    if aim[0] != own[0]:
        return f'is in {own[0]} and includes "{target}"'
    if own[0] == "solvers" and aim[1] not in (own[1], "common"):
        return f'includes another solver: "{target}"'
    return None


def check_file(path: str, root: Path) -> list[str]:
    """The violations of one file, each as path:line: sentence."""
    parts = path.split("/")
    if parts[0] == "engine" and parts[1:] != [UMBRELLA] and (len(parts) < 3 or parts[1] not in ENGINE):
        return [f"{path}:1: lies in no layer of the engine ({', '.join(ENGINE)})"]
    errors = []
    text = blank((root / path).read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        if include := INCLUDE.match(line):
            if error := include_error(path, include.group(1), root):
                errors.append(f"{path}:{number}: {error}")
            continue
        for rule in CONFINED:
            if not path.startswith(rule.allowed) and (hit := rule.pattern.search(line)):
                found, where = hit.group(0).strip(), ", ".join(rule.allowed)
                errors.append(f"{path}:{number}: {rule.what} ({found}), allowed in {where} only")
    return errors


def missing_headers(root: Path) -> list[str]:
    """Names of the standard library that a file uses without their header."""
    files = {
        file.relative_to(root).as_posix(): blank(file.read_text(encoding="utf-8"))
        for folder in (*CHECKED, *USERS)
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in SUFFIXES and file.is_file()
    }
    included = {
        path: re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, re.M) for path, text in files.items()
    }

    def reaches(path: str, header: str, seen: set[str]) -> bool:
        seen.add(path)
        return header in included[path] or any(
            reaches(target, header, seen)
            for target in included[path]
            if target in files and target not in seen
        )

    return [
        f"{path}:1: uses {used.group(0).strip(' (')} without <{header}>"
        for path, text in files.items()
        for header, names in STANDARD.items()
        if (used := names.search(text)) and not reaches(path, header, set())
    ]


def check(root: Path) -> list[str]:
    """The violations of a whole repository."""
    errors = []
    for folder in CHECKED:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                errors += check_file(file.relative_to(root).as_posix(), root)
    return errors + missing_headers(root)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = check(root)
    if errors:
        print("\n".join(errors), file=sys.stderr)
        print(f"check_includes: {len(errors)} violation(s)", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
