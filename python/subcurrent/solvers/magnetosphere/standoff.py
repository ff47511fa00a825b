# SPDX-License-Identifier: Apache-2.0
"""Where bow shock and magnetopause cross the line from the planet to the sun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

COMPRESSED = 1.5  # density of the shock's place, in units of the wind's
LIKE_WIND = 0.1  # the wind's density and speed up to this share
MOVING = 0.5  # speed before a shock, in units of the wind's


@dataclass(frozen=True)
class Standoff:
    """Distances in radii; NaN where there is none yet."""

    magnetopause: float
    shock: float


def find_standoff(
    axis: Mapping[str, np.ndarray], density: float | np.ndarray, speed: float | np.ndarray, outer: float
) -> Standoff:
    """From "x", "density", "vx" and "current" along the line, and the wind's density and speed along +x,
    which may depend on x.

    Shock: where the density of the wind, going downstream, first is 1.5 times the wind's, in plasma that
    still moves: the static atmosphere is as dense, but at rest. Magnetopause: the largest |J| between the
    shock, its own current left out, and `outer`, within which the planet's plasma is held; its place refined
    by a parabola.
    """
    nothing = float("nan")
    before = axis["x"] < -outer
    if not np.all(np.asarray(speed) > 0):
        return Standoff(nothing, nothing)
    dense, flow = axis["density"] / density, axis["vx"] / speed  # in units of the wind's
    x, dense, flow, current = (part[before] for part in (axis["x"], dense, flow, axis["current"]))
    first = _first_of_shock(dense, flow)
    if first is None:
        return Standoff(nothing, nothing)
    shock = _crossing(x, dense, first, COMPRESSED)
    behind = first - 1
    behind += int(np.argmax(current[behind : first + 2]))
    while behind + 1 < len(x) and current[behind + 1] <= current[behind]:
        behind += 1
    if behind + 2 >= len(x):
        return Standoff(nothing, -shock)
    peak = behind + int(np.argmax(current[behind:]))
    return Standoff(-_refined(x, current, peak), -shock)


def _first_of_shock(density: np.ndarray, flow: np.ndarray) -> int | None:
    """The first compressed node behind the wind, if the node before it moves; both in units of the wind's."""
    wind = np.flatnonzero((np.abs(density - 1) < LIKE_WIND) & (np.abs(flow - 1) < LIKE_WIND))
    if not len(wind):
        return None
    behind = wind[0] + 1
    above = np.flatnonzero(density[behind:] > COMPRESSED)
    if not len(above):
        return None
    first = int(behind + above[0])
    return first if flow[first - 1] > MOVING else None


def _crossing(x: np.ndarray, values: np.ndarray, at: int, level: float) -> float:
    low, high = values[at - 1], values[at]
    return float(x[at - 1] + (level - low) / (high - low) * (x[at] - x[at - 1]))


def _refined(x: np.ndarray, values: np.ndarray, peak: int) -> float:
    if not 0 < peak < len(x) - 1:
        return float(x[peak])
    a, b, c = values[peak - 1 : peak + 2]
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend < 0 and b >= max(a, c) else 0.0
    return float(x[peak] + shift * (x[1] - x[0]))
