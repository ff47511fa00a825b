# SPDX-License-Identifier: Apache-2.0
"""The candidates of `subcurrent tune`: layouts of ranks and threads, splits and strategies; then other keys
one by one."""

from __future__ import annotations

from typing import Any

from ..case.reading import Case
from ..case.splits import chosen_split, splits
from ..case.storage import IN_PIECES
from ..case.strategies import STRATEGIES
from ..errors import BadInput, SubcurrentError
from ..given import check_option
from ..launch import mpi
from ..launch.mpi import Layout
from ..launch.tuned import value_of, with_settings
from ..solvers.stencil.case import NAME as STENCIL
from .machines import load_machine
from .predict import predicted

MOST_SPLITS = 6
POKES = (0.1, 0.2, 1.0, 2.0)  # milliseconds
PASSES = (2, 3, 4, 6, 8)  # steps
SWEEPS = (2, 4, 8)  # relaxation sweeps a pass
TILES = ([8, 4], [16, 8], [32, 16], [64, 32])  # rows and planes
PIECES = 8  # where the case does not say
WORSE = 1.3  # times the least predicted time: what is not measured. Predictions are off by up to 20 %.
UNPREDICTED = ("automatic", "ordered")


def layouts(case: Case, ranks: int | None, cpus: int | None, threads_stay: bool) -> list[Layout]:
    """All divisions of the CPUs into ranks and threads that the case allows. Raises BadInput if there is
    none."""
    there = mpi.cpus().cores
    check_option("--cpus", cpus)
    check_option("-n", ranks)
    if cpus is None:
        cpus = max(there, ranks or 1)
    if threads_stay:
        threads = case.engine.threads
        numbers = [ranks] if ranks is not None else _divisors(max(1, cpus // threads))
        found = [Layout(number, threads) for number in numbers]
    elif ranks is not None:
        found = [Layout(ranks, threads) for threads in sorted({1, max(1, cpus // ranks)})]
    else:
        found = [Layout(number, cpus // number) for number in _divisors(cpus)]
    refused: BadInput | None = None
    fitting = []
    for layout in found:
        try:
            case.check_ranks(layout.ranks)
            fitting.append(layout)
        except BadInput as error:
            refused = error
    if not fitting:
        raise refused
    return fitting


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def first_settings(case: Case, ranks: int, fixed: list[str]) -> list[dict[str, Any]]:
    """All splits with all strategies that the case allows; the unchanged case is added elsewhere."""
    here = {"engine.split": case.engine.split, "engine.strategy": case.engine.strategy}
    splits = [case.engine.split]
    if "engine.split" not in fixed:
        splits += _splits(case, ranks)
    names = [case.engine.strategy]
    if "engine.strategy" not in fixed:
        names += [name for name in STRATEGIES if name not in ("ordered", case.engine.strategy)]
    candidates = [{"engine.split": split, "engine.strategy": name} for split in splits for name in names]
    changed = [{k: v for k, v in one.items() if v != here[k]} for one in candidates]
    return [one for one in changed if one]


def _splits(case: Case, ranks: int) -> list[list[int]]:
    """The splits with the least halo data, without the automatic one."""
    cells = case.cells()
    own = chosen_split(cells, "auto", ranks, case.halo())
    found = [split for split in splits(ranks) if tuple(split) != own and _fits(case, split, ranks)]

    def halo(split: list[int]) -> float:
        faces = [cells[1] * cells[2], cells[0] * cells[2], cells[0] * cells[1]]
        return sum(parts * face for face, parts in zip(faces, split, strict=True) if parts > 1)

    return sorted(found, key=halo)[:MOST_SPLITS]


def _fits(case: Case, split: list[int], ranks: int) -> bool:
    try:
        case.updated("engine", split=split).check_ranks(ranks)
    except BadInput:
        return False
    return True


def varied(case: Case, ranks: int, fixed: list[str], longest: int | None = None) -> dict[str, list[Any]]:
    """Other values of the keys that the case has and that have an effect by themselves; passes have at most
    `longest` steps, those of a run if None."""
    longest = case.longest_pass() if longest is None else longest
    values: dict[str, list[Any]] = {}
    engine, on_host = case.engine, case.engine.device == "cpu"
    storage = getattr(case, "storage", None)
    # Pieces that follow from the memory of several ranks may turn out too thin, which ends the ranks.
    unknown = storage is not None and storage.memory is not None and ranks > 1
    if not case.single_steps and on_host and not unknown:
        values["engine.steps_per_pass"] = [n for n in PASSES if n <= longest]
        cells = case.cells()
        values["engine.pass_tile"] = [one for one in TILES if one[0] <= cells[1] and one[1] <= cells[2]]
    if on_host:
        values["pressure.sweeps_per_pass"] = list(SWEEPS)
    if ranks > 1:
        values["engine.corners"] = ["direct", "staged"]
        values["engine.poke_ms"] = list(POKES)
        if engine.threads > 1 and on_host:
            values["engine.halo_thread_joins"] = [False]
    if storage is not None and storage.place in IN_PIECES and storage.memory is None:
        fewest = storage.pieces or PIECES
        # A piece has at least one plane; in passes of several steps no fewer than in the case.
        planes = min(case.cells()) // ranks if engine.steps_per_pass == 1 else 0
        values["storage.pieces"] = [n for n in (2 * fewest, 4 * fewest) if n <= planes]
    if case.solver == STENCIL and case.in_files() and engine.steps_per_pass == 1:
        pieces, planes = case.grid.pieces, case.cells()[2] // ranks
        values["grid.pieces"] = [n for n in (2 * pieces, 4 * pieces) if n <= planes]
    return {
        key: kept
        for key, tried in values.items()
        if key not in fixed and (kept := [one for one in tried if _acts(case, key, one)])
    }


def _acts(case: Case, key: str, value: Any) -> bool:
    """Whether the case accepts this value of a key, since keys without effect are errors. A key that needs
    another one (halo_thread_joins needs `halo_thread`, pass_tile several steps a pass) is tried together with
    it."""
    settings = {key: value}
    table, _, name = key.partition(".")
    if not hasattr(getattr(case, table, None), name):
        return False  # of another solver
    if key == "engine.halo_thread_joins":
        settings["engine.strategy"] = "halo_thread"
    if key == "engine.pass_tile" and case.engine.steps_per_pass == 1:
        settings["engine.steps_per_pass"] = PASSES[0]
    try:
        with_settings(case, settings).check()
    except BadInput:
        return False
    return value != value_of(case, key)


def pruned(
    cases: list[Case], found: list[Layout], firsts: list[list[dict[str, Any]]], machine: str
) -> tuple[list[Layout], list[list[dict[str, Any]]], str]:
    """The candidates without those that a machine file predicts to be much slower; a sentence says how many
    were left out, or why nothing can be predicted. A layout stays if one of its candidates does."""
    there = load_machine(machine)
    times: list[dict[tuple, float]] = []
    for case, layout, first in zip(cases, found, firsts, strict=True):
        try:
            times.append(_foretold(case, layout, first, there))
        except SubcurrentError as error:
            said = f"no candidate is left out, because none can be predicted: {error.sentence.rstrip('.')}"
            return found, firsts, said
    least = min(time for group in times for time in group.values())
    kept_layouts, kept_firsts = [], []
    for case, layout, first, group in zip(cases, found, firsts, times, strict=True):
        if min(group.values()) > WORSE * least:
            continue
        kept_layouts.append(layout)
        kept_firsts.append([one for one in first if group.get(_name(case, one), 0.0) <= WORSE * least])
    before = sum(1 + len(first) for first in firsts)
    after = sum(1 + len(first) for first in kept_firsts)
    return (
        kept_layouts,
        kept_firsts,
        f"{there.name} predicts that {before - after} of {before} candidates take more than "
        f"{WORSE:g} times the shortest step, {1e3 * least:.3g} ms: they are left out",
    )


def _name(case: Case, settings: dict[str, Any]) -> tuple:
    split = settings.get("engine.split", case.engine.split)
    return str(split), settings.get("engine.strategy", case.engine.strategy)


def _foretold(case: Case, layout: Layout, first: list[dict[str, Any]], machine: Any) -> dict[tuple, float]:
    """Predicted seconds of a step by split and strategy; without those that cannot be predicted."""
    named = [_name(case, one) for one in [{}, *first]]
    names = list(dict.fromkeys([n for _, n in named if n not in UNPREDICTED])) or ["blocking"]
    splits = {str(one.get("engine.split", case.engine.split)): one for one in [{}, *first]}
    found = {}
    for split, one in splits.items():
        split_case = case.updated(
            "engine", split=one.get("engine.split", case.engine.split), strategy="blocking"
        )
        row = predicted(
            split_case, machine, layout.ranks, list(dict.fromkeys(["blocking", "ordered", *names]))
        )
        found |= {(split, name): row["strategies"][name]["T"] for name in names}
    return found
