# SPDX-License-Identifier: Apache-2.0
"""Spectra of random initial conditions: of a given shape, or from a file."""

from __future__ import annotations

import math
from pathlib import Path

from ...case.keys import LARGEST
from ...case.reference import read_columns
from ...errors import BadInput

SHAPES = {
    "peaked": lambda x: x**4 * math.exp(-2 * x * x),
    "kolmogorov": lambda x: x**4 / (1 + x * x) ** (17 / 6),
}


def shells_of(shape: str, peak: float, total: float, kept: int, table: str) -> list[float]:
    """The shells 0, 1, 2, … up to `kept`, which add up to the total. Raises BadInput, naming the key `peak`
    of the table, where none would get a share."""
    values = [SHAPES[shape](k / peak) for k in range(1, kept + 1)]
    if not 0 < sum(values) < math.inf:
        raise BadInput(
            f"{table}.peak = {peak:g} is not allowed: the modes 1 to {kept} of this grid "
            "would get no energy, it must be nearer to them."
        )
    return [0.0, *(total * value / sum(values) for value in values)]


def read_spectrum(path: Path, largest: int) -> list[float]:
    """E(k) of the shells 0, 1, 2, … from a CSV file; raises BadInput for energy beyond the largest shell."""
    columns = read_columns(path)
    if not {"k", "E"} <= set(columns):
        raise BadInput(f"spectrum.file = {path} has no columns k,E.")
    energies: dict[int, float] = {}
    for k, energy in zip(columns["k"].tolist(), columns["E"].tolist(), strict=True):
        row = f"spectrum.file = {path} holds k = {k:g}, E = {energy:g}"
        if not (k >= 0 and math.isfinite(k) and k == int(k)):
            raise BadInput(f"{row}: k must be a whole number >= 0.")
        if not (0 <= energy <= LARGEST):
            raise BadInput(f"{row}: E must be from 0 to {LARGEST:g}.")
        if energy > 0 and not 1 <= k <= largest:
            raise BadInput(f"{row}: on this grid E can be greater than 0 for k from 1 to {largest} only.")
        if int(k) in energies:
            raise BadInput(f"{row}: every k must occur only once.")
        energies[int(k)] = energy
    if not sum(energies.values()) > 0:
        raise BadInput(f"spectrum.file = {path} holds no energy: some E must be greater than 0.")
    return [energies.get(k, 0.0) for k in range(max(energies) + 1)]
