# SPDX-License-Identifier: Apache-2.0
"""Runs cases one after the other in one process, for test_keys: reads [[name, tables], …] as JSON and prints
for each what a user could see of the run, or the sentence that refuses it."""

import contextlib
import hashlib
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path

from subcurrent import core
from subcurrent.case.reading import as_tables, as_toml, typed_case
from subcurrent.errors import BadInput
from subcurrent.launch.plan import Plan
from subcurrent.launch.rundir import RunFolder
from subcurrent.rank.session import run_case
from subcurrent.solvers.kinds import kind_of

# Of summary.json: what follows from the case. Times differ from run to run, and the case is what was given.
SAID = ("threads", "split", "strategy", "transports", "device", "reached", "undercooling", "bytes_moved")
SAID += ("precision", "viscosity", "capped_steps", "expected_magnetopause")
NOT_RESULTS = ("summary.json", "timeline.json", "case.toml", "plan.json", "log.txt")


class Nobody:
    asked = False


def seen(module, context, tables: dict, folder: Path) -> dict:
    try:
        case = typed_case(tables, Path())
    except BadInput as error:
        return {"refused": error.sentence}
    run = RunFolder(folder)
    run.create()
    plan = Plan("run", as_tables(case), str(folder), context.size, events=False)
    run.case.write_text(as_toml(case))
    run.plan.write_text(json.dumps(asdict(plan)))
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            run_case(module, context, plan, Nobody(), lambda: None)
    except (module.Error, BadInput) as error:
        return {"refused": str(error)}
    summary = json.loads(run.summary.read_text())
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    seconds = [line for line in said.getvalue().splitlines() if " left " not in line]
    return {
        "title": kind_of(case).title(case),
        "said": [line.replace(str(folder), "") for line in seconds],
        "files": [str(path.relative_to(folder)) for path in files],
        "results": {
            str(path.relative_to(folder)): digest(path) for path in files if path.name not in NOT_RESULTS
        },
        "summary": {name: summary.get(name) for name in SAID},
    }


def digest(path: Path) -> str:
    content = path.read_bytes()
    if path.name == "history.csv":  # without the seconds
        content = b"\n".join(line.rpartition(b",")[0] for line in content.splitlines())
    return hashlib.sha256(content).hexdigest()


def main() -> None:
    folder, options = Path(sys.argv[1]), json.loads(sys.argv[2])
    module = core.load()
    context = module.Context(**options)
    found = {}
    for number, (name, tables) in enumerate(json.load(sys.stdin)):
        found[name] = seen(module, context, tables, folder / f"{number:04d}")
    if context.rank == 0:
        (folder / "found.json").write_text(json.dumps(found))
    context.close()


if __name__ == "__main__":
    main()
