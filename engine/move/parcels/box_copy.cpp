// SPDX-License-Identifier: Apache-2.0
// BoxCopy: rows along x, with narrow rows (faces normal to x) as moves of a fixed number of bytes.
#include "engine/move/parcels/box_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "engine/exec/processor.hpp"

namespace sc {

CellCopy BoxCopy::for_device() const {
  if (entries_ || lattice_.colours > 1) throw Error(Exit::failure, "a device copies whole boxes only");
  const auto offsets = {from_.y, from_.z, from_.component, to_.y, to_.z, to_.component};
  bool whole =
      row_bytes_ % 8 == 0 &&
      (reinterpret_cast<std::uintptr_t>(from_.base) | reinterpret_cast<std::uintptr_t>(to_.base)) % 8 == 0;
  for (const std::ptrdiff_t offset : offsets) whole = whole && offset % 8 == 0;
  const int word = whole ? 8 : 4;
  return {.from = from_.base,
          .to = to_.base,
          .from_y = from_.y,
          .from_z = from_.z,
          .from_component = from_.component,
          .to_y = to_.y,
          .to_z = to_.z,
          .to_component = to_.component,
          .row = static_cast<int>(row_bytes_) / word,
          .ny = ny_,
          .nz = nz_,
          .components = components_,
          .word = word};
}

namespace {
constexpr std::ptrdiff_t narrow_prefetch_distance = 12;

/// Whether to prefetch the next row while one is copied. Hardware prefetchers stay within a page and not far
/// ahead. Intel cores always gain (rows of 1 KiB: 0.8 of the time from the core's own cache, 0.6 to 0.7 from
/// memory). AMD cores gain if the next row is on the same page; otherwise they take 1.4 times as long, from a
/// neighbour's cache up to 3 times (decision 46).
bool prefetching_pays(std::ptrdiff_t stride_from, std::ptrdiff_t stride_to) {
  return on_intel() || std::max(stride_from, stride_to) < static_cast<std::ptrdiff_t>(memory_page);
}

}  // namespace

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

CellMemory CellMemory::of(std::byte* base, const Layout& layout, std::size_t element_size) {
  const auto size = static_cast<std::ptrdiff_t>(element_size);
  return {base, layout.sy * size, layout.sz * size, layout.elements * size};
}

CellMemory CellMemory::of(const Storage& storage) {
  if (const ExternalCells& cells = storage.external(); cells.base)
    return {cells.base, cells.y, cells.z, cells.component};
  if (storage.far()) storage.refuse_whole();
  return of(storage.base(), storage.grid().layout(), size_of(storage.type()));
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
  if (ny_ == 1) {  // the inner loop gets the axis with more than one row
    std::swap(ny_, nz_);
    from_.y = from_.z;
    to_.y = to_.z;
  }
  row_bytes_ = static_cast<std::size_t>(n.x) * element_size;
  choose();
}

BoxCopy::BoxCopy(const CellMemory& from, std::shared_ptr<const std::vector<int>> entries,
                 const CellMemory& to, const Box& box_to, int components, std::size_t element_size)
    : from_(from),
      to_(to),
      ny_(1),
      nz_(1),
      components_(components),
      row_bytes_(entries->size() * element_size) {
  const auto size = static_cast<std::ptrdiff_t>(element_size);
  to_.base += box_to.lo.x * size;
  const auto no_run = [](int entry, int next) { return next != entry + 1; };
  if (!entries->empty() && std::adjacent_find(entries->begin(), entries->end(), no_run) == entries->end()) {
    from_.base += entries->front() * size;
    choose();
    return;
  }
  entries_ = std::move(entries);
  rows_ = element_size == 4   ? &picked_entries<std::uint32_t>
          : element_size == 8 ? &picked_entries<std::uint64_t>
                              : &picked_entries<std::array<std::uint64_t, 2>>;
}

BoxCopy::BoxCopy(Coloured how, const Lattice& lattice, Int3 global, const CellMemory& from,
                 const Box& box_from, const CellMemory& to, const Box& box_to, int components,
                 std::size_t element_size)
    : from_(from),
      to_(to),
      ny_(box_from.extent().y),
      nz_(box_from.extent().z),
      components_(components),
      row_bytes_(static_cast<std::size_t>(box_from.extent().x) * element_size),
      lattice_(lattice),
      global_(global),
      nx_(box_from.extent().x) {
  const auto size = static_cast<std::ptrdiff_t>(element_size);
  if (how != Coloured::unpack)
    from_.base += box_from.lo.x * size + box_from.lo.y * from.y + box_from.lo.z * from.z;
  if (how != Coloured::pack) to_.base += box_to.lo.x * size + box_to.lo.y * to.y + box_to.lo.z * to.z;
  using Wide = std::array<std::uint64_t, 2>;
  if (how == Coloured::rows)
    rows_ = &rows_of_colour;
  else if (how == Coloured::pack)
    rows_ = size == 4   ? &pack_colour<std::uint32_t>
            : size == 8 ? &pack_colour<std::uint64_t>
                        : &pack_colour<Wide>;
  else
    rows_ = size == 4   ? &unpack_colour<std::uint32_t>
            : size == 8 ? &unpack_colour<std::uint64_t>
                        : &unpack_colour<Wide>;
}

/// copy(component, y, z, first, count): `count` cells with a stride of two, beginning at cell `first` of the
/// row.
template <class RowCopy>
void BoxCopy::each_coloured_row(RowCopy copy) const {
  for (int k = 0; k < components_; ++k)
    for (int z = 0; z < nz_; ++z)
      for (int y = 0; y < ny_; ++y) {
        const Lattice::Run run = lattice_.run(global_.x, global_.y + y, global_.z + z);
        if (const int count = Lattice::cells(run, nx_); count > 0) copy(k, y, z, run.first, count);
      }
}

template <class Element>
void BoxCopy::pack_colour(const BoxCopy& self) {
  std::byte* to = self.to_.base;
  self.each_coloured_row([&](int k, int y, int z, int first, int count) {
    const std::byte* from = self.from_.base + k * self.from_.component + z * self.from_.z + y * self.from_.y +
                            first * std::ptrdiff_t{sizeof(Element)};
#pragma GCC ivdep
    for (std::ptrdiff_t i = 0; i < count; ++i)
      std::memcpy(to + i * std::ptrdiff_t{sizeof(Element)}, from + 2 * i * std::ptrdiff_t{sizeof(Element)},
                  sizeof(Element));
    to += count * std::ptrdiff_t{sizeof(Element)};
  });
}

template <class Element>
void BoxCopy::unpack_colour(const BoxCopy& self) {
  const std::byte* from = self.from_.base;
  self.each_coloured_row([&](int k, int y, int z, int first, int count) {
    std::byte* to = self.to_.base + k * self.to_.component + z * self.to_.z + y * self.to_.y +
                    first * std::ptrdiff_t{sizeof(Element)};
#pragma GCC ivdep
    for (std::ptrdiff_t i = 0; i < count; ++i)
      std::memcpy(to + 2 * i * std::ptrdiff_t{sizeof(Element)}, from + i * std::ptrdiff_t{sizeof(Element)},
                  sizeof(Element));
    from += count * std::ptrdiff_t{sizeof(Element)};
  });
}

void BoxCopy::rows_of_colour(const BoxCopy& self) {
  self.each_coloured_row([&](int k, int y, int z, int, int) {
    std::memcpy(self.to_.base + k * self.to_.component + z * self.to_.z + y * self.to_.y,
                self.from_.base + k * self.from_.component + z * self.from_.z + y * self.from_.y,
                self.row_bytes_);
  });
}

template <class Element>
void BoxCopy::picked_entries(const BoxCopy& self) {
  const std::vector<int>& entries = *self.entries_;
  self.each_row([&](std::byte* to, const std::byte* from) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      std::memcpy(to + i * sizeof(Element),
                  from + std::ptrdiff_t{entries[i]} * std::ptrdiff_t{sizeof(Element)}, sizeof(Element));
  });
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

template <std::size_t bytes>
void BoxCopy::narrow_rows(const BoxCopy& self) {
  self.each_row([](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

/// A cache line of the halo contains the high halo of one row and the low halo of the next, so both faces are
/// copied together and each line is accessed once (both faces normal to x of 5 x 128^3 doubles: 0.72 instead
/// of 1.0 ms). Every row needs three new lines, and every fourth row a new page. Prefetching some rows ahead
/// gains 6 % in cache and 11 % from memory on AMD cores, nothing on Intel.
template <std::size_t bytes>
void BoxCopy::narrow_pairs(const BoxCopy& one, const BoxCopy& other) {
  for (int k = 0; k < one.components_; ++k)
    for (int z = 0; z < one.nz_; ++z) {
      const std::byte* from = one.from_.base + k * one.from_.component + z * one.from_.z;
      const std::byte* from_other = other.from_.base + k * other.from_.component + z * other.from_.z;
      std::byte* to = one.to_.base + k * one.to_.component + z * one.to_.z;
      std::byte* to_other = other.to_.base + k * other.to_.component + z * other.to_.z;
      for (int y = 0; y < one.ny_; ++y) {
        __builtin_prefetch(from + narrow_prefetch_distance * one.from_.y, 0);
        __builtin_prefetch(from_other + narrow_prefetch_distance * other.from_.y, 0);
        __builtin_prefetch(to + narrow_prefetch_distance * one.to_.y, 1);
        std::memcpy(to, from, bytes);
        std::memcpy(to_other, from_other, bytes);
        from += one.from_.y;
        from_other += other.from_.y;
        to += one.to_.y;
        to_other += other.to_.y;
      }
    }
}

bool BoxCopy::pairs_with(const BoxCopy& other) const {
  return pairs_ && pairs_ == other.pairs_ && ny_ == other.ny_ && nz_ == other.nz_ &&
         components_ == other.components_;
}

void BoxCopy::run_with(const BoxCopy& other) const {
  if (pairs_with(other)) return pairs_(*this, other);
  run();
  other.run();
}

void BoxCopy::rows_prefetched(const BoxCopy& self) {
  const auto bytes = static_cast<std::ptrdiff_t>(self.row_bytes_);
  const std::byte* last = self.from_.base + (self.ny_ - 1) * self.from_.y;
  self.each_row([&](std::byte* to, const std::byte* from) {
    if (from != last)
      for (std::ptrdiff_t line = 0; line < bytes; line += cache_line) {
        __builtin_prefetch(from + self.from_.y + line, 0);
        __builtin_prefetch(to + self.to_.y + line, 1);
      }
    std::memcpy(to, from, self.row_bytes_);
  });
}

void BoxCopy::wide_rows(const BoxCopy& self) {
  const std::size_t bytes = self.row_bytes_;
  self.each_row([bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

template <std::size_t bytes>
void BoxCopy::choose_narrow() {
  rows_ = &narrow_rows<bytes>;
  pairs_ = &narrow_pairs<bytes>;
}

void BoxCopy::choose() {
  const auto narrow = [this]<std::size_t... bytes>(std::index_sequence<bytes...>) {
    return ((row_bytes_ == bytes && (choose_narrow<bytes>(), true)) || ...);
  };
  if (narrow(std::index_sequence<4, 8, 12, 16, 24, 32, 48>{})) return;
  // For rows of several pages, prefetching cost 4 to 40 % on Intel cores too.
  rows_ = row_bytes_ <= memory_page && prefetching_pays(from_.y, to_.y) ? &rows_prefetched : &wide_rows;
}

}  // namespace sc
