# SPDX-License-Identifier: Apache-2.0
"""Where bow shock and magnetopause cross the line from the planet to the sun."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

INNER = 6.0  # radii: nearer to the planet no magnetopause is looked for


@dataclass(frozen=True)
class Standoff:
    """Distances in radii; NaN where there is none yet."""

    magnetopause: float
    shock: float


def find_standoff(x: np.ndarray, density: np.ndarray, current: np.ndarray, wind_density: float) -> Standoff:
    """The wind blows along +x. Shock: where the density, coming from upstream, first is 1.5 times the wind's.
    Magnetopause: the largest |J| between the shock, its own current left out, and 6 radii; its place refined
    by a parabola."""
    before = x < -INNER
    x, density, current = x[before], density[before], current[before]
    first = _first_above(density, 1.5 * wind_density)
    if first is None:
        return Standoff(float("nan"), float("nan"))
    shock = _crossing(x, density, first, 1.5 * wind_density)
    behind = max(first - 1, 0)
    behind += int(np.argmax(current[behind : first + 2]))
    while behind + 1 < len(x) and current[behind + 1] <= current[behind]:
        behind += 1
    if behind + 2 >= len(x):
        return Standoff(float("nan"), -shock)
    peak = behind + int(np.argmax(current[behind:]))
    return Standoff(-_refined(x, current, peak), -shock)


def _first_above(values: np.ndarray, level: float) -> int | None:
    above = np.flatnonzero(values > level)
    return int(above[0]) if len(above) else None


def _crossing(x: np.ndarray, values: np.ndarray, at: int, level: float) -> float:
    if at == 0:
        return float(x[0])
    low, high = values[at - 1], values[at]
    return float(x[at - 1] + (level - low) / (high - low) * (x[at] - x[at - 1]))


def _refined(x: np.ndarray, values: np.ndarray, peak: int) -> float:
    if not 0 < peak < len(x) - 1:
        return float(x[peak])
    a, b, c = values[peak - 1 : peak + 2]
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend < 0 and b >= max(a, c) else 0.0
    return float(x[peak] + shift * (x[1] - x[0]))
