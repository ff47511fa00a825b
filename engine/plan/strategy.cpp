// SPDX-License-Identifier: Apache-2.0
// The strategies by name.
#include "engine/plan/strategy.hpp"

#include <array>

#include "engine/base/error.hpp"

namespace sc {

std::span<const Strategy* const> Strategy::all() {
  static constexpr std::array<const Strategy*, 7> rows{
      &blocking, &ordered, &boundary_first, &interior_first, &pipelined, &halo_thread, &automatic};
  return rows;
}

const Strategy& Strategy::of(std::string_view name) {
  for (const Strategy* s : all())
    if (s->name == name) return *s;
  refuse("strategy is \"" + std::string(name) + "\"; allowed are " +
         names([](const Strategy&) { return true; }));
}

std::string Strategy::names(bool (*which)(const Strategy&)) {
  std::string list;
  for (const Strategy* s : all())
    if (which(*s)) list += (list.empty() ? "" : ", ") + std::string(s->name);
  return list;
}

}  // namespace sc
