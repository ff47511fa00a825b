# SPDX-License-Identifier: Apache-2.0
"""A linear MHD wave under the modified leap-frog scheme: one Fourier mode of the linearised equations.

Differences and means over the corners multiply a mode by numbers, so that a step is a product with an 8 x 8
matrix and the error of a run is known exactly, without a grid. Waves, box and norm are those of Gardiner and
Stone 2008 (J. Comput. Phys. 227, 4123, section 6.1). Besides the scheme's own start of a cycle it knows two
that do not damp.

    python tests/oracle/leapfrog_modes.py        # prints the second table of cases/linear_wave
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi, sqrt

import numpy as np

GAMMA = 5 / 3
RHO, P, B = 1.0, 1 / GAMMA, (1.0, sqrt(2), 0.5)  # of the background, B in the frame of the wave
# Axes of that frame in the box 3 x 1.5 x 1.5: along (1, 2, 2), one wave length long.
AXES = np.array(
    [
        [1 / 3, 2 / 3, 2 / 3],
        [-2 / sqrt(5), 1 / sqrt(5), 0],
        [-2 / (3 * sqrt(5)), -4 / (3 * sqrt(5)), sqrt(5) / 3],
    ]
)
FIELD = AXES.T @ np.array(B)


@dataclass(frozen=True)
class Wave:
    speed: float
    mode: tuple[float, ...]  # published: d(rho, rho v1, rho v2, rho v3, b2, b3)
    threshold: float  # of Athena++'s regression test: error / amplitude at 64 x 32 x 32 after a period

    @property
    def flow(self) -> np.ndarray:
        """The entropy wave is carried, the others travel in a gas at rest."""
        return AXES[0] * (self.speed if self.carried else 0.0)

    @property
    def carried(self) -> bool:
        return self.mode[0] != 0 and self.mode[4:] == (0, 0)

    def primitive(self) -> np.ndarray:
        """d(rho, v, p, B) in the box's frame, for an amplitude of 1."""
        d = self.mode
        momentum = AXES.T @ np.array(d[1:4])
        pressure = 0.0 if self.carried else d[0]  # gamma p / rho = 1
        field = AXES.T @ np.array([0.0, *d[4:]])
        return np.array([d[0], *(momentum - self.flow * d[0]), pressure, *field], dtype=complex)


S = 1 / (6 * sqrt(5))
WAVES = {
    "fast": Wave(2, (6 * S, 12 * S, -4 * sqrt(2) * S, -2 * S, 8 * sqrt(2) * S, 4 * S), 4.5e-2),
    "alfven": Wave(1, (0, 0, 1 / 3, -2 * sqrt(2) / 3, -1 / 3, 2 * sqrt(2) / 3), 4e-2),
    "slow": Wave(0.5, (12 * S, 6 * S, 8 * sqrt(2) * S, 4 * S, -4 * sqrt(2) * S, -2 * S), 5e-2),
    "entropy": Wave(1, (1, 1, 0, 0, 0, 0), 2.75e-2),
}


def rates(wave: Wave, d: np.ndarray) -> np.ndarray:
    """dq/dt = R q where the differences see a wave vector d: q = (rho, v, p, B)."""
    r = np.zeros((8, 8), dtype=complex)
    np.fill_diagonal(r, -1j * wave.flow @ d)
    along = (FIELD @ d) * np.eye(3)
    r[0, 1:4] -= 1j * RHO * d
    r[1:4, 4] -= 1j * d / RHO
    r[4, 1:4] -= 1j * GAMMA * P * d
    r[1:4, 5:] += 1j * (along - np.outer(d, FIELD)) / RHO  # J x B
    r[5:, 1:4] += 1j * (along - np.outer(FIELD, d))  # curl(v x B)
    r[5:, 5:] += 1j * np.outer(wave.flow, d)
    return r


