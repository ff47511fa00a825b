// SPDX-License-Identifier: Apache-2.0
// The options of a dendrite run in SI units, already converted from the text of a case file. The model of
// Karma and Rappel has no units: all lengths, times and temperatures are then numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/move/stream/budget.hpp"
#include "engine/overlap/runner.hpp"
#include "solvers/common/check.hpp"

namespace sc::dendrite {

using Vec3 = std::array<double, 3>;

/// `insulated`: no flux. `symmetry`: a mirror plane. Both are the same condition on the grid, but with a
/// mirror the crystal must have that symmetry: the plane must contain its axes.
enum class FaceKind { periodic, insulated, symmetry };

/// The default is nickel.
struct Material {
  double surface_energy = 0.37;      ///< sigma, J/m^2
  double kinetic = 2.0;              ///< mu, m/(K s): front speed per kelvin of undercooling
  double melting = 1728;             ///< T_m, K
  double latent_heat = 2.35e9;       ///< L, J/m^3
  double heat_capacity = 5.42e6;     ///< C, J/(m^3 K)
  double diffusivity = 1.55e-5;      ///< kappa, m^2/s
  double anisotropy = 0.05;          ///< gamma
  double interface_width = 0.08e-6;  ///< delta, m: distance over which phi goes from lambda to 1 - lambda
  double lambda = 0.1;
  double noise = 0.025;  ///< a
};

/// The thin-interface model of Karma and Rappel, Phys. Rev. E 57 (1998) 4323; temperatures are
/// u = (T - T_m) / (L / C). The defaults are those of PFHub's benchmark problem 3.
struct KarmaRappel {
  double interface_width = 1;                 ///< W_0
  double relaxation_time = 1;                 ///< tau_0
  double anisotropy = 0.05;                   ///< epsilon_4
  double diffusivity = 10;                    ///< D
  double coupling = 10 / vanishing_kinetics;  ///< lambda

  /// lambda = D tau_0 / (this W_0^2) makes the kinetic coefficient of the thin-interface limit vanish.
  static constexpr double vanishing_kinetics = 0.6267;
};

/// The differences of phi in the divergence of its flux: of second or of fourth order, see gradients.hpp.
enum class Divergence { second, fourth };

/// A crystal at the start: a sphere, rotated by an angle about an axis.
struct Seed {
  Vec3 centre{};  ///< m, from the corner of lowest x, y, z
  double radius = 0.2e-6;
  Vec3 axis = {0, 0, 1};
  double angle = 0;  ///< radians
};

struct DendriteOptions {
  Int3 cells = {64, 64, 64};
  double spacing = 0.02e-6;                 ///< dx, m
  Material material;                        ///< unused with the other model
  std::optional<KarmaRappel> karma_rappel;  ///< this model instead of Kobayashi's
  Divergence divergence = Divergence::second;
  double temperature = 1511;  ///< initial temperature everywhere, K; u with the other model
  std::vector<Seed> seeds;
  std::array<FaceKind, 6> faces{};  ///< x-, x+, y-, y+, z-, z+
  std::uint64_t noise_seed = 1;
  bool single = true;
  double safety = 0.9;  ///< dt divided by the largest stable one
  double dt = 0;        ///< > 0: fixed instead
  Int3 split = {0, 0, 0};
  Space space = Space::host;  ///< device: the context's
  StorageOptions storage;     ///< with files or the host as place, `space` is ignored
  RunnerOptions engine;

  Bool3 periodic() const {
    return periodic_axes([this](std::size_t f) { return faces[f] == FaceKind::periodic; });
  }
  /// Cells along each axis that a step reads.
  int reach() const { return divergence == Divergence::fourth ? 2 : 1; }
  /// An axis with one cell is no dimension.
  int dimensions() const { return std::max(1, (cells.x > 1) + (cells.y > 1) + (cells.z > 1)); }
  /// The zero of the stored temperature.
  double melting() const { return karma_rappel ? 0 : material.melting; }
  /// Whether the axes of any crystal differ from the grid's.
  bool rotated() const {
    for (const Seed& seed : seeds)
      if (seed.angle != 0) return true;
    return false;
  }
};

/// Throws Error (bad_input) with one sentence for invalid options.
void check(const DendriteOptions& options);

}  // namespace sc::dendrite
