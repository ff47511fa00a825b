# SPDX-License-Identifier: Apache-2.0
"""The only place that loads the compiled module; only the ranks do.

The launcher and the report never load it: it is linked with the system's parallel HDF5, they read snapshots
with the HDF5 of h5py, and whether both work in one process depends on how h5py was built
(docs/decisions/0004). They ask a short process how the module was built.
"""

from __future__ import annotations

import functools
import importlib
import json
import subprocess
import sys
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
    return _told()[0]


def most_steps_tried() -> int:
    """The most steps a pass that are tried where the fastest number is to be found."""
    return _told()[1]


@functools.cache
def _told() -> tuple[dict[str, Any], int]:
    """Asked from another process, unless this one has loaded the module."""
    if module := sys.modules.get("subcurrent._core"):
        return module.build, module.most_steps_tried
    ask = "import json; from subcurrent import core; m = core.load(); "
    ask += "print(json.dumps([m.build, m.most_steps_tried]))"
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
