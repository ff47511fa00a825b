# SPDX-License-Identifier: Apache-2.0
"""Makes reference.csv: pressure cuts of the Orszag-Tang vortex by a code that shares nothing with the solver.

Conservative finite volumes on N^2 cells: HLLD fluxes (Miyoshi & Kusano 2005, J. Comput. Phys. 208), linear
reconstruction of the primitive variables with the monotonized-central limiter, Heun's two-stage time step,
and the field on the faces, moved by the mean of the four electric fields around a corner (flux-CT, Toth 2000,
J. Comput. Phys. 161). gamma = 5/3, t = 0.5.

    python make_reference.py [N] > reference.csv        N = 160 when absent, a minute
"""

from __future__ import annotations

import sys

import numpy as np

GAMMA, END, COURANT = 5.0 / 3.0, 0.5, 0.4
HEIGHTS = (0.3125, 0.4277)


def fast(rho, p, bn, bt):
    a2, b2 = GAMMA * p, bn**2 + bt**2
    return np.sqrt((a2 + b2 + np.sqrt(np.maximum((a2 + b2) ** 2 - 4 * a2 * bn**2, 0))) / (2 * rho))


def hlld(left, right, bn):
    """Fluxes of (rho, m_n, m_t, E, b_t) from the states (rho, u_n, u_t, p, b_t) on both sides of a face."""

    def prepare(w):
        rho, u, v, p, b = w
        total = p + 0.5 * (bn**2 + b**2)
        energy = p / (GAMMA - 1) + 0.5 * rho * (u**2 + v**2) + 0.5 * (bn**2 + b**2)
        q = np.array([rho, rho * u, rho * v, energy, b])
        f = np.array(
            [
                rho * u,
                rho * u**2 + total - bn**2,
                rho * u * v - bn * b,
                (energy + total) * u - bn * (u * bn + v * b),
                b * u - bn * v,
            ]
        )
        return total, q, f

    (ptl, ql, fl), (ptr, qr, fr) = prepare(left), prepare(right)
    c = np.maximum(fast(left[0], left[3], bn, left[4]), fast(right[0], right[3], bn, right[4]))
    sl, sr = np.minimum(left[1], right[1]) - c, np.maximum(left[1], right[1]) + c
    dl, dr = (sl - left[1]) * left[0], (sr - right[1]) * right[0]
    sm = (dr * right[1] - dl * left[1] - ptr + ptl) / (dr - dl)
    pt = (dr * ptl - dl * ptr + dl * dr * (right[1] - left[1])) / (dr - dl)

    def star(w, q, s, ptk, d):
        rho = d / (s - sm)
        bottom = d * (s - sm) - bn**2
        ok = np.abs(bottom) > 1e-10 * pt
        safe = np.where(ok, bottom, 1.0)
        v = w[2] - np.where(ok, bn * w[4] * (sm - w[1]) / safe, 0)
        b = np.where(ok, w[4] * (d * (s - w[1]) - bn**2) / safe, w[4])
        dot, dot_star = w[1] * bn + w[2] * w[4], sm * bn + v * b
        energy = ((s - w[1]) * q[3] - ptk * w[1] + pt * sm + bn * (dot - dot_star)) / (s - sm)
        return np.array([rho, rho * sm, rho * v, energy, b]), v, dot_star

    ul, vl, dotl = star(left, ql, sl, ptl, dl)
    ur, vr, dotr = star(right, qr, sr, ptr, dr)
    rl, rr, sign = np.sqrt(ul[0]), np.sqrt(ur[0]), np.sign(bn)
    sal, sar = sm - np.abs(bn) / rl, sm + np.abs(bn) / rr
    v = (rl * vl + rr * vr + (ur[4] - ul[4]) * sign) / (rl + rr)
    b = (rl * ur[4] + rr * ul[4] + rl * rr * (vr - vl) * sign) / (rl + rr)
    dot = sm * bn + v * b
    ull = np.array([ul[0], ul[1], ul[0] * v, ul[3] - rl * (dotl - dot) * sign, b])
    urr = np.array([ur[0], ur[1], ur[0] * v, ur[3] + rr * (dotr - dot) * sign, b])
    f_l, f_r = fl + sl * (ul - ql), fr + sr * (ur - qr)
    return np.select(
        [sl > 0, sal >= 0, sm >= 0, sar >= 0, sr >= 0],
        [fl, f_l, f_l + sal * (ull - ul), f_r + sar * (urr - ur), f_r],
        fr,
    )


