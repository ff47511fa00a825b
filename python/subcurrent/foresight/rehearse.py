# SPDX-License-Identifier: Apache-2.0
"""A case's step rehearsed as ranks that are not there: `python -m subcurrent.foresight.rehearse`, a request
as JSON on its standard input, the answer as the last line of its standard output.

It is a process of its own because it loads the compiled module, which its callers do not (see `core`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import core
from ..errors import OTHER, SubcurrentError
from ..rank.measure import advance
from ..solvers.cases import SOLVERS
from ..solvers.kinds import kind_of

SETTLING = 2  # steps, or passes of several, after which halos travel as they will in all others
MARK = "rehearsed "


@dataclass
class Part:
    """One rank of a run, under some strategies, on machines as the compiled module takes them."""

    case: dict[str, Any]
    rank: int
    ranks: int
    ranks_per_node: int
    threads: int
    steps: int
    strategies: list[str]
    machines: dict[str, dict[str, Any]] = field(default_factory=dict)
    traces: str = ""  # a folder with one for each strategy, where a simulator finds what this rank plays


def rehearse(parts: list[Part]) -> list[dict[str, Any]]:
    """Of every part by strategy and machine what a forecast tells (see `_core.forecast`), for all its steps,
    and under "work" the boxes that its stages compute. Raises SubcurrentError with the sentence of the solver
    or the engine that refuses."""
    request = json.dumps([asdict(part) for part in parts])
    done = subprocess.run(
        [sys.executable, "-m", "subcurrent.foresight.rehearse"],
        input=request,
        check=False,
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode != 0 or not lines:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise SubcurrentError(
            f"the rehearsal ended with {done.returncode}: {said[-1] if said else 'it said nothing'}"
        )
    answer = json.loads(lines[-1].removeprefix(MARK))
    if "error" in answer:
        raise SubcurrentError(answer["error"], answer["exit_code"])
    return answer["parts"]


def main() -> int:
    parts = [Part(**part) for part in json.loads(sys.stdin.read())]
    try:
        module = core.load()
        everything = module.Context()  # keeps MPI while parts come and go
        answer = {"parts": [_play(module, part) for part in parts]}
        everything.close()
    except Exception as error:
        answer = {"error": str(error), "exit_code": getattr(error, "exit_code", OTHER)}
    print(MARK + json.dumps(answer), flush=True)
    return 0


def _play(module: Any, part: Part) -> dict[str, Any]:
    case = SOLVERS[part.case["solver"]].model_validate(part.case)
    kind, answer = kind_of(case), {}
    for strategy in part.strategies:
        context = module.Context(threads=part.threads, rehearsed=[part.rank, part.ranks, part.ranks_per_node])
        options = case.options()
        options["engine"]["strategy"] = strategy
        context.sample(0, 0)
        solver = kind.make(module, context, options)
        length = case.engine.steps_per_pass
        advance(solver, SETTLING * length, length)
        module.note_rehearsal(context)
        advance(solver, part.steps, length)
        if part.traces:
            (machine,) = part.machines.values()
            Path(part.traces, strategy, str(part.rank)).write_text(module.trace(context, machine))
            del solver
            context.close()
            continue
        answer[strategy] = {
            name: module.forecast(context, machine, strategy) for name, machine in part.machines.items()
        }
        answer[strategy]["work"] = module.rehearsed(context)
        del solver
        context.close()
    return answer


if __name__ == "__main__":
    sys.exit(main())
