// SPDX-License-Identifier: Apache-2.0
// The modes of a turbulent flow by wavenumber, in either precision.
#pragma once

#include <cstring>
#include <map>

#include "engine/move/gather.hpp"
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
      for_cells({{}, m}, [&](Int3 c) {
        turbulence::Mode<decltype(real)> v;
        std::memcpy(&v, bytes.data() + std::size_t(((d * m.z + c.z) * m.y + c.y) * m.x + c.x) * sizeof v,
                    sizeof v);
        all[flow.wavenumbers().of<int>({c.x, c.y, c.z})][std::size_t(d)] = scale * std::complex<double>(v);
      });
  });
  return all;
}

}  // namespace sc::test