def slopes(w, axis):
    a, b = w - np.roll(w, 1, axis), np.roll(w, -1, axis) - w
    size = np.minimum(np.minimum(2 * np.abs(a), 2 * np.abs(b)), 0.5 * np.abs(a + b))
    return np.where(a * b > 0, np.sign(a) * size, 0.0)


def primitive(q, bx, by):
    cx, cy = 0.5 * (bx + np.roll(bx, 1, 1)), 0.5 * (by + np.roll(by, 1, 0))
    rho, u, v = q[0], q[1] / q[0], q[2] / q[0]
    p = (GAMMA - 1) * (q[3] - 0.5 * rho * (u**2 + v**2) - 0.5 * (cx**2 + cy**2))
    return np.array([rho, u, v, p, cx, cy])


def rates(q, bx, by, h):
    """Arrays are [y, x]; bx lies on the high x face of its cell, by on the high y face."""
    w = primitive(q, bx, by)
    sides = []
    for axis in (2, 1):
        s = slopes(w, axis)
        sides.append((w + 0.5 * s, np.roll(w - 0.5 * s, -1, axis)))
    (xl, xr), (yl, yr) = sides
    x_order, y_order = [0, 1, 2, 3, 5], [0, 2, 1, 3, 4]  # normal velocity first, tangential field last
    f = hlld(xl[x_order], xr[x_order], bx)
    g = hlld(yl[y_order], yr[y_order], by)
    f4, g4 = f[:4], g[[0, 2, 1, 3]]
    dq = -(f4 - np.roll(f4, 1, 2) + g4 - np.roll(g4, 1, 1)) / h
    ez = 0.25 * (-f[4] - np.roll(f[4], -1, 0) + g[4] + np.roll(g[4], -1, 1))  # at the high corner
    return dq, -(ez - np.roll(ez, 1, 0)) / h, (ez - np.roll(ez, 1, 1)) / h


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 160
    h = 1.0 / n
    centre, face = h * (np.arange(n) + 0.5), h * (np.arange(n) + 1.0)
    x, y = np.meshgrid(centre, centre)
    b0 = 1 / np.sqrt(4 * np.pi)
    rho = np.full((n, n), 25 / (36 * np.pi))
    u, v = -np.sin(2 * np.pi * y), np.sin(2 * np.pi * x)
    bx = -b0 * np.sin(2 * np.pi * np.meshgrid(face, centre)[1])
    by = b0 * np.sin(4 * np.pi * np.meshgrid(centre, face)[0])
    cx, cy = 0.5 * (bx + np.roll(bx, 1, 1)), 0.5 * (by + np.roll(by, 1, 0))
    p = 5 / (12 * np.pi)
    q = np.array([rho, rho * u, rho * v, p / (GAMMA - 1) + 0.5 * rho * (u**2 + v**2) + 0.5 * (cx**2 + cy**2)])
    t = 0.0
    while t < END:
        w = primitive(q, bx, by)
        cf = fast(w[0], w[3], w[4], w[5]), fast(w[0], w[3], w[5], w[4])
        dt = min(COURANT * h / max(np.max(np.abs(w[1]) + cf[0]), np.max(np.abs(w[2]) + cf[1])), END - t)
        d = rates(q, bx, by, h)
        first = q + dt * d[0], bx + dt * d[1], by + dt * d[2]
        e = rates(*first, h)
        q, bx, by = (0.5 * (old + new + dt * r) for old, new, r in zip((q, bx, by), first, e, strict=True))
        t += dt
    p = primitive(q, bx, by)[3]
    cuts = []
    for height in HEIGHTS:
        at = height / h - 0.5
        j = int(np.floor(at))
        cuts.append((1 - (at - j)) * p[j] + (at - j) * p[j + 1])
    print(f"# Orszag-Tang, t = {END}: pressure on two lines. Source: make_reference.py (HLLD, {n}^2 cells)")
    print("x," + ",".join(f"p({height:g})" for height in HEIGHTS))
    for row in zip(centre, *cuts, strict=True):
        print(",".join(f"{value:.7g}" for value in row))


if __name__ == "__main__":
    main()
