#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks and prints each figure beside its goal: `name: ratio (goal)`. Also build/bench.json.

Ends with 1 where a benchmark failed. What cannot run here is skipped with the reason.
"""

import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import script

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build" / "release" / "bench"
CLUSTER = ROOT / "tools" / "emulated-cluster"
RESULT = re.compile(r"^result: (?P<name>.+): (?P<figure>\S+) \((?P<goal>[^()]*)\)$", re.MULTILINE)
EXPLANATION = """\
Each row compares two programs in one run on one machine. `A / B` is the time of A divided by the time of
B; if the row names speed, cells a second or Mop/s, it is the ratio of these. A copy loop copies as many
bytes as the program must read and write. *Possible* is the ratio with perfect overlap.
[bench/README.md](../bench/README.md) describes each benchmark.""".splitlines()
GOAL = re.compile(r"goal (?P<how>>=|<=|<|>) (?P<bound>[\d.]+)")


@dataclass
class Figure:
    name: str
    figure: float
    goal: str
    met: bool | None  # None where there is no goal

    def line(self) -> str:
        short = "; SHORT" if self.met is False else ""
        return f"{self.name}: {self.figure:.3g} ({self.goal}{short})"


@dataclass
class Job:
    """One command and the most time it may take."""

    name: str
    command: list[str]
    seconds: int
    network: bool = False  # needs root for the emulated network


def program_of(trial: bool):
    """A function that returns the command of a program of ours."""
    return lambda name, *words: [str(PROGRAMS / name), *map(str, words), *(["--trial"] if trial else [])]


def passes(trial: bool = False) -> list[Job]:
    """Everything that has a goal about several steps a pass."""
    program = program_of(trial)

    def written(name: str) -> list[str]:
        return [sys.executable, str(ROOT / "bench" / name), *(["--trial"] if trial else [])]

    return [
        Job("single sweeps, 512³", program("sweep_bench", 3, 2, 512), 240),
        Job("several steps a pass, 256³", program("passes_bench", 5, 2, 256, 256, 320), 400),
        Job("several steps a pass, 512³", program("passes_bench", 3, 2, 512, 0, 0, 0, 0, 0), 300),
        Job("passes in files", written("passes_disk.py"), 300),
        Job("passes beside a device", program("passes_link"), 120),
        Job("passes of a dendrite in files", written("dendrite_disk.py"), 400),
        Job("passes and late messages", written("passes_wire.py"), 120),
        Job("passes on two hosts", written("passes_hosts.py"), 300, network=True),
        Job("passes of relaxation sweeps", written("relaxation.py"), 240),
    ]


def jobs(trial: bool = False) -> list[Job]:
    """In a trial what needs a network runs without one."""
    program = program_of(trial)

    def over_network(*arguments) -> list[str]:
        hosts = mpirun if trial else [str(CLUSTER), "with", "2", "100mbit"]
        return [*hosts, *program("overlap_bench", *arguments)]

    mpirun = ["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"]
    network = not trial
    return [
        Job("Jacobi sweep", program("jacobi_bench", 11), 120),
        Job("dendrite step", program("dendrite_bench"), 120),
        Job("single sweeps", program("sweep_bench"), 120),
        Job("several steps a pass", program("passes_bench"), 240),
        Job("pressure solvers", program("pressure_bench"), 240),
        Job("conjugate gradients", program("cg_bench", 5), 180),
        Job("MHD stages", program("magnetosphere_bench", 96), 180),
        Job("engine overhead", program("overhead_bench"), 60),
        Job("compressible step", program("compressible_bench"), 240),
        Job("line solves, 1 rank", program("lines_bench"), 120),
        Job("line solves, 2 ranks", [*mpirun, *program("lines_bench")], 120),
        Job("halo exchange", [*mpirun, *program("halo_bench", 40)], 120),
        Job("transform, 1 rank", program("fft_bench", 9), 180),
        Job("transform, 2 ranks", [*mpirun, *program("fft_bench", 9)], 180),
        Job("turbulence step", program("turbulence_bench"), 120),
        Job("disk ring", program("stream_bench", PROGRAMS / "stream_bench_scratch"), 180),
        Job("hiding, M = C_core", over_network(128, 128, 1024, 4, 25, "balance"), 120, network),
        Job("hiding, 128x128x1024", over_network(128, 128, 1024, 2, 9), 120, network),
        Job("hiding, 66^3", over_network(64, 64, 64, 20, 15), 60, network),
        Job("hiding, 26^3", over_network(24, 24, 24, 20, 15), 60, network),
    ]


def met(figure: float, goal: str) -> bool | None:
    found = GOAL.match(goal)
    if not found:
        return None
    bound = float(found["bound"])
    return {
        ">=": figure >= bound,
        "<=": figure <= bound,
        "<": figure < bound,
        ">": figure > bound,
    }[found["how"]]


def figures(text: str) -> list[Figure]:
    found = [(m["name"], float(m["figure"]), m["goal"]) for m in RESULT.finditer(text)]
    return [Figure(name, figure, goal, met(figure, goal)) for name, figure, goal in found]


def obstacle(job: Job, time_left: float) -> str | None:
    """Why a job cannot run here, or None."""
    program = next((Path(word) for word in job.command if word.startswith(str(PROGRAMS))), None)
    if program and not program.exists():
        return f"{program.name} is not built (make bootstrap)"
    if job.network and os.geteuid() != 0:
        return "the emulated network needs root"
    if time_left < 5:
        return "no time left"
    return None


def environment(job: Job) -> dict[str, str]:
    # Threads wait as the launcher lets them: awake for a while where CPUs suffice; both hosts of the emulated
    # network, some with a thread for the halo, share the CPUs of this one.
    waiting = {"OMP_WAIT_POLICY": "passive"} if job.network else {"GOMP_SPINCOUNT": "20000"}
    return {**waiting, **script.as_root(OMPI_MCA_hwloc_base_binding_policy="none")}


def run(job: Job, time_left: float) -> tuple[str, str | None]:
    """What the job printed, and why there is no more of it."""
    limit = min(job.seconds, time_left)
    # A group of its own, so that nothing of it outlives its time; the cluster takes itself down on SIGTERM.
    command = ["timeout", "--kill-after=10", f"{limit:.0f}", *job.command]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment(job))
    if done.returncode == 0:
        return done.stdout, None if figures(done.stdout) else "it printed no result"
    last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
    return done.stdout, f"took more than {limit:.0f} s" if done.returncode in (124, 137) else last


def machine() -> dict:
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        model = found[1] if found else model
    return {"processor": model, "cores": os.cpu_count(), "load": os.getloadavg()[0]}


def shortfall(result: dict) -> float:
    """How many times a figure would have to be larger or, where less is better, smaller to meet its goal."""
    bound = float(GOAL.match(result["goal"])["bound"])
    return bound / result["figure"] if ">" in result["goal"] else result["figure"] / bound


def meaning(record: dict) -> list[str]:
    """What the table says, before its rows."""
    judged = [r for r in record["results"] if r["met"] is not None]
    short = sorted((r for r in judged if not r["met"]), key=shortfall, reverse=True)
    lines = [f"**{len(judged) - len(short)} of {len(judged)} goals are met.**"]
    if short:
        lines += ["Not met, with the largest shortfall first:", ""]
    for r in short:
        goal = r["goal"].removeprefix("goal ").split(",")[0]
        lines.append(f"- {r['name']}: {r['figure']:.3g}, the goal is {goal}")
    if record["skipped"]:
        lines += ["", f"{len(record['skipped'])} measurements were skipped; the table says why."]
    return lines


def table(record: dict) -> str:
    """The record as docs/benchmarks.md keeps it."""
    m = record["machine"]
    lines = [
        "<!-- kind: reference -->",
        "# Benchmarks: the last table measured",
        "",
        "For readers who ask how far from its goals the program is.",
        "",
        *EXPLANATION,
        "",
        *meaning(record),
        "",
        f"Written by `bench/run.py --table docs/benchmarks.md` on {record['date']}.",
        "",
        f"Machine: {m['processor']}, {m['cores']} cores; load average {m['load']:.1f} when the run began"
        + (", so other programs affected every measurement." if m["load"] > 0.5 else "."),
        "",
        "<!-- figures: benchmarks -->",
        "| what | figure | goal | met |",
        "|---|---:|---|---|",
    ]
    for r in record["results"]:
        answer = {True: "yes", False: "**no**", None: ""}[r["met"]]
        lines.append(f"| {r['name']} | {r['figure']:.3g} | {r['goal'].removeprefix('goal ')} | {answer} |")
    lines += [f"| {s['name']} | | skipped: {s['reason']} | |" for s in record["skipped"]]
    return "\n".join([*lines, "<!-- /figures -->"]) + "\n"


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--only", default="", help="run the jobs whose name contains this")
    parser.add_argument("--passes", action="store_true", help="run those of several steps a pass instead")
    parser.add_argument("--minutes", type=float, default=9.5, help="stop starting jobs after so long")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench.json")
    parser.add_argument("--table", type=Path, help="also write the figures there as a Markdown table")
    parser.add_argument("--verbose", action="store_true", help="also print what the benchmarks print")
    options = script.parse(parser, {"table": None})
    if not shutil.which("mpirun"):
        parser.error("mpirun is not installed (make bootstrap)")

    known = passes(options.trial) if options.passes else jobs(options.trial)
    chosen = [job for job in known if options.only.lower() in job.name.lower()]
    if not chosen:
        parser.error(f"--only {options.only}: no benchmark has this in its name")
    begin = time.monotonic()
    record = {"date": datetime.date.today().isoformat(), "machine": machine(), "results": [], "skipped": []}
    if record["machine"]["load"] > 0.5:
        print(f"this machine is busy (load {record['machine']['load']:.1f}): expect noise", flush=True)
    failed = False
    for job in chosen:
        left = 60 * options.minutes - (time.monotonic() - begin)
        reason = obstacle(job, left)
        text = ""
        if reason is None:
            text, reason = run(job, left)
            failed = failed or reason is not None
        if options.verbose and text:
            print(re.sub(r"^result: .*\n", "", text, flags=re.MULTILINE), end="", flush=True)
        for figure in figures(text):
            print(figure.line(), flush=True)
            record["results"].append(asdict(figure))
        if reason:
            print(f"{job.name}: left out ({reason})", flush=True)
            record["skipped"].append({"name": job.name, "reason": reason})
    record["seconds"] = round(time.monotonic() - begin, 1)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(record, indent=2) + "\n")
    if options.table:
        options.table.write_text(table(record))
    print(f"{options.json.relative_to(ROOT) if options.json.is_relative_to(ROOT) else options.json} written")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
