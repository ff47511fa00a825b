// SPDX-License-Identifier: Apache-2.0
// Part: the cells of a rank that belong to a file, and the combination of rows for one system call.
#include "io/part.hpp"

#include "engine/base/error.hpp"

namespace sc::io {

namespace {

// Large enough for a disk or a network, and small compared with a field.
constexpr std::size_t batch_bytes = std::size_t{4} << 20;

/// Calls f(cell, rows, byte offset) for sequences of rows that are contiguous in the file and not much longer
/// than batch_bytes; `cell` is their first cell.
template <class F>
void for_each_batch(const Part& part, std::size_t item, F&& f) {
  if (part.box.empty()) return;
  const Int3 n = part.box.extent();
  const std::size_t row = static_cast<std::size_t>(n.x) * item;
  const bool whole_rows = n.x == part.extent.x;
  const bool whole_planes = whole_rows && n.y == part.extent.y;
  const std::int64_t rows = std::int64_t{n.y} * n.z;
  const std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(batch_bytes / row));
  for (std::int64_t r = 0; r < rows;) {
    const auto y = static_cast<int>(r % n.y);
    const std::int64_t contiguous = whole_planes ? rows - r : whole_rows ? n.y - y : 1;
    const std::int64_t count = std::min(most, contiguous);
    const Int3 cell{part.box.lo.x, part.box.lo.y + y, part.box.lo.z + static_cast<int>(r / n.y)};
    f(cell, count, part.number(cell) * static_cast<std::int64_t>(item));
    r += count;
  }
}

/// Calls f(first cell, index) for `rows` rows of the part, beginning with the row at `cell`.
template <class F>
void for_each_row(const Part& part, Int3 cell, std::int64_t rows, F&& f) {
  for (std::int64_t r = 0; r < rows; ++r) {
    f(cell, static_cast<std::size_t>(r));
    if (++cell.y == part.box.hi.y) {
      cell.y = part.box.lo.y;
      ++cell.z;
    }
  }
}

}  // namespace

Part part_of(const Grid& grid, int layers) {
  if (layers < 0 || layers > grid.least_halo())
    throw Error(Exit::failure, "a file asks for " + std::to_string(layers) + " layers of a halo of " +
                                   std::to_string(grid.least_halo()));
  Part part;
  const Box own = grid.global_box();
  for (int a = 0; a < 3; ++a) {
    const int beyond = grid.periodic()[a] ? 0 : layers;
    part.extent[a] = grid.cells()[a] + 2 * beyond;
    part.box.lo[a] = own.lo[a] + beyond - (grid.physical({a, 0}) ? beyond : 0);
    part.box.hi[a] = own.hi[a] + beyond + (grid.physical({a, 1}) ? beyond : 0);
    part.shift[a] = -beyond - own.lo[a];
  }
  if (own.empty()) part.box = {};
  return part;
}

void each_slab(Storage& storage, const Part& part, bool read, bool written,
               const std::function<void(const Part& slab)>& use) {
  if (!storage.far()) return use(part);
  if (part.box.extent() != storage.grid().own().extent())
    throw Error(Exit::failure, "field \"" + storage.name() + "\" keeps no halo that a file could hold");
  storage.each_slab(read, written, [&](int lo, int hi) {
    Part slab = part;
    slab.box.lo.z = lo - part.shift.z;
    slab.box.hi.z = hi - part.shift.z;
    use(slab);
  });
}

void write_part(File& file, std::int64_t offset, const Part& part, std::size_t item, const PackRow& pack) {
  std::vector<std::byte> buffer;
  const std::size_t row = static_cast<std::size_t>(part.box.extent().x) * item;
  for_each_batch(part, item, [&](Int3 cell, std::int64_t rows, std::int64_t at) {
    buffer.resize(static_cast<std::size_t>(rows) * row);
    for_each_row(part, cell, rows, [&](Int3 first, std::size_t r) { pack(first, buffer.data() + r * row); });
    file.write(offset + at, buffer.data(), buffer.size());
  });
}

void read_part(const File& file, std::int64_t offset, const Part& part, std::size_t item,
               const UnpackRow& unpack) {
  std::vector<std::byte> buffer;
  const std::size_t row = static_cast<std::size_t>(part.box.extent().x) * item;
  for_each_batch(part, item, [&](Int3 cell, std::int64_t rows, std::int64_t at) {
    buffer.resize(static_cast<std::size_t>(rows) * row);
    file.read(offset + at, buffer.data(), buffer.size());
    for_each_row(part, cell, rows,
                 [&](Int3 first, std::size_t r) { unpack(first, buffer.data() + r * row); });
  });
}

}  // namespace sc::io
