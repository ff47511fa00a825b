// SPDX-License-Identifier: Apache-2.0
// CellCopy: one thread for each word; compiled by nvcc where there is one.
#include "engine/exec/cell_copy.hpp"

#include <algorithm>
#include <array>

#include "engine/exec/launch.hpp"

namespace sc {

namespace {

constexpr int most_copies = 16;  // in a launch: its parameters may take 4 KiB
constexpr int wide = 4096;       // words in a row of the launch

std::int64_t words_of(const CellCopy& c) { return std::int64_t{c.row} * c.ny * c.nz * c.components; }

/// The words of all copies, one copy after the other: halos across x, y and z have few words in a row, few
/// rows or few planes, which no common extent fits.
struct CopyBody {
  CellCopy copies[most_copies];
  std::uint32_t first[most_copies + 1];  ///< word

  SC_FN void operator()(Int3 place) const {
    const std::uint32_t word =
        static_cast<std::uint32_t>(place.y) * wide + static_cast<std::uint32_t>(place.x);
    int n = 0;
    while (n < most_copies && word >= first[n + 1]) ++n;
    if (n == most_copies) return;
    const CellCopy& c = copies[n];
    const auto of = [](int count) { return static_cast<std::uint32_t>(count); };
    std::uint32_t left = word - first[n];
    const auto next = [&](int count) {
      const std::uint32_t index = left % of(count);
      left /= of(count);
      return static_cast<std::ptrdiff_t>(index);
    };
    const std::ptrdiff_t x = next(c.row) * c.word, y = next(c.ny), z = next(c.nz), component = left;
    const std::byte* from = c.from + component * c.from_component + z * c.from_z + y * c.from_y + x;
    std::byte* to = c.to + component * c.to_component + z * c.to_z + y * c.to_y + x;
    if (c.word == 4)
      *reinterpret_cast<std::uint32_t*>(to) = *reinterpret_cast<const std::uint32_t*>(from);
    else
      *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
  }
};

/// As many of the copies as fit into a launch; returns their number.
int fill(CopyBody& body, std::span<const CellCopy> copies, std::int64_t most_words) {
  int count = 0;
  std::int64_t words = 0;
  for (; count < most_copies && count < static_cast<int>(copies.size()); ++count) {
    const CellCopy& c = copies[static_cast<std::size_t>(count)];
    if (words + words_of(c) > most_words) break;
    body.copies[count] = c;
    words += words_of(c);
    body.first[count + 1] = static_cast<std::uint32_t>(words);
  }
  std::fill(body.first + count + 1, body.first + most_copies + 1, body.first[count]);
  return count;
}

/// A copy with too many words for a launch, in two parts.
std::array<CellCopy, 2> halves_of(const CellCopy& copy) {
  CellCopy low = copy, high = copy;
  const auto divide = [&](int CellCopy::*count, std::ptrdiff_t CellCopy::*from,
                          std::ptrdiff_t CellCopy::*to) {
    low.*count = copy.*count / 2;
    high.*count = copy.*count - low.*count;
    high.from += low.*count * copy.*from;
    high.to += low.*count * copy.*to;
  };
  if (copy.components > 1)
    divide(&CellCopy::components, &CellCopy::from_component, &CellCopy::to_component);
  else if (copy.nz > 1)
    divide(&CellCopy::nz, &CellCopy::from_z, &CellCopy::to_z);
  else
    divide(&CellCopy::ny, &CellCopy::from_y, &CellCopy::to_y);
  return {low, high};
}

}  // namespace

void copy_cells(Device& device, Stream stream, std::span<const CellCopy> copies, std::int64_t most_words) {
  while (!copies.empty()) {
    CopyBody body{};
    const int count = fill(body, copies, most_words);
    if (count == 0) copy_cells(device, stream, halves_of(copies.front()), most_words);
    const std::int64_t words = body.first[most_copies];
    const auto rows = static_cast<int>((words + wide - 1) / wide);
    launch(device, stream, {static_cast<int>(std::min<std::int64_t>(words, wide)), rows, 1}, body,
           "copying cells");
    copies = copies.subspan(static_cast<std::size_t>(std::max(count, 1)));
  }
}

}  // namespace sc
