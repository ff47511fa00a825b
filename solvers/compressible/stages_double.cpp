// SPDX-License-Identifier: Apache-2.0
// Stages of fields in double precision.
#include "solvers/compressible/stages_of.hpp"

namespace sc::compressible {

template Stages stages_of<double>(const Grid&, const CompressibleOptions&, const Gas&,
                                  const std::shared_ptr<FarPlace>&);
template Shown shown_of<double>(Stages&);

}  // namespace sc::compressible
