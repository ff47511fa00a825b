// SPDX-License-Identifier: Apache-2.0
#include "engine/grid/boxes.hpp"

#include <algorithm>

namespace sc {

std::vector<Box> subtract(const Box& a, const Box& b) {
  std::vector<Box> parts;
  const Box inner = intersect(a, b);
  if (inner.empty()) {
    if (!a.empty()) parts.push_back(a);
    return parts;
  }
  Box rest = a;
  for (int axis = 2; axis >= 0; --axis) {
    Box low = rest, high = rest;
    low.hi[axis] = inner.lo[axis];
    high.lo[axis] = inner.hi[axis];
    if (!low.empty()) parts.push_back(low);
    if (!high.empty()) parts.push_back(high);
    rest.lo[axis] = inner.lo[axis];
    rest.hi[axis] = inner.hi[axis];
  }
  return parts;
}

std::vector<Box> part_of(const Grid& grid, const Box& box, HaloPart part) {
  Box own = box;
  for (int axis = 0; part != HaloPart::all && axis < 3; ++axis) {
    if (grid.split()[axis] == 1) continue;
    if (!grid.physical({axis, 0})) own.lo[axis] = std::max(own.lo[axis], 0);
    if (!grid.physical({axis, 1})) own.hi[axis] = std::min(own.hi[axis], grid.own().hi[axis]);
  }
  if (part == HaloPart::others) return subtract(box, own);
  return own.empty() ? std::vector<Box>{} : std::vector<Box>{own};
}

}  // namespace sc
