# SPDX-License-Identifier: Apache-2.0
"""Dry run of a case's step, as ranks that do not exist: `python -m subcurrent.foresight.rehearse`. The
request is JSON on standard input, the answer the last line of standard output.

It is a process of its own because it loads the compiled module, which its callers do not (see `core`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import core
from ..errors import OTHER, SubcurrentError
from ..launch import mpi
from ..rank.measure import advance
from ..solvers.cases import typed_case
from ..solvers.kinds import kind_of

SETTLING = 2  # steps, or passes of several, after which halos travel as they will in all others
MARK = "rehearsed "


@dataclass
class Part:
    """Ranks of a run that are computed together, under some strategies, on machines as the compiled module
    takes them."""

    case: dict[str, Any]
    played: list[int]
    ranks: int
    ranks_per_node: int
    threads: int
    steps: int
    strategies: list[str]
    machines: dict[str, dict[str, Any]] = field(default_factory=dict)
    like: list[int] = field(default_factory=list)  # of all ranks: which of `played` does as it does; -1: none
    # Seconds of these steps without overlap: under "stages" of shell and core by name, and of "messages".
    measured: dict[str, Any] | None = None
    traces: str = ""  # a folder with one for each strategy, where a simulator finds what a rank plays

    def typed_case(self) -> Any:
        return typed_case(self.case)


def rehearse(parts: list[Part]) -> list[dict[str, Any]]:
    """Of every part by strategy and machine what a forecast tells of each rank (see `_core.forecast`), for
    all its steps, under "work" the boxes that the first one's stages compute, under "copied" the bytes that
    it reads from files and writes to them, and of measured steps the seconds of the "critical path". Raises
    SubcurrentError with the sentence of the solver or the engine that refuses."""
    return ask("subcurrent.foresight.rehearse", given=json.dumps([asdict(part) for part in parts]))


def ask(module: str, *words: str, given: str = "") -> Any:
    """What a module answers (see `answered`) in a process of its own, which is no rank of a run."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, *words],
        input=given,
        check=False,
        capture_output=True,
        text=True,
        env=mpi.without_outer(os.environ),
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode != 0 or not lines:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise SubcurrentError(
            f"the dry run of a step for a prediction failed with exit code {done.returncode}: "
            f"{said[-1] if said else 'no message'}"
        )
    answer = json.loads(lines[-1].removeprefix(MARK))
    if "error" in answer:
        raise SubcurrentError(answer["error"], answer["exit_code"])
    return answer["told"]


def answered(tell: Callable[[], Any]) -> int:
    """Prints what `tell` returns, or its error, for the process that has asked."""
    try:
        answer = {"told": tell()}
    except Exception as error:
        answer = {"error": str(error), "exit_code": getattr(error, "exit_code", OTHER)}
    print("\n" + MARK + json.dumps(answer), flush=True)
    return 0


def main() -> int:
    parts = [Part(**part) for part in json.loads(sys.stdin.read())]

    def tell() -> list[dict[str, Any]]:
        module = core.load()
        everything = module.Context()  # keeps MPI while parts come and go
        told: dict[tuple, Any] = {}
        answers = [_play(module, part, told) for part in parts]
        everything.close()
        return answers

    return answered(tell)


def _made(module: Any, part: Part, rank: int, strategy: str, told: Any) -> tuple[Any, Any]:
    """A context that represents a rank, and its solver."""
    case = part.typed_case()
    context = module.Context(threads=part.threads, rehearsed=[rank, part.ranks, part.ranks_per_node])
    if told is not None:
        module.hear(context, told)
    options = case.options()
    options["engine"]["strategy"] = strategy
    return context, kind_of(case).make(module, context, options)


def _told(module: Any, part: Part) -> Any:
    """What all ranks send to each other while they are created."""
    told = module.Told()
    for rank in range(part.ranks):
        context, solver = _made(module, part, rank, part.strategies[0], told)
        del solver
        context.close()
    told.all = True
    return told


def _play(module: Any, part: Part, told: dict[tuple, Any]) -> dict[str, Any]:
    case = part.typed_case()
    kind, answer = kind_of(case), {}
    known = json.dumps(part.case), part.ranks
    if kind.tells(case) and known not in told:
        told[known] = _told(module, part)
    for strategy in part.strategies:
        noted, work = [], None
        for rank in part.played:
            context, solver = _made(module, part, rank, strategy, told.get(known))
            length = case.one_length("the dry run of a step")
            advance(solver, SETTLING * length, length)
            module.note_rehearsal(context)
            advance(solver, part.steps, length)
            if part.traces:
                (machine,) = part.machines.values()
                Path(part.traces, strategy, str(rank)).write_text(module.trace(context, machine, strategy))
            else:
                noted.append(module.rehearsal(context))
                work = work or module.rehearsed(context)
            del solver
            context.close()
        if noted:
            joins = getattr(case.engine, "halo_thread_joins", True)  # thread 0 computes core tiles, too
            answer[strategy] = {
                name: module.forecast(noted, part.played, part.like, machine, strategy, joins)
                for name, machine in part.machines.items()
            }
            answer[strategy]["work"] = work
            answer[strategy]["copied"] = module.copied(noted[0])
        if noted and part.measured is not None:
            paths = [module.critical_path(one, strategy, **part.measured) for one in noted]
            answer[strategy]["critical path"] = max(paths)
    return answer


if __name__ == "__main__":
    sys.exit(main())
