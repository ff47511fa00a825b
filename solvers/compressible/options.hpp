// SPDX-License-Identifier: Apache-2.0
// What a compressible run is asked to do, typed; the text of a case file has become this before it gets here.
#pragma once

#include <cstdint>

#include "engine/move/stream/budget.hpp"
#include "engine/overlap/runner.hpp"

namespace sc::compressible {

/// `power`: mu = mu_0 (T / T_0)^exponent. `sutherland`: mu = mu_0 (T / T_0)^(3/2) (T_0 + S) / (T + S).
enum class ViscosityLaw { power, sutherland };
enum class Initial { uniform, taylor_green, random, vortex, acoustic, entropy, vorticity };

struct FlowOptions {
  Initial initial = Initial::taylor_green;
  double mach = 0.1;        ///< of the velocity that the start is scaled with, 1, to the speed of sound; the
                            ///< turbulent Mach number of Initial::random
  double amplitude = 1e-4;  ///< of a wave, in parts of the density or of the speed of sound
  double peak = 4;          ///< wavenumber of most energy of Initial::random
  double dilatational = 0;  ///< share of its energy in the part of u along k
  std::int64_t seed = 1;    ///< of its phases
};

struct GasOptions {
  double gamma = 1.4;
  double prandtl = 0.7;
  double viscosity = 0;  ///< mu_0, at the start's temperature; 0: an inviscid gas
  ViscosityLaw law = ViscosityLaw::power;
  double exponent = 0.76;
  double sutherland = 0.4042;  ///< S / T_0: 110.4 K / 273.15 K
};

/// Of the modes 0 < |k| < kmax, at every stage of a step.
struct ForcingOptions {
  double power = 0;         ///< a volume; 0: no forcing
  double dilatational = 0;  ///< share of it that goes into the part of the velocity along k
  double kmax = 2.5;        ///< at most 3
  bool cooling = true;      ///< what comes in leaves as heat, everywhere alike
};
/// A part of the forced modes with less than this share of their energy is fed as if it had so much.
constexpr double least_share = 0.01;

struct CompressibleOptions {
  Int3 cells = {64, 64, 64};  ///< of a periodic box with sides of 2 pi
  FlowOptions flow;
  GasOptions gas;
  ForcingOptions forcing;
  bool single = false;   ///< of the fields; what is computed of them is computed in double
  double filter = 0;     ///< alpha of the compact filter once a step, below 0.5; 0: no filter
  double courant = 0.6;  ///< dt times the fastest signal, summed over the axes, / spacing
  double dt = 0;         ///< > 0: fixed
  double end = 0;        ///< > 0: steps are shortened so that one of them ends there
  Int3 split = {0, 0, 0};
  StorageOptions storage;  ///< memory or files
  RunnerOptions engine;
};

/// Throws Error (bad_input) with one sentence for what cannot be run.
void check(const CompressibleOptions& options);

}  // namespace sc::compressible
