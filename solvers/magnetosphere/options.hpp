// SPDX-License-Identifier: Apache-2.0
// The options of a magnetosphere run in the solver's units (radius of the planet, its field at the equator,
// Alfven speed), already converted from the text of a case file.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "solvers/common/check.hpp"

namespace sc::magnetosphere {

using Vec3 = std::array<double, 3>;

/// `wind`: the state of the inflow. `free`: zero gradient along the normal. `oblique`: zero gradient
/// along the line at 45 degrees to x, for waves carried downstream. `mirror`: B is reflected like v; field
/// lines are tangential to the plane. `equator`: v is reflected, B with the opposite sign; field lines cross
/// the plane at right angles.
enum class FaceKind { periodic, wind, free, oblique, mirror, equator };
enum class Initial { planet, orszag_tang, brio_wu, blast, field_loop, linear_wave, uniform };
enum class Wave { fast, alfven, slow, entropy };

/// The eight variables at a point.
struct PointState {
  double rho = 1;
  Vec3 v{};
  double p = 1;
  Vec3 B{};
};

/// The wind over time: linear between rows, constant before the first and after the last.
struct WindTable {
  std::string name;           ///< in refusals
  std::vector<double> times;  ///< increasing
  std::vector<PointState> states;
  PointState at(double time) const;
};

struct PlanetOptions {
  double inner = 3.5;     ///< r_a: within it the state is held
  double outer = 7;       ///< beyond it nothing is held
  double strength = 100;  ///< a_0 of f = a_0 h^2 / (a_0 h^2 + 1), h = (r / r_a)^2 - 1
  double tilt = 0;        ///< of the dipole in the plane y = 0, radians; positive: its north pole leans to +x
  double gravity = 1.35e-6;  ///< at the surface
  double pressure = 5.4e-7;  ///< of the static atmosphere; decreases as r^-2
  double rotation = 0;       ///< angular velocity about z of the held state
  double mirror = -30;       ///< plane x = mirror of the image dipole; upstream of it the start is the wind
};

/// Coefficients of the diffusion terms, each of which may be zero.
struct DiffusionOptions {
  double density = 0;      ///< D
  double pressure = 0;     ///< D_p
  double viscosity = 0;    ///< mu
  double resistivity = 0;  ///< eta
  double smoothing = 0;    ///< diffusivity of all conserved variables, divided by h * (fastest signal)
  bool heating = false;    ///< whether the energy that viscosity and resistivity dissipate becomes heat
};

struct MagnetosphereOptions {
  Int3 cells = {64, 64, 64};
  Vec3 low = {0, 0, 0};  ///< position of the first node
  double spacing = 1;
  std::array<FaceKind, 6> faces{};  ///< x-, x+, y-, y+, z-, z+
  Initial initial = Initial::uniform;
  double gamma = 5.0 / 3.0;
  std::optional<PlanetOptions> planet;
  PointState wind;                 ///< the inflow, and the state of Initial::uniform
  std::optional<WindTable> winds;  ///< replaces `wind`, which then is its state at the start
  DiffusionOptions diffusion;
  double density_floor = 1e-10;
  double pressure_floor = 1e-14;
  int cycle = 8;         ///< l: one two-step Lax-Wendroff step, then l - 1 leap-frog steps
  double courant = 0.4;  ///< fastest signal * dt / spacing
  double dt = 0;         ///< > 0: fixed
  double end = 0;        ///< > 0: the last steps are shortened to end at this time
  Wave wave = Wave::fast;
  double amplitude = 1e-6;
  Int3 split = {0, 0, 0};
  Space space = Space::host;  ///< device: the context's
  RunnerOptions engine;

  Bool3 periodic() const {
    return periodic_axes([this](std::size_t f) { return faces[f] == FaceKind::periodic; });
  }
  bool reflects(std::size_t f) const { return faces[f] == FaceKind::mirror || faces[f] == FaceKind::equator; }
  /// Layers of the block beside a reflecting face that its mirror image consists of: of nodes the second, of
  /// centres at a high face the third.
  static int mirrored_layers(std::size_t f) { return f % 2 == 0 ? 2 : 3; }
  /// A halo as wide as those layers keeps blocks thick enough. On a face along x that waves leave obliquely,
  /// the halo is copied from one cell further upstream. Beside a neighbour that cell is a halo cell itself,
  /// and at the intersection of two such faces this happens twice: two more layers are needed.
  int wall_halo() const {
    int layers = 1;
    for (std::size_t f = 0; f < 6; ++f) {
      if (faces[f] == FaceKind::oblique) layers = std::max(layers, 3);
      if (reflects(f)) layers = std::max(layers, mirrored_layers(f));
    }
    return layers;
  }
  /// Each step of a pass reads two more layers beside neighbours.
  int halo() const {
    return engine.steps_per_pass > 1 ? std::max(wall_halo(), 2 * engine.steps_per_pass) : wall_halo();
  }
};

/// Throws Error (bad_input) with one sentence for invalid options.
void check(const MagnetosphereOptions& options);

}  // namespace sc::magnetosphere
