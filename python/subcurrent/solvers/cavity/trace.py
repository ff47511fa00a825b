# SPDX-License-Identifier: Apache-2.0
"""Paths of particles through a frozen flow on any structured grid, traced in index space with NumPy alone."""

from __future__ import annotations

import numpy as np

from ...report.flowfield import FlowField


def trace(flow: FlowField, seeds: np.ndarray, turns: float = 1.6, stride: float = 0.35) -> list[np.ndarray]:
    """Follows seeds, (n, 3) as indices (i, j, k), and returns one (length, 3) array of positions in space
    for each.

    A step moves each particle `stride` cells along the flow, whatever its speed: fourth-order Runge-Kutta. A
    path ends where the flow stands still or leaves the grid, or after about so many `turns` around the box.
    """
    steps = int(turns * 2.5 * max(flow.velocity.shape[1:]) / stride)
    rates = _index_velocity(flow)
    place = np.array(seeds, dtype=float)
    top = np.array(flow.velocity.shape[:0:-1], dtype=float) - 1
    alive = np.ones(len(place), dtype=bool)
    visited, living = [place.copy()], [alive.copy()]
    for _ in range(steps):
        k1 = _direction(rates, place)
        k2 = _direction(rates, place + 0.5 * stride * k1)
        k3 = _direction(rates, place + 0.5 * stride * k2)
        k4 = _direction(rates, place + stride * k3)
        move = stride / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        alive = alive & (np.linalg.norm(move, axis=1) > 1e-3 * stride)
        place = np.where(alive[:, None], place + move, place)
        alive = alive & np.all((place > 0) & (place < top), axis=1)
        visited.append(place.copy())
        living.append(alive.copy())
        if not alive.any():
            break
    visited, living = np.array(visited), np.array(living)
    return [
        _sample(flow.points, visited[living[:, n], n]).T for n in range(len(seeds)) if living[:, n].sum() > 2
    ]


def _index_velocity(flow: FlowField) -> np.ndarray:
    """Velocity in cells per time, (3, nz, ny, nx): the inverse of the mapping's Jacobian times V."""
    jacobian = np.stack(
        [np.gradient(flow.points, axis=axis) for axis in (3, 2, 1)], axis=1
    )  # [x, xi, k, j, i]
    matrices = np.moveaxis(jacobian, (0, 1), (-2, -1))
    velocity = np.moveaxis(flow.velocity, 0, -1)[..., None]
    return np.moveaxis(np.linalg.solve(matrices, velocity)[..., 0], -1, 0)


def _direction(rates: np.ndarray, place: np.ndarray) -> np.ndarray:
    rate = _sample(rates, place).T
    size = np.linalg.norm(rate, axis=1, keepdims=True)
    return np.where(size > 1e-9, rate / np.maximum(size, 1e-30), 0.0)


def _sample(values: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Trilinear interpolation of (3, nz, ny, nx) at index positions (n, 3), clamped to the grid: (3, n)."""
    top = np.array(values.shape[:0:-1]) - 1
    inside = np.clip(place, 0, top)
    low = np.minimum(inside.astype(int), np.maximum(top - 1, 0))
    fraction = inside - low
    total = np.zeros((values.shape[0], len(place)))
    for corner in np.ndindex(2, 2, 2):
        offset = np.array(corner)
        weight = np.prod(np.where(offset, fraction, 1 - fraction), axis=1)
        i, j, k = np.minimum(low + offset, top).T
        total += weight * values[:, k, j, i]
    return total
