// SPDX-License-Identifier: Apache-2.0
// Fluxes of fields in single precision.
#include "solvers/compressible/fluxes.hpp"

namespace sc::compressible {

template std::array<StageOf, 3> flux_stages(const Systems&, Fields<float>&, const Gas&,
                                            const std::array<double, 3>&);

}  // namespace sc::compressible
