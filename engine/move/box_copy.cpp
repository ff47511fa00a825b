// SPDX-License-Identifier: Apache-2.0
// BoxCopy: rows along x, with narrow rows (faces normal to x) as moves of a fixed number of bytes.
#include "engine/move/box_copy.hpp"

#include <cstring>

namespace sc {

CellMemory CellMemory::dense(std::byte* base, const Box& box, std::size_t element_size) {
  const Int3 n = box.extent();
  CellMemory cells;
  cells.y = n.x * static_cast<std::ptrdiff_t>(element_size);
  cells.z = n.y * cells.y;
  cells.component = n.z * cells.z;
  cells.base =
      base - (box.lo.x * static_cast<std::ptrdiff_t>(element_size) + box.lo.y * cells.y + box.lo.z * cells.z);
  return cells;
}

BoxCopy::BoxCopy(const CellMemory& from, const Box& box_from, const CellMemory& to, const Box& box_to,
                 int components, std::size_t element_size)
    : from_(from), to_(to), components_(components) {
  const auto size = static_cast<std::ptrdiff_t>(element_size);
  from_.base += box_from.lo.x * size + box_from.lo.y * from.y + box_from.lo.z * from.z;
  to_.base += box_to.lo.x * size + box_to.lo.y * to.y + box_to.lo.z * to.z;
  const Int3 n = box_from.extent();
  ny_ = n.y;
  nz_ = n.z;
  row_bytes_ = static_cast<std::size_t>(n.x) * element_size;
  rows_ = choose(row_bytes_);
}

template <class RowCopy>
void BoxCopy::each_row(RowCopy copy) const {
  for (int k = 0; k < components_; ++k)
    for (int z = 0; z < nz_; ++z) {
      const std::byte* from = from_.base + k * from_.component + z * from_.z;
      std::byte* to = to_.base + k * to_.component + z * to_.z;
      for (int y = 0; y < ny_; ++y, from += from_.y, to += to_.y) copy(to, from);
    }
}

/// Every row lies on cache lines of its own, and the stride is too long for the hardware to look ahead: the
/// lines are asked for some rows early, those to be written for writing.
template <std::size_t bytes>
void BoxCopy::narrow_rows(const BoxCopy& self) {
  constexpr std::ptrdiff_t ahead = 16;
  const std::ptrdiff_t from_ahead = ahead * self.from_.y;
  const std::ptrdiff_t to_ahead = ahead * self.to_.y;
  self.each_row([=](std::byte* to, const std::byte* from) {
    __builtin_prefetch(from + from_ahead, 0);
    __builtin_prefetch(to + to_ahead, 1);
    std::memcpy(to, from, bytes);
  });
}

void BoxCopy::wide_rows(const BoxCopy& self) {
  const std::size_t bytes = self.row_bytes_;
  self.each_row([bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

BoxCopy::Rows BoxCopy::choose(std::size_t row_bytes) {
  switch (row_bytes) {
    case 4:
      return &narrow_rows<4>;
    case 8:
      return &narrow_rows<8>;
    case 12:
      return &narrow_rows<12>;
    case 16:
      return &narrow_rows<16>;
    case 24:
      return &narrow_rows<24>;
    case 32:
      return &narrow_rows<32>;
    case 48:
      return &narrow_rows<48>;
    default:
      return &wide_rows;
  }
}

}  // namespace sc
