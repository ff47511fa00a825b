// SPDX-License-Identifier: Apache-2.0
// What a kernel sees of values that its cell has in common with the cells beside it along x, such as sums
// over the corners of a side.
//
// Such a kernel says `static constexpr int side_values = K;`, computes up to K values of the side of a cell
// towards lower x,
//   template <class Keep> SC_FN void side_below(At c, const Keep& keep, views...) const;  // keep(k, value)
// and takes the values of both sides before its views:
//   SC_FN auto operator()(At c, [Index g,] const SideValues& sides, views...) const;
// The engine decides how often side_below() is called: in rows once a side, elsewhere twice. It must depend
// on the side alone, so that both cells get the same bits.
#pragma once

#include "engine/field/views.hpp"

namespace sc {

/// Value k of the side of a cell towards lower x, and of that towards higher x: low(k), high(k).
struct SideValues {
  const double* values;
  std::ptrdiff_t stride;
  SC_FN double low(int k) const { return values[k * stride]; }
  SC_FN double high(int k) const { return values[k * stride + 1]; }
};

template <class Kernel>
concept InSides = requires {
  Kernel::side_values;
};

/// Calls use(sides) with the sides of one cell.
template <class Kernel, class Use, class... Views>
SC_FN auto with_sides(const Kernel& kernel, At c, const Use& use, const Views&... views) {
  double values[Kernel::side_values][2];
  kernel.side_below(
      c, [&](int k, double value) { values[k][0] = value; }, views...);
  kernel.side_below(
      c.x(1), [&](int k, double value) { values[k][1] = value; }, views...);
  return use(SideValues{&values[0][0], 2});
}

}  // namespace sc
