// SPDX-License-Identifier: Apache-2.0
// First states of a flow, and what those become that are known at any time.
#pragma once

#include <array>
#include <vector>

#include "solvers/compressible/options.hpp"

namespace sc::compressible {

/// One state, at one place: rho, velocity, pressure.
struct PointState {
  double rho = 1;
  std::array<double, 3> u{};
  double p = 1;
};
/// What `options` start from, and, of a wave or the vortex, what that becomes in an inviscid gas.
class Start {
 public:
  explicit Start(const CompressibleOptions& options);
  PointState at(double x, double y, double z, double time = 0) const;
  double pressure() const { return pressure_; }  ///< at rest; the density is 1

 private:
  PointState wave(double x, double time) const;
  PointState vortex(double x, double y, double time) const;
  std::array<double, 3> random(double x, double y, double z) const;

  struct Mode {
    std::array<double, 3> k, cosine, sine;
  };
  CompressibleOptions options_;
  double pressure_ = 1;
  std::vector<Mode> modes_;
};

}  // namespace sc::compressible
