// SPDX-License-Identifier: Apache-2.0
// Every solver's options out of the dict that its Python case makes. Throw Error (bad_input) that names the
// option.
#pragma once

#include <nanobind/nanobind.h>

#include "solvers/cavity/options.hpp"
#include "solvers/compressible/options.hpp"
#include "solvers/dendrite/options.hpp"
#include "solvers/magnetosphere/options.hpp"
#include "solvers/turbulence/options.hpp"

namespace sc::python {

cavity::CavityOptions cavity_options(const nanobind::dict& options);
magnetosphere::MagnetosphereOptions magnetosphere_options(const nanobind::dict& options);
dendrite::DendriteOptions dendrite_options(const nanobind::dict& options);
compressible::CompressibleOptions compressible_options(const nanobind::dict& options);
turbulence::TurbulenceOptions turbulence_options(const nanobind::dict& options);

}  // namespace sc::python
