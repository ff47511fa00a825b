#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the dendrite's strong scaling on the machine of Ogawa, Aoki and Yamanaka (2010), figures 5 to 8.

    bench/dendrite_paper.py [--machine machines/tsubame_1_2.toml] [--figure FILE]

One kernel of 373 operations a cell, grids cut along z, two planes of two fields exchanged each way a step:
GPU to host, copied between pinned buffers, sent; and back. `blocking` takes C + M; `boundary_first` computes
its shell, then core and messages together. Calibrated on one row, 960^3 on 16 GPUs; the rest is predicted.
CPU cores compute at the one rate that the paper gives and send the same planes, without a GPU's copies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import script

from subcurrent.machines import load_machine
from subcurrent.plots import style

ROOT = Path(__file__).resolve().parents[1]
FLOPS, FIELDS, REAL = 373, 2, 4  # operations a cell; bytes of a value
CORES = (16, 32, 64, 128)
GPUS = {512: (1, 2, 4, 8, 16, 24, 32, 40), 960: (4, 8, 16, 24, 32, 40), 1920: (30, 32, 40, 48, 64)}


@dataclass(frozen=True)
class Machine:
    flops: float  # 1/s of a GPU
    link: float  # bytes/s between host and GPUs
    gpus_on_link: int
    core_flops: float  # 1/s of a core of the CPUs
    copy_over_link: float  # times that the link takes
    messages_over_link: float

    @classmethod
    def read(cls, path: Path) -> Machine:
        there = load_machine(path)
        gpu, network = there.gpu, there.network
        over_link = 2 * gpu.on_link / gpu.link  # s of a byte out and a byte in
        return cls(
            flops=gpu.flops,
            link=gpu.link,
            gpus_on_link=gpu.on_link,
            core_flops=there.node.core_flops,
            copy_over_link=gpu.host_copies,
            messages_over_link=gpu.per_node / network.bandwidth / over_link,
        )


@dataclass(frozen=True)
class Step:
    """Seconds of a step of n^3 cells on some GPUs."""

    shell: float
    core: float
    link: float
    copies: float
    messages: float
    flops: float

    @property
    def moving(self) -> float:
        return self.link + self.copies + self.messages

    @property
    def blocking(self) -> float:
        return self.shell + self.core + self.moving

    @property
    def boundary_first(self) -> float:
        return self.shell + max(self.core, self.moving)

    def tflops(self, strategy: str) -> float:
        return 1e-12 * self.flops / getattr(self, strategy)


def step(machine: Machine, n: int, gpus: int, *, cubes: bool = False) -> Step:
    """A step on slabs, or on cubes: what each GPU computes, sends and receives."""
    side = n / gpus ** (1 / 3)
    cells = n**3 / gpus
    faces = 6 * side**2 if cubes else 2 * n**2  # cells of a GPU beside another one's, as many come back
    if gpus == 1:
        faces = 0
    computing = FLOPS / machine.flops
    link = machine.gpus_on_link * 2 * faces * FIELDS * REAL / machine.link
    return Step(
        shell=computing * min(faces, cells),
        core=computing * max(cells - faces, 0),
        link=link,
        copies=machine.copy_over_link * link,
        messages=machine.messages_over_link * link,
        flops=FLOPS * n**3,
    )


def on_cores(machine: Machine, n: int, cores: int) -> Step:
    """The same slabs, each computed by a core of the CPUs."""
    s = step(replace(machine, flops=machine.core_flops), n, cores)
    return replace(s, link=0, copies=0)


def knee(machine: Machine, n: int, *, cubes: bool = False) -> int:
    """The first number of GPUs whose messages take longer than what they are to hide under."""
    for gpus in range(2, 10_000):
        s = step(machine, n, gpus, cubes=cubes)
        if s.moving > s.core:
            return gpus
    raise ValueError("messages never outgrow computation")


def what_ifs(machine: Machine) -> dict[str, tuple[Machine, bool]]:
    """Section 6 of the paper."""
    faster_link = replace(
        machine,
        link=4 * machine.link,
        copy_over_link=4 * machine.copy_over_link,
        messages_over_link=4 * machine.messages_over_link,
    )
    return {
        "as it was": (machine, False),
        "PCIe 2.0 x16": (faster_link, False),
        "QDR InfiniBand": (replace(machine, messages_over_link=machine.messages_over_link / 4), False),
        "no copy between pinned buffers": (replace(machine, copy_over_link=0), False),
        "cubes instead of slabs": (machine, True),
    }


def draw(machine: Machine, path: Path) -> None:
    note = "lines: predicted from one row (960³, 16 GPUs); crosses: the figures that the paper prints"
    with style.figure(path, 7.5, 4.8, "The dendrite on the paper's 40 GPUs", note) as drawing:
        axes = drawing.subplots()
        for (n, gpus), colour in zip(GPUS.items(), (style.GREEN, style.ORANGE, style.BLUE), strict=True):
            for strategy, line in (("boundary_first", "o-"), ("blocking", "o:")):
                rates = [step(machine, n, g).tflops(strategy) for g in gpus]
                axes.plot(gpus, rates, line, color=colour, markersize=4, label=f"{n}³, {strategy}")
        axes.plot((16, 40), (2, 5), "x", color=style.INK, markersize=9)
        axes.set_xlabel("GPUs")
        axes.set_ylabel("TFLOPS")
        axes.set_ylim(bottom=0)
        axes.legend()


def print_gpus(machine: Machine) -> None:
    """Figures 5 to 7."""
    print("M in ms: link, copies between pinned buffers, MPI; rates in TFLOPS\n")
    print("| grid | GPUs | C, ms | M, ms | parts of M | blocking | boundary_first | hidden |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for n, counts in GPUS.items():
        for gpus in counts:
            s = step(machine, n, gpus)
            hidden = f"{min(s.core, s.moving) / s.moving:.0%}" if s.moving else "–"
            parts = " + ".join(f"{1e3 * part:.0f}" for part in (s.link, s.copies, s.messages))
            print(
                f"| {n}³ | {gpus} | {1e3 * (s.shell + s.core):.0f} | {1e3 * s.moving:.0f} | {parts} "
                f"| {s.tflops('blocking'):.2f} | {s.tflops('boundary_first'):.2f} | {hidden} |"
            )


def print_cores(machine: Machine) -> None:
    """Figure 8."""
    print("\n| 960³ on CPU cores | GFLOPS, blocking | of ideal |\n|---|---:|---:|")
    for cores in CORES:
        rate = 1e12 * on_cores(machine, 960, cores).tflops("blocking")
        print(f"| {cores} | {1e-9 * rate:.1f} | {rate / (cores * machine.core_flops):.3f} |")


def print_knees(machine: Machine) -> None:
    """Section 6."""
    print("\n| messages outgrow computation from … GPUs on | 512³ | 960³ | 1920³ |\n|---|---:|---:|---:|")
    for name, (other, cubes) in what_ifs(machine).items():
        print(f"| {name} | " + " | ".join(str(knee(other, n, cubes=cubes)) for n in GPUS) + " |")


def main() -> None:
    parser = script.parser(__doc__)
    parser.add_argument("--machine", type=Path, default=ROOT / "machines/tsubame_1_2.toml")
    parser.add_argument("--figure", type=Path, help="a picture like figure 5, for example .png")
    arguments = script.parse(parser, {})
    machine = Machine.read(arguments.machine)
    print_gpus(machine)
    print_cores(machine)
    print_knees(machine)
    if arguments.figure:
        draw(machine, arguments.figure)


if __name__ == "__main__":
    main()
