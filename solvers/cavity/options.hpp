// SPDX-License-Identifier: Apache-2.0
// The options of a cavity run, already converted from the text of a case file.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "engine/overlap/runner.hpp"
#include "solvers/cavity/wall_motion.hpp"
#include "solvers/cavity/walls.hpp"
#include "solvers/common/check.hpp"

namespace sc::cavity {

enum class Upwind { utopia, kawamura };
enum class Clustering { uniform, tanh, skewed, file };
enum class FaceKind { wall, moving, periodic, slip, inflow, outflow, pressure };
enum class Method { jacobi, sor, multigrid };
enum class Initial { rest, taylor_green };

struct Inflow {
  Vec3 velocity{};         ///< mean over the rectangle
  bool parabolic = false;  ///< across each axis of the face unless that is periodic or has slip at both ends
  /// The rectangle of the face through which fluid enters; the rest of the face is a wall.
  Vec3 from{}, to = {infinite, infinite, infinite};
  static constexpr double infinite = std::numeric_limits<double>::infinity();
};

struct FaceOptions {
  FaceKind kind = FaceKind::wall;
  WallMotion motion{};  ///< for a moving wall, in lid speeds
  Inflow inflow{};
  double pressure = 0;  ///< that is given

  bool solid() const { return kind == FaceKind::wall || kind == FaceKind::moving; }
  RowEnd end() const {
    return kind == FaceKind::slip ? slip_end : kind == FaceKind::pressure ? pressure_end : RowEnd{};
  }
};

struct PressureOptions {
  Method method = Method::multigrid;
  double tolerance = 1e-5;
  bool scaled_residual =
      false;  ///< max |(A p - b) / D| instead of max |(A p - b) / J| = max |laplacian p - rhs|
  int max_iterations = 100000;
  int check_every =
      10;  ///< sweeps between convergence tests of jacobi and sor; the result is used one sweep later
  double relaxation = 0;     ///< 0: 0.98 for jacobi, Young's optimum for sor
  int fixed_iterations = 0;  ///< > 0: exactly this number of sweeps or cycles, without tests
  int sweeps_per_pass = 1;   ///< for jacobi and sor, and for the smoothing of multigrid
};

struct CavityOptions {
  double reynolds = 100;
  Int3 points = {66, 66, 66};  ///< including walls on walled axes
  bool single = false;
  Upwind upwind = Upwind::utopia;
  Clustering clustering = Clustering::uniform;
  Vec3 size = {1, 1, 1};  ///< sides of the box, except for grids from files
  double smallest = 0;    ///< spacing at the walls, for the tanh grid
  double skew = 0;        ///< amplitude of the interior skewing, in sides
  std::string grid_file;
  bool fourth_order_metrics = true;    ///< for convection, which is third-order only with them
  std::array<FaceOptions, 6> faces{};  ///< x-, x+, y-, y+, z-, z+
  PressureOptions pressure;
  double courant = 0.2;  ///< of the lid and of the fluid, along each axis
  double dt = 0;         ///< 0: from the Courant number and the stability limit
  int order = 1;         ///< in time: 1, forward Euler, or 2, Heun's method
  Initial initial = Initial::rest;
  std::optional<double> average_from;  ///< time from which velocity and pressure are averaged
  Int3 split = {0, 0, 0};
  Space space = Space::host;  ///< device: the context's
  RunnerOptions engine;

  Bool3 periodic() const {
    return periodic_axes([this](std::size_t f) { return faces[f].kind == FaceKind::periodic; });
  }
  bool any(FaceKind kind) const {
    return std::ranges::any_of(faces, [kind](const auto& face) { return face.kind == kind; });
  }
  std::array<RowEnd, 6> row_ends() const {
    std::array<RowEnd, 6> ends;
    std::transform(faces.begin(), faces.end(), ends.begin(), [](const auto& face) { return face.end(); });
    return ends;
  }
  Walls walls() const { return {cells(), periodic(), row_ends()}; }
  bool mixed_derivatives() const {  ///< possible; the pressure then has 19 points
    return clustering == Clustering::skewed || clustering == Clustering::file;
  }
  /// The upwind scheme reads two cells along each axis.
  static constexpr int wall_halo = 2;
  /// A pass needs a layer beside neighbours for each colour of each of its sweeps.
  int halo() const {
    const int colours = pressure.method != Method::sor ? 1 : mixed_derivatives() ? 4 : 2;
    return std::max(wall_halo, pressure.sweeps_per_pass > 1 ? pressure.sweeps_per_pass * colours : 0);
  }
  double nu() const { return 1 / reynolds; }
  double alpha() const { return upwind == Upwind::utopia ? 1.0 : 3.0; }  ///< coefficient of the upwind scheme
  /// Number of interior points, which are the grid's cells.
  Int3 cells() const {
    Int3 n = points;
    for (int a = 0; a < 3; ++a)
      if (!periodic()[a]) n[a] -= 2;
    return n;
  }
};

/// Throws Error (bad_input) with one sentence for invalid options.
void check(const CavityOptions& options);

}  // namespace sc::cavity
