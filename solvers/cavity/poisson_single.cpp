// SPDX-License-Identifier: Apache-2.0
// The pressure solvers in single precision.
#include "solvers/cavity/poisson_solvers.hpp"

namespace sc::cavity {

template std::unique_ptr<Poisson> make_poisson(Mesh<float>&, const PressureOptions&, Runner&,
                                               const std::array<RowEnd, 6>&);

}  // namespace sc::cavity