@dataclass(frozen=True)
class Lattice:
    """What the scheme makes of the wave vector with n nodes along x."""

    n: int

    @property
    def spacing(self) -> float:
        return 3 / self.n

    @property
    def halves(self) -> np.ndarray:
        return pi * AXES[0] * self.spacing  # k h / 2

    @property
    def mean(self) -> float:
        return float(np.prod(np.cos(self.halves)))

    @property
    def differences(self) -> np.ndarray:
        return 2 / self.spacing * np.tan(self.halves) * self.mean

    @property
    def laplacian(self) -> float:
        """Of the seven points, times h^2."""
        return float(-4 * (np.sin(self.halves) ** 2).sum())


def first_centres(start: str, q: np.ndarray, step: np.ndarray, at: Lattice) -> np.ndarray:
    """The centres at n + 1/2 that a cycle begins with; `step` = dt R."""
    if start == "exact":  # what leap-frog continues without a wave that turns the other way
        values, vectors = np.linalg.eig(step / 2)
        return vectors @ ((np.sqrt(1 + values**2) + values) * np.linalg.solve(vectors, q))
    predicted = at.mean * q + step @ q / 2
    if start == "damped":  # the scheme's: two-step Lax-Wendroff
        return predicted
    # "corrected": of the nodes now and predicted, the mean to fourth order in space and in time (Hermite)
    after = q + step @ predicted
    middle = at.mean * (q + after) / 2
    return middle - at.laplacian / 8 * middle + step @ (q - after) / 8


def error(name: str, n: int, courant: float, cycle: int, start: str = "damped") -> float:
    """After one period with n x n/2 x n/2 nodes: root of the sum of squares, over the eight conserved
    variables, of the mean |difference| to the exact wave over the amplitude."""
    wave, at = WAVES[name], Lattice(n)
    period = 1 / wave.speed
    signal = np.linalg.norm(wave.flow) + sqrt((GAMMA * P + FIELD @ FIELD) / RHO)
    count = ceil(period / (courant * at.spacing / signal) * (1 - 1e-12))
    step = period / count * rates(wave, at.differences)
    q = wave.primitive()
    centres = q
    for k in range(count):
        centres = first_centres(start, q, step, at) if k % cycle == 0 else centres + step @ q
        q = q + step @ centres
    off = q - wave.primitive()
    momentum = RHO * off[1:4] + wave.flow * off[0]
    energy = (
        off[4] / (GAMMA - 1)
        + wave.flow @ wave.flow / 2 * off[0]
        + RHO * wave.flow @ off[1:4]
        + FIELD @ off[5:]
    )
    phases = np.exp(2j * pi * np.arange(n) / n)  # those that the nodes have
    means = np.abs(np.outer([off[0], *momentum, energy, *off[5:]], phases).imag).mean(axis=1)
    return float(np.sqrt((means**2).sum()))


STARTS = (
    *(("damped", *numbers) for numbers in ((0.4, 8), (0.4, 64), (0.4, 256), (0.8, 8), (0.8, 64), (0.8, 256))),
    *(("corrected", c, 8) for c in (0.4, 0.8)),
    *(("exact", c, 8) for c in (0.4, 0.8)),
)


def rows() -> list[tuple[str, ...]]:
    """Start, Courant number, cycle; for each wave the error at 64 nodes in thresholds, and what halving gains
    from 32 and from 64."""
    table = []
    for start, courant, cycle in STARTS:
        cells = []
        for name, wave in WAVES.items():
            a, b, c = (error(name, n, courant, cycle, start) for n in (32, 64, 128))
            cells.append(f"{b / wave.threshold:.2f}; {a / b:.2f}, {b / c:.2f}")
        table.append((start, f"{courant:g}", str(cycle), *cells))
    return table


HEADING = ("start", "Courant", "cycle", *WAVES)

if __name__ == "__main__":
    for row in (HEADING, ("---",) * len(HEADING), *rows()):
        print("| " + " | ".join(row) + " |")
