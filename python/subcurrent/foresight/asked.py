# SPDX-License-Identifier: Apache-2.0
"""What `predict` is asked for: the options, the case behind a name, and the strategies to compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..case.reading import Case
from ..errors import BadInput
from .machine_keys import Machine
from .strategies import chosen
from .subject import CaseFile, Subject, subject_of

MOST = 10_000_000  # ranks, more than any machine has cores


@dataclass
class PredictRequest:
    """The options of `predict`."""

    case: str | Subject
    machine: str
    ranks: str
    strategies: list[str] = field(default_factory=list)
    per_node: int | None = None
    sets: list[str] = field(default_factory=list)
    weak: bool = False
    steps: int = 1
    sweeps: int = 200
    stages: bool = False
    seconds: float | None = None  # of a step that is wanted
    simulate: bool = False
    out: Path | None = None


def asked(request: PredictRequest, machine: Machine, *more: str) -> tuple[Case, list[str], list[str]]:
    """The case with `more` settings, the strategies, and a sentence for each strategy that is left out. Where
    the machine has devices, a strategy is one of theirs; rehearsed is always the host's step."""
    subject = subject_of(request.case, solvers=True)
    if not isinstance(subject, CaseFile):
        case = subject.step([*request.sets, *more])
        check_device(case, machine)
        names = case.chosen(request.strategies)
        return case, [one for one in names if machine.gpu is None or one != "halo_thread"], []
    joins = subject.case(request.sets).engine.halo_thread_joins
    sets = [*subject.alike(request.sets, request.sweeps), *more, "engine.device=cpu"]
    plain = "blocking" if joins else "halo_thread"  # other strategies lack that key
    case = subject.case([*sets, f"engine.strategy={plain}"])
    check_device(case, machine)
    device = [] if machine.gpu is None else ["engine.device=cuda"]
    names, left_out = chosen(request.strategies, subject, [*sets, *device, "engine.halo_thread_joins=true"])
    if "automatic" in request.strategies:
        left_out.append(
            "automatic is left out: it measures and chooses one of the others while a run goes on"
        )
    return case, [name for name in names if name != "automatic"], left_out


def check_device(case: Case, machine: Machine) -> None:
    """Raises BadInput for a case that the devices of the machine, if it has some, cannot compute, or whose
    time there is not known."""
    if machine.gpu is None:
        return
    if case.pass_length() > 1:
        raise BadInput(
            f"engine.steps_per_pass = {case.passes_in_words()} is not allowed with {machine.name}: passes on "
            "devices, which save messages but no device memory traffic, are not predicted; give 1."
        )
    if "cuda" not in case.devices:
        raise BadInput(
            f"{machine.name} computes on devices, which is not supported by this solver: it runs on "
            f"{' or '.join(case.devices)}."
        )
    case.updated("engine", device="cuda").check()


def counts_of(text: str, option: str = "--ranks") -> list[int]:
    try:
        counts = sorted({int(word) for word in text.split(",") if word.strip()})
    except ValueError:
        counts = []
    if not counts or counts[0] < 1:
        raise BadInput(
            f"{option} {text!r} is not allowed: it must be whole numbers >= 1, separated by commas."
        )
    if counts[-1] > MOST:
        raise BadInput(f"{option} {counts[-1]} is not allowed: it must be at most {MOST}.")
    return counts
