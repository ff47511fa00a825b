# SPDX-License-Identifier: Apache-2.0
"""Ideal MHD by a method that shares nothing with the solver: the source of reference.csv of three cases.

Conservative finite volumes in a periodic plane: linear reconstruction of the primitive variables with the
monotonized-central limiter, HLLD fluxes (hlld.py), constrained transport with upwinded corner fields
(Gardiner & Stone 2005, J. Comput. Phys. 205, 509), Heun's two stages.
tests/python/test_mhd_oracle.py holds it against an exact wave and against the shock tube of another program
(cases/brio_wu/make_reference.py, one dimension).

    python tests/oracle/ideal_mhd.py orszag_tang --cells 128 > cases/orszag_tang/reference.csv
    python tests/oracle/ideal_mhd.py blast --cells 200 > cases/blast/reference.csv
    python tests/oracle/ideal_mhd.py field_loop --cells 128 > cases/field_loop/reference.csv
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import numpy as np
from hlld import BX, BY, BZ, RHO, VX, VY, VZ, P, conserved_of, fast_speed, hlld, primitive_of

ALONG_Y = [RHO, VY, VZ, VX, P, BY, BZ, BX]  # x -> y -> z -> x: what lies along the normal comes first
BACK = [ALONG_Y.index(k) for k in range(8)]
COURANT = 0.4


@dataclass
class Plasma:
    """Conserved variables (8, ny, nx) at the centres of square cells; bx, by on their low faces."""

    conserved: np.ndarray
    bx: np.ndarray
    by: np.ndarray
    spacing: float
    gamma: float
    time: float = field(default=0.0)

    @classmethod
    def of(cls, primitive: np.ndarray, potential: np.ndarray, spacing: float, gamma: float) -> Plasma:
        """From the primitive variables and A_z at the low corners, which adds its curl to their Bx and By."""
        bx = primitive[BX] + (after(potential, 0) - potential) / spacing
        by = primitive[BY] - (after(potential, 1) - potential) / spacing
        w = primitive.copy()
        w[BX], w[BY] = 0.5 * (bx + after(bx, 1)), 0.5 * (by + after(by, 0))
        return cls(conserved_of(w, gamma), bx, by, spacing, gamma)

    def primitive(self) -> np.ndarray:
        return primitive_of(self.conserved, self.gamma)


def after(q: np.ndarray, axis: int) -> np.ndarray:
    return np.roll(q, -1, axis - 2)  # axis 0: y, 1: x


def before(q: np.ndarray, axis: int) -> np.ndarray:
    return np.roll(q, 1, axis - 2)


def face_fluxes(w: np.ndarray, normal: np.ndarray, axis: int, gamma: float) -> np.ndarray:
    """Through the low faces along `axis`; `normal` is B there."""
    if axis == 0:
        w = w[ALONG_Y]
    low, high = w - before(w, axis), after(w, axis) - w
    slope = np.sign(low) * np.minimum(2 * np.minimum(abs(low), abs(high)), 0.5 * abs(low + high))
    slope[low * high <= 0] = 0
    left, right = before(w + 0.5 * slope, axis), w - 0.5 * slope
    left[BX] = right[BX] = normal
    flux = hlld(left, right, gamma)
    return flux[BACK] if axis == 0 else flux


def corner_field(w: np.ndarray, fx: np.ndarray, fy: np.ndarray) -> np.ndarray:
    """E_z at the low corners: mean of the four faces, and slopes from the side that the mass comes from."""
    centre = w[VY] * w[BX] - w[VX] * w[BY]
    on_x, on_y = -fx[BY], fy[BX]

    def chosen(low: np.ndarray, high: np.ndarray, mass: np.ndarray) -> np.ndarray:
        return np.where(mass > 0, low, np.where(mass < 0, high, 0.5 * (low + high)))

    def bend(on_face: np.ndarray, mass: np.ndarray, along: int) -> np.ndarray:
        """(difference below - difference above the corner) along one axis, upwinded along the other."""
        across = 1 - along
        above, below = centre - on_face, on_face - before(centre, along)  # halves of a cell beside a face
        above = chosen(before(above, across), above, mass)
        below = chosen(before(below, across), below, before(mass, along))
        return below - above

    mean = on_x + before(on_x, 0) + on_y + before(on_y, 1)
    return 0.25 * (mean + bend(on_y, fx[RHO], 0) + bend(on_x, fy[RHO], 1))


def advanced(state: Plasma, dt: float) -> Plasma:
    """One Euler step."""
    k = dt / state.spacing
    w = state.primitive()
    fx, fy = face_fluxes(w, state.bx, 1, state.gamma), face_fluxes(w, state.by, 0, state.gamma)
    corner = corner_field(w, fx, fy)
    q = state.conserved - k * (after(fx, 1) - fx) - k * (after(fy, 0) - fy)
    bx = state.bx - k * (after(corner, 0) - corner)
    by = state.by + k * (after(corner, 1) - corner)
    q[BX], q[BY] = 0.5 * (bx + after(bx, 1)), 0.5 * (by + after(by, 0))
    return Plasma(q, bx, by, state.spacing, state.gamma, state.time + dt)


def run(state: Plasma, end: float) -> Plasma:
    while state.time < end * (1 - 1e-12):
        w = state.primitive()
        fastest = max(
            float(np.max(abs(w[VX]) + fast_speed(w, state.gamma))),
            float(np.max(abs(w[VY]) + fast_speed(w[ALONG_Y], state.gamma))),
        )
        dt = min(COURANT * state.spacing / fastest, end - state.time)
        first = advanced(state, dt)
        second = advanced(first, dt)
        state = Plasma(
            *(0.5 * (getattr(state, n) + getattr(second, n)) for n in ("conserved", "bx", "by")),
            state.spacing,
            state.gamma,
            state.time + dt,
        )
    return state


def orszag_tang(cells: int) -> Plasma:
    h = 1 / cells
    edge = h * np.arange(cells)
    x, y = np.meshgrid(edge + 0.5 * h, edge + 0.5 * h)
    xc, yc = np.meshgrid(edge, edge)
    w = np.zeros((8, cells, cells))
    w[RHO], w[P] = 25 / (36 * np.pi), 5 / (12 * np.pi)
    w[VX], w[VY] = -np.sin(2 * np.pi * y), np.sin(2 * np.pi * x)
    potential = (np.cos(4 * np.pi * xc) / 2 + np.cos(2 * np.pi * yc)) / (2 * np.pi * np.sqrt(4 * np.pi))
    return Plasma.of(w, potential, h, 5 / 3)


def brio_wu(cells: int) -> Plasma:
    """On [-0.5, 1.5), periodic: beyond 0.5 a tube the other way round, whose waves stay there to t = 0.1."""
    x = -0.5 + (np.arange(2 * cells) + 0.5) / cells
    left = (x < 0) | (x > 1)
    w = np.zeros((8, 1, 2 * cells))
    w[RHO, 0], w[P, 0], w[BY, 0] = (np.where(left, *pair) for pair in ((1, 0.125), (1, 0.1), (1, -1)))
    w[BX] = 0.75
    return Plasma.of(w, np.zeros((1, 2 * cells)), 1 / cells, 2.0)


def plane(nx: int, ny: int, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the cells of a box around the origin, shape (ny, nx)."""
    return np.meshgrid(*(spacing * (np.arange(n) - 0.5 * (n - 1)) for n in (nx, ny)))


