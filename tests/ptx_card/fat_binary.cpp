// SPDX-License-Identifier: Apache-2.0
// The layout of a fat binary, as far as its PTX.
#include "tests/ptx_card/fat_binary.hpp"

#include <cstdint>
#include <cstring>

#include "tests/ptx_card/memory.hpp"

namespace sc::ptx {

namespace {
template <class T>
T read_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
}  // namespace

/// A fat binary is a head and entries, each with a head of its own: kind (1 is PTX), bytes of head and of
/// content, flags. What nvcc compressed cannot be read here.
std::string_view text_of(const std::byte* fat) {
  constexpr std::uint32_t magic = 0xba55ed50;
  constexpr std::uint64_t compressed = 0x2000 | 0x8000;
  if (read_at<std::uint32_t>(fat) != magic) throw Fault("a fat binary of an unknown kind");
  const std::byte* entry = fat + read_at<std::uint16_t>(fat + 6);
  const std::byte* const end = entry + read_at<std::uint64_t>(fat + 8);
  while (entry < end) {
    const auto kind = read_at<std::uint16_t>(entry);
    const auto head = read_at<std::uint32_t>(entry + 4);
    const auto content = read_at<std::uint64_t>(entry + 8);
    if (kind == 1) {
      if (read_at<std::uint64_t>(entry + 40) & compressed)
        throw Fault("the PTX in the program is compressed: compile with nvcc's --no-compress");
      return {reinterpret_cast<const char*>(entry + head)};
    }
    entry += head + content;
  }
  throw Fault(
      "the program holds no PTX: compile for an architecture with its PTX (CMAKE_CUDA_ARCHITECTURES=90)");
}

}  // namespace sc::ptx
