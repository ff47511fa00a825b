// SPDX-License-Identifier: Apache-2.0
// The conditions of faces that are no walls, in boxes whose grid lines are parallel to the axes: inflow,
// outflow, slip and given pressure.
#pragma once

#include "solvers/cavity/inflow.hpp"
#include "solvers/cavity/wall_faces.hpp"

namespace sc::cavity {

/// The value on a face where the slope along the normal vanishes, of the cubic through the first three cells.
template <class Real>
SC_FN Real without_slope(In<Real> q, Border b) {
  return (Real(18) * q[b.inside(1)] - Real(9) * q[b.inside(2)] + Real(2) * q[b.inside(3)]) / Real(11);
}

/// The velocity on the face is kept in the cell beside it, see Outflow.
template <class Real>
struct OutflowVelocity {
  SC_FN void operator()(Border b, Out<Real, 3> V, In<Real, 3> on_face) const {
    for (int e = 0; e < 3; ++e) continue_by_cubic(V[e], b, on_face[e][b.inside(1)]);
  }
};
/// No slope of any component but `axis`, which vanishes: slip, without flux and shear; or -1: of all
/// components, where the pressure is given.
template <class Real>
struct FreeVelocity {
  int axis = -1;
  SC_FN void operator()(Border b, Out<Real, 3> V) const {
    for (int e = 0; e < 3; ++e)
      continue_by_cubic(V[e], b, e == axis ? Real(0) : without_slope<Real>(V[e], b));
  }
};

/// The flux through the row of a face that belongs to one cell, as the integral that Flux forms of interior
/// rows: a wall beside the row contributes its own velocity.
struct FaceRows {
  int axis;  ///< normal to the face
  Walls walls;
  std::array<WallMotion, 6> motion{};
  std::array<bool, 6> solid{};  ///< walls, at rest or moving

  /// J nabla xi_axis . V, integrated over the row; V at `p`, a point of the face, whose cell is at g.
  SC_FN double flux(In<double, 3> x, At p, Index g, const Vec3& V) const {
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const Part first = beside(x, p, g, a, V), second = beside(x, p, g, b, V);
    const Vec3 area = cross(tangent(x, p, a), tangent(x, p, b));
    double sum = 0;
    for (std::size_t e = 0; e < 3; ++e) {
      const double row = first.end.weight * V[e] + first.end.share * first.V[e];
      const double width = first.end.weight + first.end.share;
      sum += area[e] * (second.end.weight * row + second.end.share * width * second.V[e]);
    }
    return sum;
  }

 private:
  struct Part {
    RowEnd end;
    Vec3 V;  ///< beyond the row's end
  };
  SC_FN Part beside(In<double, 3> x, At p, Index g, int a, const Vec3& V) const {
    const bool low = walls.at_low(g, a), high = walls.at_high(g, a);
    if (!low && !high) return {{1, 0, false}, V};
    const auto f = static_cast<std::size_t>(2 * a + (high ? 1 : 0));
    const At q = p.along(a, high ? 1 : -1);
    return {walls.ends[f], solid[f] ? motion[f].at({x[0][q], x[1][q], x[2][q]}) : V};
  }
};

/// The step, and the time in which the divergence of V is to vanish: b = J (nabla . V / tau + nabla . f).
struct StepTimes {
  double dt = 0, tau = 0;
};

/// Q on a face where the velocity V' of the next step is known: the mean of both sides is the flux of V / tau
/// + (V' - V) / dt.
template <class Real>
SC_FN void set_flux(Border b, Out<Real> Q, double flux) {
  Q[b.ghost(1)] = Real(2 * flux) - Q[b.inside(1)];
}
template <class Real>
struct InflowFlux {
  FaceRows rows;
  InflowProfile profile;
  double per_tau;
  SC_FN void operator()(Border b, Index g, Out<Real, 3> Q, In<double, 3> x) const {
    const At p = b.ghost(1);
    const Vec3 V = profile.at({x[0][p], x[1][p], x[2][p]});
    set_flux<Real>(b, Q[rows.axis], per_tau * rows.flux(x, p, g, V));
  }
};
template <class Real>
struct OutflowFlux {
  FaceRows rows;
  double per_dt, per_tau;
  SC_FN void operator()(Border b, Index g, Out<Real, 3> Q, In<double, 3> x, In<Real, 3> on_face) const {
    set_flux<Real>(b, Q[rows.axis], per_dt * flux(b, g, x, on_face));
  }
  SC_FN void operator()(Border b, Index g, Out<Real, 3> Q, In<double, 3> x, In<Real, 3> on_face,
                        In<Real, 3> before) const {
    const double old = flux(b, g, x, before), change = flux(b, g, x, on_face) - old;
    set_flux<Real>(b, Q[rows.axis], per_tau * old + per_dt * change);
  }