def blast(cells: int) -> Plasma:
    """Stone et al. 2008: overpressure within 0.1 of the origin of a box 1 x 1.5, field along (1, 1)."""
    nx, ny, h = cells, 3 * cells // 2, 1 / cells
    x, y = plane(nx, ny, h)
    w = np.zeros((8, ny, nx))
    w[RHO], w[P] = 1, np.where(x**2 + y**2 < 0.01, 10, 0.1)
    w[BX] = w[BY] = np.sqrt(0.5)
    return Plasma.of(w, np.zeros((ny, nx)), h, 5 / 3)


def field_loop(cells: int) -> Plasma:
    """Gardiner & Stone 2005: A_z = 1e-3 max(0.3 - r, 0) in a box 2 x 1 that flows with (2, 1)."""
    nx, ny, h = cells, cells // 2, 2 / cells
    x, y = plane(nx, ny, h)
    w = np.zeros((8, ny, nx))
    w[RHO], w[P], w[VX], w[VY] = 1, 1, 2, 1
    return Plasma.of(w, 1e-3 * np.maximum(0.3 - np.hypot(x - 0.5 * h, y - 0.5 * h), 0), h, 5 / 3)


def row_at(values: np.ndarray, height: float, spacing: float) -> np.ndarray:
    """Values (ny, nx) at the centres, on the line y = height, linear between rows."""
    row = height / spacing - 0.5
    low, weight = int(np.floor(row)), row - np.floor(row)
    return (1 - weight) * values[low] + weight * values[low + 1]


