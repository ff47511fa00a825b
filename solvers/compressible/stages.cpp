// SPDX-License-Identifier: Apache-2.0
// Fields and stages of the precision that was asked for.
#include "solvers/compressible/stages_of.hpp"

namespace sc::compressible {

Stages make_stages(const Grid& grid, const CompressibleOptions& o, const Gas& gas,
                   const std::shared_ptr<FarPlace>& place) {
  return o.single ? stages_of<float>(grid, o, gas, place) : stages_of<double>(grid, o, gas, place);
}

Shown make_shown(Stages& stages, bool single) {
  return single ? shown_of<float>(stages) : shown_of<double>(stages);
}

}  // namespace sc::compressible
