# SPDX-License-Identifier: Apache-2.0
"""Measurements of `subcurrent tune` on the ranks: candidates take turns with whole steps; then the keys of
the fastest are varied."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from ..case.reading import Case
from ..errors import STOPPED, BadInput, SubcurrentError
from ..launch import events
from ..launch.plan import Plan
from ..launch.rundir import write_text
from ..launch.tuned import value_of, with_settings
from ..solvers.kinds import kind_of
from .measure import advance, apart, remove_apart, settle

Settings = dict[str, Any]  # values of keys, by name; {} is the case as it is
Row = dict[str, Any]

# Keys that have an effect only with another one: they are varied together with what was found for that.
TOGETHER = {"engine.pass_tile": "engine.steps_per_pass"}
MARGIN = 0.02  # by which other settings must be faster to be taken: less is noise
LOST = 1.10  # a candidate whose fastest round takes so many times the best median is left out of the others
LEAST_ROUNDS = 2  # before that
LEAST_TURN = 0.05  # seconds a turn takes, so that the clock and the barriers around it do not count
MOST_STEPS = 2000  # of a turn


def measure_candidates(
    module: ModuleType, context: Any, plan: Plan, stop: Any, computing: Callable[[], None]
) -> int:
    """Finds the fastest settings of the plan's case on these ranks; rank 0 writes `tuning.json`: the fastest,
    and a row for every candidate that was measured."""
    context.sample(0, 0)
    search = Search(module, context, plan, stop)
    winner = search.run(computing)
    if context.rank == 0:
        remove_apart(plan.typed_case().options())
        answer = {"split": search.split, "winner": winner, "rows": search.rows}
        write_text(Path(plan.folder) / "tuning.json", json.dumps(answer, indent=1) + "\n")
    return 0


class Search:
    """All measurements are collective. The times of rank 0 decide, and are sent to the others."""

    def __init__(self, module: ModuleType, context: Any, plan: Plan, stop: Any):
        self._module, self._context, self._plan, self._stop = module, context, plan, stop
        self._case = plan.typed_case()
        self._tune = plan.tune
        self._computing: Callable[[], None] = lambda: None
        self._said = 0
        # Where no candidate leaves early: a phase has the case as it is and the best so far, too.
        phases = [self._tune["first"], *self._tune["vary"].values(), [{}] * 2]
        self._most_turns = plan.repeats * sum(2 + len(phase) for phase in phases if phase)
        self.rows: list[Row] = []
        self.split: list[int] = []

    def run(self, computing: Callable[[], None]) -> Row:
        """First all settings of the plan; then the other values of one key after the other, for the fastest;
        then all changes that helped together. Each is compared with the unchanged case."""
        self._computing = computing
        best = self._tournament({}, self._tune["first"], "first")
        helped = {}

        def base(key: str) -> Settings:
            other = TOGETHER.get(key)
            return best | ({other: helped[other]} if other in helped else {})

        for key, values in self._tune["vary"].items():
            others = [base(key) | {key: value} for value in values if value != value_of(self._case, key)]
            found = self._tournament(base(key), others, key)
            if found != base(key):
                helped[key] = found[key]
        if helped:
            singly = [base(key) | {key: value} for key, value in helped.items()]
            best = self._tournament(best, [*singly, best | helped], "together")
        return self._confirmed(best)

    def _tournament(self, best: Settings, candidates: list[Settings], phase: str) -> Settings:
        """The fastest of some settings; as many are measured at a time as fit into memory with the best so
        far."""
        todo = [one for one in candidates if one not in ({}, best) and self._allowed(one)]
        beside = [{}] if best == {} else [{}, best]
        room = max(1, self._tune["at_once"] - len(beside))
        for first in range(0, len(todo), room):
            entered = [*beside, *todo[first : first + room]]
            rows = self._contest(entered, phase, self._plan.repeats)
            champion = rows[len(beside) - 1]
            fastest = max(rows[len(beside) :], key=lambda row: row["ratio"])
            if fastest["ratio"] > champion["ratio"] * (1 + MARGIN):
                best = fastest["settings"]
                beside = [{}, best]
        return best

    def _confirmed(self, best: Settings) -> Row:
        """Compares the best with the unchanged case, in twice as many rounds; returns the latter if little is
        gained."""
        entered = [{}] if best == {} else [{}, best]
        rows = self._contest(entered, "winner", 2 * self._plan.repeats)
        return rows[-1] if rows[-1]["ratio"] > 1 + MARGIN else rows[0]

    def _allowed(self, settings: Settings) -> bool:
        """Whether these keys can be combined, on this number of ranks."""
        try:
            case = with_settings(self._case, settings)
            case.check()
            case.check_ranks(self._context.size)
        except BadInput:
            return False
        return True

    # -- measuring ---------------------------------------------------------------------------------------

    def _contest(self, entered: list[Settings], phase: str, rounds: int) -> list[Row]:
        """The rows of some settings, the first being the unchanged case, measured in turn in every round;
        settings that are too slow are dropped. The times are the same on all ranks."""
        entrants = [
            Entrant(self._module, self._context, with_settings(self._case, settings), number)
            for number, settings in enumerate(entered)
        ]
        self._computing()
        self.split = list(entrants[0].solver.split)
        steps = self._turn_length(entrants)
        left = list(entrants)
        for turn in range(rounds):
            if self._context.any(self._stop.asked):
                raise SubcurrentError("stopped: no measurement is stored.", STOPPED)
            for entrant in left if turn % 2 == 0 else left[::-1]:
                entrant.seconds.append(self._shared(entrant.turn(steps)))
                self._say(phase, entered[entrants.index(entrant)], entrant.seconds[-1])
            if turn + 1 >= LEAST_ROUNDS:
                fastest = min(median(entrant.seconds) for entrant in left)
                left = [e for e in left if e is entrants[0] or min(e.seconds) <= LOST * fastest]
        base = entrants[0].seconds
        rows = [
            {
                "settings": settings,
                "phase": phase,
                "T": median(entrant.seconds),
                "T_all": entrant.seconds,
                # of each round by itself: what slows the machine down for a while slows both
                "ratio": median(a / b for a, b in zip(base, entrant.seconds, strict=False)),
                "left_after": len(entrant.seconds) if entrant not in left else None,
                "split": list(entrant.solver.split),
            }
            for settings, entrant in zip(entered, entrants, strict=True)
        ]
        self.rows += rows
        del entrants, left
        self._context.barrier()
        return rows

    def _turn_length(self, entrants: list[Entrant]) -> int:
        """Warms up all candidates; returns how many steps of the first one a clock can measure."""
        steps = self._plan.steps
        for entrant in entrants:
            entrant.warm(steps)
        while self._shared(entrants[0].turn(steps)) * steps < LEAST_TURN and steps < MOST_STEPS:
            steps *= 2
        return steps

    def _shared(self, seconds: float) -> float:
        """The time of rank 0, on all ranks."""
        return self._context.sum([seconds if self._context.rank == 0 else 0.0])

    def _say(self, phase: str, settings: Settings, seconds: float) -> None:
        self._said += 1
        if self._context.rank != 0:
            return
        named = ", ".join(f"{key.partition('.')[2]} {value}" for key, value in settings.items())
        what = f"{phase}: {named or 'as it is'}, {1e3 * seconds:.3g} ms a step"
        facts = {"share": min(1.0, self._said / self._most_turns), "turn": self._said, "seconds": seconds}
        events.tell(self._plan.events, what, "turn", strategy=what, **facts)


class Entrant:
    """A solver under some settings, and its seconds per step, round by round."""

    def __init__(self, module: ModuleType, context: Any, case: Case, number: int):
        self._context, self._most = context, case.pass_length()
        self.solver = kind_of(case).make(module, context, apart(case.options(), str(number)))
        self.seconds: list[float] = []

    def warm(self, steps: int) -> None:
        """Fills caches, sets up exchanges, and completes the trials of an automatic strategy."""
        self.turn(steps)
        settle(self.solver)
        self.turn(steps)

    def turn(self, steps: int) -> float:
        """Seconds per step over `steps` steps, or over more to complete the last pass."""
        done = -(-steps // self._most) * self._most
        self._context.barrier()
        begin = time.perf_counter()
        advance(self.solver, done, self._most)
        self._context.barrier()
        return (time.perf_counter() - begin) / done