def print_orszag_tang(cells: int) -> None:
    pressure = run(orszag_tang(cells), 0.5).primitive()[P]
    columns = {"x": (np.arange(cells) + 0.5) / cells}
    columns |= {f"p({height:g})": row_at(pressure, height, 1 / cells) for height in (0.3125, 0.4277)}
    print(f"# Orszag-Tang, t = 0.5. Source: tests/oracle/ideal_mhd.py (HLLD, {cells}^2 cells)")
    print_columns(columns)


def print_blast(cells: int) -> None:
    """Along the field and across it, through the origin: the diagonals of the inner square."""
    w = run(blast(cells), 0.2).primitive()
    magnetic = 0.5 * (w[BX:] ** 2).sum(0)
    rows = np.arange(cells)
    along, across = rows + cells // 4, cells - 1 - rows + cells // 4
    columns = {"s": np.sqrt(2) * (rows - 0.5 * (cells - 1)) / cells}
    for name, values in (("density", w[RHO]), ("pressure", w[P]), ("magnetic", magnetic)):
        columns |= {f"{name} along": values[along, rows], f"{name} across": values[across, rows]}
    extremes = ((n, q.min(), q.max()) for n, q in (("density", w[RHO]), ("p", w[P]), ("B^2/2", magnetic)))
    ranges = ", ".join(f"{name} {low:.4g} to {high:.4g}" for name, low, high in extremes)
    print(f"# Blast wave, t = 0.2: {ranges}. Source: tests/oracle/ideal_mhd.py (HLLD, {cells} cells along x)")
    print_columns(columns)


def print_field_loop(cells: int) -> None:
    """Magnetic energy, in that of the start, at every tenth of a crossing."""
    state = field_loop(cells)
    times, energies = np.arange(21) / 10, []
    for time in times:
        state = run(state, time)
        energies.append(0.5 * (state.primitive()[BX:] ** 2).sum() * state.spacing**2)
    print(f"# Field loop. Source: tests/oracle/ideal_mhd.py (HLLD, {cells} cells along x)")
    print_columns({"time": times, "magnetic_energy": np.array(energies)})


def print_columns(columns: dict[str, np.ndarray]) -> None:
    print(",".join(columns))
    for row in zip(*columns.values(), strict=True):
        print(",".join(f"{value:.8g}" for value in row))


PRINTS = {"blast": print_blast, "field_loop": print_field_loop, "orszag_tang": print_orszag_tang}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("case", choices=PRINTS)
    parser.add_argument("--cells", type=int, required=True, help="along an axis")
    wanted = parser.parse_args()
    PRINTS[wanted.case](wanted.cells)


if __name__ == "__main__":
    main()
