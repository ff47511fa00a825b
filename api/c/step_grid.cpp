// SPDX-License-Identifier: Apache-2.0
// The grid of halo_step: process dimensions as axes, and the strides of the caller's arrays.
#include "api/c/step_grid.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/index.hpp"

namespace sc::halo {

namespace {

[[noreturn]] void refuse_step(const std::string& why) {
  throw Failure(HALO_ERR_UNSUPPORTED,
                "halo_step: " + why + "; halo_exchange with halo_core and halo_shell works");
}

/// A Grid has one width of halo, and counts cells by int.
void check_fits(const Registration& r) {
  const int widest = std::max(*std::ranges::max_element(r.low), *std::ranges::max_element(r.high));
  for (int p = 0; p < r.processes.dims; ++p) {
    const std::string where = "along process dimension " + std::to_string(p + 1);
    if (r.global(p) > std::numeric_limits<int>::max())
      refuse_step("there are " + std::to_string(r.global(p)) + " cells " + where);
    const auto& blocks = r.blocks[at(p)];
    const int thinnest = *std::ranges::min_element(blocks);
    if (thinnest < widest && (r.processes.counts[at(p)] > 1 || r.processes.periodic[at(p)]))
      refuse_step("a block of " + std::to_string(thinnest) + " cells " + where +
                  " is thinner than the widest halo of any dimension, " + std::to_string(widest));
  }
}

}  // namespace

std::vector<int> axes_of(const Registration& r) {
  std::vector<int> axes;
  for (const int i : memory_order(r.arrays[0]))
    if (r.arrays[0].split[i] > 0) axes.push_back(r.arrays[0].split[i] - 1);
  if (static_cast<int>(axes.size()) != r.processes.dims)
    refuse_step("array 0 is not split over every process dimension");
  if (axes.size() > 3) refuse_step("more than three dimensions are split");
  return axes;
}

Grid make_grid(Context& context, const Registration& r, const std::vector<int>& axes) {
  check_fits(r);
  GridOptions options{.cells = {1, 1, 1}, .periodic = {}, .halo = 0, .split = {1, 1, 1}};
  bool periodic[3] = {};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto p = at(axes[axis]);
    const auto i = static_cast<int>(axis);
    options.cells[i] = static_cast<int>(r.global(axes[axis]));
    options.split[i] = r.processes.counts[p];
    options.cuts[axis] = {0};
    for (const int block : r.blocks[p]) options.cuts[axis].push_back(options.cuts[axis].back() + block);
    options.halo = std::max({options.halo, r.low[p], r.high[p]});
    periodic[axis] = r.processes.periodic[p];
  }
  options.periodic = {periodic[0], periodic[1], periodic[2]};
  // In rank numbers the last process dimension is fastest.
  std::size_t next = 0;
  for (int p = r.processes.dims - 1; p >= 0; --p)
    options.rank_order[next++] = static_cast<int>(std::find(axes.begin(), axes.end(), p) - axes.begin());
  for (int axis = static_cast<int>(axes.size()); axis < 3; ++axis) options.rank_order[next++] = axis;
  return {context, options};
}

View view_of(const halo_array& array, const std::vector<int>& axes, int number, void* data) {
  const UserArray u = user_array_of(array, data);
  const std::string name = "array " + std::to_string(number);
  View v;
  v.cells.base = u.own;
  v.cells.cell_bytes = u.cell_bytes;
  std::size_t axis = 0;
  bool extra = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.dims); ++i) {
    if (u.split_over[i] < 0 && axis == 0 && !extra) {  // faster than x in memory
      const bool last = i + 1 == static_cast<std::size_t>(array.dims);
      v.cells.cell_bytes *= static_cast<std::size_t>(u.cells[i]);
      if (!last && u.strides[i + 1] != static_cast<std::ptrdiff_t>(v.cells.cell_bytes))
        refuse_step(name + " has a gap inside of its cells");
    } else if (u.split_over[i] < 0) {
      if (extra) refuse_step(name + " has two unsplit dimensions apart from its contiguous ones");
      extra = true;
      v.components = u.cells[i];
      v.cells.component = u.strides[i];
    } else {
      if (axis >= axes.size() || u.split_over[i] != axes[axis])
        refuse_step(name + " has its split dimensions in another order in memory than array 0");
      if (axis == 1) v.cells.y = u.strides[i];
      if (axis == 2) v.cells.z = u.strides[i];
      v.cells.low[static_cast<int>(axis)] = u.low[i];
      v.cells.high[static_cast<int>(axis)] = u.high[i];
      ++axis;
    }
  }
  if (axis != axes.size()) refuse_step(name + " is not split over every process dimension");
  return v;
}

ElementType element_of(int type) {
  switch (type) {
    case HALO_REAL32:
      return ElementType::f32;
    case HALO_REAL64:
      return ElementType::f64;
    case HALO_INT32:
      return ElementType::i32;
    case HALO_INT64:
      return ElementType::i64;
    case HALO_COMPLEX32:
      return ElementType::c32;
    default:
      return ElementType::c64;
  }
}

}  // namespace sc::halo
