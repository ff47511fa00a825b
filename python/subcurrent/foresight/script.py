# SPDX-License-Identifier: Apache-2.0
"""Stencil codes in Python. A loop records its steps (stencil/recording.py). For `subcurrent predict
SCRIPT.py`, and for the verbs that measure, the script runs in a process of its own, `python -m
subcurrent.foresight.script`, which rehearses it: nothing is compiled or computed, and it
ends after the second step of its first loop."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from ..errors import BadInput, SubcurrentError
from ..rank import parallel
from .rehearse import answered, ask


def tables_of(name: str) -> dict[str, Any]:
    """The tables of a script's case. Raises SubcurrentError with one sentence if it fails or has no steps."""
    if not Path(name).is_file():
        raise BadInput(f"{name} does not exist: give a case file, or a Python script with an sc.Loop.")
    return ask("subcurrent.foresight.script", name) | {"title": Path(name).name}


def predict_step(
    tables: dict[str, Any],
    machine: str,
    ranks: Sequence[int],
    *,
    strategies: Sequence[str],
    sets: Sequence[str],
    show: bool,
    **options: Any,
) -> dict[int, dict[str, float]]:
    """As Loop.predict."""
    from .predict import PredictRequest, predict  # noqa: PLC0415 - asks this module for cases
    from .subject import Script  # noqa: PLC0415 - likewise

    given = Path(sys.argv[0]).name
    loop = Script(Path(given), tables | ({"title": given} if given else {}))
    counts = ",".join(map(str, ranks))
    request = PredictRequest(loop, machine, counts, list(strategies), sets=list(sets), **options)
    rows = predict(request, Console(quiet=not show))
    return {row["ranks"]: {name: one["T"] for name, one in row["strategies"].items()} for row in rows}


def _recorded(path: str) -> dict[str, Any]:
    from ..stencil.recording import Recorded  # noqa: PLC0415 - all of the stencils: slow to load

    parallel.rehearse()
    sys.argv[:] = [path]
    sys.path.insert(0, str(Path(path).absolute().parent))
    try:
        runpy.run_path(path, run_name="__main__")
    except Recorded as end:
        return end.tables
    except SystemExit:
        pass
    except SubcurrentError:
        raise
    except Exception as error:
        raise BadInput(
            f"{path} fails in a rehearsal, which has no values: {type(error).__name__}: {error}"
        ) from None
    raise BadInput(
        f"{path} has no step to predict: it must compute in `for _ in loop.steps(…)` of an sc.Loop."
    )


if __name__ == "__main__":
    sys.exit(answered(lambda: _recorded(sys.argv[1])))
