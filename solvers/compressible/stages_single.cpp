// SPDX-License-Identifier: Apache-2.0
// Stages of fields in single precision.
#include "solvers/compressible/stages_of.hpp"

namespace sc::compressible {

template Stages stages_of<float>(const Grid&, const CompressibleOptions&, const Gas&,
                                 const std::shared_ptr<FarPlace>&);
template Shown shown_of<float>(Stages&);

}  // namespace sc::compressible
