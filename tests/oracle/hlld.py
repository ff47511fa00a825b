# SPDX-License-Identifier: Apache-2.0
"""The HLLD flux of ideal MHD (Miyoshi & Kusano 2005, J. Comput. Phys. 208, 315), and changes of variables.
The first component of velocity and field is normal to the face."""

import numpy as np

RHO, VX, VY, VZ, P, BX, BY, BZ = range(8)


def energy_of(w: np.ndarray, gamma: float) -> np.ndarray:
    return w[P] / (gamma - 1) + 0.5 * w[RHO] * (w[VX : VZ + 1] ** 2).sum(0) + 0.5 * (w[BX:] ** 2).sum(0)


def conserved_of(w: np.ndarray, gamma: float) -> np.ndarray:
    q = w.copy()
    q[VX : VZ + 1] *= w[RHO]
    q[P] = energy_of(w, gamma)
    return q


def primitive_of(q: np.ndarray, gamma: float) -> np.ndarray:
    w = q.copy()
    w[VX : VZ + 1] /= q[RHO]
    kinetic = 0.5 * (q[VX : VZ + 1] * w[VX : VZ + 1]).sum(0)
    w[P] = (gamma - 1) * (q[P] - kinetic - 0.5 * (q[BX:] ** 2).sum(0))
    return w


def fast_speed(w: np.ndarray, gamma: float) -> np.ndarray:
    """Along the first component."""
    a2, b2 = gamma * w[P], (w[BX:] ** 2).sum(0)
    root = np.sqrt(np.maximum((a2 + b2) ** 2 - 4 * a2 * w[BX] ** 2, 0))
    return np.sqrt((a2 + b2 + root) / (2 * w[RHO]))


def flux_of(w: np.ndarray, q: np.ndarray) -> np.ndarray:
    bn = w[BX]
    total = w[P] + 0.5 * (w[BX:] ** 2).sum(0)
    f = q * w[VX]
    f[VX : VZ + 1] -= bn * w[BX:]
    f[VX] += total
    f[P] += total * w[VX] - bn * (w[VX : VZ + 1] * w[BX:]).sum(0)
    f[BX:] -= bn * w[VX : VZ + 1]
    return f


def _star(  # noqa: PLR0917
    w: np.ndarray, q: np.ndarray, s: np.ndarray, sm: np.ndarray, pt: np.ndarray, pt_star: np.ndarray
) -> np.ndarray:
    """Conserved variables between an outer wave of speed s and the rotational one."""
    bn, d = w[BX], w[RHO] * (s - w[VX])
    bottom = d * (s - sm) - bn**2
    flat = np.abs(bottom) < 1e-12 * (bn**2 + w[P])
    bottom = np.where(flat, 1.0, bottom)
    turn = np.where(flat, 0.0, bn * (sm - w[VX]) / bottom)
    grow = np.where(flat, 1.0, (d * (s - w[VX]) - bn**2) / bottom)
    u = np.empty_like(q)
    u[RHO] = d / (s - sm)
    velocity = np.array([sm, w[VY] - turn * w[BY], w[VZ] - turn * w[BZ]])
    u[BX], u[BY], u[BZ] = bn, w[BY] * grow, w[BZ] * grow
    u[VX : VZ + 1] = u[RHO] * velocity
    work = (w[VX : VZ + 1] * w[BX:]).sum(0) - (velocity * u[BX:]).sum(0)
    u[P] = ((s - w[VX]) * q[P] - pt * w[VX] + pt_star * sm + bn * work) / (s - sm)
    return u


def hlld(wl: np.ndarray, wr: np.ndarray, gamma: float) -> np.ndarray:
    """Flux through faces between states wl and wr that agree in the component of B along the normal."""
    bn = wl[BX]
    ql, qr = conserved_of(wl, gamma), conserved_of(wr, gamma)
    c = np.maximum(fast_speed(wl, gamma), fast_speed(wr, gamma))
    sl, sr = np.minimum(wl[VX], wr[VX]) - c, np.maximum(wl[VX], wr[VX]) + c
    pl, pr = (w[P] + 0.5 * (w[BX:] ** 2).sum(0) for w in (wl, wr))
    dl, dr = wl[RHO] * (sl - wl[VX]), wr[RHO] * (sr - wr[VX])
    sm = (dr * wr[VX] - dl * wl[VX] - pr + pl) / (dr - dl)
    pt = (dr * pl - dl * pr + dl * dr * (wr[VX] - wl[VX])) / (dr - dl)
    ul, ur = _star(wl, ql, sl, sm, pl, pt), _star(wr, qr, sr, sm, pr, pt)
    rl, rr = np.sqrt(ul[RHO]), np.sqrt(ur[RHO])
    sign = np.sign(bn)
    inner_l, inner_r = ul.copy(), ur.copy()  # between the two rotational waves
    kept = [(u[VX : VZ + 1] * u[BX:]).sum(0) / u[RHO] for u in (ul, ur)]
    for v, b in ((VY, BY), (VZ, BZ)):
        vl, vr = ul[v] / ul[RHO], ur[v] / ur[RHO]
        velocity = (rl * vl + rr * vr + (ur[b] - ul[b]) * sign) / (rl + rr)
        inner_l[b] = inner_r[b] = (rl * ur[b] + rr * ul[b] + rl * rr * (vr - vl) * sign) / (rl + rr)
        inner_l[v], inner_r[v] = ul[RHO] * velocity, ur[RHO] * velocity
    dot = (inner_l[VX : VZ + 1] * inner_l[BX:]).sum(0) / ul[RHO]
    inner_l[P] -= rl * (kept[0] - dot) * sign
    inner_r[P] += rr * (kept[1] - dot) * sign
    al, ar = sm - np.abs(bn) / rl, sm + np.abs(bn) / rr
    fl, fr = flux_of(wl, ql), flux_of(wr, qr)
    f_l, f_r = fl + sl * (ul - ql), fr + sr * (ur - qr)
    f_ll, f_rr = f_l + al * (inner_l - ul), f_r + ar * (inner_r - ur)
    return np.select([sl > 0, al >= 0, sm >= 0, ar >= 0, sr >= 0], [fl, f_l, f_ll, f_rr, f_r], fr)
