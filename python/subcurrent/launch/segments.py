# SPDX-License-Identifier: Apache-2.0
"""The files of Open MPI's shared memory: in a folder of the launcher, which removes it. In /dev/shm, the
default, the files of a killed job would stay, and their owner could not be found."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from . import mpi

PLACE = Path("/dev/shm")
PREFIX = "subcurrent_"
KEYS = tuple(f"OMPI_MCA_{part}_backing_directory" for part in ("btl_vader", "osc_sm", "osc_rdma"))


@contextlib.contextmanager
def folder(family: str, env: Mapping[str, str] = os.environ, place: Path = PLACE) -> Iterator[Path | None]:
    """The folder; None for another MPI, other hosts or a user's own choice."""
    if family != mpi.OPEN_MPI or not mpi.one_host(env) or any(key in env for key in KEYS):
        yield None
        return
    try:
        made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    except OSError:  # then MPI says what it lacks
        yield None
        return
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def environment(made: Path | None) -> dict[str, str]:
    return {} if made is None else dict.fromkeys(KEYS, str(made))
