// SPDX-License-Identifier: Apache-2.0
// The modes of a turbulent flow by wavenumber, in either precision.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

#include "engine/move/output/gather.hpp"
#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"
#include "tests/mpi/cells.hpp"

namespace sc::test {

using Wave = std::array<int, 3>;
template <std::size_t N>
using ModesOf = std::map<Wave, std::array<std::complex<double>, N>>;
using Modes = ModesOf<3>;

inline turbulence::TurbulenceOptions as_single(turbulence::TurbulenceOptions options) {
  options.single = true;
  return options;
}

/// A velocity with many modes, component d.
inline double lively(int d, double x, double y, double z) {
  return std::sin(x + 0.3 * d) * std::cos(y - d) * std::cos(2 * z) + 0.5 * std::cos(2 * x + y * (d - 1));
}

/// Outcomes are the gathered modes, which rank 0 has, and numbers that every rank has.
template <class Outcome>
void expect_same(const Context& context, const Outcome& got, const Outcome& wanted, std::string_view what) {
  EXPECT_EQ(got.second, wanted.second) << what;
  if (context.rank() == 0) {
    EXPECT_TRUE(got.first == wanted.first) << what;
  }
}

/// The stored modes of the first components of a field divided by the number of points, on rank 0.
template <std::size_t N = 3>
ModesOf<N> modes_of(turbulence::Turbulence& flow, AnyField& field) {
  const std::vector<std::byte> bytes = gather(field.storage(0));
  const Int3 m = field.grid().cells(), n = flow.grid().cells();
  ModesOf<N> all;
  if (bytes.empty()) return all;
  const double scale = 1 / (double(n.x) * n.y * n.z);
  turbulence::in_precision_of(field, [&](auto real) {
    for (int d = 0; d < int(N); ++d)
      each_cell({{}, m}, [&](Int3 c) {
        turbulence::Mode<decltype(real)> v;
        std::memcpy(&v, bytes.data() + std::size_t(((d * m.z + c.z) * m.y + c.y) * m.x + c.x) * sizeof v,
                    sizeof v);
        all[flow.wavenumbers().of<int>({c.x, c.y, c.z})][std::size_t(d)] = scale * std::complex<double>(v);
      });
  });
  return all;
}

}  // namespace sc::test
