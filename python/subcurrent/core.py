# SPDX-License-Identifier: Apache-2.0
"""The only place that loads the compiled module; only the ranks do.

The launcher and the report never load it: it is linked with the system's parallel HDF5, they read snapshots
with the HDF5 of h5py, and whether both work in one process depends on how h5py was built
(docs/decisions/0004). They ask a short process how the module was built, and keep the answer.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import OTHER, SubcurrentError


def load() -> ModuleType:
    """The compiled module; raises one sentence with the reason if it cannot be loaded."""
    try:
        return importlib.import_module("subcurrent._core")
    except ImportError as error:
        raise SubcurrentError(_not_loaded(str(error))) from None


def build_info() -> dict[str, Any]:
    """What the compiled module was built with (`_core.build`)."""
    return _told()["build"]


def most_steps_tried() -> int:
    """The most steps a pass that are tried where the fastest number is to be found."""
    return _told()["most_steps_tried"]


def usual_cg_strategy(partition: str) -> str:
    """What a solve of CG takes if no strategy is asked for: it hides the messages on any number of ranks."""
    return _told()["usual_cg_strategies"][partition]


FACTS = ("build", "most_steps_tried", "usual_cg_strategies")


@functools.cache
def _told() -> dict[str, Any]:
    """Asked from another process, unless this one has loaded the module or an earlier one has asked. The
    version of MPI is that of the library found at run time, with which its mpirun changes."""
    if module := sys.modules.get("subcurrent._core"):
        return {name: getattr(module, name) for name in FACTS}
    found = importlib.util.find_spec("subcurrent._core")
    files = filter(None, (found and found.origin, shutil.which("mpirun")))
    of = [[file, (about := Path(file).stat()).st_mtime_ns, about.st_size] for file in files]
    of.append(os.environ.get("LD_LIBRARY_PATH"))
    caches = os.environ.get("XDG_CACHE_HOME") or Path(os.environ.get("HOME", os.devnull), ".cache")
    cache = Path(caches, "subcurrent", "build.json")
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        kept = json.loads(cache.read_text(encoding="utf-8"))
        if kept["of"] == of and set(kept["told"]) == set(FACTS):
            return kept["told"]
    told = _asked()
    with contextlib.suppress(OSError):  # without a cache the next start asks again
        part = cache.with_suffix(f".{os.getpid()}")
        part.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.write_text(json.dumps({"of": of, "told": told}), encoding="utf-8")
        part.replace(cache)
    return told


def _asked() -> dict[str, Any]:
    ask = "import json; from subcurrent import core; m = core.load(); "
    ask += f"print(json.dumps({{name: getattr(m, name) for name in {FACTS}}}))"
    done = subprocess.run([sys.executable, "-P", "-c", ask], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"the process ended with {done.returncode}"
        raise SubcurrentError(reason.rpartition("SubcurrentError: ")[2], OTHER)
    return json.loads(done.stdout.strip().splitlines()[-1])


def _not_loaded(reason: str) -> str:
    return (
        f"the compiled part of subcurrent cannot be loaded ({reason}): "
        "build it with `pip install .` or `make`."
    )
