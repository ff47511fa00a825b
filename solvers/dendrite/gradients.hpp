// SPDX-License-Identifier: Apache-2.0
// Differences of phi: its gradient on a face, of which the flux is a function, and its slopes at a cell.
#pragma once

#include "engine/field/fused.hpp"
#include "engine/field/views.hpp"

namespace sc::dendrite {

/// Four times the gradient in units of a cell, on a face: n normal to it, a and b tangential.
template <class Real>
struct FaceGradient {
  Real n, a, b;
};

/// The difference of phi between the neighbours at this distance along an axis, on both sides of a cell.
template <int distance, class Real>
SC_FN Real across(In<Real> phi, At c, int axis) {
  return phi[c.along(axis, distance)] - phi[c.along(axis, -distance)];
}

/// Central differences of second order.
struct SecondOrder {
  static constexpr int reach = 1;  ///< cells along each axis that a cell's step reads

  /// Four times the gradient on the face above a cell. Tangential slopes are means of those in the two
  /// adjacent cells. Multiplication by 4 is exact: 4 p - 4 q has the bits of 4 (p - q).
  template <int axis, class Real>
  SC_FN static FaceGradient<Real> above(In<Real> phi, At c) {
    constexpr int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const At up = c.along(axis, 1);
    return {fused(Real(4), phi[up], Real(-4) * phi[c]), across<1>(phi, c, a) + across<1>(phi, up, a),
            across<1>(phi, c, b) + across<1>(phi, up, b)};
  }
  /// Twice the slope at a cell.
  template <class Real>
  SC_FN static Real along(In<Real> phi, At c, int axis) {
    return across<1>(phi, c, axis);
  }
};

/// Central differences of fourth order. The difference of the fluxes F through the two faces of a cell is
/// (1 + d_n^2 / 24) dF/dn, with d_n the derivative along the normal, in cells. So it takes (1 - d_n^2 / 24)
/// F, for which F would be needed on further faces. Here that factor is applied to the gradient g:
///   F((1 - d_n^2 / 24) g) = (1 - d_n^2 / 24) F(g) + F''(d_n g, d_n g) / 24 + O(h^4).
/// F is homogeneous of degree 1, so F'' g = 0: the second term vanishes where the direction of g does not
/// change along the normal. Plane fronts of all directions are of fourth order, and all fronts without
/// anisotropy.
struct FourthOrder {
  static constexpr int reach = 2;

  /// Four times (1 - d_n^2 / 24) g on the face above a cell. The normal component is
  /// (15 (p_1 - p_0) - (p_2 - p_-1)) / 12. A tangential one is the mean of the central slopes in the two
  /// adjacent cells, less 1/6 of its second differences along the normal (1/8 from the mean, 1/24 as above)
  /// and along its own axis.
  template <int axis, class Real>
  SC_FN static FaceGradient<Real> above(In<Real> phi, At c) {
    constexpr int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const Real far = phi[c.along(axis, 2)] - phi[c.along(axis, -1)];
    return {fused(Real(5), phi[c.along(axis, 1)] - phi[c], Real(-1.0 / 3) * far), beside<axis, a>(phi, c),
            beside<axis, b>(phi, c)};
  }
  /// Twice the slope at a cell.
  template <class Real>
  SC_FN static Real along(In<Real> phi, At c, int axis) {
    return fused(Real(4.0 / 3), across<1>(phi, c, axis), Real(-1.0 / 6) * across<2>(phi, c, axis));
  }

 private:
  template <int normal, int axis, class Real>
  SC_FN static Real beside(In<Real> phi, At c) {
    const At up = c.along(normal, 1);
    const Real near = across<1>(phi, c, axis) + across<1>(phi, up, axis);
    const Real far = across<2>(phi, c, axis) + across<2>(phi, up, axis);
    const Real outer = across<1>(phi, c.along(normal, -1), axis) + across<1>(phi, c.along(normal, 2), axis);
    return fused(Real(1.5), near, Real(-1.0 / 6) * (far + outer));
  }
};

}  // namespace sc::dendrite
