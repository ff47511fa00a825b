// SPDX-License-Identifier: Apache-2.0
// Stage: the rules that declarations must obey.
#include "engine/stage/stage.hpp"

namespace sc {

namespace {

int colours_needed(Reach reach) {
  if (reach.width == 0) return 1;
  if (reach.width > 1) return 0;
  return reach.diagonal > 0 ? 8 : 2;
}

}  // namespace

double Stage::bytes_per_cell() const {
  double bytes = 0;
  for (const Access& a : accesses()) {
    const Storage& s = a.storage();
    const double share = static_cast<double>(s.grid().own().cells()) /
                         std::max<double>(1.0, static_cast<double>(grid().own().cells()));
    bytes +=
        static_cast<double>(size_of(s.type())) * s.components() * (a.mode == Mode::update ? 2 : 1) * share;
  }
  return bytes;
}

void Stage::check_accesses() {
  const auto where = "stage \"" + name() + "\" ";
  demand_ = std::make_shared<Demand>(accesses().size());
  for (const Access& a : accesses()) {
    const std::string field = "field \"" + a.field->name() + "\"";
    if (a.level >= a.field->levels())
      refuse(where + "uses level " + std::to_string(a.level) + " of " + field + ", which has " +
             std::to_string(a.field->levels()));
    if (a.reach.width > a.field->grid().halo())
      refuse(where + "reads " + field + " " + std::to_string(a.reach.width) +
             " cells away, but its grid has a halo of " + std::to_string(a.field->grid().halo()));
    if (a.mode != Mode::read && !(a.field->grid() == grid()))
      refuse(where + "writes " + field + ", which is on another grid than the stage's other outputs");
    const int needed = colours_needed(a.reach);
    // Four colours keep apart what 19 points reach: box(1) without its eight corners.
    const bool enough = colours_ >= needed || (needed == 8 && colours_ == 4);
    if (a.mode == Mode::update && (needed == 0 || !enough))
      refuse(where + "updates " + field +
             " in place while reading its neighbours; that needs a coloured sweep of reach 1 (" +
             std::to_string(needed) + " colours) or a second level");
    for (const Access& b : accesses())
      if (&a != &b && a.field == b.field && a.level == b.level && a.mode != Mode::read)
        refuse(where + "writes and also declares again the same level of " + field +
               "; declare it once, with updates()");
  }
}

}  // namespace sc
