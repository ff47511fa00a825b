// SPDX-License-Identifier: Apache-2.0
// Halo: the position of a rank: its neighbours, its core and its shell.
#include <algorithm>

#include "api/c/halo.hpp"
#include "api/c/step.hpp"
#include "engine/base/index.hpp"

namespace sc::halo {

int Halo::neighbour(const int* direction) const {
  return r_.processes.neighbour(context_->rank(), checked(direction));
}

halo_box Halo::core() const {
  halo_box box{};
  const Ints4 coords = this->coords();
  for (int a = 0; a < HALO_MAX_DIMS; ++a) {
    box.hi[a] = r_.own[at(a)];
    if (a >= r_.processes.dims) continue;
    const int count = r_.processes.counts[at(a)];
    const bool periodic = r_.processes.periodic[at(a)];
    if (periodic || coords[at(a)] > 0) box.lo[a] = std::min<std::int64_t>(r_.low[at(a)], box.hi[a]);
    if (periodic || coords[at(a)] + 1 < count)
      box.hi[a] = std::max<std::int64_t>(box.lo[a], box.hi[a] - r_.high[at(a)]);
  }
  return box;
}

/// The own cells outside the core, cut off along one dimension after another.
std::vector<halo_box> Halo::shell() const {
  std::vector<halo_box> boxes;
  const halo_box core = this->core();
  halo_box rest{};
  for (int a = 0; a < HALO_MAX_DIMS; ++a) rest.hi[a] = r_.own[at(a)];
  for (int a = 0; a < r_.processes.dims; ++a) {
    halo_box low = rest, high = rest;
    low.hi[a] = core.lo[a];
    high.lo[a] = core.hi[a];
    if (low.hi[a] > low.lo[a]) boxes.push_back(low);
    if (high.hi[a] > high.lo[a]) boxes.push_back(high);
    rest.lo[a] = core.lo[a];
    rest.hi[a] = core.hi[a];
    if (rest.hi[a] <= rest.lo[a]) break;
  }
  return boxes;
}

}  // namespace sc::halo
