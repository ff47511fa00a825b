# SPDX-License-Identifier: Apache-2.0
"""Makes reference.csv: the Brio-Wu tube by a code that shares nothing with the solver.

Conservative finite volumes in one dimension: HLLD fluxes (Miyoshi & Kusano 2005, J. Comput. Phys. 208),
linear reconstruction of the primitive variables with the monotonized-central limiter, Heun's two-stage
time step, 4000 cells on [-0.5, 0.5], gamma = 2, t = 0.1. Written out at 400 points, each the mean of ten
cells.

    python make_reference.py > reference.csv
"""

from __future__ import annotations

import sys

import numpy as np

GAMMA, BX = 2.0, 0.75
CELLS, END, COURANT = 4000, 0.1, 0.4


def conserved(w):
    rho, u, v, ww, p, by, bz = w
    energy = p / (GAMMA - 1) + 0.5 * rho * (u**2 + v**2 + ww**2) + 0.5 * (BX**2 + by**2 + bz**2)
    return np.array([rho, rho * u, rho * v, rho * ww, energy, by, bz])


def primitive(q):
    rho, mx, my, mz, energy, by, bz = q
    kinetic = 0.5 * (mx**2 + my**2 + mz**2) / rho
    p = (GAMMA - 1) * (energy - kinetic - 0.5 * (BX**2 + by**2 + bz**2))
    return np.array([rho, mx / rho, my / rho, mz / rho, p, by, bz])


def flux(w, q):
    rho, u, v, ww, p, by, bz = w
    total = p + 0.5 * (BX**2 + by**2 + bz**2)
    return np.array(
        [
            rho * u,
            rho * u * u + total - BX**2,
            rho * u * v - BX * by,
            rho * u * ww - BX * bz,
            (q[4] + total) * u - BX * (u * BX + v * by + ww * bz),
            by * u - BX * v,
            bz * u - BX * ww,
        ]
    )


def fast(w):
    rho, p, b2 = w[0], w[4], BX**2 + w[5] ** 2 + w[6] ** 2
    a2 = GAMMA * p
    return np.sqrt((a2 + b2 + np.sqrt(np.maximum((a2 + b2) ** 2 - 4 * a2 * BX**2, 0))) / (2 * rho))


def hlld(wl, wr):
    ql, qr = conserved(wl), conserved(wr)
    fl, fr = flux(wl, ql), flux(wr, qr)
    c = np.maximum(fast(wl), fast(wr))
    sl, sr = np.minimum(wl[1], wr[1]) - c, np.maximum(wl[1], wr[1]) + c
    ptl, ptr = (w[4] + 0.5 * (BX**2 + w[5] ** 2 + w[6] ** 2) for w in (wl, wr))
    dl, dr = (sl - wl[1]) * wl[0], (sr - wr[1]) * wr[0]
    sm = (dr * wr[1] - dl * wl[1] - ptr + ptl) / (dr - dl)
    pt = (dr * ptl - dl * ptr + dl * dr * (wr[1] - wl[1])) / (dr - dl)

    def star(w, q, s, ptk, d):
        rho = d / (s - sm)
        bottom = d * (s - sm) - BX**2
        safe = np.where(np.abs(bottom) < 1e-12, 1.0, bottom)
        ok = np.abs(bottom) >= 1e-12
        v = w[2] - np.where(ok, BX * w[5] * (sm - w[1]) / safe, 0)
        ww = w[3] - np.where(ok, BX * w[6] * (sm - w[1]) / safe, 0)
        by = np.where(ok, w[5] * (d * (s - w[1]) - BX**2) / safe, w[5])
        bz = np.where(ok, w[6] * (d * (s - w[1]) - BX**2) / safe, w[6])
        dot = w[1] * BX + w[2] * w[5] + w[3] * w[6]
        dot_star = sm * BX + v * by + ww * bz
        energy = ((s - w[1]) * q[4] - ptk * w[1] + pt * sm + BX * (dot - dot_star)) / (s - sm)
        return np.array([rho, rho * sm, rho * v, rho * ww, energy, by, bz]), v, ww, dot_star

    ul, vl, zl, dotl = star(wl, ql, sl, ptl, dl)
    ur, vr, zr, dotr = star(wr, qr, sr, ptr, dr)
    rl, rr = np.sqrt(ul[0]), np.sqrt(ur[0])
    sal, sar = sm - abs(BX) / rl, sm + abs(BX) / rr
    sign = np.sign(BX)
    v = (rl * vl + rr * vr + (ur[5] - ul[5]) * sign) / (rl + rr)
    z = (rl * zl + rr * zr + (ur[6] - ul[6]) * sign) / (rl + rr)
    by = (rl * ur[5] + rr * ul[5] + rl * rr * (vr - vl) * sign) / (rl + rr)
    bz = (rl * ur[6] + rr * ul[6] + rl * rr * (zr - zl) * sign) / (rl + rr)
    dot = sm * BX + v * by + z * bz
    el, er = ul[4] - rl * (dotl - dot) * sign, ur[4] + rr * (dotr - dot) * sign
    ull = np.array([ul[0], ul[1], ul[0] * v, ul[0] * z, el, by, bz])
    urr = np.array([ur[0], ur[1], ur[0] * v, ur[0] * z, er, by, bz])
    f_l, f_r = fl + sl * (ul - ql), fr + sr * (ur - qr)
    f_ll, f_rr = f_l + sal * (ull - ul), f_r + sar * (urr - ur)
    return np.select([sl > 0, sal >= 0, sm >= 0, sar >= 0, sr >= 0], [fl, f_l, f_ll, f_rr, f_r], fr)


def rate(q, h):
    w = primitive(np.pad(q, ((0, 0), (2, 2)), mode="edge"))
    a, b = w[:, 1:-1] - w[:, :-2], w[:, 2:] - w[:, 1:-1]
    slope = np.where(
        a * b > 0, np.sign(a) * np.minimum(np.minimum(2 * abs(a), 2 * abs(b)), 0.5 * abs(a + b)), 0.0
    )
    middle = w[:, 1:-1]
    f = hlld(middle[:, :-1] + 0.5 * slope[:, :-1], middle[:, 1:] - 0.5 * slope[:, 1:])
    return -(f[:, 1:] - f[:, :-1]) / h


def main():
    h = 1.0 / CELLS
    x = -0.5 + h * (np.arange(CELLS) + 0.5)
    zero = np.zeros(CELLS)
    left = x < 0
    w = np.array(
        [
            np.where(left, 1.0, 0.125),
            zero,
            zero,
            zero,
            np.where(left, 1.0, 0.1),
            np.where(left, 1.0, -1.0),
            zero,
        ]
    )
    q, t = conserved(w), 0.0
    while t < END:
        w = primitive(q)
        dt = min(COURANT * h / np.max(np.abs(w[1]) + fast(w)), END - t)
        first = q + dt * rate(q, h)
        q = 0.5 * (q + first + dt * rate(first, h))
        t += dt
    w = primitive(q)
    means = [column.reshape(-1, 10).mean(axis=1) for column in (x, w[0], w[4], w[1], w[2], w[5])]
    print(f"# Brio-Wu, t = {END}, gamma = {GAMMA:g}. Source: make_reference.py (HLLD, {CELLS} cells)")
    print("x,density,pressure,vx,vy,By")
    for row in zip(*means, strict=True):
        print(",".join(f"{value:.8g}" for value in row))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
