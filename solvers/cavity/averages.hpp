// SPDX-License-Identifier: Apache-2.0
// Time averages: running means of velocity and pressure and the covariances of the velocity, in double
// precision whatever that of the flow is.
#pragma once

#include "engine/subcurrent.hpp"
#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

struct Averages {
  Averages(const Grid& grid, Space space)
      : V(grid, "mean velocity", {.space = space}),
        p(grid, "mean pressure", {.space = space}),
        stress(grid, "Reynolds stress", {.space = space}) {}
  Field<double, 3> V;
  Field<double> p;
  Field<double, 6> stress;  ///< <u'u'>, <v'v'>, <w'w'>, <u'v'>, <v'w'>, <u'w'>, as VTK orders them
};

/// The axes of component k of the stress.
SC_FN int first_axis(int k) { return k == 5 ? 0 : k % 3; }
SC_FN int second_axis(int k) { return k == 5 ? 2 : k < 3 ? k : k - 2; }

/// Adds a state that makes up `share` of the time averaged so far, by West's form of Welford's update
///   d = V - m,  m += share d,  C = (1 - share) (C + share d d^T),
/// in which nothing cancels: a steady flow leaves m = V and C = 0 to the last bit.
template <class Real>
struct Average {
  double share;
  SC_FN void operator()(At c, InOut<double, 3> mean, InOut<double, 6> stress, InOut<double> mean_p,
                        In<Real, 3> V, In<Real> p) const {
    std::array<double, 3> d;
    for (int e = 0; e < 3; ++e) {
      d[std::size_t(e)] = double(V[e][c]) - mean[e][c];
      mean[e][c] += share * d[std::size_t(e)];
    }
    mean_p[c] += share * (double(p[c]) - mean_p[c]);
    for (int k = 0; k < 6; ++k) {
      const double product = d[std::size_t(first_axis(k))] * d[std::size_t(second_axis(k))];
      stress[k][c] = (1 - share) * (stress[k][c] + share * product);
    }
  }
};

/// Walls and inflow do not fluctuate; other faces have the stresses of the cells beside them, of slip without
/// those of the normal velocity.
struct FaceStress {
  bool fluctuates;
  int without;  ///< the normal of a face of slip, or -1
  SC_FN void operator()(Border b, Out<double, 6> stress) const {
    for (int k = 0; k < 6; ++k) {
      const bool zero = !fluctuates || first_axis(k) == without || second_axis(k) == without;
      stress[k][b.ghost(1)] = zero ? 0.0 : stress[k][b.inside(1)];
    }
  }
};

}  // namespace sc::cavity