 private:
  SC_FN double flux(Border b, Index g, In<double, 3> x, In<Real, 3> V) const {
    const At c = b.inside(1);
    return rows.flux(x, b.ghost(1), g, {double(V[0][c]), double(V[1][c]), double(V[2][c])});
  }
};
/// The row of the first cell ends half a cell before the face, where Q is that of the cell. Of the flux
/// J g^dd (p_0 - p) there, A has the part of p_0, and Q that of the given p.
template <class Real>
struct PressureFlux {
  Face face;
  Walls walls;
  double pressure;
  SC_FN void operator()(Border b, Index g, Out<Real, 3> Q, In<Real, 3> metrics) const {
    const int d = face.axis;
    const double coupling = double(metrics[d][face.side == 0 ? b.inside(1) : b.ghost(1)]) *
                            (weight_across(walls, g, (d + 1) % 3) * weight_across(walls, g, (d + 2) % 3));
    const double known = (face.side == 0 ? 2 : -2) * coupling * pressure;
    Q[d][b.ghost(1)] = Q[d][b.inside(1)] + Real(known);
  }
};

/// p on a face through which fluid moves with a known velocity: the parabola through three cells, so that
/// nabla p of the first cell is the one-sided difference of second order.
template <class Real>
struct ContinuedPressure {
  SC_FN void operator()(Border b, Out<Real> p) const {
    p[b.ghost(1)] = Real(3) * (p[b.inside(1)] - p[b.inside(2)]) + p[b.inside(3)];
  }
};
/// The same for a velocity.
struct ContinuedVelocity {
  SC_FN void operator()(Border b, Out<double, 3> V) const {
    for (int e = 0; e < 3; ++e)
      continue_by_cubic(V[e], b, 3 * (V[e][b.inside(1)] - V[e][b.inside(2)]) + V[e][b.inside(3)]);
  }
};
/// p on a face of slip, where its slope vanishes.
template <class Real>
struct SlipPressure {
  SC_FN void operator()(Border b, Out<Real> p) const {
    p[b.ghost(1)] = (Real(4) * p[b.inside(1)] - p[b.inside(2)]) / Real(3);
  }
};

/// The velocity on the outflow faces of one axis, each point's in the cell beside it: dV/dt + U dV/dn = 0, to
/// first order, downstream of the cell. Returns the flux that would leave.
template <class Real>
struct Convect {
  FaceRows rows;
  std::array<bool, 2> open;  ///< the low and the high face
  double way;                ///< U dt
  SC_FN double operator()(At c, Index g, InOut<Real, 3> on_face, In<Real, 3> V, In<double, 3> x) const {
    double leaving = 0;
    for (int side = 0; side < 2; ++side) {
      if (!open[std::size_t(side)] || !rows.walls.at(g, {rows.axis, side})) continue;
      const At p = c.along(rows.axis, side == 0 ? -1 : 1);
      const double distance = __builtin_fabs(x[rows.axis][p] - x[rows.axis][c]);
      const Real part = way < distance ? Real(way / distance) : Real(1);
      Vec3 next;
      for (int e = 0; e < 3; ++e) {
        on_face[e][c] -= part * (on_face[e][c] - V[e][c]);
        next[std::size_t(e)] = double(on_face[e][c]);
      }
      const double flux = rows.flux(x, p, g, next);
      leaving += side == 0 ? -flux : flux;
    }
    return leaving;
  }
};
/// Heun's method keeps the values before a step or a stage, and takes the mean of those before the step and
/// after two steps of forward Euler.
template <class Real>
struct Keep {
  SC_FN void operator()(At c, Out<Real, 3> before, In<Real, 3> on_face) const {
    for (int e = 0; e < 3; ++e) before[e][c] = on_face[e][c];
  }
};
template <class Real>
struct HeunMean {
  SC_FN void operator()(At c, InOut<Real, 3> on_face, In<Real, 3> before) const {
    for (int e = 0; e < 3; ++e) on_face[e][c] = Real(0.5) * (before[e][c] + on_face[e][c]);
  }
};
/// As much leaves as enters: the same velocity is added on all outflow faces.
template <class Real>
struct Balance {
  int axis;
  Walls walls;
  std::array<bool, 2> open;
  double outward;
  SC_FN void operator()(At c, Index g, InOut<Real, 3> on_face) const {
    for (int side = 0; side < 2; ++side)
      if (open[std::size_t(side)] && walls.at(g, {axis, side}))
        on_face[axis][c] += Real(side == 0 ? -outward : outward);
  }
};

}  // namespace sc::cavity
