// SPDX-License-Identifier: Apache-2.0
// Mesh: the points of the cavity's grid in physical space, and their metrics, as fields. The engine's cells
// are the interior points. A wall is the first halo layer; the second layer is an extrapolation of the grid.
#pragma once

#include <functional>
#include <optional>

#include "engine/subcurrent.hpp"
#include "solvers/cavity/metrics.hpp"
#include "solvers/cavity/options.hpp"

namespace sc::cavity {

/// Physical position of the point with these global cell coordinates; -1 and n are the walls.
using Points = std::function<Vec3(Int3)>;

/// The points of the analytic grids; beyond periodic boundaries the mapping continues.
Points analytic_points(const CavityOptions& options);

template <class Real>
class Mesh {
 public:
  /// Collective. Throws Error (bad_input) for a grid that folds over itself (a cell with J <= 0).
  Mesh(const Grid& grid, const Points& points, bool fourth_order, Runner& runner, Space space = Space::host);

  Field<double, 3> x;   ///< points, halo included
  Field<Real> J;        ///< cell: det(dx/dxi)
  Field<Real, 9> grad;  ///< cell: grad[3 d + e] = d xi_d / d x_e, second order
  Field<Real, 3> face;  ///< face[d] = J g^dd on the low face along d
  Field<Real, 3> edge;  ///< edge[d] = J g^ab on the low edge along d
  /// The metrics for convection: `grad`, or fourth-order metrics.
  Field<Real, 9>& conv() { return fourth_ ? *fourth_ : grad; }
  Space space() const { return space_; }           ///< where the fields are
  bool orthogonal() const { return orthogonal_; }  ///< all edge terms vanish: 7 points are sufficient
  double smallest() const { return smallest_; }    ///< shortest distance between neighbouring points

 private:
  void place(const Points& points);
  void examine(Runner& runner);
  bool crosses_at_right_angles() const;

  std::optional<Field<Real, 9>> fourth_;
  Space space_;
  bool orthogonal_ = false;
  double smallest_ = 0;
};

}  // namespace sc::cavity
