#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every complete program of a Markdown page against an installed prefix and runs it.

    check_docs.py PAGE PREFIX FOLDER MPICC MPIFORT LAUNCHER…

MPIFORT may be empty: then the Fortran programs are left out, and it says so.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def programs(page: str) -> list[tuple[str, str, str]]:
    """(name, language, text) of every block that is a whole program, named by the heading above it."""
    found = []
    heading = ""
    for match in re.finditer(r"^## ([^\n]+)$|^```(c|fortran)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if match[1]:
            heading = match[1]
        elif "int main(" in match[3] or re.search(r"^program ", match[3], re.MULTILINE):
            found.append((heading, match[2], match[3]))
    return found


def calls(header: str) -> set[str]:
    return set(re.findall(r"^HALO_API [^(]*?\*?(halo_\w+)\(", header, re.MULTILINE))


def main() -> int:
    page, prefix, folder, mpicc, mpifort, *launcher = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = Path(page).read_text(encoding="utf-8")
    (pc,) = {str(p.parent) for p in Path(prefix).rglob("subcurrent_halo.pc")}
    (header,) = Path(prefix).rglob("subcurrent/halo.h")
    env = {**os.environ, "PKG_CONFIG_PATH": pc}
    examples = programs(text)
    missing = calls(header.read_text()) - {name for name, _, _ in examples}
    if missing:
        print("without an example of their own:", ", ".join(sorted(missing)))
        return 1
    failed = 0
    for name, language, source in examples:
        fortran = language == "fortran"
        if fortran and not mpifort:
            print(f"{name}: left out, there is no Fortran compiler")
            continue
        file = folder / f"{re.sub(r'[^a-z_]', '', name.lower())}.{'f90' if fortran else 'c'}"
        file.write_text(source, encoding="utf-8")
        package = "subcurrent_halo_fortran" if fortran else "subcurrent_halo"
        flags = subprocess.check_output(
            ["pkg-config", "--cflags", "--libs", package], env=env, text=True
        ).split()
        strict = (
            ["-std=f2008", "-Wall", "-Werror", "-O2"]
            if fortran
            else ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]
        )
        program = file.with_suffix("")
        command = [mpifort if fortran else mpicc, *strict, str(file), *flags, "-lm", "-o", str(program)]
        ran = subprocess.run(command, check=False, cwd=folder).returncode
        for ranks in (1, 2):
            ran = (
                ran
                or subprocess.run(
                    [word.replace("{ranks}", str(ranks)) for word in launcher] + [str(program)],
                    check=False,
                    timeout=60,
                ).returncode
            )
        print(f"{name}: {'FAILED' if ran else 'ok'}", flush=True)
        failed += ran != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
