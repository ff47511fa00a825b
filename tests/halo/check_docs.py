#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every program of a Markdown page against an installed prefix and runs it.

    check_docs.py PAGE,… PREFIX FOLDER MPICC MPIFORT LAUNCHER…

The first page shows every call. MPIFORT may be empty: then the Fortran programs are left out, and it says so.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INSIDE = "<!-- within: the first program -->\n"


def programs(page: str) -> list[tuple[str, str, str]]:
    """(name, language, text) of every block that is a program or a part of the first, by its heading."""
    found = []
    heading = ""
    blocks = rf"^## ([^\n]+)$|^((?:{re.escape(INSIDE)})?)```(c|fortran)\n(.*?)^```$"
    for match in re.finditer(blocks, page, re.MULTILINE | re.DOTALL):
        if match[1]:
            heading = match[1]
        elif match[2]:
            found.append((heading, match[3], inside(found[0][2], match[4])))
        elif "int main(" in match[4] or re.search(r"^program ", match[4], re.MULTILINE):
            found.append((heading, match[3], match[4]))
    return found


def inside(program: str, body: str) -> str:
    """The program with this between its halo_init and its halo_finalize."""
    lines = program.splitlines(keepends=True)
    begin = next(n for n, line in enumerate(lines) if "halo_init(" in line) + 1
    end = next(n for n, line in enumerate(lines) if "halo_finalize(" in line)
    return "".join([*lines[:begin], body, *lines[end:]])


def shown(examples: list[tuple[str, str, str]]) -> set[str]:
    """The calls that have an example: under their own heading, or in the first program."""
    return {name for name, _, _ in examples} | set(re.findall(r"halo_\w+", examples[0][2]))


def calls(header: str) -> set[str]:
    return set(re.findall(r"^HALO_API [^(]*?\*?(halo_\w+)\(", header, re.MULTILINE))


STRICT = {
    "c": ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"],
    "fortran": ["-std=f2008", "-Wall", "-Werror", "-O2"],
}
PACKAGE = {"c": "subcurrent_halo", "fortran": "subcurrent_halo_fortran"}


def works(file: Path, compiler: str, language: str, pkg_config_path: str, launcher: list[str]) -> bool:
    """Whether the program compiles without a warning and ends well on one rank and on two."""
    asked = ["pkg-config", "--cflags", "--libs", PACKAGE[language]]
    environment = {**os.environ, "PKG_CONFIG_PATH": pkg_config_path}
    flags = subprocess.check_output(asked, env=environment, text=True).split()
    program = str(file.with_suffix(""))
    commands = [[compiler, *STRICT[language], str(file), *flags, "-lm", "-o", program]]
    commands += [[word.replace("{ranks}", ranks) for word in launcher] + [program] for ranks in ("1", "2")]
    return all(subprocess.run(command, check=False, timeout=60).returncode == 0 for command in commands)


def main() -> int:
    pages, prefix, folder, mpicc, mpifort, *launcher = sys.argv[1:]
    compilers = {"c": mpicc, "fortran": mpifort}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (pc,) = {str(p.parent) for p in Path(prefix).rglob("subcurrent_halo.pc")}
    (header,) = Path(prefix).rglob("subcurrent/halo.h")
    first, *others = (programs(Path(page).read_text(encoding="utf-8")) for page in pages.split(","))
    missing = calls(header.read_text()) - shown(first)
    if missing:
        print("without an example of their own:", ", ".join(sorted(missing)))
        return 1
    examples = sum(others, first)

    def check(example: tuple[str, str, str], number: int) -> bool:
        name, language, source = example
        if not compilers[language]:
            print(f"{name}: left out, there is no Fortran compiler")
            return True
        file = folder / f"{number}_{re.sub('[^a-z_]', '', name)}.{'f90' if language == 'fortran' else 'c'}"
        file.write_text(source, encoding="utf-8")
        good = works(file, compilers[language], language, pc, launcher)
        print(f"{name}: {'ok' if good else 'FAILED'}", flush=True)
        return good

    with ThreadPoolExecutor(2) as both_cores:  # as many as ctest sets aside for this test
        return 0 if all(list(both_cores.map(check, examples, range(len(examples))))) else 1


if __name__ == "__main__":
    sys.exit(main())
